// SPDX-License-Identifier: Apache-2.0
#include "tsuji/config/bindings.h"

#include <filesystem>
#include <limits>

namespace tsuji::config {

using Json = nlohmann::ordered_json;

Json unsigned_schema(Range<std::uint64_t> range) {
  Json schema = {{"type", "integer"}, {"minimum", range.least}};
  if (range.most != std::numeric_limits<std::uint64_t>::max()) schema["maximum"] = range.most;
  return schema;
}

Json words_schema(const std::vector<std::string>& words) {
  return {{"enum", words}};
}

Json unsigned_or_word_schema(Range<std::uint64_t> range, const std::string& word) {
  return {{"anyOf", Json::array({unsigned_schema(range), words_schema({word})})}};
}

Json bool_or_word_schema(const std::string& word) {
  return {{"anyOf", Json::array({{{"type", "boolean"}}, words_schema({word})})}};
}

Json DoubleBinding::schema() const {
  return {{"type", "number"}, {"minimum", range_.least}, {"maximum", range_.most}};
}

namespace {

// A text without quotes may look like a number or a truth value.
Json text_schema() {
  return {{"type", {"string", "number", "boolean"}}};
}

}  // namespace

Json StringBinding::schema() const {
  return text_schema();
}

Json PathBinding::schema() const {
  return text_schema();
}

void PathBinding::set(const InputValue& value) {
  const std::string text = read_string(value);
  const std::filesystem::path path(text);
  relative_ = !text.empty() && path.is_relative();
  field_ = relative_ && !value.folder.empty() ? (value.folder / path).string() : text;
}

Json UnsignedListBinding::schema() const {
  return {{"type", "array"},
          {"items", unsigned_schema(each_)},
          {"minItems", length_.least},
          {"maxItems", length_.most}};
}

std::string DoubleBinding::accepted() const {
  return "a number " + double_text(range_.least) + ".." + double_text(range_.most);
}

std::string UnsignedListBinding::accepted() const {
  return "a list of " + range_text(length_) + " integers " + range_text(each_);
}

void UnsignedListBinding::set(const InputValue& value) {
  if (value.kind != InputValue::Kind::list) throw ValueProblem{"not a list", value.place};
  std::vector<unsigned> numbers;
  for (const InputValue& element : value.elements) {
    numbers.push_back(static_cast<unsigned>(read_unsigned(element, each_)));
  }
  if (numbers.size() < length_.least || numbers.size() > length_.most) {
    throw ValueProblem{"a list of " + std::to_string(numbers.size()), value.place};
  }
  field_ = std::move(numbers);
}

std::string UnsignedListBinding::yaml() const {
  std::string text = "[";
  for (const unsigned number : field_) text += (text.size() > 1 ? ", " : "") + std::to_string(number);
  return text + "]";
}

void ChoiceBinding::set(const InputValue& value) {
  const std::string text = read_string(value);
  for (std::size_t word = 0; word < words_.size(); ++word) {
    if (words_[word] == text) return choose(word);
  }
  throw ValueProblem{"unknown word", ""};
}

Json ChoiceBinding::json() const {
  return yaml();
}

Json ChoiceBinding::schema() const {
  return words_schema(words_);
}

}  // namespace tsuji::config
