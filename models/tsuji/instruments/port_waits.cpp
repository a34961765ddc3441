// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/port_waits.h"

#include <algorithm>

#include "tsuji/link/flit_watch.h"

namespace tsuji::instruments {

const char* name_of(PortState state) {
  constexpr std::array<const char*, port_states> names = {
      "empty",      "no_flit",   "routing",     "mispredicted", "no_vc",  "link_down", "recovery",
      "allocation", "no_credit", "lost_switch", "moves",        "paused", "inside"};
  return names[static_cast<std::size_t>(state)];
}

void PortWaits::InputVc::settle_head(Cycle until, Cycle ready) {
  const Cycle starts = std::min(until, begun);
  count(PortState::empty, std::min(starts, ready));
  count(PortState::no_flit, starts);
  count(routes_as, std::min(until, asked));
  count(waits_as, std::min(until, won));
  count(PortState::allocation, std::min(until, granted));
}

void PortWaits::InputVc::settle(Cycle until, Cycle ready, Cycle credit) {
  if (stage != Stage::usual)
    return count(stage == Stage::standing ? PortState::paused : PortState::inside, until);
  if (counted_to < granted) settle_head(until, ready);
  settle_granted(until, ready, credit);
}

/// Stages of the heads in one router.
class PortWaits::RouterWatch final : public router::RouterProbe {
 public:
  RouterWatch(PortWaits& waits, graph::RouterId id)
      : waits_(waits), module_(waits.network_.module(id)), behind_(module_.probe()) {}

  /// Input virtual channel 0 of a port; null: the port has no input.
  void add_input(unsigned port, FlitChannel& channel, std::size_t first) {
    if (inputs_.size() <= port) inputs_.resize(port + std::size_t{1});
    inputs_[port] = {&channel, &waits_.vcs_[first]};
  }
  void settle(Cycle end) const {
    visit([&](unsigned port, unsigned vc, InputVc& input) {
      input.settle(end, ready(port, vc), credit(port, vc));
    });
  }
  template <class Visit>
  void visit(const Visit& visit) const {
    for (unsigned port = 0; port < inputs_.size(); ++port)
      for (unsigned vc = 0; inputs_[port].channel != nullptr && vc < inputs_[port].channel->vcs(); ++vc)
        visit(port, vc, inputs_[port].vcs[vc]);
  }

  void on_stage(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet,
                router::HeadStage stage, Cycle at) override {
    if (behind_ != nullptr) behind_->on_stage(router, port, vc, packet, stage, at);
    InputVc& input = inputs_[port].vcs[vc];
    switch (stage) {
      case router::HeadStage::route_computation:
        if (input.stage != Stage::usual) leave(input, port, vc, Stage::usual, at);
        input.begin_packet(at);
        input.routes_as = PortState::routing;
        break;
      case router::HeadStage::vc_allocation:
        input.asked = at;
        input.waits_as = waits_as(port, vc, packet);
        break;
      case router::HeadStage::switch_allocation:  // the end of the allocation
        grant(input, port, vc, at - waits_.va_cycles_, at);
        break;
      case router::HeadStage::crossing:
        input.begun = std::min(input.begun, at);
        grant(input, port, vc, at, at);
        break;
      case router::HeadStage::standing:
        leave(input, port, vc, Stage::standing, at);
        break;
      case router::HeadStage::inside:
        leave(input, port, vc, Stage::inside, at);
        break;
      case router::HeadStage::none:
        // A head that is suspended with an output gives it up at once.
        if (input.stage != Stage::standing || input.counted_to < at) leave(input, port, vc, Stage::usual, at);
        break;
    }
  }
  void on_prediction(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet,
                     router::PredictionOutcome outcome, Cycle at) override {
    if (behind_ != nullptr) behind_->on_prediction(router, port, vc, packet, outcome, at);
    if (outcome == router::PredictionOutcome::wrong || outcome == router::PredictionOutcome::lost)
      inputs_[port].vcs[vc].routes_as = PortState::mispredicted;
  }

 private:
  struct Input {
    FlitChannel* channel = nullptr;
    InputVc* vcs = nullptr;
  };

  void grant(InputVc& input, unsigned port, unsigned vc, Cycle won, Cycle at) const {
    if (input.asked == never) input.asked = won;
    input.won = won;
    input.granted = at;
    input.out = downstream(port, vc);
  }
  /// The packet's state is discarded, or its router does not show it.
  void leave(InputVc& input, unsigned port, unsigned vc, Stage stage, Cycle at) const {
    input.settle(at, ready(port, vc), credit(port, vc));
    input.begin_packet(never);
    input.stage = stage;
  }
  PortState waits_as(unsigned port, unsigned vc, PacketIndex packet) const {
    if (waits_.pool_.at(packet).packet_class == PacketClass::recovery) return PortState::recovery;
    return waits_.links_fail_ && all_down(module_.router().candidates(port, vc)) ? PortState::link_down
                                                                                 : PortState::no_vc;
  }
  bool all_down(const std::vector<routing::RouteCandidate>& candidates) const {
    return !candidates.empty() && std::all_of(candidates.begin(), candidates.end(),
                                              [this](const routing::RouteCandidate& candidate) {
                                                const FlitChannel* const out =
                                                    module_.router().port(candidate.port).out;
                                                return out != nullptr && out->down();
                                              });
  }
  const FlitRing* downstream(unsigned port, unsigned vc) const {
    const router::FlitRouter& router = module_.router();
    const router::VcView view = router.view(port, vc);
    return view.state == router::VcState::active ? &router.port(view.out_port).out->ring(view.out_vc)
                                                 : nullptr;
  }
  Cycle credit(unsigned port, unsigned vc) const {
    const FlitRing* const out = downstream(port, vc);
    return out == nullptr ? 0 : out->credit_at();
  }
  Cycle ready(unsigned port, unsigned vc) const {
    const FlitSlot& front = inputs_[port].channel->ring(vc).front();
    return front.holds_flit() ? front.cycle() : never;
  }

  PortWaits& waits_;
  router::RouterModule& module_;       ///< its router exists once the network is elaborated
  router::RouterProbe* const behind_;  ///< the probe that the router had before; null: none
  std::vector<Input> inputs_;          ///< [port]
};

/// Flits that leave the input buffers of a router's port.
class PortWaits::ChannelWatch final : public FlitWatch {
 public:
  ChannelWatch(FlitChannel& channel, InputVc* vcs) : FlitWatch(channel, Scope::credits), vcs_(vcs) {}

  void sees_flit(const FlitChannel&, unsigned, const Flit&, Cycle, Cycle) override {}
  void on_credit(const FlitChannel& channel, unsigned vc, Cycle now, Cycle usable) override {
    passes_credit(channel, vc, now, usable);
    InputVc& input = vcs_[vc];
    const FlitSlot& flit = channel.ring(vc).front();
    const Cycle ready = std::min(flit.cycle(), now),
                credit = input.out == nullptr ? 0 : input.out->credit_at();
    if (input.stage != Stage::usual || input.counted_to < input.granted) {
      input.settle(now, ready, credit);
    } else {
      input.settle_granted(now, ready, credit);
    }
    input.count(PortState::moves, now + 1);
    if (flit.tail()) end_packet(input);
  }

 private:
  static void end_packet(InputVc& input) {
    input.begin_packet(never);
    input.out = nullptr;
    input.stage = Stage::usual;
  }

  InputVc* const vcs_;
};

PortWaits::PortWaits(network::VcNetwork& network, const PacketPool& pool, bool links_fail)
    : network_(network), pool_(pool), va_cycles_(network.config().router.va_cycles), links_fail_(links_fail) {
  std::vector<network::VcNetwork::ChannelPlace> places = network.channels();
  places.erase(std::remove_if(places.begin(), places.end(), [](const auto& place) { return place.to_node; }),
               places.end());
  std::size_t count = 0;
  for (const network::VcNetwork::ChannelPlace& place : places) count += place.channel->vcs();
  vcs_.resize(count);
  for (graph::RouterId id = 0; id < network.routers(); ++id) {
    routers_.push_back(std::make_unique<RouterWatch>(*this, id));
    network.module(id).set_probe(routers_.back().get());
  }
  std::size_t next = 0;
  for (const network::VcNetwork::ChannelPlace& place : places) {
    routers_[place.to.router]->add_input(place.to.port, *place.channel, next);
    channels_.push_back(std::make_unique<ChannelWatch>(*place.channel, &vcs_[next]));
    next += place.channel->vcs();
  }
}

PortWaits::~PortWaits() = default;

void PortWaits::settle(Cycle end) {
  for (const std::unique_ptr<RouterWatch>& router : routers_) router->settle(end);
}

PortWaits::Cycles PortWaits::sums() const {
  Cycles sums{};
  for (const InputVc& input : vcs_)
    for (std::size_t state = 0; state < port_states; ++state) sums[state] += input.cycles[state];
  return sums;
}

void PortWaits::for_each(
    const std::function<void(const graph::PortRef&, unsigned, const Cycles&)>& visit) const {
  for (graph::RouterId router = 0; router < network_.routers(); ++router)
    routers_[router]->visit([&](unsigned port, unsigned vc, const InputVc& input) {
      visit({router, port}, vc, input.cycles);
    });
}

}  // namespace tsuji::instruments
