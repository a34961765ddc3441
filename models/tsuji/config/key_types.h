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
  T least;
  T most;
};

/// How a value stood in the input: what a scalar may mean depends on whether it was in quotes.
struct InputValue {
  enum class Kind { unquoted, quoted, list, null } kind = Kind::unquoted;
  std::string text;                  ///< of a scalar
  std::vector<InputValue> elements;  ///< of a list
  std::string place;
  std::string folder;  ///< of its file, where relative paths begin; empty: the current directory
  /// As an error message shows it.
  std::string shown() const;

  static InputValue of(Kind kind, const std::string& text, const std::string& place) {
    InputValue value;
    value.kind = kind;
    value.text = text;
    value.place = place;
    return value;
  }
};

/// Problem of a value, before its key is known.
struct ValueProblem {
  std::string problem;
  std::string place;  ///< where in the value, if it is an element of a list
};

/// One key's binding to a field: reads it and writes it in one type.
class Binding {
 public:
  virtual ~Binding() = default;
  virtual std::string type() const = 0;
  /// Range or words, for error messages and --list-keys.
  virtual std::string accepted() const = 0;
  /// The words of an enumeration; none for other types.
  virtual std::vector<std::string> words() const { return {}; }
  /// Sets the field, or throws ValueProblem and leaves it as it was.
  virtual void set(const InputValue& value) = 0;
  /// The field as YAML that set() reads back to the same value.
  virtual std::string yaml() const = 0;
  /// The path as this process reaches it, of a value that was written as a relative path; else empty.
  virtual std::string relative_path() const { return ""; }
  virtual nlohmann::ordered_json json() const = 0;
  /// Type and range or words as a JSON schema.
  virtual nlohmann::ordered_json schema() const = 0;
};

// Reading and writing single values; each read_* throws ValueProblem. Nothing is guessed: an integer is
// decimal without leading zeros or 0x and hexadecimal digits, a double is decimal with an optional exponent,
// a bool is true or false.
std::uint64_t read_unsigned(const InputValue& value, Range<std::uint64_t> range);
double read_double(const InputValue& value, Range<double> range);
bool read_bool(const InputValue& value);
std::string read_string(const InputValue& value);

/// The shortest text that reads back to exactly this number.
std::string double_text(double value);
/// A double-quoted YAML scalar.
std::string quoted_text(const std::string& text);
std::string range_text(Range<std::uint64_t> range);

/// "one of: a, b, c"
std::string words_text(const std::vector<std::string>& words);

/// An enumeration, written as one of the words; a subclass has the field.
class ChoiceBinding : public Binding {
 public:
  explicit ChoiceBinding(std::vector<std::string> words) : words_(std::move(words)) {}
  std::string type() const final { return "word"; }
  std::string accepted() const final { return words_text(words_); }
  std::vector<std::string> words() const final { return words_; }
  void set(const InputValue& value) final;
  std::string yaml() const final { return has_word() ? words_[chosen()] : ""; }
  nlohmann::ordered_json json() const final;
  nlohmann::ordered_json schema() const final;
  /// False where the field's default is none of the words: a mistake in the table.
  bool has_word() const { return chosen() < words_.size(); }

 private:
  virtual void choose(std::size_t word) = 0;
  /// The number of words if the field's value is that of none.
  virtual std::size_t chosen() const = 0;

  const std::vector<std::string> words_;
};

template <class E>
class ChoiceOf final : public ChoiceBinding {
 public:
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
