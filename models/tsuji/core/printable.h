// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tsuji {

/// `text` from the user as an error message shows it: control characters and invalid UTF-8 as \xNN. A text
/// longer than `most` bytes is reduced to its beginning and end, with the number of bytes left out.
std::string printable(std::string_view text, std::size_t most);
/// printable() applied line by line to a text of several lines.
std::string printable_lines(std::string_view text, std::size_t most);

/// Length in bytes of the UTF-8 sequence that begins at `at`; 0 if none begins there.
std::size_t utf8_length(std::string_view text, std::size_t at);

}  // namespace tsuji
