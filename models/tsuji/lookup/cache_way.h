// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tsuji::lookup {

/// Contents of an entry without its tag (Hirasawa 2020, section 3.2.1): 2 bytes of output port, and in the 2
/// bytes reserved "for quality of service" the virtual channels that may be allocated there.
struct RouteEntry {
  std::uint16_t port = 0;
  std::uint16_t vcs = 0;
};
inline bool operator==(const RouteEntry& a, const RouteEntry& b) {
  return a.port == b.port && a.vcs == b.vcs;
}

/// A way of a set: the hardware's 12 bytes, and the data of the replacement model.
struct CacheWay {
  std::uint64_t tag = 0;
  std::uint32_t used = 0;  ///< time of the last use (or fill), increasing; 0: empty
  RouteEntry entry;
};

}  // namespace tsuji::lookup
