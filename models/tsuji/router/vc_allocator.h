// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "tsuji/router/arbiter.h"

namespace tsuji::router {

/// Range of the input arbiters of a virtual-channel allocator: the virtual channels of the requested port, or
/// those of all output ports.
enum class VaInputArbiter : std::uint8_t { vcs, ports_and_vcs };

struct VcAllocatorShape {
  unsigned input_vcs = 0;  ///< number of input virtual channels of all ports
  unsigned ports = 0;      ///< number of output ports
  unsigned vcs = 0;        ///< virtual channels of an output port, at most 16
  VaInputArbiter input_arbiter = VaInputArbiter::vcs;
  /// Largest number of requests of a head in a cycle; above 1 only with ports_and_vcs.
  unsigned requests_of_head = 1;
};

/// Request of a head for one of several virtual channels of an output port; `granted` is the result.
struct VcRequest {
  static constexpr std::uint8_t nothing = 0xff;
  std::uint16_t input_vc = 0;
  std::uint8_t port = 0;
  std::uint8_t granted = nothing;
  std::uint16_t vcs = 0;
  std::uint16_t offers = 0;  ///< private to the allocator; initially the rank among the head's requests
};

/// Virtual-channel allocation (VA) of one cycle: each head gets at most one virtual channel, each virtual
/// channel goes to at most one head.
///
/// Contract: in each cycle request() for every waiting head, then allocate() once. allocate() calls
/// allocate_alone() or allocate_all(), which set VcRequest::granted to one of the requested virtual channels
/// or leave it unchanged. A router refuses any other grant, unless VcAllocatorTraits::keeps_contract.
class VcAllocator {
 public:
  struct Requests {
    VcRequest *first, *last;
    VcRequest* begin() const { return first; }
    VcRequest* end() const { return last; }
  };
  VcAllocator(Arena& arena, const VcAllocatorShape& shape);
  virtual ~VcAllocator() = default;
  /// The allocation algorithm in one line; may be empty.
  virtual std::string stands_for() const { return ""; }

  /// Adds a request. Up to `requests_of_head` requests per cycle and input virtual channel, in consecutive
  /// calls. Separable allocators prefer requests of the lowest rank.
  void request(unsigned input_vc, unsigned port, std::uint16_t vcs, std::uint16_t rank = 0) {
    requests_[count_++] = {static_cast<std::uint16_t>(input_vc), static_cast<std::uint8_t>(port),
                           VcRequest::nothing, vcs, rank};
  }
  bool any() const { return count_ != 0; }
  /// Requests that the next allocate() answers.
  Requests requests() const { return {requests_, requests_ + count_}; }
  /// Returns all requests with their grants, and clears the list for the next cycle.
  Requests allocate() {
    if (count_ == 1) {
      allocate_one(*requests_);
    } else {
      allocate_all();
    }
    return {requests_, requests_ + std::exchange(count_, 0)};
  }

 protected:
  unsigned output_vc(const VcRequest& request, unsigned vc) const { return request.port * shape_.vcs + vc; }
  /// Decides on the only request of the cycle.
  virtual void allocate_alone(VcRequest& request) = 0;
  /// Decides on all requests; there are at least two.
  virtual void allocate_all() = 0;
  /// Decides on a request without competitors: grant_next() with round-robin arbiters, else allocate_alone().
  void allocate_one(VcRequest& request) {
    if (round_robin_inputs_ != nullptr) {
      grant_next(request);
    } else {
      allocate_alone(request);
    }
  }

  /// allocate_alone() for round-robin arbiters, inlined.
  void grant_next(VcRequest& request) {
    const unsigned vc = round_robin_inputs_->arbitrate(request.input_vc, request.vcs);
    round_robin_inputs_->served(request.input_vc, vc);
    round_robin_vcs_->served(output_vc(request, vc), request.input_vc);
    request.granted = static_cast<std::uint8_t>(vc);
  }

  const VcAllocatorShape shape_;
  RoundRobinBank* round_robin_inputs_ = nullptr;  ///< null: other arbiters
  RoundRobinBank* round_robin_vcs_ = nullptr;
  VcRequest* requests_;
  unsigned count_ = 0;
};

}  // namespace tsuji::router
