// SPDX-License-Identifier: Apache-2.0
#include "router/rtl_router_parts.h"

#include <algorithm>
#include <utility>

#include "router/rtl_fit.h"
#include "router/rtl_shadow.h"
#include "tsuji/core/error.h"

namespace tsuji::bench {
namespace {

constexpr unsigned sequence_bits = 16;
/// Cycles of the own signals that a viewer shows at first, at most.
constexpr Cycle shown_cycles = 200;
/// Cycles without a movement after which it is worth to look for its reason.
constexpr Cycle shortest_stand = 64;

std::uint64_t identity(PacketIndex packet, std::uint16_t sequence) {
  return std::uint64_t{packet} << sequence_bits | sequence;
}

/// Bits of packet and sequence number.
constexpr unsigned identity_bits = FlitSlot::packet_bits + sequence_bits;

/// Bits of the narrowest payload.
unsigned payload_bits(const std::vector<RtlPortPins>& ports) {
  unsigned bits = identity_bits;
  for (const RtlPortPins& port : ports)
    for (const RtlBits* field :
         {&port.in.payload, &port.in.body_payload, &port.out.payload, &port.out.body_payload})
      if (*field) bits = std::min<unsigned>(bits, field->width);
  return bits;
}

}  // namespace

const RtlBits& payload_of(const RtlFlitPins& pins, bool head) {
  return head || !pins.body_payload ? pins.payload : pins.body_payload;
}

RtlRouter::RtlRouter(graph::RouterId id, const std::vector<router::RouterPort>& ports,
                     const router::RouterParts& parts, const RtlSurroundings& around,
                     std::unique_ptr<RouterRtl> rtl)
    : id_(id),
      ends_(ports),
      parts_(parts),
      around_(around),
      rtl_(std::move(rtl)),
      name_("router " + std::to_string(id) + " (" + rtl_->about.name + ")"),
      random_(parts.seed, (std::uint64_t{0x5374'616C} << 32) + id),  // apart from models and nodes
      delay_random_(parts.seed, (std::uint64_t{0x4C61'7465} << 32) + id) {
  check_fit({id_, ends_, *parts_.routing, around_, *rtl_});
  const RtlDescription& about = rtl_->about;
  if (const unsigned bits = payload_bits(rtl_->ports); bits < identity_bits) tags_.emplace(bits);
  for (unsigned p = 0; p < ends_.size(); ++p) {
    auto port = std::make_unique<Port>();
    port->number = p;
    port->rtl = about.port_order.empty() ? p : about.port_order[p];
    port->in = ends_[p].in;
    port->out = ends_[p].out;
    make_lanes(*port);
    port->to_node = ends_[p].to_node;
    if (port->in != nullptr) {
      port->gone.resize(port->in->vcs());
      port->flit_delay.resize(port->in->vcs());
      if (!about.port_buffer_flits.empty() && about.port_buffer_flits[port->rtl] < about.buffer_flits)
        port->depth_flits = about.port_buffer_flits[port->rtl];
      port->sequence.resize(port->in->vcs());
      port->open.assign(port->in->vcs(), OpenPlaces(port->in->depth_flits()));
      port->payload.resize(port->in->vcs());
    }
    if (port->out != nullptr) {
      port->taken.resize(port->out->vcs());
      port->place_delay.resize(port->out->vcs());
      port->queued.resize(port->out->vcs());
      port->holder.resize(port->out->vcs());
    }
    ports_.push_back(std::move(port));
  }
  find_dead_ends();
}

/// Pins of each channel of a port.
void RtlRouter::make_lanes(Port& port) const {
  const RtlDescription& about = rtl_->about;
  const std::vector<RtlChannel> one = {{"", 0, about.vcs}};
  std::size_t pins = port.rtl;
  for (const RtlChannel& channel : about.channels.empty() ? one : about.channels) {
    Lane lane;
    lane.pins = &rtl_->ports[pins];
    lane.first_vc = channel.first_vc;
    lane.vcs = channel.vcs;
    lane.was_on.resize(1 + about.reserve_flits);
    port.lanes.push_back(std::move(lane));
    pins += rtl_->port_count();
  }
}

/// Ports of the network's edge, and ports of the RTL that the network does not use.
void RtlRouter::find_dead_ends() {
  std::vector<bool> used(rtl_->port_count());
  for (const auto& port : ports_) {
    used[port->rtl] = true;
    for (const Lane& lane : port->lanes)
      if (port->out == nullptr)
        dead_ends_.push_back({&lane.pins->out, "port " + std::to_string(port->number)});
  }
  for (std::size_t p = 0; p < rtl_->ports.size(); ++p)
    if (const std::size_t port = p % used.size(); !used[port])
      dead_ends_.push_back({&rtl_->ports[p].out, "port " + std::to_string(port) + " of the RTL"});
}

RtlRouter::~RtlRouter() = default;

void RtlRouter::bind(const Waker& self) {
  alarm_ = Alarm(self);
  Cycle flight = 2;
  for (const auto& port : ports_)
    if (port->in != nullptr) flight = std::max(flight, port->in->ready_after() + 1);
  const bool credits = rtl_->about.flow == RtlFlow::credits;
  constexpr unsigned events = 16;  // of a port: those of its virtual channels are in one word
  calendar_ = ArrivalCalendar(*parts_.arena, events * static_cast<unsigned>(ports_.size()), flight, true);
  for (const auto& port : ports_) {
    if (port->in != nullptr && credits && port->depth_flits == 0)
      port->driver = std::make_unique<FlitPinDriver>(*port->in, self, *parts_.arena);
    else if (port->in != nullptr)
      port->in->bind_receiver(self, calendar_, events * port->number, 0, *parts_.arena);
    if (port->out != nullptr) port->out->bind_sender(self, calendar_, 1, port->sender);
  }
  reset();
}

void RtlRouter::reset() {
  RouterRtl& rtl = *rtl_;
  for (const auto& [bits, value] : rtl.about.constants) bits.write(value);
  rtl.own_router.write(id_);
  const graph::Coordinates place = around_.topology.coordinates(id_);
  for (std::size_t axis = 0; axis < rtl.own_coordinates.size() && axis < place.size(); ++axis)
    rtl.own_coordinates[axis].write(place[axis]);
  rtl.reset.write(rtl.about.reset_high ? 1 : 0);
  for (unsigned cycle = 0; cycle < rtl.about.reset_cycles; ++cycle) edge(0);
  if (rtl.table_valid) write_table();
  rtl.reset.write(rtl.about.reset_high ? 0 : 1);
  rtl_counters_ = {};
  runs_ = true;
}

/// A row for each node and candidate, one a cycle, while the reset is held.
void RtlRouter::write_table() {
  write_routes();
  if (rtl_->prediction && rtl_->prediction->table != router::PredictorTable::none) write_predictions();
  rtl_->table_valid.write(0);
}

void RtlRouter::write_routes() {
  if (rtl_->table_rows) {
    for (const auto& [row, entry] : rtl_->table_rows(*parts_.routing, around_.topology, id_))
      write_entry(row, entry & 0xffffU, entry >> 16);
    return;
  }
  for (NodeId node = 0; node < around_.topology.nodes(); ++node) {
    const routing::RouteSet routes = table_routes(*parts_.routing, id_, 0, 0, node);
    for (unsigned c = 0; c < rtl_->table_candidates; ++c) write_route(node, c, routes);
  }
}

/// The predicted output of each input, or a port that does not exist.
void RtlRouter::write_predictions() {
  const RtlPrediction& prediction = *rtl_->prediction;
  const std::vector<unsigned> outputs = parts_.predictor_table(id_, prediction.table);
  for (const auto& port : ports_) {
    const unsigned output = port->number < outputs.size() ? outputs[port->number] : router::no_port;
    write_entry(prediction.first_row + port->rtl, output == router::no_port ? 0xffffU : ports_[output]->rtl,
                0);
  }
}

/// A candidate without virtual channels where the routes have fewer.
void RtlRouter::write_route(NodeId node, unsigned candidate, const routing::RouteSet& routes) {
  const bool exists = candidate < routes.size();
  const routing::RouteCandidate route = exists ? routes[candidate] : routing::RouteCandidate{};
  const bool lesser = exists && candidate != 0 && route.rank != routes[candidate - 1].rank;
  put_entry(node, ports_[route.port]->rtl, route.vcs);
  rtl_->table_candidate.write(candidate);
  rtl_->table_lesser.write(lesser);
  edge(0);
}

void RtlRouter::write_entry(std::uint64_t row, std::uint64_t output, std::uint64_t vcs) {
  put_entry(row, output, vcs);
  edge(0);
}

void RtlRouter::put_entry(std::uint64_t row, std::uint64_t output, std::uint64_t vcs) {
  rtl_->table_valid.write(1);
  rtl_->table_row.write(row);
  rtl_->table_output.write(output);
  rtl_->table_vcs.write_mask(vcs);
}

void RtlRouter::edge(Cycle now) {
  settle(now);
  rise(now);
}

/// The clock falls, and what follows from inputs within the cycle is there.
void RtlRouter::settle(Cycle now) {
  rtl_->clock.write(0);
  for (const auto& [clock, edges] : rtl_->more_clocks) clock.write(0);
  evaluate(now, 0);
  unsigned most = 1;
  for (const auto& [clock, edges] : rtl_->more_clocks) most = std::max(most, edges);
  // The last of a clock's edges is that of the cycle.
  for (unsigned phase = 1; phase < 2 * most - 1; ++phase) {
    for (const auto& [clock, edges] : rtl_->more_clocks)
      if (phase / 2 >= most - edges) clock.write(phase % 2);
    evaluate(now, around_.clock_period_ps / 2 * phase / (2 * most - 1));
  }
}

void RtlRouter::rise(Cycle now) {
  if (record_) record_->row();
  rtl_->clock.write(1);
  for (const auto& [clock, edges] : rtl_->more_clocks) clock.write(1);
  evaluate(now, around_.clock_period_ps / 2);
  ++rtl_counters_.clocks;
  if (observer_) observer_(now);
}

/// Evaluates the RTL at `part` of the cycle. During the reset the time is 0, and no waveform is written.
void RtlRouter::evaluate(Cycle now, Picoseconds part) {
  const Picoseconds time = runs_ ? now * around_.clock_period_ps + part : 0;
  try {
    rtl_->eval(time);
  } catch (const RtlAborted& error) {
    fail(now, nullptr, error.what());
  }
  if (has_wave_ && runs_ && now >= wave_first_ && now <= wave_last_) rtl_->show(time);
  if (pin_wave_ && runs_) pin_wave_->sample(pin_wave_number_, now, time);
  if (!rtl_->messages.empty()) hear_messages(now, runs_ ? "" : "in the reset: ");
}

void RtlRouter::finish() const {
  const Cycle last = next_clock_ == 0 ? 0 : next_clock_ - 1;
  try {
    rtl_->run_final_blocks();
  } catch (const RtlAborted& error) {
    fail(last, nullptr, error.what());
  }
  hear_messages(last, "at the end: ");
}

void RtlRouter::open_wave(const std::string& path, Cycle first, Cycle last) {
  wave_first_ = first;
  wave_last_ = last;
  rtl_->open_wave(path);
  has_wave_ = true;
}

void RtlRouter::show_pins(std::shared_ptr<RtlWave> wave) {
  pin_wave_ = std::move(wave);
  std::vector<RtlWavePort> shown;
  for (const auto& port : ports_)
    shown.push_back({port->number, port->rtl, port->in == nullptr ? 0 : port->in->vcs(),
                     port->out == nullptr ? 0 : port->out->vcs()});
  RtlWave::Late late;
  if (rtl_->about.stands_when_empty)
    late.settle_cycles = rtl_->about.settle_cycles;
  else
    late.catch_up = [this](Cycle now) { clock_missed(now); };
  pin_wave_number_ = pin_wave_->add(
      id_, *rtl_, shown, [this](unsigned port, bool out, unsigned vc) { return shown_flit(port, out, vc); },
      std::move(late));
}

/// PACKET/FLIT of the flit at the pins.
std::string RtlRouter::shown_flit(unsigned number, bool out, unsigned vc) const {
  const Port& port = *ports_[number];
  const Lane& lane = port.lane(vc);
  const bool head = out ? !port.holder[vc].first : lane.shows_head;
  const std::uint64_t payload = payload_of(out ? lane.pins->out : lane.pins->in, head).read();
  OutFlit flit;
  if (!name(payload, flit)) return "?";
  return packet_name(parts_.pool.at(flit.packet).id) + "/" + std::to_string(flit.sequence);
}

void RtlRouter::step(Cycle now) {
  if (now > next_clock_) clock_missed(now);
  if (now >= next_clock_) clock_cycle(now);
  if (packet_shadow_) packet_shadow_->run(now);
  if (now >= credit_due_) check_credits(now);
  const bool goes_on = busy();
  if (goes_on && (now > last_move_ + shortest_stand || rtl_counters_.flits_out == 0)) check_stands(now);
  alarm_.set(now, goes_on ? now + 1 : never);
  if (pin_wave_) pin_wave_->passed(now);
}

/// The clock ran while the router was empty: no input was driven, and no output may be valid.
void RtlRouter::clock_missed(Cycle now) {
  const RtlDescription& about = rtl_->about;
  if (about.stands_when_empty)
    next_clock_ = std::max(next_clock_, now - std::min<Cycle>(now, about.settle_cycles));
  for (; next_clock_ < now; ++next_clock_) {
    drive_inputs(next_clock_);
    edge(next_clock_);
    take_outputs(next_clock_);
    if (packet_shadow_) packet_shadow_->run(next_clock_);
  }
}

void RtlRouter::clock_cycle(Cycle now) {
  for (unsigned w = 0; w < calendar_.words(); ++w) {
    calendar_.take(w, now);
    calendar_.busy(w) = 0;
  }
  next_clock_ = now + 1;
  drive_inputs(now);
  if (!rtl_->about.outputs_follow_inputs && rtl_->about.flow != RtlFlow::valid_ready) {
    edge(now);
    take_outputs(now);
    return;
  }
  settle(now);
  take_outputs(now);
  rise(now);
}

bool RtlRouter::busy() const {
  if (flits_inside_ != 0 || credits_out_ != 0 || open_places_ != 0 || late_flits_ != 0 || queued_flits_ != 0)
    return true;
  return std::any_of(ports_.begin(), ports_.end(), [](const auto& port) {
    for (unsigned vc = 0; port->in != nullptr && !port->driver && vc < port->in->vcs(); ++vc)
      if (port->in->ring(vc).front().holds_flit()) return true;
    return false;
  });
}

// Inputs

void RtlRouter::drive_inputs(Cycle now) {
  const bool credits = rtl_->about.flow == RtlFlow::credits;
  for (const auto& port : ports_) {
    if (port->in != nullptr) {
      for (Lane& lane : port->lanes) {
        if (!port->driver)
          offer(*port, lane, now);
        else
          lane.pins->in.valid.write(0);
      }
      if (port->driver)
        if (const PinFlit flit = delayed(*port, port->driver->drive(now), now); flit.valid)
          show_flit(*port, flit, enter(*port, flit, now));
    }
    if (port->out == nullptr) continue;
    const bool stalled = stalls();
    for (const Lane& lane : port->lanes) {
      if (credits)
        drive_credits(*port, lane, stalled, now);
      else
        show_ready(*port, lane, stalled, now);
    }
    if (!credits && packet_shadow_) shadow_places(*port, now);
  }
}

void RtlRouter::set_delay(Cycle most) {
  delay_ = most;
  for (const auto& port : ports_) {
    for (Cycle& delay : port->flit_delay) delay = draw_delay();
    for (Cycle& delay : port->place_delay) delay = draw_delay();
  }
}

/// The flit that comes to the pins in this cycle, where `flit` has arrived.
PinFlit RtlRouter::delayed(Port& port, const PinFlit& flit, Cycle now) {
  if (delay_ == 0) return flit;
  if (flit.valid) {
    port.late.emplace_back(now + draw_delay(), flit);
    ++late_flits_;
  }
  if (port.late.empty() || port.late.front().first > now) return {};
  const PinFlit first = port.late.front().second;
  port.late.pop_front();
  --late_flits_;
  return first;
}

/// A flit comes to the pins for the first time. Returns its payload.
std::uint64_t RtlRouter::enter(Port& port, const PinFlit& flit, Cycle now) {
  Packet& packet = parts_.pool.at(flit.packet);
  std::uint16_t& sequence = port.sequence[flit.vc];
  if (flit.head) sequence = 0;
  Inside& own = flit.head ? comes(flit.packet) : coming(flit.packet, port, flit, sequence);
  if (flit.head) {
    own.here = true;
    own.head_came = now;
    own.in_port = static_cast<std::uint8_t>(port.number);
    own.in_vc = flit.vc;
    parts_.routing->route(query_of({id_, port.number}, flit.vc, packet, parts_.seed), own.routes);
    if (probe_ != nullptr)
      probe_->on_stage(id_, port.number, flit.vc, flit.packet, router::HeadStage::inside, now);
    own.hops = packet.hops++;
    if (packet_shadow_) own.passage = packet_shadow_->head_in(port.number, flit.vc, packet, own.hops);
  }
  if (packet_shadow_) packet_shadow_->flit_in(own.passage, flit.head, flit.tail);
  const std::uint64_t payload = payload_for(packet, identity(flit.packet, sequence), now);
  ++sequence;
  ++own.came;
  ++flits_inside_;
  if (rtl_->about.flow == RtlFlow::credits) {
    port.open[flit.vc].enter();
    ++open_places_;
  }
  if (rtl_counters_.flits_in++ == 0) first_in_ = now;
  last_move_ = now;
  return payload;
}

/// Bits that name a flit in this router.
std::uint64_t RtlRouter::payload_for(const Packet& packet, std::uint64_t identity, Cycle now) {
  if (!tags_) return identity;
  const std::optional<std::uint64_t> tag = tags_->give(identity);
  if (!tag)
    fail(now, &packet,
         "the payload's bits name " + std::to_string(tags_->size()) + " flits, and more are inside");
  return *tag;
}

void RtlRouter::show_flit(Port& port, const PinFlit& flit, std::uint64_t payload) {
  Lane& lane = port.lane(flit.vc);
  const RtlFlitPins& pins = lane.pins->in;
  lane.shows_head = flit.head;
  pins.show(flit.vc - lane.first_vc);
  pins.head.write(flit.head ? 1 : 0);
  pins.tail.write(flit.tail ? 1 : 0);
  pins.kind.write(rtl_->about.kinds[(flit.head ? 1U : 0U) + (flit.tail ? 2U : 0U)]);
  payload_of(pins, flit.head).write(payload);
  if (!flit.head) return;
  const Inside* own = &inside_[flit.packet];
  while (own->again) own = own->again.get();
  drive_head(lane, parts_.pool.at(flit.packet), *own);
}

/// A packet's length as the RTL counts it. The packets of a list come one by one: neither the longest nor the
/// shortest was known before.
std::uint64_t RtlRouter::length_of(const Packet& packet, const RtlBits& bits) const {
  const unsigned minus = rtl_->about.length_minus;
  if (packet.flits < minus || !bits.fits(packet.flits - minus)) wrong_length(packet, bits.width);
  return packet.flits - minus;
}

void RtlRouter::drive_head(const Lane& lane, const Packet& packet, const Inside& own) {
  const RtlFlitPins& pins = lane.pins->in;
  const graph::Topology& topology = around_.topology;
  const graph::RouterId at = topology.node(packet.destination.node()).eject.router;
  pins.destination.write(rtl_->about.destination_is_router ? at : packet.destination.node());
  const graph::Coordinates place = topology.coordinates(at);
  for (std::size_t axis = 0; axis < pins.coordinates.size() && axis < place.size(); ++axis)
    pins.coordinates[axis].write(place[axis]);
  if (pins.length) pins.length.write(length_of(packet, pins.length));
  pins.recovery.write(packet.packet_class == PacketClass::recovery ? 1 : 0);
  pins.hops.write(own.hops);
  if (own.routes.size() == 0) return;
  pins.output.write(ports_[own.routes[0].port]->rtl);
  pins.output_vcs.write_mask((own.routes[0].vcs & lane.mask()) >> lane.first_vc);
}

/// Slots freed by the downstream router, each recorded before a sender of this router can use it.
void RtlRouter::drive_credits(Port& port, const Lane& lane, bool stalled, Cycle now) {
  const RtlPortPins& pins = *lane.pins;
  std::uint64_t told = 0;
  const unsigned end = std::min(lane.first_vc + lane.vcs, static_cast<unsigned>(port.taken.size()));
  for (unsigned vc = lane.first_vc; vc < end; ++vc) {
    const unsigned away = port.taken[vc] - port.queued[vc];
    if (away == 0 || stalled) continue;
    const FlitRing& ring = port.sender.ring(vc);
    const unsigned depth = ring.depth();
    const FlitSlot& oldest = ring.slots[(ring.write / FlitRing::slot_words + depth - away) % depth];
    if (oldest.holds_flit() || oldest.cycle() + port.place_delay[vc] > now + around_.credit_process_cycles)
      continue;
    if (pins.out_credit_vc && told != 0) {
      ++rtl_counters_.waiting_credits;
      continue;
    }
    told |= std::uint64_t{1} << (vc - lane.first_vc);
    if (packet_shadow_) packet_shadow_->credit(port.number, vc);
    pins.out_credit_vc.write(vc - lane.first_vc);
    port.place_delay[vc] = draw_delay();
    --port.taken[vc];
    --credits_out_;
    last_move_ = now;
  }
  pins.out_credit.write_mask(pins.out_credit_vc && told != 0 ? 1 : told);
}

// Outputs

void RtlRouter::take_outputs(Cycle now) {
  for (const auto& port : ports_) {
    if (port->in != nullptr) take_credits(*port, now);
    for (const Lane& lane : port->lanes)
      if (port->out != nullptr && lane.pins->out.valid.read() != 0) take_flit(*port, lane, now);
    send_queued(*port, now);
    if (const RtlBits& blocked = port->lanes[0].pins->blocked; blocked && blocked.read() != 0)
      take_blocked(*port, now);
    if (rtl_->prediction) take_prediction(*port);
  }
  for (const DeadEnd& end : dead_ends_)
    if (end.pins->valid.read() != 0) leaves_nowhere(end, now);
  for (const auto& [pin, bits] : rtl_->errors)
    if (bits.read() != 0)
      fail(now, nullptr, "it raises " + pin + (bits.width > 1 ? ": " + std::to_string(bits.read()) : ""));
}

/// Places of inputs that are free again, or the flit that was taken.
void RtlRouter::take_credits(Port& port, Cycle now) {
  std::uint64_t freed = 0;
  for (Lane& lane : port.lanes) {
    const RtlPortPins& pins = *lane.pins;
    if (rtl_->about.flow != RtlFlow::credits) {
      take_offer(port, lane, now);
      continue;
    }
    std::uint64_t of_lane = pins.in_credit.read_mask();
    if (of_lane != 0 && pins.in_credit_vc) of_lane = std::uint64_t{1} << pins.in_credit_vc.read();
    freed |= of_lane << lane.first_vc;
  }
  if (freed == 0) return;
  last_move_ = now;
  for (std::uint64_t left = freed; left != 0; left &= left - 1) {
    const auto vc = static_cast<unsigned>(__builtin_ctzll(left));
    if (vc >= port.open.size() || port.open[vc].flits() == 0) credit_for_nothing(port, vc, now);
    port.open[vc].credit();
    --open_places_;
  }
  if (port.driver) return port.driver->take_credits(now + 1, static_cast<std::uint32_t>(freed));
  for (std::uint64_t left = freed; left != 0; left &= left - 1) {
    const auto vc = static_cast<unsigned>(__builtin_ctzll(left));
    --port.gone[vc];
    port.in->pop_known(now, port.in->ring(vc));
  }
}

/// Counts outcomes of predictions, and flits that crossed after a head that hit.
void RtlRouter::take_prediction(Port& port) const {
  using router::PredictionOutcome;
  constexpr std::array<PredictionOutcome, 8> meaning = {
      PredictionOutcome::hit,      PredictionOutcome::hit,          PredictionOutcome::wrong,
      PredictionOutcome::lost,     PredictionOutcome::no_room,      PredictionOutcome::not_idle,
      PredictionOutcome::not_idle, PredictionOutcome::not_predicted};
  constexpr std::uint64_t two_heads = 6;
  port.predictions.kept_flits += port.lanes[0].pins->kept.read();
  const std::uint64_t code = port.lanes[0].pins->outcome.read();
  if (code == 0) return;
  port.predictions.visits[static_cast<std::size_t>(meaning[code])] += code == two_heads ? 2 : 1;
  if (meaning[code] == PredictionOutcome::hit)
    port.predictions.saved_cycles += rtl_->prediction->hit_saves_cycles;
}

router::PredictionCounters RtlRouter::prediction_counters_at(unsigned port) const {
  return ports_[port]->predictions;
}

router::PredictionCounters RtlRouter::prediction_counters() const {
  router::PredictionCounters sum;
  for (const auto& port : ports_) sum += port->predictions;
  return sum;
}

/// Heads whose time is over in this cycle.
void RtlRouter::take_blocked(const Port& port, Cycle now) {
  for (std::uint64_t left = port.lanes[0].pins->blocked.read(); left != 0; left &= left - 1) {
    const auto vc = static_cast<unsigned>(__builtin_ctzll(left));
    const auto [packet, own] = head_at(port, vc, now);
    if (parts_.routing->recovery() != nullptr) {
      ++counters_.recoveries;
      begin_recovery(packet, *own);
      continue;
    }
    ++counters_.timeouts;
    if (parts_.events != nullptr) parts_.events->on_blocked(id_, port.number, vc, packet, now);
  }
}

/// The head has another class, and thus other routes.
void RtlRouter::begin_recovery(PacketIndex index, Inside& own) {
  Packet& packet = parts_.pool.at(index);
  packet.packet_class = PacketClass::recovery;
  parts_.routing->route(query_of({id_, own.in_port}, own.in_vc, packet, parts_.seed), own.routes);
}

/// A head that was not blocked leaves in recovery, if it has passed too many routers.
void RtlRouter::take_recovery(const Port& port, Inside& own, const OutFlit& flit, Cycle now) {
  const Packet& packet = parts_.pool.at(flit.packet);
  if (port.lanes[0].pins->out.recovery.read() == 0 || packet.packet_class != PacketClass::normal) return;
  const unsigned limit = rtl_->about.hop_limit;
  if (limit == 0 || own.hops <= limit)
    fail(now, &packet, flit_text(port, flit.vc, 0) + ": it goes into recovery, and was not blocked");
  begin_recovery(flit.packet, own);
  ++counters_.over_hop_limit;
  ++counters_.recoveries_by_hops;
  if (parts_.events != nullptr) parts_.events->on_hop_limit(id_, own.in_port, own.in_vc, flit.packet, now);
}

/// The packet at the front of an input virtual channel whose head has not left. Heads on their way to the
/// wires do not count: a timeout is longer.
std::pair<PacketIndex, RtlRouter::Inside*> RtlRouter::head_at(const Port& port, unsigned vc, Cycle now) {
  std::pair<PacketIndex, Inside*> first = {0, nullptr};
  for (PacketIndex packet = 0; packet < inside_.size(); ++packet)
    for (Inside* one = &inside_[packet]; one != nullptr && one->here; one = one->again.get())
      if (one->left == 0 && one->in_port == port.number && one->in_vc == vc &&
          (first.second == nullptr || one->head_came < first.second->head_came))
        first = {packet, one};
  if (first.second == nullptr)
    fail(now, nullptr,
         "port " + std::to_string(port.number) + ", virtual channel " + std::to_string(vc) +
             ": a blocked head where none is");
  return first;
}

/// Returns true if a payload belongs to a packet that is in the RTL.
bool RtlRouter::name(std::uint64_t payload, OutFlit& flit) const {
  std::optional<std::uint64_t> identity = payload;
  if (tags_ && !(identity = tags_->find(payload))) return false;
  flit.payload = payload;
  flit.packet = static_cast<PacketIndex>(*identity >> sequence_bits);
  flit.sequence = static_cast<std::uint16_t>(*identity);
  return flit.packet < inside_.size() && inside_[flit.packet].here;
}

void RtlRouter::take_flit(Port& port, const Lane& lane, Cycle now) {
  const RtlFlitPins& pins = lane.pins->out;
  OutFlit flit;
  flit.vc = lane.first_vc + pins.channel();
  if (!lane.has(flit.vc)) flit.vc = std::max(flit.vc, static_cast<unsigned>(port.holder.size()));
  if (!passes(port, flit.vc)) return;
  const bool follows = flit.vc < port.holder.size() && port.holder[flit.vc].first;
  const std::uint64_t payload = payload_of(pins, !follows).read();
  // A flit of the wrong kind is also reported by name.
  if (!name(payload, flit) && !name(payload_of(pins, follows).read(), flit))
    unknown_flit(port, flit.vc, payload, now);
  Inside& own = leaving(flit);
  const Packet& packet = parts_.pool.at(flit.packet);
  flit.head = flit.sequence == 0;
  flit.tail = flit.sequence + 1U == packet.flits;
  check_flit(port, own, packet, flit, now);
  if (flit.head) {
    if (pins.recovery) take_recovery(port, own, flit, now);
    check_route(port, own, packet, flit.vc, now);
    check_head(port, packet, flit.vc, now);
    if (pins.output) check_next(port, packet, flit.vc, now);
    own.out_port = static_cast<std::uint8_t>(port.number);
    own.out_vc = static_cast<std::uint8_t>(flit.vc);
  }
  port.holder[flit.vc] = {!flit.tail, flit.packet};
  ++own.left;
  if (packet_shadow_) packet_shadow_->flit_out(own.passage, port.number, flit.vc, flit.head, flit.tail, now);
  if (rtl_->about.flow == RtlFlow::credits) {
    ++port.taken[flit.vc];
    ++credits_out_;
    ports_[own.in_port]->open[own.in_vc].leave(now);
  } else {
    port.place_delay[flit.vc] = draw_delay();
  }
  if (flit.tail) gone(flit.packet);
  if (tags_) tags_->take_back(flit.payload);
  --flits_inside_;
  ++counters_.flits;
  ++rtl_counters_.flits_out;
  last_move_ = now;
  Flit sent;
  sent.packet = flit.packet;
  sent.sequence = flit.sequence;
  sent.flags =
      static_cast<std::uint8_t>(Flit::is_flit | (flit.head ? Flit::head : 0) | (flit.tail ? Flit::tail : 0));
  send(port, flit.vc, sent, now);
}

/// A link carries one flit a cycle: those of several channels wait for it, each with its place at the far
/// end.
void RtlRouter::send(Port& port, unsigned vc, const Flit& flit, Cycle now) {
  if (port.lanes.size() == 1) {
    port.out->send(now, vc, flit);
    return;
  }
  port.queue.emplace_back(vc, flit);
  ++port.queued[vc];
  ++queued_flits_;
}

void RtlRouter::send_queued(Port& port, Cycle now) {
  if (port.queue.empty()) return;
  const auto [vc, flit] = port.queue.front();
  port.queue.pop_front();
  --port.queued[vc];
  --queued_flits_;
  last_move_ = now;
  port.out->send(now, vc, flit);
}

void RtlRouter::visit_inside(const std::function<void(PacketIndex)>& visit) const {
  for (PacketIndex packet = 0; packet < inside_.size(); ++packet)
    for (const Inside* one = &inside_[packet]; one != nullptr && one->here; one = one->again.get())
      for (unsigned flit = one->left; flit < one->came; ++flit) visit(packet);
  for (const auto& port : ports_)
    for (const auto& [cycle, flit] : port->late) visit(flit.packet);
  for (const auto& port : ports_)
    for (const auto& [vc, flit] : port->queue) visit(flit.packet);
}

/// A head comes: the passage that begins.
RtlRouter::Inside& RtlRouter::comes(PacketIndex packet) {
  if (packet >= inside_.size()) inside_.resize(packet + 1);
  Inside* last = &inside_[packet];
  if (!last->here) return *last = {};
  while (last->again) last = last->again.get();
  last->again = std::make_unique<Inside>();
  return *last->again;
}

/// The passage of a flit that comes after its head.
RtlRouter::Inside& RtlRouter::coming(PacketIndex packet, const Port& port, const PinFlit& flit,
                                     std::uint16_t sequence) {
  Inside* own = &inside_[packet];
  while (own->again && (own->in_port != port.number || own->in_vc != flit.vc || own->came != sequence))
    own = own->again.get();
  return *own;
}

/// The passage of a flit that leaves: of two, the one whose next flit it is.
RtlRouter::Inside& RtlRouter::leaving(const OutFlit& flit) {
  Inside* own = &inside_[flit.packet];
  while (own->again && (own->left != flit.sequence || own->came <= flit.sequence)) own = own->again.get();
  return *own;
}

/// The tail has left, on the first passage.
void RtlRouter::gone(PacketIndex packet) {
  const std::unique_ptr<Inside> again = std::move(inside_[packet].again);
  inside_[packet] = again ? std::move(*again) : Inside{};
}

router::RouterKind rtl_kind(const router::RouterKind& models, std::function<bool(graph::RouterId)> with_rtl,
                            const RtlSurroundings& around, MakeRouterRtl make, RtlCompany company) {
  router::RouterKind kind;
  kind.name = "router in RTL";
  kind.tells_stages = models.tells_stages;
  kind.hides_stages = true;
  kind.recovers = models.recovers;  // check_fit() refuses RTL that does not
  kind.make = [=, with_rtl = std::move(with_rtl), make = std::move(make), company = std::move(company)](
                  graph::RouterId id, const std::vector<router::RouterPort>& ports,
                  const router::RouterParts& parts) -> ArenaPtr<router::FlitRouter> {
    if (!with_rtl(id)) return models.make(id, ports, parts);
    const std::string number = std::to_string(id);
    auto router = make_in<RtlRouter>(*parts.arena, id, ports, parts, around, make("r" + number, id));
    if (const char* const ending = router->rtl().wave_ending(); !company.wave.empty() && ending != nullptr) {
      const std::string stem = company.wave + ".r" + number;
      router->open_wave(stem + ending, company.wave_first, company.wave_last);
      const Cycle last = std::min(company.wave_last, company.wave_first + shown_cycles);
      write_pin_groups(stem, ending, id, router->rtl(),
                       {company.wave_first * around.clock_period_ps, last * around.clock_period_ps});
    }
    if (company.pin_wave != nullptr) router->show_pins(company.pin_wave);
    if (!company.record.empty()) router->open_record(company.record + ".r" + number + ".txt");
    if (company.warn) router->set_warner(company.warn);
    router->set_stall(company.stall);
    if (company.delay != 0) router->set_delay(company.delay);
    if (company.packet_shadow != nullptr) router->shadow_packets(*company.packet_shadow);
    if (company.shadow != nullptr) {
      const auto beside = std::make_shared<RtlShadow>(router->rtl(), *company.shadow, "router " + number);
      router->set_observer([beside](Cycle now) { beside->edge(now); });
    }
    return router;
  };
  return kind;
}

}  // namespace tsuji::bench
