// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/config/congestion_config.h"

#include <string>

#include "tsuji/core/error.h"

namespace tsuji::network {

std::optional<traffic::LengthLimit> CongestionConfig::longest_packet() const {
  const auto limit = kinds.traits(kind).longest_packet;
  return limit == nullptr ? std::nullopt : std::optional<traffic::LengthLimit>(limit(kinds));
}

void CongestionConfig::validate_length(unsigned longest_flits) const {
  const std::optional<traffic::LengthLimit> limit = longest_packet();
  if (limit && longest_flits > limit->flits)
    throw ConfigError(limit->key, std::to_string(limit->flits),
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
