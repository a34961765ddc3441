// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>

#include "tsuji/link/flit_link.h"
#include "tsuji/link/flit_pin_modules.h"

namespace tsuji::network {

/// Channels, pins and modules between the two ends of a link that share no ring buffer. The caller owns the
/// half at end a, made by near(): its forward channel ends at pins, and its backward channel begins at pins.
class PinLink {
 public:
  struct Plan {
    const sc_core::sc_object& owner;
    char letter;
    std::uint32_t number;
    /// Configurations of the directions of an unbroken link; null: the direction does not exist.
    const FlitChannelConfig *forward, *backward;
  };
  static std::unique_ptr<FlitLink> near(const Plan& plan);

  /// Constructed within the owner's module scope.
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
