// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"

namespace tsuji::observe {

/// The packets that are in the system: entered by their sources, taken out by their identity. Knows of every
/// packet that leaves whether it is one that was born and is still inside. A few instructions a packet.
class BirthLedger {
 public:
  /// `part`: in whose name it fails; outlives the ledger.
  explicit BirthLedger(unsigned sources, const char* part = "measurement") : sources_(sources), part_(part) {}

  /// The source's next packet: packet_id(source, 0), (source, 1), ...
  void born(NodeId source_id, Cycle created) {
    Source& source = sources_[source_id];
    if (source.next - source.first == source.capacity) grow(source);
    source.at(source.next++) = created;
    ++inside_;
  }
  /// Takes a packet out and gives the cycle of its birth. ModelError where it is not inside: left twice, or
  /// was never born.
  Cycle take(PacketId id, Cycle now) { return take(id, packet_source(id).node(), now); }
  /// The same for a packet whose number does not begin with its source's place among all.
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

  std::uint64_t inside() const { return inside_; }
  std::uint64_t sources() const { return sources_.size(); }
  /// Calls `visit(created)` for every packet inside.
  template <class F>
  void for_each(F visit) const {
    for (const Source& source : sources_) {
      for (std::uint32_t serial = source.first; serial != source.next; ++serial) {
        if (source.at(serial) != never) visit(source.at(serial));
      }
    }
  }

 private:
  /// A ring of birth cycles by serial number, from the oldest packet that is inside; `never`: has left.
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
