// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/prediction/predictive_crossbar.h"

#include <algorithm>
#include <set>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/router/prediction/predictor_kinds.h"

using namespace tsuji;
using namespace tsuji::router;

namespace {

/// Reference model: evaluates every cycle and keeps every request ever made.
class Reference {
 public:
  explicit Reference(unsigned ports)
      : wants_(ports, no_port),
        keeps_(ports),
        holder_(ports, no_port),
        turn_(ports),
        asked_(ports),
        in_use_(ports),
        out_use_(ports) {}

  void begin(Cycle now) {
    for (unsigned o = 0; o < holder_.size(); ++o) {
      if (holder_[o] != no_port || asked_[o].count(now - 1) != 0) continue;
      for (unsigned i = 0; i < wants_.size() && holder_[o] == no_port; ++i) {
        const auto input = static_cast<unsigned>((turn_[o] + i) % wants_.size());
        if (wants_[input] == o) holder_[o] = input;
      }
      if (holder_[o] != no_port) turn_[o] = (holder_[o] + 1) % static_cast<unsigned>(wants_.size());
    }
  }
  void want(unsigned input, unsigned output) {
    keeps_[input] = false;
    if (wants_[input] == output) return;
    for (unsigned& holder : holder_)
      if (holder == input) holder = no_port;
    wants_[input] = output;
  }
  void keep(unsigned input) { keeps_[input] = true; }
  void request(unsigned input, unsigned output, Cycle now) {
    asked_[output].insert(now);
    for (unsigned o = 0; o < holder_.size(); ++o) {
      if (holder_[o] == no_port || (o != output && holder_[o] != input)) continue;
      if (keeps_[holder_[o]]) wants_[holder_[o]] = no_port;
      holder_[o] = no_port;
    }
  }
  void cross(unsigned input, unsigned output, Cycle first, Cycle cycles) {
    in_use_[input].insert(first);
    for (Cycle c = first; c < first + cycles; ++c) out_use_[output].insert(c);
  }
  bool free(unsigned input, unsigned output, Cycle first, Cycle cycles) const {
    if (in_use_[input].count(first) != 0) return false;
    for (Cycle c = first; c < first + cycles; ++c)
      if (out_use_[output].count(c) != 0) return false;
    return true;
  }
  unsigned held(unsigned input, Cycle now, Cycle cycles) const {
    const unsigned output = wants_[input];
    if (output == no_port || holder_[output] != input) return no_port;
    return free(input, output, now, cycles) ? output : no_port;
  }

 private:
  std::vector<unsigned> wants_;
  std::vector<bool> keeps_;
  std::vector<unsigned> holder_, turn_;
  std::vector<std::set<Cycle>> asked_, in_use_, out_use_;
};

}  // namespace

TEST_CASE("predictive crossbar: random wishes, requests and crossings equal an evaluation of every cycle") {
  unsigned all_held = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CounterRandom random(seed, 3);
    const unsigned ports =
        seed % 7 == 0 ? PredictiveCrossbar::most_ports : 2 + static_cast<unsigned>(random.below(6));
    const auto any = [&] { return static_cast<unsigned>(random.below(ports)); };
    Arena arena;
    const Cycle most_cycles = seed % 2 == 0 ? 20 : 1;
    PredictiveCrossbar crossbar(ports, arena, 20, most_cycles);
    Reference reference(ports);
    const std::uint64_t activity = 1 + random.below(6);
    unsigned held = 0, shared = 0;
    for (Cycle now = 1; now < 1500; ++now) {
      reference.begin(now);
      if (random.below(3) == 0) continue;  // nothing happens in this cycle
      crossbar.begin(now);
      while (random.below(activity) != 0) {
        const unsigned input = any(), output = any();
        switch (random.below(9)) {
          case 0:
          case 1:
          case 2:
          case 3: {
            const unsigned wanted = random.below(4) == 0 ? no_port : output;
            crossbar.want(input, wanted);
            reference.want(input, wanted);
            break;
          }
          case 4:
          case 5:
            crossbar.request(input, output, now);
            reference.request(input, output, now);
            break;
          case 6: {
            const Cycle first = now + random.below(20), cycles = 1 + random.below(most_cycles);
            if (!reference.free(input, output, first, cycles)) break;
            crossbar.cross(input, output, now, first, cycles);
            reference.cross(input, output, first, cycles);
            break;
          }
          default:
            crossbar.keep(input);
            reference.keep(input);
        }
      }
      const Cycle cycles = 1 + random.below(std::min<Cycle>(most_cycles, 3));
      std::set<unsigned> outputs;
      for (unsigned input = 0; input < ports; ++input) {
        const unsigned output = crossbar.held(input, now, cycles);
        if (output != reference.held(input, now, cycles))
          FAIL("seed " << seed << ", cycle " << now << ": input " << input);
        if (output == no_port) continue;
        ++held;
        shared += outputs.insert(output).second ? 0 : 1;
      }
    }
    CHECK(shared == 0);
    all_held += held;
  }
  CHECK(all_held > 20'000);
}

TEST_CASE("predictive crossbar: a request releases in its own cycle, and one cycle without any sets again") {
  Arena arena;
  PredictiveCrossbar crossbar(4, arena, 10, 10);
  crossbar.begin(10);
  crossbar.want(0, 2);
  CHECK(crossbar.held(0, 10, 1) == no_port);  // from the next cycle on
  crossbar.begin(11);
  CHECK(crossbar.held(0, 11, 1) == 2);
  crossbar.request(1, 2, 11);
  CHECK(crossbar.held(0, 11, 1) == no_port);
  crossbar.begin(12);
  CHECK(crossbar.held(0, 12, 1) == no_port);
  crossbar.begin(13);
  CHECK(crossbar.held(0, 13, 1) == 2);
  crossbar.cross(1, 2, 13, 15, 1);  // won before
  CHECK(crossbar.held(0, 13, 2) == 2);
  CHECK(crossbar.held(0, 13, 3) == no_port);  // its output is in use in cycle 15
  crossbar.begin(15);
  CHECK(crossbar.held(0, 15, 1) == no_port);
  crossbar.begin(16);
  CHECK(crossbar.held(0, 16, 1) == 2);
  crossbar.request(0, 3, 16);  // another virtual channel of the input
  CHECK(crossbar.held(0, 16, 1) == no_port);
}

TEST_CASE("predictive crossbar: a second flit at an input or output in a cycle stops the run") {
  Arena arena;
  PredictiveCrossbar crossbar(4, arena, 10, 10);
  using Catch::Contains;
  crossbar.cross(0, 2, 10, 12, 3);
  crossbar.cross(1, 2, 11, 11, 1);
  crossbar.cross(0, 1, 11, 11, 1);
  crossbar.cross(1, 2, 12, 15, 1);
  CHECK_THROWS_WITH(crossbar.cross(0, 3, 12, 12, 1),
                    Contains("second flit") && Contains("input 0") && Contains("cycle 12"));
  for (const Cycle first : {12, 13, 14, 15}) {
    Arena own;
    PredictiveCrossbar other(4, own, 10, 10);
    other.cross(0, 2, 10, 12, 4);
    other.cross(3, 2, 11, 16, 1);
    CHECK_THROWS_WITH(other.cross(1, 2, 12, first, 1), Contains("second flit") && Contains("output 2"));
  }
  CHECK_THROWS_AS(crossbar.cross(3, 2, 12, 13, 2), ModelError);  // its second cycle
}

TEST_CASE("predictive crossbar: more ports than a word has bits are refused") {
  Arena arena;
  CHECK_NOTHROW(PredictiveCrossbar(64, arena, 1, 1));
  CHECK_THROWS_WITH(PredictiveCrossbar(65, arena, 1, 1), "crossbar: 65 ports");
}

TEST_CASE("predictive crossbar: inputs that want one output have it in turn, and its holder keeps it") {
  Arena arena;
  PredictiveCrossbar crossbar(3, arena, 10, 10);
  for (unsigned input = 0; input < 3; ++input) crossbar.want(input, 1);
  std::vector<unsigned> holders;
  for (Cycle now = 5; now < 50; ++now) {
    crossbar.begin(now);
    unsigned holder = no_port;
    for (unsigned input = 0; input < 3; ++input)
      if (crossbar.held(input, now, 1) == 1) holder = input;
    if (now % 5 == 0) {
      REQUIRE(holder != no_port);
      if (now % 10 == 0) crossbar.request(0, 1, now);  // else it stays
      holders.push_back(holder);
    }
  }
  CHECK(holders == std::vector<unsigned>{0, 0, 1, 1, 2, 2, 0, 0, 1});
}

TEST_CASE("predictive crossbar: an input that keeps its output for a packet does not get it again") {
  Arena arena;
  PredictiveCrossbar crossbar(3, arena, 10, 10);
  crossbar.want(0, 1);
  crossbar.begin(5);
  REQUIRE(crossbar.held(0, 5, 1) == 1);
  crossbar.keep(0);
  crossbar.begin(6);
  CHECK(crossbar.held(0, 6, 1) == 1);
  crossbar.request(2, 1, 6);
  for (Cycle now = 7; now < 12; ++now) {
    crossbar.begin(now);
    CHECK(crossbar.held(0, now, 1) == no_port);
  }
  crossbar.want(0, 1);
  crossbar.begin(12);
  CHECK(crossbar.held(0, 12, 1) == 1);
}

TEST_CASE("predictive crossbar: with a predictor at most 64 bytes a port") {
  for (const unsigned ports : {5U, 7U, 8U, 32U}) {
    const Cycle flit_cycles = ports == 7 ? 1 : 8;
    Arena arena;
    const PredictorKinds kinds = predictor_kinds();
    const auto* const before = static_cast<const char*>(arena.take(1, 1));
    const auto crossbar = make_in<PredictiveCrossbar>(arena, ports, arena, 1, flit_cycles);
    const auto predictors =
        kinds.make("straight", PredictorParts{ports, std::vector<unsigned>(ports), arena});
    const auto* const after = static_cast<const char*>(arena.take(1, 1));
    const auto bytes = static_cast<std::size_t>(after - before);
    INFO(ports << " ports, " << bytes << " bytes");
    CHECK(bytes <= 64 * ports);
    CHECK(bytes > 32 * ports);
  }
}
