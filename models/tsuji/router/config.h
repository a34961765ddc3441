// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tsuji/core/units.h"
#include "tsuji/link/flit_channel.h"
#include "tsuji/router/prediction/config.h"
#include "tsuji/router/switch_allocator_kinds.h"
#include "tsuji/router/vc_allocator_kinds.h"

namespace tsuji::router {

enum class Switching : std::uint8_t { wormhole, virtual_cut_through, store_and_forward };
/// When a head asks for its route: when it comes to the front of its virtual channel, or when it arrives.
enum class RouteAt : std::uint8_t { front, arrival };
/// Choice among the candidates of a head that are equal in rank and have a free output virtual channel: the
/// first in the routing's order; the one whose free virtual channels have the most credits, ties in turn; one
/// after the other; by the packet's random numbers. Measurements behind the default: rooms/router.md.
enum class Selection : std::uint8_t { first, most_credits, round_robin, random };
/// Output ports of which a head requests virtual channels in a cycle: the one that Selection chooses, or all
/// that have a free one.
enum class VaRequests : std::uint8_t { one, all };
/// Fate of a head all of whose candidates lead over links that are down.
enum class DeadWay : std::uint8_t { drop, wait };

/// A virtual-channel router. A flit that is decided on in a stage's first cycle leaves the stage `cycles`
/// later, and a stage takes one flit per cycle however long it is. Route computation has its own time:
/// RouteLookup.
struct VcRouterConfig {
  static constexpr Cycle most_hops = 65535;  ///< that a packet counts

  Switching switching = Switching::wormhole;
  Cycle va_cycles = 1;   ///< virtual-channel allocation; 0: in one cycle with switch allocation (VSA)
  Cycle sa_cycles = 1;   ///< switch allocation, >= 1
  Cycle st_cycles = 1;   ///< switch traversal
  Cycle des_cycles = 0;  ///< deserialization in front of route computation
  Cycle ser_cycles = 0;  ///< serialization behind switch traversal
  std::string va_allocator = "islip";  ///< a word of `va_allocators`
  VcAllocatorKinds va_allocators = vc_allocator_kinds();
  std::string sa_allocator = "islip";  ///< a word of `sa_allocators`
  SwitchAllocatorKinds sa_allocators = switch_allocator_kinds();
  VaInputArbiter va_input_arbiter = VaInputArbiter::vcs;
  VaRequests va_requests = VaRequests::one;
  unsigned input_speedup = 1;  ///< flits that an input port sends in a cycle, from different virtual channels
  bool atomic_vcs = false;     ///< a virtual channel is taken only when all credits of it are back
  Cycle vc_change_cycles = 0;  ///< bubble at an output whose virtual channel changes
  config::Automatic<bool> uturn_network{
      false};              ///< a packet may leave by the network port that it came in by
  bool uturn_node = true;  ///< the same for ports of nodes: what a node sends to itself
  RouteAt route_at = RouteAt::front;
  Selection selection = Selection::most_credits;
  DeadWay dead_way = DeadWay::drop;
  config::Automatic<Cycle> block_timeout_cycles{0};  ///< 0: none; else a head that waits so long is reported
  /// 0: none; else a head that has made more hops between routers is reported where it comes next.
  config::Automatic<Cycle> hop_limit{0};

  PredictionConfig prediction;

  /// A switch allocation's cycle to the flit on the output's wires.
  Cycle depart_after() const { return sa_cycles + st_cycles + ser_cycles; }
  /// Cycles between the decision for a flit that wins the switch and that for a hit which leaves beside it:
  /// words that pass need no serialization.
  Cycle predicted_lead_cycles() const { return sa_cycles + (prediction.serial ? ser_cycles : 0); }
  /// Cycles by which a hit goes on before its flit could be acted upon: deserialization, the wait for its
  /// last word, and the first word's cycle, which is that of ST.
  Cycle early_cycles(const FlitChannel& in) const {
    return prediction.passes_words() ? des_cycles + in.last_word_after() + 1 : 0;
  }
  /// Cycles of the router for a flit that wins at once, without route computation.
  Cycle allocate_and_traverse() const { return va_cycles + sa_cycles + st_cycles + des_cycles + ser_cycles; }
  /// Binds the keys router.*, without those of `prediction`.
  void add_keys(config::KeyTable& keys);
  void validate() const;  ///< throws ConfigError

 private:
  void add_stage_keys(config::KeyTable& keys);
  void add_allocator_keys(config::KeyTable& keys);
};

}  // namespace tsuji::router
