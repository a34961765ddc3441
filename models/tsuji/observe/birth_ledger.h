// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"

namespace tsuji::observe {

/// Ledger of the packets in the system, with their birth cycles. It detects packets that leave twice or were
/// never born. Costs a few instructions for each packet.
///
/// Contract: born() for the packets of a source in the order of their serial numbers; take() once for each.
class BirthLedger {
 public:
  /// `part` names the owner in errors, and outlives the ledger.
  explicit BirthLedger(unsigned sources, const char* part = "measurement") : sources_(sources), part_(part) {}

  /// Adds the next packet of a source: packet_id(source, 0), packet_id(source, 1), ...
  void born(NodeId source_id, Cycle created) {
    Source& source = sources_[source_id];
    if (source.next - source.first == source.capacity) grow(source);
    source.at(source.next++) = created;
    ++inside_;
  }
  /// Removes a packet and returns its birth cycle. Throws ModelError for a packet that is not in the system.
  Cycle take(PacketId id, Cycle now) { return take(id, packet_source(id).node(), now); }
  /// take() for a packet whose identity does not contain `source_id`, the index of its source in this ledger.
  Cycle take(PacketId id, NodeId source_id, Cycle now) {
    const auto serial = static_cast<std::uint32_t>(id);
    if (source_id >= sources_.size()) refuse(id, now);
    Source& source = sources_[source_id];
    if (serial - source.first >= source.next - source.first) refuse(id, now);
    const Cycle created = source.at(serial);
    if (created == never) refuse(id, now);
    source.at(serial) = never;
    while (source.first != source.next && source.at(source.first) == never) ++source.first;
    --inside_;
    return created;
  }

  /// Number of packets in the system.
  std::uint64_t inside() const { return inside_; }
  std::uint64_t sources() const { return sources_.size(); }
  /// Calls `visit(created)` for every packet in the system.
  template <class F>
  void for_each(F visit) const {
    for (const Source& source : sources_) {
      for (std::uint32_t serial = source.first; serial != source.next; ++serial) {
        if (source.at(serial) != never) visit(source.at(serial));
      }
    }
  }

 private:
  /// Ring of birth cycles by serial number, from the oldest packet in the system on; `never`: it has left.
  struct Source {
    std::unique_ptr<Cycle[]> ring;
    std::uint32_t capacity = 0;  ///< 0 or a power of two
    std::uint32_t first = 0, next = 0;
    Cycle& at(std::uint32_t serial) const { return ring[serial & (capacity - 1)]; }
  };
  static void grow(Source& source);
  [[noreturn]] void refuse(PacketId id, Cycle now) const;

  std::vector<Source> sources_;
  const char* part_;
  std::uint64_t inside_ = 0;
};

}  // namespace tsuji::observe
