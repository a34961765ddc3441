// SPDX-License-Identifier: Apache-2.0

#include "support/catch.h"
#include "support/refusals.h"
#include "tsuji/nic/nic_config.h"

using namespace tsuji;
using namespace tsuji::nic;
using tsuji::test::check_bounds;
using tsuji::test::refused_key;

TEST_CASE("sizes and times of a network interface are accepted up to their bounds, and refused beyond them") {
  NicConfig config;
  PacketSizes& sizes = config.sizes;
  check_bounds("sizes.header_flits", config, sizes.header_flits, 6, 64);
  check_bounds("sizes.multicast_header_flits", config, sizes.multicast_header_flits, 9, 64);
  check_bounds("sizes.synchronization_header_flits", config, sizes.synchronization_header_flits, 9, 64);
  check_bounds("sizes.flits_per_word", config, sizes.flits_per_word, 3, 8);
  check_bounds("sender.header_registers", config, config.sender.header_registers, 1, 8);
  check_bounds("sender.tlb_entries", config, config.sender.tlb_entries, 1, 64);
  check_bounds("sender.fifo_packets", config, config.sender.fifo_packets, 1, 8);
  config.sender.fifo_packets = 5;
  check_bounds("sender.read_ahead_packets", config, config.sender.read_ahead_packets, 1, 5);
  check_bounds("receiver.tlb_entries", config, config.receiver.tlb_entries, 1, 64);
  check_bounds("receiver.fifo_packets", config, config.receiver.fifo_packets, 1, 8);
  check_bounds("receiver.buffer_entries", config, config.receiver.buffer_entries, 1, 64);
  SenderConfig& sender = config.sender;
  constexpr Cycle most = 1000000;
  check_bounds("sender.select_queue_cycles", config, sender.select_queue_cycles, 1, most);
  check_bounds("sender.check_header_cycles", config, sender.check_header_cycles, 1, most);
  check_bounds("sender.set_port_cycles", config, sender.set_port_cycles, 1, most);
  check_bounds("sender.choose_cycles", config, sender.choose_cycles, 1, most);
  check_bounds("sender.translate_cycles", config, sender.translate_cycles, 1, most);
  check_bounds("sender.build_header_cycles", config, sender.build_header_cycles, 1, most);
  check_bounds("sender.release_cycles", config, sender.release_cycles, 1, most);
  check_bounds("receiver.check_cycles", config, config.receiver.check_cycles, 1, most);
  check_bounds("receiver.place_cycles", config, config.receiver.place_cycles, 1, most);
  check_bounds("receiver.translate_cycles", config, config.receiver.translate_cycles, 1, most);
}

TEST_CASE("a packet carries one cache line or two") {
  NicConfig config;
  for (const unsigned bytes : {128U, 256U}) {
    config.sizes.max_payload_bytes = bytes;
    CHECK(refused_key(config).empty());
  }
  for (const unsigned bytes : {0U, 64U, 127U, 129U, 192U, 255U, 257U, 512U}) {
    config.sizes.max_payload_bytes = bytes;
    CHECK(refused_key(config) == "sizes.max_payload_bytes");
  }
}

TEST_CASE(
    "the default network interface caches four entries of each kind and holds two packets on either side") {
  const NicConfig config;
  CHECK(config.sender.tlb_entries == 4);  // Kanoh 2000, 5.2; so is the next value
  CHECK(config.receiver.tlb_entries == 4);
  CHECK(config.sender.header_registers == 4);
  CHECK(config.receiver.buffer_entries == 4);
  CHECK(config.sender.fifo_packets == 2);
  CHECK(config.receiver.fifo_packets == 2);
  CHECK(config.sender.read_ahead_packets == 1);
  CHECK(config.sender.optimized_first_read);
  CHECK(config.sizes.max_payload_bytes == 256);
}
