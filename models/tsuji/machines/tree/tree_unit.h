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
#include "tsuji/machines/tree/tree_confirmations.h"

namespace tsuji::machines {

/// Decisions of the unit at a router that multicasts and synchronizes along a tree (rooms/tree.md). Each
/// branch, a tree link or a node, has a FIFO of whole packets. One port of the router serves all tree links,
/// one packet at a time; each node has a channel of its own.
///
/// No SystemC here. `Ports` is whatever the unit is wired to:
/// - bool room(unsigned branch, Cycle now): a whole packet has room beyond the branch
/// - void send(unsigned branch, Cycle now, PacketTransfer&&, std::uint32_t number): the packet leaves with
/// its number or round; to a tree link until departed()
/// - void confirm(unsigned branch, Cycle now, const MulticastName&): a confirmation leaves for a tree link,
/// until departed()
/// - void confirmed(const Packet&): the unit keeps a node's multicast no longer
/// - void release(unsigned branch, Cycle at): the branch's FIFO has one place more
/// - void wait_room(NodeTree::Branches branches, Cycle now): step again when one of these has room
class TreeUnit {
 public:
  using Branches = NodeTree::Branches;
  struct Parts {
    const TreeConfig& config;
    const NodeTree& tree;
    graph::RouterId router;
    std::string name;      ///< for errors
    unsigned sources = 0;  ///< nodes of the network; 0: the tree does not change
  };
  explicit TreeUnit(const Parts& parts);

  /// A packet in the FIFO of a branch, all of it from cycle `whole` on. `number`: from a unit, a multicast's
  /// among those of its source, or a synchronization's round; 0 where the tree does not change.
  void accept(unsigned branch, PacketTransfer&& transfer, Cycle whole, Cycle now, std::uint32_t number = 0);
  /// A confirmation from a tree link, all of it from cycle `whole` on.
  void accept_confirmation(unsigned branch, const MulticastName& multicast, Cycle whole);
  /// A packet from a unit counts for nothing.
  void come_late() { ++counters_.late; }
  /// The last flit of the packet to a tree link has entered the router; step() from the next cycle on.
  void departed();
  /// Everything that happens in cycle `now`. Returns the next cycle in which something may happen that no
  /// arrival, departure or room announces; `never` if there is none.
  template <class Ports>
  Cycle step(Cycle now, Ports& ports);

  /// Between two cycles: the tree is another one, with the same nodes at this unit. Everything of its links
  /// is gone; kept multicasts go first. A packet on its way to the router is still to depart.
  void change();
  /// Between two cycles: a tree link is dead, and carries nothing until the next change.
  void link_died(unsigned branch) { dead_ |= Branches{1} << branch; }
  bool is_dead(unsigned branch) const { return (dead_ >> branch & 1U) != 0; }
  bool changes() const { return !taken_.empty(); }
  /// Trees before this one.
  std::uint32_t tree_number() const { return static_cast<std::uint32_t>(counters_.changes); }

  const TreeCounters& counters() const { return counters_; }
  /// Packets in the FIFOs, synchronizations to be sent, and multicasts that are kept.
  std::uint64_t packets_held() const;
  /// Multicasts that left and are not confirmed.
  std::uint64_t packets_kept() const;
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
    bool again = false;    ///< kept before: it has no place in the FIFO
    std::uint32_t number = 0;
    MulticastName name() const { return {transfer.packet->source.node(), number}; }
  };
  struct Owed {
    PacketTransfer transfer;
    std::uint32_t round = 0;
  };
  struct Confirmation {
    unsigned branch;
    MulticastName multicast;
    Cycle ready = 0;
  };
  /// Round robin of an output over FIFOs, and over copies and synchronizations.
  struct Turn {
    unsigned fifo = 0;
    bool owed_was_last = false;
  };
  struct Branch {
    std::deque<Held> held;
    std::deque<Owed> owed;          ///< synchronizations to it
    Turn turn;                      ///< of a node
    Cycle busy_until = 0;           ///< the channel to a node
    std::deque<Held> kept;          ///< multicasts of a node that members are still to confirm
    std::uint32_t last_number = 0;  ///< of a node's multicasts
  };
  static constexpr unsigned nobody = ~0U;

  bool is_link(unsigned branch) const { return branch < links_; }
  void wake(Cycle cycle) {
    if (cycle < next_) next_ = cycle;
  }
  template <class Ports>
  void look_at_confirmations(Cycle now, Ports& ports);
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
  template <class Ports>
  void send_confirmation(Cycle now, Ports& ports);
  template <class Ports>
  void begin(unsigned branch, Cycle now, Ports& ports);
  template <class Ports>
  void confirm(const MulticastName& multicast, unsigned branch, Cycle now, Ports& ports);
  template <class Ports>
  void all_confirmed(const MulticastName& multicast, unsigned from, Cycle now, Ports& ports);

  bool may_begin(unsigned branch) const;
  Branches members_of(const Packet& packet) const;
  Branches members_that_have(const Held& held, Branches members) const;
  void absorb(unsigned branch, const PacketTransfer& transfer, std::uint32_t round, Cycle now);
  void owe(const PacketTransfer& transfer, Branches branches);
  void forget_links();
  void begin_again(Branch& node);
  std::size_t places_taken(unsigned branch) const;
  Branches wanted() const;
  [[noreturn]] void refuse(Cycle now, const Packet& packet, const std::string& what) const;

  const TreeConfig& config_;
  const NodeTree& tree_;
  const graph::RouterId router_;
  const std::string name_;
  unsigned links_;
  std::vector<Branch> branches_;
  TreeBarriers barriers_;
  TreeConfirmations confirmations_;
  std::vector<std::vector<std::uint32_t>> taken_;  ///< [node of the router][source]: the last number
  std::deque<Confirmation> confirmations_in_, confirmations_out_;
  Branches dead_ = 0;  ///< tree links
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
  look_at_confirmations(now, ports);
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
        if (may_begin(branch)) begin(branch, now, ports);
        break;
      }
      const PacketTransfer transfer = std::move(held.front().transfer);
      const std::uint32_t round = held.front().number;
      held.pop_front();
      ports.release(branch, now);
      absorb(branch, transfer, round, now);
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
  if (!confirmations_out_.empty()) return send_confirmation(now, ports);
  const Branches room = with_room(wanted() & ((Branches{1} << links_) - 1) & ~dead_, now, ports);
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
  Owed owed = std::move(branches_[branch].owed.front());
  branches_[branch].owed.pop_front();
  ++counters_.released;
  ++(is_link(branch) ? counters_.to_units : counters_.to_nodes);
  if (is_link(branch)) router_busy_ = true;
  branches_[branch].busy_until = now + owed.transfer.packet->flits;
  ports.send(branch, now, std::move(owed.transfer), owed.round);
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
    ++counters_.given;
  }
  ports.send(branch, now, {held.transfer.packet, 1, held.transfer.hops}, held.number);
  if (is_link(branch) || !changes()) return;
  taken_[branch - links_][held.name().source] = held.number;
  confirm(held.name(), branch, now, ports);
}

/// Needs no room where it ends.
template <class Ports>
void TreeUnit::send_confirmation(Cycle now, Ports& ports) {
  const Confirmation next = confirmations_out_.front();
  confirmations_out_.pop_front();
  ++counters_.confirmations;
  router_busy_ = true;
  ports.confirm(next.branch, now, next.multicast);
}

template <class Ports>
void TreeUnit::look_at_confirmations(Cycle now, Ports& ports) {
  for (; !confirmations_in_.empty(); confirmations_in_.pop_front()) {
    const Confirmation& next = confirmations_in_.front();
    if (next.ready > now) return wake(next.ready);
    confirm(next.multicast, next.branch, now, ports);
  }
}

/// In a tree that changes, a member takes a multicast once, and has it from then on.
template <class Ports>
void TreeUnit::begin(unsigned branch, Cycle now, Ports& ports) {
  Held& front = branches_[branch].held.front();
  const Packet& packet = *front.transfer.packet;
  front.left = members_of(packet);
  // A node may be a member of its own multicast.
  if (is_link(branch)) front.left &= ~(Branches{1} << branch);
  if (front.left == 0) refuse(now, packet, "has no member in another branch than its own");
  front.begun = true;
  if (!changes()) return;
  const Branches awaited = front.left & ~members_that_have(front, front.left);
  front.left = awaited & ~TreeConfirmations::outside;
  if (front.left == 0) ++counters_.swallowed;
  if (awaited == 0) return all_confirmed(front.name(), branch, now, ports);
  confirmations_.open(front.name(), branch, awaited, now);
}

template <class Ports>
void TreeUnit::confirm(const MulticastName& multicast, unsigned branch, Cycle now, Ports& ports) {
  if (const auto from = confirmations_.confirm(multicast, branch, now))
    all_confirmed(multicast, *from, now, ports);
}

/// A node's multicast may still be in its FIFO, which it leaves by finish() then.
template <class Ports>
void TreeUnit::all_confirmed(const MulticastName& multicast, unsigned from, Cycle now, Ports& ports) {
  wake(now + 1);
  if (is_link(from)) {
    confirmations_out_.push_back({from, multicast});
    return;
  }
  std::deque<Held>& kept = branches_[from].kept;
  const auto place = std::find_if(kept.begin(), kept.end(),
                                  [&](const Held& held) { return held.number == multicast.number; });
  if (place == kept.end()) return;
  ports.confirmed(*place->transfer.packet);
  kept.erase(place);
}

/// A packet frees its place with its last copy; the FIFO's next packet is served a cycle later.
template <class Ports>
void TreeUnit::finish(unsigned branch, Cycle now, Ports& ports) {
  std::deque<Held>& held = branches_[branch].held;
  if (held.empty() || !held.front().begun) return;
  const Held& front = held.front();
  if (front.left != 0 || front.leaving != 0) return;
  if (front.until > now) return wake(front.until);
  const bool has_place = !front.again;
  if (changes() && !is_link(branch)) {
    if (confirmations_.is_open(front.name()))
      branches_[branch].kept.push_back(std::move(held.front()));
    else
      ports.confirmed(*front.transfer.packet);
  }
  held.pop_front();
  if (has_place) ports.release(branch, now);
  if (!held.empty()) wake(std::max(held.front().ready, now + 1));
}

}  // namespace tsuji::machines
