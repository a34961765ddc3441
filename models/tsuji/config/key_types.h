// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace tsuji::config {

/// Inclusive bounds of a number.
template <class T>
struct Range {
  T least;  ///< Smallest accepted value.
  T most;   ///< Largest accepted value.
};

/// A value as it was written in the input. The meaning of a scalar depends on whether it was quoted.
struct InputValue {
  /// Form in which the value was written.
  enum class Kind { unquoted, quoted, list, null } kind = Kind::unquoted;  ///< Form of this value.
  std::string text;                                                        ///< Text of a scalar.
  std::vector<InputValue> elements;                                        ///< Elements of a list.
  std::string place;   ///< Place of the value in the input: "file:line:column", or the option that set it.
  std::string folder;  ///< Folder of the file that holds the value, to which relative paths refer; empty: the
                       ///< current directory.
  /// The value as error messages show it.
  std::string shown() const;

  /// Returns a value without elements.
  static InputValue of(Kind kind, const std::string& text, const std::string& place) {
    InputValue value;
    value.kind = kind;
    value.text = text;
    value.place = place;
    return value;
  }
};

/// Refusal of a value, thrown by code that does not know the value's key.
struct ValueProblem {
  std::string problem;  ///< Reason of the refusal.
  std::string place;    ///< Place within the value, for an element of a list.
};

/// Binds one key to a field of one type: parses the value and prints it.
class Binding {
 public:
  virtual ~Binding() = default;
  /// Name of the type for --list-keys: "integer", "word", ...
  virtual std::string type() const = 0;
  /// Accepted range or words, for error messages and --list-keys.
  virtual std::string accepted() const = 0;
  /// Words of an enumeration; empty for other types.
  virtual std::vector<std::string> words() const { return {}; }
  /// Sets the field, or throws ValueProblem and leaves the field unchanged.
  virtual void set(const InputValue& value) = 0;
  /// The field as YAML text from which set() restores the value.
  virtual std::string yaml() const = 0;
  /// Path from this process's current directory, if the input was a relative path; else empty.
  virtual std::string relative_path() const { return ""; }
  /// The field in JSON.
  virtual nlohmann::ordered_json json() const = 0;
  /// Type and range or words as a JSON schema.
  virtual nlohmann::ordered_json schema() const = 0;
};

// Reading and writing single values; each read_* throws ValueProblem. Nothing is guessed: an integer is
// decimal without leading zeros or 0x and hexadecimal digits, a double is decimal with an optional exponent,
// a bool is true or false.
/// Reads an integer within `range`.
std::uint64_t read_unsigned(const InputValue& value, Range<std::uint64_t> range);
/// Reads a finite real number within `range`.
double read_double(const InputValue& value, Range<double> range);
/// Reads `true` or `false`.
bool read_bool(const InputValue& value);
/// Reads a scalar in UTF-8, quoted or not.
std::string read_string(const InputValue& value);

/// The shortest text that reads back to exactly this number.
std::string double_text(double value);
/// A double-quoted YAML scalar.
std::string quoted_text(const std::string& text);
/// Text of a range for messages.
std::string range_text(Range<std::uint64_t> range);

/// Text of the accepted words for messages: "one of: a, b, c".
std::string words_text(const std::vector<std::string>& words);

/// Binding of an enumeration, written as one of the words. A subclass holds the field.
class ChoiceBinding : public Binding {
 public:
  /// `words` are all words of the enumeration, in the order of their indices.
  explicit ChoiceBinding(std::vector<std::string> words) : words_(std::move(words)) {}
  /// The type "word".
  std::string type() const final { return "word"; }
  std::string accepted() const final { return words_text(words_); }
  std::vector<std::string> words() const final { return words_; }
  void set(const InputValue& value) final;
  std::string yaml() const final { return has_word() ? words_[chosen()] : ""; }
  /// The chosen word in JSON.
  nlohmann::ordered_json json() const final;
  nlohmann::ordered_json schema() const final;
  /// False if the field's default matches no word, which is a mistake in the table.
  bool has_word() const { return chosen() < words_.size(); }

 private:
  virtual void choose(std::size_t word) = 0;
  /// Index of the word that the field's value corresponds to; the number of words if there is no such word.
  virtual std::size_t chosen() const = 0;

  const std::vector<std::string> words_;
};

/// Binding of an enumeration to a field of type E.
template <class E>
class ChoiceOf final : public ChoiceBinding {
 public:
  /// `words` and `values` correspond by index; `field` must outlive the binding.
  ChoiceOf(E& field, std::vector<std::string> words, std::vector<E> values)
      : ChoiceBinding(std::move(words)), field_(field), values_(std::move(values)) {}

 private:
  void choose(std::size_t word) override { field_ = values_[word]; }
  std::size_t chosen() const override {
    std::size_t word = 0;
    while (word < values_.size() && !(values_[word] == field_)) ++word;
    return word;
  }

  E& field_;
  const std::vector<E> values_;
};

}  // namespace tsuji::config
