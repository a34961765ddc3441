#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/router/vc_router_state.h"

// A router's parts in its memory, and what is asked for before a cycle comes to them.

namespace tsuji::router {
namespace {

std::uint8_t vcs_in(const RouterPort& port) {
  return static_cast<std::uint8_t>(port.in == nullptr ? 0 : port.in->vcs());
}

}  // namespace

VcRouterState::VcRouterState(const VcRouterConfig& config, graph::RouterId id,
                             const std::vector<RouterPort>& ports, const RouterParts& parts)
    : timer_(config.block_timeout_cycles),
      own_arena_(parts.arena == nullptr ? std::make_unique<Arena>() : nullptr),
      arena_(parts.arena == nullptr ? *own_arena_ : *parts.arena),
      routes_({id, parts.seed, count_vcs(ports), parts.max_ways, config.route_at == RouteAt::arrival},
              parts.lookup, arena_),
      pool_(parts.pool),
      max_ways_(parts.max_ways),
      id_(id),
      seed_(parts.seed),
      config_(config),
      events_(parts.events),
      vc_count_(count_vcs(ports)),
      port_count_(static_cast<unsigned>(ports.size())) {
  unsigned most_vcs = 1;
  Cycle horizon = 0;
  for (const RouterPort& port : ports) {
    if (port.in != nullptr)
      horizon = std::max(horizon, port.in->ready_after() + config.depart_after() + config.des_cycles);
    if (port.out != nullptr && port.out->flit_cycles() > 1) standing_ = false;
    most_vcs = std::max<unsigned>({most_vcs, vcs_in(port), port.out == nullptr ? 0 : port.out->vcs()});
  }
  if (config.vc_change_cycles > 0) standing_ = false;
  joined_ = config.va_cycles == 0;
  plain_vcs_ = !config.atomic_vcs && config.switching == Switching::wormhole;
  careful_ = !standing_ || config.route_at == RouteAt::arrival;
  retry_bit_ = std::uint64_t{1} << (vc_count_ % 64);
  const bool every_flit =
      config.route_at == RouteAt::arrival || config.switching == Switching::store_and_forward;
  board_ = ArrivalBoard(arena_, vc_count_ + 1, horizon, every_flit);
  requesting_ = arena_.array<std::uint64_t>(board_.words());
  add_allocators(ports, most_vcs);
  add_ports(ports);
  parked_ = arena_.array<std::uint64_t>(board_.words());
  if (careful_) uses_ = arena_.array<PortUse>(port_count_);
  careful_begin_ = timer_.runs() || routes_.at_arrival() || config.switching == Switching::store_and_forward;
  plain_ = by_lines_ && board_.words() == 1 && !joined_ && !careful_ && !timer_.runs();
  parts.lookup.bind_client(*this);
}

VcRouterState::~VcRouterState() {
  // Before the arena in which they lie, if it is this router's own.
  va_.reset();
  sa_.reset();
}

void VcRouterState::add_allocators(const std::vector<RouterPort>& ports, unsigned most_vcs) {
  const unsigned inputs = port_count_ * config_.input_speedup;
  SwitchShape shape{inputs, port_count_, most_vcs, config_.islip_iterations};
  if (config_.input_speedup == 1) {
    for (const RouterPort& port : ports) shape.vcs_of_input.push_back(vcs_in(port));
  }
  sa_ = make_switch_allocator(arena_, config_.sa_allocator, shape);
  by_lines_ = sa_->by_lines() && config_.input_speedup == 1;
  va_ = make_vc_allocator(arena_, config_.va_allocator,
                          {vc_count_, port_count_, most_vcs, config_.islip_iterations});
}

/// The virtual channels of a port lie in one word of the board.
unsigned VcRouterState::count_vcs(const std::vector<RouterPort>& ports) {
  unsigned count = 0;
  for (const RouterPort& port : ports) {
    const unsigned own = vcs_in(port);
    if (count % 64 + own > 64) count = (count + 63) / 64 * 64;
    count += own;
  }
  return count;
}

void VcRouterState::add_ports(const std::vector<RouterPort>& ports) {
  ports_ = arena_.array<Port>(port_count_);
  ends_ = arena_.array<RouterPort>(port_count_);
  if (!by_lines_) first_of_ = arena_.array<InputVc*>(std::size_t{port_count_} * config_.input_speedup);
  ways_ = arena_.array<routing::RouteCandidate>(std::size_t{vc_count_} * max_ways_);
  vcs_ = arena_.array<InputVc>(vc_count_);
  unsigned next = 0;
  for (unsigned p = 0; p < port_count_; ++p) {
    Port& port = ports_[p];
    ends_[p] = ports[p];
    port.to_node = ports[p].to_node;
    if (ports[p].out != nullptr) port.free_vcs = port.all_vcs = routing::vc_range(0, ports[p].out->vcs());
    port.in_vcs = vcs_in(ports[p]);
    if (next % 64 + port.in_vcs > 64) next = (next + 63) / 64 * 64;
    port.first_in = static_cast<std::uint16_t>(next);
    if (first_of_ != nullptr)
      std::fill_n(first_of_ + std::size_t{p} * config_.input_speedup, config_.input_speedup, vcs_ + next);
    for (unsigned v = 0; v < port.in_vcs; ++v, ++next) vcs_[next].port = static_cast<std::uint8_t>(p);
  }
  for (unsigned v = 0; v < vc_count_; ++v) vcs_[v].number = static_cast<std::uint16_t>(v);
}

/// First the virtual channels that will be looked at or served and their slots, then the buffers at the far
/// end that they send to, then the slots there and the packets of heads.
void VcRouterState::approach(Cycle now, unsigned stage) const {
  if (stage == 0) {
    for (std::uint64_t lines = board_.expected(0, now) | requesting_[0]; lines != 0; lines &= lines - 1) {
      const auto line = static_cast<std::size_t>(__builtin_ctzll(lines));
      const char* const slots = reinterpret_cast<const char*>(slots_) + line * slots_bytes_;
      __builtin_prefetch(vcs_ + line);
      __builtin_prefetch(slots);
      __builtin_prefetch(slots + 64);
    }
    return;
  }
  for (std::uint64_t lines = requesting_[0]; lines != 0; lines &= lines - 1) {
    const InputVc& vc = vcs_[static_cast<std::size_t>(__builtin_ctzll(lines))];
    __builtin_prefetch(stage == 1 ? static_cast<const void*>(vc.out) : &vc.out->back());
    if (stage == 1) sender_of(vc).approach();
  }
  if (stage == 1) return;
  for (std::uint64_t lines = board_.expected(0, now) & ~requesting_[0]; lines != 0; lines &= lines - 1) {
    const FlitSlot& front = vcs_[static_cast<std::size_t>(__builtin_ctzll(lines))].front();
    if (front.holds_flit() && front.head()) __builtin_prefetch(&pool_.at(front.packet()));
  }
}

void VcRouterState::bind(const Waker& self) {
  self_ = self;
  wheel_ = self.has_wheel();
  unsigned depth = 0;
  for (unsigned p = 0; p < port_count_; ++p)
    depth = std::max(depth, ends_[p].in == nullptr ? 0 : ends_[p].in->depth_flits());
  slots_bytes_ = static_cast<std::uint32_t>(depth * sizeof(FlitSlot));
  slots_ = arena_.array<FlitSlot>(std::size_t{vc_count_} * depth);
  for (unsigned p = 0; p < port_count_; ++p) {
    Port& port = ports_[p];
    if (ends_[p].in != nullptr) {
      ends_[p].in->bind_receiver(
          self, board_, port.first_in, config_.des_cycles,
          {vcs_ + port.first_in, sizeof(InputVc), slots_ + std::size_t{port.first_in} * depth});
    }
    if (ends_[p].out != nullptr) ends_[p].out->bind_sender(self, board_, config_.depart_after(), port.sender);
  }
}

}  // namespace tsuji::router
