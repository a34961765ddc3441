// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/dense/masks.h"

#include <bitset>

#include "support/catch.h"
#include "tsuji/core/random.h"

using namespace tsuji;
using namespace tsuji::network::dense;

namespace {

using Set = std::bitset<256>;

/// Some bits of a mask, often long runs, and the same bits one by one.
VastBits drawn(CounterRandom& random, Set& bits) {
  bits.reset();
  const std::uint64_t way = random.below(3);
  const std::uint64_t first = random.below(256), last = first + random.below(256 - first);
  for (std::uint64_t n = first; n <= last; ++n)
    if (way == 0 || random.below(way == 1 ? 2 : 40) == 0) bits.set(n);
  VastBits mask = 0;
  for (unsigned n = 0; n < 256; ++n)
    if (bits[n]) mask |= VastBits{1} << n;
  return mask;
}

bool equal(VastBits mask, const Set& bits) {
  for (unsigned n = 0; n < 256; ++n)
    if ((static_cast<unsigned>(mask >> n & 1U) == 1) != bits[n]) return false;
  return true;
}

}  // namespace

TEST_CASE("masks of 32 bits are half a word of a row") {
  SlimBits words[2] = {0x8000'0001U, 6};
  CHECK(MaskWords<SlimBits>::count == 1);
  CHECK(MaskWords<SlimBits>::read(words) == 0x8000'0001U);
  CHECK(MaskWords<SlimBits>::folded(words[0]) == 0x8000'0001U);
  MaskWords<SlimBits>::clear(words);
  CHECK(words[0] == 0);
  CHECK(words[1] == 6);
  CHECK(lowest<SlimBits>(0x8000'0000U) == 31);
  CHECK(first_after<SlimBits>(0x8000'0001U, 31) == 0);
  CHECK(first_after<SlimBits>(0x8000'0001U, 0) == 31);
}

TEST_CASE("masks of 256 bits have the operators of unsigned integers") {
  CounterRandom random(5, 1);
  for (unsigned repeat = 0; repeat < 400; ++repeat) {
    Set a_bits, b_bits;
    const VastBits a = drawn(random, a_bits), b = drawn(random, b_bits);
    const auto by = static_cast<unsigned>(random.below(256));
    CAPTURE(a_bits, b_bits, by);
    REQUIRE(equal(a, a_bits));
    REQUIRE(equal(a | b, a_bits | b_bits));
    REQUIRE(equal(a & b, a_bits & b_bits));
    REQUIRE(equal(~a, ~a_bits));
    REQUIRE(equal(a << by, a_bits << by));
    REQUIRE(equal(a >> by, a_bits >> by));
    VastBits either = a;
    either ^= b;
    REQUIRE(equal(either, a_bits ^ b_bits));
    REQUIRE((a == b) == (a_bits == b_bits));
    REQUIRE((a != 0) == a_bits.any());
    REQUIRE(a - b + b == a);
    REQUIRE(~a + 1 == VastBits{0} - a);
    REQUIRE((MaskWords<VastBits>::folded(a) != 0) == a_bits.any());
    REQUIRE(MaskWords<VastBits>::set_bits(a) == a_bits.count());
    Bits words[4];
    for (unsigned word = 0; word < 4; ++word) words[word] = static_cast<Bits>(a >> 64 * word);
    REQUIRE(MaskWords<VastBits>::read(words) == a);
    MaskWords<VastBits>::clear(words);
    REQUIRE((words[0] | words[1] | words[2] | words[3]) == 0);
    if (a_bits.none()) continue;
    unsigned least = 0;
    while (!a_bits[least]) ++least;
    REQUIRE(lowest(a) == least);
    REQUIRE(lowest_bit(a) == VastBits{1} << least);
    REQUIRE(equal(a & (a - 1), Set(a_bits).reset(least)));
    unsigned next = by;
    do {
      next = next == 255 ? 0 : next + 1;
    } while (!a_bits[next]);
    REQUIRE(first_after(a, by) == next);
  }
}
