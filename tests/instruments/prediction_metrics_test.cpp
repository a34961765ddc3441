// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <string>

#include "network/vc_rig.h"
#include "support/catch.h"
#include "tsuji/instruments/prediction_metrics.h"

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::instruments;
using namespace tsuji::network::test;

TEST_CASE("the table of predictions: inputs by their saved cycles, which add up to the metrics") {
  NetworkConfig config = network_on({"fat_tree", "least_common_ancestor", 2});
  config.topology.of<graph::FatTreeConfig>().levels = 2;
  config.network.rc_cycles = 4;
  config.network.router.prediction.kind = "straight";
  config.network.router.prediction.check = router::PredictionCheck::leak;
  VcRig rig(config);
  rig.build(load(0.2, 3, 600));
  REQUIRE(rig.run_until_idle(20'000));
  const VcNetwork& network = rig.loaded->network();
  const auto told = [&](std::size_t rows) {
    observe::Results results("prediction_metrics_test", "", 1);
    add_prediction(results, network, rows);
    return results;
  };
  const auto all = told(1'000'000);
  const auto& rows = all.rows_of("predictions").rows();
  std::size_t inputs = 0;
  for (graph::RouterId id = 0; id < network.routers(); ++id) inputs += network.router(id).ports();
  CHECK(rows.size() == inputs);
  const auto& columns = all.rows_of("predictions").columns();
  REQUIRE(columns.size() == 11);
  for (std::size_t column = 2; column < columns.size(); ++column) {
    double sum = 0;
    for (const auto& row : rows) sum += row[column].number();
    const std::string name = columns[column].name;
    const std::string metric = "prediction_" + name +
                               (name == "kept" || name == "leaked" ? "_flits"
                                : name == "saved"                  ? "_cycles"
                                                                   : "");
    CAPTURE(metric);
    CHECK(all.value(metric).number() == sum);
    if (name == "hits" || name == "leaked" || name == "saved") CHECK(sum > 0);
  }
  const auto metric = [&](const char* name) { return all.value(name).number(); };
  const double hits = metric("prediction_hits");
  CHECK(metric("prediction_hit_rate") == hits / metric("prediction_visits"));
  CHECK(metric("prediction_hits_per_prediction") ==
        hits /
            (hits + metric("prediction_wrong") + metric("prediction_lost") + metric("prediction_no_room")));
  CHECK(hits < metric("prediction_visits"));
  CHECK(metric("prediction_bits") == 0);  // a static predictor
  double before = std::numeric_limits<double>::infinity();
  for (const auto& row : rows) {
    CHECK(row[10].number() <= before);
    before = row[10].number();
  }
  const auto best = told(5).rows_of("predictions").rows();
  REQUIRE(best.size() == 5);
  for (std::size_t row = 0; row < 5; ++row) {
    for (std::size_t column = 0; column < columns.size(); ++column)
      CHECK(best[row][column].text() == rows[row][column].text());
  }

  // The terminal shows the best ten.
  const std::string terminal = all.summary("out");
  std::size_t shown = 0;
  for (std::size_t at = terminal.find("straight"); at != std::string::npos;
       at = terminal.find("straight", at + 1))
    ++shown;
  CHECK(shown == 10);
}
