// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/checked_source.h"

#include <string>

#include "tsuji/core/error.h"

namespace tsuji::traffic {

void CheckedSource::refuse(const Emission& emission, Cycle now) const {
  std::string what = "its source generated a packet ";
  if (emission.created < last_) {
    what = "its source went back in time, from cycle " + std::to_string(last_) + " to " +
           std::to_string(emission.created);
  } else if (emission.flits == 0) {
    what += "of 0 flits";
  } else if (emission.destination.number() >= nodes_ && !emission.destination.is_router()) {
    what += "to node " + emission.destination.name() + ", and the last node is " + std::to_string(nodes_ - 1);
  } else if (births_ > EmissionSource::most_births) {
    what = "its source generated more than " + std::to_string(EmissionSource::most_births) +
           " packets that are born in cycle " + std::to_string(emission.created);
  } else {
    what += "with a payload of " + std::to_string(emission.payload_bytes) +
            " bytes: not a multiple of 8 up to " + std::to_string(Packet::max_payload_bytes);
  }
  throw ModelError("node " + node_.name(), now, "", what);
}

}  // namespace tsuji::traffic
