// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "nic/rig.h"
#include "tsuji/nic/nic_events.h"

namespace tsuji::test {

struct Refused {
  nic::Violation cause;
  unsigned cid, place;
  bool operator==(const Refused& o) const { return cause == o.cause && cid == o.cid && place == o.place; }
};
struct Faulted {
  nic::Violation cause;
  unsigned cid;
  bool write;
  std::uint64_t address;
  bool operator==(const Faulted& o) const {
    return cause == o.cause && cid == o.cid && write == o.write && address == o.address;
  }
};

/// A replacement for a node's operating system: takes interrupts some time after they are raised, records
/// refusals, and answers page faults: maps a page again that a test has unmapped, or refuses.
class System final : public InterruptLine {
 public:
  System(Clocks& clocks, Node& node, Cycle delay = 500);
  void raised(Cycle now) override;

  bool maps = false;
  std::vector<Refused> refusals;
  std::vector<Faulted> faults;
  std::vector<std::uint64_t> events;  ///< pending bits at each interrupt
  Cycle answered_at = 0;
  std::vector<Cycle> raised_at;

 private:
  void interrupt(Cycle now);
  void take_refusal(std::uint64_t offset);
  void take_fault(std::uint64_t offset, std::uint64_t address_offset, Cycle now);

  Clocks& clocks_;
  Node& node_;
  const Cycle delay_;
};

}  // namespace tsuji::test
