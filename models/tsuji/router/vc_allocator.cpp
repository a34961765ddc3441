// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/vc_allocator.h"

#include <type_traits>

#include "tsuji/core/error.h"
#include "tsuji/router/port_vc_allocator.h"

namespace tsuji::router {
namespace {

/// Output virtual channels choose among inputs first or last; both kinds keep one arbiter a virtual channel
/// and one an input. A head requests channels of one output port a cycle, so ports do not meet.
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
  void settle_alone(VcRequest& request) final {
    grant(request, at_input_.pick(request.input_vc, request.vcs), true);
  }
  void settle_all() final {
    std::uint64_t wanted = 0, shared = 0;
    for (const VcRequest& request : requests()) {
      const std::uint64_t port = std::uint64_t{1} << request.port;
      shared |= wanted & port;
      wanted |= port;
    }
    for (VcRequest& request : requests()) {
      const std::uint64_t port = std::uint64_t{1} << request.port;
      if ((shared & port) == 0) {
        settle_one(request);
      } else if ((wanted & port) != 0) {
        settle(request.port);
        wanted &= ~port;  // with the first request at this port all are settled
      }
    }
  }
  /// All heads that want `port`; there are several.
  virtual void settle(unsigned port) = 0;

  void grant(VcRequest& request, unsigned vc, bool move_pointers) {
    request.granted = static_cast<std::uint8_t>(vc);
    if (!move_pointers) return;
    at_input_.served(request.input_vc, vc);
    at_vc_.served(output_vc(request, vc), request.input_vc);
  }
  /// Of the requests at `port` for which wants(request) holds, the one that virtual channel `vc` prefers.
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

class IslipVcAllocator final : public VcAllocatorOf<RoundRobinBank> {
 public:
  using VcAllocatorOf::VcAllocatorOf;

 private:
  void settle(unsigned port) override {
    unsigned free = (1U << shape_.vcs) - 1U;
    for (unsigned i = 0; i < shape_.iterations; ++i) free = iterate(port, free, i == 0);
  }
  unsigned iterate(unsigned port, unsigned free, bool first) {
    for (unsigned vc = 0; vc < shape_.vcs; ++vc) {
      if ((free >> vc & 1U) == 0) continue;
      VcRequest* best = preferred(port, vc, [vc](const VcRequest& request) {
        return request.granted == VcRequest::nothing && (request.vcs >> vc & 1U) != 0;
      });
      if (best != nullptr) best->offers = static_cast<std::uint16_t>(best->offers | 1U << vc);
    }
    for (VcRequest& request : requests()) {
      if (request.port != port || request.offers == 0) continue;
      const unsigned vc = at_input_.pick(request.input_vc, request.offers);
      request.offers = 0;
      grant(request, vc, first);
      free &= ~(1U << vc);
    }
    return free;
  }
};

template <class Bank>
class SeparableVcAllocator final : public VcAllocatorOf<Bank> {
 public:
  using VcAllocatorOf<Bank>::VcAllocatorOf;

 private:
  void settle(unsigned port) override {
    unsigned wanted = 0;
    for (VcRequest& request : this->requests()) {
      if (request.port != port) continue;
      request.offers = static_cast<std::uint16_t>(1U << this->at_input_.pick(request.input_vc, request.vcs));
      wanted |= request.offers;
    }
    for (unsigned vc = 0; vc < this->shape_.vcs; ++vc) {
      if ((wanted >> vc & 1U) == 0) continue;
      VcRequest* best = this->preferred(
          port, vc, [vc](const VcRequest& request) { return (request.offers >> vc & 1U) != 0; });
      this->grant(*best, vc, true);
    }
  }
};

template <class Bank>
ArenaPtr<VcAllocator> make_separable(Arena& arena, const VcAllocatorShape& shape) {
  if (shape.input_arbiter == VaInputArbiter::ports_and_vcs)
    return make_in<SeparablePortVcAllocator<Bank>>(arena, arena, shape);
  return make_in<SeparableVcAllocator<Bank>>(arena, arena, shape);
}

}  // namespace

VcAllocator::VcAllocator(Arena& arena, const VcAllocatorShape& shape)
    : shape_(shape),
      requests_(arena.array<VcRequest>(std::size_t{shape.input_vcs} * shape.requests_of_head)) {
  if (shape.ports > 64) throw ModelError("virtual-channel allocator", "more than 64 ports");
}

ArenaPtr<VcAllocator> make_vc_allocator(Arena& arena, AllocatorKind kind, const VcAllocatorShape& shape) {
  switch (kind) {
    case AllocatorKind::matrix:
      if (shape.matrix_first == FirstLine::highest)
        return make_separable<HighestFirstMatrixBank>(arena, shape);
      return make_separable<MatrixBank>(arena, shape);
    case AllocatorKind::islip:
      if (shape.input_arbiter == VaInputArbiter::ports_and_vcs)
        return make_in<IslipPortVcAllocator>(arena, arena, shape);
      return make_in<IslipVcAllocator>(arena, arena, shape);
    case AllocatorKind::separable:
      break;
  }
  return make_separable<RoundRobinBank>(arena, shape);
}

}  // namespace tsuji::router
