// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/host/cpu.h"
#include "tsuji/host/library/broadcast_inbox.h"
#include "tsuji/host/library/heap.h"
#include "tsuji/host/library/paralib.h"
#include "tsuji/host/library/point_to_point.h"
#include "tsuji/host/library/waiter.h"
#include "tsuji/workload/collectives.h"

namespace tsuji::host {

/// A block of memory that a collective sends or receives.
struct Block {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

/// Collective operations of all ranks (rooms/library.md, Where the paper is silent, 3), each by the network's
/// hardware or by messages, as configured.
///
/// Contract: start() once before all others. All ranks call the operations in one order with equal arguments.
/// A call returns when this rank's part is complete and its buffers may be reused.
///
/// Broadcast in hardware: data that fit into a packet are one multicast message into message buffer 1. After
/// `collective_messages` of them all ranks do a barrier, which each enters after it has taken all its
/// messages, so that the buffer never overflows. Longer data are a remote DMA to address register 0: every
/// rank sets the register to its buffer, a barrier follows, then the root multicasts the data and after them
/// a message. Systems of more than 64 nodes use one multicast for each group of 64.
///
/// All-reduce in the network: a packet for each cache line, packet k on group k modulo `all_reduce_packets`.
/// A rank sends packet k when it has the result of the packet before it on the same group, so that the
/// switches' tables hold at most two rounds of each.
///
/// A reduction adds 64-bit words modulo 2^64; trailing bytes that are less than a word are added as one
/// shorter number.
class Collectives {
 public:
  Collectives(Cpu& cpu, const TaskLayout& layout, const LibraryConfig& config, const SoftwareCycles& times,
              Paralib& paralib, PointToPoint& messages, Heap& heap, SendSlots& slots, Waiter& waiter);

  /// Registers the group of all ranks (a system call) if any collective uses hardware.
  void start();
  void barrier();
  void broadcast(Block data, std::uint32_t root);
  /// Reduces: the sum of all ranks' `in` is written to the root's `out`. The two must not overlap.
  void reduce(Block in, std::uint64_t out, std::uint32_t root);
  /// Reduces: the sum of all ranks' `in` is written to every rank's `out`.
  void all_reduce(Block in, std::uint64_t out);
  /// Sends block r of `out` to rank r, where it becomes the block of this rank in `in`; an empty block sends
  /// no message.
  void all_to_all(const std::vector<Block>& out, const std::vector<Block>& in);

  /// Collectives that this rank has entered so far.
  std::uint64_t entered() const { return entered_; }
  /// Throws ModelError if a multicast message has not been consumed.
  void check_idle() const;

 private:
  bool uses_fabric() const;
  void do_barrier();
  void fabric_barrier();
  void add_barrier();
  void hierarchical_barrier();
  void play(const workload::MessageSteps& steps, std::int32_t tag);
  void take_all_broadcasts();
  void fabric_broadcast(Block data, std::uint32_t root);
  void short_broadcast(Block data, bool root);
  void long_broadcast(Block data, bool root);
  void wait_for_slot();
  void multicast_message(const Envelope& envelope, Block payload);
  BroadcastInbox::Message await_broadcast();
  void tree_broadcast(Block data, std::uint32_t root);
  void exchange(std::uint32_t to, std::uint32_t from, std::int32_t tag);
  void ring_all_reduce(Block in, std::uint64_t out);
  void combine_in_network(Block in, std::uint64_t out);
  void combine_words(Block in, std::uint64_t out);
  /// Waits until all packets that this rank has sent on combining group `number` have come back.
  void await_combined(std::size_t number);
  std::int32_t next_tag() { return static_cast<std::int32_t>(tag_++ & 0x7FFFFFFF); }
  static MessagePattern from(std::uint32_t source, std::int32_t tag) {
    return {source, tag, Context::collective};
  }

  Cpu& cpu_;
  const TaskLayout& layout_;
  const LibraryConfig& config_;
  const SoftwareCycles& times_;
  Paralib& paralib_;
  PointToPoint& messages_;
  Heap& heap_;
  SendSlots& slots_;
  Waiter& waiter_;
  BroadcastInbox inbox_;
  GroupHandle group_;
  struct CombiningGroup {
    GroupHandle group;
    std::uint64_t rounds = 0;  ///< rounds entered, as the group's counter counts them
  };
  std::vector<CombiningGroup> combining_;
  std::uint64_t entered_ = 0;
  std::uint64_t rounds_ = 0;          ///< Barriers completed by synchronization packets.
  std::uint64_t expected_count_ = 0;  ///< Expected value of the barrier counter.
  std::uint64_t releases_ = 0;        ///< Number of hierarchical barriers released.
  std::uint64_t broadcasts_ = 0;      ///< Multicast messages of all roots so far.
  std::uint64_t since_barrier_ = 0;
  std::uint32_t tag_ = 0;
  const std::string waits_for_barrier_, waits_for_broadcast_, waits_for_slot_, waits_for_sending_,
      waits_for_operands_;
};

}  // namespace tsuji::host
