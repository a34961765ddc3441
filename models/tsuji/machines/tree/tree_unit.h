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

/// Decisions of the unit at a router that multicasts and synchronizes along a tree (README.md). Each branch,
/// a tree link or a node, has a FIFO of whole packets. One port of the router serves all tree links, one
/// packet at a time; each node has a channel of its own.
///
/// No SystemC here. `Ports` is whatever the unit is wired to:
/// - bool room(unsigned branch, Cycle now): a whole packet has room beyond the branch
/// - void send(unsigned branch, Cycle now, PacketTransfer&&): the packet leaves; to a tree link until
/// departed()
/// - void release(unsigned branch, Cycle at): the branch's FIFO has one place more
/// - void wait_room(NodeTree::Branches branches, Cycle now): step again when one of these has room
class TreeUnit {
 public:
  using Branches = NodeTree::Branches;
  struct Parts {
    const TreeConfig& config;
    const NodeTree& tree;
    graph::RouterId router;
    std::string name;  ///< for errors
  };
  explicit TreeUnit(const Parts& parts);

  /// A packet in the FIFO of a branch, all of it from cycle `whole` on.
  void accept(unsigned branch, PacketTransfer&& transfer, Cycle whole, Cycle now);
  /// The last flit of the packet to a tree link has entered the router; step() from the next cycle on.
  void departed();
  /// Everything that happens in cycle `now`. Returns the next cycle in which something may happen that no
  /// arrival, departure or room announces; `never` if there is none.
  template <class Ports>
  Cycle step(Cycle now, Ports& ports);

  const TreeCounters& counters() const { return counters_; }
  /// Packets in the FIFOs, and synchronizations to be sent.
  std::uint64_t packets_held() const;
  std::uint64_t flits_held() const;
  /// Synchronizations that wait for a branch.
  unsigned barriers_open() const { return barriers_.open(); }

 private:
  struct Held {
    PacketTransfer transfer;
    Cycle ready = 0;       ///< whole here, and looked at
    Cycle until = 0;       ///< its copies are away
    Branches left = 0;     ///< branches to which copies are still to go
    unsigned leaving = 0;  ///< copies on their way to the router
    bool begun = false;    ///< `left` is known
  };
  /// Round robin of an output over FIFOs, and over copies and synchronizations.
  struct Turn {
    unsigned fifo = 0;
    bool owed_was_last = false;
  };
  struct Branch {
    std::deque<Held> held;
    std::deque<PacketTransfer> owed;  ///< synchronizations to it
    Turn turn;                        ///< of a node
    Cycle busy_until = 0;             ///< the channel to a node
  };
  static constexpr unsigned nobody = ~0U;

  bool is_link(unsigned branch) const { return branch < links_; }
  void wake(Cycle cycle) {
    if (cycle < next_) next_ = cycle;
  }
  template <class Ports>
  void look_at_fronts(Cycle now, Ports& ports);
  template <class Ports>
  void serve_links(Cycle now, Ports& ports);
  template <class Ports>
  void serve_node(unsigned branch, Cycle now, Ports& ports);
  template <class Ports>
  void finish(unsigned branch, Cycle now, Ports& ports);
  /// The branches in `of` that have room; the others are remembered.
  template <class Ports>
  Branches with_room(Branches of, Cycle now, Ports& ports);
  /// The next FIFO, from the turn's on, whose first packet has copies for one of `branches`, or `nobody`.
  unsigned next_with_copies(const Turn& turn, Branches branches) const;
  /// Whether a synchronization goes next; else a copy from FIFO `from`.
  static bool owed_goes(Turn& turn, bool owed, unsigned from);
  template <class Ports>
  void send_owed(unsigned branch, Cycle now, Ports& ports);
  template <class Ports>
  void send_copy(unsigned from, unsigned branch, Cycle now, Ports& ports);

  void begin(unsigned branch, Cycle now);
  void absorb(unsigned branch, const PacketTransfer& transfer, Cycle now);
  Branches wanted() const;
  [[noreturn]] void refuse(Cycle now, const Packet& packet, const std::string& what) const;

  const TreeConfig& config_;
  const NodeTree& tree_;
  const graph::RouterId router_;
  const std::string name_;
  const unsigned links_;
  std::vector<Branch> branches_;
  TreeBarriers barriers_;
  Turn link_turn_;
  bool router_busy_ = false;
  unsigned leaving_from_ = nobody;  ///< FIFO of the copy on its way to the router
  Branches full_ = 0;               ///< branches without room that packets of this cycle wait for
  Cycle next_ = never;
  TreeCounters counters_;
};

template <class Ports>
Cycle TreeUnit::step(Cycle now, Ports& ports) {
  next_ = never;
  full_ = 0;
  look_at_fronts(now, ports);
  serve_links(now, ports);
  for (unsigned branch = links_; branch < branches_.size(); ++branch) serve_node(branch, now, ports);
  for (unsigned branch = 0; branch < branches_.size(); ++branch) finish(branch, now, ports);
  ports.wait_room(full_, now);
  return next_;
}

/// A synchronization ends here, without room or turn; a multicast gets its branches.
template <class Ports>
void TreeUnit::look_at_fronts(Cycle now, Ports& ports) {
  for (unsigned branch = 0; branch < branches_.size(); ++branch) {
    std::deque<Held>& held = branches_[branch].held;
    while (!held.empty() && !held.front().begun) {
      if (held.front().ready > now) {
        wake(held.front().ready);
        break;
      }
      if (held.front().transfer.packet->kind != PacketKind::synchronization) {
        begin(branch, now);
        break;
      }
      const PacketTransfer transfer = std::move(held.front().transfer);
      held.pop_front();
      ports.release(branch, now);
      absorb(branch, transfer, now);
    }
  }
}

template <class Ports>
TreeUnit::Branches TreeUnit::with_room(Branches of, Cycle now, Ports& ports) {
  Branches room = 0;
  for (Branches left = of; left != 0; left &= left - 1) {
    const auto branch = static_cast<unsigned>(__builtin_ctzll(left));
    if (ports.room(branch, now)) room |= Branches{1} << branch;
  }
  full_ |= of & ~room;
  return room;
}

template <class Ports>
void TreeUnit::serve_links(Cycle now, Ports& ports) {
  if (router_busy_) return;
  const Branches room = with_room(wanted() & ((Branches{1} << links_) - 1), now, ports);
  if (room == 0) return;
  unsigned owed = 0;
  while (owed < links_ && ((room >> owed & 1U) == 0 || branches_[owed].owed.empty())) ++owed;
  const unsigned from = next_with_copies(link_turn_, room);
  if (owed_goes(link_turn_, owed < links_, from)) return send_owed(owed, now, ports);
  send_copy(from, static_cast<unsigned>(__builtin_ctzll(branches_[from].held.front().left & room)), now,
            ports);
}

template <class Ports>
void TreeUnit::serve_node(unsigned branch, Cycle now, Ports& ports) {
  const Branches own = Branches{1} << branch;
  Branch& node = branches_[branch];
  if ((wanted() & own) == 0) return;
  if (node.busy_until > now) return wake(node.busy_until);
  if (with_room(own, now, ports) == 0) return;
  const unsigned from = next_with_copies(node.turn, own);
  if (owed_goes(node.turn, !node.owed.empty(), from))
    send_owed(branch, now, ports);
  else
    send_copy(from, branch, now, ports);
  if ((wanted() & own) != 0) wake(node.busy_until);
}

template <class Ports>
void TreeUnit::send_owed(unsigned branch, Cycle now, Ports& ports) {
  PacketTransfer transfer = std::move(branches_[branch].owed.front());
  branches_[branch].owed.pop_front();
  ++counters_.released;
  ++(is_link(branch) ? counters_.to_units : counters_.to_nodes);
  if (is_link(branch)) router_busy_ = true;
  branches_[branch].busy_until = now + transfer.packet->flits;
  ports.send(branch, now, std::move(transfer));
}

template <class Ports>
void TreeUnit::send_copy(unsigned from, unsigned branch, Cycle now, Ports& ports) {
  Held& held = branches_[from].held.front();
  held.left &= ~(Branches{1} << branch);
  if (held.left != 0) ++counters_.copied;
  ++(is_link(branch) ? counters_.to_units : counters_.to_nodes);
  branches_[branch].busy_until = now + held.transfer.packet->flits;
  if (is_link(branch)) {
    router_busy_ = true;
    leaving_from_ = from;
    ++held.leaving;
  } else {
    held.until = std::max(held.until, branches_[branch].busy_until);
  }
  ports.send(branch, now, {held.transfer.packet, 1, held.transfer.hops});
}

/// A packet frees its place with its last copy; the FIFO's next packet is served a cycle later.
template <class Ports>
void TreeUnit::finish(unsigned branch, Cycle now, Ports& ports) {
  std::deque<Held>& held = branches_[branch].held;
  if (held.empty() || !held.front().begun) return;
  const Held& front = held.front();
  if (front.left != 0 || front.leaving != 0) return;
  if (front.until > now) return wake(front.until);
  held.pop_front();
  ports.release(branch, now);
  if (!held.empty()) wake(std::max(held.front().ready, now + 1));
}

}  // namespace tsuji::machines
