// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/vc_network_log.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "tsuji/link/flit_watch.h"

namespace tsuji::instruments {
namespace {

using observe::LogEvent;
using observe::LogLevel;
using observe::LogModules;

// In the order of a head's stages in a router.
constexpr LogEvent changes{"changes", 0}, arrives{"arrives", 1}, prediction{"prediction", 2},
    computes{"route_computation", 3}, inside{"inside", 3}, routed{"routed", 4}, allocated{"vc_allocated", 5},
    crosses{"crosses", 5}, held{"held", 6}, released{"released", 7}, leaves{"leaves", 8},
    ends{"delivered", 9}, credit_event{"credit", 10}, given_up_event{"given_up", 11},
    dropped_event{"dropped", 12};

std::string number_text(const std::string& what, std::uint64_t number) {
  return what + std::to_string(number);
}

std::string vcs_text(routing::VcMask vcs) {
  std::string text;
  for (unsigned vc = 0; vcs >> vc != 0; ++vc)
    if ((vcs >> vc & 1U) != 0) text += (text.empty() ? "" : ",") + std::to_string(vc);
  return "vc " + text;
}

std::string flit_text(const Flit& flit) {
  if (flit.is_killed()) return number_text("dead flit ", flit.sequence);
  if (flit.is_head()) return flit.is_tail() ? "head and tail" : "head";
  return flit.is_tail() ? "tail" : number_text("flit ", flit.sequence);
}

/// Text of an event: a flit and what it does, in the plural for a packet of one flit ("head and tail leave").
std::string verb(const Flit& flit, const std::string& verb) {
  const bool several = flit.is_head() && flit.is_tail() && !flit.is_killed();
  return flit_text(flit) + " " + (several ? verb : verb + "s");
}

LogLevel level_of(const Flit& flit) {
  return !flit.is_killed() && (flit.is_head() || flit.is_tail()) ? LogLevel::debug : LogLevel::trace;
}

std::string end_text(End end) {
  return end.is_router() ? number_text("router ", end.router()) : number_text("node ", end.node());
}

std::string cycles_text(Cycle cycles) {
  return std::to_string(cycles) + (cycles == 1 ? " cycle" : " cycles");
}

}  // namespace

/// Heads in one router.
class VcNetworkLog::RouterLog final : public router::RouterProbe {
 public:
  RouterLog(VcNetworkLog& all, graph::RouterId id)
      : all_(all),
        network_(all.parts_.network),
        config_(network_.config().router),
        module_(all.router_modules_[id]),
        behind_(network_.module(id).probe()) {
    if (network_.router_kind().tells_stages) network_.module(id).set_probe(this);
  }

  void arrives_at(PacketId packet, Cycle ready) { heads_[packet].arrived = ready; }

  /// Text about the waits of a head that leaves; discards its state here. `credit`: cycle from which its
  /// credit was available.
  std::string leave(PacketId packet, Cycle departure, Cycle credit) {
    const auto place = heads_.find(packet);
    if (place == heads_.end()) return "";
    const Head head = place->second;
    heads_.erase(place);
    if (!head.allocated || !head.routed) return "";
    const Cycle decided = departure - config_.depart_after();
    const Cycle with_credit = std::max(*head.allocated, credit);
    std::string text;
    const auto add = [&text](Cycle cycles, const char* what) {
      if (cycles != 0) text += (text.empty() ? "; waited " : ", ") + cycles_text(cycles) + " for " + what;
    };
    add(*head.allocated - config_.va_cycles - *head.routed, "a virtual channel");
    add(with_credit - *head.allocated, "a credit");
    add(decided - with_credit, "the switch");
    return text;
  }
  void forget(PacketId packet) { heads_.erase(packet); }

  void on_stage(graph::RouterId router, unsigned port, unsigned vc, PacketIndex index,
                router::HeadStage stage, Cycle at) override {
    if (behind_ != nullptr) behind_->on_stage(router, port, vc, index, stage, at);
    using Stage = router::HeadStage;
    const Packet& packet = all_.parts_.pool.at(index);
    Head& head = heads_[packet.id];
    switch (stage) {
      case Stage::route_computation:
        return write(at, computes, packet, begin(head, packet, at));
      case Stage::vc_allocation:
        head.routed = at;
        return write(at, routed, packet, routes(router, port, vc));
      case Stage::switch_allocation:
        head.allocated = at;
        return write(at, allocated, packet, output(router, port, vc));
      case Stage::crossing:
        head.routed.reset();
        return write(at, crosses, packet, "crosses by prediction");
      case Stage::standing:
        return write(at, held, packet, "is held: the router is suspended");
      case Stage::inside:
        return write(at, inside, packet, "enters stages that are not shown");
      case Stage::none:
        head = {};
        return write(at, released, packet, "releases its route");
    }
  }

  void on_prediction(graph::RouterId router, unsigned port, unsigned vc, PacketIndex index,
                     router::PredictionOutcome outcome, Cycle at) override {
    if (behind_ != nullptr) behind_->on_prediction(router, port, vc, index, outcome, at);
    static constexpr const char* words[] = {"hit",
                                            "wrong",
                                            "output granted to a request",
                                            "no virtual channel with a credit",
                                            "its input is not idle",
                                            "none"};
    static_assert(std::size(words) == router::PredictionCounters::outcomes);
    write(at, prediction, all_.parts_.pool.at(index),
          std::string("prediction: ") + words[static_cast<unsigned>(outcome)]);
  }

 private:
  struct Head {
    std::optional<Cycle> arrived, began, routed, allocated;
  };

  void write(Cycle at, const LogEvent& event, const Packet& packet, const std::string& text) const {
    all_.parts_.log.write(module_, LogLevel::debug, at, event, packet.id, text);
  }
  static std::string begin(Head& head, const Packet& packet, Cycle at) {
    const std::string recovers = packet.packet_class == PacketClass::recovery ? ", in recovery" : "";
    const bool again = std::exchange(head.began, at).has_value();
    head.routed.reset();
    head.allocated.reset();
    if (again) return "route computation again" + recovers;
    const Cycle waited = head.arrived && at > *head.arrived ? at - *head.arrived : 0;
    return "route computation" + recovers +
           (waited == 0 ? "" : "; waited " + cycles_text(waited) + " to come to the front");
  }
  std::string routes(graph::RouterId router, unsigned port, unsigned vc) const {
    std::string text;
    for (const routing::RouteCandidate& route : network_.router(router).candidates(port, vc))
      text += (text.empty() ? " to " : " or ") + vcs_text(route.vcs) + " of " +
              all_.port_text(router, route.port);
    return "routed" + text;
  }
  std::string output(graph::RouterId router, unsigned port, unsigned vc) const {
    const router::VcView view = network_.router(router).view(port, vc);
    return number_text("gets vc ", view.out_vc) + " of " + all_.port_text(router, view.out_port);
  }

  VcNetworkLog& all_;
  network::VcNetwork& network_;
  const router::VcRouterConfig& config_;
  const Module module_;
  router::RouterProbe* const behind_;
  std::unordered_map<PacketId, Head> heads_;
};

/// Flits of a channel, at its sender, on its link and at its receiver.
class VcNetworkLog::ChannelLog final : public FlitWatch {
 public:
  ChannelLog(VcNetworkLog& all, const network::VcNetwork::ChannelPlace& place)
      : FlitWatch(*place.channel),
        all_(all),
        sender_(all, place.from_node, place.from),
        receiver_(all, place.to_node, place.to) {
    if (place.from_node || place.to_node) return;
    link_ = all.link_module(place);
    over_link_ = number_text(" router ", place.from.router) + number_text(" for router ", place.to.router);
  }

  /// Returns true if an end of the channel has lines.
  static bool is_wanted(const VcNetworkLog& all, const network::VcNetwork::ChannelPlace& place) {
    const auto logs = [](const Module& module) { return module.logs(LogLevel::debug); };
    return logs(Side(all, place.from_node, place.from).module) ||
           logs(Side(all, place.to_node, place.to).module) ||
           (!place.from_node && !place.to_node && logs(all.link_module(place)));
  }

 private:
  /// One end of the channel.
  struct Side {
    Side(const VcNetworkLog& all, const std::optional<End>& node, const graph::PortRef& port)
        : module(node ? all.module_of(*node) : all.router_modules_[port.router]), is_node(node) {
      if (node) return;
      router = all.routers_[port.router].get();
      port_text = " of " + all.port_text(port.router, port.port);
    }
    Module module;
    bool is_node;
    RouterLog* router = nullptr;  ///< null: a node, or a router without lines
    std::string port_text;        ///< port of a router
  };

  void sees_flit(const FlitChannel& channel, unsigned vc, const Flit& flit, Cycle departure,
                 Cycle ready) override {
    const Cycle credit = channel.credit_taken();
    const Packet& packet = all_.parts_.pool.at(flit.packet);
    const LogLevel level = level_of(flit);
    const bool head = flit.is_head() && !flit.is_killed();
    const auto write = [&](const Module& module, Cycle cycle, const LogEvent& event,
                           const std::string& text) {
      all_.parts_.log.write(module, level, cycle, event, packet.id, text);
    };
    const std::string on_vc = number_text(" on vc ", vc);
    if (link_.logs(level)) write(link_, departure, leaves, verb(flit, "leave") + over_link_ + on_vc);
    if (sender_.module.logs(level))
      write(sender_.module, departure, leaves,
            verb(flit, "leave") + on_vc + sender_.port_text + (head ? about(packet, departure, credit) : ""));
    if (receiver_.module.logs(level))
      write(receiver_.module, ready, arrives, verb(flit, "arrive") + on_vc + receiver_.port_text);
    if (head && receiver_.router != nullptr) receiver_.router->arrives_at(packet.id, ready);
  }

  void sees_credit(const FlitChannel&, unsigned vc, Cycle, Cycle usable) override {
    if (sender_.module.logs(LogLevel::trace))
      all_.parts_.log.write(sender_.module, LogLevel::trace, usable, credit_event, std::nullopt,
                            number_text("credit for vc ", vc) + sender_.port_text);
  }

  /// Text about the waits of a head in its router; at a node, about the packet.
  std::string about(const Packet& packet, Cycle departure, Cycle credit) const {
    if (!sender_.is_node) return sender_.router->leave(packet.id, departure, credit);
    return " for " + end_text(packet.destination) + number_text(": ", packet.flits) +
           (packet.flits == 1 ? " flit" : " flits") + number_text(", born in cycle ", packet.created) +
           all_.repeat_text(packet);
  }

  VcNetworkLog& all_;
  const Side sender_, receiver_;
  Module link_;            ///< of a channel between routers
  std::string over_link_;  ///< of a channel between routers
};

std::vector<LogModules> VcNetworkLog::modules(const graph::Topology& topology) {
  std::vector<LogModules> all = {{"router", {topology.routers()}}};
  const auto links = static_cast<unsigned>(topology.links().size());
  if (links != 0) all.push_back({"link", {links}});
  all.push_back({"node", {topology.nodes()}});
  return all;
}

VcNetworkLog::VcNetworkLog(const Parts& parts) : parts_(parts), routers_(parts.network.routers()) {
  const graph::Topology& topology = parts.network.topology();
  const auto add = [&](const char* kind, std::size_t count, std::vector<Module>& to) {
    for (std::size_t i = 0; i < count; ++i) to.push_back(parts.log.add(number_text(kind, i)));
  };
  add("router.", topology.routers(), router_modules_);
  add("link.", topology.links().size(), link_modules_);
  add("node.", topology.nodes(), node_modules_);
  for (graph::RouterId id = 0; id < routers_.size(); ++id)
    if (router_modules_[id].logs(LogLevel::debug)) routers_[id] = std::make_unique<RouterLog>(*this, id);
  for (const network::VcNetwork::ChannelPlace& place : parts.network.channels())
    if (ChannelLog::is_wanted(*this, place)) channels_.push_back(std::make_unique<ChannelLog>(*this, place));
}

VcNetworkLog::~VcNetworkLog() = default;

std::string VcNetworkLog::port_text(graph::RouterId router, unsigned port) const {
  const graph::Topology& topology = parts_.network.topology();
  const std::string text = number_text("port ", port);
  if (port >= topology.ports(router)) return text + " (control)";
  const graph::Topology::Far& far = topology.far(router, port);
  using Kind = graph::Topology::Far::Kind;
  if (far.kind == Kind::nothing) return text;
  return text +
         (far.kind == Kind::node ? number_text(" (node ", far.node)
                                 : number_text(" (router ", far.at.router)) +
         ")";
}

std::string VcNetworkLog::repeat_text(const Packet& packet) {
  const auto place = retries_.find(packet.id);
  if (place == retries_.end()) return "";
  const traffic::RetryState::Kind kind = place->second;
  retries_.erase(place);
  if (kind == traffic::RetryState::Kind::acknowledgement)
    return number_text(", acknowledges message ", packet.order);
  return number_text(kind == traffic::RetryState::Kind::repeat ? ", repeats message " : ", message ",
                     packet.order);
}

void VcNetworkLog::faults(const faults::FaultSchedule& schedule) {
  const auto text = [&](const faults::FaultEvent& event) {
    const std::string verb = event.returns ? "returns" : "dies";
    if (event.of_router) return verb;
    const graph::RouterLink& link = parts_.network.topology().links()[event.number];
    return verb + number_text(", between router ", link.a.router) +
           number_text(" and router ", link.b.router);
  };
  for (const faults::FaultEvent& event : schedule.events())
    parts_.log.write(event.of_router ? router_modules_[event.number] : link_modules_[event.number],
                     LogLevel::debug, event.cycle, changes, std::nullopt, text(event));
}

void VcNetworkLog::delivered(const observe::DeliveredPacket& packet) {
  const char* const as = packet.arrival == PacketArrival::first       ? "delivered"
                         : packet.arrival == PacketArrival::duplicate ? "delivered again, a duplicate"
                                                                      : "acknowledgement taken";
  parts_.log.write(module_of(packet.destination), LogLevel::debug, packet.tail_cycle, ends, packet.id,
                   std::string(as) + ": from " + end_text(packet.source) + ", " +
                       cycles_text(packet.tail_cycle - packet.created) + " after its birth, " +
                       std::to_string(packet.hops) + (packet.hops == 1 ? " router" : " routers"));
}

void VcNetworkLog::dropped(const Packet& packet, network::NetworkDropCause cause,
                           const network::VcNetwork::InputPlace& place, Cycle now) {
  parts_.log.end_packet(packet.id, now);
  retries_.erase(packet.id);
  for (const auto& router : routers_)
    if (router != nullptr) router->forget(packet.id);
  const std::string text = std::string("dropped: ") + network::network_drop_cause_name(cause);
  const graph::RouterId at = place.port.router;
  parts_.log.write(router_modules_[at], LogLevel::debug, now, dropped_event, packet.id,
                   text + number_text(", on vc ", place.vc) + " of " + port_text(at, place.port.port));
  parts_.log.write(module_of(packet.source), LogLevel::debug, now, dropped_event, packet.id,
                   text + number_text(", in router ", at));
}

void VcNetworkLog::phase(graph::RouterId router, const faults::ReconfigurationNode* node, Cycle at) {
  if (node == nullptr) return;  // the router has failed, which the fault's line reports
  parts_.log.write(router_modules_[router], LogLevel::debug, at, changes, std::nullopt,
                   std::string("reconfiguration: ") + phase_name(node->phase()) +
                       number_text(", root ", node->known().root()));
}

void VcNetworkLog::retried(const Packet& packet, traffic::RetryState::Kind kind) {
  if (module_of(packet.source).logs(LogLevel::debug)) retries_[packet.id] = kind;
}

void VcNetworkLog::given_up(NodeId source, const traffic::RetryKey& key, Cycle now) {
  parts_.log.write(node_modules_[source], LogLevel::debug, now, given_up_event, std::nullopt,
                   number_text("gives up message ", key.sequence) + number_text(" for node ", key.peer));
}

}  // namespace tsuji::instruments
