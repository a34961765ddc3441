// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/network_lanes.h"

namespace tsuji::network {

void NetworkLanes::enter_lanes() {
  const ClockDomain& domain = *modules_.domain;
  for (std::size_t lane = 0; lane < domain.lanes(); ++lane) {
    modules_.lane_pools.push_back(std::make_unique<PacketPool>(&modules_.pool));
    events_.push_back(std::make_unique<DeferredEvents>());
  }
  if (modules_.dense) return enter_dense();
  for (const auto& node : modules_.nodes) {
    const std::size_t lane = domain.lane_of(*node);
    node->state().join_lane(*modules_.lane_pools[lane], *events_[lane]);
  }
  for (const VcNetwork::ChannelPlace& place : modules_.network->channels())
    if (place.channel->crosses_lanes()) crossings_.emplace_back(*place.channel, modules_.arena);
}

void NetworkLanes::enter_dense() {
  std::vector<dense::DenseNetwork::OfThread> threads;
  for (std::size_t lane = 0; lane < events_.size(); ++lane)
    threads.push_back({modules_.lane_pools[lane].get(), events_[lane].get()});
  modules_.dense->enter_threads(*modules_.domain, threads);
}

void NetworkLanes::exchange(Cycle last) {
  if (modules_.dense) modules_.dense->exchange(last);
  for (LaneCrossing& crossing : crossings_) crossing.exchange(last);
  if (!by_cycle_) {
    for (const auto& events : events_) events->report_to(accounts_);
    return;
  }
  if (dense::GatheredHeads* const heads = modules_.gathered_heads()) heads->show_own();
  DeferredEvents::report_by_cycle(events_, *this);
}

void NetworkLanes::on_born(End source, const traffic::Emission& emission, Cycle now) {
  accounts_.on_born(source, emission, now);
}

void NetworkLanes::on_delivered(const Packet& packet, Cycle head, Cycle tail) {
  accounts_.on_delivered(packet, head, tail);
  if (dense::GatheredHeads* const heads = modules_.gathered_heads()) heads->forget(packet.id);
}

}  // namespace tsuji::network
