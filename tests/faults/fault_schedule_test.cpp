// SPDX-License-Identifier: Apache-2.0
// Schedules of faults: their text, their refusals, and campaigns drawn at random.

#include "tsuji/faults/fault_schedule.h"

#include <cmath>

#include "support/catch.h"
#include "tsuji/graph/cube.h"

using namespace tsuji;
using namespace tsuji::faults;
using Catch::Contains;

namespace {

std::string text_of(const std::vector<FaultEvent>& events) {
  std::string text;
  for (const FaultEvent& event : events) text += std::to_string(event.cycle) + " " + event.text() + "\n";
  return text;
}

void require_refused(const std::string& text, const std::string& part) {
  INFO(text);
  const graph::Topology torus = graph::make_torus({4, 4}, 1, 1);
  CHECK_THROWS_WITH(FaultSchedule(torus, parse_fault_events(text)),
                    Contains("faults.events") && Contains(part));
}

}  // namespace

TEST_CASE("a list of faults is read, and sorted by cycles", "[fault_schedule]") {
  CHECK(text_of(parse_fault_events("link 20@500:900, router 7@600 ,link 3@0")) ==
        "0 link 3 dies\n500 link 20 dies\n600 router 7 dies\n900 link 20 returns\n");
  CHECK(parse_fault_events("").empty());
  CHECK(parse_fault_events("  ").empty());
  const graph::Topology torus = graph::make_torus({4, 4}, 1, 1);
  const FaultSchedule schedule(torus,
                               parse_fault_events("link 20@500:900,router 7@600,link 3@0,link 20@900"));
  CHECK(schedule.at(499).links == std::vector<std::uint32_t>{3});
  CHECK(schedule.at(500).links == std::vector<std::uint32_t>{3, 20});
  CHECK(schedule.at(599).routers.empty());
  CHECK(schedule.at(600).routers == std::vector<graph::RouterId>{7});
  CHECK(schedule.at(899).links == std::vector<std::uint32_t>{3, 20});
  // The link returns and dies again in the same cycle.
  CHECK(schedule.at(900).links == std::vector<std::uint32_t>{3, 20});
  CHECK(schedule.events().size() == 5);
}

TEST_CASE("impossible faults are refused with the fault", "[fault_schedule]") {
  for (const char* text : {"20@500", "link 20", "link @5", "link 20@", "link 20@x", "link 20@5:", "node 3@5",
                           "link 20@5,", ",", "link -1@5", "link 20@5:9:12", "link 99999999999@5",
                           "link 20@99999999999999999999", "link20@5", "link 2 0@5"})
    require_refused(text, "not a fault");
  require_refused("link 20@9:9", "RETURNS above DIES");
  require_refused("link 32@9", "does not exist (got 'link 32 dies in cycle 9'); accepted: 0..31");
  require_refused("router 16@9", "0..15");
  require_refused("link 20@5:10,link 20@7:12", "is already dead (got 'link 20 dies in cycle 7')");
  require_refused("link 20@5,link 20@7", "is already dead");
  const graph::Topology torus = graph::make_torus({4, 4}, 1, 1);
  CHECK_THROWS_WITH(FaultSchedule(torus, {{5, false, 3, true}}),
                    Contains("is not dead in that cycle (got 'link 3 returns in cycle 5')"));
  CHECK_THROWS_WITH(FaultSchedule(torus, {{5, false, 3, false}, {4, false, 4, false}}),
                    Contains("is earlier than the previous event"));
  FaultCampaign campaign;
  for (const double mean : {-1.0, 0.5, std::nan("")}) {
    campaign.router_mean_cycles = mean;
    CHECK_THROWS_WITH(draw_campaign(torus, campaign), Contains("faults.campaign.router_mean_cycles"));
  }
}

TEST_CASE("a campaign draws deaths at its rate, repairs them, and ends", "[fault_schedule]") {
  const graph::Topology torus = graph::make_torus({8, 8}, 1, 1);
  FaultCampaign campaign;
  campaign.link_mean_cycles = 100'000;
  campaign.repair_cycles = 500;
  campaign.deaths = 4000;
  campaign.first_cycle = 1000;
  const std::vector<FaultEvent> events = draw_campaign(torus, campaign);
  REQUIRE(events.size() == 8000);
  CHECK(events.front().cycle >= 1000);
  const FaultSchedule schedule(torus, events);  // deaths and returns of each in turn, in the order of cycles
  CHECK(schedule.at(events.back().cycle).empty());
  CHECK(text_of(draw_campaign(torus, campaign)) == text_of(events));
  // 128 links with a life of 100,000 cycles and a repair of 500: 4,000 deaths within 3 standard deviations.
  const double cycles = static_cast<double>(events.back().cycle - 1000);
  const double expected = 4000.0 * 100'500 / 128;
  CHECK(std::abs(cycles - expected) < 3 * expected / std::sqrt(4000.0));
  campaign.seed = 2;
  CHECK(text_of(draw_campaign(torus, campaign)) != text_of(events));
}

TEST_CASE("without repair everything dies once, links and routers", "[fault_schedule]") {
  const graph::Topology torus = graph::make_torus({3, 3}, 1, 1);
  FaultCampaign campaign;
  campaign.link_mean_cycles = campaign.router_mean_cycles = 10;
  campaign.deaths = 1000;
  const std::vector<FaultEvent> events = draw_campaign(torus, campaign);
  CHECK(events.size() == 18 + 9);
  const graph::FaultSet dead = FaultSchedule(torus, events).at(never - 1);
  CHECK(dead.links.size() == 18);
  CHECK(dead.routers.size() == 9);
  // A router's random numbers differ from its link's.
  const auto death = [&](bool of_router) {
    for (const FaultEvent& event : events)
      if (event.of_router == of_router && event.number == 4) return event.cycle;
    return never;
  };
  CHECK(death(true) != death(false));
  campaign.deaths = 5;
  CHECK(draw_campaign(torus, campaign).size() == 5);
  CHECK(draw_campaign(torus, {}).empty());
  campaign.link_mean_cycles = 1;  // every living link in every cycle
  CHECK(draw_campaign(torus, campaign).back().cycle == 1);
  // Dead from cycle 1 to 5, and again from the cycle after its return.
  campaign.router_mean_cycles = 0;
  campaign.repair_cycles = 5;
  campaign.deaths = 19;
  CHECK(draw_campaign(torus, campaign).back().cycle == 12);
}
