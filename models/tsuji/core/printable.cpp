// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/printable.h"

namespace tsuji {
namespace {

bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7f;
  return character.size() == 2 && first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;  // C1
}

std::string escaped(std::string_view text, bool lines) {
  static constexpr char hex[] = "0123456789abcdef";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    const std::string_view character = text.substr(at, length == 0 ? 1 : length);
    at += character.size();
    if ((length != 0 && !is_control(character)) || (lines && character == "\n")) {
      out += character;
      continue;
    }
    for (const char byte : character) {
      const auto code = static_cast<unsigned char>(byte);
      out += "\\x";
      out += hex[code >> 4];
      out += hex[code & 15];
    }
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t most, bool lines) {
  if (text.size() <= most) return escaped(text, lines);
  // A UTF-8 sequence is never cut in two.
  const auto begins = [&](std::size_t at) {
    return at >= text.size() || (static_cast<unsigned char>(text[at]) & 0xc0U) != 0x80U;
  };
  std::size_t head = most * 2 / 3, tail = text.size() - most / 3;
  for (int i = 0; i < 3 && !begins(head); ++i) --head;
  for (int i = 0; i < 3 && !begins(tail); ++i) ++tail;
  return escaped(text.substr(0, head), lines) + "... (" + std::to_string(tail - head) + " more bytes) ..." +
         escaped(text.substr(tail), lines);
}

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned>(static_cast<unsigned char>(text[i])) : 0U;
  };
  const unsigned first = byte(at);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xc2 && first < 0xe0   ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0U) != 0x80U) return 0;
  }
  // Overlong forms, surrogates, and values above the last code point are invalid.
  const unsigned second = byte(at + 1);
  const bool wrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                     (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
  return wrong ? 0 : length;
}

std::string printable(std::string_view text, std::size_t most) {
  return shortened(text, most, false);
}

std::string printable_lines(std::string_view text, std::size_t most) {
  return shortened(text, most, true);
}

}  // namespace tsuji
