// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/traffic/traffic_kinds.h"

namespace tsuji::traffic {

/// Parameters of traffic.kind list.
struct PacketListConfig {
  std::string list;  ///< File in the format of workload/packet_list.h.

  void add_keys(config::KeyTable& keys);
  void validate() const;
  std::unique_ptr<const Traffic> make(const TrafficGiven& given) const;
};

}  // namespace tsuji::traffic
