// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "tsuji/traffic/emission.h"

namespace tsuji::traffic {

/// Source of a node that checks every packet against the contract of EmissionSource. A packet that violates
/// it throws ModelError with the node, the cycle and the value.
class CheckedSource {
 public:
  /// Number of nodes for callers that do not know the network's: every node number below it is accepted.
  static constexpr unsigned any_nodes = 0x8000'0000;

  CheckedSource(std::unique_ptr<EmissionSource> source, End node, unsigned nodes)
      : source_(std::move(source)), node_(node), nodes_(nodes) {}

  EmissionSource* operator->() const { return source_.get(); }
  EmissionSource& operator*() const { return *source_; }
  /// Calls EmissionSource::next() in cycle `now` and checks the packet.
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
    } else if (++births_ > EmissionSource::most_births && !source_->births_may_wait()) {
      refuse(emission, now);
    }
    return true;
  }

 private:
  [[noreturn, gnu::cold]] void refuse(const Emission& emission, Cycle now) const;

  std::unique_ptr<EmissionSource> source_;
  End node_;
  unsigned nodes_;
  std::uint32_t births_ = 0;  ///< Packets born in cycle `last_`.
  Cycle last_ = 0;            ///< Cycle of the latest birth.
};

}  // namespace tsuji::traffic
