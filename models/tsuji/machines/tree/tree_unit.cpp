// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/tree/tree_unit.h"

#include "tsuji/core/error.h"

namespace tsuji::machines {
namespace {

TreeUnit::Branches bits_from(unsigned first, unsigned branch) {
  TreeUnit::Branches bits = 0;
  for (unsigned bit = first; bit < branch; ++bit) bits |= TreeUnit::Branches{1} << bit;
  return bits;
}

}  // namespace

void TreeConfig::validate() const {
  if (fifo_packets < 1 || fifo_packets > 8)
    throw ConfigError("tree.fifo_packets", std::to_string(fifo_packets), "out of range", "1..8");
  if (cycles < 1 || cycles > 1000)
    throw ConfigError("tree.cycles", std::to_string(cycles), "out of range", "1..1000");
}

void add_tree_keys(config::KeyTable& keys, TreeConfig& tree) {
  keys.add("tree.root", tree.root, {0, 65535}, "auto", "",
           "router that is the root of the tree of units; auto: the lowest of those whose farthest router is "
           "nearest");
  keys.add("tree.fifo_packets", tree.fifo_packets, {1, 8}, "packets",
           "FIFO of a unit for each tree link and node, in whole packets");
  keys.add("tree.cycles", tree.cycles, {1, 1000}, "cycles",
           "unit of the tree: last flit in to head on its way out");
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
  return *this;
}

TreeUnit::TreeUnit(const Parts& parts)
    : config_(parts.config),
      tree_(parts.tree),
      router_(parts.router),
      name_(parts.name),
      links_(static_cast<unsigned>(parts.tree.links(parts.router).size())),
      branches_(parts.tree.branches(parts.router)),
      barriers_(bits_from(links_, parts.tree.branches(parts.router))) {}

void TreeUnit::accept(unsigned branch, PacketTransfer&& transfer, Cycle whole, Cycle now) {
  const Packet& packet = *transfer.packet;
  if (branches_[branch].held.size() == config_.fifo_packets) refuse(now, packet, "came without room");
  ++(is_link(branch) ? counters_.from_units : counters_.from_nodes);
  if (!is_link(branch))
    ++(packet.kind == PacketKind::multicast ? counters_.multicasts : counters_.synchronizations);
  Held held;
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

void TreeUnit::begin(unsigned branch, Cycle now) {
  Held& front = branches_[branch].held.front();
  const Packet& packet = *front.transfer.packet;
  front.left = tree_.branches_towards(router_, packet.group, packet.map);
  // A node may be a member of its own multicast.
  if (is_link(branch)) front.left &= ~(Branches{1} << branch);
  if (front.left == 0) refuse(now, packet, "has no member in another branch than its own");
  front.begun = true;
}

/// The last packet of a round stands for all, as in a crosspoint switch.
void TreeUnit::absorb(unsigned branch, const PacketTransfer& transfer, Cycle now) {
  ++counters_.merged;
  const Packet& packet = *transfer.packet;
  const Branches members = tree_.branches_towards(router_, 0, packet.map);
  for (Branches next = barriers_.arrive(branch, packet, members, now, name_); next != 0; next &= next - 1)
    branches_[static_cast<unsigned>(__builtin_ctzll(next))].owed.push_back(
        {transfer.packet, 1, transfer.hops});
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
  for (const Branch& branch : branches_) packets += branch.held.size() + branch.owed.size();
  return packets;
}

std::uint64_t TreeUnit::flits_held() const {
  std::uint64_t flits = 0;
  for (const Branch& branch : branches_) {
    for (const Held& held : branch.held) flits += held.transfer.packet->flits;
    for (const PacketTransfer& owed : branch.owed) flits += owed.packet->flits;
  }
  return flits;
}

void TreeUnit::refuse(Cycle now, const Packet& packet, const std::string& what) const {
  throw ModelError(name_, now, packet_name(packet.id), what);
}

}  // namespace tsuji::machines
