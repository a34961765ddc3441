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

/// Virtual-channel allocation of a router: the candidates of heads, their requests for an output virtual
/// channel, and the heads that are parked until a virtual channel can be had.
class VcAllocation {
 public:
  struct Shape {
    unsigned lines = 0;  ///< input virtual channels
    unsigned ports = 0;
    unsigned most_vcs = 1;        ///< of an output port
    unsigned max_candidates = 1;  ///< of a head
  };
  struct Parts {
    const VcRouterConfig& config;
    graph::RouterId router;
    std::uint64_t seed;  ///< of the packets' random numbers
    const PacketPool& pool;
    Arena& arena;
  };
  /// requested: the next allocation answers. parked: a tail that leaves or a credit makes the head busy again
  /// (take_parked). no_route: all candidates lead over links that are down, and the head does not wait.
  enum class Answer : std::uint8_t { requested, parked, no_route };

  VcAllocation(const Parts& parts, const Shape& shape);
  VcAllocation(const VcAllocation&) = delete;
  VcAllocation& operator=(const VcAllocation&) = delete;
  /// Before the first cycle.
  void bind(const OutputPort* outputs, const RouterPort* ends) {
    outputs_ = outputs;
    ends_ = ends;
  }

  const VcAllocator& allocator() const { return *allocator_; }

  /// The candidates of the head at the front of an input virtual channel.
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

  /// A head asks for an output virtual channel. `again`: the cycle in which a parked head looks again because
  /// a credit comes then, or `never`.
  Answer ask(const InputVc& vc, Cycle now, Cycle& again) {
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
  /// Those of this cycle so far.
  VcAllocator::Requests requests() const { return allocator_->requests(); }
  /// The cycle from which the first flit of a packet of `flits` flits can go by a virtual channel that nobody
  /// holds, with a credit; `never`: no credit has left yet that would tell.
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
  /// Its grants are to be held to the contract of VcAllocator.
  bool checks_grants() const { return checks_grants_; }
  /// The answers to all requests of this cycle. The winner of an output virtual channel is to take it before
  /// the next one.
  VcAllocator::Requests allocate() { return allocator_->allocate(); }
  /// A head has taken an output virtual channel.
  void taken() { ++turn_; }

  bool any_parked() const { return parked_count_ != 0; }
  /// The parked heads of a word of lines, which are not parked any more.
  std::uint64_t take_parked(unsigned word) {
    parked_count_ = 0;  // all words are taken together
    return std::exchange(parked_[word], 0);
  }
  void forget(const InputVc& vc) { parked_[vc.number / 64] &= ~(std::uint64_t{1} << (vc.number % 64)); }

 private:
  /// The time from which a virtual channel that no packet holds may be taken.
  enum class Reallocation : std::uint8_t {
    released,     ///< at once
    packet_fits,  ///< there are credits for the whole packet
    all_credits_back
  };
  struct Outputs;

  void keep(const routing::RouteCandidate& route, routing::RouteCandidate& place) const {
    place = route;
    // A routing speaks of network ports' virtual channels; a processor interface may have its own number of
    // them.
    const OutputPort& output = outputs_[route.port];
    if (output.to_node && output.all_vcs != 0) place.vcs = output.all_vcs;
  }
  Answer choose(const InputVc& vc, Cycle now, Cycle& again);
  Answer request_all(const InputVc& vc, const Outputs& outputs, Cycle& again);
  /// No virtual channel of the head's candidates can be taken in this cycle. `dead`: none has an open output.
  Answer park(const InputVc& vc, const Outputs& outputs, bool dead, Cycle& again);
  Cycle await_outputs(const InputVc& vc, const Outputs& outputs);
  [[noreturn]] void no_output(Cycle now, const InputVc& vc, const routing::RouteCandidate& route) const;

  const OutputPort* outputs_ = nullptr;
  routing::RouteCandidate* candidates_;  ///< [line][max_candidates_]
  const unsigned max_candidates_;
  const Reallocation reallocation_;
  std::uint32_t parked_count_ = 0;  ///< not 0 if a head is parked
  unsigned turn_ = 0;               ///< round-robin selection
  const bool checks_grants_;
  ArenaPtr<VcAllocator> allocator_;
  std::uint64_t* parked_;
  const unsigned lines_;
  const RouterPort* ends_ = nullptr;
  const VcRouterConfig& config_;
  const graph::RouterId router_;
  const std::uint64_t seed_;
  const PacketPool& pool_;
};

}  // namespace tsuji::router
