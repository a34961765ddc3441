// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/port_waits.h"

#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/link/flit_watch.h"

namespace tsuji::instruments {

const char* name_of(PortState state) {
  constexpr std::array<const char*, port_states> names = {"empty",      "no_flit",   "routing",     "no_vc",
                                                          "allocation", "no_credit", "lost_switch", "moves",
                                                          "paused",     "inside"};
  return names[static_cast<std::size_t>(state)];
}

/// Flits that a channel takes from a router or brings to one, and the credits that it returns.
class PortWaits::ChannelWatch final : public FlitWatch {
 public:
  ChannelWatch(PortWaits& waits, const network::VcNetwork::ChannelPlace& place)
      : FlitWatch(*place.channel),
        waits_(waits),
        from_(place.from_node ? graph::none : place.from.router),
        to_(place.to_node ? graph::none : place.to.router),
        first_(place.to_node ? 0 : waits.first_[place.to.router][place.to.port]) {}

  void sees_flit(const FlitChannel& channel, unsigned vc, const Flit& flit, Cycle, Cycle ready) override {
    if (from_ != graph::none) waits_.leaves_router(from_, flit.is_tail(), channel.credit_taken());
    if (to_ != graph::none) waits_.arrives(waits_.vcs_[first_ + vc], ready);
  }
  void sees_credit(const FlitChannel&, unsigned vc, Cycle now, Cycle) override {
    if (to_ != graph::none) waits_.leaves_buffer(to_, waits_.vcs_[first_ + vc], now);
  }

 private:
  PortWaits& waits_;
  const graph::RouterId from_, to_;
  const std::size_t first_;
};

PortWaits::PortWaits(network::VcNetwork& network)
    : network_(network),
      va_cycles_(network.config().router.va_cycles),
      first_(network.routers()),
      leaving_(network.routers()) {
  const std::vector<network::VcNetwork::ChannelPlace> places = network.channels();
  for (const network::VcNetwork::ChannelPlace& place : places)
    if (!place.to_node) add_channel(place);
  for (const network::VcNetwork::ChannelPlace& place : places)
    channels_.push_back(std::make_unique<ChannelWatch>(*this, place));
  for (graph::RouterId id = 0; id < network.routers(); ++id) {
    behind_.push_back(network.module(id).probe());
    network.module(id).set_probe(this);
  }
}

PortWaits::~PortWaits() = default;

void PortWaits::add_channel(const network::VcNetwork::ChannelPlace& place) {
  std::vector<std::size_t>& ports = first_[place.to.router];
  if (ports.size() <= place.to.port) ports.resize(place.to.port + std::size_t{1});
  ports[place.to.port] = vcs_.size();
  for (unsigned vc = 0; vc < place.channel->vcs(); ++vc) {
    vcs_.emplace_back();
    vcs_.back().arrivals.ready.resize(place.channel->depth_flits());
  }
}

void PortWaits::count(InputVc& vc, PortState state, Cycle until) {
  if (until <= vc.counted_to) return;
  vc.cycles[static_cast<std::size_t>(state)] += until - vc.counted_to;
  vc.counted_to = until;
}

void PortWaits::settle(InputVc& vc, Cycle until, Cycle ready, Cycle credit) const {
  switch (vc.stage) {
    case Stage::idle:
      count(vc, PortState::empty, std::min(until, ready));
      count(vc, PortState::no_flit, until);
      break;
    case Stage::routing:
      count(vc, PortState::routing, until);
      break;
    case Stage::waiting:
      count(vc, PortState::no_vc, until);
      break;
    case Stage::active:
      count(vc, PortState::allocation, std::min(until, vc.granted));
      count(vc, PortState::no_flit, std::min(until, ready));
      count(vc, PortState::no_credit, std::min(until, credit));
      count(vc, PortState::lost_switch, until);
      break;
    case Stage::standing:
      count(vc, PortState::paused, until);
      break;
    case Stage::inside:
      count(vc, PortState::inside, until);
      break;
  }
}

Cycle PortWaits::front_ready(const InputVc& vc) {
  return vc.arrivals.count == 0 ? never : vc.arrivals.ready[vc.arrivals.first];
}

void PortWaits::on_stage(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet,
                         router::HeadStage stage, Cycle at_cycle) {
  if (router::RouterProbe* const behind = behind_[router])
    behind->on_stage(router, port, vc, packet, stage, at_cycle);
  InputVc& input = at(router, port, vc);
  switch (stage) {
    case router::HeadStage::route_computation:
      settle(input, at_cycle, front_ready(input), 0);
      input.stage = Stage::routing;
      break;
    case router::HeadStage::vc_allocation:
      settle(input, at_cycle, front_ready(input), 0);
      input.stage = Stage::waiting;
      break;
    case router::HeadStage::switch_allocation:  // the end of the allocation
      settle(input, at_cycle - va_cycles_, front_ready(input), 0);
      input.stage = Stage::active;
      input.granted = at_cycle;
      break;
    case router::HeadStage::crossing:
      settle(input, at_cycle, front_ready(input), 0);
      input.stage = Stage::active;
      input.granted = at_cycle;
      break;
    case router::HeadStage::standing:
      settle(input, at_cycle, front_ready(input), 0);
      input.stage = Stage::standing;
      break;
    case router::HeadStage::inside:
      settle(input, at_cycle, front_ready(input), 0);
      input.stage = Stage::inside;
      break;
    case router::HeadStage::none:
      settle(input, at_cycle, front_ready(input), 0);
      input.stage = Stage::idle;
      break;
  }
}

void PortWaits::on_prediction(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet,
                              router::PredictionOutcome outcome, Cycle at_cycle) {
  if (router::RouterProbe* const behind = behind_[router]; behind != nullptr)
    behind->on_prediction(router, port, vc, packet, outcome, at_cycle);
}

void PortWaits::arrives(InputVc& vc, Cycle ready) {
  Arrivals& arrivals = vc.arrivals;
  if (arrivals.count == arrivals.ready.size())
    throw ModelError("port waits", ready, "", "a buffer overflows");
  arrivals.ready[(arrivals.first + arrivals.count++) % arrivals.ready.size()] = ready;
}

void PortWaits::leaves_buffer(graph::RouterId router, InputVc& vc, Cycle now) {
  if (leaving_[router].vc != nullptr) leaves_router(router, false, 0);  // a discarded flit takes no output
  leaving_[router] = {&vc, now, front_ready(vc)};
  if (vc.arrivals.count == 0) return;
  vc.arrivals.first = (vc.arrivals.first + 1) % static_cast<unsigned>(vc.arrivals.ready.size());
  --vc.arrivals.count;
}

void PortWaits::leaves_router(graph::RouterId router, bool tail, Cycle credit) {
  const Leaving leaving = leaving_[router];
  if (leaving.vc == nullptr) return;  // a copy of a flit that remains
  leaving_[router].vc = nullptr;
  settle(*leaving.vc, leaving.now, std::min(leaving.ready, leaving.now), credit);
  count(*leaving.vc, PortState::moves, leaving.now + 1);
  if (tail) leaving.vc->stage = Stage::idle;
}

void PortWaits::finish(Cycle end) {
  for (graph::RouterId router = 0; router < network_.routers(); ++router) {
    if (leaving_[router].vc != nullptr) leaves_router(router, false, 0);
    for (unsigned port = 0; port < first_[router].size(); ++port) {
      const unsigned vcs = network_.router(router).vcs(port);
      for (unsigned vc = 0; vc < vcs; ++vc) {
        const router::VcView view = network_.router(router).view(port, vc);
        InputVc& input = at(router, port, vc);
        Cycle credit = 0;
        if (view.state == router::VcState::active)
          credit = network_.router(router).port(view.out_port).out->ring(view.out_vc).credit_at();
        settle(input, end, front_ready(input), credit);
      }
    }
  }
}

void PortWaits::for_each(
    const std::function<void(const graph::PortRef&, unsigned, const Cycles&)>& visit) const {
  for (graph::RouterId router = 0; router < network_.routers(); ++router) {
    for (unsigned port = 0; port < first_[router].size(); ++port)
      for (unsigned vc = 0; vc < network_.router(router).vcs(port); ++vc)
        visit({router, port}, vc, vcs_[first_[router][port] + vc].cycles);
  }
}

}  // namespace tsuji::instruments
