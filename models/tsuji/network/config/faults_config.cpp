// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/config/faults_config.h"

#include <limits>
#include <string>

#include "tsuji/core/error.h"

namespace tsuji::network {

void FaultsConfig::validate() const {
  const bool named = !links.empty() || !routers.empty();
  for (const auto& [key, count] :
       {std::pair{"faults.random_links", random_links}, std::pair{"faults.random_routers", random_routers}}) {
    if (count != 0 && named)
      throw ConfigError(key, std::to_string(count), "random faults cannot be combined with named ones",
                        "0, or faults.links and faults.routers []");
  }
  if (!events.empty() && campaign.deaths != 0)
    throw ConfigError("faults.events", events,
                      "a failure campaign (faults.campaign.deaths) cannot be combined with given events",
                      "none, or faults.campaign.deaths 0");
  if (campaign.deaths != 0 && campaign.link_mean_cycles == 0 && campaign.router_mean_cycles == 0)
    throw ConfigError("faults.campaign.deaths", std::to_string(campaign.deaths),
                      "neither links nor routers have a mean lifetime",
                      "0, or faults.campaign.link_mean_cycles or .router_mean_cycles of at least 1");
}

graph::FaultSet FaultsConfig::on(const graph::Topology& topology) const {
  return schedule(topology).at(0);
}

faults::FaultSchedule FaultsConfig::schedule(const graph::Topology& topology) const {
  validate();
  graph::FaultSet first{links, routers};
  if (random_links != 0 || random_routers != 0)
    first = graph::draw_connected_faults(topology, {random_links, random_routers, seed});
  first.validate(topology);
  std::vector<faults::FaultEvent> all;
  for (const std::uint32_t link : first.links) all.push_back({0, false, link, false});
  for (const graph::RouterId router : first.routers) all.push_back({0, true, router, false});
  const auto later =
      campaign.deaths != 0 ? faults::draw_campaign(topology, campaign) : faults::parse_fault_events(events);
  all.insert(all.end(), later.begin(), later.end());
  return {topology, std::move(all)};
}

namespace {

void add_campaign_keys(config::KeyTable& keys, faults::FaultCampaign& campaign) {
  constexpr double longest = 1e15;
  keys.add("faults.campaign.deaths", campaign.deaths, {0, 1'000'000}, "",
           "number of links and routers that fail at random times during the run; 0: none");
  keys.add("faults.campaign.link_mean_cycles", campaign.link_mean_cycles, {0, longest}, "cycles",
           "mean lifetime of a link, geometrically distributed, at least 1; 0: links do not fail");
  keys.add("faults.campaign.router_mean_cycles", campaign.router_mean_cycles, {0, longest}, "cycles",
           "mean lifetime of a router, geometrically distributed, at least 1; 0: routers do not fail");
  keys.add("faults.campaign.repair_cycles", campaign.repair_cycles, {0, 1'000'000'000}, "cycles",
           "time from a failure to the repair; 0: no repair");
  keys.add("faults.campaign.first_cycle", campaign.first_cycle, {1, 1'000'000'000}, "cycles",
           "cycle from which lifetimes are counted");
  keys.add("faults.campaign.seed", campaign.seed, {0, ~0ULL}, "",
           "seed of the failure campaign, independent of seed");
}

void add_reconfiguration_keys(config::KeyTable& keys, FaultsConfig& config) {
  keys.add("faults.detection_cycles", config.detection_cycles, {1, 1'000'000}, "cycles",
           "time from a failure or repair until the routers at its ends have detected it");
  keys.add("faults.table_cycles", config.reconfiguration.table_cycles, {0, 1'000'000'000}, "cycles",
           "time to compute a router's new routing tables");
  keys.add_choice(
      "faults.resume", config.reconfiguration.resume,
      {{"reduced", faults::Resume::reduced}, {"upward", faults::Resume::upward}},
      "condition on which a router resumes traffic during reconfiguration; reduced: all routers have new "
      "tables; upward: the router's own part of the tree is complete, which may deadlock");
  keys.add_choice(
      "faults.losses", config.losses,
      {{"recovering", Losses::recovering}, {"everything", Losses::everything}, {"nothing", Losses::nothing}},
      "packets in a router that are dropped when its tables change; recovering: those in recovery; "
      "everything: all; nothing: none, packets in recovery finish with the old tables on one half of "
      "routing.ud_vcs while new ones use the other half");
}

}  // namespace

void add_fault_keys(config::KeyTable& keys, FaultsConfig& config, const FaultRoutings& routings) {
  constexpr unsigned most = std::numeric_limits<unsigned>::max() - 1;
  constexpr unsigned longest = 1'000'000;
  keys.add("faults.links", config.links, {0, most}, {0, longest}, "",
           "numbers of links that are dead from the start, in both directions, as in --print-topology json");
  keys.add("faults.routers", config.routers, {0, most}, {0, longest}, "",
           "numbers of routers that are dead from the start, with all of their links and nodes");
  keys.add("faults.random_links", config.random_links, {0, longest}, "links",
           "number of dead links, drawn at random such that all working routers remain connected");
  keys.add("faults.random_routers", config.random_routers, {0, longest}, "routers",
           "number of dead routers, drawn at random such that all working routers remain connected");
  keys.add("faults.seed", config.seed, {0, ~0ULL}, "", "seed of random faults, independent of seed");
  keys.add("faults.events", config.events,
           "failures and repairs of links and routers during the run, as \"link LINK@DIES:RETURNS, router "
           "ROUTER@DIES\" in cycles");
  add_campaign_keys(keys, config.campaign);
  add_reconfiguration_keys(keys, config);
  const auto only_with = [&keys](const std::vector<const char*>& names,
                                 const std::vector<std::string>& kinds) {
    for (const char* name : names)
      if (!kinds.empty()) keys.only_with(std::string("faults.") + name, {{"routing.kind", kinds}});
  };
  only_with({"links", "routers", "random_links", "random_routers", "seed"}, routings.bearing);
  only_with({"detection_cycles", "table_cycles", "resume", "losses"}, routings.reconfiguring);
}

}  // namespace tsuji::network
