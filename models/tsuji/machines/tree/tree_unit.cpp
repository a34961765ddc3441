// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/tree/tree_unit.h"

#include <algorithm>

#include "tsuji/core/error.h"

namespace tsuji::machines {

void TreeConfig::validate() const {
  if (fifo_packets < 1 || fifo_packets > 8)
    throw ConfigError("tree.fifo_packets", std::to_string(fifo_packets), "out of range", "1..8");
  if (cycles < 1 || cycles > 1000)
    throw ConfigError("tree.cycles", std::to_string(cycles), "out of range", "1..1000");
  if (change_cycles < 1 || change_cycles > 1'000'000'000)
    throw ConfigError("tree.change_cycles", std::to_string(change_cycles), "out of range", "1..1000000000");
  if (kept_packets < 1 || kept_packets > 1024)
    throw ConfigError("tree.kept_packets", std::to_string(kept_packets), "out of range", "1..1024");
}

void add_tree_keys(config::KeyTable& keys, TreeConfig& tree) {
  keys.add("tree.root", tree.root, {0, 65535}, "auto", "",
           "root router of the multicast tree; auto: a router with the least distance to its farthest "
           "router, among several the lowest");
  keys.add("tree.fifo_packets", tree.fifo_packets, {1, 8}, "packets",
           "capacity of a unit's FIFO for each tree link and node, in packets of any size");
  keys.add("tree.change_cycles", tree.change_cycles, {1, 1'000'000'000}, "cycles",
           "time from a failure or repair of a link until all units use the next tree");
  keys.add("tree.kept_packets", tree.kept_packets, {1, 1024}, "packets",
           "multicasts of each node that its unit keeps for retransmission until all members have confirmed "
           "them; used in runs whose links fail or return");
  keys.add("tree.cycles", tree.cycles, {1, 1000}, "cycles",
           "latency of a unit of the tree, from a packet's last flit at its input to the head at its output");
}

TreeCounters& TreeCounters::operator+=(const TreeCounters& other) {
  from_nodes += other.from_nodes;
  from_units += other.from_units;
  to_nodes += other.to_nodes;
  to_units += other.to_units;
  multicasts += other.multicasts;
  synchronizations += other.synchronizations;
  copied += other.copied;
  merged += other.merged;
  released += other.released;
  due += other.due;
  given += other.given;
  changes = std::max(changes, other.changes);
  confirmations += other.confirmations;
  discarded += other.discarded;
  sent_again += other.sent_again;
  swallowed += other.swallowed;
  late += other.late;
  return *this;
}

TreeUnit::TreeUnit(const Parts& parts)
    : config_(parts.config),
      tree_(parts.tree),
      router_(parts.router),
      name_(parts.name),
      links_(static_cast<unsigned>(parts.tree.links(parts.router).size())),
      branches_(parts.tree.branches(parts.router)),
      barriers_(links_, parts.tree.branches(parts.router), parts.sources != 0),
      confirmations_(parts.sources, parts.name) {
  if (parts.sources == 0) return;
  taken_.assign(std::max<std::size_t>(branches_.size() - links_, 1),
                std::vector<std::uint32_t>(parts.sources));
}

void TreeUnit::accept(unsigned branch, PacketTransfer&& transfer, Cycle whole, Cycle now,
                      std::uint32_t number) {
  const Packet& packet = *transfer.packet;
  if (places_taken(branch) == config_.fifo_packets) refuse(now, packet, "arrived without room in the FIFO");
  ++(is_link(branch) ? counters_.from_units : counters_.from_nodes);
  if (!is_link(branch) && packet.kind == PacketKind::multicast) {
    ++counters_.multicasts;
    number = ++branches_[branch].last_number;
    const std::uint64_t members = changes() ? packet.map : tree_.in_tree(packet.group, packet.map);
    counters_.due += static_cast<unsigned>(__builtin_popcountll(members));
  } else if (!is_link(branch)) {
    ++counters_.synchronizations;
  }
  Held held;
  held.number = number;
  held.transfer = std::move(transfer);
  held.ready = whole + config_.cycles - 1;
  branches_[branch].held.push_back(std::move(held));
}

void TreeUnit::departed() {
  router_busy_ = false;
  if (leaving_from_ == nobody) return;
  Held& held = branches_[leaving_from_].held.front();
  --held.leaving;
  leaving_from_ = nobody;
}

void TreeUnit::accept_confirmation(unsigned branch, const MulticastName& multicast, Cycle whole) {
  confirmations_in_.push_back({branch, multicast, whole + config_.cycles - 1});
}

/// Places of the FIFO, which kept multicasts that go again do not take.
std::size_t TreeUnit::places_taken(unsigned branch) const {
  const std::deque<Held>& held = branches_[branch].held;
  std::size_t taken = held.size();
  for (const Held& one : held) {
    if (!one.again) break;
    --taken;
  }
  return taken;
}

/// A node's multicasts wait while as many as the unit keeps are not confirmed.
bool TreeUnit::may_begin(unsigned branch) const {
  return !changes() || is_link(branch) || branches_[branch].kept.size() < config_.kept_packets;
}

/// Branches with members, and where the tree changes whether there are others that none leads to.
TreeUnit::Branches TreeUnit::members_of(const Packet& packet) const {
  const Branches members = tree_.branches_towards(router_, packet.group, packet.map);
  if (!changes()) return members;
  const bool all = tree_.contains(router_) && tree_.in_tree(packet.group, packet.map) == packet.map;
  return all ? members : members | TreeConfirmations::outside;
}

/// Nodes of this router: the numbers of a source come in order in each tree, so a member that has one has
/// those before it, too.
TreeUnit::Branches TreeUnit::members_that_have(const Held& held, Branches members) const {
  Branches have = 0;
  for (unsigned branch = links_; branch < branches_.size(); ++branch)
    if ((members >> branch & 1U) != 0 && taken_[branch - links_][held.name().source] >= held.number)
      have |= Branches{1} << branch;
  return have;
}

/// The last packet of a round represents all, as in a crosspoint switch.
void TreeUnit::absorb(unsigned branch, const PacketTransfer& transfer, std::uint32_t round, Cycle now) {
  ++counters_.merged;
  owe(transfer, barriers_.arrive(branch, transfer, round, members_of(*transfer.packet), now, name_));
}

void TreeUnit::owe(const PacketTransfer& transfer, Branches branches) {
  for (Branches next = branches; next != 0; next &= next - 1) {
    const auto branch = static_cast<unsigned>(__builtin_ctzll(next));
    branches_[branch].owed.push_back(
        {{transfer.packet, 1, transfer.hops}, barriers_.round(*transfer.packet, branch)});
  }
}

void TreeUnit::change() {
  ++counters_.changes;
  forget_links();
  for (Branch& node : branches_) begin_again(node);
  links_ = static_cast<unsigned>(tree_.links(router_).size());
  branches_.insert(branches_.begin(), links_, Branch{});
  const auto members = [this](const Packet& packet) { return members_of(packet); };
  for (const TreeBarriers::Due& due : barriers_.change(links_, members)) owe(due.transfer, due.branches);
}

void TreeUnit::forget_links() {
  for (unsigned branch = 0; branch < links_; ++branch)
    for (const Held& held : branches_[branch].held)
      if (!held.begun || held.left != 0) ++counters_.discarded;
  branches_.erase(branches_.begin(), branches_.begin() + links_);
  confirmations_.clear();
  confirmations_in_.clear();
  confirmations_out_.clear();
  link_turn_ = {};
  leaving_from_ = nobody;
  dead_ = 0;
}

/// The node's multicasts that are not confirmed go before others, in their order.
void TreeUnit::begin_again(Branch& node) {
  if (!node.held.empty() && node.held.front().begun) {
    Held& front = node.held.front();
    if (front.left == 0) ++counters_.sent_again;
    front.begun = false;
    front.left = 0;
    front.leaving = 0;
  }
  counters_.sent_again += node.kept.size();
  for (; !node.kept.empty(); node.kept.pop_back()) {
    Held again = std::move(node.kept.back());
    again.begun = false;
    again.again = true;
    node.held.push_front(std::move(again));
  }
  node.turn = {};
}

/// The branches for which there is something to send.
TreeUnit::Branches TreeUnit::wanted() const {
  Branches wanted = 0;
  for (unsigned branch = 0; branch < branches_.size(); ++branch) {
    if (!branches_[branch].owed.empty()) wanted |= Branches{1} << branch;
    if (!branches_[branch].held.empty()) wanted |= branches_[branch].held.front().left;
  }
  return wanted;
}

bool TreeUnit::owed_goes(Turn& turn, bool owed, unsigned from) {
  turn.owed_was_last = owed && (from == nobody || !turn.owed_was_last);
  if (!turn.owed_was_last) turn.fifo = from + 1;
  return turn.owed_was_last;
}

unsigned TreeUnit::next_with_copies(const Turn& turn, Branches branches) const {
  for (std::size_t tried = 0; tried < branches_.size(); ++tried) {
    const std::size_t from = (turn.fifo + tried) % branches_.size();
    if (!branches_[from].held.empty() && (branches_[from].held.front().left & branches) != 0)
      return static_cast<unsigned>(from);
  }
  return nobody;
}

std::uint64_t TreeUnit::packets_held() const {
  std::uint64_t packets = 0;
  for (const Branch& branch : branches_)
    packets += branch.held.size() + branch.owed.size() + branch.kept.size();
  return packets;
}

std::uint64_t TreeUnit::packets_kept() const {
  std::uint64_t packets = 0;
  for (const Branch& branch : branches_) packets += branch.kept.size();
  return packets;
}

std::uint64_t TreeUnit::flits_held() const {
  std::uint64_t flits = 0;
  for (const Branch& branch : branches_) {
    for (const Held& held : branch.held) flits += held.transfer.packet->flits;
    for (const Held& held : branch.kept) flits += held.transfer.packet->flits;
    for (const Owed& owed : branch.owed) flits += owed.transfer.packet->flits;
  }
  return flits;
}

std::uint64_t TreeUnit::copies_to_leave() const {
  std::uint64_t copies = 0;
  for (const Branch& branch : branches_)
    for (const auto* const list : {&branch.held, &branch.kept})
      for (const Held& held : *list)
        copies += static_cast<unsigned>(__builtin_popcountll(held.left)) + held.leaving;
  return copies;
}

void TreeUnit::refuse(Cycle now, const Packet& packet, const std::string& what) const {
  throw ModelError(name_, now, packet_name(packet.id), what);
}

}  // namespace tsuji::machines
