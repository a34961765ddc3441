// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/prediction_metrics.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tsuji::instruments {
namespace {

using Outcome = router::PredictionOutcome;

constexpr std::pair<Outcome, const char*> outcomes[] = {
    {Outcome::hit, "hits"},          {Outcome::wrong, "wrong"},
    {Outcome::lost, "lost"},         {Outcome::no_room, "no_room"},
    {Outcome::not_idle, "not_idle"}, {Outcome::not_predicted, "not_predicted"}};
constexpr std::size_t rows_on_terminal = 10;

/// Counts of the heads that came in by a port.
struct AtPort {
  graph::PortRef port;
  router::PredictionCounters counters;
};

bool is_before(const AtPort& a, const AtPort& b) {
  const auto key = [](const AtPort& one) {
    return std::tuple(~one.counters.saved_cycles, one.port.router, one.port.port);
  };
  return key(a) < key(b);
}

/// The `rows` best inputs.
std::vector<AtPort> best(const network::VcNetwork& network, std::size_t rows) {
  std::vector<AtPort> heap;
  const auto add = [&](const AtPort& one) {
    if (heap.size() == rows) {
      if (rows == 0 || !is_before(one, heap.front())) return;
      std::pop_heap(heap.begin(), heap.end(), is_before);
      heap.pop_back();
    }
    heap.push_back(one);
    std::push_heap(heap.begin(), heap.end(), is_before);
  };
  for (graph::RouterId id = 0; id < network.routers(); ++id) {
    const router::FlitRouter& router = network.router(id);
    const router::PredictingRouter* const predicting = router.predicting();
    if (predicting == nullptr) continue;
    for (unsigned port = 0; port < router.ports(); ++port)
      if (router.vcs(port) != 0) add({{id, port}, network.prediction_counters_at({id, port})});
  }
  std::sort_heap(heap.begin(), heap.end(), is_before);
  return heap;
}

/// Number of state bits of all predictors.
std::uint64_t bits_of(const network::VcNetwork& network) {
  std::uint64_t bits = 0;
  for (graph::RouterId id = 0; id < network.routers(); ++id)
    if (const router::PredictingRouter* const predicting = network.router(id).predicting())
      bits += predicting->predictor_bits();
  return bits;
}

void add_ports(observe::Results& results, const network::VcNetwork& network, std::size_t rows) {
  std::vector<observe::ResultTable::Column> columns = {{"input", ""}, {"predictor", ""}};
  for (const auto& [outcome, name] : outcomes) columns.push_back({name, "heads"});
  columns.insert(columns.end(), {{"kept", "flits"}, {"leaked", "flits"}, {"saved", "cycles"}});
  observe::ResultTable& table = results.table("predictions", columns);
  for (const AtPort& one : best(network, rows)) {
    std::vector<observe::Value> row = {std::to_string(one.port.router) + ":" + std::to_string(one.port.port),
                                       network.config().router.prediction.kind};
    for (const auto& [outcome, name] : outcomes)
      row.emplace_back(one.counters.visits[static_cast<std::size_t>(outcome)]);
    row.emplace_back(one.counters.kept_flits);
    row.emplace_back(one.counters.leaked_flits);
    row.emplace_back(one.counters.saved_cycles);
    table.row(row);
  }
  results.show_rows("predictions", rows_on_terminal, "inputs whose predictor saved most");
}

}  // namespace

void add_prediction(observe::Results& results, const network::VcNetwork& network, std::size_t rows) {
  const router::PredictionCounters counters = network.prediction_counters();
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
  for (const auto& [outcome, name] : outcomes)
    results.metric(std::string("prediction_") + name, of(outcome), "heads");
  results.metric("prediction_hit_rate", share(of(Outcome::hit), visits), "");
  results.metric("prediction_hits_per_prediction", share(of(Outcome::hit), predicted), "");
  results.metric("prediction_kept_flits", counters.kept_flits, "flits");
  results.metric("prediction_leaked_flits", counters.leaked_flits, "flits");
  results.metric("prediction_saved_cycles", counters.saved_cycles, "cycles");
  results.metric("prediction_bits", bits_of(network), "bits");
  add_ports(results, network, rows);
}

}  // namespace tsuji::instruments
