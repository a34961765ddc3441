// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/switch_allocator.h"

#include "tsuji/core/error.h"
#include "tsuji/router/output_switch_allocator.h"

namespace tsuji::router {
namespace {

constexpr std::uint64_t bit(unsigned line) {
  return std::uint64_t{1} << line;
}

class IslipSwitchAllocator final : public SwitchAllocator {
 public:
  IslipSwitchAllocator(Arena& arena, const SwitchShape& shape)
      : SwitchAllocator(arena, shape),
        iterations_(shape.iterations),
        granted_(arena.array<std::uint64_t>(shape.inputs)) {}

 private:
  struct Free {
    std::uint64_t inputs = ~std::uint64_t{0}, outputs = ~std::uint64_t{0};
  };

  void match() override {
    Free free;
    for (unsigned i = 0; i < iterations_; ++i) iterate(free, i == 0);
  }
  /// One iteration among those inputs and outputs that are still free.
  void iterate(Free& free, bool first) {
    std::uint64_t inputs = 0;
    for_each_bit(wanted_ & free.outputs, [&](unsigned output) {
      const std::uint64_t wishes = outputs_[output].wishes & free.inputs;
      if (wishes == 0) return;
      const unsigned input = first_of(wishes, outputs_[output].next);
      granted_[input] |= bit(output);
      inputs |= bit(input);
    });
    for_each_bit(inputs, [&](unsigned input) {
      const unsigned output = first_after(granted_[input], inputs_[input].last_output);
      granted_[input] = 0;
      const unsigned vc = first_after(vcs_of(input, output), inputs_[input].last_vc);
      inputs_[input].last_vc = static_cast<std::uint8_t>(vc);
      if (first) {
        inputs_[input].last_output = static_cast<std::uint8_t>(output);
        outputs_[output].next = lines_above(input);
      }
      free.inputs &= ~bit(input);
      free.outputs &= ~bit(output);
      grant(input, output, vc);
    });
  }

  const unsigned iterations_;
  std::uint64_t* granted_;  ///< per input: outputs that grant to it
};

template <class Bank>
class SeparableSwitchAllocator final : public SwitchAllocator {
 public:
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
      chosen_[input] = static_cast<std::uint8_t>(input_bank_.pick(input, wanted_vcs_[input]));
      wanted_vcs_[input] = 0;
    });
    for_each_bit(wanted_, [&](unsigned output) {
      std::uint64_t wishes = 0;
      for_each_bit(outputs_[output].wishes, [&](unsigned input) {
        if ((vcs_of(input, output) >> chosen_[input] & 1U) != 0) wishes |= bit(input);
      });
      if (wishes == 0) return;
      const unsigned input = output_bank_.pick(output, wishes);
      output_bank_.served(output, input);
      input_bank_.served(input, chosen_[input]);
      grant(input, output, chosen_[input]);
    });
  }

  Bank input_bank_, output_bank_;
  std::uint16_t* wanted_vcs_;  ///< per input: its virtual channels that want anything
  std::uint8_t* chosen_;       ///< per input
};

}  // namespace

SwitchAllocator::SwitchAllocator(Arena& arena, const SwitchShape& shape)
    : inputs_count_(shape.inputs),
      outputs_(arena.array<Output>(shape.outputs)),
      inputs_(arena.array<Input>(shape.inputs)),
      vcs_of_(arena.array<std::uint16_t>(std::size_t{shape.inputs} * shape.outputs)),
      grants_(arena.array<SwitchGrant>(shape.outputs)) {
  // Line 0 goes first at the beginning: no output and no input has others that it prefers.
  for (unsigned i = 0; i < shape.inputs; ++i)
    inputs_[i] = {static_cast<std::uint8_t>(shape.outputs - 1), static_cast<std::uint8_t>(shape.vcs - 1)};
  if (shape.inputs > 64 || shape.outputs > 64) throw ModelError("switch allocator", "more than 64 lines");
}

namespace {

template <class Bank>
ArenaPtr<SwitchAllocator> make_separable(Arena& arena, const SwitchShape& shape) {
  if (shape.input_arbiter == SaInputArbiter::outputs)
    return make_in<OutputSwitchAllocator<Bank>>(arena, arena, shape);
  return make_in<SeparableSwitchAllocator<Bank>>(arena, arena, shape);
}

}  // namespace

ArenaPtr<SwitchAllocator> make_switch_allocator(Arena& arena, AllocatorKind kind, const SwitchShape& shape) {
  switch (kind) {
    case AllocatorKind::matrix:
      if (shape.matrix_first == FirstLine::highest)
        return make_separable<HighestFirstMatrixBank>(arena, shape);
      return make_separable<MatrixBank>(arena, shape);
    case AllocatorKind::islip:
      return make_in<IslipSwitchAllocator>(arena, arena, shape);
    case AllocatorKind::separable:
      break;
  }
  return make_separable<RoundRobinBank>(arena, shape);
}

}  // namespace tsuji::router
