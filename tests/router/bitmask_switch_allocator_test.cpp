// SPDX-License-Identifier: Apache-2.0

#include "tsuji/router/vc/bitmask_switch_allocator.h"
#include "router/paper_islip.h"
#include "support/catch.h"
#include "tsuji/core/error.h"

using namespace tsuji;
using namespace tsuji::router;
using namespace tsuji::router::test;

namespace {

constexpr std::uint64_t bit(unsigned line) {
  return std::uint64_t{1} << line;
}

/// Inputs with different numbers of virtual channels, the requesters' places, and the outputs that they hold.
struct Lines {
  explicit Lines(const std::vector<std::uint8_t>& vcs_of_input) {
    for (unsigned input = 0; input < vcs_of_input.size(); ++input) {
      for (unsigned vc = 0; vc < vcs_of_input[input]; ++vc) places.push_back({input, vc});
    }
    output.resize(places.size(), none);
  }
  /// Request of requester `line` in the paper's form.
  Request request(unsigned line) const { return {places[line].first, output[line], places[line].second}; }

  static constexpr unsigned none = ~0U;
  std::vector<std::pair<unsigned, unsigned>> places;
  std::vector<unsigned> output;
};

}  // namespace

TEST_CASE("lines that come and go are granted as the published algorithm grants their requests") {
  const std::vector<std::uint8_t> vcs_of_input =
      GENERATE(std::vector<std::uint8_t>{4, 4, 4, 4, 4}, std::vector<std::uint8_t>{1, 0, 3, 16, 2, 6},
               std::vector<std::uint8_t>(40, 1), std::vector<std::uint8_t>{16, 16, 16, 16},
               std::vector<std::uint8_t>{1, 1, 1});
  const auto change = GENERATE(0.01, 0.3);  // seldom: the same lines are ready for many cycles
  const auto count = static_cast<unsigned>(vcs_of_input.size());
  Arena arena;
  BitmaskSwitchAllocator allocator(arena, vcs_of_input, count);
  PaperIslip paper({count, count, 16}, 1);
  Lines lines(vcs_of_input);
  CounterRandom random(8, count);
  std::uint64_t ready = 0;
  for (unsigned cycle = 0; cycle < 1500; ++cycle) {
    for (unsigned line = 0; line < lines.places.size(); ++line) {
      if (random.unit() < change) {
        if (lines.output[line] != Lines::none) allocator.release(line);
        lines.output[line] = random.below(3) == 0 ? Lines::none : static_cast<unsigned>(random.below(count));
        if (lines.output[line] != Lines::none) allocator.hold(line, lines.output[line]);
        ready &= ~bit(line);
      }
      if (random.unit() < change && lines.output[line] != Lines::none) ready ^= bit(line);
    }
    if (ready == 0) continue;  // a router without a ready line asks for no grants
    std::set<Request> requests;
    for (unsigned line = 0; line < lines.places.size(); ++line) {
      if ((ready & bit(line)) != 0) requests.insert(lines.request(line));
    }
    std::set<Request> granted;
    const std::uint64_t grants = allocator.allocate(ready);
    for (unsigned line = 0; line < lines.places.size(); ++line) {
      if ((grants & bit(line)) != 0) granted.insert(lines.request(line));
    }
    REQUIRE(granted == paper.match(requests));
  }
}

TEST_CASE("at the beginning the lowest input, line and output go first") {
  Arena arena;
  BitmaskSwitchAllocator lines_of_an_input(arena, {2, 1}, 2);
  for (unsigned line = 0; line < 2; ++line) lines_of_an_input.hold(line, 1);
  CHECK(lines_of_an_input.allocate(0b11) == 0b01);

  BitmaskSwitchAllocator inputs(arena, {1, 1}, 2);
  for (unsigned line = 0; line < 2; ++line) inputs.hold(line, 1);
  CHECK(inputs.allocate(0b11) == 0b01);

  BitmaskSwitchAllocator outputs(arena, {2, 1}, 2);
  for (unsigned line = 0; line < 2; ++line) outputs.hold(line, 1 - line);
  CHECK(outputs.allocate(0b11) == 0b10);
}

TEST_CASE("a word has 64 lines, and as many inputs and outputs, and more are refused") {
  Arena arena;
  CHECK_NOTHROW(BitmaskSwitchAllocator(arena, {16, 16, 16, 16}, 4));
  CHECK_THROWS_AS(BitmaskSwitchAllocator(arena, {16, 16, 16, 16, 1}, 4), ModelError);
  const std::vector<std::uint8_t> one_each(64, 1), empty(65, 0);
  BitmaskSwitchAllocator widest(arena, one_each, 64);
  for (unsigned line = 0; line < 64; ++line) widest.hold(line, 63 - line);
  CHECK(widest.allocate(~std::uint64_t{0}) == ~std::uint64_t{0});
  CHECK_THROWS_AS(BitmaskSwitchAllocator(arena, one_each, 65), ModelError);
  CHECK_THROWS_AS(BitmaskSwitchAllocator(arena, empty, 4), ModelError);
}
