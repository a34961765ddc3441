// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "tsuji/traffic/emission.h"

namespace tsuji::traffic {

/// Source of a node whose packets are held to the contract of EmissionSource. A packet against it is a
/// ModelError with the node, the cycle and the value.
class CheckedSource {
 public:
  /// Destinations beyond any network are refused alone.
  static constexpr unsigned any_nodes = 0x8000'0000;

  CheckedSource(std::unique_ptr<EmissionSource> source, End node, unsigned nodes)
      : source_(std::move(source)), node_(node), nodes_(nodes) {}

  EmissionSource* operator->() const { return source_.get(); }
  EmissionSource& operator*() const { return *source_; }
  /// EmissionSource::next() in cycle `now`.
  bool next(Emission& emission, Cycle now) {
    if (!source_->next(emission)) return false;
    const bool is_payload = emission.payload_bytes % 8 == 0 || emission.packet != no_packet;
    const bool is_to_node = emission.destination.number() < nodes_ || emission.destination.is_router();
    if (emission.flits == 0 || emission.payload_bytes > Packet::max_payload_bytes || !is_payload ||
        !is_to_node || emission.created < last_)
      refuse(emission, now);
    if (emission.created != last_) {
      last_ = emission.created;
      births_ = 1;
    } else if (++births_ > EmissionSource::most_births) {
      refuse(emission, now);
    }
    return true;
  }

 private:
  [[noreturn, gnu::cold]] void refuse(const Emission& emission, Cycle now) const;

  std::unique_ptr<EmissionSource> source_;
  End node_;
  unsigned nodes_;
  std::uint32_t births_ = 0;  ///< in cycle `last_`
  Cycle last_ = 0;            ///< the last birth
};

}  // namespace tsuji::traffic
