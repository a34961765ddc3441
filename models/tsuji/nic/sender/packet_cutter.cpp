// SPDX-License-Identifier: Apache-2.0
#include "tsuji/nic/sender/packet_cutter.h"

#include <algorithm>

namespace tsuji::nic {
namespace {

constexpr std::uint64_t doubleword_bytes = 8, word_bytes = 4;

/// Source and destination differ by one word (modulo a line): a packet's last word is then the first of a
/// line, at a page's border of the wrong page, and no packet takes up the line for optimized reads (6.1).
bool differ_by_a_word(std::uint64_t source, std::uint64_t destination) {
  return (source - destination) % line_bytes == word_bytes;
}

}  // namespace

PacketCut PacketCutter::next(std::uint64_t source, std::uint64_t destination, std::uint32_t length,
                             std::uint32_t offset, std::uint64_t last_line) const {
  const std::uint64_t from = source + offset;
  const std::uint64_t to = destination + offset;
  // A destination page ends at a line border, but not every packet border is reached in steps of max_.
  const std::uint64_t to_line_border = max_ - to % line_bytes;
  const std::uint64_t to_page_border = page_bytes - to % page_bytes;
  // In doublewords: the last word of a shifted packet is past the end of the page.
  const std::uint64_t from_page_border = page_bytes - (from - from % doubleword_bytes) % page_bytes;
  PacketCut cut;
  cut.offset = offset;
  cut.bytes = static_cast<std::uint16_t>(std::min(
      {to_line_border, to_page_border, from_page_border, static_cast<std::uint64_t>(length - offset)}));
  cut.first = offset == 0;
  cut.last = offset + cut.bytes == length;
  for (std::uint16_t done = 0; done < cut.bytes;) {
    LineRead& read = cut.read[cut.reads++];
    read.skip = static_cast<std::uint16_t>((from + done) % line_bytes);
    read.line = from + done - read.skip;
    read.bytes = static_cast<std::uint16_t>(std::min<unsigned>(line_bytes - read.skip, cut.bytes - done));
    read.payload = done;
    read.again = done == 0 && read.line == last_line;
    done = static_cast<std::uint16_t>(done + read.bytes);
  }
  const std::uint64_t last = cut.read[cut.reads - 1U].line;
  const bool same_page = last / page_bytes == from / page_bytes;
  cut.last_line = same_page && !differ_by_a_word(source, destination) ? last : no_line;
  return cut;
}

}  // namespace tsuji::nic
