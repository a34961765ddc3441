// SPDX-License-Identifier: Apache-2.0
#include "mutation.h"

#include <algorithm>

namespace tsuji::fuzz {
namespace {

const std::vector<std::string> numbers = {"0",
                                          "1",
                                          "-1",
                                          "-0",
                                          "+1",
                                          "01",
                                          "0x10",
                                          "1.5",
                                          "1e3",
                                          "1e400",
                                          "-1e-400",
                                          "nan",
                                          "inf",
                                          "127",
                                          "255",
                                          "256",
                                          "65535",
                                          "65536",
                                          "2147483647",
                                          "2147483648",
                                          "4294967295",
                                          "4294967296",
                                          "4611686018427387904",
                                          "9223372036854775807",
                                          "9223372036854775808",
                                          "18446744073709551615",
                                          "18446744073709551616",
                                          "340282366920938463463374607431768211456"};

const std::vector<std::string> odd_bytes = {
    std::string(1, '\0'), "\r",           "\r\n", "\n\n", "\t", "\x1b[2J", "\x7f", "\xff", "\xc3",
    "\xed\xa0\x80",       "\xef\xbb\xbf", "\x01"};

constexpr const char* separators = " \t\r\n,:[]{}@.";

/// The lines of a text, each with its newline.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

}  // namespace

Mutator::Mutator(CounterRandom& random, std::vector<std::string> words)
    : random_(random), words_(std::move(words)) {}

std::string Mutator::damaged(std::string text) {
  const std::size_t times = 1 + (below(2) == 0 ? 0 : below(8));
  for (std::size_t i = 0; i < times; ++i) damage(text);
  return text;
}

void Mutator::damage(std::string& text) {
  if (text.empty()) text = odd_word();
  switch (below(8)) {
    case 0:
    case 1:
      return damage_bytes(text);
    case 2:
    case 3:
      return damage_lines(text);
    case 4:
    case 5:
    case 6:
      return damage_words(text);
    default:
      return grow(text);
  }
}

void Mutator::damage_bytes(std::string& text) {
  const std::size_t at = below(text.size());
  const std::size_t length = 1 + below(std::min<std::size_t>(text.size() - at, 16));
  switch (below(6)) {
    case 0:
      text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << below(8)));
      return;
    case 1:
      text[at] = static_cast<char>(below(256));
      return;
    case 2:
      text.erase(at, length);
      return;
    case 3:
      text.insert(at, text.substr(below(text.size()), length));
      return;
    case 4:
      text.resize(at);
      return;
    default:
      text.insert(at, odd_bytes[below(odd_bytes.size())]);
  }
}

void Mutator::damage_lines(std::string& text) {
  std::vector<std::string> lines = lines_of(text);
  const auto place = [&] { return lines.begin() + static_cast<std::ptrdiff_t>(below(lines.size())); };
  switch (below(4)) {
    case 0:
      lines.erase(place());
      break;
    case 1: {
      const std::string copied = *place();
      lines.insert(place(), copied);
      break;
    }
    case 2:
      std::iter_swap(place(), place());
      break;
    default:
      lines.insert(place(), odd_word() + (below(4) == 0 ? "" : "\n"));
  }
  text.clear();
  for (const std::string& line : lines) text += line;
}

/// Replaces a word, or inserts one beside it.
void Mutator::damage_words(std::string& text) {
  const std::size_t from = below(text.size());
  const std::size_t begin = std::min(text.find_first_not_of(separators, from), text.size());
  const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
  const std::size_t kept = below(4) == 0 ? 0 : end - begin;
  text.replace(begin, kept, kept == 0 ? odd_word() + " " : odd_word());
}

/// Repeats content: long lines, long words, deep nesting.
void Mutator::grow(std::string& text) {
  static const std::vector<std::string> units = {
      "a", "9", " ", "[", "{", "- ", "a: ", "? ", "\n", "#", "\"", ",", "0 ", std::string(1, '\0')};
  const std::string unit = below(3) == 0 ? odd_word() : units[below(units.size())];
  const std::size_t most = below(20) == 0 ? 200'000 : 3000;
  const std::size_t times = 1 + below(most);
  std::string grown;
  for (std::size_t i = 0; i < times && grown.size() < 400'000; ++i) grown += unit;
  text.insert(below(text.size() + 1), grown);
}

std::string Mutator::odd_word() {
  const std::size_t kind = below(words_.empty() ? 2 : 5);
  if (kind == 0) return odd_bytes[below(odd_bytes.size())];
  return kind == 1   ? numbers[below(numbers.size())]
         : kind == 2 ? std::to_string(below(1000))
                     : words_[below(words_.size())];
}

}  // namespace tsuji::fuzz
