#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/config/key_types.h"
#include "tsuji/core/error.h"

namespace tsuji::config {

/// Binds dotted keys to the fields of structs. Values of the fields at that time are the
/// defaults. The table refers to the fields, so it must not outlive them. Keys of one section are added one
/// after the other.
class KeyTable {
 public:
  KeyTable() = default;
  KeyTable(const KeyTable&) = delete;
  KeyTable& operator=(const KeyTable&) = delete;

  /// `unit` is empty where there is none. `meaning` is one line without a full stop.
  void add(const std::string& key, unsigned& field, Range<unsigned> range, const std::string& unit,
           const std::string& meaning) {
    insert(key, std::make_unique<UnsignedBinding<unsigned>>(field, range), unit, meaning);
  }
  void add(const std::string& key, std::uint64_t& field, Range<std::uint64_t> range, const std::string& unit,
           const std::string& meaning) {
    insert(key, std::make_unique<UnsignedBinding<std::uint64_t>>(field, range), unit, meaning);
  }
  /// A number, or `word` in its place, for which the field holds nothing.
  void add(const std::string& key, std::optional<std::uint64_t>& field, Range<std::uint64_t> range,
           const std::string& word, const std::string& unit, const std::string& meaning) {
    insert(key, std::make_unique<OptionalUnsignedBinding<std::uint64_t>>(field, range, word), unit, meaning);
  }
  /// A number, or `word`, which sets `is_word` and leaves the number.
  void add_or_word(const std::string& key, std::uint64_t& field, bool& is_word, Range<std::uint64_t> range,
                   const std::string& word, const std::string& unit, const std::string& meaning) {
    insert(key, std::make_unique<UnsignedOrWordBinding>(field, is_word, range, word), unit, meaning);
  }
  void add(const std::string& key, double& field, Range<double> range, const std::string& unit,
           const std::string& meaning) {
    insert(key, std::make_unique<DoubleBinding>(field, range), unit, meaning);
  }
  void add(const std::string& key, bool& field, const std::string& meaning) {
    insert(key, std::make_unique<BoolBinding>(field), "", meaning);
  }
  void add(const std::string& key, std::string& field, const std::string& meaning) {
    insert(key, std::make_unique<StringBinding>(field), "", meaning);
  }
  void add(const std::string& key, std::vector<unsigned>& field, Range<unsigned> each, Range<unsigned> length,
           const std::string& unit, const std::string& meaning) {
    insert(key, std::make_unique<UnsignedListBinding>(field, each, length), unit, meaning);
  }
  /// An enumeration, written as one of the words.
  template <class E>
  void add_choice(const std::string& key, E& field, std::vector<std::pair<std::string, E>> words,
                  const std::string& meaning) {
    auto binding = std::make_unique<ChoiceBinding<E>>(field, std::move(words));
    if (!binding->has_word()) throw ModelError("configuration", key + ": the default is none of the words");
    insert(key, std::move(binding), "", meaning);
  }

  /// Names that others give to a word of an enumeration ("xy" for "dimension_order"): not taken, but a
  /// refusal says which word is meant.
  void also_called(const std::string& key, std::vector<std::pair<std::string, std::string>> names);

  /// A key that is read while another one has one of some words; none: any text that is not empty.
  struct Use {
    std::string selector;
    std::vector<std::string> words;
  };
  /// `keys`, one or all of a section ("cache.*"), decide something only with one of these uses, and only
  /// while its selector does so itself. Several calls hold together.
  using Uses = std::vector<Use>;
  void only_with(const std::string& keys, const Uses& uses);
  /// The words of a selector with which a key decides something.
  using WordsOf = std::function<std::vector<std::string>(const std::string& key)>;
  /// The keys that `add` adds are those of kinds: each decides something only with words_of(key) of
  /// `selector`. A key that other kinds have added before is one key for all of them: it gets a further
  /// field, which is set with the others, and further words if it has another meaning. ModelError where the
  /// two differ in type, unit, range or default.
  void add_of_kinds(const std::string& selector, const std::function<void()>& add, const WordsOf& words_of);
  bool is_of_kinds(const std::string& key) const { return find(key) != nullptr && find(key)->of_kinds; }
  /// A key takes a place before another one of its section; both have been added.
  void move_before(const std::string& key, const std::string& next);
  /// ConfigError with its place for a key that was set and has no effect as the others are.
  void refuse_idle() const;

  enum Layer : int { from_file, from_assignments, from_option };
  /// Sets a key from the input at `place`. ConfigError with the place: an unknown key, a value that the key
  /// does not take, one already set by an input of the same layer; only of assignments the last one holds, as
  /// an option's later values take the place of earlier ones everywhere.
  void set(const std::string& key, const InputValue& value, Layer layer);
  /// "key=value" of the command line; the value is read like a scalar without quotes, for a list as "1,2,3"
  /// or
  /// "[1,2,3]".
  void set_from_command_line(const std::string& assignment);
  /// Sets a key from an option like --seed, with the option as its place; not together with an assignment.
  void set_from_command_line(const std::string& key, const std::string& text, const std::string& place);

  /// Runs checks across fields. A ConfigError that names a key gets the place where the key was set, or is
  /// said to be about the key's default.
  void check(const std::function<void()>& validate) const;

  bool has_key(const std::string& key) const { return find(key) != nullptr; }
  bool has_section(const std::string& section) const;
  /// ConfigError for a key or section that does not exist, with the one that was probably meant.
  [[noreturn]] void refuse_unknown(const std::string& key, const std::string& value,
                                   const std::string& place) const;

  /// One paragraph a key: type, unit, default, range, meaning.
  std::string list_keys() const;
  /// All keys with their values as YAML, with units as comments; reading it gives the same text again. Keys
  /// that decide nothing are comments at the end.
  /// `heading` lines become comments at the top.
  std::string print(const std::string& heading) const;
  /// All keys with their values as a tree, for result.json.
  nlohmann::ordered_json json() const;
  /// JSON schema (draft 7) of the files that read_yaml_file() takes: a nested object for each section, with
  /// type, range or words, default, and a description with the unit and the words that a key is read with.
  nlohmann::ordered_json json_schema(const std::string& title) const;

 private:
  struct Entry {
    std::string key, unit, meaning, default_yaml;
    nlohmann::ordered_json default_json;
    std::unique_ptr<Binding> binding;
    std::vector<std::unique_ptr<Binding>> others;  ///< further fields of a key of several kinds
    bool of_kinds = false;                         ///< then the first use is that of the kinds
    std::string place;                             ///< empty: still the default
    int layer = -1;
    std::vector<Uses> uses;  ///< one of each
    std::vector<std::pair<std::string, std::string>> also;
    std::string word() const;  ///< the value, a text without quotes
  };
  void insert(const std::string& key, std::unique_ptr<Binding> binding, const std::string& unit,
              const std::string& meaning);
  const Entry* find(const std::string& key) const;
  void assign(Entry& entry, const InputValue& value, Layer layer);
  bool is_list(const std::string& key) const;
  bool has_word(const Use& use) const;
  /// Uses of which a key has none; null if it decides something.
  const Uses* missing_uses(const Entry& entry) const;

  /// The selector and the words of the kinds whose keys are being added.
  struct KindsScope {
    std::string selector;
    const WordsOf& words_of;
  };
  void add_kind_words(Entry& entry);
  void share(Entry& entry, std::unique_ptr<Binding> binding, const std::string& unit,
             const std::string& meaning);

  std::vector<Entry> entries_;
  const KindsScope* scope_ = nullptr;  ///< null: keys of no kind
};

/// Reads a YAML file of nested maps into the table. ConfigError with file, line and column for a file that
/// cannot be read, malformed YAML, anchors, aliases, tags, merge keys, several documents, and whatever set()
/// refuses.
void read_yaml_file(KeyTable& keys, const std::string& path);
/// Reads YAML text; `name` stands for the file in messages.
void read_yaml_text(KeyTable& keys, const std::string& text, const std::string& name);

}  // namespace tsuji::config
