// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/connectivity.h"

#include <algorithm>

namespace tsuji::graph {
namespace {

/// Text of sum / count, rounded to four digits.
std::string mean_text(std::uint64_t sum, std::uint64_t count) {
  const std::uint64_t ten_thousandths = (sum * 10000 + count / 2) / count;
  const std::string digits = std::to_string(ten_thousandths % 10000 + 10000);
  return std::to_string(ten_thousandths / 10000) + "." + digits.substr(1);
}

}  // namespace

ConnectivityReport connectivity(const Topology& topology, const LivingNetwork& network,
                                const FaultRegions& regions) {
  ConnectivityReport report;
  report.routers = topology.routers();
  report.living = network.living();
  report.cut_off = network.cut_off();
  report.dead = report.routers - report.living - static_cast<unsigned>(report.cut_off.size());
  report.regions = regions.regions();
  report.region_routers = regions.members();
  BreadthFirst search;
  for (RouterId to = 0; to < topology.routers(); ++to) {
    if (!network.lives(to)) continue;
    const std::vector<std::uint16_t>& living = network.hops_to(to, search);
    const std::vector<std::uint16_t> faultless = hops_to(topology, to);
    for (RouterId from = 0; from < topology.routers(); ++from) {
      if (from == to || !network.lives(from)) continue;
      const unsigned more = living[from] - faultless[from];
      ++report.pairs;
      report.longer_pairs += more > 0 ? 1 : 0;
      report.hops += living[from];
      report.faultless_hops += faultless[from];
      report.longest = std::max<unsigned>(report.longest, living[from]);
      report.faultless_longest = std::max<unsigned>(report.faultless_longest, faultless[from]);
      report.most_more = std::max(report.most_more, more);
    }
  }
  return report;
}

std::string ConnectivityReport::text() const {
  std::string out = std::to_string(living) + " of " + std::to_string(routers) + " routers live, " +
                    std::to_string(dead) + " are dead, " + std::to_string(cut_off.size()) + " cut off";
  for (std::size_t i = 0; i < cut_off.size(); ++i) out += (i == 0 ? ": " : ", ") + std::to_string(cut_off[i]);
  out += "\n" + std::to_string(region_routers) + " routers are in " + std::to_string(regions) +
         " fault regions\n";
  if (pairs == 0) return out;
  out += "shortest paths: " + mean_text(hops, pairs) + " hops in the mean, " + std::to_string(longest) +
         " at most; without faults " + mean_text(faultless_hops, pairs) + ", " +
         std::to_string(faultless_longest) + "\n" + std::to_string(longer_pairs) + " of " +
         std::to_string(pairs) + " pairs have a longer path than without faults, by at most " +
         std::to_string(most_more) + " hops\n";
  return out;
}

}  // namespace tsuji::graph
