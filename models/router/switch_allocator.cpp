#include "router/switch_allocator.h"

#include "core/error.h"
#include "router/arbiter.h"

namespace tsuji::router {
namespace {

template <class Visit>
void for_each_bit(std::uint64_t bits, const Visit& visit) {
  for (; bits != 0; bits &= bits - 1) visit(static_cast<unsigned>(__builtin_ctzll(bits)));
}

constexpr std::uint64_t bit(unsigned line) {
  return std::uint64_t{1} << line;
}

class IslipSwitchAllocator final : public SwitchAllocator {
 public:
  explicit IslipSwitchAllocator(const SwitchShape& shape)
      : SwitchAllocator(shape), at_output_(shape.outputs, shape.inputs), at_input_(shape.inputs, shape.outputs),
        at_vc_(shape.inputs, shape.vcs), granted_(shape.inputs) {}

  const std::vector<SwitchGrant>& allocate() override {
    grants_.clear();
    Free free;
    for (unsigned i = 0; i < shape_.iterations; ++i) iterate(free, i == 0);
    return grants_;
  }

 private:
  struct Free {
    std::uint64_t inputs = ~std::uint64_t{0}, outputs = ~std::uint64_t{0};
  };

  /// One iteration among those inputs and outputs that are still free.
  void iterate(Free& free, bool first) {
    std::uint64_t* const granted = granted_.data();
    const std::uint64_t* const wishing = inputs_of_.data();
    std::uint64_t inputs = 0;
    for_each_bit(outputs_ & free.outputs, [&](unsigned output) {
      const std::uint64_t wishes = wishing[output] & free.inputs;
      if (wishes == 0) return;
      const unsigned input = at_output_.pick(output, wishes);
      granted[input] |= bit(output);
      inputs |= bit(input);
    });
    for_each_bit(inputs, [&](unsigned input) {
      const unsigned output = at_input_.pick(input, granted[input]);
      granted[input] = 0;
      const unsigned vc = at_vc_.pick(input, vcs_of(input, output));
      at_vc_.served(input, vc);
      if (first) {
        at_input_.served(input, output);
        at_output_.served(output, input);
      }
      free.inputs &= ~bit(input);
      free.outputs &= ~bit(output);
      grant(input, output, vc);
    });
  }

  RoundRobinBank at_output_, at_input_, at_vc_;
  std::vector<std::uint64_t> granted_;  ///< per input: outputs that grant to it
};

template <class Bank>
class SeparableSwitchAllocator final : public SwitchAllocator {
 public:
  explicit SeparableSwitchAllocator(const SwitchShape& shape)
      : SwitchAllocator(shape), at_input_(shape.inputs, shape.vcs), at_output_(shape.outputs, shape.inputs),
        vcs_(shape.inputs), chosen_(shape.inputs) {}

  const std::vector<SwitchGrant>& allocate() override {
    grants_.clear();
    std::uint64_t inputs = 0;
    for_each_bit(outputs_, [&](unsigned output) {
      inputs |= inputs_of_[output];
      for_each_bit(inputs_of_[output], [&](unsigned input) {
        vcs_[input] = static_cast<std::uint16_t>(vcs_[input] | vcs_of(input, output));
      });
    });
    for_each_bit(inputs, [&](unsigned input) {
      chosen_[input] = static_cast<std::uint8_t>(at_input_.pick(input, vcs_[input]));
      vcs_[input] = 0;
    });
    for_each_bit(outputs_, [&](unsigned output) {
      std::uint64_t wishes = 0;
      for_each_bit(inputs_of_[output], [&](unsigned input) {
        if ((vcs_of(input, output) >> chosen_[input] & 1U) != 0) wishes |= bit(input);
      });
      if (wishes == 0) return;
      const unsigned input = at_output_.pick(output, wishes);
      at_output_.served(output, input);
      at_input_.served(input, chosen_[input]);
      grant(input, output, chosen_[input]);
    });
    return grants_;
  }

 private:
  Bank at_input_, at_output_;
  std::vector<std::uint16_t> vcs_;
  std::vector<std::uint8_t> chosen_;
};

}  // namespace

SwitchAllocator::SwitchAllocator(const SwitchShape& shape)
    : shape_(shape), inputs_of_(shape.outputs), vcs_of_(static_cast<std::size_t>(shape.inputs) * shape.outputs) {
  if (shape.inputs > 64 || shape.outputs > 64) throw ModelError("switch allocator", "more than 64 lines");
  grants_.reserve(shape.outputs);
}

std::unique_ptr<SwitchAllocator> make_switch_allocator(AllocatorKind kind, const SwitchShape& shape) {
  switch (kind) {
    case AllocatorKind::matrix:
      return std::make_unique<SeparableSwitchAllocator<MatrixBank>>(shape);
    case AllocatorKind::islip:
      return std::make_unique<IslipSwitchAllocator>(shape);
    case AllocatorKind::separable:
      break;
  }
  return std::make_unique<SeparableSwitchAllocator<RoundRobinBank>>(shape);
}

}  // namespace tsuji::router
