// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>

#include "router/rtl_router_parts.h"
#include "tsuji/core/error.h"

namespace tsuji::bench {
namespace {

std::string text_of(const routing::RouteSet& routes) {
  std::ostringstream text;
  for (const routing::RouteCandidate& one : routes)
    text << (text.tellp() == 0 ? "port " : " or port ") << std::dec << one.port << " with virtual channels 0x"
         << std::hex << one.vcs;
  return text.str();
}

}  // namespace

routing::RouteQuery query_of(const graph::PortRef& at, unsigned vc, const Packet& packet,
                             std::uint64_t seed) {
  routing::RouteQuery query;
  query.router = at.router;
  query.in_port = at.port;
  query.in_vc = vc;
  query.source = packet.source;
  query.destination = packet.destination;
  query.packet_class = packet.packet_class;
  query.hops = packet.hops;
  query.packet = packet.id;
  query.seed = seed;
  return query;
}

/// Order, head and tail, virtual channel, credit.
void RtlRouter::check_flit(const Port& port, const Inside& own, const Packet& packet, const OutFlit& flit,
                           Cycle now) const {
  const Lane& lane = port.lane(flit.vc);
  const RtlFlitPins& pins = lane.pins->out;
  const auto wrong = [&](const std::string& what) {
    fail(now, &packet, flit_text(port, flit.vc, flit.sequence) + ": " + what);
  };
  if (flit.vc >= port.holder.size()) wrong("there is no such virtual channel");
  if (const std::uint64_t shown = pins.valid.read(); (shown & (shown - 1)) != 0)
    wrong("another virtual channel shows a flit in this cycle, too");
  if (port.lanes.size() > 1 && !lane.has(own.in_vc)) {
    const auto name_of = [&](unsigned vc) { return rtl_->about.channels[port.channel_of(vc)].name; };
    wrong("it came in by channel " + name_of(own.in_vc) + " and leaves by channel " + name_of(flit.vc));
  }
  if (flit.sequence != own.left) wrong("flit " + std::to_string(own.left) + " is due");
  if (flit.sequence >= own.came) wrong("it has not come in yet");
  if (pins.head && (pins.head.read() != 0) != flit.head)
    wrong(flit.head ? "the head has no head bit" : "it is marked as a head");
  if (pins.tail && (pins.tail.read() != 0) != flit.tail)
    wrong(flit.tail ? "the tail has no tail bit" : "it is marked as a tail");
  if (pins.kind) {
    const std::uint8_t kind = rtl_->about.kinds[(flit.head ? 1U : 0U) + (flit.tail ? 2U : 0U)];
    if (pins.kind.read() != kind)
      wrong("its kind is " + std::to_string(pins.kind.read()) + " and not " + std::to_string(kind));
  }
  const auto& [held, holder] = port.holder[flit.vc];
  if (held && holder != flit.packet)
    wrong("between the flits of packet " + packet_name(parts_.pool.at(holder).id));
  if (!flit.head && (own.out_port != port.number || own.out_vc != flit.vc))
    wrong("its head left by port " + std::to_string(own.out_port) + ", virtual channel " +
          std::to_string(own.out_vc));
  if (port.places_at(flit.vc, 1) <= now) return;
  wrong(rtl_->about.flow == RtlFlow::credits
            ? "it has no credit"
            : "it has no place: the virtual channel is off, and more than " +
                  std::to_string(rtl_->about.reserve_flits) + " flits have come since");
}

/// Destination and length, as they came in.
void RtlRouter::check_head(const Port& port, const Packet& packet, unsigned vc, Cycle now) const {
  const RtlFlitPins& pins = port.lane(vc).pins->out;
  const auto same = [&](const RtlBits& bits, std::uint64_t value, const char* field) {
    if (!bits || bits.read() == value) return;
    fail(now, &packet,
         flit_text(port, vc, 0) + ": its " + field + " is " + std::to_string(bits.read()) + " and not " +
             std::to_string(value));
  };
  const graph::RouterId at = around_.topology.node(packet.destination.node()).eject.router;
  same(pins.destination, rtl_->about.destination_is_router ? at : packet.destination.node(), "destination");
  const graph::Coordinates place = around_.topology.coordinates(at);
  constexpr std::array<const char*, 3> axes{"x", "y", "z"};
  for (std::size_t axis = 0; axis < axes.size() && axis < place.size(); ++axis)
    same(pins.coordinates[axis], place[axis], axes[axis]);
  same(pins.recovery, packet.packet_class == PacketClass::recovery ? 1 : 0, "bit of recovery");
  if (pins.hops) same(pins.hops, packet.hops, "number of hops");
  if (pins.length) same(pins.length, length_of(packet, pins.length), "length");
}

void RtlRouter::check_route(const Port& port, const Inside& own, const Packet& packet, unsigned vc,
                            Cycle now) const {
  const bool allowed =
      std::any_of(own.routes.begin(), own.routes.end(), [&](const routing::RouteCandidate& one) {
        return one.port == port.number && (port.to_node || (one.vcs >> vc & 1) != 0);
      });
  if (allowed) return;
  fail(now, &packet, flit_text(port, vc, 0) + ": the routing allows " + text_of(own.routes));
}

/// Look-ahead: what the RTL writes into the head is the output at the next router.
void RtlRouter::check_next(const Port& port, const Packet& packet, unsigned vc, Cycle now) const {
  const graph::Topology::Far& far = around_.topology.far(id_, port.number);
  if (far.kind != graph::Topology::Far::Kind::router) return;
  routing::RouteSet routes;
  parts_.routing->route(query_of(far.at, vc, packet, parts_.seed), routes);
  const std::vector<unsigned>& order = rtl_->about.port_order;
  const unsigned next = order.empty() ? routes[0].port : order[routes[0].port];
  const std::uint64_t told = port.lane(vc).pins->out.output.read();
  if (told != next)
    fail(now, &packet,
         flit_text(port, vc, 0) + ": look-ahead says output " + std::to_string(told) + " at router " +
             std::to_string(far.at.router) + ", the routing " + std::to_string(next));
}

/// Each flit that left has its credit within a number of cycles.
void RtlRouter::check_credits(Cycle now) {
  const Cycle limit = rtl_->about.credit_limit_cycles;
  Cycle oldest = now;
  for (const auto& port : ports_)
    for (unsigned vc = 0; vc < port->open.size(); ++vc) {
      const Cycle left = port->open[vc].oldest();
      if (left != never && now > left + limit) no_credit(*port, vc, now);
      oldest = std::min(oldest, left);
    }
  credit_due_ = oldest + limit + 1;
}

/// An output shows something that is not in the RTL.
void RtlRouter::unknown_flit(const Port& port, unsigned vc, std::uint64_t payload, Cycle now) const {
  const bool follows = vc < port.holder.size() && port.holder[vc].first;
  const PacketIndex before = follows ? port.holder[vc].second : 0;
  fail(now, follows ? &parts_.pool.at(before) : nullptr,
       flit_text(port, vc, follows ? inside_[before].left : 0) +
           ": a flit that never came in, with payload " + std::to_string(payload));
}

void RtlRouter::leaves_nowhere(const DeadEnd& end, Cycle now) const {
  const unsigned vc = end.pins->channel();
  const std::string at = end.name + ", virtual channel " + std::to_string(vc);
  const std::uint64_t payload = payload_of(*end.pins, true).read();
  OutFlit flit;
  if (!name(payload, flit) && !name(payload_of(*end.pins, false).read(), flit))
    fail(now, nullptr,
         at +
             ": nothing is connected to the port, and a flit that never came in leaves by it, with payload " +
             std::to_string(payload));
  const Packet& packet = parts_.pool.at(flit.packet);
  fail(now, &packet,
       at + ", flit " + std::to_string(flit.sequence) +
           ": nothing is connected to the port; the destination is node " +
           std::to_string(packet.destination.node()) + ", and the routing allows " +
           text_of(inside_[flit.packet].routes));
}

void RtlRouter::credit_for_nothing(const Port& port, unsigned vc, Cycle now) const {
  fail(now, nullptr,
       "port " + std::to_string(port.number) + ", virtual channel " + std::to_string(vc) +
           ": a credit for no flit");
}

void RtlRouter::no_credit(const Port& port, unsigned vc, Cycle now) const {
  fail(now, nullptr,
       "port " + std::to_string(port.number) + ", virtual channel " + std::to_string(vc) +
           ": a credit is missing for a flit that left in cycle " + std::to_string(port.open[vc].oldest()) +
           " or before; it may take " + std::to_string(rtl_->about.credit_limit_cycles) +
           " cycles (limits.credit_cycles)");
}

/// Checks, after a long time without a moving flit, that everything in the RTL has a reason to wait.
void RtlRouter::check_stands(Cycle now) const {
  const Cycle limit = rtl_->about.wait_limit_cycles;
  if (flits_inside_ == 0 && now > last_move_ + limit)
    for (const auto& port : ports_)
      for (unsigned vc = 0; vc < port->open.size(); ++vc)
        if (port->open[vc].flits() != 0) no_credit(*port, vc, now);
  const Cycle since = rtl_counters_.flits_out == 0 ? first_in_ : last_move_;
  if (flits_inside_ == 0 || now <= since + limit || credits_out_ != 0) return;
  for (const auto& port : ports_) {
    if (port->out == nullptr) continue;
    if (!is_open(*port, now)) return;
    for (const auto& [held, holder] : port->holder)
      if (held) return;
  }
  const auto one =
      std::find_if(inside_.begin(), inside_.end(), [](const Inside& inside) { return inside.holds_flits(); });
  const Packet& packet = parts_.pool.at(static_cast<PacketIndex>(one - inside_.begin()));
  fail(now, &packet,
       flit_text(*ports_[one->in_port], one->in_vc, one->left) +
           ": it came in, all outputs are free, and nothing has moved since cycle " + std::to_string(since) +
           ", for more than " + std::to_string(limit) + " cycles (limits.wait_cycles)" +
           (rtl_counters_.flits_out == 0 ? "; no flit has come out since the reset: is reset.active " +
                                               std::string(rtl_->about.reset_high ? "low" : "high") +
                                               " and not " + (rtl_->about.reset_high ? "high" : "low") + "?"
                                         : ""));
}

void RtlRouter::wrong_length(const Packet& packet, unsigned bits) const {
  const std::uint64_t minus = rtl_->about.length_minus;
  throw ConfigError("traffic.list",
                    "packet " + packet_name(packet.id) + " of " + std::to_string(packet.flits) + " flits",
                    "the RTL's length has " + std::to_string(bits) + " bits" +
                        (minus == 0 ? "" : " and counts " + std::to_string(minus) + " flits less"),
                    std::to_string(std::max<std::uint64_t>(minus, 1)) + ".." +
                        std::to_string((std::uint64_t{1} << bits) - 1 + minus) + " flits");
}

/// Checks that the RTL itself has made.
void RtlRouter::hear_messages(Cycle now, const char* when) const {
  std::string all;
  for (const std::string& text : rtl_->messages.take()) {
    const std::string what = when + text;
    if (warn_) warn_(ModelError(name_, now, "", what).what());
    all += (all.empty() ? "" : "; ") + what;
  }
  if (!warn_ && !all.empty()) fail(now, nullptr, all);
}

std::string RtlRouter::flit_text(const Port& port, unsigned vc, std::uint64_t sequence) const {
  return "port " + std::to_string(port.number) + ", virtual channel " + std::to_string(vc) + ", flit " +
         std::to_string(sequence);
}

void RtlRouter::fail(Cycle now, const Packet* packet, const std::string& what) const {
  throw ModelError(name_, now, packet == nullptr ? "" : packet_name(packet->id), what);
}

}  // namespace tsuji::bench
