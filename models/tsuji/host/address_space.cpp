// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/address_space.h"

#include <numeric>
#include <string>

#include "tsuji/core/error.h"

namespace tsuji::host {
namespace {

/// A step, coprime with the number of pages, near its golden section: neighbours end up far apart.
std::uint64_t scattering_stride(std::uint64_t pages) {
  if (pages < 3) return 1;
  std::uint64_t stride = pages * 618 / 1000;
  if (stride < 2) stride = 2;
  while (std::gcd(stride, pages) != 1) ++stride;
  return stride;
}

}  // namespace

const AddressSpace::Segment& AddressSpace::map(std::uint64_t lowest_page, std::uint64_t pages,
                                               std::uint64_t physical_page, bool writable,
                                               PagePlacement placement) {
  for (const Segment& other : segments_) {
    if (lowest_page < other.lowest_page + other.pages && other.lowest_page < lowest_page + pages) {
      throw ConfigError("", std::to_string(lowest_page), "logical pages are mapped twice",
                        "pages that are still free");
    }
  }
  if (pages == 0) throw ConfigError("", "0", "an empty segment", "at least one page");
  const std::uint64_t stride = placement == PagePlacement::contiguous ? 1 : scattering_stride(pages);
  segments_.push_back({lowest_page, pages, physical_page, writable, stride});
  return segments_.back();
}

}  // namespace tsuji::host
