// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/network_supervisor.h"

#include <algorithm>
#include <map>
#include <set>

#include "tsuji/core/error.h"
#include "tsuji/core/packet_image.h"

namespace tsuji::network {

const char* network_drop_cause_name(NetworkDropCause cause) {
  constexpr const char* names[] = {"no_way",      "link_down",   "in_recovery", "tables_changed",
                                   "dead_router", "unreachable", "control"};
  return names[static_cast<unsigned>(cause)];
}

NetworkSupervisor::NetworkSupervisor(sc_core::sc_module_name module_name, ClockDomain& domain,
                                     const NetworkConfig& config)
    : sc_module(module_name), domain_(domain), config_(config), half_cycle_("half_cycle") {
  SC_METHOD(between_cycles);
  sensitive << half_cycle_;
  dont_initialize();
}

void NetworkSupervisor::attach(VcNetwork& network, PacketPool& pool, Hooks hooks) {
  network_ = &network;
  pool_ = &pool;
  hooks_ = std::move(hooks);
  schedule_ = config_.fault_schedule(network.topology());
  living_ = std::make_unique<faults::LivingLinks>(network.topology());
  if (hooks_.observer != nullptr) hooks_.observer->attach(*this);
  start_faults();
}

/// Deaths of cycle 0 are the routing's, which leads round them. Later ones happen in the half cycle before.
void NetworkSupervisor::start_faults() {
  const auto& events = schedule_.events();
  for (; next_event_ < events.size() && events[next_event_].cycle == 0; ++next_event_)
    living_->apply(events[next_event_]);
  if (next_event_ < events.size()) arm(events[next_event_].cycle - 1);
}

/// Links that are dead from the beginning may return: a reaction's routers find them dead until then. Without
/// one no route leads there, but a guess would.
void NetworkSupervisor::start_of_simulation() {
  if (hooks_.reaction == nullptr && !config_.network.router.prediction.on()) return;
  for (std::uint32_t link = 0; link < network_->topology().links().size(); ++link)
    if (!living_->lives(link)) set_wires(link, false, 0);
}

void NetworkSupervisor::set_wires(std::uint32_t link, bool lives, Cycle now) {
  const graph::RouterLink& ends = network_->topology().links()[link];
  for (const graph::PortRef& end : {ends.a, ends.b}) {
    FlitChannel* const out = network_->router(end.router).port(end.port).out;
    if (out != nullptr) out->set_down(!lives, now);
  }
}

void NetworkSupervisor::arm(Cycle after) {
  if (after >= armed_ || looking_) return;
  armed_ = after;
  const auto time = domain_.time_of(after) + sc_core::sc_time::from_value(domain_.period().ps() / 2);
  half_cycle_.cancel();
  half_cycle_.notify(time - sc_core::sc_time_stamp());
}

void NetworkSupervisor::purge(PacketIndex packet, const VcNetwork::InputPlace& place, NetworkDropCause cause,
                              Cycle now) {
  const bool told = hooks_.reaction != nullptr || hooks_.observer != nullptr;
  if (told && pool_->at(packet).source.is_router()) cause = NetworkDropCause::control;
  doomed_.push_back({pool_->at(packet).id, packet, place, cause, step_});
  arm(now);
}

void NetworkSupervisor::on_blocked(graph::RouterId router, unsigned port, unsigned vc, PacketIndex /*packet*/,
                                   Cycle now) {
  if (timeouts_ == nullptr) return;
  timeouts_->reported({{router, port}, vc});
  arm(now);
}

void NetworkSupervisor::on_no_route(graph::RouterId router, unsigned port, unsigned vc, PacketIndex packet,
                                    Cycle now) {
  if (hooks_.reaction != nullptr) {
    if (const auto cause = hooks_.reaction->no_route(router, pool_->at(packet), now))
      purge(packet, {{router, port}, vc}, *cause, now);
    return;
  }
  if (!hooks_.heads_may_lack_a_route)
    throw ModelError("network", now, packet_name(pool_->at(packet).id),
                     "there is no route for it, although its routing promises one to every head");
  purge(packet, {{router, port}, vc}, NetworkDropCause::no_route, now);
}

bool NetworkSupervisor::on_other_tables(graph::RouterId router, unsigned port, unsigned vc,
                                        PacketIndex packet, Cycle now) {
  if (hooks_.reaction == nullptr) return true;
  const VcNetwork::InputPlace place{{router, port}, vc};
  const FaultReaction::OtherTables other = hooks_.reaction->other_tables(place, pool_->at(packet), now);
  using Fate = FaultReaction::OtherTables::Fate;
  if (other.fate == Fate::dropped) purge(packet, place, other.cause, now);
  return other.fate == Fate::takes_those_of_router;
}

void NetworkSupervisor::look_after(Cycle now) {
  look_after_ = std::min(look_after_, now);
  arm(now);
}

void NetworkSupervisor::observe_after(Cycle cycle) {
  observe_after_ = std::min(observe_after_, cycle);
  arm(observe_after_);
}

void NetworkSupervisor::between_cycles() {
  const Cycle now = armed_;
  armed_ = never;
  looking_ = true;
  const auto& events = schedule_.events();
  try {
    if (timeouts_ != nullptr) timeouts_->look_after(now);
    for (; next_event_ < events.size() && events[next_event_].cycle == now + 1; ++next_event_) {
      apply(events[next_event_]);
    }
    if (look_after_ <= now) {
      look_after_ = never;
      hooks_.reaction->between_cycles(now);
    }
    if (observe_after_ <= now) {
      observe_after_ = never;
      hooks_.observer->between_cycles(now);
    }
    execute_purges(now);
    if (now >= check_at_) check_progress(now);
    // Modules of one rank that have been woken wake the clocks of all.
    if (purges_on_ranks()) domain_.run_at(hooks_.ranks->least(domain_.next_run()));
  } catch (...) {
    check_at_ = never;
    domain_.fail(std::current_exception());
  }
  looking_ = false;
  if (next_event_ < events.size()) arm(events[next_event_].cycle - 1);
  if (check_at_ != never) arm(check_at_);
  if (observe_after_ != never) arm(observe_after_);
}

void NetworkSupervisor::apply(const faults::FaultEvent& event) {
  const Cycle now = event.cycle - 1;
  FaultReaction* const reaction = hooks_.reaction;
  const std::vector<std::uint32_t> changed = living_->apply(event);
  ++step_;
  if (event.of_router) {
    // Packets in a dead router count as held there, and not as cut by its links.
    if (!event.returns)
      purge_at(
          event.number, NetworkDropCause::dead_router, [](const Packet&) { return true; }, now);
    reaction->router_changed(event.number, event.returns, now);
  }
  for (const std::uint32_t link : changed) {
    ++step_;
    change_link(link, event.returns, now);
  }
  if (reaction != nullptr || changed.empty()) return;
  if (hooks_.routes_changed) hooks_.routes_changed(now);
  for (graph::RouterId id = 0; id < network_->routers(); ++id)
    network_->rerouting(id, now).route_all_again(now);
}

void NetworkSupervisor::change_link(std::uint32_t link, bool lives, Cycle now) {
  const graph::RouterLink& ends = network_->topology().links()[link];
  if (!lives) {
    FlitLink& wires = network_->link(link);
    doom_users(*wires.forward(), ends.a, ends.b, now);
    if (wires.backward() != nullptr) doom_users(*wires.backward(), ends.b, ends.a, now);
  }
  set_wires(link, lives, now);
  if (hooks_.observer != nullptr) hooks_.observer->link_changed(link, lives, now);
  if (hooks_.reaction == nullptr) return;
  if (!lives) {
    free_dead_output(ends.a, now);
    free_dead_output(ends.b, now);
  }
  hooks_.reaction->link_changed(link, lives, now);
}

/// Restarts route computation for heads that hold the output, and for waiting heads that no new tables will
/// reach.
void NetworkSupervisor::free_dead_output(const graph::PortRef& end, Cycle now) {
  router::FlitRouter& router = network_->router(end.router);
  for (unsigned port = 0; port < router.ports(); ++port) {
    for (unsigned vc = 0; vc < router.vcs(port); ++vc) {
      const router::VcView head = router.view(port, vc);
      const bool holds = head.state == router::VcState::active && head.out_port == end.port;
      const bool waits = head.state == router::VcState::waiting &&
                         pool_->at(head.packet).packet_class != PacketClass::normal;
      if (holds || waits) network_->rerouting(end.router, now).route_again(port, vc, now);
    }
  }
}

void NetworkSupervisor::purge_at(graph::RouterId router, NetworkDropCause cause,
                                 const std::function<bool(const Packet&)>& which, Cycle now) {
  ++step_;
  const auto question = static_cast<std::uint32_t>(questions_.size());
  if (purges_on_ranks()) questions_.push_back({which, cause, step_});
  network_->visit_packets_at(router, now, [&](PacketIndex packet, const VcNetwork::InputPlace& place) {
    if (hooks_.has_left && hooks_.has_left(packet)) {
      asked_.insert({pool_->at(packet).id, question});
    } else if (which(pool_->at(packet)))
      purge(packet, place, cause, now);
  });
}

/// A packet with a flit on the wires, or whose first flits have gone over them, cannot be put together again.
void NetworkSupervisor::doom_users(const FlitChannel& channel, graph::PortRef sender, graph::PortRef receiver,
                                   Cycle now) {
  channel.visit_on_wires(now, [&](PacketIndex packet, unsigned vc) {
    purge(packet, {receiver, vc}, NetworkDropCause::link_down, now);
  });
  network_->purging(sender.router, now).visit_holders(sender.port, [&](const router::OutputHolder& holder) {
    purge(holder.packet, {{sender.router, holder.in_port}, holder.in_vc}, NetworkDropCause::link_down, now);
  });
}

/// Of several causes reported for a packet the first one counts.
void NetworkSupervisor::keep_first_causes() {
  std::stable_sort(doomed_.begin(), doomed_.end(),
                   [](const Doomed& a, const Doomed& b) { return a.id < b.id; });
  const auto last = std::unique(doomed_.begin(), doomed_.end(),
                                [](const Doomed& a, const Doomed& b) { return a.id == b.id; });
  doomed_.erase(last, doomed_.end());
}

void NetworkSupervisor::execute_purges(Cycle now) {
  keep_first_causes();
  step_ = 0;
  if (purges_on_ranks()) return execute_purges_on_ranks(now);
  for (const Doomed& doomed : doomed_) {
    network_->purge(doomed.packet, doomed.place, now);
    end_packet(pool_->at(doomed.packet), {doomed.packet}, doomed, now);
  }
  doomed_.clear();
}

/// Reports a packet that has been removed from the routers, and removes it from the pool.
void NetworkSupervisor::end_packet(const Packet& packet, const std::vector<PacketIndex>& copies,
                                   const Doomed& doomed, Cycle now) {
  ++dropped_[static_cast<std::size_t>(doomed.cause)];
  for (const OnDropped& tell : on_dropped_) tell(packet, doomed.cause, doomed.place, now);
  if (hooks_.reaction != nullptr) hooks_.reaction->dropped(packet, now);
  hooks_.dropped(packet, copies, doomed.cause, now);
  for (const PacketIndex copy : copies) {
    if (hooks_.forget) hooks_.forget(copy);
    pool_->attach(copy);  // and gone
  }
}

/// A purged packet in the message to other ranks.
struct NetworkSupervisor::DoomedOnRanks {
  PacketImage packet;
  NetworkDropCause cause;
  std::uint32_t step = 0;
};

/// Calls `visit` for the packets of which this rank has a part; `place` is null for parts outside of routers.
void NetworkSupervisor::visit_parts(
    Cycle now, const std::function<void(PacketIndex, const VcNetwork::InputPlace* place)>& visit) const {
  for (graph::RouterId router = 0; router < network_->routers(); ++router) {
    if (!hooks_.is_here(router)) continue;
    network_->visit_packets_at(
        router, now, [&](PacketIndex packet, const VcNetwork::InputPlace& place) { visit(packet, &place); });
  }
  hooks_.parts_beside([&](PacketIndex packet) { visit(packet, nullptr); });
}

/// A head enters recovery on its rank: that one decides about packets whose other parts are where purge_at()
/// looked.
void NetworkSupervisor::answer_questions(Cycle now) {
  mpi::Bytes own;
  for (const auto& [id, question] : asked_) {
    mpi::put(own, id);
    mpi::put(own, question);
  }
  std::set<std::pair<PacketId, std::uint32_t>> all;
  for (mpi::Reader& message : hooks_.ranks->gather(own)) {
    while (!message.at_end()) {
      const auto id = message.get<PacketId>();
      all.insert({id, message.get<std::uint32_t>()});
    }
  }
  std::set<PacketIndex> seen;
  const auto answer = [&](PacketIndex packet, const VcNetwork::InputPlace* place) {
    const PacketId id = pool_->at(packet).id;
    auto asked = all.lower_bound({id, 0});
    if (asked == all.end() || asked->first != id || !seen.insert(packet).second || hooks_.has_left(packet))
      return;
    for (; asked != all.end() && asked->first == id; ++asked) {
      const Question& question = questions_.at(asked->second);
      if (!question.which(pool_->at(packet))) continue;
      step_ = question.step;
      purge(packet, place == nullptr ? VcNetwork::InputPlace{} : *place, question.cause, now);
    }
  };
  if (!all.empty()) visit_parts(now, answer);
  step_ = 0;
  questions_.clear();
  asked_.clear();
}

/// A packet may have parts on several ranks: each purges its own ones, of the packets that any rank names. Of
/// several causes that of the first step counts, and among those the one of the first rank, whose modules run
/// first.
void NetworkSupervisor::execute_purges_on_ranks(Cycle now) {
  if (!questions_.empty()) answer_questions(now);
  mpi::Bytes own;
  for (const Doomed& doomed : doomed_)
    mpi::put(own, DoomedOnRanks{PacketImage(pool_->at(doomed.packet)), doomed.cause, doomed.step});
  doomed_.clear();
  std::map<PacketId, DoomedOnRanks> all;
  for (mpi::Reader& message : hooks_.ranks->gather(own)) {
    while (!message.at_end()) {
      const auto doomed = message.get<DoomedOnRanks>();
      const auto [place, is_new] = all.emplace(doomed.packet.id, doomed);
      if (!is_new && doomed.step < place->second.step) place->second = doomed;
    }
  }
  if (all.empty()) return;
  std::map<PacketId, std::set<PacketIndex>> copies;
  std::map<PacketIndex, std::vector<VcNetwork::InputPlace>> places;
  const auto add = [&](PacketIndex packet) {
    const PacketId id = pool_->at(packet).id;
    if (all.count(id) == 0) return false;
    copies[id].insert(packet);
    return true;
  };
  visit_parts(now, [&](PacketIndex packet, const VcNetwork::InputPlace* place) {
    if (add(packet) && place != nullptr) places[packet].push_back(*place);
  });
  for (const auto& [id, doomed] : all) {
    const std::set<PacketIndex>& here = copies[id];
    VcNetwork::InputPlace some;
    for (const PacketIndex copy : here) {
      for (const VcNetwork::InputPlace& place : places[copy]) {
        network_->purging(place.port.router, now).purge(copy, place.port.port, place.vc, now);
        some = place;
      }
    }
    Packet packet;
    doomed.packet.copy_to(packet);
    end_packet(packet, {here.begin(), here.end()}, {id, 0, some, doomed.cause}, now);
  }
}

std::uint64_t NetworkSupervisor::packets_dropped() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : dropped_) sum += count;
  return sum;
}

void NetworkSupervisor::start_watching(Cycle now) {
  watched_from_ = now;
  check_at_ = now + config_.watchdog_cycles;
  arm(check_at_);
}

void NetworkSupervisor::rest() {
  if (check_at_ == never || check_at_ != armed_ || hooks_.under_way() != 0) return;
  watched_from_ = check_at_ = armed_ = never;
  half_cycle_.cancel();
  if (next_event_ < schedule_.events().size()) arm(schedule_.events()[next_event_].cycle - 1);
  if (observe_after_ != never) arm(observe_after_);
}

void NetworkSupervisor::check_progress(Cycle now) {
  if (hooks_.under_way() == 0) {
    watched_from_ = check_at_ = never;
    return;
  }
  // last_event() also reports an expected event that never occurs. Of events to come it reports any one, and
  // on several ranks another one than in one process.
  network_->check_credits(now);
  const Cycle last_event = std::max(watched_from_, hooks_.last_event(now));
  const bool over = last_event == now && !sc_core::sc_pending_activity();
  Cycle last = std::min(last_event, now);
  // A link that is down will come up, and heads may wait for that.
  if (config_.network.router.dead_route == router::DeadRoute::wait && next_event_ < schedule_.events().size())
    last = std::max(last, schedule_.events()[next_event_].cycle);
  // A full receiver waits for its node, unless nothing at all is left to do.
  if (last + config_.watchdog_cycles > now && !over) {
    check_at_ = last + config_.watchdog_cycles;
    return;
  }
  const std::string closed = hooks_.closed_nodes ? hooks_.closed_nodes() : "";
  throw ModelError("network", now, "",
                   "no flit has moved for " + std::to_string(config_.watchdog_cycles) + " cycles\n" +
                       (hooks_.reaction != nullptr ? hooks_.reaction->report(40) : "") +
                       (hooks_.ranks == nullptr ? wait_report(*network_, *pool_, now, 40, closed)
                                                : "one process without mpirun reports who waits for whom\n"));
}

}  // namespace tsuji::network
