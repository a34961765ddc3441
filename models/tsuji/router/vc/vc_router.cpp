// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/vc/vc_router.h"

#include <algorithm>

#include "tsuji/core/error.h"

// A router's memory layout, and the stages that few flits pass.

namespace tsuji::router {
namespace {

std::uint8_t vcs_in(const RouterPort& port) {
  return static_cast<std::uint8_t>(port.in == nullptr ? 0 : port.in->vcs());
}

unsigned most_vcs_out(const std::vector<RouterPort>& ports) {
  unsigned most = 1;
  for (const RouterPort& port : ports) most = std::max(most, port.out == nullptr ? 0 : port.out->vcs());
  return most;
}

/// Number of cycles that most arrivals are announced in advance.
Cycle horizon(const VcRouterConfig& config, const std::vector<RouterPort>& ports) {
  Cycle cycles = 0;
  for (const RouterPort& port : ports) {
    if (port.in != nullptr)
      cycles = std::max(cycles, port.in->ready_after() + config.depart_after() + config.des_cycles);
  }
  return cycles;
}

bool outputs_pause(const VcRouterConfig& config, const std::vector<RouterPort>& ports) {
  return config.vc_change_cycles > 0 || std::any_of(ports.begin(), ports.end(), [](const RouterPort& port) {
           return port.out != nullptr && port.out->flit_cycles() > 1;
         });
}

}  // namespace

/// Credits read from the downstream slots, which hold the cycle from which each can be used. Frees that the
/// downstream end does meanwhile have later cycles. Heads make requests before the router sends anything in a
/// cycle.
class VcRouter::OutputRings final : public BuffersBefore {
 public:
  OutputRings(const OutputPort* outputs, unsigned ports, const WaitingFlits* waiting,
              const routing::NetworkQueues* queues)
      : outputs_(outputs), ports_(ports), waiting_(waiting), queues_(queues) {}
  unsigned credits(unsigned port, routing::VcMask vcs) const override {
    return sum(port, vcs, [this](const FlitRing& ring) { return ring.credits(before_); });
  }
  unsigned capacity(unsigned port, routing::VcMask vcs) const override {
    return sum(port, vcs, [](const FlitRing& ring) { return ring.depth(); });
  }
  unsigned returning(unsigned port, routing::VcMask vcs) const override {
    return sum(port, vcs,
               [this](const FlitRing& ring) { return ring.credits(before_ + 1) - ring.credits(before_); });
  }
  unsigned waiting(unsigned port, routing::VcMask vcs) const override {
    if (waiting_ == nullptr)
      throw ModelError("router", "a routing reads waiting flits without RouteDecisions::reads_waiting()");
    require_port(port);
    unsigned flits = 0;
    for (unsigned rest = vcs & outputs_[port].all_vcs; rest != 0; rest &= rest - 1)
      flits += waiting_->before(before_ + 1, port, static_cast<unsigned>(__builtin_ctz(rest)));
    return flits;
  }
  unsigned queue_of(routing::RouterId router, unsigned port) const override {
    if (queues_ == nullptr)
      throw ModelError("router", "a routing reads other routers without RouteDecisions::reads_network()");
    return queues_->queue(router, port);
  }

 private:
  template <class Of>
  unsigned sum(unsigned port, routing::VcMask vcs, const Of& of) const {
    require_port(port);
    unsigned flits = 0;
    for (unsigned rest = vcs & outputs_[port].all_vcs; rest != 0; rest &= rest - 1)
      flits += of(outputs_[port].sender.ring(static_cast<unsigned>(__builtin_ctz(rest))));
    return flits;
  }

  void require_port(unsigned port) const {
    if (port >= ports_) throw ModelError("router", "a routing reads credits of port " + std::to_string(port));
  }

  const OutputPort* const outputs_;
  const unsigned ports_;
  const WaitingFlits* const waiting_;           ///< null: not counted
  const routing::NetworkQueues* const queues_;  ///< null: no routing reads them
};

VcRouter::VcRouter(const VcRouterConfig& config, graph::RouterId id, const std::vector<RouterPort>& ports,
                   const RouterParts& parts, bool every_flit)
    : calendar_(*parts.arena, count_input_vcs(ports) + 1, horizon(config, ports), every_flit),
      parked_bit_(bit(count_input_vcs(ports))),
      routes_(
          {id, parts.seed, count_input_vcs(ports), parts.max_candidates, config.route_at == RouteAt::arrival,
           config.prediction.foresees() || recovers(parts) ? parts.routing : nullptr},
          parts.lookup, *parts.arena),
      timer_(config.block_timeout_cycles, config.hop_limit),
      recovers_(recovers(parts)),
      va_({config, id, parts.seed, parts.pool, *parts.arena},
          {count_input_vcs(ports), static_cast<unsigned>(ports.size()), most_vcs_out(ports),
           parts.max_candidates}),
      pool_(parts.pool),
      config_(config),
      events_(parts.events),
      id_(id),
      input_vc_count_(count_input_vcs(ports)),
      port_count_(static_cast<unsigned>(ports.size())),
      words_pass_(config.prediction.passes_words()),
      arena_(*parts.arena),
      queues_(parts.queues) {
  add_ports(ports);
  va_.bind(outputs_, ends_);
  prediction_ = make_prediction(config, id, ports, parts, va_);
  if (prediction_ != nullptr) prediction_->bind(vcs_, outputs_);
  if (outputs_pause(config, ports)) uses_ = arena_.array<PortUse>(ports.size());
  if (routes_.reads_waiting() || config.marks())
    waiting_ = make_in<WaitingFlits>(arena_, arena_, port_count_, most_vcs_out(ports), input_vc_count_);
  show_credits();
  if (parts.counts_waits) begin_counting(parts.links_fail);
  parts.lookup.bind_client(*this);
}

VcRouter::~VcRouter() = default;

unsigned VcRouter::queue(unsigned p, Cycle now) {
  rings_->ask_in(now);
  return rings_->occupied(p, outputs_[p].all_vcs) + rings_->waiting(p, outputs_[p].all_vcs);
}

void VcRouter::show_credits() {
  if (!routes_.decides() || rings_ != nullptr) return;
  rings_ = make_in<OutputRings>(arena_, outputs_, port_count_, waiting_.get(), queues_);
  routes_.show(*rings_);
}

unsigned VcRouter::count_input_vcs(const std::vector<RouterPort>& ports) {
  unsigned count = 0;
  for (const RouterPort& port : ports) {
    const unsigned own = vcs_in(port);
    if (count % 64 + own > 64) count = (count + 63) / 64 * 64;
    count += own;
  }
  return count;
}

void VcRouter::add_ports(const std::vector<RouterPort>& ports) {
  outputs_ = arena_.array<OutputPort>(port_count_);
  ends_ = arena_.array<RouterPort>(port_count_);
  vcs_ = arena_.array<InputVc>(input_vc_count_);
  unsigned next = 0;
  for (unsigned p = 0; p < port_count_; ++p) {
    OutputPort& port = outputs_[p];
    ends_[p] = ports[p];
    port.to_node = ports[p].to_node;
    port.any_vc = port.to_node && !config_.ejects_by_class;
    if (ports[p].out != nullptr) port.free_vcs = port.all_vcs = routing::vc_range(0, ports[p].out->vcs());
    port.in_vcs = vcs_in(ports[p]);
    if (next % 64 + port.in_vcs > 64) next = (next + 63) / 64 * 64;
    port.first_in = static_cast<std::uint16_t>(next);
    for (unsigned v = 0; v < port.in_vcs; ++v, ++next) vcs_[next].port = static_cast<std::uint8_t>(p);
  }
  for (unsigned v = 0; v < input_vc_count_; ++v) vcs_[v].number = static_cast<std::uint16_t>(v);
}

void VcRouter::bind(const Waker& self) {
  alarm_ = Alarm(self);
  unsigned depth = 0;
  for (unsigned p = 0; p < port_count_; ++p)
    depth = std::max(depth, ends_[p].in == nullptr ? 0 : ends_[p].in->depth_flits());
  slots_bytes_ = static_cast<std::uint32_t>(depth * sizeof(FlitSlot));
  slots_ = arena_.array<FlitSlot>(std::size_t{input_vc_count_} * depth);
  for (unsigned p = 0; p < port_count_; ++p) {
    OutputPort& port = outputs_[p];
    if (ends_[p].in != nullptr) {
      ends_[p].in->bind_receiver(
          self, calendar_, port.first_in, config_.des_cycles,
          {vcs_ + port.first_in, sizeof(InputVc), slots_ + std::size_t{port.first_in} * depth},
          config_.early_cycles(*ends_[p].in));
    }
    if (ends_[p].out != nullptr)
      ends_[p].out->bind_sender(self, calendar_, config_.depart_after(), port.sender);
  }
  hear_flits_leave();
}

/// Prefetches in stage 0 the input VCs with events and their slots, in stage 1 the downstream rings, in stage
/// 2 the downstream slots and the packets of heads.
void VcRouter::approach(Cycle now, unsigned stage) const {
  const std::uint64_t served = vcs_to_serve();
  if (stage == 0) {
    for (std::uint64_t input_vcs = calendar_.expected(0, now) | served; input_vcs != 0;
         input_vcs &= input_vcs - 1) {
      const auto input_vc = static_cast<std::size_t>(__builtin_ctzll(input_vcs));
      const char* const slots = reinterpret_cast<const char*>(slots_) + input_vc * slots_bytes_;
      __builtin_prefetch(vcs_ + input_vc);
      __builtin_prefetch(slots);
      __builtin_prefetch(slots + 64);
    }
    return;
  }
  for (std::uint64_t input_vcs = served; input_vcs != 0; input_vcs &= input_vcs - 1) {
    const InputVc& vc = vcs_[static_cast<std::size_t>(__builtin_ctzll(input_vcs))];
    __builtin_prefetch(stage == 1 ? static_cast<const void*>(vc.out) : &vc.out->back());
    if (stage == 1) outputs_[vc.out_port].sender.approach();
  }
  if (stage == 1) return;
  // The event bit for credits of parked heads has no virtual channel.
  for (std::uint64_t input_vcs = calendar_.expected(0, now) & ~(served | parked_bit_); input_vcs != 0;
       input_vcs &= input_vcs - 1) {
    const FlitSlot& front = vcs_[static_cast<std::size_t>(__builtin_ctzll(input_vcs))].front();
    if (front.holds_flit() && front.head()) __builtin_prefetch(&pool_.at(front.packet()));
  }
}

/// A head that may take several outputs is marked by the shortest of their queues.
void VcRouter::mark(const InputVc& vc, Packet& packet, Cycle now) {
  unsigned shortest = VcRouterConfig::no_marks;
  for (unsigned c = 0; c < vc.candidates; ++c) {
    const unsigned port = va_.candidates(vc)[c].port;
    unsigned flits = 0;
    for (unsigned rest = outputs_[port].all_vcs; rest != 0; rest &= rest - 1)
      flits += waiting_->before(now, port, static_cast<unsigned>(__builtin_ctz(rest)));
    shortest = std::min(shortest, flits);
  }
  if (shortest == VcRouterConfig::no_marks || shortest <= config_.mark_above_flits || packet.marked) return;
  packet.marked = true;
  ++counters_.marks;
}

void VcRouter::no_route(const InputVc& vc, Cycle now) {
  if (events_ == nullptr) fail(now, vc.packet, "there is no route for it");
  events_->on_no_route(id_, vc.port, vc.vc, vc.packet, now);
}

bool VcRouter::throw_away(InputVc& vc, Cycle now) {
  if (waits_ != nullptr) count_unsent(vc, now);
  ends_[vc.port].in->pop(now, vc.vc);
  ++counters_.killed_flits;
  routes_.pass(vc.number);
  if (prediction_ != nullptr) prediction_->may_be_quiet(vc);
  look_at_next(vc, now);
  return vc.front().holds_flit();
}

void VcRouter::look_at_next(InputVc& vc, Cycle now) {
  const FlitSlot& next = vc.front();
  if (!next.holds_flit()) return;
  if (next.cycle() > now + 1 && !words_pass_) {
    calendar_.announce(vc.number, now, next.cycle());
    return;
  }
  calendar_.set_busy(vc.number);
  set_next(now + 1);
}

bool VcRouter::unpark() {
  std::uint64_t any = 0;
  for (unsigned w = 0; w < calendar_.words(); ++w) {
    const std::uint64_t input_vcs = va_.take_parked(w);
    calendar_.busy(w) |= input_vcs;
    any |= input_vcs;
  }
  return any != 0;
}

}  // namespace tsuji::router
