// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// Division of consecutive virtual channels into classes, in order and as evenly as possible; lower classes
/// get the channels that are left over. At least as many channels as classes.
class VcClasses {
 public:
  VcClasses(unsigned vcs, unsigned classes, unsigned first_vc = 0) {
    unsigned first = 0;
    for (unsigned c = 0; c < classes; ++c) {
      const unsigned count = vcs / classes + (c < vcs % classes ? 1 : 0);
      of_.push_back(vc_range(first_vc + first, count));
      for (unsigned vc = 0; vc < count; ++vc) class_.push_back(static_cast<std::uint8_t>(c));
      first += count;
    }
  }
  /// Number of virtual channels.
  unsigned vcs() const { return static_cast<unsigned>(class_.size()); }
  /// Virtual channels of a class.
  VcMask of(unsigned c) const { return of_[c]; }
  /// Virtual channels of all classes whose bit is set.
  VcMask of_mask(VcMask classes) const {
    VcMask vcs = 0;
    for (unsigned c = 0; c < of_.size(); ++c)
      if ((classes >> c & 1) != 0) vcs |= of_[c];
    return vcs;
  }
  /// Class of a virtual channel, counted from the first one.
  unsigned class_of(unsigned vc) const { return class_[vc]; }

 private:
  std::vector<VcMask> of_;           ///< per class
  std::vector<std::uint8_t> class_;  ///< per virtual channel
};

}  // namespace tsuji::routing
