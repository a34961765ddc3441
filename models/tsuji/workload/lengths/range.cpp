// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/error.h"
#include "tsuji/workload/length_kinds.h"

namespace tsuji::workload {

void PacketLengths::check(const char* key, unsigned flits) {
  if (flits >= 1 && flits <= most_flits) return;
  throw ConfigError(key, std::to_string(flits), "no such packet", "1..65535 flits");
}

PacketLengths PacketLengths::fixed(unsigned flits) {
  check("traffic.packet_flits", flits);
  PacketLengths result;
  result.lengths_ = {flits};
  result.mean_ = flits;
  return result;
}

PacketLengths PacketLengths::range(unsigned least, unsigned most) {
  check("traffic.packet_flits", least);
  check("traffic.largest_packet_flits", most);
  if (most < least) {
    throw ConfigError("traffic.largest_packet_flits", std::to_string(most), "less than the smallest packet",
                      "at least traffic.packet_flits, " + std::to_string(least));
  }
  PacketLengths result = fixed(least);
  result.total_ = most - least + 1;
  result.mean_ = (static_cast<double>(least) + most) / 2;
  return result;
}

void LengthRange::add_keys(config::KeyTable& keys) {
  keys.add("traffic.packet_flits", packet_flits, {1, PacketLengths::most_flits}, "flits",
           "packet length; with traffic.length range the shortest packet");
  keys.add("traffic.largest_packet_flits", largest_packet_flits, {1, PacketLengths::most_flits}, "flits",
           "range: length of the longest packet");
}

void add_range(LengthKinds& kinds) {
  kinds.add<LengthRange>(
      {{"fixed", &LengthRange::fixed, "packet_flits", {"all traffic.packet_flits", "traffic.packet_flits"}},
       {"range",
        &LengthRange::range,
        "",
        {"uniform from traffic.packet_flits to traffic.largest_packet_flits",
         "traffic.largest_packet_flits"}}});
}

}  // namespace tsuji::workload
