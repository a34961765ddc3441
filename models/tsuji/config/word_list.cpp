// SPDX-License-Identifier: Apache-2.0
#include "tsuji/config/word_list.h"

#include <algorithm>

namespace tsuji::config {

std::vector<std::string> items_of(const std::string& text) {
  std::vector<std::string> items;
  for (std::size_t from = 0; !text.empty() && from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    items.push_back(text.substr(from, comma - from));
    from = comma + 1;
  }
  return items;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t from = text.find_first_not_of(' '); from != std::string::npos;) {
    const std::size_t end = std::min(text.find(' ', from), text.size());
    words.push_back(text.substr(from, end - from));
    from = text.find_first_not_of(' ', end);
  }
  return words;
}

}  // namespace tsuji::config
