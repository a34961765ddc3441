// SPDX-License-Identifier: Apache-2.0
#include "tsuji/faults/fault_schedule.h"

#include <algorithm>
#include <charconv>
#include <queue>
#include <tuple>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/core/random.h"

namespace tsuji::faults {
namespace {

constexpr const char* events_key = "faults.events";
constexpr const char* form =
    "link LINK@DIES or router ROUTER@DIES:RETURNS, in cycles, with commas between them";

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\n") + 1 - first);
}

std::uint64_t number(const std::string& text, const std::string& item, std::uint64_t most) {
  std::uint64_t value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (text.empty() || error != std::errc() || end != last || value > most)
    throw ConfigError(events_key, item, "not a fault", form);
  return value;
}

/// Parses one failure and its return, if it has one.
void parse_item(const std::string& item, std::vector<FaultEvent>& events) {
  constexpr std::uint64_t most_numbers = UINT32_MAX - 1, most_cycles = never - 1;
  const std::size_t space = item.find(' '), at = item.find('@');
  const std::string what = item.substr(0, space);
  if ((what != "link" && what != "router") || at == std::string::npos || at < space)
    throw ConfigError(events_key, item, "not a fault", form);
  FaultEvent event;
  event.of_router = what == "router";
  event.number =
      static_cast<std::uint32_t>(number(trimmed(item.substr(space, at - space)), item, most_numbers));
  const std::string times = item.substr(at + 1);
  const std::size_t colon = times.find(':');
  event.cycle = number(times.substr(0, colon), item, most_cycles);
  events.push_back(event);
  if (colon == std::string::npos) return;
  const Cycle death = event.cycle;
  event.cycle = number(times.substr(colon + 1), item, most_cycles);
  event.returns = true;
  if (event.cycle <= death)
    throw ConfigError(events_key, item, "the return is not later than the failure", "RETURNS above DIES");
  events.push_back(event);
}

bool earlier(const FaultEvent& a, const FaultEvent& b) {
  return a.cycle < b.cycle;
}

/// Dead links and routers during a sequence of events.
class Dead {
 public:
  explicit Dead(const graph::Topology& topology)
      : links_(topology.links().size()), routers_(topology.routers()) {}
  std::size_t count(bool of_router) const { return (of_router ? routers_ : links_).size(); }
  bool is_dead(const FaultEvent& event) const { return (event.of_router ? routers_ : links_)[event.number]; }
  void apply(const FaultEvent& event) {
    (event.of_router ? routers_ : links_)[event.number] = !event.returns;
  }

 private:
  std::vector<bool> links_, routers_;
};

}  // namespace

std::string FaultEvent::text() const {
  return (of_router ? "router " : "link ") + std::to_string(number) + (returns ? " returns" : " dies");
}

FaultSchedule::FaultSchedule(const graph::Topology& topology, std::vector<FaultEvent> events)
    : events_(std::move(events)) {
  Dead dead(topology);
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const FaultEvent& event = events_[i];
    const std::string value = event.text() + " in cycle " + std::to_string(event.cycle);
    const std::size_t count = dead.count(event.of_router);
    if (event.number >= count)
      throw ConfigError(events_key, value, "does not exist", "0.." + std::to_string(count - 1));
    if (i > 0 && event.cycle < events_[i - 1].cycle)
      throw ConfigError(events_key, value, "is earlier than the previous event",
                        "events in the order of their cycles");
    if (dead.is_dead(event) != event.returns)
      throw ConfigError(events_key, value, event.returns ? "is not dead in that cycle" : "is already dead",
                        "deaths and returns of one link or router in turn");
    dead.apply(event);
  }
}

graph::FaultSet FaultSchedule::at(Cycle cycle) const {
  graph::FaultSet faults;
  for (const FaultEvent& event : events_) {
    if (event.cycle > cycle) break;
    std::vector<std::uint32_t>& list = event.of_router ? faults.routers : faults.links;
    if (event.returns)
      list.erase(std::find(list.begin(), list.end(), event.number));
    else
      list.push_back(event.number);
  }
  std::sort(faults.links.begin(), faults.links.end());
  std::sort(faults.routers.begin(), faults.routers.end());
  return faults;
}

std::vector<FaultEvent> parse_fault_events(const std::string& text) {
  std::vector<FaultEvent> events;
  if (trimmed(text).empty()) return events;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    parse_item(trimmed(text.substr(from, comma - from)), events);
    from = comma + 1;
  }
  std::stable_sort(events.begin(), events.end(), earlier);
  return events;
}

std::vector<FaultEvent> draw_campaign(const graph::Topology& topology, const FaultCampaign& campaign) {
  struct Life {
    Cycle death;
    bool of_router;
    std::uint32_t number;
    CounterRandom random;
    bool operator<(const Life& other) const {
      return std::tie(death, of_router, number) > std::tie(other.death, other.of_router, other.number);
    }
  };
  constexpr Cycle last_death = Cycle{1} << 60;
  std::priority_queue<Life> lives;
  const auto live = [&](Life life, Cycle from, double mean) {
    const std::uint64_t gap = GeometricGap(1 / mean).draw(life.random);
    if (gap > last_death - std::min(from, last_death)) return;
    life.death = from + gap - 1;
    lives.push(life);
  };
  const auto mean_of = [&](bool of_router) {
    return of_router ? campaign.router_mean_cycles : campaign.link_mean_cycles;
  };
  for (const bool of_router : {false, true}) {
    const double mean = mean_of(of_router);
    if (!(mean == 0 || mean >= 1))
      throw ConfigError(of_router ? "faults.campaign.router_mean_cycles" : "faults.campaign.link_mean_cycles",
                        std::to_string(mean), "not a mean time to failure", "0, or a number of at least 1");
    const std::size_t count = of_router ? topology.routers() : topology.links().size();
    for (std::uint32_t number = 0; mean != 0 && number < count; ++number)
      live({0, of_router, number,
            CounterRandom(campaign.seed, std::uint64_t{number} * 2 + (of_router ? 1 : 0))},
           campaign.first_cycle, mean);
  }
  std::vector<FaultEvent> events;
  for (std::uint64_t deaths = 0; deaths < campaign.deaths && !lives.empty(); ++deaths) {
    const Life life = lives.top();
    lives.pop();
    events.push_back({life.death, life.of_router, life.number, false});
    if (campaign.repair_cycles == 0) continue;
    const Cycle back = life.death + campaign.repair_cycles;
    events.push_back({back, life.of_router, life.number, true});
    live(life, back + 1, mean_of(life.of_router));
  }
  std::stable_sort(events.begin(), events.end(), earlier);
  return events;
}

}  // namespace tsuji::faults
