// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/wait_chain.h"

#include <algorithm>

namespace tsuji::instruments {
namespace {

using router::VcState;
using router::VcView;

bool same(const WaitChain::Place& a, const WaitChain::Place& b) {
  return a.port == b.port && a.vc == b.vc;
}

bool holds(const VcView& view, const routing::RouteCandidate& candidate) {
  return view.state == VcState::active && view.out_port == candidate.port &&
         (candidate.vcs >> view.out_vc & 1U) != 0;
}

bool is_down(const router::FlitRouter& router, unsigned port) {
  const FlitChannel* const out = router.port(port).out;
  return out != nullptr && out->down();
}

}  // namespace

const char* name_of(WaitReason reason) {
  switch (reason) {
    case WaitReason::routing:
      return "routing";
    case WaitReason::no_vc:
      return "no_vc";
    case WaitReason::no_credit:
      return "no_credit";
    case WaitReason::link_down:
      return "link_down";
    case WaitReason::no_flit:
      return "no_flit";
    case WaitReason::node:
      return "node";
    case WaitReason::none:
      break;
  }
  return "requests the switch";
}

std::string WaitChain::text(const Place& place) {
  return std::to_string(place.port.router) + ":" + std::to_string(place.port.port) + ":" +
         std::to_string(place.vc);
}

std::optional<WaitChain::Place> WaitChain::after(graph::RouterId id, unsigned out_port,
                                                 unsigned out_vc) const {
  const graph::Topology::Far& far = network_.far(id, out_port);
  if (far.kind != graph::Topology::Far::Kind::router) return std::nullopt;
  return Place{far.at, out_vc};
}

std::optional<WaitChain::Place> WaitChain::holder_of_vc(const Place& place) const {
  const std::vector<routing::RouteCandidate> candidates = router(place).candidates(place.port.port, place.vc);
  for (const routing::RouteCandidate& candidate : candidates) {
    for (unsigned port = 0; port < router(place).ports(); ++port)
      for (unsigned vc = 0; vc < router(place).vcs(port); ++vc)
        if (holds(router(place).view(port, vc), candidate)) return Place{{place.port.router, port}, vc};
  }
  // A virtual channel that is free is not taken before the buffer after it has room, or is empty.
  for (const routing::RouteCandidate& candidate : candidates) {
    if (candidate.vcs == 0 || is_down(router(place), candidate.port)) continue;
    const auto vc = static_cast<unsigned>(__builtin_ctz(candidate.vcs));
    if (std::optional<Place> next = after(place.port.router, candidate.port, vc)) return next;
  }
  return std::nullopt;
}

WaitReason WaitChain::reason_of_vc(const Place& place) const {
  const std::vector<routing::RouteCandidate> candidates = router(place).candidates(place.port.port, place.vc);
  const bool down = std::all_of(candidates.begin(), candidates.end(), [&](const auto& candidate) {
    return is_down(router(place), candidate.port);
  });
  return down ? WaitReason::link_down : WaitReason::no_vc;
}

std::optional<WaitLink> WaitChain::at(const Place& place, Cycle last) const {
  const VcView view = router(place).view(place.port.port, place.vc);
  if (view.state == VcState::idle) return std::nullopt;
  WaitLink link{pool_.at(view.packet).id, place, WaitReason::routing, {}};
  if (view.state == VcState::waiting) {
    link.reason = reason_of_vc(place);
    if (link.reason == WaitReason::no_vc) link.held_by = holder_of_vc(place);
  } else if (view.state == VcState::active) {
    const FlitChannel& out = *router(place).port(view.out_port).out;
    const bool has_credit = out.ring(view.out_vc).credit_at() <= last + 1;
    link.reason = !view.has_flit ? WaitReason::no_flit
                  : has_credit   ? WaitReason::none
                                 : WaitReason::no_credit;
    if (link.reason == WaitReason::no_credit) {
      link.held_by = after(place.port.router, view.out_port, view.out_vc);
      if (!link.held_by) link.reason = WaitReason::node;
    }
  }
  return link;
}

std::vector<WaitLink> WaitChain::from(const Place& place, Cycle last, std::size_t most) const {
  std::vector<WaitLink> chain;
  std::optional<Place> next = place;
  while (next && chain.size() < most) {
    const bool seen = std::any_of(chain.begin(), chain.end(),
                                  [&](const WaitLink& before) { return same(before.place, *next); });
    const std::optional<WaitLink> link = at(*next, last);
    if (!link) break;
    chain.push_back(*link);
    if (seen) break;
    next = link->held_by;
  }
  return chain;
}

std::string WaitChain::wanted(const Place& place) const {
  std::string text;
  for (const routing::RouteCandidate& candidate : router(place).candidates(place.port.port, place.vc)) {
    for (unsigned vcs = candidate.vcs; vcs != 0; vcs &= vcs - 1)
      text += (text.empty() ? "" : " ") + std::to_string(candidate.port) + ":" +
              std::to_string(__builtin_ctz(vcs));
  }
  return text;
}

}  // namespace tsuji::instruments
