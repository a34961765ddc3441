// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tsuji/core/arena.h"
#include "tsuji/core/packet.h"
#include "tsuji/network/config/vc_network_config.h"
#include "tsuji/network/dense/wires.h"
#include "tsuji/router/flit_router.h"
#include "tsuji/router/vc/bitmask_switch_allocator.h"
#include "tsuji/routing/routing.h"

namespace tsuji::network::dense {

/// Condition for the allocation of a virtual channel that no packet holds: none, credits for the whole
/// packet, or all credits.
enum class Reallocation : std::uint8_t { released, packet_fits, all_credits_back };

/// Constants of all routers of a network.
struct RouterShared {
  const VcNetworkConfig& config;
  const routing::Routing& routing;
  PacketPool& pool;
  router::RouterEvents& events;
  std::uint64_t seed = 1;
  Cycle row_mask = 0;  ///< number of rows of each unit, minus one
  Cycle rc_cycles = 1, va_cycles = 1;
  unsigned max_candidates = 1;
  unsigned depth = 1;  ///< flits of a buffer
  Reallocation reallocation = Reallocation::released;
};

/// Input-buffered virtual-channel router (router::VcRouter) whose state is counts and masks: stages, cycles,
/// allocators and priorities are those of router::FastVcRouter, so every flit moves in the same cycle.
///
///     row of the cycle: credits, flits
///       RC   heads at the front of idle input virtual channels
///       VA   requests of the heads whose route is known
///       SA   input virtual channels with an output, a flit and a credit
///       ST   winners leave; the row of the far end gets the flit, that of the near end the credit
///       VA   grants
///
/// Invariant, checked for every flit: no buffer holds more flits than it has places, no output has more
/// credits than the buffer at its far end has places, and each packet has a head in the queue of heads.
class Router {
 public:
  /// Largest number of input virtual channels, and of output virtual channels.
  static constexpr unsigned most_vcs = 63;

  Router() = default;
  /// `ports`: numbers of virtual channels of the input and the output of each port; 0: none.
  struct PortShape {
    unsigned in_vcs = 0, out_vcs = 0;
    bool to_node = false;
  };
  void build(graph::RouterId id, const std::vector<PortShape>& ports, const RouterShared& shared,
             Arena& arena, Home& home, unsigned unit);
  /// Direction out of a port, to virtual channels whose queues of heads begin at `heads` and whose bits begin
  /// at `first_bit`.
  void connect_output(unsigned port, const Wire& wire, PacketIndex* heads, unsigned first_bit);
  /// Credits of a port's input, to output virtual channels whose bits begin at `first_bit`.
  void connect_credits(unsigned port, const Wire& wire, unsigned first_bit);
  Row* rows() const { return rows_; }
  unsigned unit() const { return unit_; }
  Home& home() const { return *home_; }
  unsigned first_input(unsigned port) const { return inputs_[port].first; }
  unsigned first_output(unsigned port) const { return outputs_[port].first; }
  PacketIndex* heads(unsigned port) const { return heads_ + std::size_t{first_input(port)} * shared_->depth; }

  void step(Cycle now);
  /// Prefetches the memory that step(now) uses.
  void approach(Cycle now) const;

  // Between two cycles.

  std::uint64_t flits_sent(unsigned port) const { return outputs_[port].flits; }
  std::uint64_t flits_sent() const;
  std::uint64_t flits_held() const;
  /// Flits in the buffer of an input virtual channel and on the wires to it.
  unsigned flits_held(unsigned port, unsigned vc) const;
  /// Credits of an output virtual channel, with those under way.
  unsigned credits(unsigned port, unsigned vc) const;
  bool credit_under_way(unsigned port, unsigned vc) const;
  void visit_packets(const std::function<void(PacketIndex)>& visit) const;
  /// Latest cycle after `now` in which something arrives or a stage ends; 0: none.
  Cycle last_event(Cycle now) const;
  router::VcView view(unsigned port, unsigned vc) const;
  std::vector<routing::RouteCandidate> candidates(unsigned port, unsigned vc) const;
  unsigned ports() const { return port_count_; }
  unsigned in_vcs(unsigned port) const { return inputs_[port].vcs; }
  const graph::RouterId& id() const { return id_; }

 private:
  /// Ends of stages in a cycle: input virtual channels whose route is known, or whose output virtual channel
  /// has been allocated.
  struct Stages {
    Bits routed = 0, granted = 0;
  };
  /// An input virtual channel and the packet at its front.
  struct InputVc {
    Cycle since = 0;  ///< cycle of the last movement, or of the head's arrival at the front
    PacketIndex packet = 0;
    std::uint16_t left = 0;  ///< flits of the packet that have not left
    std::uint16_t held = 0;  ///< flits in the buffer
    std::uint16_t read = 0;  ///< place of the next packet in the queue of heads
    std::uint8_t port = 0, out_port = 0, out = 0;
    std::uint8_t candidates = 0;
    std::uint8_t credit_bit = 0;  ///< bit of Row::credits at the near end
  };
  struct Input {
    Wire credits;
    std::uint8_t first = 0, vcs = 0;
  };
  struct Output {
    Wire wire;
    std::uint64_t flits = 0;
    routing::VcMask free_vcs = 0, all_vcs = 0;
    std::uint8_t first = 0;  ///< index of its first output virtual channel
    bool to_node = false;
  };
  struct Request {
    std::uint8_t input_vc, port;
    routing::VcMask vcs, offers;
  };
  struct Requests {
    Request* end;
    Request list[most_vcs + 1];
  };
  struct Choice;

  void take_credits(Bits credits, Cycle now);
  void take_flits(Bits flits, Cycle now);
  void compute_route(unsigned number, Cycle now);
  void request_vcs(Requests& requests, Cycle now);
  bool request(unsigned number, Requests& requests, Cycle now);
  bool choose(unsigned number, Requests& requests, Cycle now);
  void allocate_switch(Bits ready, Cycle now);
  bool traverse(unsigned number, Cycle now);
  void release(InputVc& vc, unsigned number);
  void allocate_vcs(Requests& requests, Cycle now);
  void allocate_port(Requests& requests, unsigned port, Cycle now);
  void grant(const Request& request, unsigned vc, Cycle now);
  unsigned next_vc(const Request& request, unsigned vcs) const;
  routing::RouteCandidate* candidates_of(unsigned number) const {
    return candidates_ + std::size_t{number} * shared_->max_candidates;
  }
  [[noreturn]] void fail(Cycle now, const std::string& what) const;
  [[noreturn]] void fail(Cycle now, PacketIndex packet, const std::string& what) const;

  // Masks of input virtual channels.
  Bits flits_ = 0;     ///< with a flit in the buffer
  Bits credit_ = 0;    ///< whose output virtual channel has a credit
  Bits active_ = 0;    ///< that request the switch: an output virtual channel has been allocated
  Bits idle_ = 0;      ///< without a packet at the front
  Bits pending_ = 0;   ///< whose head requests an output virtual channel in the next cycle
  Bits parked_ = 0;    ///< whose head waits until an output virtual channel may be available
  Bits routing_ = 0;   ///< in route computation
  Bits heads_at_ = 0;  ///< whose head has not left

  Row* rows_ = nullptr;
  Stages* stages_ = nullptr;
  InputVc* vcs_ = nullptr;
  OutputVc* out_ = nullptr;
  Input* inputs_ = nullptr;
  Output* outputs_ = nullptr;
  const RouterShared* shared_ = nullptr;
  Home* home_ = nullptr;
  router::BitmaskSwitchAllocator* switch_ = nullptr;
  routing::RouteCandidate* candidates_ = nullptr;  ///< [input VC][max_candidates]
  PacketIndex* heads_ = nullptr;                   ///< [input VC][depth]
  std::uint8_t* next_of_input_ = nullptr;          ///< [input VC]: virtual channel that it was granted last
  std::uint8_t* next_of_output_ =
      nullptr;  ///< [output VC]: input virtual channel that it was granted to last
  graph::RouterId id_ = 0;
  unsigned turn_ = 0;  ///< position of the round-robin selection
  std::uint8_t unit_ = 0, input_vcs_ = 0, output_vcs_ = 0, port_count_ = 0;
  std::uint8_t most_vcs_out_ = 1;
};

}  // namespace tsuji::network::dense
