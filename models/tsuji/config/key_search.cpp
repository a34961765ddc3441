// SPDX-License-Identifier: Apache-2.0
#include "tsuji/config/key_search.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "tsuji/core/error.h"
#include "tsuji/core/printable.h"

namespace tsuji::config {
namespace {

using Description = KeyTable::Description;

bool is_word_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0;
}

std::string lower(std::string text) {
  for (char& letter : text) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return text;
}

/// The letters and digits between everything else, in lower case.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  bool open = false;
  for (const char letter : lower(text)) {
    if (is_word_letter(letter)) {
      if (!open) words.emplace_back();
      words.back() += letter;
    }
    open = is_word_letter(letter);
  }
  return words;
}

/// Returns true if `word` is in `text`. One of one or two letters would be in nearly every text, so it must
/// be a word of the text.
bool contains(const std::string& text, const std::string& word) {
  if (word.size() > 2) return lower(text).find(word) != std::string::npos;
  const std::vector<std::string> words = words_of(text);
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string searched_text(const Description& key) {
  std::string text = key.key + " " + key.meaning + " " + key.unit;
  for (const std::string& word : key.words) text += " " + word;
  return text;
}

bool is_found(const Description& key, const std::vector<std::string>& wanted) {
  const std::string text = searched_text(key);
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const std::string& word) { return contains(text, word); });
}

std::string section_of(const std::string& key) {
  const std::size_t dot = key.find('.');
  return dot == std::string::npos ? "" : key.substr(0, dot);
}

std::string paragraph(const Description& key) {
  return key.key + (key.idle ? "  (without effect here)" : "") + "\n    " + key.meaning + "\n    " +
         key.details + "\n";
}

/// The keys of one heading.
class Group {
 public:
  explicit Group(std::string heading) : heading_(std::move(heading)) {}
  void add(const Description& key) { text_ += paragraph(key); }
  std::string text() const { return text_.empty() ? "" : "\n" + heading_ + "\n\n" + text_; }

 private:
  std::string heading_, text_;
};

bool is_in(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

[[noreturn]] void refuse(const KeyTable& keys, const std::string& wanted) {
  const std::string probable = keys.probable_key(wanted);
  throw ConfigError("--list-keys", wanted,
                    "no key has this in its name, meaning or values" +
                        (probable.empty() ? "" : ", did you mean '" + probable + "'?"),
                    "a word of a key's name or meaning; --list-keys without a word prints every key");
}

}  // namespace

std::string find_keys(const KeyTable& keys, const std::string& wanted,
                      const std::vector<std::string>& leading) {
  for (const std::string& key : leading) {
    if (!keys.has_key(key)) throw ModelError("configuration", "there is no leading key '" + key + "'");
  }
  const std::vector<std::string> words = words_of(wanted), meant = keys.keys_searched_as(wanted);
  Group first("The keys that matter most");
  std::vector<Group> sections;
  std::string section;
  std::size_t found = 0;
  for (const Description& key : keys.descriptions()) {
    if (words.empty() || (!is_found(key, words) && !is_in(meant, key.key))) continue;
    ++found;
    if (is_in(leading, key.key) || is_in(meant, key.key)) {
      first.add(key);
      continue;
    }
    if (sections.empty() || section_of(key.key) != section) {
      section = section_of(key.key);
      sections.emplace_back(section.empty() ? "Keys without a section" : "Section " + section);
    }
    sections.back().add(key);
  }
  if (found == 0) refuse(keys, wanted);
  constexpr std::size_t most_shown = 200;
  std::string text = std::to_string(found) + (found == 1 ? " key" : " keys") + " for '" +
                     printable(wanted, most_shown) + "'\n" + first.text();
  for (const Group& group : sections) text += group.text();
  return text;
}

}  // namespace tsuji::config
