#include "tsuji/core/error.h"
#include "tsuji/router/output_choice.h"
#include "tsuji/router/vc_router_state.h"

// Which output virtual channel a head asks for.

namespace tsuji::router {

namespace {

template <class Visit>
void for_each_vc(unsigned vcs, const Visit& visit) {
  for (; vcs != 0; vcs &= vcs - 1) visit(static_cast<unsigned>(__builtin_ctz(vcs)));
}

}  // namespace

/// The outputs of a router in a cycle as one head sees them.
struct VcRouterState::Outputs {
  const VcRouterState& router;
  const InputVc& vc;
  const Cycle now;
  const unsigned flits;  ///< of the packet, where it must fit into the next buffer

  OutputView view(const routing::RouteCandidate& way) const {
    const Port& out = router.ports_[way.port];
    if (out.all_vcs == 0) router.no_output(now, vc, way);
    const VcRouterConfig& config = router.config_;
    if (way.port == vc.port && !(out.to_node ? config.uturn_node : config.uturn_network)) return {};
    if (out.sender.down()) return {};
    auto usable = static_cast<routing::VcMask>(way.vcs & out.free_vcs);
    if (!router.plain_vcs_) {
      for_each_vc(usable, [&](unsigned v) {
        if (usable_at(out, v) > now) usable = static_cast<routing::VcMask>(usable & ~(1U << v));
      });
    }
    return {true, usable};
  }
  /// The cycle from which a virtual channel that no packet holds can be taken; `never`: no credit has left
  /// yet that would tell.
  Cycle usable_at(const Port& out, unsigned v) const {
    const FlitRing& ring = out.sender.ring(v);
    return ring.credits_at(router.config_.atomic_vcs ? ring.depth() : flits);
  }
  unsigned credits(const routing::RouteCandidate& way, routing::VcMask vcs) const {
    unsigned sum = 0;
    for_each_vc(vcs, [&](unsigned v) { sum += router.ports_[way.port].sender.ring(v).credits(now); });
    return sum;
  }
};

bool VcRouterState::choose_output(InputVc& vc, Cycle now) {
  const bool by_packet = config_.selection == Selection::random;
  const unsigned flits = plain_vcs_ ? 0 : pool_.at(vc.packet).flits;
  const Outputs outputs{*this, vc, now, flits};
  const ChoicePolicy policy{config_.selection, turn_, seed_, by_packet ? pool_.at(vc.packet).id : 0, id_};
  const OutputChoice choice = choose_candidate(ways_of(vc), vc.ways, policy, outputs);
  if (choice.candidate != nullptr) {
    va_->request(vc.number, choice.candidate->port, choice.vcs);
    return true;
  }
  if (choice.dead && (vc.ways == 0 || config_.dead_way == DeadWay::drop)) {
    if (events_ == nullptr) fail(now, vc.packet, "there is no way for it");
    events_->on_no_way(vc.packet, now);
    return false;
  }
  // Parked although the time of a credit is known: an output virtual channel that is released before serves
  // as well.
  parked_[vc.number / 64] |= std::uint64_t{1} << (vc.number % 64);
  ++parked_count_;
  return !plain_vcs_ && await_credits(vc, outputs);
}

/// Asks to be woken for the credits without which a parked head's output virtual channels, though free,
/// cannot be taken. True if the cycle of one of them is known: the head looks again until then.
bool VcRouterState::await_credits(const InputVc& vc, const Outputs& outputs) {
  bool known = false;
  for (unsigned w = 0; w < vc.ways; ++w) {
    const routing::RouteCandidate& way = ways_of(vc)[w];
    if (!outputs.view(way).open) continue;
    const Port& out = ports_[way.port];
    for_each_vc(way.vcs & out.free_vcs, [&](unsigned v) {
      const Cycle at = outputs.usable_at(out, v);
      if (at == never) {
        ends_[way.port].out->watch_credit(v, vc_count_);
      } else {
        set_next(at);
        known = true;
      }
    });
  }
  return known;
}

void VcRouterState::no_output(Cycle now, const InputVc& vc, const routing::RouteCandidate& way) const {
  fail(now, vc.packet, "its way leads to port " + std::to_string(way.port) + ", which has no output");
}

}  // namespace tsuji::router
