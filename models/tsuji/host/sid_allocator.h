// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/nic/tables.h"

namespace tsuji::host {

/// The machine's synchronization identifiers (128; unique in the system for all cids, rooms/host.md, Where
/// the paper is silent, 8), shared by the operating systems of all nodes. All members of a group get one sid.
/// The result does not depend on the order in which processors run within a cycle: requests and releases are
/// processed in the order (cycle, releases first, group).
///
/// Contract, for each member of a group: request(), sid() in a later cycle, and release() at the end.
class SidAllocator {
 public:
  /// `tag` distinguishes groups of equal nodes (a communicator's number).
  struct Group {
    std::uint8_t cid = 0;
    std::uint64_t map = 0;  ///< One bit for each node.
    std::uint32_t tag = 0;
    bool operator<(const Group& o) const { return std::tie(cid, map, tag) < std::tie(o.cid, o.map, o.tag); }
  };

  /// Requests the group's sid for a member; the first request creates the group.
  void request(Cycle now, const Group& group) { add({now, Kind::request, group}); }
  /// The group's sid, in a cycle after the request. Throws ModelError if it was not requested, or if all sids
  /// are in use.
  std::uint8_t sid(Cycle now, const Group& group);
  /// Releases the group for a member that has received its last completion. The sid becomes free when all
  /// members have released it.
  void release(Cycle now, const Group& group) { add({now, Kind::release, group}); }
  /// Sids in use at the end of the cycle before `now`.
  unsigned in_use(Cycle now);

 private:
  enum class Kind : std::uint8_t { release, request };
  struct Event {
    Cycle cycle;
    Kind kind;
    Group group;
    bool operator<(const Event& o) const {
      return std::tie(cycle, kind, group) < std::tie(o.cycle, o.kind, o.group);
    }
  };
  struct Live {
    std::uint8_t sid = 0;
    unsigned released = 0;
  };
  void add(const Event& event);
  void apply_before(Cycle cycle);
  void apply(const Event& event);
  std::uint8_t lowest_free(Cycle cycle) const;

  std::vector<Event> pending_;
  std::map<Group, Live> live_;
  bool used_[nic::sids] = {};
  Cycle applied_ = 0;  ///< Requests and releases before this cycle have been processed.
};

}  // namespace tsuji::host
