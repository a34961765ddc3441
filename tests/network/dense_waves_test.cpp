// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "instruments/levels.h"
#include "network/dense_rig.h"
#include "support/catch.h"
#include "support/forked.h"
#include "tsuji/instruments/vc_network_waves.h"

// Waveforms of networks of neighbourhoods are those of modules.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;
using namespace tsuji::network::test::drawn_dense;

namespace {

/// All changes in a waveform of all or some routers, in any part of the run, and where a packet went.
std::string waves_of(std::uint64_t seed, bool dense) {
  return tsuji::test::forked([=] {
    CounterRandom random(seed, 16);
    NetworkConfig config = network_of(seed);
    config.network.router.prediction.kind = "none";
    VcRig rig(config);
    rig.run_ahead(random.below(2) == 0);
    rig.parts->only_results = dense;
    rig.parts->cycles_are_shown = true;
    rig.parts->retry = retry_of(seed);
    rig.build(traffic_of(seed), seed);
    if (rig.loaded->network().is_dense() !=
        (dense && config.routing.kind != "detour_ud" && !config.lookup.in_switch()))
      throw std::logic_error("another driver");
    instruments::VcNetworkWavesConfig shown;
    const std::size_t routers = rig.loaded->network().routers();
    for (std::uint64_t count = random.below(4); count > 0; --count)
      shown.routers.push_back(static_cast<graph::RouterId>(random.below(routers)));
    if (random.below(3) == 0) shown.first_cycle = 90;
    if (random.below(3) == 0) shown.last_cycle = 300;
    instruments::test::Levels levels;
    instruments::FollowedPackets followed({{}}, shown.first_cycle);
    instruments::VcNetworkWaves waves(
        {rig.loaded->network(), rig.loaded->pool(), rig.loaded->domain(), levels, followed}, shown);
    const Cycle stops = 200 + random.below(400), step = 1 + random.below(90);
    for (Cycle stop = 1; stop < stops; stop += step) {
      rig.loaded->run_to(stop);
      waves.advance(stop);
    }
    waves.finish();
    if (levels.late != 0) throw std::logic_error("changes are late");
    std::string text = "to " + std::to_string(levels.passed());
    for (const instruments::FollowedPacket* const packet : followed.found())
      text += packet->heading() + " " + std::to_string(packet->from()) + " " + std::to_string(packet->to());
    levels.for_each([&](const std::string& path, const instruments::test::Levels::Signal& signal) {
      text += "; " + path + ":";
      std::pair<std::uint64_t, std::string> before;
      for (const auto& [time, level] : signal.changes) {
        if (level != before)
          text += " " + std::to_string(time) + "=" + std::to_string(level.first) + level.second;
        before = level;
      }
    });
    return text;
  });
}

}  // namespace

TEST_CASE("dense: waveforms of all routers or some, of the whole run or a part, are those of modules") {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const std::string expected = waves_of(seed, false);
    CAPTURE(seed, expected.substr(0, 200));
    REQUIRE(expected.rfind("exception: ", 0) != 0);
    REQUIRE(expected.size() > 1000);
    CHECK(first_difference(expected, waves_of(seed, true)) == "");
  }
}
