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
/// Time for which the switch connects an input with an output: a flit's cycle, or from the head of a packet
/// to its last flit. With `packet` the input and the output take part in no switch allocation meanwhile, even
/// in cycles in which no flit of the packet can cross.
enum class SwitchHold : std::uint8_t { flit, packet };
/// When a head requests its route: at the front of its virtual channel, or on arrival.
enum class RouteAt : std::uint8_t { front, arrival };
/// Selection function: choice among candidates of equal rank that have a free output virtual channel. first:
/// order of the routing. most_credits: most credits on the free virtual channels, ties in turn. round_robin:
/// in turn. random: by the packet's random numbers. Reason for the default: rooms/router.md, Choice among
/// candidates.
enum class Selection : std::uint8_t { first, most_credits, round_robin, random };
/// Output ports at which a head requests virtual channels in one cycle: the one that Selection chooses, or
/// all with a free virtual channel.
enum class VaRequests : std::uint8_t { one, all };
/// Policy for a head flit whose candidate routes all use failed links.
enum class DeadRoute : std::uint8_t { drop, wait };

/// Configuration of a virtual-channel router. A stage of n cycles decides in its first cycle, and the flit
/// leaves it n cycles later; a stage accepts one flit per cycle, however long it is. Route computation takes
/// the time of the RouteLookup.
struct VcRouterConfig {
  static constexpr Cycle most_hops = 65535;  ///< largest hop count that a packet can store
  static constexpr unsigned no_marks = ~0U;  ///< value of mark_above_flits of a router without marks

  Switching switching = Switching::wormhole;
  Cycle va_cycles = 1;   ///< virtual-channel allocation; 0: in one cycle with switch allocation (VSA)
  Cycle sa_cycles = 1;   ///< switch allocation, >= 1
  Cycle st_cycles = 1;   ///< switch traversal
  Cycle des_cycles = 0;  ///< deserialization before route computation
  Cycle ser_cycles = 0;  ///< serialization after switch traversal
  std::string va_allocator = "islip";  ///< a value of `va_allocators`
  VcAllocatorKinds va_allocators = vc_allocator_kinds();
  std::string sa_allocator = "islip";  ///< a value of `sa_allocators`
  SwitchAllocatorKinds sa_allocators = switch_allocator_kinds();
  VaInputArbiter va_input_arbiter = VaInputArbiter::vcs;
  VaRequests va_requests = VaRequests::one;
  SwitchHold switch_hold = SwitchHold::flit;
  /// Flits that an input port can send per cycle, from different virtual channels.
  unsigned input_speedup = 1;
  /// Atomic buffer allocation: a virtual channel is allocated only when all of its credits are back.
  bool atomic_vcs = false;
  Cycle vc_change_cycles = 0;  ///< idle cycles of an output between flits of different virtual channels
  config::Automatic<bool> uturn_network{
      false};                     ///< a packet may leave by the network port that it came in by
  bool eject_routed_vcs = false;  ///< Value of the key; classes of messages need routed channels without it.
  /// At the port of a node a packet takes a virtual channel of its candidate, and not any.
  bool ejects_by_class = false;
  /// A head's packet is marked (Packet::marked) if more flits than these wait for the output that it takes;
  /// no_marks: never.
  unsigned mark_above_flits = no_marks;
  /// A packet may leave by the node port that it came in by (packets of a node to itself).
  bool uturn_node = true;
  RouteAt route_at = RouteAt::front;
  Selection selection = Selection::most_credits;
  DeadRoute dead_route = DeadRoute::drop;
  /// Time after which a blocked head is reported; 0: never.
  config::Automatic<Cycle> block_timeout_cycles{0};
  /// Number of hops above which a head is reported at its next router; 0: no limit.
  config::Automatic<Cycle> hop_limit{0};

  PredictionConfig prediction;

  /// True if routers mark packets.
  bool marks() const { return mark_above_flits != no_marks; }
  /// Cycles from switch allocation to the flit on the output's wires.
  Cycle depart_after() const { return sa_cycles + st_cycles + ser_cycles; }
  /// Cycles from the decision on a flit that wins the switch to the decision on a hit that departs in the
  /// same cycle. Words that pass need no serialization.
  Cycle predicted_lead_cycles() const { return sa_cycles + (prediction.serial ? ser_cycles : 0); }
  /// Cycles by which a hit starts before its flit could be acted on: deserialization, the wait for the last
  /// word, and the cycle of the first word, which is that of ST.
  Cycle early_cycles(const FlitChannel& in) const {
    return prediction.passes_words() ? des_cycles + in.last_word_after() + 1 : 0;
  }
  /// Cycles in the router of a flit that wins at once, without route computation.
  Cycle allocate_and_traverse() const { return va_cycles + sa_cycles + st_cycles + des_cycles + ser_cycles; }
  /// Adds the keys router.*, without those of `prediction`.
  void add_keys(config::KeyTable& keys);
  void validate() const;  ///< throws ConfigError

 private:
  void add_stage_keys(config::KeyTable& keys);
  void add_allocator_keys(config::KeyTable& keys);
};

}  // namespace tsuji::router
