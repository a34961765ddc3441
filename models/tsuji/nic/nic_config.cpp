// SPDX-License-Identifier: Apache-2.0
#include "tsuji/nic/nic_config.h"

#include <string>

#include "tsuji/core/error.h"
#include "tsuji/core/packet.h"
#include "tsuji/nic/tables.h"

namespace tsuji::nic {
namespace {

void in_range(const char* key, std::uint64_t value, std::uint64_t low, std::uint64_t high) {
  if (value >= low && value <= high) return;
  throw ConfigError(key, std::to_string(value), "out of range",
                    std::to_string(low) + ".." + std::to_string(high));
}

constexpr Cycle most_cycles = 1000000;

}  // namespace

void NicConfig::validate() const {
  in_range("sizes.header_flits", sizes.header_flits, 6, 64);
  in_range("sizes.multicast_header_flits", sizes.multicast_header_flits, 9, 64);
  in_range("sizes.synchronization_header_flits", sizes.synchronization_header_flits, 9, 64);
  in_range("sizes.flits_per_word", sizes.flits_per_word, 3, 8);
  if (sizes.max_payload_bytes != line_bytes && sizes.max_payload_bytes != Packet::max_payload_bytes) {
    throw ConfigError("sizes.max_payload_bytes", std::to_string(sizes.max_payload_bytes),
                      "a packet ends at a cache line's border", "128 or 256");
  }
  in_range("sender.header_registers", sender.header_registers, 1, 8);
  in_range("sender.tlb_entries", sender.tlb_entries, 1, 64);
  in_range("sender.fifo_packets", sender.fifo_packets, 1, 8);
  in_range("sender.read_ahead_packets", sender.read_ahead_packets, 1, sender.fifo_packets);
  in_range("sender.outstanding_requests", sender.outstanding_requests, 1, 2047);
  in_range("sender.select_queue_cycles", sender.select_queue_cycles, 1, most_cycles);
  in_range("sender.check_header_cycles", sender.check_header_cycles, 1, most_cycles);
  in_range("sender.set_port_cycles", sender.set_port_cycles, 1, most_cycles);
  in_range("sender.choose_cycles", sender.choose_cycles, 1, most_cycles);
  in_range("sender.translate_cycles", sender.translate_cycles, 1, most_cycles);
  in_range("sender.build_header_cycles", sender.build_header_cycles, 1, most_cycles);
  in_range("sender.release_cycles", sender.release_cycles, 1, most_cycles);
  in_range("receiver.tlb_entries", receiver.tlb_entries, 1, 64);
  in_range("receiver.fifo_packets", receiver.fifo_packets, 1, 8);
  in_range("receiver.buffer_entries", receiver.buffer_entries, 1, 64);
  in_range("receiver.check_cycles", receiver.check_cycles, 1, most_cycles);
  in_range("receiver.place_cycles", receiver.place_cycles, 1, most_cycles);
  in_range("receiver.translate_cycles", receiver.translate_cycles, 1, most_cycles);
}

}  // namespace tsuji::nic
