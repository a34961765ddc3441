// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/reconfiguration_metrics.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "network/vc_rig.h"
#include "support/catch.h"

// Metrics and tables of reconfigurations, against accounts kept by the routers' phases.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::instruments;
using namespace tsuji::network::test;
using Json = nlohmann::ordered_json;
using Phase = faults::ReconfigurationNode::Phase;

namespace {

constexpr unsigned routers = 25;

NetworkConfig quiet_torus(const std::string& events) {
  NetworkConfig config = torus(5);
  config.routing.kind = "detour_ud";
  config.network.router.block_timeout_cycles = 32;
  config.dead.events = events;
  return config;
}

/// Suspended routers, derived from their phases.
class Standing {
 public:
  void on_phase(graph::RouterId router, bool stands, Cycle at) {
    if (stands == (since_.count(router) != 0)) return;
    if (stands) {
      if (since_.empty()) times_.push_back({at, at});
      since_[router] = at;
      return;
    }
    router_cycles_ += at - since_[router];
    since_.erase(router);
    times_.back().to = at;
  }
  struct Time {
    Cycle from, to;
  };
  /// Times in which any router was suspended; a time that has not ended lasts up to `now`.
  std::vector<Time> times(Cycle now) const {
    std::vector<Time> times = times_;
    if (!since_.empty()) times.back().to = now;
    return times;
  }
  std::uint64_t router_cycles(Cycle now) const {
    std::uint64_t cycles = router_cycles_;
    for (const auto& [router, since] : since_) cycles += now - std::min(now, since);
    return cycles;
  }
  bool settled() const { return since_.empty(); }

 private:
  std::map<graph::RouterId, Cycle> since_;
  std::vector<Time> times_;
  std::uint64_t router_cycles_ = 0;
};

Json told(const VcRig& rig) {
  observe::Results results("reconfiguration_metrics_test", "", 1, {});
  add_reconfiguration(results, *rig.reconfiguration, rig.loaded->now());
  return results.to_json();
}

Json metric(const Json& all, const char* name) {
  return all["metrics"][name]["value"];
}

void check_metrics(const Json& all, const Standing& standing, Cycle now) {
  CAPTURE(now);
  Cycle sum = 0, longest = 0;
  for (const Standing::Time& time : standing.times(now)) {
    sum += time.to - time.from;
    longest = std::max(longest, time.to - time.from);
  }
  const std::size_t over = standing.times(now).size() - (standing.settled() ? 0 : 1);
  CHECK(metric(all, "reconfigurations") == over);
  CHECK(metric(all, "unsettled_cycles") == sum);
  CHECK(metric(all, "longest_unsettled_cycles") == longest);
  CHECK(metric(all, "suspended_share").get<double>() ==
        Approx(static_cast<double>(standing.router_cycles(now)) / (routers * static_cast<double>(now))));
}

}  // namespace

TEST_CASE("metrics of reconfigurations before, during and after them equal the sums of the routers' phases") {
  VcRig rig(quiet_torus("link 20@200:3000, link 3@6000"));
  rig.build(std::vector<VcRig::Send>{});
  Standing standing;
  rig.reconfiguration->tell_of_phases(
      [&](graph::RouterId router, const faults::ReconfigurationNode* node, Cycle at) {
        standing.on_phase(router, node->phase() != Phase::running, at);
      });
  rig.loaded->run_to(150);
  const Json before = told(rig);
  check_metrics(before, standing, 150);
  CHECK(metric(before, "unsettled_cycles") == 0);
  CHECK(metric(before, "table_updates") == 0);
  CHECK(metric(before, "control_messages") == 0);
  CHECK(before["tables"]["faults"]["rows"].empty());
  // Tables are computed in 100 cycles.
  rig.loaded->run_to(280);
  CHECK_FALSE(standing.settled());
  check_metrics(told(rig), standing, 280);
  rig.loaded->run_to(3000);
  CHECK(told(rig)["tables"]["faults"]["rows"] == Json::parse(R"([[200, "link", 20, "dies"]])"));
  rig.loaded->run_to(9000);
  const Json after = told(rig);
  REQUIRE(standing.settled());
  check_metrics(after, standing, 9000);
  CHECK(metric(after, "reconfigurations") == 3);
  // In each of the three reconfigurations, all routers take new tables, and every router but the root is
  // configured, answers and is resumed.
  CHECK(metric(after, "table_updates") == 3 * routers);
  CHECK(metric(after, "control_messages") >= 3 * 3 * (routers - 1));
  CHECK(after["tables"]["faults"]["rows"] ==
        Json::parse(
            R"([[200, "link", 20, "dies"], [3000, "link", 20, "returns"], [6000, "link", 3, "dies"]])"));
  const Json& rows = after["tables"]["reconfigurations"]["rows"];
  const std::vector<Standing::Time> times = standing.times(9000);
  REQUIRE(rows.size() == times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    CHECK(rows[i][0] == times[i].from);
    CHECK(rows[i][1] == times[i].to);
    CHECK(rows[i][2] == routers);
  }
  CHECK(times[0].from == 202);  // two cycles after the fault
  CHECK(rows[2][3] == rig.reconfiguration->node(0)->in_use().root());
}
