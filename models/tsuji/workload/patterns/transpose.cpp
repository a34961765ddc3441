// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tsuji/core/error.h"
#include "tsuji/workload/pattern_kinds.h"
#include "tsuji/workload/patterns/partner.h"

namespace tsuji::workload {
namespace {

/// Matrix transpose (Yoshinaga 2004, section 5.1): nodes are a k x k matrix, row by row, and (i, j) sends to
/// (j, i). The diagonal is its own partner. Any square number of nodes, not only powers of four.
std::unique_ptr<Pattern> make_transpose(const PatternConfig& config) {
  unsigned side = 1;
  while ((side + 1) * (side + 1) <= config.nodes) ++side;
  if (side * side != config.nodes) {
    throw ConfigError("traffic.pattern", "transpose",
                      std::to_string(config.nodes) + " nodes are not a square matrix",
                      "a square number of nodes, e.g. " + std::to_string(side * side) + " or " +
                          std::to_string((side + 1) * (side + 1)));
  }
  return PartnerPattern::make(config, [side](NodeId node) { return node % side * side + node / side; });
}

}  // namespace

void add_transpose(PatternKinds& kinds) {
  kinds.add<NoParameters<make_transpose>>("transpose");
}

}  // namespace tsuji::workload
