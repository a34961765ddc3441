// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/index_or_none.h"

#include <cstdint>
#include <cstring>

#include "support/catch.h"

using namespace tsuji;

TEST_CASE("an index or none is none if its memory is zero, and holds all but a word's last value") {
  using Small = IndexOrNone<std::uint8_t>;
  Small index;
  static_assert(sizeof index == 1);
  CHECK(std::memcmp(&index, "", 1) == 0);
  CHECK_FALSE(index);
  CHECK(index.value_or(7) == 7);
  CHECK((index != 0U && !(index == 0U)));
  for (const unsigned value : {0U, 7U, 254U}) {
    index = value;
    CHECK(static_cast<bool>(index));
    CHECK(*index == value);
    CHECK(index.value_or(9) == value);
    CHECK((index == value && !(index != value)));
    CHECK((index != value + 1 && index != value + 256));
    CHECK((index == Small(value) && index != Small() && !(index == Small()) && !(index != Small(value))));
  }
  index = {};
  CHECK_FALSE(index);
}
