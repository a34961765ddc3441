// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <memory>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "nic/memory.h"
#include "tsuji/link/packet_link.h"
#include "tsuji/nic/interface/network_interface.h"
#include "tsuji/nic/registers.h"
#include "tsuji/nic/tables.h"

namespace tsuji::test {

/// Addresses of the rig's tables in every node's physical memory.
inline constexpr std::uint64_t segments_at = 0x100000, buffers_at = 0x120000, limits_at = 0x130000,
                               node_table_at = 0x140000, multicast_table_at = 0x150000,
                               synchronization_table_at = 0x160000, counters_at = 0x170000,
                               queues_at = 0x200000, page_tables_at = 0x300000;
inline constexpr unsigned table_entries = 16;

/// Port bits by destination; by default all packets use FIFO 0.
struct FixedHops final : nic::FirstHop {
  std::function<std::uint32_t(NodeId)> ports = [](NodeId) { return 1U; };
  std::uint32_t multicast_ports = 1;
  std::uint32_t single_cast(NodeId node) const override { return ports(node); }
  std::uint32_t multicast(std::uint32_t, std::uint64_t) const override { return multicast_ports; }
  std::uint32_t synchronization(std::uint64_t) const override { return multicast_ports; }
};

struct Delivery {
  PacketId id;
  Cycle created, injected, now;
  nic::PacketHeader header;
  bool operator==(const Delivery& o) const {
    return id == o.id && created == o.created && injected == o.injected && now == o.now;
  }
};

/// A node: network interface, memory, and a replacement for processor and operating system.
class Node final : public sc_core::sc_module, public nic::NicObserver {
 public:
  Node(sc_core::sc_module_name name, const nic::NicConfig& config, ClockDomain& domain, PacketPool& pool,
       NodeId node, const nic::FirstHop& hops, const MemoryTimes& times);

  nic::NetworkInterface nic;
  Memory memory;
  tlm_utils::simple_initiator_socket<Node> registers;
  std::vector<Delivery> deliveries;

  void on_delivered(const Packet& packet, Cycle now, unsigned hops) override;

  /// Debug accesses, for set-up at time 0.
  void set(std::uint64_t offset, std::uint64_t value);
  std::uint64_t get(std::uint64_t offset);
  /// Number of bytes that debug transport writes.
  unsigned debug_write(std::uint64_t offset, std::uint64_t value);
  /// For processes: uses b_transport.
  tlm::tlm_response_status write(std::uint64_t offset, std::uint64_t value);
  /// Maps `pages` logical pages of a cid, scattered over physical memory, as its next segment.
  void map(unsigned cid, std::uint64_t logical, unsigned pages, bool writable = true);
  /// Removes the page's entry from its table, so that the interface finds none, and restores it. Returns
  /// false if the page was never mapped, or is not removed.
  void unmap(unsigned cid, std::uint64_t logical);
  bool map_again(unsigned cid, std::uint64_t logical);
  std::uint64_t physical(unsigned cid, std::uint64_t logical) const;
  void fill(unsigned cid, std::uint64_t logical, const std::vector<unsigned char>& bytes);
  std::vector<unsigned char> bytes(unsigned cid, std::uint64_t logical, std::size_t count) const;
  std::uint64_t word(unsigned cid, std::uint64_t logical) const {
    return memory.peek_word(physical(cid, logical));
  }

  /// A queue of `queue_bytes` for a set; node table entry i is node i with `cid`.
  void open_set(unsigned set, unsigned cid, std::uint64_t bytes = 4096);
  /// Message buffer or log (2) of a cid.
  void buffer(unsigned cid, unsigned index, std::uint64_t base, std::uint64_t bytes);
  std::uint64_t buffer_word(unsigned cid, unsigned word) const {
    return memory.peek_word(buffers_at + std::uint64_t{64} * cid + std::uint64_t{8} * word);
  }
  /// Writes a header after the last one; `ring` makes the Sender see all of them.
  void push(unsigned set, const nic::ParcelHeader& header);
  void ring(unsigned set) {
    CHECK_STATUS(write(nic::sender_set_base + set * nic::sender_set_stride, tails_[set]));
  }
  void ring_at_start(unsigned set) {
    this->set(nic::sender_set_base + set * nic::sender_set_stride, tails_[set]);
  }

 private:
  static void CHECK_STATUS(tlm::tlm_response_status status);
  struct Mapped {
    unsigned cid;
    std::uint64_t logical, page;
    std::uint64_t entry;      ///< place of its entry
    std::uint64_t taken = 0;  ///< the entry, while it is taken out
  };
  Mapped& mapped(unsigned cid, std::uint64_t logical);
  std::vector<Mapped> mapped_;
  std::vector<unsigned> segments_ = std::vector<unsigned>(256);
  std::uint64_t next_page_table_ = page_tables_at;
  std::uint64_t next_page_ = 1;
  std::array<std::uint64_t, 4> tails_{}, sizes_{};
};

/// Runs programs half a period after the edges of the network interfaces' clock, at the processors' edges.
class Script final : public Clocked {
 public:
  explicit Script(ClockDomain& domain) : Clocked(domain) {}
  void at(Cycle cycle, std::function<void()> program) {
    programs_.emplace(cycle, std::move(program));
    wake_at(cycle);
  }
  void step(Cycle now) override;

 private:
  std::multimap<Cycle, std::function<void()>> programs_;
};

/// The clocks of a rig.
struct Clocks {
  Clocks(const std::string& name, ClockDomainConfig clock);
  ClockDomain domain;
  ClockDomain processors;
  Script script{processors};
  /// Runs `program` half a period after the edge of `cycle`.
  void at(Cycle cycle, std::function<void()> program) { script.at(cycle, std::move(program)); }
  /// Runs to the end; rethrows a module's exception.
  void run();
};

/// A clock with two nodes back to back.
struct Pair : Clocks {
  /// `second`: number of node b.
  explicit Pair(const std::string& name, const nic::NicConfig& config = {}, const MemoryTimes& times = {},
                ClockDomainConfig clock = {}, NodeId second = 1);
  PacketPool pool;
  FixedHops hops;
  PacketLink forth, back;
  Node a, b;
};

/// A Pair after elaboration, with set 2 of both nodes open for `cid`.
struct OpenPair : Pair {
  explicit OpenPair(unsigned cid, const nic::NicConfig& config = {}, const MemoryTimes& times = {});
};

/// A switch input that a test plays, with FIFOs of one packet that are released when the test says so.
class Sink final : public sc_core::sc_module, public Clocked {
 public:
  /// Cycle in which FIFO `fifo` of a packet is released; `never`: not at all.
  using Hold = std::function<Cycle(const Packet& packet, unsigned fifo, Cycle arrival)>;
  Sink(sc_core::sc_module_name name, ClockDomain& domain, PacketLink& link, unsigned fifos, Hold hold,
       unsigned fifo_packets);
  void step(Cycle now) override;
  struct Seen {
    PacketRef packet;
    std::uint32_t ports;
    Cycle arrival;
    nic::PacketHeader header;
  };
  std::vector<Seen> seen;
  std::function<void(const Seen&)> on_packet;

 private:
  PacketLink& link_;
  Hold hold_;
};

/// One node that sends into a Sink.
struct Lone : Clocks {
  Lone(const nic::NicConfig& config, unsigned fifos, Sink::Hold hold, const MemoryTimes& times = {},
       unsigned fifo_packets = 1);
  PacketPool pool;
  FixedHops hops;
  PacketLink out, in;
  Node node;
  Sink sink;
};

/// Ends elaboration, so that the registers can be reached at time 0.
void elaborate();
nic::ParcelHeader dma(std::uint64_t source, std::uint64_t destination, std::uint32_t length,
                      std::uint16_t pe = 1);
/// A transfer of `word`, which is inline in the header.
nic::ParcelHeader inline_word(std::uint64_t word, std::uint64_t destination, std::uint16_t pe = 1);
/// A message of `word`, which is inline in the header.
nic::ParcelHeader word_message(std::uint64_t word = 0, std::uint16_t pe = 1);
std::vector<unsigned char> random_bytes(CounterRandom& random, std::size_t count);

}  // namespace tsuji::test
