// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/traffic/emission.h"

namespace tsuji::network::dense {

/// Packets that hold a virtual channel, or whose flits are in its buffer or on the wires to it, without the
/// one at the front of the buffer. The flits after a head are only counted. A packet is in one queue at most:
/// it takes the next virtual channel when it is at the front of a buffer. So the queue is a list whose links
/// are in the pool.
class HeadQueue {
 public:
  /// First packet; traffic::no_packet: none.
  PacketIndex first() const { return first_; }
  /// Packet after one of the queue; traffic::no_packet: none.
  PacketIndex after(PacketIndex packet, PacketPool& pool) const {
    return packet == last_ ? traffic::no_packet : pool.after(packet);
  }
  void push(PacketIndex packet, PacketPool& pool) {
    if (first_ == traffic::no_packet) {
      first_ = packet;
    } else {
      pool.after(last_) = packet;
    }
    last_ = packet;
  }
  /// Takes the first packet. Returns traffic::no_packet if there is none.
  PacketIndex pop(PacketPool& pool) {
    const PacketIndex packet = first_;
    if (packet != traffic::no_packet) first_ = after(packet, pool);
    return packet;
  }
  /// Undoes pop().
  void push_front(PacketIndex packet, PacketPool& pool) {
    if (first_ == traffic::no_packet) {
      last_ = packet;
    } else {
      pool.after(packet) = first_;
    }
    first_ = packet;
  }
  /// Removes the last packet, of which no flit has been sent.
  void pull(PacketPool& pool) {
    if (first_ == last_) {
      first_ = traffic::no_packet;
      return;
    }
    PacketIndex before = first_;
    while (pool.after(before) != last_) before = pool.after(before);
    last_ = before;
  }
  /// Moves all packets to the end of another queue.
  void pour_into(HeadQueue& other, PacketPool& pool) {
    if (first_ == traffic::no_packet) return;
    other.push(first_, pool);
    other.last_ = last_;
    first_ = traffic::no_packet;
  }

 private:
  PacketIndex first_ = traffic::no_packet, last_ = traffic::no_packet;
};

/// Number of a HeadQueue in its network.
using QueueIndex = std::uint32_t;

/// The queues of all virtual channels of a network.
class HeadQueues {
 public:
  void reserve(std::size_t count) { queues_.reserve(count); }
  /// Adds queues, and returns the number of the first one. Addresses of all() end.
  QueueIndex add(unsigned count) {
    queues_.resize(queues_.size() + count);
    return static_cast<QueueIndex>(queues_.size() - count);
  }
  HeadQueue* all() { return queues_.data(); }

 private:
  std::vector<HeadQueue> queues_;
};

}  // namespace tsuji::network::dense
