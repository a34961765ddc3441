// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/router/allocators/kinds.h"

namespace tsuji::router {
namespace {

/// Separable output-first switch allocator between classes of messages. An output chooses a set of virtual
/// channels by its ClassArbiter, and by round robin an input that requests it for this set, so that the link
/// is shared as the classes' weights say. Of the outputs that have chosen an input, it accepts one of the set
/// that its own ClassArbiter chooses, by round robin. A grant moves all arbiters that took part.
class ClassSwitchAllocator final : public SwitchAllocator {
 public:
  std::string stands_for() const override {
    return "separable switch allocation between classes of messages, output first";
  }
  ClassSwitchAllocator(Arena& arena, const SwitchShape& shape, const ClassPolicy& policy)
      : SwitchAllocator(arena, shape),
        policy_(policy),
        at_input_(shape.inputs, Arbiter(policy)),
        at_output_(shape.outputs, Arbiter(policy)),
        offers_(shape.inputs),
        offered_set_(shape.outputs) {}

 private:
  /// Arbiter between sets, and the line served last in each set.
  struct Arbiter {
    explicit Arbiter(const ClassPolicy& policy) : sets(policy) { last.fill(63); }
    ClassArbiter sets;
    std::array<std::uint8_t, ClassPolicy::most_sets> last{};
  };

  void match() override {
    std::uint64_t inputs = 0;
    for_each_bit(wanted_, [&](unsigned output) { inputs |= std::uint64_t{1} << offer(output); });
    for_each_bit(inputs, [this](unsigned input) { accept(input); });
  }
  /// Returns the input that an output chooses.
  unsigned offer(unsigned output) {
    unsigned sets = 0;
    std::array<std::uint64_t, ClassPolicy::most_sets> inputs_of{};
    for_each_bit(outputs_[output].wishes, [&](unsigned input) {
      for_each_bit(vcs_of(input, output), [&](unsigned vc) {
        const unsigned set = policy_.set_of_vc[vc];
        sets |= 1U << set;
        inputs_of.at(set) |= std::uint64_t{1} << input;
      });
    });
    const Arbiter& arbiter = at_output_[output];
    const unsigned set = arbiter.sets.choose(policy_, sets);
    const unsigned input = first_after(inputs_of.at(set), arbiter.last[set]);
    offers_[input] |= std::uint64_t{1} << output;
    offered_set_[output] = static_cast<std::uint8_t>(set);
    return input;
  }
  void accept(unsigned input) {
    unsigned sets = 0;
    std::array<std::uint64_t, ClassPolicy::most_sets> outputs_of{};
    for_each_bit(std::exchange(offers_[input], 0), [&](unsigned output) {
      sets |= 1U << offered_set_[output];
      outputs_of.at(offered_set_[output]) |= std::uint64_t{1} << output;
    });
    Arbiter& arbiter = at_input_[input];
    const unsigned set = arbiter.sets.choose(policy_, sets);
    const unsigned output = first_after(outputs_of.at(set), arbiter.last[set]);
    const unsigned vc = first_after(vcs_of(input, output) & policy_.vcs[set], inputs_[input].last_vc);
    arbiter.sets.served(policy_, set);
    arbiter.last[set] = static_cast<std::uint8_t>(output);
    at_output_[output].sets.served(policy_, set);
    at_output_[output].last[set] = static_cast<std::uint8_t>(input);
    inputs_[input].last_vc = static_cast<std::uint8_t>(vc);
    grant(input, output, vc);
  }

  const ClassPolicy policy_;
  std::vector<Arbiter> at_input_, at_output_;
  std::vector<std::uint64_t> offers_;      ///< [input]: outputs that have chosen it
  std::vector<std::uint8_t> offered_set_;  ///< [output]: set that it has chosen
};

}  // namespace

ArenaPtr<SwitchAllocator> ClassSwitchConfig::make(Arena& arena, const SwitchShape& shape) const {
  return make_in<ClassSwitchAllocator>(arena, arena, shape, policy);
}

void add_class_arbiters(SwitchAllocatorKinds& kinds) {
  using P = ClassSwitchConfig;
  kinds.add<P>(
      {{"strict_priority", &P::make, "", {0, true}}, {"weighted_round_robin", &P::make, "", {0, true}}});
}

}  // namespace tsuji::router
