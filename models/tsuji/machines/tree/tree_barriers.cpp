// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/tree/tree_barriers.h"

#include <algorithm>
#include <limits>

#include "tsuji/core/error.h"
#include "tsuji/machines/tree/tree_confirmations.h"

namespace tsuji::machines {
namespace {

template <class Visit>
void visit_bits(TreeBarriers::Branches branches, const Visit& visit) {
  for (; branches != 0; branches &= branches - 1) visit(static_cast<unsigned>(__builtin_ctzll(branches)));
}

}  // namespace

bool TreeBarriers::Entry::is_open() const {
  const Branches here = members & ~TreeConfirmations::outside;
  if (here == 0) return false;
  const std::uint32_t first = of_branch[static_cast<unsigned>(__builtin_ctzll(here))].arrived;
  bool open = false;
  visit_bits(here, [&](unsigned branch) {
    open |= of_branch[branch].arrived != first || of_branch[branch].notified != first;
  });
  return open;
}

/// In a tree that does not change the entry of a sid is the next set's when no round is open.
TreeBarriers::Entry& TreeBarriers::entry_of(const Packet& packet, Cycle now, const std::string& where) {
  std::vector<Entry>& of_sid = entries_[packet.sid];
  Entry* own = nullptr;
  for (Entry& entry : of_sid) {
    if (entry.map == packet.map)
      own = &entry;
    else if (first_tree_ && entry.is_open())
      throw ModelError(
          where, now, packet_name(packet.id),
          "synchronization " + std::to_string(packet.sid) + " is in use by another set of nodes");
  }
  if (own != nullptr) return *own;
  if (!changes_) of_sid.clear();
  of_sid.emplace_back();
  of_sid.back().map = packet.map;
  of_sid.back().of_branch.resize(branches_);
  return of_sid.back();
}

TreeBarriers::Branches TreeBarriers::arrive(unsigned branch, const PacketTransfer& transfer,
                                            std::uint32_t round, Branches members, Cycle now,
                                            const std::string& where) {
  const Packet& packet = *transfer.packet;
  Entry& entry = entry_of(packet, now, where);
  const auto refuse = [&](const std::string& what) {
    throw ModelError(where, now, packet_name(packet.id),
                     "synchronization " + std::to_string(packet.sid) + " " + what);
  };
  if ((members >> branch & 1U) == 0)
    refuse("arrived by branch " + std::to_string(branch) + ", which has no member");
  Round& own = entry.of_branch[branch];
  if (round == next_round) round = own.arrived + 1;
  const bool released = own.arrived <= own.notified || (branch < links_ && !first_tree_);
  if (!released || round <= own.arrived)
    refuse("arrived twice by branch " + std::to_string(branch) + " in one round");
  entry.members = members;
  if (changes_) entry.last = transfer;
  own.arrived = round;
  return notify(entry);
}

/// The least round of all members but one is that of all, but for the member that has it alone.
TreeBarriers::Branches TreeBarriers::notify(Entry& entry) const {
  if ((entry.members & TreeConfirmations::outside) != 0) return 0;
  constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t least = none, second = none;
  unsigned last = branches_;
  visit_bits(entry.members, [&](unsigned branch) {
    const std::uint32_t arrived = entry.of_branch[branch].arrived;
    if (arrived < least) {
      second = std::exchange(least, arrived);
      last = branch;
    } else {
      second = std::min(second, arrived);
    }
  });
  Branches notified = 0;
  visit_bits(entry.members, [&](unsigned branch) {
    const std::uint32_t round = branch < links_ && branch == last ? second : least;
    if (round == none || round <= entry.of_branch[branch].notified) return;
    entry.of_branch[branch].notified = round;
    notified |= Branches{1} << branch;
  });
  return notified;
}

std::uint32_t TreeBarriers::round(const Packet& packet, unsigned branch) const {
  const std::vector<Entry>& of_sid = entries_[packet.sid];
  const auto own =
      std::find_if(of_sid.begin(), of_sid.end(), [&](const Entry& entry) { return entry.map == packet.map; });
  return own == of_sid.end() ? 0 : own->of_branch[branch].notified;
}

unsigned TreeBarriers::open() const {
  unsigned open = 0;
  for (const std::vector<Entry>& of_sid : entries_)
    open += static_cast<unsigned>(
        std::count_if(of_sid.begin(), of_sid.end(), [](const Entry& entry) { return entry.is_open(); }));
  return open;
}

/// False: no node of the unit has arrived, and units that have such nodes send what they know.
bool TreeBarriers::keep_nodes(Entry& entry, unsigned links) const {
  std::vector<Round> rounds(branches_);
  std::copy(entry.of_branch.begin() + links, entry.of_branch.end(), rounds.begin() + links_);
  entry.of_branch = std::move(rounds);
  return std::any_of(entry.of_branch.begin(), entry.of_branch.end(),
                     [](const Round& round) { return round.arrived != 0; });
}

}  // namespace tsuji::machines
