#pragma once

#include <cstdint>
#include <utility>

#include "tsuji/router/arbiter.h"
#include "tsuji/router/switch_allocator.h"

namespace tsuji::router {

struct VcAllocatorShape {
  unsigned input_vcs = 0;  ///< of all input ports
  unsigned ports = 0;      ///< output ports
  unsigned vcs = 0;        ///< of an output port, at most 16
  unsigned iterations = 1;
};

/// A head that wants one of some virtual channels of an output port; `granted` is the answer.
struct VcRequest {
  static constexpr std::uint8_t nothing = 0xff;
  std::uint16_t input_vc = 0;
  std::uint8_t port = 0;
  std::uint8_t granted = nothing;
  std::uint16_t vcs = 0;
  std::uint16_t offers = 0;  ///< the allocator's own notes
};

/// Virtual-channel allocation of one cycle: a head gets at most one virtual channel, a virtual channel at
/// most one head. An input asks at one output port a cycle, so ports do not meet.
class VcAllocator {
 public:
  struct Requests {
    VcRequest *first, *last;
    VcRequest* begin() const { return first; }
    VcRequest* end() const { return last; }
  };
  VcAllocator(Arena& arena, const VcAllocatorShape& shape);
  virtual ~VcAllocator() = default;

  /// Once a cycle for an input virtual channel.
  void request(unsigned input_vc, unsigned port, std::uint16_t vcs) {
    requests_[count_++] = {static_cast<std::uint16_t>(input_vc), static_cast<std::uint8_t>(port),
                           VcRequest::nothing, vcs, 0};
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
  /// A head that nobody competes with at its port.
  virtual void settle_alone(VcRequest& request) = 0;
  /// All heads that want `port`; there are several.
  virtual void settle(unsigned port) = 0;

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

 private:
  void settle_all();
  void settle_one(VcRequest& request) {
    if (round_robin_inputs_ != nullptr) {
      grant_next(request);
    } else {
      settle_alone(request);
    }
  }
};

ArenaPtr<VcAllocator> make_vc_allocator(Arena& arena, AllocatorKind kind, const VcAllocatorShape& shape);

}  // namespace tsuji::router
