// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/switch_allocator_kinds.h"

namespace example {

using namespace tsuji;
using namespace tsuji::router;

namespace {

/// Each output goes to the lowest input that wants it and has no other grant.
class LowestInput final : public SwitchAllocator {
 public:
  using SwitchAllocator::SwitchAllocator;

 private:
  void match() override {
    std::uint64_t free = ~std::uint64_t{0};
    for_each_bit(wanted_, [&](unsigned output) {
      const std::uint64_t wishes = outputs_[output].wishes & free;
      if (wishes == 0) return;
      const unsigned input = first_of(wishes, 0);
      free &= ~(std::uint64_t{1} << input);
      grant(input, output, first_of(vcs_of(input, output), 0));
    });
  }
};

struct LowestInputConfig {
  ArenaPtr<SwitchAllocator> make(Arena& arena, const SwitchShape& shape) const {
    return make_in<LowestInput>(arena, arena, shape);
  }
};

}  // namespace

void add_lowest_input(SwitchAllocatorKinds& kinds) {
  kinds.add<LowestInputConfig>("lowest_input");
}

}  // namespace example
