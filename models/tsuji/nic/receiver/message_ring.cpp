// SPDX-License-Identifier: Apache-2.0
#include "tsuji/nic/receiver/message_ring.h"

#include <sstream>

namespace tsuji::nic {

std::string MessageRing::problem(std::uint64_t write, std::uint64_t read, std::uint64_t size) const {
  std::ostringstream text;
  text << std::hex << std::showbase;
  if (bytes == 0) {
    text << "the buffer does not exist (size 0)";
  } else if (bytes % unit != 0 || base % unit != 0) {
    text << "base " << base << " or size " << bytes << " of the buffer is not a multiple of " << unit;
  } else if (!is_place(write)) {
    text << "write pointer " << write << " is no place in the buffer at " << base << " of " << bytes
         << " bytes";
  } else if (!is_place(read)) {
    text << "read pointer " << read << " is no place in the buffer at " << base << " of " << bytes
         << " bytes";
  } else if (overruns(write, read, size)) {
    text << "overrun: " << std::dec << size << " bytes at " << std::hex << write
         << " would reach the read pointer " << read;
  } else {
    return {};
  }
  return text.str();
}

std::uint64_t MessageRing::advance(std::uint64_t write, std::uint64_t size) const {
  return at(write, rounded(size));
}

}  // namespace tsuji::nic
