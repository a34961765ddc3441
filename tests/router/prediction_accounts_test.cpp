// SPDX-License-Identifier: Apache-2.0

#include "router/prediction_rig.h"
#include "support/catch.h"

// Accounts of predictions by the input port of heads.

using namespace tsuji;
using namespace tsuji::router;
using namespace tsuji::router::test;

namespace {

struct Played {
  Cycle leaves = 0;
  PredictionCounters in, others;
};

/// Plays a packet from input 0 to output 1.
Played play(RigConfig config, const std::string& kind) {
  config.router.prediction.kind = kind;
  if (kind == "none") config.router.prediction.serial = false;
  Rig rig(config);
  const PacketIndex packet = rig.packet(1, 4);
  rig.arrive(60, 0, 0, packet);
  rig.run(160);
  Played played;
  played.leaves = cycles_of(rig, packet).at(0);
  played.in = rig.state->prediction_counters_at(0);
  for (const unsigned port : {1U, 2U}) played.others += rig.state->prediction_counters_at(port);
  return played;
}

}  // namespace

TEST_CASE("prediction: a hit saves the cycles by which its head leaves earlier than without prediction") {
  for (const PredictionCheck check : {PredictionCheck::kill, PredictionCheck::wait, PredictionCheck::leak}) {
    for (const Cycle va_cycles : {0, 2}) {
      for (const Cycle rc_cycles : {1, 3}) {
        RigConfig config = predicting("straight");
        config.router.va_cycles = va_cycles;
        config.router.sa_cycles = 2;
        config.router.st_cycles = 3;
        config.rc_cycles = rc_cycles;
        config.router.prediction.check = check;
        const Played none = play(config, "none"), hit = play(config, "straight");
        CAPTURE(static_cast<int>(check), va_cycles, rc_cycles);
        CHECK(hit.in.visits[0] == 1);
        CHECK(hit.in.saved_cycles == none.leaves - hit.leaves);
        CHECK(hit.in.saved_cycles == va_cycles + 2 + (check == PredictionCheck::wait ? 0 : rc_cycles));
        CHECK(none.in.saved_cycles == 0);
        CHECK(hit.others.visits[0] + hit.others.saved_cycles + hit.others.kept_flits == 0);
      }
    }
  }
}

TEST_CASE("prediction: a wrong prediction saves nothing, and its dead flits count for its input") {
  RigConfig config = predicting("straight", {2, no_port, no_port});
  config.rc_cycles = 4;
  config.router.prediction.check = PredictionCheck::leak;
  const Played wrong = play(config, "straight");
  CHECK(wrong.in.visits[static_cast<std::size_t>(PredictionOutcome::wrong)] == 1);
  CHECK(wrong.in.saved_cycles == 0);
  CHECK(wrong.in.leaked_flits == 4);
  CHECK(wrong.others.leaked_flits == 0);
}

TEST_CASE("prediction: a head with a route in its own cycle trains the predictor in that cycle") {
  RigConfig config = predicting("latest_port");
  config.rc_cycles = 0;
  Rig rig(config);
  const PacketIndex first = rig.packet(1, 1, 1), second = rig.packet(1, 1, 2);
  rig.arrive(30, 0, 0, first);
  rig.arrive(60, 0, 0, second);
  rig.run(100);
  CHECK(visits(rig, PredictionOutcome::not_predicted) == 1);
  CHECK(visits(rig, PredictionOutcome::hit) == 1);
}

namespace {

/// Routes to port `destination` after a delay; records the hop count that each request carries.
class HopsAsked final : public RouteLookup {
 public:
  void bind_client(RouteClient&) override {}
  Cycle request(Cycle now, const routing::RouteQuery& query, std::uint32_t,
                routing::RouteSet& candidates) override {
    hops.push_back(query.hops);
    candidates.add(query.destination.node(), routing::vc_range(0, 2));
    return now + 5;
  }
  void cancel(Cycle, std::uint32_t) override {}
  std::vector<unsigned> hops;
};

}  // namespace

TEST_CASE(
    "prediction: a head that crosses before its route request requests with the hop count of its arrival") {
  for (const bool right : {true, false}) {
    HopsAsked lookup;
    RigConfig config = predicting("straight", {right ? 1U : 2U, no_port, no_port});
    config.channel.flit_cycles = 4;
    config.channel.whole_flit = true;
    config.router.prediction.serial = true;
    config.router.prediction.check = PredictionCheck::leak;
    Rig rig(config, &lookup);
    const PacketIndex packet = rig.packet(1, 2);
    rig.pool.at(packet).hops = 3;
    rig.arrive(40, 0, 0, packet, 0);
    rig.arrive(44, 0, 0, packet, 1);
    rig.run(42);
    CAPTURE(right);
    CHECK(lookup.hops == std::vector<unsigned>{3});
    CHECK(rig.state->prediction_counters().visits[right ? 0 : 1] == 1);
  }
}
