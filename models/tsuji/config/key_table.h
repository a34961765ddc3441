// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tsuji/config/key_types.h"
#include "tsuji/config/path_text.h"
#include "tsuji/config/renames.h"
#include "tsuji/core/error.h"

namespace tsuji::config {

/// Binds dotted keys to the fields of structs. The value that a field has when its key is added is the
/// default. The table holds references to the fields and must not outlive them. Keys are listed section by
/// section, whatever the order in which they are added.
///
/// Contract:
/// - first, the struct's owner adds keys: add(), add_choice(), add_of_kinds(); then conditions and aliases:
///   only_with(), default_with(), also_called(), searched_as(), renamed();
/// - then the input is read: read_yaml_file() and set() in any order of layers;
/// - then settle_defaults() once, before any code derives values from keys, and refuse_idle() and check();
/// - list_keys(), print() and json() may be called at any time after the keys are added.
class KeyTable {
 public:
  /// Table without keys.
  KeyTable();
  /// The fields that keys are bound to remain unchanged.
  ~KeyTable();
  KeyTable(const KeyTable&) = delete;
  KeyTable& operator=(const KeyTable&) = delete;

  /// Text that is copied.
  using Text = std::string_view;
  /// Adds a key. `unit` is empty for a number without a unit. `meaning` is one line without a full stop.
  void add(Text key, unsigned& field, Range<unsigned> range, Text unit, Text meaning);
  /// Adds an integer key of 64 bits.
  void add(Text key, std::uint64_t& field, Range<std::uint64_t> range, Text unit, Text meaning);
  /// Adds a number that `word` may replace; the field is empty for `word`.
  void add(Text key, std::optional<std::uint64_t>& field, Range<std::uint64_t> range, Text word, Text unit,
           Text meaning);
  /// Adds a truth value that `word` may replace; the field is empty for `word`.
  void add(Text key, std::optional<bool>& field, Text word, Text meaning);
  /// Adds a key for a real number.
  void add(Text key, double& field, Range<double> range, Text unit, Text meaning);
  /// Adds a key for a truth value, `true` or `false`.
  void add(Text key, bool& field, Text meaning);
  /// Adds a key for any text.
  void add(Text key, std::string& field, Text meaning);
  /// Adds the path of a file. A relative path in a configuration file begins at that file's folder, one on
  /// the command line at the current directory; the field receives the path that this process opens.
  void add_path(Text key, std::string& field, Text meaning);
  /// Adds a key for a list of integers, with the bounds of each element and of the list's length.
  void add(Text key, std::vector<unsigned>& field, Range<unsigned> each, Range<unsigned> length, Text unit,
           Text meaning);
  /// Adds an enumeration, written as one of `words`.
  template <class E>
  void add_choice(Text key, E& field, const std::vector<std::pair<std::string, E>>& words, Text meaning) {
    std::vector<std::string> names;
    std::vector<E> values;
    for (const auto& [name, value] : words) {
      names.push_back(name);
      values.push_back(value);
    }
    insert_choice(key, std::make_unique<ChoiceOf<E>>(field, std::move(names), std::move(values)), meaning);
  }

  /// Declares names that other simulators use for a word of an enumeration ("xy" for "dimension_order"). Such
  /// a name is refused with the word to use, or with a sentence that explains what to write.
  void also_called(const std::string& key, std::vector<std::pair<std::string, std::string>> names);

  /// Declares words that newcomers look for, each with the key that it refers to; refusals and searches use
  /// them. Words for keys that the table lacks are ignored.
  void searched_as(const std::vector<std::pair<std::string, std::string>>& words);
  /// Declares old names: an old key, or an old word of an enumeration, is refused with the new one. Renames
  /// whose new key the table lacks are ignored.
  void renamed(const std::vector<Rename>& renames);
  /// Key whose name is closest to `wanted`; empty if no key is similar.
  std::string probable_key(const std::string& wanted) const;

  /// Condition on another key, the selector: its value is one of `words`; empty `words`: its value is any
  /// text but "".
  struct Use {
    std::string selector;            ///< Key whose value decides.
    std::vector<std::string> words;  ///< Values of the selector for which the condition holds.
    /// True for equal conditions.
    bool operator==(const Use& other) const { return selector == other.selector && words == other.words; }
  };
  /// Limits the effect of a key, or of all keys of a section ("cache.*"), to configurations in which one of
  /// these conditions holds and its selector has an effect itself. If called several times for one key, the
  /// conditions of every call must hold.
  using Uses = std::vector<Use>;
  /// Adds conditions to a key or section.
  void only_with(const std::string& keys, const Uses& uses);
  /// Gives a key another default while a condition holds; the key's meaning mentions that default.
  void default_with(const std::string& key, const Use& use, const std::string& value);
  /// Assigns the default of default_with() to keys that no input has set, and the values that were written
  /// with a unit ("50 ns" for a key in cycles of clock_period_ps). Call it after all input has been read and
  /// before code derives values from keys. Throws ConfigError, with the place, for a value that is more than
  /// 5 % from the nearest that the key accepts.
  void settle_defaults();
  /// Function that returns the words of a selector with which a key has an effect.
  using WordsOf = std::function<std::vector<std::string>(const std::string& key)>;
  /// Marks the keys that `add` adds as parameters of kinds: a key has an effect only with the words
  /// words_of(key) of `selector`. A key that several kinds add, under one selector or several, is one key:
  /// setting it sets the field of each kind, and its meaning joins theirs. Throws ModelError if the kinds
  /// disagree in type, unit, range or default.
  void add_of_kinds(const std::string& selector, const std::function<void()>& add, const WordsOf& words_of);
  /// Moves a key in the listing to the place before another key of its section. Both keys must have been
  /// added.
  void move_before(const std::string& key, const std::string& next);
  /// Throws ConfigError, with the place, for a key that was set but has no effect with the values of the
  /// other keys (ConfigErrors for several).
  void refuse_idle() const;

  /// Sources of a value; a later source overrides an earlier one: file, --set, an option like --seed.
  enum Layer : int { from_file, from_assignments, from_option };
  /// Sets a key from the input at `place`. A number may have a unit (quantity.h) that fits the key's; the key
  /// then has its value after settle_defaults(). Throws ConfigError with the place for an unknown key, a
  /// value that the key does not accept, or a key that the layer has already set. The last of several
  /// command-line assignments holds.
  void set(const std::string& key, const InputValue& value, Layer layer);
  /// Sets a key from "key=value" of the command line. The value is read like a scalar without quotes, a list
  /// as "1,2,3" or "[1,2,3]".
  void set_from_command_line(const std::string& assignment);
  /// Sets a key from an option like --seed, whose name is `place`; refused if an assignment sets the key as
  /// well.
  void set_from_command_line(const std::string& key, const std::string& text, const std::string& place);

  /// Runs checks across fields. Adds to each ConfigError, also to each in ConfigErrors, the place where the
  /// key was set, or a note that its value is the default.
  void check(const std::function<void()>& validate) const;

  /// True if the table has a key of this name.
  bool has_key(const std::string& key) const;
  /// True if any key has the section `section`.
  bool has_section(const std::string& section) const;
  /// True if a renamed key had its old name in this section.
  bool had_section(const std::string& section) const;
  /// Throws ConfigError for a key or section that does not exist, naming the closest existing one.
  [[noreturn]] void refuse_unknown(const std::string& key, const std::string& value,
                                   const std::string& place) const;

  /// Lists every key in one paragraph: type, unit, default, range, meaning.
  std::string list_keys() const;
  /// Description of a key for lists and searches (key_search.h).
  struct Description {
    std::string key,                 ///< Full name.
        unit,                        ///< Unit; empty: none.
        meaning;                     ///< Meaning in one line.
    std::string details;             ///< Type, unit, default and accepted values, as one text.
    std::vector<std::string> words;  ///< Words of an enumeration; empty for other types.
    bool idle = false;               ///< The key has no effect with the present values of other keys.
  };
  /// Descriptions of all keys, in the order of --list-keys.
  std::vector<Description> descriptions() const;
  /// Keys that a newcomer's word refers to (searched_as()).
  std::vector<std::string> keys_searched_as(const std::string& word) const;
  /// Prints all keys with their values as YAML and their units as comments; reading the text and printing
  /// again yields the same text. Keys without effect are comments at the end. `heading` becomes comment lines
  /// at the top; `path_text` formats relative paths.
  std::string print(const std::string& heading, const PathText& path_text = as_it_is) const;
  /// Prints, as YAML, only the keys whose value is not the default, each with the place that set it ("from
  /// others" if other keys determine the value). Reading the text restores the configuration.
  std::string print_changed(const std::string& heading, const PathText& path_text = as_it_is) const;
  /// All keys with their values as a tree, for result.json.
  nlohmann::ordered_json json(const PathText& path_text = as_it_is) const;
  /// JSON schema (draft 7) of the files that read_yaml_file() accepts: a nested object for each section; for
  /// each key its type, range or words, default, and a description with the unit and the keys that it depends
  /// on.
  nlohmann::ordered_json json_schema(const std::string& title) const;

 private:
  struct Entry;  // key_entry.h
  void insert(Text key, std::unique_ptr<Binding> binding, Text unit, Text meaning);
  void insert_choice(Text key, std::unique_ptr<ChoiceBinding> binding, Text meaning);
  /// The entry of a key; null if there is none.
  Entry* find(const std::string& key);
  const Entry* find(const std::string& key) const;
  ConfigError placed(const ConfigError& error) const;
  void assign(Entry& entry, const InputValue& value, Layer layer);
  static bool take_quantity(Entry& entry, const InputValue& value);
  void settle_quantity(Entry& entry, double cycle_ps);
  void settle_quantities();
  bool is_list(const std::string& key) const;
  bool has_word(const Use& use) const;
  /// First unsatisfied condition of the key or of one of its selectors; null if the key has an effect.
  const Uses* missing_uses(const Entry& entry) const;

  /// Selector and words of the kinds whose keys are being added.
  struct KindsScope {
    std::string selector;
    const WordsOf& words_of;
  };
  void add_kind_words(Entry& entry);
  void share(Entry& entry, std::unique_ptr<Binding> binding, Text unit, Text meaning);

  /// Position after the last key of a section.
  std::list<Entry>::iterator end_of_section(const std::string& section);

  std::list<Entry> entries_;  ///< in the order of lists
  std::unordered_map<std::string, Entry*> by_key_;
  std::unordered_set<std::string> sections_;  ///< of all keys
  const KindsScope* scope_ = nullptr;         ///< Null while the keys added belong to no kind.
  /// Pairs of a newcomer's word, in lower case without separators, and its key.
  std::vector<std::pair<std::string, std::string>> words_;
  std::vector<Rename> renames_;
};

/// Reads a YAML file of nested maps into the table. Throws ConfigError with file, line and column for a file
/// that cannot be read, malformed YAML, anchors, aliases, tags, merge keys, several documents, and everything
/// that set() refuses; ConfigErrors for several refusals.
void read_yaml_file(KeyTable& keys, const std::string& path);
/// Reads YAML text; `name` replaces the file's name in messages.
void read_yaml_text(KeyTable& keys, const std::string& text, const std::string& name);
/// Returns the table for a section of read_yaml_sections(); `place` is where the section begins. The table
/// must exist until the file is read.
using TableOf = std::function<KeyTable&(const std::string& section, const std::string& place)>;
/// Reads a YAML file of named sections, each of which is a configuration with its own table of keys. `key` is
/// the configuration key that names the file. Throws what read_yaml_file() throws, and ConfigError for a
/// section that is not a map.
void read_yaml_sections(const TableOf& table_of, const std::string& path, const std::string& key);

}  // namespace tsuji::config
