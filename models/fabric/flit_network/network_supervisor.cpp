#include "tsuji/fabric/flit_network/network_supervisor.h"

#include <algorithm>
#include <tuple>

#include "tsuji/core/error.h"

namespace tsuji::fabric {

const char* network_drop_cause_name(NetworkDropCause cause) {
  return cause == NetworkDropCause::no_route ? "no_way" : "link_down";
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
  const std::size_t links = network.topology().links().size();
  for (const LinkFault& fault : config_.faults()) {
    if (fault.link >= links)
      throw ConfigError("link.faults", config_.link_faults, "there is no link " + std::to_string(fault.link),
                        "links 0.." + std::to_string(links - 1));
    link_events_.push_back({fault.down, fault.link, true});
    if (fault.up != never) link_events_.push_back({fault.up, fault.link, false});
  }
  std::sort(link_events_.begin(), link_events_.end(), [](const LinkEvent& a, const LinkEvent& b) {
    return std::tie(a.cycle, a.link, a.down) < std::tie(b.cycle, b.link, b.down);
  });
  // A link is down from its cycle on: the half cycle before.
  if (!link_events_.empty()) arm(link_events_.front().cycle - 1);
}

void NetworkSupervisor::arm(Cycle after) {
  if (after >= armed_) return;
  armed_ = after;
  const auto time = domain_.time_of(after) + sc_core::sc_time::from_value(domain_.period().ps() / 2);
  half_cycle_.cancel();
  half_cycle_.notify(time - sc_core::sc_time_stamp());
}

void NetworkSupervisor::purge(PacketIndex packet, const VcNetwork::InputPlace& place, NetworkDropCause cause,
                              Cycle now) {
  doomed_.push_back({pool_->at(packet).id, packet, place, cause});
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
  if (!hooks_.heads_may_lack_a_route)
    throw ModelError("network", now, packet_name(pool_->at(packet).id),
                     "there is no route for it, although its routing promises one to every head");
  purge(packet, {{router, port}, vc}, NetworkDropCause::no_route, now);
}

void NetworkSupervisor::between_cycles() {
  const Cycle now = armed_;
  armed_ = never;
  try {
    if (timeouts_ != nullptr) timeouts_->look_after(now);
    for (; next_event_ < link_events_.size() && link_events_[next_event_].cycle == now + 1; ++next_event_) {
      apply(link_events_[next_event_]);
    }
    exchange_routings(now);
    execute_purges(now);
    if (now >= check_at_) check_progress(now);
  } catch (...) {
    check_at_ = never;
    domain_.fail(std::current_exception());
  }
  if (next_event_ < link_events_.size()) arm(link_events_[next_event_].cycle - 1);
  if (check_at_ != never) arm(check_at_);
}

void NetworkSupervisor::apply(const LinkEvent& event) {
  const Cycle now = event.cycle - 1;
  const graph::RouterLink& link = network_->topology().links()[event.link];
  FlitLink& wires = network_->link(event.link);
  if (event.down) {
    doom_users(*wires.forward(), link.a, link.b, now);
    if (wires.backward() != nullptr) doom_users(*wires.backward(), link.b, link.a, now);
  }
  wires.forward()->set_down(event.down);
  if (wires.backward() != nullptr) wires.backward()->set_down(event.down);
  if (hooks_.routes_changed) hooks_.routes_changed(now);
  for (graph::RouterId id = 0; id < network_->routers(); ++id) network_->router(id).route_all_again(now);
}

/// A packet with a flit on the wires, or whose first flits have gone over them, cannot be put together again.
void NetworkSupervisor::doom_users(const FlitChannel& channel, graph::PortRef sender, graph::PortRef receiver,
                                   Cycle now) {
  channel.visit_on_wires(now, [&](PacketIndex packet, unsigned vc) {
    purge(packet, {receiver, vc}, NetworkDropCause::link_down, now);
  });
  network_->router(sender.router).visit_holders(sender.port, [&](const router::OutputHolder& holder) {
    purge(holder.packet, {{sender.router, holder.in_port}, holder.in_vc}, NetworkDropCause::link_down, now);
  });
}

void NetworkSupervisor::exchange_routing(graph::RouterId router, const routing::RoutingView& view,
                                         Cycle now) {
  exchanges_.push_back({router, view});
  arm(now);
}

void NetworkSupervisor::exchange_routings(Cycle now) {
  std::sort(exchanges_.begin(), exchanges_.end(), [](const Exchange& a, const Exchange& b) {
    return std::tie(a.router, a.view.generation) < std::tie(b.router, b.view.generation);
  });
  for (const Exchange& one : exchanges_) hooks_.exchange_routing(one.router, one.view, now);
  exchanges_.clear();
}

void NetworkSupervisor::execute_purges(Cycle now) {
  // The first cause that was told for a packet counts.
  std::stable_sort(doomed_.begin(), doomed_.end(),
                   [](const Doomed& a, const Doomed& b) { return a.id < b.id; });
  const auto last = std::unique(doomed_.begin(), doomed_.end(),
                                [](const Doomed& a, const Doomed& b) { return a.id == b.id; });
  doomed_.erase(last, doomed_.end());
  for (const Doomed& doomed : doomed_) {
    network_->purge(doomed.packet, doomed.place, now);
    ++dropped_[static_cast<std::size_t>(doomed.cause)];
    if (on_dropped_) on_dropped_(pool_->at(doomed.packet), doomed.cause, now);
    hooks_.dropped(doomed.packet, doomed.cause, now);
    pool_->attach(doomed.packet);  // and gone
  }
  doomed_.clear();
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

void NetworkSupervisor::check_progress(Cycle now) {
  if (hooks_.under_way() == 0) {
    watched_from_ = check_at_ = never;
    return;
  }
  // Of one that never comes, last_event() says that it is to come.
  network_->check_credits(now);
  Cycle last = std::max(watched_from_, hooks_.last_event(now));
  // A link that is down will come up, and heads may wait for that.
  if (config_.network.router.dead_way == router::DeadWay::wait && next_event_ < link_events_.size())
    last = std::max(last, link_events_[next_event_].cycle);
  // A full receiver waits for its node, unless nothing at all is left to do.
  const bool over = last == now && !sc_core::sc_pending_activity();
  if (last + config_.watchdog_cycles > now && !over) {
    check_at_ = last + config_.watchdog_cycles;
    return;
  }
  throw ModelError("network", now, "",
                   "no flit has moved for " + std::to_string(config_.watchdog_cycles) + " cycles\n" +
                       wait_report(*network_, *pool_, now, 40));
}

}  // namespace tsuji::fabric
