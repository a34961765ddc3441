// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>

#include "tsuji/link/flit_link.h"
#include "tsuji/link/flit_pin_modules.h"

namespace tsuji::network {

/// Channels, pins and modules between the two ends of a link that share no ring. The half at end a is the
/// caller's, made of near(): its forward channel ends at pins, its backward channel begins there.
class PinLink {
 public:
  struct Plan {
    const sc_core::sc_object& owner;
    char letter;
    std::uint32_t number;
    const FlitChannelConfig *forward, *backward;  ///< of a direct link; null: no channel that way
  };
  static std::unique_ptr<FlitLink> near(const Plan& plan);

  /// While the owner's modules are made.
  PinLink(const Plan& plan, FlitLink& near, ClockDomain& domain, Arena& arena);

  /// The half at end b, whose a() is at the pins.
  FlitLink& far() { return *far_; }
  const FlitLink& far() const { return *far_; }

 private:
  struct Direction {
    Direction(const std::string& name, ClockDomain& domain, Arena& arena, FlitChannel& from, FlitChannel& to);
    FlitWires wires;
    FlitsToPins to_pins;
    PinsToFlits from_pins;
  };
  std::unique_ptr<FlitLink> far_;
  std::unique_ptr<Direction> forward_, backward_;
};

}  // namespace tsuji::network
