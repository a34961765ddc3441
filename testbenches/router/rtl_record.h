// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/pin_record.h"
#include "router/router_rtl.h"

namespace tsuji::bench {

/// The pins of a router's RTL as text (PinRecord), all but the clock. A cycle is one of the RTL's clock,
/// which may be stopped in cycles of the network.
class RtlRecord {
 public:
  /// `rtl` outlives it. ConfigError for a file that cannot be written.
  RtlRecord(const RouterRtl& rtl, const std::string& path);
  /// Before each rising edge.
  void row();
  /// ModelError if the file could not be written to its end.
  void close() { file_.close(); }

 private:
  const std::vector<RtlPin> pins_;
  std::vector<std::uint64_t> inputs_, outputs_;  ///< bits
  PinRecord file_;
};

}  // namespace tsuji::bench
