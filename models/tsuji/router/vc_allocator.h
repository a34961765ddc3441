// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "tsuji/router/arbiter.h"

namespace tsuji::router {

/// Lines of the input arbiters of a virtual-channel allocator: the virtual channels of the port that a head
/// requests, or those of all output ports.
enum class VaInputArbiter : std::uint8_t { vcs, ports_and_vcs };

struct VcAllocatorShape {
  unsigned input_vcs = 0;  ///< of all input ports
  unsigned ports = 0;      ///< output ports
  unsigned vcs = 0;        ///< of an output port, at most 16
  VaInputArbiter input_arbiter = VaInputArbiter::vcs;
  unsigned requests_of_head = 1;  ///< at most, in a cycle; above 1 with ports_and_vcs only
};

/// A head that wants one of some virtual channels of an output port; `granted` is the answer.
struct VcRequest {
  static constexpr std::uint8_t nothing = 0xff;
  std::uint16_t input_vc = 0;
  std::uint8_t port = 0;
  std::uint8_t granted = nothing;
  std::uint16_t vcs = 0;
  std::uint16_t offers = 0;  ///< the allocator's own notes; at first the rank among the head's requests
};

/// Virtual-channel allocation of one cycle: a head gets at most one virtual channel, a virtual channel at
/// most one head.
///
/// Contract: allocate() calls settle_alone() or settle_all(), which set VcRequest::granted to one of the
/// request's virtual channels, or leave it. A router refuses any other grant, unless
/// VcAllocatorTraits::keeps_contract.
class VcAllocator {
 public:
  struct Requests {
    VcRequest *first, *last;
    VcRequest* begin() const { return first; }
    VcRequest* end() const { return last; }
  };
  VcAllocator(Arena& arena, const VcAllocatorShape& shape);
  virtual ~VcAllocator() = default;
  /// How it allocates, one line; empty: it says nothing.
  virtual std::string stands_for() const { return ""; }

  /// Up to `requests_of_head` times a cycle for an input virtual channel, one call after the other. Separable
  /// allocators prefer the requests of the lowest rank.
  void request(unsigned input_vc, unsigned port, std::uint16_t vcs, std::uint16_t rank = 0) {
    requests_[count_++] = {static_cast<std::uint16_t>(input_vc), static_cast<std::uint8_t>(port),
                           VcRequest::nothing, vcs, rank};
  }
  bool any() const { return count_ != 0; }
  /// Those that the next allocation answers.
  Requests requests() const { return {requests_, requests_ + count_}; }
  /// All requests with what they were granted. The next cycle's come from now on.
  Requests allocate() {
    if (count_ == 1) {
      settle_one(*requests_);
    } else {
      settle_all();
    }
    return {requests_, requests_ + std::exchange(count_, 0)};
  }

 protected:
  unsigned output_vc(const VcRequest& request, unsigned vc) const { return request.port * shape_.vcs + vc; }
  /// A request that no other one competes with.
  virtual void settle_alone(VcRequest& request) = 0;
  /// All requests; there are several.
  virtual void settle_all() = 0;
  /// settle_alone(), or grant_next() where the arbiters are of that kind.
  void settle_one(VcRequest& request) {
    if (round_robin_inputs_ != nullptr) {
      grant_next(request);
    } else {
      settle_alone(request);
    }
  }

  /// settle_alone() with round-robin arbiters, without a call.
  void grant_next(VcRequest& request) {
    const unsigned vc = round_robin_inputs_->pick(request.input_vc, request.vcs);
    round_robin_inputs_->served(request.input_vc, vc);
    round_robin_vcs_->served(output_vc(request, vc), request.input_vc);
    request.granted = static_cast<std::uint8_t>(vc);
  }

  const VcAllocatorShape shape_;
  RoundRobinBank* round_robin_inputs_ = nullptr;  ///< where the arbiters are of that kind
  RoundRobinBank* round_robin_vcs_ = nullptr;
  VcRequest* requests_;
  unsigned count_ = 0;
};

}  // namespace tsuji::router
