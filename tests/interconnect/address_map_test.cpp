// SPDX-License-Identifier: Apache-2.0
#include "tsuji/interconnect/address_map.h"

#include "support/catch.h"
#include "tsuji/core/error.h"

using namespace tsuji;
using namespace tsuji::interconnect;

namespace {

constexpr std::uint64_t page = 4096, top = ~std::uint64_t{0};

std::string refusal_of(const std::vector<Region>& regions, const AddressRules& rules = {}) {
  try {
    const AddressMap map(regions, rules);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("an address belongs to the region that holds all of the access", "[interconnect]") {
  const AddressMap map({{"high", 4 * page, page, 0}, {"low", 0, 2 * page, 0x100}}, {});
  CHECK(map.decode(0, 1)->target == 1);
  CHECK(map.decode(0, 1)->address == 0x100);
  CHECK(map.decode(2 * page - 8, 8)->address == 2 * page - 8 + 0x100);
  CHECK_FALSE(map.decode(2 * page - 8, 9));  // into the gap
  CHECK_FALSE(map.decode(2 * page, 1));      // the gap
  CHECK_FALSE(map.decode(4 * page - 1, 1));
  CHECK(map.decode(4 * page, page)->target == 0);
  CHECK(map.decode(4 * page + 5, 1)->address == 5);
  CHECK_FALSE(map.decode(5 * page, 1));
  CHECK_FALSE(map.decode(top, 1));
}

TEST_CASE("an access never crosses from one region into its neighbour", "[interconnect]") {
  const AddressMap map({{"one", 0, page, 0}, {"other", page, page, 0}}, {});
  CHECK(map.decode(page - 1, 1)->target == 0);
  CHECK(map.decode(page, 1)->target == 1);
  CHECK_FALSE(map.decode(page - 1, 2));
}

TEST_CASE("the last address of all can belong to a region", "[interconnect]") {
  const AddressMap map({{"last", top - page + 1, page, 0}}, {});
  CHECK(map.decode(top, 1)->address == page - 1);
  CHECK_FALSE(map.decode(top, 2));
  CHECK(map.decode(top - 7, 8));
  const AddressMap all({{"nearly_all", 0, top - page + 1, 0}}, {});
  CHECK(all.decode(top - page, 1));
}

TEST_CASE("regions that overlap, leave gaps or are not aligned are refused by name", "[interconnect]") {
  using Catch::Contains;
  CHECK_THAT(refusal_of({{"a", 0, 2 * page, 0}, {"b", page, page, 0}}),
             Contains("b base 0x1000 bytes 0x1000") && Contains("overlaps a base 0x0 bytes 0x2000") &&
                 Contains("a base above 0x1fff"));
  CHECK_THAT(refusal_of({{"a", 0, page, 0}, {"b", 0, page, 0}}), Contains("overlaps"));
  CHECK(refusal_of({{"a", 0, page, 0}, {"b", page, page, 0}}).empty());
  CHECK_THAT(refusal_of({{"a", 0x800, page, 0}}), Contains("0x800 is not aligned") && Contains("4096"));
  CHECK_THAT(refusal_of({{"a", 0, 0x800, 0}}), Contains("0x800 is not aligned"));
  CHECK(refusal_of({{"a", 0x800, 0x800, 0}}, {0x800, true}).empty());
  CHECK_THAT(refusal_of({{"a", 0, 0, 0}}), Contains("without addresses"));
  CHECK_THAT(refusal_of({{"a", top - page + 1, 2 * page, 0}}), Contains("ends above the last address"));
  CHECK_THAT(refusal_of({{"a", 0, 2 * page, top - page}}), Contains("target's last address"));
  const std::vector<Region> apart = {{"a", 0, page, 0}, {"b", 3 * page, page, 0}};
  CHECK(refusal_of(apart).empty());
  CHECK_THAT(refusal_of(apart, {page, false}), Contains("0x1000..0x2fff") && Contains("tlm.gaps true"));
  CHECK(refusal_of({{"b", page, page, 0}, {"a", 0, page, 0}}, {page, false}).empty());
}
