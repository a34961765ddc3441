// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/loaded_network.h"

#include <algorithm>
#include <string>

#include "tsuji/core/error.h"
#include "tsuji/network/network_assembly.h"

namespace tsuji::network {

LoadedNetwork::LoadedNetwork(const Parts& parts)
    : accounts_(modules_, parts),
      changes_(modules_, *this),
      lanes_(modules_, accounts_, parts.on_delivered || parts.heads_are_observed),
      ranks_(modules_, accounts_),
      threads_(parts.threads) {
  modules_.run = this;
  modules_.ranks = parts.ranks;
  NetworkAssembly(parts, modules_, accounts_).build();
  if (threads_ > 1) modules_.domain->run_on(threads_, lanes_);
  if (modules_.ranks != nullptr) divide();
  if (modules_.reaction != nullptr) modules_.reaction->attach(*this);
  if (modules_.lookup && parts.config.lookup.warm == lookup::WarmCaches::all) modules_.lookup->warm_all();
}

/// Takes the share of this rank.
void LoadedNetwork::divide() {
  if (modules_.dense) return modules_.domain->run_part(ranks_);
  modules_.domain->run_part(ranks_, modules_.ranks->own(), modules_.ranks->count());
  if (modules_.retry) modules_.retry->divide([this](NodeId node) { return has(node); });
  if (modules_.lookup)
    modules_.lookup->divide(*modules_.ranks, [this](graph::RouterId router) { return has_router(router); });
}

bool LoadedNetwork::has(NodeId node) const {
  if (modules_.ranks == nullptr) return true;
  if (modules_.dense) return modules_.dense->has(node);
  return modules_.domain->share_of(*modules_.nodes[node]) == modules_.ranks->own();
}

bool LoadedNetwork::has_router(graph::RouterId router) const {
  return modules_.has_router(router);
}

/// True if an observer depends on the order of events in different modules.
bool LoadedNetwork::order_shows() const {
  if (modules_.dense) return false;
  for (graph::RouterId id = 0; id < modules_.network->routers(); ++id) {
    if (modules_.network->module(id).probe() != nullptr) return true;
  }
  const auto places = modules_.network->channels();
  return std::any_of(places.begin(), places.end(),
                     [](const VcNetwork::ChannelPlace& place) { return place.channel->probe() != nullptr; });
}

void LoadedNetwork::prepare(Cycle end) {
  // Only the network's clock reads the kernel's time, unless the network has pins.
  if (!modules_.network->has_pins()) modules_.domain->run_ahead(end);
  if (now() != 0 || modules_.lookahead == 1) return;
  if (!order_shows()) return modules_.domain->run_groups(modules_.lookahead);
  if (threads_ > 1)
    throw ConfigError("--threads", std::to_string(threads_),
                      "waveforms, records and logs show the order in which routers act", "1");
}

}  // namespace tsuji::network
