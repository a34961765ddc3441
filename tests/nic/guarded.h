// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "nic/rig.h"
#include "nic/system.h"
#include "support/catch.h"

namespace tsuji::test::guarded {

using namespace nic;

inline constexpr unsigned cid = 3, other_cid = 5;
inline constexpr std::uint64_t source_at = 0x10000, destination_at = 0x80000, read_only_at = 0xC0000,
                               unmapped_at = 0xF0000, messages_at = 0x100000, log_at = 0x110000;

/// Two tasks on both nodes, cid in set 2 and other_cid in set 3, and an operating system that refuses page
/// faults.
struct Guarded : Pair {
  explicit Guarded(const NicConfig& config = {}) : Pair("pair", config) {
    elaborate();
    for (Node* node : {&a, &b}) {
      node->open_set(3, other_cid);
      node->open_set(2, cid);
      for (const unsigned own : {cid, other_cid}) {
        node->map(own, source_at, 16);
        node->map(own, destination_at, 16);
        node->map(own, read_only_at, 1, false);
        node->map(own, messages_at, 17);
        node->buffer(own, 0, messages_at, 512);
        node->buffer(own, 2, log_at, 128);
      }
    }
    // The other task sends to its own cid.
    for (Node* node : {&a, &b}) {
      node->set(sender_os_base + 3 * sender_set_stride + node_table_base, other_nodes_at);
      for (unsigned n = 0; n < 2; ++n) {
        const NodeEntry entry{true, static_cast<std::uint16_t>(n), other_cid};
        node->memory.poke_word(other_nodes_at + std::uint64_t{8} * n, entry.encode());
      }
    }
  }
  static constexpr std::uint64_t other_nodes_at = 0x9000000;

  System at_a{*this, a}, at_b{*this, b};

  /// Sends `headers` from node a's task, then a valid parcel of that task and one of the other task.
  void send(const std::vector<ParcelHeader>& headers) {
    CounterRandom random(7, 1);
    const auto data = random_bytes(random, 64);
    for (const unsigned own : {cid, other_cid}) a.fill(own, source_at, data);
    for (const ParcelHeader& header : headers) a.push(2, header);
    a.push(2, dma(source_at, destination_at + 4096, 64));
    a.push(3, dma(source_at, destination_at + 4096, 64));
    a.ring_at_start(2);
    a.ring_at_start(3);
    run();
    for (const unsigned own : {cid, other_cid}) {
      INFO("cid " << own);
      CHECK(b.bytes(own, destination_at + 4096, 64) == data);
    }
    CHECK(a.nic.drained(domain.cycle_at_kernel_time()));
    CHECK(b.nic.drained(domain.cycle_at_kernel_time()));
  }
  std::uint64_t status() { return a.get(2 * sender_set_stride + queue_status); }
  std::uint64_t refused_packets() const {
    return b.nic.receiver_counters().dropped[static_cast<unsigned>(ReceiverDropCause::refused)];
  }
};

inline ParcelHeader with(const std::function<void(ParcelHeader&)>& change) {
  ParcelHeader header = dma(source_at, destination_at, 64);
  change(header);
  return header;
}

inline ParcelHeader message(std::uint32_t bytes, Protocol protocol = Protocol::message0) {
  return with([&](auto& h) {
    h.protocol = protocol;
    h.length = bytes;
  });
}

}  // namespace tsuji::test::guarded
