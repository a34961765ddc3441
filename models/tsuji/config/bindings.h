// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/config/key_types.h"

namespace tsuji::config {

// JSON schemas of the types of values; a bound that equals the limit of the C++ type is omitted.
nlohmann::ordered_json unsigned_schema(Range<std::uint64_t> range);
nlohmann::ordered_json words_schema(const std::vector<std::string>& words);
nlohmann::ordered_json unsigned_or_word_schema(Range<std::uint64_t> range, const std::string& word);
nlohmann::ordered_json bool_or_word_schema(const std::string& word);

template <class T>
class UnsignedBinding final : public Binding {
 public:
  UnsignedBinding(T& field, Range<T> range) : field_(field), range_{range.least, range.most} {}
  std::string type() const override { return "integer"; }
  std::string accepted() const override { return "an integer " + range_text(range_); }
  void set(const InputValue& value) override { field_ = static_cast<T>(read_unsigned(value, range_)); }
  std::string yaml() const override { return std::to_string(field_); }
  nlohmann::ordered_json json() const override { return field_; }
  nlohmann::ordered_json schema() const override { return unsigned_schema(range_); }

 private:
  T& field_;
  Range<std::uint64_t> range_;
};

/// Binds an unsigned number that a word may replace; the field is empty for the word.
template <class T>
class OptionalUnsignedBinding final : public Binding {
 public:
  OptionalUnsignedBinding(std::optional<T>& field, Range<T> range, std::string word)
      : field_(field), range_{range.least, range.most}, word_(std::move(word)) {}
  std::string type() const override { return "integer or word"; }
  std::string accepted() const override { return "an integer " + range_text(range_) + ", or " + word_; }
  void set(const InputValue& value) override {
    const bool is_word = value.kind != InputValue::Kind::list && value.text == word_;
    field_ = is_word ? std::nullopt : std::optional<T>(static_cast<T>(read_unsigned(value, range_)));
  }
  std::string yaml() const override { return field_ ? std::to_string(*field_) : word_; }
  nlohmann::ordered_json json() const override {
    return field_ ? nlohmann::ordered_json(*field_) : nlohmann::ordered_json(word_);
  }
  nlohmann::ordered_json schema() const override { return unsigned_or_word_schema(range_, word_); }

 private:
  std::optional<T>& field_;
  Range<std::uint64_t> range_;
  const std::string word_;
};

class DoubleBinding final : public Binding {
 public:
  DoubleBinding(double& field, Range<double> range) : field_(field), range_(range) {}
  std::string type() const override { return "number"; }
  std::string accepted() const override;
  void set(const InputValue& value) override { field_ = read_double(value, range_); }
  std::string yaml() const override { return double_text(field_); }
  nlohmann::ordered_json json() const override { return field_; }
  nlohmann::ordered_json schema() const override;

 private:
  double& field_;
  Range<double> range_;
};

class BoolBinding final : public Binding {
 public:
  explicit BoolBinding(bool& field) : field_(field) {}
  std::string type() const override { return "bool"; }
  std::string accepted() const override { return "true, false"; }
  void set(const InputValue& value) override { field_ = read_bool(value); }
  std::string yaml() const override { return field_ ? "true" : "false"; }
  nlohmann::ordered_json json() const override { return field_; }
  nlohmann::ordered_json schema() const override { return {{"type", "boolean"}}; }

 private:
  bool& field_;
};

/// Binds a truth value that a word may replace; the field is empty for the word.
class OptionalBoolBinding final : public Binding {
 public:
  OptionalBoolBinding(std::optional<bool>& field, std::string word) : field_(field), word_(std::move(word)) {}
  std::string type() const override { return "bool or word"; }
  std::string accepted() const override { return "true, false, or " + word_; }
  void set(const InputValue& value) override {
    const bool is_word = value.kind != InputValue::Kind::list && value.text == word_;
    field_ = is_word ? std::nullopt : std::optional<bool>(read_bool(value));
  }
  std::string yaml() const override { return !field_ ? word_ : *field_ ? "true" : "false"; }
  nlohmann::ordered_json json() const override {
    return field_ ? nlohmann::ordered_json(*field_) : nlohmann::ordered_json(word_);
  }
  nlohmann::ordered_json schema() const override { return bool_or_word_schema(word_); }

 private:
  std::optional<bool>& field_;
  const std::string word_;
};

class StringBinding final : public Binding {
 public:
  explicit StringBinding(std::string& field) : field_(field) {}
  std::string type() const override { return "text"; }
  std::string accepted() const override { return "a text (UTF-8); in quotes where YAML needs them"; }
  void set(const InputValue& value) override { field_ = read_string(value); }
  std::string yaml() const override { return quoted_text(field_); }
  nlohmann::ordered_json json() const override { return field_; }
  nlohmann::ordered_json schema() const override;

 private:
  std::string& field_;
};

class PathBinding final : public Binding {
 public:
  explicit PathBinding(std::string& field) : field_(field) {}
  std::string type() const override { return "path"; }
  std::string accepted() const override {
    return "a path, from the folder of its file, or from the current directory";
  }
  void set(const InputValue& value) override;
  std::string yaml() const override { return quoted_text(field_); }
  std::string relative_path() const override { return relative_ ? field_ : ""; }
  nlohmann::ordered_json json() const override { return field_; }
  nlohmann::ordered_json schema() const override;

 private:
  std::string& field_;
  bool relative_ = false;  ///< The input held a relative path.
};

class UnsignedListBinding final : public Binding {
 public:
  UnsignedListBinding(std::vector<unsigned>& field, Range<unsigned> each, Range<unsigned> length)
      : field_(field), each_{each.least, each.most}, length_{length.least, length.most} {}
  std::string type() const override { return "list"; }
  std::string accepted() const override;
  void set(const InputValue& value) override;
  std::string yaml() const override;
  nlohmann::ordered_json json() const override { return field_; }
  nlohmann::ordered_json schema() const override;

 private:
  std::vector<unsigned>& field_;
  Range<std::uint64_t> each_, length_;
};

}  // namespace tsuji::config
