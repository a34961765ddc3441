// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tsuji {

/// A text of the user's as an error message shows it: control characters and bytes that are not UTF-8 as
/// \xNN; of more than `most` bytes the beginning and the end, with the number of bytes between them.
std::string printable(std::string_view text, std::size_t most);
/// A text of several lines as an error message shows it: printable() line by line.
std::string printable_lines(std::string_view text, std::size_t most);

/// The length of the UTF-8 sequence that begins at `at`; 0 if none does.
std::size_t utf8_length(std::string_view text, std::size_t at);

}  // namespace tsuji
