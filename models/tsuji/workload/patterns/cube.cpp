// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include "tsuji/core/error.h"
#include "tsuji/workload/pattern_kinds.h"
#include "tsuji/workload/patterns/partner.h"

namespace tsuji::workload {
namespace {

/// A partner at a fixed distance upwards in every dimension of a k-ary n-cube, with wrap-around whether the
/// network has it or not. Nodes that share a router keep their place at it. `offset(radix)` is the distance.
template <class F>
std::unique_ptr<Pattern> make_cube_offset(const PatternConfig& config, const char* pattern, F offset) {
  std::uint64_t nodes = config.nodes_per_router;
  for (const unsigned radix : config.radices) nodes *= radix;
  if (config.radices.empty() || nodes != config.nodes) {
    throw ConfigError("traffic.pattern", pattern, "this network has no coordinates",
                      "a torus or a mesh for this pattern");
  }
  return PartnerPattern::make(config, [&](NodeId node) {
    NodeId router = node / config.nodes_per_router;
    NodeId partner = 0, stride = 1;
    for (const unsigned radix : config.radices) {
      partner += (router % radix + offset(radix)) % radix * stride;
      router /= radix;
      stride *= radix;
    }
    return partner * config.nodes_per_router + node % config.nodes_per_router;
  });
}

/// ceil(k / 2) - 1 in every dimension: a little less than half around, so that a torus has work in one
/// direction only.
std::unique_ptr<Pattern> make_tornado(const PatternConfig& config) {
  return make_cube_offset(config, "tornado", [](unsigned radix) { return (radix + 1) / 2 - 1; });
}

/// One step in every dimension.
std::unique_ptr<Pattern> make_neighbour(const PatternConfig& config) {
  return make_cube_offset(config, "neighbour", [](unsigned) { return 1U; });
}

}  // namespace

void add_cube(PatternKinds& kinds) {
  kinds.add<NoParameters<make_tornado>>("tornado");
  kinds.add<NoParameters<make_neighbour>>("neighbour");
}

}  // namespace tsuji::workload
