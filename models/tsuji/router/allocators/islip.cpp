// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tsuji/core/error.h"
#include "tsuji/router/allocators/kinds.h"
#include "tsuji/router/allocators/port_vc_allocator.h"
#include "tsuji/router/allocators/vc_allocator_of.h"

namespace tsuji::router {
namespace {

class IslipVcAllocator final : public VcAllocatorOf<RoundRobinBank> {
 public:
  std::string stands_for() const override { return "virtual-channel allocation by iSLIP"; }
  IslipVcAllocator(Arena& arena, const VcAllocatorShape& shape, unsigned iterations)
      : VcAllocatorOf(arena, shape), iterations_(iterations) {}

 private:
  void allocate_port(unsigned port) override {
    unsigned free = (1U << shape_.vcs) - 1U;
    for (unsigned i = 0; i < iterations_; ++i) free = iterate(port, free, i == 0);
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
      const unsigned vc = at_input_.arbitrate(request.input_vc, request.offers);
      request.offers = 0;
      grant(request, vc, first);
      free &= ~(1U << vc);
    }
    return free;
  }

  const unsigned iterations_;
};

/// iSLIP: virtual channels grant, heads accept; ranks of requests are ignored.
class IslipPortVcAllocator final : public PortVcAllocator<RoundRobinBank> {
 public:
  std::string stands_for() const override { return "virtual-channel allocation by iSLIP"; }
  IslipPortVcAllocator(Arena& arena, const VcAllocatorShape& shape, unsigned iterations)
      : PortVcAllocator(arena, shape),
        iterations_(iterations),
        taken_(arena.array<std::uint16_t>(shape.ports)) {}

 private:
  void allocate_all() override {
    for (const VcRequest& request : requests()) taken_[request.port] = 0;
    for (unsigned i = 0; i < iterations_; ++i) iterate(i == 0);
  }
  void iterate(bool first) {
    for_each_head([this](const Requests& head) {
      if (is_served(head)) return;
      for (VcRequest& request : head)
        for_each_bit(request.vcs & ~taken_[request.port], [&](unsigned vc) { compete(request, vc); });
    });
    for_each_head([this, first](const Requests& head) {
      if (!is_served(head)) accept(head, first);
    });
  }
  static bool is_served(const Requests& head) {
    return std::any_of(head.begin(), head.end(),
                       [](const VcRequest& request) { return request.granted != VcRequest::nothing; });
  }
  void accept(const Requests& head, bool first) {
    VcRequest* accepted = nullptr;
    unsigned accepted_vc = 0;
    for (VcRequest& request : head) {
      for_each_bit(request.vcs & ~taken_[request.port], [&](unsigned vc) {
        if (!takes_win(request, vc)) return;
        if (accepted != nullptr && input_rank(request, vc) >= input_rank(*accepted, accepted_vc)) return;
        accepted = &request;
        accepted_vc = vc;
      });
    }
    if (accepted == nullptr) return;
    taken_[accepted->port] = static_cast<std::uint16_t>(taken_[accepted->port] | 1U << accepted_vc);
    grant(*accepted, accepted_vc, first);
  }

  const unsigned iterations_;
  std::uint16_t* taken_;  ///< [port]: mask of virtual channels granted and accepted
};

class IslipSwitchAllocator final : public SwitchAllocator {
 public:
  std::string stands_for() const override { return "switch allocation by iSLIP"; }
  IslipSwitchAllocator(Arena& arena, const SwitchShape& shape, unsigned iterations)
      : SwitchAllocator(arena, shape),
        iterations_(iterations),
        granted_(arena.array<std::uint64_t>(shape.inputs)) {}

 private:
  static constexpr std::uint64_t bit(unsigned line) { return std::uint64_t{1} << line; }
  struct Free {
    std::uint64_t inputs = ~std::uint64_t{0}, outputs = ~std::uint64_t{0};
  };

  void match() override {
    Free free;
    for (unsigned i = 0; i < iterations_; ++i) iterate(free, i == 0);
  }
  /// One iteration over the inputs and outputs that are still unmatched.
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
  std::uint64_t* granted_;  ///< [input]: mask of outputs that grant to it
};

}  // namespace

void IslipConfig::add_keys(config::KeyTable& keys) {
  keys.add("router.islip_iterations", islip_iterations, {1, 64}, "",
           "iterations of the iSLIP allocators in each cycle");
}

void IslipConfig::validate() const {
  if (islip_iterations == 0)
    throw ConfigError("router.islip_iterations", "0", "nothing would be granted", "at least 1");
}

ArenaPtr<VcAllocator> IslipConfig::make(Arena& arena, const VcAllocatorShape& shape) const {
  if (shape.input_arbiter == VaInputArbiter::ports_and_vcs)
    return make_in<IslipPortVcAllocator>(arena, arena, shape, islip_iterations);
  return make_in<IslipVcAllocator>(arena, arena, shape, islip_iterations);
}

ArenaPtr<SwitchAllocator> IslipConfig::make(Arena& arena, const SwitchShape& shape) const {
  return make_in<IslipSwitchAllocator>(arena, arena, shape, islip_iterations);
}

void add_islip(VcAllocatorKinds& kinds) {
  kinds.add<IslipConfig>("islip", {0, true});
}

void add_islip(SwitchAllocatorKinds& kinds) {
  kinds.add<IslipConfig>("islip", {0, true});
}

}  // namespace tsuji::router
