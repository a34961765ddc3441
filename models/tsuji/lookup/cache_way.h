// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tsuji::lookup {

/// Contents of an entry beside its tag (Hirasawa 2020, section 3.2.1): 2 bytes of output port, and of the 2
/// reserved bytes "for quality of service" the virtual channels that may be taken there.
struct RouteEntry {
  std::uint16_t port = 0;
  std::uint16_t vcs = 0;
};
inline bool operator==(const RouteEntry& a, const RouteEntry& b) {
  return a.port == b.port && a.vcs == b.vcs;
}

/// A place of a set: the hardware's 12 bytes, and what the model of its replacement looks at.
struct CacheWay {
  std::uint64_t tag = 0;
  std::uint32_t used = 0;  ///< a time that grows from use to use (or fill to fill); 0: empty
  RouteEntry entry;
};

}  // namespace tsuji::lookup
