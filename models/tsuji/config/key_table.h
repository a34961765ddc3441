// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tsuji/config/key_types.h"
#include "tsuji/config/path_text.h"
#include "tsuji/config/renames.h"
#include "tsuji/core/error.h"

namespace tsuji::config {

/// Binds dotted keys to the fields of structs. The value that a field has when its key is added is the
/// default. The table refers to the fields, so it must not outlive them. Keys of one section come together,
/// in whatever order they are added.
class KeyTable {
 public:
  KeyTable();
  ~KeyTable();
  KeyTable(const KeyTable&) = delete;
  KeyTable& operator=(const KeyTable&) = delete;

  using Text = std::string_view;
  /// `unit` is empty where there is none. `meaning` is one line without a full stop.
  void add(Text key, unsigned& field, Range<unsigned> range, Text unit, Text meaning);
  void add(Text key, std::uint64_t& field, Range<std::uint64_t> range, Text unit, Text meaning);
  /// A number or `word`, for which the field is empty.
  void add(Text key, std::optional<std::uint64_t>& field, Range<std::uint64_t> range, Text word, Text unit,
           Text meaning);
  /// A truth value or `word`, for which the field is empty.
  void add(Text key, std::optional<bool>& field, Text word, Text meaning);
  void add(Text key, double& field, Range<double> range, Text unit, Text meaning);
  void add(Text key, bool& field, Text meaning);
  void add(Text key, std::string& field, Text meaning);
  /// The path of a file. A relative one in a configuration begins at the configuration's folder, one of the
  /// command line at the current directory; the field is the path that this process opens.
  void add_path(Text key, std::string& field, Text meaning);
  void add(Text key, std::vector<unsigned>& field, Range<unsigned> each, Range<unsigned> length, Text unit,
           Text meaning);
  /// An enumeration, written as one of the words.
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

  /// Names that other simulators give to a word of an enumeration ("xy" for "dimension_order"): they are
  /// refused with the word that is meant, or with a sentence that says what to write.
  void also_called(const std::string& key, std::vector<std::pair<std::string, std::string>> names);

  /// Words that newcomers look for, and the key that each stands for: for refusals and searches. Those of
  /// keys that the table lacks are left out.
  void searched_as(const std::vector<std::pair<std::string, std::string>>& words);
  /// Names of before: an old key, or an old word of an enumeration, is refused with the new one. Those whose
  /// new key the table lacks are left out.
  void renamed(const std::vector<Rename>& renames);
  /// The key that was probably meant by `wanted`, empty where none is like it.
  std::string probable_key(const std::string& wanted) const;

  /// Condition on another key, the selector: it has one of these words; none: any text but "".
  struct Use {
    std::string selector;
    std::vector<std::string> words;
    bool operator==(const Use& other) const { return selector == other.selector && words == other.words; }
  };
  /// A key, or all of a section ("cache.*"), has an effect only while one of these conditions holds, whose
  /// selector must have an effect itself. Conditions of several calls must all hold.
  using Uses = std::vector<Use>;
  void only_with(const std::string& keys, const Uses& uses);
  /// Another default of a key while a condition holds, which its meaning says, too.
  void default_with(const std::string& key, const Use& use, const std::string& value);
  /// Gives the keys that no input has set their other default. After all input, before anything derives from
  /// it.
  void settle_defaults();
  /// The words of a selector with which a key has an effect.
  using WordsOf = std::function<std::vector<std::string>(const std::string& key)>;
  /// The keys that `add` adds are those of kinds: each has an effect only with words_of(key) of `selector`. A
  /// key that kinds add several times, of one selector or of several, is one key: it sets a field of each of
  /// them, and its meaning is all of theirs. ModelError where they differ in type, unit, range or default.
  void add_of_kinds(const std::string& selector, const std::function<void()>& add, const WordsOf& words_of);
  /// Lists a key before another one of its section; both have been added.
  void move_before(const std::string& key, const std::string& next);
  /// Throws ConfigError, with the place, for every key that was set and has no effect with the other keys'
  /// values (ConfigErrors for several).
  void refuse_idle() const;

  /// Sources of a value, of which a later one overrides an earlier one: file, --set, an option like --seed.
  enum Layer : int { from_file, from_assignments, from_option };
  /// Sets a key from the input at `place`. ConfigError with the place: an unknown key, a value that the key
  /// does not take, a key that the same layer has set before. Of several assignments the last one holds.
  void set(const std::string& key, const InputValue& value, Layer layer);
  /// Sets a key from "key=value" of the command line. The value is read like a scalar without quotes, a list
  /// as "1,2,3" or "[1,2,3]".
  void set_from_command_line(const std::string& assignment);
  /// Sets a key from an option like --seed, which is its place; refused together with an assignment.
  void set_from_command_line(const std::string& key, const std::string& text, const std::string& place);

  /// Runs checks across fields. A ConfigError of a key, and each of ConfigErrors, gets the place where the
  /// key was set, or says that the value is its default.
  void check(const std::function<void()>& validate) const;

  bool has_key(const std::string& key) const;
  bool has_section(const std::string& section) const;
  /// Whether keys of before were in a section of this name.
  bool had_section(const std::string& section) const;
  /// ConfigError for a key or section that does not exist, with the one that was probably meant.
  [[noreturn]] void refuse_unknown(const std::string& key, const std::string& value,
                                   const std::string& place) const;

  /// One paragraph a key: type, unit, default, range, meaning.
  std::string list_keys() const;
  /// A key as lists and searches (key_search.h) show it.
  struct Description {
    std::string key, unit, meaning;
    std::string details;             ///< type, unit, default and accepted values
    std::vector<std::string> words;  ///< of an enumeration
    bool idle = false;               ///< without effect with the other keys' values
  };
  std::vector<Description> descriptions() const;
  /// The keys that a newcomer's word stands for (searched_as).
  std::vector<std::string> keys_searched_as(const std::string& word) const;
  /// All keys with their values as YAML, with units as comments; reading it gives the same text again. Keys
  /// without an effect are comments at the end. Lines of `heading` are comments at the top. `path_text`: of
  /// relative paths.
  std::string print(const std::string& heading, const PathText& path_text = as_it_is) const;
  /// The same of keys whose value is not the default, each with the place that set it ("from others" where
  /// other keys decide it). Reading it gives the same configuration.
  std::string print_changed(const std::string& heading, const PathText& path_text = as_it_is) const;
  /// All keys with their values as a tree, for result.json.
  nlohmann::ordered_json json(const PathText& path_text = as_it_is) const;
  /// JSON schema (draft 7) of the files that read_yaml_file() takes: a nested object for each section, with
  /// type, range or words, default, and a description with the unit and the words that a key is read with.
  nlohmann::ordered_json json_schema(const std::string& title) const;

 private:
  struct Entry;  // key_entry.h
  void insert(Text key, std::unique_ptr<Binding> binding, Text unit, Text meaning);
  void insert_choice(Text key, std::unique_ptr<ChoiceBinding> binding, Text meaning);
  const Entry* find(const std::string& key) const;
  ConfigError placed(const ConfigError& error) const;
  void assign(Entry& entry, const InputValue& value, Layer layer);
  bool is_list(const std::string& key) const;
  bool has_word(const Use& use) const;
  /// The condition that does not hold, the key's own or its selector's; null if the key has an effect.
  const Uses* missing_uses(const Entry& entry) const;

  /// The selector and the words of the kinds whose keys are being added.
  struct KindsScope {
    std::string selector;
    const WordsOf& words_of;
  };
  void add_kind_words(Entry& entry);
  void share(Entry& entry, std::unique_ptr<Binding> binding, Text unit, Text meaning);

  /// After the last key of a section.
  std::vector<Entry>::iterator end_of_section(const std::string& section);

  std::vector<Entry> entries_;
  const KindsScope* scope_ = nullptr;                       ///< null: keys of no kind
  std::vector<std::pair<std::string, std::string>> words_;  ///< word, plain, and key
  std::vector<Rename> renames_;
};

/// Reads a YAML file of nested maps into the table. ConfigError with file, line and column for a file that
/// cannot be read, malformed YAML, anchors, aliases, tags, merge keys, several documents, and whatever set()
/// refuses; ConfigErrors for several of them.
void read_yaml_file(KeyTable& keys, const std::string& path);
/// Reads YAML text; `name` stands for the file in messages.
void read_yaml_text(KeyTable& keys, const std::string& text, const std::string& name);

}  // namespace tsuji::config
