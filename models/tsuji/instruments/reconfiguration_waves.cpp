// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/reconfiguration_waves.h"

#include <algorithm>
#include <string>

namespace tsuji::instruments {

using Phase = faults::ReconfigurationNode::Phase;

namespace {

constexpr Phase phases[] = {Phase::running,  Phase::agreeing, Phase::computing,
                            Phase::reducing, Phase::waiting,  Phase::cut_off};
constexpr std::uint64_t dead = std::size(phases);

}  // namespace

ReconfigurationWaves::ReconfigurationWaves(network::Reconfiguration& reconfiguration,
                                           const ClockDomain& domain, observe::Wave& wave,
                                           const std::vector<graph::RouterId>& routers)
    : reconfiguration_(reconfiguration),
      domain_(domain),
      wave_(wave),
      signals_(reconfiguration.topology().routers()) {
  for (graph::RouterId router = 0; router < signals_.size(); ++router) {
    if (!routers.empty() && std::find(routers.begin(), routers.end(), router) == routers.end()) continue;
    const std::string path = "network.r" + std::to_string(router) + ".reconfiguration.";
    Signals& own = signals_[router];
    own.shown = true;
    own.phase = wave.add(path + "phase", 3, observe::WaveFormat::decimal, "reconfiguration");
    for (const Phase phase : phases)
      wave.name_value(own.phase, static_cast<std::uint64_t>(phase), phase_name(phase));
    wave.name_value(own.phase, dead, "dead");
    own.root = wave.add(path + "root", observe::bits_for(signals_.size() - 1), observe::WaveFormat::decimal,
                        "reconfiguration");
    own.region = wave.add(path + "region", 1, observe::WaveFormat::binary, "reconfiguration");
  }
  reconfiguration.tell_of_phases([this](graph::RouterId router, const faults::ReconfigurationNode* node,
                                        Cycle now) { tell(router, node, now); });
}

void ReconfigurationWaves::begin() {
  for (graph::RouterId router = 0; router < signals_.size(); ++router)
    tell(router, reconfiguration_.node(router), 0);
}

/// A decision between two cycles is visible from the second one on.
void ReconfigurationWaves::tell(graph::RouterId router, const faults::ReconfigurationNode* node, Cycle at) {
  const Signals& own = signals_[router];
  if (!own.shown) return;
  const Picoseconds time = domain_.time_of(at).value();
  wave_.change(own.phase, time, node == nullptr ? dead : static_cast<std::uint64_t>(node->phase()));
  if (node == nullptr) return;
  wave_.change(own.root, time, std::uint64_t{node->known().root()});
  const bool in_region = node->known().in_region(router) || node->in_use().in_region(router);
  wave_.change(own.region, time, std::uint64_t{in_region ? 1U : 0U});
}

}  // namespace tsuji::instruments
