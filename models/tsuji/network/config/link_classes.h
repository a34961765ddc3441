// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/graph/topology.h"

namespace tsuji::network {

/// Parses the text of link.classes, "global latency 40 ns flit_cycles 2 length 12, local latency 4": for each
/// class its name and at least one of `latency` (cycles, or a time, which becomes cycles of `period`),
/// `flit_cycles` and `length` (mm). ConfigError (link.classes) for any other text, a class or value that is
/// given twice, and values out of range.
std::vector<graph::LinkClass> parse_link_classes(const std::string& text, ClockPeriod period);

}  // namespace tsuji::network
