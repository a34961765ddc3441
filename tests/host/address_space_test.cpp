// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/address_space.h"

#include <vector>

#include "support/catch.h"
#include "tsuji/core/error.h"

using namespace tsuji;
using namespace tsuji::host;

TEST_CASE("address space: contiguous pages, borders and overlaps") {
  AddressSpace space;
  space.map(16, 4, 100, true, PagePlacement::contiguous);
  REQUIRE_FALSE(space.translate(16 * 4096 - 1).mapped);
  REQUIRE(space.translate(16 * 4096).physical == 100 * 4096);
  REQUIRE(space.translate(20 * 4096 - 1).physical == 104 * 4096 - 1);
  REQUIRE_FALSE(space.translate(20 * 4096).mapped);
  REQUIRE_THROWS_AS(space.map(19, 1, 0, true, PagePlacement::contiguous), ConfigError);
  REQUIRE_THROWS_AS(space.map(1, 0, 0, true, PagePlacement::contiguous), ConfigError);
  REQUIRE_THROWS_AS(space.map(13, 4, 0, true, PagePlacement::contiguous), ConfigError);
  REQUIRE_THROWS_AS(space.map(17, 1, 0, true, PagePlacement::contiguous), ConfigError);
  REQUIRE_THROWS_AS(space.map(10, 20, 0, true, PagePlacement::contiguous), ConfigError);
  // Directly adjacent on either side.
  space.map(20, 2, 500, false, PagePlacement::contiguous);
  space.map(14, 2, 600, true, PagePlacement::contiguous);
  REQUIRE(space.segments().size() == 3);
  REQUIRE(space.translate(20 * 4096).physical == 500 * 4096);
  REQUIRE_FALSE(space.translate(20 * 4096).writable);
  REQUIRE(space.translate(16 * 4096 - 1).physical == 602 * 4096 - 1);
  REQUIRE(space.translate(16 * 4096 - 1).writable);
  for (std::uint64_t pages = 1; pages < 200; ++pages) {
    AddressSpace scattered;
    const auto& segment = scattered.map(0, pages, 7, true, PagePlacement::scattered);
    std::vector<bool> used(pages);
    for (std::uint64_t i = 0; i < pages; ++i) {
      const std::uint64_t place = segment.physical_of(i) - 7;
      REQUIRE(place < pages);
      REQUIRE_FALSE(used[place]);
      used[place] = true;
      if (pages >= 5 && i > 0) REQUIRE(segment.physical_of(i) != segment.physical_of(i - 1) + 1);
    }
    // From three pages on the pages are not all in order.
    REQUIRE((segment.stride == 1) == (pages < 3));
    REQUIRE((pages < 3 || segment.physical_of(1) != 7 + 1 || segment.physical_of(2) != 7 + 2));
  }
}
