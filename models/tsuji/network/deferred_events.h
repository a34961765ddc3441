// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tsuji/traffic/flit_node_state.h"

namespace tsuji::network {

/// Births and deliveries of the packets of a lane, kept until the window is over, when they are reported one
/// after the other.
class DeferredEvents final : public traffic::FlitNodeEvents {
 public:
  void on_born(End source, const traffic::Emission& emission, Cycle now) override {
    is_birth_.push_back(1);
    births_.push_back({source, emission, now});
  }
  void on_delivered(const Packet& packet, Cycle head, Cycle tail) override {
    is_birth_.push_back(0);
    deliveries_.push_back({packet, head, tail});
  }
  /// Reports all events in their order, and forgets them.
  void report_to(traffic::FlitNodeEvents& events);
  /// Reports the events of all lanes, deliveries in the order of their cycles, and forgets them.
  static void report_by_cycle(const std::vector<std::unique_ptr<DeferredEvents>>& lanes,
                              traffic::FlitNodeEvents& events);

 private:
  void clear();
  struct Birth {
    End source;
    traffic::Emission emission;
    Cycle now;
  };
  struct Delivery {
    Packet packet;
    Cycle head, tail;
  };
  std::vector<std::uint8_t> is_birth_;  ///< [event]: 1 for the next birth, 0 for the next delivery
  std::vector<Birth> births_;
  std::vector<Delivery> deliveries_;
};

}  // namespace tsuji::network
