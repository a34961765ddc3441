// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/config/congestion_config.h"

#include <string>

#include "tsuji/core/error.h"

namespace tsuji::network {

void CongestionConfig::validate_length(unsigned longest_flits) const {
  if (kind != "token_bucket") return;
  const unsigned burst = kinds.of<traffic::TokenBucketConfig>().burst_flits;
  if (longest_flits > burst)
    throw ConfigError("congestion.burst_flits", std::to_string(burst),
                      "a packet of " + std::to_string(longest_flits) + " flits would never start",
                      std::to_string(longest_flits) + " or more");
}

void CongestionConfig::add_keys(config::KeyTable& keys) {
  keys.add_choice("congestion.kind", kind, kinds.words(),
                  "congestion control; none: back-pressure alone; token_bucket: a rate for each node; ecn: "
                  "routers mark packets, receivers return the mark in an acknowledgement of one flit, and "
                  "sources halve their window for that destination");
  kinds.add_keys(keys);
}

}  // namespace tsuji::network
