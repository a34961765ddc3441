// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/packet_story.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::instruments {
namespace {

constexpr std::size_t longest_chain = 12;

std::vector<router::VcView> views_of(const router::FlitRouter& router) {
  std::vector<router::VcView> views;
  for (unsigned port = 0; port < router.ports(); ++port)
    for (unsigned vc = 0; vc < router.vcs(port); ++vc) views.push_back(router.view(port, vc));
  return views;
}

/// Returns true if a flit of `before`, the state after cycle `cycle` - 1, has left in that cycle.
bool moved(const router::VcView& before, const router::VcView& after, Cycle cycle) {
  if (before.state != router::VcState::active) return false;
  const bool same = after.state == router::VcState::active && after.packet == before.packet;
  return !same || after.blocked_since == cycle;
}

std::string chain_text(const std::vector<WaitLink>& chain) {
  std::string text;
  for (const WaitLink& link : chain)
    text += (text.empty() ? "" : " > ") + packet_name(link.packet) + " at " + WaitChain::text(link.place) +
            " " + name_of(link.reason);
  return text;
}

std::string place_text(const std::optional<End>& end, const WaitChain::Place& place) {
  if (!end) return "router " + std::to_string(place.port.router);
  return (end->is_router() ? "control of router " : "node ") +
         std::to_string(end->is_router() ? end->router() : end->node());
}

std::string pair(unsigned port, unsigned vc) {
  return std::to_string(port) + ":" + std::to_string(vc);
}

observe::Value cell(const std::string& text) {
  return text.empty() ? observe::Value(nullptr) : observe::Value(text);
}

std::string coordinates_of(const graph::Topology& topology, graph::RouterId router) {
  std::string text;
  for (const unsigned coordinate : topology.coordinates(router))
    text += (text.empty() ? "" : " ") + std::to_string(coordinate);
  return text;
}

}  // namespace

PacketStory::PacketStory(network::VcNetwork& network, const PacketPool& pool, bool pauses,
                         const std::vector<PacketTimes>& packets)
    : network_(network), pool_(pool), pauses_(pauses), chain_(network, pool) {
  for (const PacketTimes& times : packets) {
    packets_.emplace_back();
    packets_.back().times = times;
  }
}

PacketStory::~PacketStory() = default;

std::size_t PacketStory::part(const char* name) const {
  const auto found = std::find(part_names_.begin(), part_names_.end(), name);
  return static_cast<std::size_t>(found - part_names_.begin());
}

bool PacketStory::done() const {
  return std::all_of(packets_.begin(), packets_.end(), [](const Followed& packet) { return packet.done; });
}

Cycle PacketStory::next_stop() const {
  Cycle stop = never;
  for (const Followed& packet : packets_) {
    if (packet.done) continue;
    stop = std::min(stop, packet.on_its_way || packet.times.injected <= now_ ? now_ + 1
                          : is_open(packet)                                  ? packet.times.injected
                                                                             : packet.times.created);
  }
  return stop == never ? stop : std::max(stop, now_ + 1);
}

void PacketStory::advance(Cycle now) {
  for (Followed& packet : packets_) {
    if (packet.done || !packet.on_its_way || packet.hops.back().end) continue;
    // A head that has left a router in these cycles arrives at the next one later than them.
    for (Cycle cycle = now_; cycle < now; ++cycle) sample(packet, cycle);
  }
  now_ = now;
  const bool any = std::any_of(packets_.begin(), packets_.end(),
                               [this](const Followed& packet) { return is_open(packet); });
  if (any && ledger_ == nullptr) {
    ledger_ = std::make_unique<PacketLedger>(network_, pool_, pauses_,
                                             [this](const auto& departure) { departs(departure); });
    part_names_ = ledger_->part_names();
  } else if (!any && ledger_ != nullptr) {
    ledger_->detach();
    ledger_.reset();
  }
}

void PacketStory::departs(const PacketLedger::Departure& departure) {
  const Packet& packet = pool_.at(departure.packet);
  const auto followed = std::find_if(packets_.begin(), packets_.end(), [&](const Followed& one) {
    return one.times.id == packet.id && !one.done;
  });
  if (departure.place.from_node) {
    const bool queued = std::any_of(packets_.begin(), packets_.end(), [&](const Followed& one) {
      return !one.done && !one.on_its_way && packet_source(one.times.id) == packet_source(packet.id);
    });
    if (queued) sent_.push_back({packet_source(packet.id), packet.id, departure.departure});
  }
  if (followed == packets_.end()) return;
  if (departure.place.from_node) {
    leaves_source(*followed, departure);
  } else {
    Hop& hop = followed->hops.back();
    hop.out_port = departure.place.from.port;
    hop.out_vc = departure.vc;
    hop.left = departure.departure;
    const std::vector<Cycle> parts = ledger_->parts_so_far(departure.packet);
    hop.parts.resize(parts.size());
    std::transform(parts.begin(), parts.end(), followed->parts.begin(), hop.parts.begin(),
                   std::minus<Cycle>());
    followed->parts = parts;
  }
  Hop next;
  next.end = departure.place.to_node;
  next.place = {departure.place.to, departure.vc};
  next.arrived = departure.ready;
  followed->hops.push_back(next);
  followed->viewed = never;
}

/// The source queue; the packets sent before it are what it waited for.
void PacketStory::leaves_source(Followed& packet, const PacketLedger::Departure& departure) {
  const End source = packet_source(packet.times.id);
  packet.index = departure.packet;
  packet.on_its_way = true;
  packet.hops.clear();
  Hop hop;
  hop.end = departure.place.from_node;
  hop.arrived = packet.times.created;
  hop.left = departure.departure;
  hop.out_vc = departure.vc;
  hop.parts.assign(part_names_.size(), 0);
  const Cycle queued = departure.departure - 1 - packet.times.created;
  hop.parts[part("source_queue")] = queued;
  packet.parts.assign(part_names_.size(), 0);
  add_turns(hop, "source_queue", turns_at(sent_, source, packet.times.id), packet.times.created,
            departure.departure - 1);
  packet.hops.push_back(std::move(hop));
}

/// Those of an end, without the packet that waits.
std::vector<PacketStory::Turn> PacketStory::turns_at(const std::vector<Turn>& turns, const End& end,
                                                     PacketId waiting) {
  std::vector<Turn> found;
  std::copy_if(turns.begin(), turns.end(), std::back_inserter(found),
               [&](const Turn& turn) { return turn.end == end && turn.packet != waiting; });
  return found;
}

/// Waits at an end for the packets that it sends or takes before; the rest for the last one's flits, or for a
/// credit.
void PacketStory::add_turns(Hop& hop, const char* part_name, const std::vector<Turn>& turns, Cycle from,
                            Cycle to) const {
  const auto add = [&](Cycle until, const std::optional<WaitLink>& holder) {
    if (until <= from) return;
    hop.waits.push_back({part(part_name), from, until - from, "", holder, {}});
    from = until;
  };
  for (const Turn& turn : turns) {
    WaitLink holder;
    holder.packet = turn.packet;
    add(std::min(turn.until, to), holder);
  }
  add(to, {});
}

void PacketStory::sample(Followed& packet, Cycle cycle) {
  Hop& hop = packet.hops.back();
  if (cycle < hop.arrived) return;
  if (std::optional<Wait> wait = wait_of(packet, cycle)) add_wait(hop, std::move(*wait));
  packet.views = views_of(network_.router(hop.place.port.router));
  packet.viewed = cycle;
}

/// The head's wait in a cycle, by its stage.
std::optional<PacketStory::Wait> PacketStory::wait_of(Followed& packet, Cycle cycle) const {
  const Hop& hop = packet.hops.back();
  const PacketLedger::Stages stages = ledger_->stages(packet.index);
  // A head that requests its route again has older stages.
  const auto begun = [&](Cycle stage) {
    return stage >= hop.arrived && stage >= stages.route_computation && stage <= cycle;
  };
  Wait wait;
  wait.first = cycle;
  wait.cycles = 1;
  std::optional<Place> holder;
  if (!begun(stages.route_computation)) {
    wait.part = part("wait_front");
    holder = hop.place;
  } else if (begun(stages.switch_allocation) && stages.switch_allocation >= stages.vc_allocation) {
    const router::VcView view =
        network_.router(hop.place.port.router).view(hop.place.port.port, hop.place.vc);
    wait.wanted = pair(view.out_port, view.out_vc);
    const FlitChannel& out = *network_.router(hop.place.port.router).port(view.out_port).out;
    if (out.ring(view.out_vc).credit_at() <= cycle) {
      wait.part = part("wait_switch");
      wait_for_switch(packet, cycle, wait);
      return wait;
    }
    wait.part = part("wait_credit");
    holder = chain_.after(hop.place.port.router, view.out_port, view.out_vc);
  } else if (begun(stages.vc_allocation)) {
    const router::VcView view =
        network_.router(hop.place.port.router).view(hop.place.port.port, hop.place.vc);
    if (view.state != router::VcState::waiting) return std::nullopt;  // its virtual channel is granted
    wait.part = part("wait_vc");
    wait.wanted = chain_.wanted(hop.place);
    holder = chain_.holder_of_vc(hop.place);
  } else {
    return std::nullopt;
  }
  if (!holder) return wait;
  wait.behind = chain_.from(*holder, cycle, longest_chain);
  if (wait.behind.empty()) return wait;
  wait.holder = wait.behind.front();
  return wait;
}

/// The packet that has crossed to the same output, or else from the same input port.
void PacketStory::wait_for_switch(const Followed& packet, Cycle cycle, Wait& wait) const {
  const Hop& hop = packet.hops.back();
  const router::FlitRouter& router = network_.router(hop.place.port.router);
  const unsigned out_port = router.view(hop.place.port.port, hop.place.vc).out_port;
  if (packet.viewed + 1 != cycle) return;
  std::size_t number = 0;
  bool same_output = false;
  for (unsigned port = 0; port < router.ports(); ++port) {
    for (unsigned vc = 0; vc < router.vcs(port); ++vc) {
      const router::VcView& before = packet.views[number++];
      if ((port == hop.place.port.port && vc == hop.place.vc) || !moved(before, router.view(port, vc), cycle))
        continue;
      const bool output = before.out_port == out_port;
      if (!output && (same_output || port != hop.place.port.port)) continue;
      same_output = same_output || output;
      WaitLink winner;
      winner.packet = pool_.at(before.packet).id;
      winner.place = {{hop.place.port.router, port}, vc};
      wait.holder = winner;
    }
  }
}

void PacketStory::add_wait(Hop& hop, Wait wait) const {
  const auto holder = [](const Wait& one) {
    return std::pair<bool, PacketId>{one.holder.has_value(), one.holder ? one.holder->packet : 0};
  };
  if (!hop.waits.empty()) {
    Wait& last = hop.waits.back();
    // In the cycle in which the packet in front leaves, nothing is at the front.
    const bool leaves = !wait.holder && wait.part == part("wait_front");
    if (last.part == wait.part && last.first + last.cycles == wait.first &&
        (leaves || holder(last) == holder(wait))) {
      ++last.cycles;
      return;
    }
  }
  hop.waits.push_back(std::move(wait));
}

void PacketStory::delivered(const observe::DeliveredPacket& packet) {
  const bool awaited = std::any_of(packets_.begin(), packets_.end(), [&](const Followed& one) {
    return one.on_its_way && !one.done && one.hops.back().end == packet.destination;
  });
  if (awaited) taken_.push_back({packet.destination, packet.id, packet.tail_cycle});
  const auto found = std::find_if(packets_.begin(), packets_.end(), [&](const Followed& one) {
    return one.times.id == packet.id && one.on_its_way && !one.done;
  });
  if (found == packets_.end()) return;
  if (packet.tail_cycle != found->times.tail || packet.created != found->times.created)
    throw ModelError("story", packet.tail_cycle, packet_name(packet.id),
                     "the packet was not delivered in cycle " + std::to_string(found->times.tail) +
                         " as in the earlier run");
  const std::vector<Cycle> whole = ledger_->take(packet);
  Hop& hop = found->hops.back();
  hop.left = packet.tail_cycle;
  hop.parts.resize(whole.size());
  std::transform(whole.begin(), whole.end(), found->parts.begin(), hop.parts.begin(), std::minus<Cycle>());
  hop.parts[part("source_queue")] = 0;  // that of the first hop
  add_turns(hop, "wait_front", turns_at(taken_, packet.destination, packet.id), hop.arrived,
            hop.arrived + hop.parts[part("wait_front")]);
  found->parts = whole;
  found->done = true;
}

void PacketStory::add_rows(const Followed& packet, observe::ResultTable& hops,
                           observe::ResultTable& waits) const {
  const std::string name = packet_name(packet.times.id);
  for (std::size_t i = 0; i < packet.hops.size(); ++i) {
    const Hop& hop = packet.hops[i];
    const bool source = i == 0, node = i + 1 == packet.hops.size();
    const std::string place = place_text(hop.end, hop.place);
    std::vector<observe::Value> cells = {
        name,
        i,
        place,
        cell(hop.end ? "" : coordinates_of(network_.topology(), hop.place.port.router)),
        cell(source || node ? "" : pair(hop.place.port.port, hop.place.vc)),
        cell(source || node ? "" : pair(hop.out_port, hop.out_vc)),
        hop.arrived,
        hop.left};
    cells.insert(cells.end(), hop.parts.begin(), hop.parts.end());
    hops.row(std::move(cells));
    for (const Wait& wait : hop.waits) {
      const bool at = wait.holder && !hop.end;
      waits.row({name, i, place, part_names_[wait.part], wait.first, wait.cycles, cell(wait.wanted),
                 wait.holder ? observe::Value(packet_name(wait.holder->packet)) : observe::Value(nullptr),
                 at ? observe::Value(WaitChain::text(wait.holder->place)) : observe::Value(nullptr),
                 cell(chain_text(wait.behind))});
    }
  }
}

void PacketStory::add_to(observe::Results& results) const {
  std::vector<observe::ResultTable::Column> columns = {
      {"packet", ""},    {"hop", ""},        {"place", ""},        {"at", ""},
      {"in", "port:vc"}, {"out", "port:vc"}, {"arrived", "cycle"}, {"left", "cycle"}};
  for (const std::string& name : part_names_) columns.push_back({name, "cycles"});
  observe::ResultTable& hops = results.table("packet_hops", columns);
  observe::ResultTable& waits = results.table("packet_waits", {{"packet", ""},
                                                               {"hop", ""},
                                                               {"place", ""},
                                                               {"cause", ""},
                                                               {"first", "cycle"},
                                                               {"cycles", "cycles"},
                                                               {"wanted", "port:vc"},
                                                               {"held_by", "packet"},
                                                               {"holder_at", "router:port:vc"},
                                                               {"chain", ""}});
  for (const Followed& packet : packets_) {
    if (!packet.done)
      throw ModelError("story", now_, packet_name(packet.times.id),
                       "was not delivered as in the earlier run");
    add_rows(packet, hops, waits);
  }
}

}  // namespace tsuji::instruments
