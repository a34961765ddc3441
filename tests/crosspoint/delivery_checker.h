// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tsuji/core/packet.h"

namespace tsuji::test {

/// Checks identity, order and exactly-once of all deliveries of a crosspoint network. Contract: `sent` is
/// called for each packet, `delivered` for each node at which it comes out, `missing` at the end.
///
/// A single cast comes out once, at its destination; a multicast once at each node of its map. Deliveries at
/// a node from one source are in the order of sending: there is one path of FIFOs between the two. A round of
/// a sid comes out once at each member, after earlier rounds, as the packet that one of the members sent for
/// exactly this round, and after all members have sent theirs.
class DeliveryChecker {
 public:
  void sent(const Packet& packet) {
    Sent& own = sent_[packet.id];
    own.kind = packet.kind;
    const bool to_one = packet.kind == PacketKind::single_cast;
    own.group = to_one ? packet.destination.node() / 64 : packet.group;
    own.targets = to_one ? std::uint64_t{1} << packet.destination.node() % 64 : packet.map;
    if (packet.kind != PacketKind::synchronization) {
      missing_ += own.target_count();
      return;
    }
    own.sid = packet.sid;
    own.round = rounds_sent_[{packet.sid, packet.source.node()}]++;
    auto& entered = entered_[packet.sid];
    if (own.round == entered.size()) {
      entered.push_back(0);
      missing_ += own.target_count();
    }
    ++entered.at(own.round);
  }

  void delivered(NodeId node, const Packet& packet) {
    const auto found = sent_.find(packet.id);
    if (found == sent_.end()) return wrong(node, packet, "was never sent");
    Sent& own = found->second;
    const std::uint64_t bit = std::uint64_t{1} << node % 64;
    if (node / 64 != own.group || (own.targets & bit) == 0)
      return wrong(node, packet, "is not for this node");
    --missing_;
    if (own.kind == PacketKind::synchronization) return completed(node, packet, own);
    if ((own.out & bit) != 0) return wrong(node, packet, "comes out again");
    own.out |= bit;
    PacketId& last = last_[{node, packet.source.node()}];
    if (packet.id <= last) return wrong(node, packet, "comes out after a later one");
    last = packet.id;
  }

  /// Deliveries still to come; negative if there were too many.
  std::int64_t missing() const { return missing_; }
  const std::vector<std::string>& wrongs() const { return wrongs_; }

 private:
  struct Sent {
    PacketKind kind = PacketKind::single_cast;
    unsigned sid = 0;
    std::size_t round = 0;
    NodeId group = 0;
    std::uint64_t targets = 0, out = 0;  ///< of the group

    int target_count() const { return __builtin_popcountll(targets); }
  };

  void completed(NodeId node, const Packet& packet, const Sent& own) {
    const std::size_t due = completed_[{own.sid, node}]++;
    if (own.round != due)
      return wrong(node, packet,
                   "of round " + std::to_string(own.round) + " comes as round " + std::to_string(due));
    if (entered_[own.sid][due] != static_cast<unsigned>(own.target_count()))
      return wrong(node, packet, "comes before all members have sent for its round");
  }
  void wrong(NodeId node, const Packet& packet, const std::string& problem) {
    if (wrongs_.size() < 10)
      wrongs_.push_back("node " + std::to_string(node) + ": packet " + packet_name(packet.id) + " " +
                        problem);
  }

  std::unordered_map<PacketId, Sent> sent_;
  std::map<std::pair<unsigned, NodeId>, std::size_t> rounds_sent_, completed_;  ///< by sid and member
  std::map<unsigned, std::vector<unsigned>> entered_;   ///< by sid: members that have sent, by round
  std::map<std::pair<NodeId, NodeId>, PacketId> last_;  ///< at a node, from a source
  std::int64_t missing_ = 0;
  std::vector<std::string> wrongs_;
};

}  // namespace tsuji::test
