// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/vc/vc_allocation.h"

#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/router/output_choice.h"

namespace tsuji::router {
namespace {

template <class Visit>
void for_each_vc(unsigned vcs, const Visit& visit) {
  for (; vcs != 0; vcs &= vcs - 1) visit(static_cast<unsigned>(__builtin_ctz(vcs)));
}

}  // namespace

/// State of a router's outputs in a cycle, for one head.
struct VcAllocation::Outputs {
  const VcAllocation& stage;
  const InputVc& vc;
  const Cycle now;
  const unsigned flits;  ///< length of the packet if it must fit into the downstream buffer, else 0

  OutputView view(const routing::RouteCandidate& candidate) const {
    const OutputPort& output = stage.outputs_[candidate.port];
    if (output.all_vcs == 0) stage.no_output(now, vc, candidate);
    const VcRouterConfig& config = stage.config_;
    if (candidate.port == vc.port && !(output.to_node ? config.uturn_node : config.uturn_network)) return {};
    if (output.sender.down()) return {};
    auto usable = static_cast<routing::VcMask>(candidate.vcs & output.free_vcs);
    if (stage.reallocation_ != Reallocation::released) {
      for_each_vc(usable, [&](unsigned v) {
        if (usable_at(output, v) > now) usable = static_cast<routing::VcMask>(usable & ~(1U << v));
      });
    }
    return {true, usable};
  }
  /// First cycle in which a virtual channel that no packet holds can be allocated; `never`: not known,
  /// because a needed credit has not been sent yet.
  Cycle usable_at(const OutputPort& output, unsigned v) const {
    const FlitRing& ring = output.sender.ring(v);
    return ring.credits_at(stage.reallocation_ == Reallocation::all_credits_back ? ring.depth() : flits);
  }
  unsigned credits(const routing::RouteCandidate& candidate, routing::VcMask vcs) const {
    unsigned sum = 0;
    for_each_vc(vcs, [&](unsigned v) { sum += stage.outputs_[candidate.port].sender.ring(v).credits(now); });
    return sum;
  }
};

namespace {

VcAllocatorShape allocator_shape(const VcRouterConfig& config, const VcAllocation::Shape& shape) {
  VcAllocatorShape result;
  result.input_vcs = shape.input_vcs;
  result.ports = shape.ports;
  result.vcs = shape.most_vcs;
  result.input_arbiter = config.va_input_arbiter;
  if (config.va_requests == VaRequests::all) result.requests_of_head = shape.max_candidates;
  return result;
}

}  // namespace

VcAllocation::VcAllocation(const Parts& parts, const Shape& shape)
    : candidates_(
          parts.arena.array<routing::RouteCandidate>(std::size_t{shape.input_vcs} * shape.max_candidates)),
      max_candidates_(shape.max_candidates),
      reallocation_(parts.config.atomic_vcs                         ? Reallocation::all_credits_back
                    : parts.config.switching != Switching::wormhole ? Reallocation::packet_fits
                                                                    : Reallocation::released),
      checks_grants_(!parts.config.va_allocators.traits(parts.config.va_allocator).keeps_contract),
      allocator_(parts.config.va_allocators.make(parts.config.va_allocator, parts.arena,
                                                 allocator_shape(parts.config, shape))),
      parked_(parts.arena.array<std::uint64_t>(shape.input_vcs / 64 + 1)),
      input_vcs_(shape.input_vcs),
      config_(parts.config),
      router_(parts.router),
      seed_(parts.seed),
      pool_(parts.pool) {}

VcAllocation::Answer VcAllocation::choose(const InputVc& vc, Cycle now, Cycle& again) {
  const bool by_packet = config_.selection == Selection::random;
  const unsigned flits = reallocation_ == Reallocation::released ? 0 : pool_.at(vc.packet).flits;
  const Outputs outputs{*this, vc, now, flits};
  if (config_.va_requests == VaRequests::all) return request_all(vc, outputs, again);
  if (vc.candidates == 1) return request_only(vc, outputs, again);
  const ChoicePolicy policy{config_.selection, turn_, seed_, by_packet ? pool_.at(vc.packet).id : 0, router_};
  const OutputChoice choice = choose_candidate(candidates(vc), vc.candidates, policy, outputs);
  if (choice.candidate != nullptr) {
    allocator_->request(vc.number, choice.candidate->port, choice.vcs);
    return Answer::requested;
  }
  return park(vc, outputs, choice.dead, again);
}

/// The one candidate of a head needs no choice. Apart from choose(), which is larger when this is inlined.
[[gnu::noinline]] VcAllocation::Answer VcAllocation::request_only(const InputVc& vc, const Outputs& outputs,
                                                                  Cycle& again) {
  const routing::RouteCandidate& only = *candidates(vc);
  const OutputView view = outputs.view(only);
  if (view.vcs == 0) return park(vc, outputs, !view.open, again);
  allocator_->request(vc.number, only.port, view.vcs);
  return Answer::requested;
}

/// Requests all free virtual channels of all candidates.
VcAllocation::Answer VcAllocation::request_all(const InputVc& vc, const Outputs& outputs, Cycle& again) {
  bool dead = true, asks = false;
  for (unsigned c = 0; c < vc.candidates; ++c) {
    const routing::RouteCandidate& candidate = candidates(vc)[c];
    const OutputView view = outputs.view(candidate);
    if (view.open) dead = false;
    if (view.vcs == 0) continue;
    allocator_->request(vc.number, candidate.port, view.vcs, candidate.rank);
    asks = true;
  }
  return asks ? Answer::requested : park(vc, outputs, dead, again);
}

VcAllocation::Answer VcAllocation::park(const InputVc& vc, const Outputs& outputs, bool dead, Cycle& again) {
  if (dead && (vc.candidates == 0 || config_.dead_route == DeadRoute::drop)) return Answer::no_route;
  parked_[vc.number / 64] |= std::uint64_t{1} << (vc.number % 64);
  ++parked_count_;
  // The head is parked even if the cycle of a credit is known, because a virtual channel that is released
  // before would do as well.
  again = await_outputs(vc, outputs);
  return Answer::parked;
}

/// Watches the missing credits and failed links that prevent the allocation of free output virtual channels
/// to a parked head. Returns the earliest known cycle of a credit.
Cycle VcAllocation::await_outputs(const InputVc& vc, const Outputs& outputs) {
  Cycle first = never;
  for (unsigned c = 0; c < vc.candidates; ++c) {
    const routing::RouteCandidate& candidate = candidates(vc)[c];
    const OutputPort& output = outputs_[candidate.port];
    const bool down = output.sender.down();
    if (!down && (reallocation_ == Reallocation::released || !outputs.view(candidate).open)) continue;
    for_each_vc(candidate.vcs & output.free_vcs, [&](unsigned v) {
      const Cycle at = down ? never : outputs.usable_at(output, v);
      if (at == never) {
        ends_[candidate.port].out->watch_credit(v, input_vcs_);
      } else {
        first = std::min(first, at);
      }
    });
  }
  return first;
}

void VcAllocation::no_output(Cycle now, const InputVc& vc, const routing::RouteCandidate& candidate) const {
  throw ModelError("router " + std::to_string(router_), now, packet_name(pool_.at(vc.packet).id),
                   "its route leads to port " + std::to_string(candidate.port) + ", which has no output");
}

}  // namespace tsuji::router
