#pragma once

#include <cstdint>
#include <vector>

#include "core/packet.h"
#include "core/units.h"

namespace tsuji::observe {

/// The packets that are in the system: entered by their sources, taken out by their identity. Knows of every
/// packet that leaves whether it is one that was born and is still inside. A few instructions a packet.
class BirthLedger {
 public:
  explicit BirthLedger(unsigned sources) : sources_(sources) {}

  /// The source's next packet: packet_id(source, 0), (source, 1), ...
  void born(NodeId source, Cycle created);
  /// Takes a packet out and gives the cycle of its birth. ModelError where it is not inside: left twice, or
  /// was never born.
  Cycle take(PacketId id, Cycle now);

  std::uint64_t inside() const { return inside_; }
  /// Calls `visit(created)` for every packet inside.
  template <class F>
  void for_each(F visit) const {
    for (const Source& source : sources_) {
      for (std::uint32_t serial = source.first; serial != source.next; ++serial) {
        const Cycle created = source.ring[serial & (source.ring.size() - 1)];
        if (created != never) visit(created);
      }
    }
  }

 private:
  /// A ring of birth cycles by serial number, from the oldest packet that is inside; `never`: has left.
  struct Source {
    std::vector<Cycle> ring;
    std::uint32_t first = 0, next = 0;
  };
  static void grow(Source& source);

  std::vector<Source> sources_;
  std::uint64_t inside_ = 0;
};

}  // namespace tsuji::observe
