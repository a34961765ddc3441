// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tsuji/router/allocators/kinds.h"
#include "tsuji/router/allocators/output_switch_allocator.h"
#include "tsuji/router/allocators/port_vc_allocator.h"
#include "tsuji/router/allocators/vc_allocator_of.h"

namespace tsuji::router {
namespace {

template <class Bank>
class SeparableVcAllocator final : public VcAllocatorOf<Bank> {
 public:
  std::string stands_for() const override { return "separable virtual-channel allocation, input first"; }
  using VcAllocatorOf<Bank>::VcAllocatorOf;

 private:
  void allocate_port(unsigned port) override {
    unsigned wanted = 0;
    for (VcRequest& request : this->requests()) {
      if (request.port != port) continue;
      request.offers =
          static_cast<std::uint16_t>(1U << this->at_input_.arbitrate(request.input_vc, request.vcs));
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

/// Input first: each head selects a virtual channel among those of its best rank, then each virtual channel
/// selects a head.
template <class Bank>
class SeparablePortVcAllocator final : public PortVcAllocator<Bank> {
 public:
  std::string stands_for() const override { return "separable virtual-channel allocation, input first"; }
  using PortVcAllocator<Bank>::PortVcAllocator;

 private:
  using Requests = VcAllocator::Requests;

  void allocate_all() override {
    this->for_each_head([this](const Requests& requests) { choose(requests); });
    for (VcRequest& request : this->requests()) {
      for_each_bit(request.offers, [&](unsigned vc) {
        if (this->takes_win(request, vc)) this->grant(request, vc, true);
      });
    }
  }
  void choose(const Requests& requests) {
    unsigned best_rank = ~0U;
    for (const VcRequest& request : requests) best_rank = std::min<unsigned>(best_rank, request.offers);
    VcRequest* chosen = nullptr;
    unsigned chosen_vc = 0;
    for (VcRequest& request : requests) {
      const bool best = std::exchange(request.offers, std::uint16_t{0}) == best_rank;
      if (!best) continue;
      for_each_bit(request.vcs, [&](unsigned vc) {
        if (chosen != nullptr && this->input_rank(request, vc) >= this->input_rank(*chosen, chosen_vc))
          return;
        chosen = &request;
        chosen_vc = vc;
      });
    }
    chosen->offers = static_cast<std::uint16_t>(1U << chosen_vc);
    this->compete(*chosen, chosen_vc);
  }
};

template <class Bank>
class SeparableSwitchAllocator final : public SwitchAllocator {
 public:
  std::string stands_for() const override { return "separable switch allocation, input first"; }
  SeparableSwitchAllocator(Arena& arena, const SwitchShape& shape)
      : SwitchAllocator(arena, shape),
        input_bank_(arena, shape.inputs, shape.vcs),
        output_bank_(arena, shape.outputs, shape.inputs),
        wanted_vcs_(arena.array<std::uint16_t>(shape.inputs)),
        chosen_(arena.array<std::uint8_t>(shape.inputs)) {}

 private:
  void match() override {
    std::uint64_t inputs = 0;
    for_each_bit(wanted_, [&](unsigned output) {
      inputs |= outputs_[output].wishes;
      for_each_bit(outputs_[output].wishes, [&](unsigned input) {
        wanted_vcs_[input] = static_cast<std::uint16_t>(wanted_vcs_[input] | vcs_of(input, output));
      });
    });
    for_each_bit(inputs, [&](unsigned input) {
      chosen_[input] = static_cast<std::uint8_t>(input_bank_.arbitrate(input, wanted_vcs_[input]));
      wanted_vcs_[input] = 0;
    });
    for_each_bit(wanted_, [&](unsigned output) {
      std::uint64_t wishes = 0;
      for_each_bit(outputs_[output].wishes, [&](unsigned input) {
        if ((vcs_of(input, output) >> chosen_[input] & 1U) != 0) wishes |= std::uint64_t{1} << input;
      });
      if (wishes == 0) return;
      const unsigned input = output_bank_.arbitrate(output, wishes);
      output_bank_.served(output, input);
      input_bank_.served(input, chosen_[input]);
      grant(input, output, chosen_[input]);
    });
  }

  Bank input_bank_, output_bank_;
  std::uint16_t* wanted_vcs_;  ///< [input]: mask of its virtual channels with a request
  std::uint8_t* chosen_;       ///< per input
};

template <class Bank>
ArenaPtr<VcAllocator> make_with(Arena& arena, const VcAllocatorShape& shape) {
  if (shape.input_arbiter == VaInputArbiter::ports_and_vcs)
    return make_in<SeparablePortVcAllocator<Bank>>(arena, arena, shape);
  return make_in<SeparableVcAllocator<Bank>>(arena, arena, shape);
}

template <class Bank>
ArenaPtr<SwitchAllocator> make_with(Arena& arena, const SwitchShape& shape, SaInputArbiter input_arbiter) {
  if (input_arbiter == SaInputArbiter::outputs)
    return make_in<OutputSwitchAllocator<Bank>>(arena, arena, shape);
  return make_in<SeparableSwitchAllocator<Bank>>(arena, arena, shape);
}

struct SeparableVcConfig {
  ArenaPtr<VcAllocator> make(Arena& arena, const VcAllocatorShape& shape) const {
    return make_with<RoundRobinBank>(arena, shape);
  }
};

void add_first_line(config::KeyTable& keys, FirstLine& matrix_first) {
  keys.add_choice(
      "router.matrix_first", matrix_first, {{"lowest", FirstLine::lowest}, {"highest", FirstLine::highest}},
      "requester that a matrix arbiter prefers before its first grant: the lowest or the highest index");
}

}  // namespace

void MatrixVcConfig::add_keys(config::KeyTable& keys) {
  add_first_line(keys, matrix_first);
}

ArenaPtr<VcAllocator> MatrixVcConfig::make(Arena& arena, const VcAllocatorShape& shape) const {
  if (matrix_first == FirstLine::highest) return make_with<HighestFirstMatrixBank>(arena, shape);
  return make_with<MatrixBank>(arena, shape);
}

void SeparableSwitchConfig::add_keys(config::KeyTable& keys) {
  keys.add_choice("router.sa_input_arbiter", sa_input_arbiter,
                  {{"vcs", SaInputArbiter::vcs}, {"outputs", SaInputArbiter::outputs}},
                  "requests among which an input arbiter of a separable or matrix switch allocator chooses; "
                  "vcs: the virtual channels of the input; outputs: the output ports, each represented by a "
                  "virtual channel chosen by round robin");
  add_first_line(keys, matrix_first);
}

ArenaPtr<SwitchAllocator> SeparableSwitchConfig::make_separable(Arena& arena,
                                                                const SwitchShape& shape) const {
  return make_with<RoundRobinBank>(arena, shape, sa_input_arbiter);
}

ArenaPtr<SwitchAllocator> SeparableSwitchConfig::make_matrix(Arena& arena, const SwitchShape& shape) const {
  if (matrix_first == FirstLine::highest)
    return make_with<HighestFirstMatrixBank>(arena, shape, sa_input_arbiter);
  return make_with<MatrixBank>(arena, shape, sa_input_arbiter);
}

// Matrix arbiters remember the order of every two lines.

void add_separable(VcAllocatorKinds& kinds) {
  kinds.add<SeparableVcConfig>("separable", {0, true});
  kinds.add<MatrixVcConfig>("matrix", {1.5, true});
}

void add_separable(SwitchAllocatorKinds& kinds) {
  using P = SeparableSwitchConfig;
  kinds.add<P>({{"separable", &P::make_separable, "sa_input_arbiter", {0, true}},
                {"matrix", &P::make_matrix, "sa_input_arbiter matrix_first", {0.8, true}}});
}

}  // namespace tsuji::router
