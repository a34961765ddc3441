#include "router/rtl_router.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "router/rtl_fit.h"
#include "tsuji/core/error.h"

namespace tsuji::bench {
namespace {

constexpr unsigned sequence_bits = 16;

std::uint64_t identity(PacketIndex packet, std::uint16_t sequence) {
  return std::uint64_t{packet} << sequence_bits | sequence;
}

/// Place of the payload in a head, or in a flit behind one.
const RtlBits& payload_of(const RtlFlitPins& pins, bool head) {
  return head || !pins.body_payload ? pins.payload : pins.body_payload;
}

/// A head that stands at an input.
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

std::string text_of(const routing::RouteSet& routes) {
  std::ostringstream text;
  for (const routing::RouteCandidate& one : routes)
    text << (text.tellp() == 0 ? "port " : " or port ") << std::dec << one.port << " with virtual channels 0x"
         << std::hex << one.vcs;
  return text.str();
}

}  // namespace

/// A packet of which some flits are in the RTL.
struct RtlRouter::Inside {
  std::uint16_t came = 0, left = 0;  ///< flits so far
  bool here = false;
  std::uint8_t out_port = 0, out_vc = 0;
  routing::RouteSet routes;  ///< candidates, asked for when the head came
};

/// A flit that the output pins show.
struct RtlRouter::OutFlit {
  bool head = false, tail = false;
  unsigned vc = 0;
  PacketIndex packet = 0;
  std::uint16_t sequence = 0;
};

struct RtlRouter::Port {
  unsigned number = 0;  ///< of the network
  unsigned rtl = 0;     ///< of the RTL
  const RtlPortPins* pins = nullptr;
  FlitChannel* in = nullptr;
  FlitChannel* out = nullptr;
  bool to_node = false;
  std::unique_ptr<FlitPinDriver> driver;  ///< credits
  std::vector<std::uint16_t> sequence;    ///< [vc] of the next flit in
  bool offered = false;                   ///< valid_ready
  FlitSender sender;
  std::vector<std::uint16_t> taken;  ///< [vc] places at the far end that no credit has told of
  std::vector<std::pair<bool, PacketIndex>> holder;  ///< [vc] of the output: a packet that is not through
};

RtlRouter::RtlRouter(graph::RouterId id, const std::vector<router::RouterPort>& ports,
                     const router::RouterParts& parts, const RtlSurroundings& around,
                     std::unique_ptr<RouterRtl> rtl)
    : id_(id),
      ends_(ports),
      parts_(parts),
      around_(around),
      rtl_(std::move(rtl)),
      name_("router " + std::to_string(id) + " (" + rtl_->about.name + ")") {
  check_fit({id_, ends_, *parts_.routing, around_, *rtl_});
  const RtlDescription& about = rtl_->about;
  for (unsigned p = 0; p < ends_.size(); ++p) {
    auto port = std::make_unique<Port>();
    port->number = p;
    port->rtl = about.port_order.empty() ? p : about.port_order[p];
    port->pins = &rtl_->ports[port->rtl];
    port->in = ends_[p].in;
    port->out = ends_[p].out;
    port->to_node = ends_[p].to_node;
    if (port->in != nullptr) port->sequence.resize(port->in->vcs());
    if (port->out != nullptr) {
      port->taken.resize(port->out->vcs());
      port->holder.resize(port->out->vcs());
    }
    ports_.push_back(std::move(port));
  }
}

RtlRouter::~RtlRouter() = default;

void RtlRouter::bind(const Waker& self) {
  alarm_ = Alarm(self);
  Cycle flight = 2;
  for (const auto& port : ports_)
    if (port->in != nullptr) flight = std::max(flight, port->in->ready_after() + 1);
  const bool credits = rtl_->about.flow == RtlFlow::credits;
  board_ = ArrivalBoard(*parts_.arena, static_cast<unsigned>(ports_.size()), flight, true);
  for (const auto& port : ports_) {
    if (port->in != nullptr && credits)
      port->driver = std::make_unique<FlitPinDriver>(*port->in, self, *parts_.arena);
    else if (port->in != nullptr)
      port->in->bind_receiver(self, board_, port->number, 0, *parts_.arena);
    if (port->out != nullptr) port->out->bind_sender(self, board_, 1, port->sender);
  }
  reset();
}

void RtlRouter::reset() {
  RouterRtl& rtl = *rtl_;
  for (const auto& [bits, value] : rtl.about.constants) bits.write(value);
  rtl.own_router.write(id_);
  const std::vector<unsigned>& place = around_.topology.coordinates(id_);
  for (std::size_t axis = 0; axis < rtl.own_coordinates.size() && axis < place.size(); ++axis)
    rtl.own_coordinates[axis].write(place[axis]);
  rtl.reset.write(rtl.about.reset_high ? 1 : 0);
  for (unsigned cycle = 0; cycle < rtl.about.reset_cycles; ++cycle) edge(0);
  if (rtl.table_valid) write_table();
  rtl.reset.write(rtl.about.reset_high ? 0 : 1);
  rtl_counters_ = {};
}

/// A row for each node, one a cycle, while the reset is held.
void RtlRouter::write_table() {
  RouterRtl& rtl = *rtl_;
  for (NodeId node = 0; node < around_.topology.nodes(); ++node) {
    routing::RouteQuery query;
    query.router = id_;
    query.destination = node;
    routing::RouteSet routes;
    parts_.routing->route(query, routes);
    rtl.table_valid.write(routes.size());
    rtl.table_row.write(node);
    if (routes.size() != 0) {
      rtl.table_output.write(ports_[routes[0].port]->rtl);
      rtl.table_vcs.write(routes[0].vcs);
    }
    edge(0);
  }
  rtl.table_valid.write(0);
}

void RtlRouter::edge(Cycle now) {
  rtl_->clock.write(0);
  rtl_->eval();
  rise(now);
}

void RtlRouter::rise(Cycle now) {
  rtl_->clock.write(1);
  rtl_->eval();
  ++rtl_counters_.clocks;
  if (observer_) observer_(now);
}

void RtlRouter::step(Cycle now) {
  if (now > next_clock_) clock_missed(now);
  if (now >= next_clock_) clock_cycle(now);
  alarm_.set(now, busy() ? now + 1 : never);
}

/// The clock went on while the router was empty: nothing was at the pins, and nothing may have come.
void RtlRouter::clock_missed(Cycle now) {
  const RtlDescription& about = rtl_->about;
  if (about.stands_when_empty)
    next_clock_ = std::max(next_clock_, now - std::min<Cycle>(now, about.settle_cycles));
  for (; next_clock_ < now; ++next_clock_) {
    drive_inputs(next_clock_);
    edge(next_clock_);
    take_outputs(next_clock_);
  }
}

void RtlRouter::clock_cycle(Cycle now) {
  for (unsigned w = 0; w < board_.words(); ++w) {
    board_.take(w, now);
    board_.busy(w) = 0;
  }
  next_clock_ = now + 1;
  drive_inputs(now);
  if (!rtl_->about.outputs_follow_inputs && rtl_->about.flow == RtlFlow::credits) {
    edge(now);
    take_outputs(now);
    return;
  }
  rtl_->clock.write(0);
  rtl_->eval();
  take_outputs(now);
  rise(now);
}

bool RtlRouter::busy() const {
  if (flits_inside_ != 0 || credits_out_ != 0) return true;
  if (rtl_->about.flow == RtlFlow::credits) return false;
  return std::any_of(ports_.begin(), ports_.end(), [](const auto& port) {
    return port->in != nullptr && port->in->ring(0).front().holds_flit();
  });
}

// Inputs

void RtlRouter::drive_inputs(Cycle now) {
  const bool credits = rtl_->about.flow == RtlFlow::credits;
  for (const auto& port : ports_) {
    if (port->in != nullptr) {
      if (credits)
        drive_flit(*port, port->driver->drive(now), now);
      else
        offer(*port, now);
    }
    if (port->out == nullptr) continue;
    if (credits)
      drive_credits(*port, now);
    else
      show_ready(*port, now);
  }
}

void RtlRouter::drive_flit(Port& port, const PinFlit& flit, Cycle now) {
  const RtlFlitPins& pins = port.pins->in;
  pins.valid.write(flit.valid ? 1 : 0);
  if (!flit.valid) return;
  Packet& packet = parts_.pool.at(flit.packet);
  std::uint16_t& sequence = port.sequence[flit.vc];
  if (flit.head) sequence = 0;
  pins.head.write(flit.head ? 1 : 0);
  pins.tail.write(flit.tail ? 1 : 0);
  pins.kind.write(rtl_->about.kinds[(flit.head ? 1U : 0U) + (flit.tail ? 2U : 0U)]);
  pins.vc.write(flit.vc);
  payload_of(pins, flit.head).write(identity(flit.packet, sequence));
  Inside& own = inside(flit.packet);
  if (flit.head) {
    if (own.here) fail(now, &packet, "its head comes twice");
    own = {};
    own.here = true;
    parts_.routing->route(query_of({id_, port.number}, flit.vc, packet, parts_.seed), own.routes);
    drive_head(pins, packet, own);
    ++packet.hops;
  }
  ++sequence;
  ++own.came;
  ++flits_inside_;
  ++rtl_counters_.flits_in;
  last_move_ = now;
}

void RtlRouter::drive_head(const RtlFlitPins& pins, const Packet& packet, const Inside& own) {
  const graph::Topology& topology = around_.topology;
  const graph::RouterId at = topology.node(packet.destination).eject.router;
  pins.destination.write(rtl_->about.destination_is_router ? at : packet.destination);
  const std::vector<unsigned>& place = topology.coordinates(at);
  for (std::size_t axis = 0; axis < pins.coordinates.size() && axis < place.size(); ++axis)
    pins.coordinates[axis].write(place[axis]);
  pins.length.write(packet.flits);
  if (own.routes.size() == 0) return;
  pins.output.write(ports_[own.routes[0].port]->rtl);
  pins.output_vcs.write_mask(own.routes[0].vcs);
}

/// The oldest flit stands at the pins until the RTL takes it.
void RtlRouter::offer(Port& port, Cycle now) {
  const FlitSlot& front = port.in->ring(0).front();
  const bool here = front.holds_flit() && front.cycle() <= now;
  if (!here || port.offered) {
    port.pins->in.valid.write(here ? 1 : 0);
    return;
  }
  port.offered = true;
  PinFlit flit;
  flit.valid = true;
  flit.head = front.head();
  flit.tail = front.tail();
  flit.packet = front.packet();
  drive_flit(port, flit, now);
}

/// Places that the far end has freed, each so long before a sender of ours could use it.
void RtlRouter::drive_credits(Port& port, Cycle now) {
  const RtlPortPins& pins = *port.pins;
  std::uint64_t told = 0;
  for (unsigned vc = 0; vc < port.taken.size(); ++vc) {
    if (port.taken[vc] == 0) continue;
    const FlitRing& ring = port.sender.ring(vc);
    const unsigned depth = ring.depth();
    const FlitSlot& oldest = ring.slots[(ring.write / FlitRing::slot_words + depth - port.taken[vc]) % depth];
    if (oldest.holds_flit() || oldest.cycle() > now + around_.credit_process_cycles) continue;
    if (pins.out_credit_vc && told != 0) {
      ++rtl_counters_.waiting_credits;
      continue;
    }
    told |= std::uint64_t{1} << vc;
    pins.out_credit_vc.write(vc);
    --port.taken[vc];
    --credits_out_;
    last_move_ = now;
  }
  pins.out_credit.write_mask(pins.out_credit_vc && told != 0 ? 1 : told);
}

void RtlRouter::show_ready(Port& port, Cycle now) {
  port.pins->out_credit.write(port.sender.ring(0).credit_at() <= now ? 1 : 0);
}

// Outputs

void RtlRouter::take_outputs(Cycle now) {
  for (const auto& port : ports_) {
    if (port->in != nullptr) take_credits(*port, now);
    if (port->out != nullptr && port->pins->out.valid.read() != 0) take_flit(*port, now);
  }
  for (const auto& [pin, bits] : rtl_->errors)
    if (bits.read() != 0) fail(now, nullptr, "it raises " + pin);
}

/// Places of inputs that are free again, or the flit that was taken.
void RtlRouter::take_credits(Port& port, Cycle now) {
  const RtlPortPins& pins = *port.pins;
  if (rtl_->about.flow == RtlFlow::valid_ready) {
    if (pins.in.valid.read() == 0 || pins.in_credit.read() == 0) return;
    port.offered = false;
    port.in->pop(now, 0);
    return;
  }
  std::uint64_t freed = pins.in_credit.read_mask();
  if (freed == 0) return;
  if (pins.in_credit_vc) freed = std::uint64_t{1} << pins.in_credit_vc.read();
  last_move_ = now;
  port.driver->take_credits(now + 1, static_cast<std::uint32_t>(freed));
}

void RtlRouter::take_flit(Port& port, Cycle now) {
  const RtlFlitPins& pins = port.pins->out;
  if (rtl_->about.flow == RtlFlow::valid_ready && port.pins->out_credit.read() == 0) return;
  OutFlit flit;
  flit.vc = static_cast<unsigned>(pins.vc.read());
  const bool follows = flit.vc < port.holder.size() && port.holder[flit.vc].first;
  const std::uint64_t payload = payload_of(pins, !follows).read();
  flit.packet = static_cast<PacketIndex>(payload >> sequence_bits);
  flit.sequence = static_cast<std::uint16_t>(payload);
  if (flit.packet >= inside_.size() || !inside_[flit.packet].here)
    fail(now, nullptr,
         "port " + std::to_string(port.number) + ", virtual channel " + std::to_string(flit.vc) +
             ": a flit that never came in, with payload " + std::to_string(payload));
  Inside& own = inside_[flit.packet];
  const Packet& packet = parts_.pool.at(flit.packet);
  flit.head = flit.sequence == 0;
  flit.tail = flit.sequence + 1U == packet.flits;
  check_flit(port, own, packet, flit, now);
  if (flit.head) {
    check_way(port, own, packet, flit.vc, now);
    check_head(port, packet, flit.vc, now);
    if (pins.output) check_next(port, packet, flit.vc, now);
    own.out_port = static_cast<std::uint8_t>(port.number);
    own.out_vc = static_cast<std::uint8_t>(flit.vc);
  }
  port.holder[flit.vc] = {!flit.tail, flit.packet};
  ++own.left;
  own.here = !flit.tail;
  if (rtl_->about.flow == RtlFlow::credits) {
    ++port.taken[flit.vc];
    ++credits_out_;
  }
  --flits_inside_;
  ++counters_.flits;
  ++rtl_counters_.flits_out;
  last_move_ = now;
  Flit sent;
  sent.packet = flit.packet;
  sent.sequence = flit.sequence;
  sent.flags =
      static_cast<std::uint8_t>(Flit::is_flit | (flit.head ? Flit::head : 0) | (flit.tail ? Flit::tail : 0));
  port.out->send(now, flit.vc, sent);
}

/// Order, head and tail, virtual channel, credit.
void RtlRouter::check_flit(const Port& port, const Inside& own, const Packet& packet, const OutFlit& flit,
                           Cycle now) const {
  const RtlFlitPins& pins = port.pins->out;
  const auto wrong = [&](const std::string& what) {
    fail(now, &packet, flit_text(port, flit.vc, flit.sequence) + ": " + what);
  };
  if (flit.vc >= port.holder.size()) wrong("there is no such virtual channel");
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
  if (rtl_->about.flow == RtlFlow::credits && port.taken[flit.vc] == port.out->depth_flits())
    wrong("it has no credit");
}

/// Destination and length, as they came in.
void RtlRouter::check_head(const Port& port, const Packet& packet, unsigned vc, Cycle now) const {
  const RtlFlitPins& pins = port.pins->out;
  const auto same = [&](const RtlBits& bits, std::uint64_t value, const char* field) {
    if (!bits || bits.read() == value) return;
    fail(now, &packet,
         flit_text(port, vc, 0) + ": its " + field + " is " + std::to_string(bits.read()) + " and not " +
             std::to_string(value));
  };
  const graph::RouterId at = around_.topology.node(packet.destination).eject.router;
  same(pins.destination, rtl_->about.destination_is_router ? at : packet.destination, "destination");
  const std::vector<unsigned>& place = around_.topology.coordinates(at);
  constexpr std::array<const char*, 3> axes{"x", "y", "z"};
  for (std::size_t axis = 0; axis < axes.size() && axis < place.size(); ++axis)
    same(pins.coordinates[axis], place[axis], axes[axis]);
  same(pins.length, packet.flits, "length");
}

void RtlRouter::check_way(const Port& port, const Inside& own, const Packet& packet, unsigned vc,
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
  const std::uint64_t told = port.pins->out.output.read();
  if (told != next)
    fail(now, &packet,
         flit_text(port, vc, 0) + ": look-ahead says output " + std::to_string(told) + " at router " +
             std::to_string(far.at.router) + ", the routing " + std::to_string(next));
}

void RtlRouter::visit_inside(const std::function<void(PacketIndex)>& visit) const {
  for (PacketIndex packet = 0; packet < inside_.size(); ++packet)
    for (unsigned flit = inside_[packet].left; inside_[packet].here && flit < inside_[packet].came; ++flit)
      visit(packet);
}

RtlRouter::Inside& RtlRouter::inside(PacketIndex packet) {
  if (packet >= inside_.size()) inside_.resize(packet + 1);
  return inside_[packet];
}

std::string RtlRouter::flit_text(const Port& port, unsigned vc, std::uint64_t sequence) const {
  return "port " + std::to_string(port.number) + ", virtual channel " + std::to_string(vc) + ", flit " +
         std::to_string(sequence);
}

void RtlRouter::fail(Cycle now, const Packet* packet, const std::string& what) const {
  throw ModelError(name_, now, packet == nullptr ? "" : packet_name(packet->id), what);
}

router::RouterKind rtl_kind(const router::RouterKind& models, std::function<bool(graph::RouterId)> with_rtl,
                            const RtlSurroundings& around, MakeRouterRtl make) {
  router::RouterKind kind;
  kind.name = "router in RTL";
  kind.make = [=, with_rtl = std::move(with_rtl), make = std::move(make)](
                  graph::RouterId id, const std::vector<router::RouterPort>& ports,
                  const router::RouterParts& parts) -> ArenaPtr<router::FlitRouter> {
    if (!with_rtl(id)) return models.make(id, ports, parts);
    return make_in<RtlRouter>(*parts.arena, id, ports, parts, around, make("r" + std::to_string(id)));
  };
  return kind;
}

}  // namespace tsuji::bench
