// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/deferred_events.h"

#include <algorithm>

namespace tsuji::network {
void DeferredEvents::report_to(traffic::FlitNodeEvents& events) {
  std::size_t birth = 0, delivery = 0;
  for (const std::uint8_t is_birth : is_birth_) {
    if (is_birth != 0) {
      const Birth& born = births_[birth++];
      events.on_born(born.source, born.emission, born.now);
    } else {
      const Delivery& delivered = deliveries_[delivery++];
      events.on_delivered(delivered.packet, delivered.head, delivered.tail);
    }
  }
  clear();
}

void DeferredEvents::clear() {
  is_birth_.clear();
  births_.clear();
  deliveries_.clear();
}

void DeferredEvents::report_by_cycle(const std::vector<std::unique_ptr<DeferredEvents>>& lanes,
                                     traffic::FlitNodeEvents& events) {
  std::vector<const Delivery*> deliveries;
  for (const auto& lane : lanes) {
    for (const Birth& born : lane->births_) events.on_born(born.source, born.emission, born.now);
    for (const Delivery& delivered : lane->deliveries_) deliveries.push_back(&delivered);
  }
  std::stable_sort(deliveries.begin(), deliveries.end(),
                   [](const Delivery* one, const Delivery* other) { return one->tail < other->tail; });
  for (const Delivery* const one : deliveries) events.on_delivered(one->packet, one->head, one->tail);
  for (const auto& lane : lanes) lane->clear();
}

}  // namespace tsuji::network
