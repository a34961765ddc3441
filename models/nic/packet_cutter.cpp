#include "tsuji/nic/packet_cutter.h"

#include <algorithm>

namespace tsuji::nic {

PacketCut PacketCutter::next(std::uint64_t source, std::uint64_t destination, std::uint32_t length,
                             std::uint32_t offset, std::uint64_t last_line) const {
  const std::uint64_t from = source + offset;
  const std::uint64_t to = destination + offset;
  // A destination page ends at a line border, but not every packet border is reached in steps of max_.
  const std::uint64_t to_line_border = max_ - to % line_bytes;
  const std::uint64_t to_page_border = page_bytes - to % page_bytes;
  const std::uint64_t from_page_border = page_bytes - from % page_bytes;
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
  return cut;
}

}  // namespace tsuji::nic
