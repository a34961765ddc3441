// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/tree/tree_unit.h"

#include "tsuji/core/error.h"

namespace tsuji::machines {
namespace {

TreeUnit::Ends bits_from(unsigned first, unsigned end) {
  TreeUnit::Ends bits = 0;
  for (unsigned bit = first; bit < end; ++bit) bits |= TreeUnit::Ends{1} << bit;
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
      ends_(parts.tree.ends(parts.router)),
      barriers_(bits_from(links_, parts.tree.ends(parts.router))),
      turn_(ends_.size() + 1),
      owed_was_last_(ends_.size() + 1) {}

void TreeUnit::accept(unsigned end, PacketTransfer&& transfer, Cycle whole, Cycle now) {
  const Packet& packet = *transfer.packet;
  if (ends_[end].held.size() == config_.fifo_packets) refuse(now, packet, "came without room");
  ++(is_link(end) ? counters_.from_units : counters_.from_nodes);
  if (!is_link(end))
    ++(packet.kind == PacketKind::multicast ? counters_.multicasts : counters_.synchronizations);
  Held held;
  held.transfer = std::move(transfer);
  held.ready = whole + config_.cycles - 1;
  ends_[end].held.push_back(std::move(held));
}

void TreeUnit::departed(Cycle now) {
  router_busy_ = false;
  router_free_at_ = now + 1;
  if (leaving_from_ == nobody) return;
  Held& held = ends_[leaving_from_].held.front();
  --held.leaving;
  held.until = std::max(held.until, now + 1);
  leaving_from_ = nobody;
}

void TreeUnit::begin(unsigned end, Cycle now) {
  Held& front = ends_[end].held.front();
  const Packet& packet = *front.transfer.packet;
  front.left = tree_.ends_towards(router_, packet.group, packet.map);
  // A node may be a member of its own multicast; a neighbour serves its side itself.
  if (is_link(end)) front.left &= ~(Ends{1} << end);
  if (front.left == 0) refuse(now, packet, "is for no node of the tree behind " + name_);
  front.begun = true;
}

/// The last packet of a round goes on in the place of all, as in a crosspoint switch.
void TreeUnit::absorb(unsigned end, const PacketTransfer& transfer, Cycle now) {
  ++counters_.merged;
  const Packet& packet = *transfer.packet;
  const Ends members = tree_.ends_towards(router_, 0, packet.map);
  for (Ends told = barriers_.arrive(end, packet, members, now, name_); told != 0; told &= told - 1)
    ends_[static_cast<unsigned>(__builtin_ctzll(told))].owed.push_back({transfer.packet, 1, transfer.hops});
}

/// The ends for which there is something to send.
TreeUnit::Ends TreeUnit::wanted() const {
  Ends wanted = 0;
  for (unsigned end = 0; end < ends_.size(); ++end) {
    if (!ends_[end].owed.empty()) wanted |= Ends{1} << end;
    if (!ends_[end].held.empty()) wanted |= ends_[end].held.front().left;
  }
  return wanted;
}

unsigned TreeUnit::next_with_copies(unsigned turn, Ends ends) const {
  for (std::size_t tried = 0; tried < ends_.size(); ++tried) {
    const std::size_t from = (turn + tried) % ends_.size();
    if (!ends_[from].held.empty() && (ends_[from].held.front().left & ends) != 0)
      return static_cast<unsigned>(from);
  }
  return nobody;
}

std::uint64_t TreeUnit::packets_held() const {
  std::uint64_t packets = 0;
  for (const End& end : ends_) packets += end.held.size() + end.owed.size();
  return packets;
}

std::uint64_t TreeUnit::flits_held() const {
  std::uint64_t flits = 0;
  for (const End& end : ends_) {
    for (const Held& held : end.held) flits += held.transfer.packet->flits;
    for (const PacketTransfer& owed : end.owed) flits += owed.packet->flits;
  }
  return flits;
}

void TreeUnit::refuse(Cycle now, const Packet& packet, const std::string& what) const {
  throw ModelError(name_, now, packet_name(packet.id), what);
}

}  // namespace tsuji::machines
