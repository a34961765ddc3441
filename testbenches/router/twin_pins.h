#pragma once

#include <string>

#include "router/router_rtl.h"

namespace tsuji::bench {

/// Parameters of vc_router.v that decide its pins.
struct TwinShape {
  unsigned ports = 5, vcs = 4, buffer_flits = 8, node_bits = 4, data_bits = 44;
  unsigned vc_bits() const {
    unsigned bits = 1;
    while ((vcs - 1U) >> bits != 0) ++bits;
    return bits;
  }
};

/// What the pins of vc_router.v mean, whoever has them: `rtl.pins` are named as in README.md.
void describe_twin(RouterRtl& rtl, const TwinShape& shape, const std::string& name);

}  // namespace tsuji::bench
