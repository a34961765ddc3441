#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/router/vc_router_state.h"

// Which output virtual channel a head asks for.

namespace tsuji::router {

namespace {

template <class Visit>
void for_each_vc(unsigned vcs, const Visit& visit) {
  for (; vcs != 0; vcs &= vcs - 1) visit(static_cast<unsigned>(__builtin_ctz(vcs)));
}

}  // namespace

std::uint16_t VcRouterState::usable_vcs(unsigned port, std::uint16_t wanted, unsigned flits, Cycle now,
                                        bool& later) {
  const Port& out = ports_[port];
  auto usable = static_cast<std::uint16_t>(wanted & out.free_vcs);
  if (plain_vcs_) return usable;
  FlitChannel& channel = *ends_[port].out;
  const unsigned needed = config_.atomic_vcs ? channel.depth_flits() : flits;
  for_each_vc(usable, [&](unsigned vc) {
    const Cycle at = out.sender.ring(vc).credits_at(needed);
    if (at <= now) return;
    usable = static_cast<std::uint16_t>(usable & ~(1U << vc));
    if (at == never) {
      channel.watch_credit(vc, vc_count_);
    } else {
      set_next(at);
      later = true;
    }
  });
  return usable;
}

std::uint64_t VcRouterState::score(const InputVc& vc, unsigned way, const Equals& equals,
                                   std::uint16_t usable, Cycle now) const {
  const unsigned place = way - equals.first;
  const std::uint64_t in_turn = equals.count - (place + equals.count - turn_ % equals.count) % equals.count;
  switch (config_.selection) {
    case Selection::first:
      break;
    case Selection::most_credits: {
      std::uint64_t credits = 1;
      const FlitSender& out = ports_[ways_of(vc)[way].port].sender;
      for_each_vc(usable, [&](unsigned v) { credits += out.ring(v).credits(now); });
      return credits * equals.count + in_turn;
    }
    case Selection::round_robin:
      return in_turn;
    case Selection::random:
      return 1 + (CounterRandom(seed_, pool_.at(vc.packet).id).bits((std::uint64_t{id_} << 8) + way) >> 1);
  }
  return 1;
}

/// Candidates stand in the order of their ranks.
VcRouterState::Equals VcRouterState::equals_from(const InputVc& vc, unsigned first) const {
  const routing::RouteCandidate* const ways = ways_of(vc);
  unsigned end = first + 1;
  while (end < vc.ways && ways[end].rank == ways[first].rank) ++end;
  return {first, end - first};
}

const routing::RouteCandidate* VcRouterState::choose(const InputVc& vc, Cycle now, std::uint16_t& free,
                                                     bool& later, bool& dead) {
  const routing::RouteCandidate* const ways = ways_of(vc);
  const unsigned flits = config_.switching == Switching::wormhole ? 0 : pool_.at(vc.packet).flits;
  const routing::RouteCandidate* best = nullptr;
  std::uint64_t best_score = 0;
  Equals equals;
  dead = true;
  for (unsigned w = 0; w < vc.ways; ++w) {
    const routing::RouteCandidate& way = ways[w];
    if (best != nullptr && way.rank > best->rank) break;
    if (w == equals.first + equals.count) equals = equals_from(vc, w);
    const Port& out = ports_[way.port];
    if (out.all_vcs == 0)
      fail(now, vc.packet, "its way leads to port " + std::to_string(way.port) + ", which has no output");
    if (way.port == vc.port && !(out.to_node ? config_.uturn_node : config_.uturn_network)) continue;
    if (out.sender.down()) continue;
    dead = false;
    const std::uint16_t usable = usable_vcs(way.port, way.vcs, flits, now, later);
    if (usable == 0) continue;
    const std::uint64_t own = equals.count == 1 ? 1 : score(vc, w, equals, usable, now);
    if (best != nullptr && own <= best_score) continue;
    best = &way;
    best_score = own;
    free = usable;
  }
  return best;
}

bool VcRouterState::choose_output(InputVc& vc, Cycle now) {
  std::uint16_t free = 0;
  bool later = false, dead = false;
  const routing::RouteCandidate* way = choose(vc, now, free, later, dead);
  if (way != nullptr) {
    va_->request(vc.number, way->port, free);
    return true;
  }
  if (dead && (vc.ways == 0 || config_.dead_way == DeadWay::drop)) {
    if (events_ == nullptr) fail(now, vc.packet, "there is no way for it");
    events_->on_no_way(vc.packet, now);
    return false;
  }
  // Parked although the time of a credit is known: an output virtual channel that is released before serves
  // as well.
  parked_[vc.number / 64] |= std::uint64_t{1} << (vc.number % 64);
  ++parked_count_;
  return later;
}

}  // namespace tsuji::router
