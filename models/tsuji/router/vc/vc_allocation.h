// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "tsuji/core/arena.h"
#include "tsuji/link/flit_channel.h"
#include "tsuji/router/config.h"
#include "tsuji/router/flit_router.h"
#include "tsuji/router/vc/input_vc.h"
#include "tsuji/router/vc/output_port.h"
#include "tsuji/router/vc_allocator.h"

namespace tsuji::router {

/// Virtual-channel allocation (VA) of a router: the candidates of heads, their requests for output virtual
/// channels, and the heads that are parked until a virtual channel may be available.
///
/// Contract: keep() when a head's route is known; ask() in each cycle in which the head is examined;
/// allocate() once a cycle if any_requests(); taken() for each grant. take_parked() when a tail has left or a
/// credit has come.
class VcAllocation {
 public:
  struct Shape {
    unsigned input_vcs = 0;  ///< number of input virtual channels
    unsigned ports = 0;
    unsigned most_vcs = 1;        ///< largest number of virtual channels of an output port
    unsigned max_candidates = 1;  ///< largest number of candidates of a head
  };
  struct Parts {
    const VcRouterConfig& config;
    graph::RouterId router;
    std::uint64_t seed;  ///< seed of the packets' random numbers
    const PacketPool& pool;
    Arena& arena;
  };
  /// requested: allocate() decides. parked: the head is examined again after a tail has left or a credit has
  /// come (take_parked). no_route: all candidates use failed links, and the head does not wait for them.
  enum class Answer : std::uint8_t { requested, parked, no_route };

  VcAllocation(const Parts& parts, const Shape& shape);
  VcAllocation(const VcAllocation&) = delete;
  VcAllocation& operator=(const VcAllocation&) = delete;
  /// Sets the output ports. Called before the first cycle.
  void bind(const OutputPort* outputs, const RouterPort* ends) {
    outputs_ = outputs;
    ends_ = ends;
  }

  const VcAllocator& allocator() const { return *allocator_; }

  /// Stores the candidates of the head at the front of an input virtual channel.
  void keep(InputVc& vc, const routing::RouteSet& routes) {
    const unsigned count = routes.size();
    vc.candidates = static_cast<std::uint8_t>(count);
    routing::RouteCandidate* const own = candidates_ + vc.number * max_candidates_;
    if (count == 1) return keep(routes[0], *own);
    for (unsigned c = 0; c < count; ++c) keep(routes[c], own[c]);
  }
  const routing::RouteCandidate* candidates(const InputVc& vc) const {
    return candidates_ + vc.number * max_candidates_;
  }

  /// A head requests an output virtual channel. `again` is set to the cycle in which a parked head is to be
  /// examined because a credit comes then, or to `never`.
  Answer request(const InputVc& vc, Cycle now, Cycle& again) {
    if (vc.candidates == 1 && reallocation_ == Reallocation::released) {
      const routing::RouteCandidate& only = *candidates(vc);
      const OutputPort& output = outputs_[only.port];
      const auto free = static_cast<routing::VcMask>(only.vcs & output.free_vcs);
      if (free != 0 && only.port != vc.port && !output.sender.down()) {
        allocator_->request(vc.number, only.port, free);
        return Answer::requested;
      }
    }
    return choose(vc, now, again);
  }
  bool any_requests() const { return allocator_->any(); }
  /// Requests of this cycle so far.
  VcAllocator::Requests requests() const { return allocator_->requests(); }
  /// First cycle in which a packet of `flits` flits can be allocated a free virtual channel and send its
  /// first flit; `never`: not known, because a needed credit has not been sent yet.
  Cycle takes_packet_from(const OutputPort& output, unsigned vc, unsigned flits) const {
    const FlitRing& ring = output.sender.ring(vc);
    switch (reallocation_) {
      case Reallocation::released:
        return ring.credit_at();
      case Reallocation::packet_fits:
        return ring.credits_at(flits);
      case Reallocation::all_credits_back:
        break;
    }
    return ring.credits_at(ring.depth());
  }
  /// Returns true if grants must be checked against the contract of VcAllocator.
  bool checks_grants() const { return checks_grants_; }
  /// Decides on all requests of this cycle. The winner of an output virtual channel must take it before the
  /// next call.
  VcAllocator::Requests allocate() { return allocator_->allocate(); }
  /// A head has taken an output virtual channel; advances the round robin of the selection.
  void taken() { ++turn_; }

  bool any_parked() const { return parked_count_ != 0; }
  /// Returns the parked heads of a word of input VCs, and unparks them. All words are taken one after the
  /// other.
  std::uint64_t take_parked(unsigned word) {
    parked_count_ = 0;  // all words are taken together
    return std::exchange(parked_[word], 0);
  }
  void forget(const InputVc& vc) { parked_[vc.number / 64] &= ~(std::uint64_t{1} << (vc.number % 64)); }

 private:
  /// Condition for the allocation of a virtual channel that no packet holds.
  enum class Reallocation : std::uint8_t {
    released,     ///< no further condition
    packet_fits,  ///< there are credits for the whole packet
    all_credits_back
  };
  struct Outputs;

  void keep(const routing::RouteCandidate& route, routing::RouteCandidate& place) const {
    place = route;
    // A routing names virtual channels of network ports; the port of a node may have a different number, of
    // which all can be used, unless classes of messages keep apart there.
    const OutputPort& output = outputs_[route.port];
    if (output.any_vc && output.all_vcs != 0) place.vcs = output.all_vcs;
  }
  Answer choose(const InputVc& vc, Cycle now, Cycle& again);
  Answer request_only(const InputVc& vc, const Outputs& outputs, Cycle& again);
  Answer request_all(const InputVc& vc, const Outputs& outputs, Cycle& again);
  /// No virtual channel of the candidates can be allocated in this cycle. `dead`: no candidate has an open
  /// output.
  Answer park(const InputVc& vc, const Outputs& outputs, bool dead, Cycle& again);
  Cycle await_outputs(const InputVc& vc, const Outputs& outputs);
  [[noreturn]] void no_output(Cycle now, const InputVc& vc, const routing::RouteCandidate& route) const;

  const OutputPort* outputs_ = nullptr;
  routing::RouteCandidate* candidates_;  ///< [input VC][max_candidates_]
  const unsigned max_candidates_;
  const Reallocation reallocation_;
  std::uint32_t parked_count_ = 0;  ///< 0 if no head is parked
  unsigned turn_ = 0;               ///< position of the round-robin selection
  const bool checks_grants_;
  ArenaPtr<VcAllocator> allocator_;
  std::uint64_t* parked_;
  const unsigned input_vcs_;
  const RouterPort* ends_ = nullptr;
  const VcRouterConfig& config_;
  const graph::RouterId router_;
  const std::uint64_t seed_;
  const PacketPool& pool_;
};

}  // namespace tsuji::router
