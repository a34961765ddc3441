// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/link/packet_link.h"
#include "tsuji/machines/tree/node_tree.h"
#include "tsuji/machines/tree/tree_barriers.h"
#include "tsuji/machines/tree/tree_config.h"

namespace tsuji::machines {

/// The decisions of the unit at a router that multicasts and synchronizes along a tree (README.md). Its ends
/// are tree links and nodes; each has a FIFO of whole packets. All tree links are sent to by one port of the
/// router, a packet after the other; each node has a channel of its own.
///
/// No SystemC here. `Ports` is whatever the unit is wired to:
/// - bool room(unsigned end, Cycle now): behind an end a whole packet has room
/// - void send(unsigned end, Cycle now, PacketTransfer&&): the packet leaves; by a tree link until departed()
/// - void release(unsigned end, Cycle at): a place of the end's FIFO is free
/// - void wait_room(NodeTree::Ends ends, Cycle now): step again when one of these has room
class TreeUnit {
 public:
  using Ends = NodeTree::Ends;
  struct Parts {
    const TreeConfig& config;
    const NodeTree& tree;
    graph::RouterId router;
    std::string name;  ///< for errors
  };
  explicit TreeUnit(const Parts& parts);

  /// A packet that is whole in the FIFO of an end from cycle `whole` on, behind its last flit.
  void accept(unsigned end, PacketTransfer&& transfer, Cycle whole, Cycle now);
  /// The last flit for a tree link is on its way in cycle `now`.
  void departed(Cycle now);
  /// Everything that happens in cycle `now`. Returns the next cycle in which something may happen that no
  /// arrival, departure or room announces; `never` if there is none.
  template <class Ports>
  Cycle step(Cycle now, Ports& ports);

  const TreeCounters& counters() const { return counters_; }
  /// Packets and their flits that are in its FIFOs, and synchronizations that it owes.
  std::uint64_t packets_held() const;
  std::uint64_t flits_held() const;
  /// Synchronizations for which it waits for an end.
  unsigned barriers_open() const { return barriers_.open(); }

 private:
  struct Held {
    PacketTransfer transfer;
    Cycle ready = 0;       ///< whole here, and looked at
    Cycle until = 0;       ///< its copies are away
    Ends left = 0;         ///< ends to which copies are still to go
    unsigned leaving = 0;  ///< copies on their way to the router
    bool begun = false;    ///< `left` is known
  };
  struct End {
    std::deque<Held> held;
    std::deque<PacketTransfer> owed;  ///< synchronizations to it
    Cycle busy_until = 0;             ///< the channel to a node
  };
  static constexpr unsigned nobody = ~0U;

  bool is_link(unsigned end) const { return end < links_; }
  void wake(Cycle cycle) {
    if (cycle < next_) next_ = cycle;
  }
  template <class Ports>
  void look_at_fronts(Cycle now, Ports& ports);
  template <class Ports>
  void serve_links(Cycle now, Ports& ports);
  template <class Ports>
  void serve_node(unsigned end, Cycle now, Ports& ports);
  template <class Ports>
  void finish(unsigned end, Cycle now, Ports& ports);
  /// The ends in `of` that have room; the others are remembered.
  template <class Ports>
  Ends with_room(Ends of, Cycle now, Ports& ports);
  /// The next FIFO whose first packet has copies for one of `ends`, in turn from `turn` on.
  unsigned next_with_copies(unsigned turn, Ends ends) const;
  template <class Ports>
  void send_owed(unsigned end, Cycle now, Ports& ports);
  template <class Ports>
  void send_copy(unsigned from, unsigned end, Cycle now, Ports& ports);

  void begin(unsigned end, Cycle now);
  void absorb(unsigned end, const PacketTransfer& transfer, Cycle now);
  Ends wanted() const;
  [[noreturn]] void refuse(Cycle now, const Packet& packet, const std::string& what) const;

  const TreeConfig& config_;
  const NodeTree& tree_;
  const graph::RouterId router_;
  const std::string name_;
  const unsigned links_;
  std::vector<End> ends_;
  TreeBarriers barriers_;
  std::vector<unsigned> turn_;       ///< [end] of FIFOs, for a node; [0] for all tree links
  std::vector<bool> owed_was_last_;  ///< likewise
  unsigned link_turn_ = 0;           ///< of tree links with a synchronization owed
  bool router_busy_ = false;
  Cycle router_free_at_ = 0;
  unsigned leaving_from_ = nobody;  ///< FIFO of the copy on its way to the router
  Ends full_ = 0;                   ///< ends without room that packets of this cycle wait for
  Cycle next_ = never;
  TreeCounters counters_;
};

template <class Ports>
Cycle TreeUnit::step(Cycle now, Ports& ports) {
  next_ = never;
  full_ = 0;
  look_at_fronts(now, ports);
  serve_links(now, ports);
  for (unsigned end = links_; end < ends_.size(); ++end) serve_node(end, now, ports);
  for (unsigned end = 0; end < ends_.size(); ++end) finish(end, now, ports);
  ports.wait_room(full_, now);
  return next_;
}

/// A synchronization ends here, and waits for nothing; a multicast learns where it goes.
template <class Ports>
void TreeUnit::look_at_fronts(Cycle now, Ports& ports) {
  for (unsigned end = 0; end < ends_.size(); ++end) {
    std::deque<Held>& held = ends_[end].held;
    while (!held.empty() && !held.front().begun) {
      if (held.front().ready > now) {
        wake(held.front().ready);
        break;
      }
      if (held.front().transfer.packet->kind != PacketKind::synchronization) {
        begin(end, now);
        break;
      }
      const PacketTransfer transfer = std::move(held.front().transfer);
      held.pop_front();
      ports.release(end, now);
      absorb(end, transfer, now);
    }
  }
}

template <class Ports>
TreeUnit::Ends TreeUnit::with_room(Ends of, Cycle now, Ports& ports) {
  Ends room = 0;
  for (Ends left = of; left != 0; left &= left - 1) {
    const auto end = static_cast<unsigned>(__builtin_ctzll(left));
    if (ports.room(end, now)) room |= Ends{1} << end;
  }
  full_ |= of & ~room;
  return room;
}

/// The router's port takes synchronizations and copies in turn.
template <class Ports>
void TreeUnit::serve_links(Cycle now, Ports& ports) {
  if (router_busy_) return;
  const Ends links = wanted() & ((Ends{1} << links_) - 1);
  if (links == 0) return;
  if (router_free_at_ > now) return wake(router_free_at_);
  const Ends room = with_room(links, now, ports);
  if (room == 0) return;
  unsigned owed = nobody;
  for (unsigned tried = 0; tried < links_ && owed == nobody; ++tried) {
    const unsigned end = (link_turn_ + tried) % links_;
    if ((room >> end & 1U) != 0 && !ends_[end].owed.empty()) owed = end;
  }
  const unsigned from = next_with_copies(turn_[0], room);
  if (owed != nobody && (from == nobody || !owed_was_last_[0])) {
    link_turn_ = owed + 1;
    owed_was_last_[0] = true;
    return send_owed(owed, now, ports);
  }
  if (from == nobody) return;
  turn_[0] = from + 1;
  owed_was_last_[0] = false;
  send_copy(from, static_cast<unsigned>(__builtin_ctzll(ends_[from].held.front().left & room)), now, ports);
}

template <class Ports>
void TreeUnit::serve_node(unsigned end, Cycle now, Ports& ports) {
  const Ends own = Ends{1} << end;
  if ((wanted() & own) == 0) return;
  if (ends_[end].busy_until > now) return wake(ends_[end].busy_until);
  if (with_room(own, now, ports) == 0) return;
  const unsigned from = next_with_copies(turn_[end], own);
  if (!ends_[end].owed.empty() && (from == nobody || !owed_was_last_[end])) {
    owed_was_last_[end] = true;
    send_owed(end, now, ports);
  } else {
    turn_[end] = from + 1;
    owed_was_last_[end] = false;
    send_copy(from, end, now, ports);
  }
  if ((wanted() & own) != 0) wake(ends_[end].busy_until);
}

template <class Ports>
void TreeUnit::send_owed(unsigned end, Cycle now, Ports& ports) {
  PacketTransfer transfer = std::move(ends_[end].owed.front());
  ends_[end].owed.pop_front();
  ++counters_.released;
  ++(is_link(end) ? counters_.to_units : counters_.to_nodes);
  if (is_link(end)) router_busy_ = true;
  ends_[end].busy_until = now + transfer.packet->flits;
  ports.send(end, now, std::move(transfer));
}

template <class Ports>
void TreeUnit::send_copy(unsigned from, unsigned end, Cycle now, Ports& ports) {
  Held& held = ends_[from].held.front();
  held.left &= ~(Ends{1} << end);
  if (held.left != 0) ++counters_.copied;
  ++(is_link(end) ? counters_.to_units : counters_.to_nodes);
  ends_[end].busy_until = now + held.transfer.packet->flits;
  if (is_link(end)) {
    router_busy_ = true;
    leaving_from_ = from;
    ++held.leaving;
  } else {
    held.until = std::max(held.until, ends_[end].busy_until);
  }
  ports.send(end, now, {held.transfer.packet, 1, held.transfer.hops});
}

/// A packet whose last copy is away gives its place back; the next one is looked at in the cycle after.
template <class Ports>
void TreeUnit::finish(unsigned end, Cycle now, Ports& ports) {
  std::deque<Held>& held = ends_[end].held;
  if (held.empty() || !held.front().begun) return;
  const Held& front = held.front();
  if (front.left != 0 || front.leaving != 0) return;
  if (front.until > now) return wake(front.until);
  held.pop_front();
  ports.release(end, now);
  if (!held.empty()) wake(std::max(held.front().ready, now + 1));
}

}  // namespace tsuji::machines
