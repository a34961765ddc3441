// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "tsuji/core/error.h"

namespace tsuji::observe {

/// Text of a waveform, of at most `most` characters: a copy is a few words, without memory from the heap.
class WaveText {
 public:
  static constexpr std::size_t most = 47;  ///< Largest number of characters.

  WaveText() = default;
  /// ModelError for more than `most` characters.
  explicit WaveText(std::string_view text) { *this = text; }
  WaveText& operator=(std::string_view text) {
    if (!fits(text)) throw ModelError("waveform", "a text has more than 47 characters: " + std::string(text));
    text.copy(characters_.data(), text.size());
    size_ = static_cast<std::uint8_t>(text.size());
    return *this;
  }
  static bool fits(std::string_view text) { return text.size() <= most; }

  /// Place of the first character, for at most `most`; end_at() says where they end.
  char* begin() { return characters_.data(); }
  void end_at(const char* end) { size_ = static_cast<std::uint8_t>(end - characters_.data()); }
  void clear() { size_ = 0; }
  bool empty() const { return size_ == 0; }
  std::string_view view() const { return {characters_.data(), size_}; }

 private:
  std::array<char, most> characters_{};
  std::uint8_t size_ = 0;
};

}  // namespace tsuji::observe
