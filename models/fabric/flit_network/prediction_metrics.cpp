#include "tsuji/fabric/flit_network/prediction_metrics.h"

#include <numeric>
#include <string>

namespace tsuji::fabric {

void add_prediction(observe::Results& results, const router::PredictionCounters& counters) {
  using Outcome = router::PredictionOutcome;
  const auto of = [&](Outcome outcome) { return counters.visits[static_cast<std::size_t>(outcome)]; };
  const std::uint64_t visits =
      std::accumulate(counters.visits.begin(), counters.visits.end(), std::uint64_t{0});
  const std::uint64_t predicted =
      of(Outcome::hit) + of(Outcome::wrong) + of(Outcome::lost) + of(Outcome::no_room);
  const auto share = [](std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? observe::Value(nullptr)
                      : observe::Value(static_cast<double>(part) / static_cast<double>(whole));
  };
  results.metric("prediction_visits", visits, "heads");
  constexpr std::pair<Outcome, const char*> names[] = {
      {Outcome::hit, "hits"},          {Outcome::wrong, "wrong"},
      {Outcome::lost, "lost"},         {Outcome::no_room, "no_room"},
      {Outcome::not_idle, "not_idle"}, {Outcome::not_predicted, "not_predicted"}};
  for (const auto& [outcome, name] : names)
    results.metric(std::string("prediction_") + name, of(outcome), "heads");
  results.metric("prediction_hit_rate", share(of(Outcome::hit), visits), "");
  results.metric("prediction_hits_per_prediction", share(of(Outcome::hit), predicted), "");
  results.metric("prediction_kept_flits", counters.kept_flits, "flits");
  results.metric("prediction_leaked_flits", counters.leaked_flits, "flits");
}

}  // namespace tsuji::fabric
