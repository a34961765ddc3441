// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "tsuji/router/vc_allocator.h"

namespace tsuji::router {

/// Base of virtual-channel allocators with one arbiter per output virtual channel and one per input. A head
/// requests channels of one output port per cycle, so ports are independent. Derived classes let outputs or
/// inputs choose first.
template <class Bank>
class VcAllocatorOf : public VcAllocator {
 public:
  VcAllocatorOf(Arena& arena, const VcAllocatorShape& shape)
      : VcAllocator(arena, shape),
        at_vc_(arena, shape.ports * shape.vcs, shape.input_vcs),
        at_input_(arena, shape.input_vcs, shape.vcs) {
    if constexpr (std::is_same_v<Bank, RoundRobinBank>) {
      round_robin_inputs_ = &at_input_;
      round_robin_vcs_ = &at_vc_;
    }
  }

 protected:
  void allocate_alone(VcRequest& request) final {
    grant(request, at_input_.arbitrate(request.input_vc, request.vcs), true);
  }
  void allocate_all() final {
    std::uint64_t wanted = 0, shared = 0;
    for (const VcRequest& request : requests()) {
      const std::uint64_t port = std::uint64_t{1} << request.port;
      shared |= wanted & port;
      wanted |= port;
    }
    for (VcRequest& request : requests()) {
      const std::uint64_t port = std::uint64_t{1} << request.port;
      if ((shared & port) == 0) {
        allocate_one(request);
      } else if ((wanted & port) != 0) {
        allocate_port(request.port);
        wanted &= ~port;  // the first request at this port decides on all of them
      }
    }
  }
  /// Decides on all requests for `port`; there are at least two.
  virtual void allocate_port(unsigned port) = 0;

  void grant(VcRequest& request, unsigned vc, bool move_pointers) {
    request.granted = static_cast<std::uint8_t>(vc);
    if (!move_pointers) return;
    at_input_.served(request.input_vc, vc);
    at_vc_.served(output_vc(request, vc), request.input_vc);
  }
  /// The request at `port`, among those with wants(request), that virtual channel `vc` prefers.
  template <class Wants>
  VcRequest* preferred(unsigned port, unsigned vc, const Wants& wants) {
    VcRequest* best = nullptr;
    unsigned best_rank = 0;
    for (VcRequest& request : requests()) {
      if (request.port != port || !wants(request)) continue;
      const unsigned rank = at_vc_.rank(output_vc(request, vc), request.input_vc);
      if (best != nullptr && rank >= best_rank) continue;
      best = &request;
      best_rank = rank;
    }
    return best;
  }

  Bank at_vc_, at_input_;
};

}  // namespace tsuji::router
