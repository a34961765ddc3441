// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/nic/tables.h"

namespace tsuji::host {

/// The machine's synchronization identifiers (128; unique in the system whatever the cid, rooms/host.md,
/// Where the paper is silent, 7), shared by the operating systems of all nodes. Every member of a group asks
/// for itself and all get the same sid. The result does not depend on the order in which the processors of a
/// cycle run: requests and releases are dealt with in the order of (cycle, releases first, group), and an
/// answer can be had in a later cycle only.
class SidAllocator {
 public:
  /// `tag` tells groups of the same nodes apart (a communicator's number).
  struct Group {
    std::uint8_t cid = 0;
    std::uint64_t map = 0;  ///< one bit a node
    std::uint32_t tag = 0;
    bool operator<(const Group& o) const { return std::tie(cid, map, tag) < std::tie(o.cid, o.map, o.tag); }
  };

  /// A member asks; the first to do so makes the group.
  void request(Cycle now, const Group& group) { add({now, Kind::request, group}); }
  /// The group's sid, in a cycle after the request. ModelError if it was not requested, or if all sids are in
  /// use.
  std::uint8_t sid(Cycle now, const Group& group);
  /// A member has received its last completion. The sid is free again when all have said so.
  void release(Cycle now, const Group& group) { add({now, Kind::release, group}); }
  /// Sids in use by the end of the cycle before `now`.
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
  Cycle applied_ = 0;  ///< everything before this cycle has been dealt with
};

}  // namespace tsuji::host
