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

/// Decisions of the unit at a router that multicasts and synchronizes along a spanning tree (rooms/tree.md),
/// without SystemC. Each branch, a tree link or a node, has a FIFO of whole packets. One port of the router
/// serves all tree links, one packet at a time; each node has a separate channel.
///
/// Contract: accept() and accept_confirmation() for arrivals and departed() for departures, then step() in
/// the cycle; change() and link_died() between two cycles. step() calls the functions of `Ports`:
/// - bool room(unsigned branch, Cycle now): true if the branch has room for a whole packet
/// - void send(unsigned branch, Cycle now, PacketTransfer&&, std::uint32_t number): sends a packet with its
///   number or round; a packet to a tree link occupies the router's port until departed()
/// - void confirm(unsigned branch, Cycle now, const MulticastName&): sends a confirmation to a tree link,
/// which
///   occupies the router's port until departed()
/// - void confirmed(const Packet&): reports that all members have a node's multicast
/// - void release(unsigned branch, Cycle at): frees one place of the branch's FIFO
/// - void wait_room(NodeTree::Branches branches, Cycle now): requests a step when one of these has room
class TreeUnit {
 public:
  using Branches = NodeTree::Branches;
  /// Parts from which a unit is made; all references outlive it.
  struct Parts {
    const TreeConfig& config;  ///< parameters
    const NodeTree& tree;      ///< the present tree
    graph::RouterId router;    ///< router of the unit
    std::string name;          ///< name for errors
    unsigned sources = 0;      ///< number of nodes of the network; 0: the tree does not change
  };
  explicit TreeUnit(const Parts& parts);

  /// Adds a packet to the FIFO of a branch; its last flit arrives in cycle `whole`. `number` is the number of
  /// a multicast among those of its source, or the round of a synchronization, for a packet from a unit; 0 in
  /// a fixed tree.
  void accept(unsigned branch, PacketTransfer&& transfer, Cycle whole, Cycle now, std::uint32_t number = 0);
  /// Adds a confirmation from a tree link, whose last flit arrives in cycle `whole`.
  void accept_confirmation(unsigned branch, const MulticastName& multicast, Cycle whole);
  /// Counts a packet of an earlier tree or a failed link, which is ignored.
  void come_late() { ++counters_.late; }
  /// Reports that the last flit of the packet to a tree link has entered the router. step() follows in the
  /// next cycle.
  void departed();
  /// Does the work of cycle `now`. Returns the next cycle with work that no arrival, departure or room signal
  /// announces; `never`: none.
  template <class Ports>
  Cycle step(Cycle now, Ports& ports);

  /// Adopts the new tree, between two cycles; the nodes of the unit do not change. Packets in FIFOs of tree
  /// links are discarded, and kept multicasts are sent first. departed() still follows for a packet that is
  /// being sent to the router.
  void change();
  /// Marks a tree link as failed, between two cycles: it carries nothing until the next change().
  void link_died(unsigned branch) { dead_ |= Branches{1} << branch; }
  bool is_dead(unsigned branch) const { return (dead_ >> branch & 1U) != 0; }
  /// True if the tree changes in the run.
  bool changes() const { return !taken_.empty(); }
  /// Number of trees before this one.
  std::uint32_t tree_number() const { return static_cast<std::uint32_t>(counters_.changes); }

  const TreeCounters& counters() const { return counters_; }
  /// Number of packets in the FIFOs, synchronizations to be sent, and kept multicasts.
  std::uint64_t packets_held() const;
  /// Number of multicasts that have left and are not confirmed.
  std::uint64_t packets_kept() const;
  /// Number of flits of packets in the unit.
  std::uint64_t flits_held() const;
  /// Number of copies of multicasts that are to leave, or leave at present.
  std::uint64_t copies_to_leave() const;
  /// Number of synchronizations that wait for a branch.
  unsigned barriers_open() const { return barriers_.open(); }

 private:
  struct Held {
    PacketTransfer transfer;
    Cycle ready = 0;       ///< cycle from which the unit may serve the packet
    Cycle until = 0;       ///< cycle in which the last copy has left
    Branches left = 0;     ///< branches that need a copy
    unsigned leaving = 0;  ///< number of copies that are being sent to the router
    bool begun = false;    ///< `left` is valid
    bool again = false;    ///< a kept multicast, which has no place in the FIFO
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
    std::deque<Owed> owed;          ///< synchronizations for the branch
    Turn turn;                      ///< round robin of a node's channel
    Cycle busy_until = 0;           ///< cycle from which a node's channel is free
    std::deque<Held> kept;          ///< multicasts of a node that are not confirmed
    std::uint32_t last_number = 0;  ///< number of a node's last multicast
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
  /// Returns the branches of `of` that have room; the others are added to full_.
  template <class Ports>
  Branches with_room(Branches of, Cycle now, Ports& ports);
  /// Next FIFO in round-robin order whose first packet has copies for one of `branches`; `nobody`: none.
  unsigned next_with_copies(const Turn& turn, Branches branches) const;
  /// True if a synchronization is sent next; false: a copy from FIFO `from`.
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
  std::vector<std::vector<std::uint32_t>>
      taken_;  ///< [node of the router][source]: number of the last multicast that the node has got
  std::deque<Confirmation> confirmations_in_, confirmations_out_;
  Branches dead_ = 0;  ///< tree links that are dead, one bit each
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

/// Serves the first packet of each FIFO: a synchronization ends in the table, without needing room or a turn;
/// a multicast gets its set of branches.
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

/// Sends a confirmation, which needs no room at the neighbour.
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

/// Determines the branches of a multicast. In a tree that changes, members that have the multicast get no
/// further copy.
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

/// Ends a multicast that all members have: confirms it to the branch it came from, or drops the kept copy. A
/// node's multicast that is still in its FIFO is removed by finish().
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

/// Removes the first packet of a FIFO once its last copy has left; the next packet is served one cycle later.
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
