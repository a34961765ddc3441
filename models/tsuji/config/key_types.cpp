// SPDX-License-Identifier: Apache-2.0
#include "tsuji/config/key_types.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "tsuji/core/printable.h"

namespace tsuji::config {
namespace {

const std::string& unquoted_text(const InputValue& value, const char* wanted) {
  switch (value.kind) {
    case InputValue::Kind::unquoted:
      break;
    case InputValue::Kind::quoted:
      throw ValueProblem{std::string("a text in quotes is not ") + wanted, value.place};
    case InputValue::Kind::list:
      throw ValueProblem{std::string("a list is not ") + wanted, value.place};
    case InputValue::Kind::null:
      throw ValueProblem{"no value", value.place};
  }
  if (value.text.empty()) throw ValueProblem{"no value", value.place};
  return value.text;
}

bool is_utf8(const std::string& text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

}  // namespace

std::string InputValue::shown() const {
  if (kind != Kind::list) return kind == Kind::null && text.empty() ? "null" : text;
  std::string list = "[";
  for (const InputValue& element : elements) list += (list.size() > 1 ? ", " : "") + element.shown();
  return list + "]";
}

std::uint64_t read_unsigned(const InputValue& value, Range<std::uint64_t> range) {
  const std::string& text = unquoted_text(value, "an integer");
  const char* begin = text.data();
  const char* end = begin + text.size();
  int base = 10;
  if (text.size() > 2 && text[0] == '0' && text[1] == 'x') {
    base = 16;
    begin += 2;
  } else if (text.size() > 1 && text[0] == '0') {
    throw ValueProblem{"not a decimal integer without leading zeros, nor 0x and hexadecimal digits",
                       value.place};
  } else if (text.size() > 1 && text[0] == '-' &&
             text.find_first_not_of("0123456789", 1) == std::string::npos) {
    throw ValueProblem{"negative", value.place};
  }
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(begin, end, number, base);
  if (error == std::errc::invalid_argument || stop != end) throw ValueProblem{"not an integer", value.place};
  if (error == std::errc::result_out_of_range || number < range.least || number > range.most) {
    throw ValueProblem{"out of range", value.place};
  }
  return number;
}

double read_double(const InputValue& value, Range<double> range) {
  const std::string& text = unquoted_text(value, "a number");
  double number = 0.0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  // from_chars knows "inf" and "nan", too
  const bool digits_only = text.find_first_not_of("0123456789.eE+-") == std::string::npos;
  if (!digits_only || error == std::errc::invalid_argument || stop != text.data() + text.size()) {
    throw ValueProblem{"not a number", value.place};
  }
  if (error == std::errc::result_out_of_range || number < range.least || number > range.most) {
    throw ValueProblem{"out of range", value.place};
  }
  return number;
}

bool read_bool(const InputValue& value) {
  const std::string& text = unquoted_text(value, "true or false");
  if (text != "true" && text != "false") throw ValueProblem{"neither true nor false", value.place};
  return text == "true";
}

std::string read_string(const InputValue& value) {
  if (value.kind == InputValue::Kind::list) throw ValueProblem{"a list is not a text", value.place};
  if (value.kind == InputValue::Kind::null) throw ValueProblem{"no value", value.place};
  if (!is_utf8(value.text)) throw ValueProblem{"not UTF-8", value.place};
  return value.text;
}

std::string double_text(double value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

std::string quoted_text(const std::string& text) {
  static constexpr char hex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char character : text) {
    const auto code = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') {
      out += '\\';
      out += character;
    } else if (code < 0x20 || code == 0x7f) {
      out += "\\x";
      out += hex[code >> 4];
      out += hex[code & 15];
    } else {
      out += character;
    }
  }
  return out + '"';
}

std::string range_text(Range<std::uint64_t> range) {
  return std::to_string(range.least) + ".." + std::to_string(range.most);
}

std::string words_text(const std::vector<std::string>& words) {
  std::string text = "one of";
  for (const std::string& word : words) text += (text == "one of" ? " " : ", ") + word;
  return text;
}

}  // namespace tsuji::config
