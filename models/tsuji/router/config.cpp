// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/config.h"

#include <array>
#include <string>

#include "tsuji/core/error.h"

namespace tsuji::router {
namespace {

const char* word(PredictionCheck check) {
  constexpr std::array<const char*, 4> words = {"kill", "hint", "wait", "leak"};
  return words.at(static_cast<std::size_t>(check));
}

void refuse_with_prediction(const char* key, const std::string& value, const std::string& accepted) {
  throw ConfigError(key, value, "not supported with prediction", accepted + ", or prediction.kind none");
}

void validate_passing_words(const VcRouterConfig& config) {
  const PredictionCheck check = config.prediction.check;
  if (check == PredictionCheck::kill || check == PredictionCheck::wait)
    throw ConfigError("prediction.check", word(check),
                      "with prediction.serial, words are sent before their route is known",
                      "hint or leak, or prediction.serial false");
  if (config.st_cycles == 0)
    throw ConfigError("router.st_cycles", "0", "with prediction.serial, a word needs a cycle to pass",
                      "at least 1 with prediction.serial");
}

void validate_prediction(const VcRouterConfig& config) {
  config.prediction.kinds.validate(config.prediction.kind);
  if (!config.prediction.on()) return;
  if (config.prediction.serial) {
    validate_passing_words(config);
  } else if (config.switching == Switching::store_and_forward) {
    refuse_with_prediction("router.switching", "store_and_forward",
                           "wormhole or virtual_cut_through, or prediction.serial true");
  }
  if (config.vc_change_cycles != 0)
    refuse_with_prediction("router.vc_change_cycles", std::to_string(config.vc_change_cycles), "0");
  if (config.input_speedup != 1)
    refuse_with_prediction("router.input_speedup", std::to_string(config.input_speedup), "1");
  if (config.switch_hold != SwitchHold::flit) refuse_with_prediction("router.switch_hold", "packet", "flit");
  if (config.route_at != RouteAt::front) refuse_with_prediction("router.route_at", "arrival", "front");
}

}  // namespace

void VcRouterConfig::validate() const {
  if (sa_cycles == 0)
    throw ConfigError("router.sa_cycles", "0", "switch allocation of no duration", "at least 1");
  if (input_speedup == 0)
    throw ConfigError("router.input_speedup", "0", "an input port could not send", "1 up to router.vcs");
  // A packet that waits for credits would keep the output from all of its virtual channels.
  if (switch_hold == SwitchHold::packet && switching == Switching::wormhole)
    throw ConfigError("router.switch_hold", "packet",
                      "a packet that waits for credits would keep a link from all virtual channels",
                      "flit, or router.switching virtual_cut_through or store_and_forward");
  va_allocators.validate(va_allocator);
  sa_allocators.validate(sa_allocator);
  if (va_requests == VaRequests::all && va_input_arbiter == VaInputArbiter::vcs)
    throw ConfigError("router.va_requests", "all", "the input arbiter chooses at one port",
                      "one, or router.va_input_arbiter ports_and_vcs");
  validate_prediction(*this);
}

void VcRouterConfig::add_stage_keys(config::KeyTable& keys) {
  const auto cycles = [&keys](const char* key, Cycle& field, Cycle least, const char* meaning) {
    keys.add(std::string("router.") + key, field, {least, 65535}, "cycles", meaning);
  };
  cycles("va_cycles", va_cycles, 0,
         "duration of virtual-channel allocation (VA); 0: in the same cycle as switch allocation");
  cycles("sa_cycles", sa_cycles, 1, "duration of switch allocation (SA)");
  cycles("st_cycles", st_cycles, 0, "duration of switch traversal (ST)");
  cycles("des_cycles", des_cycles, 0, "duration of deserialization at a router's input");
  cycles("ser_cycles", ser_cycles, 0, "duration of serialization at a router's output");
  cycles("vc_change_cycles", vc_change_cycles, 0,
         "idle cycles of an output port when it changes to another virtual channel");
  keys.add("router.block_timeout_cycles", block_timeout_cycles.setting(), {0, 65535}, "auto", "cycles",
           "time that a head flit may be blocked before it counts as timed out, and enters recovery where "
           "the routing algorithm has one; 0: no timeout; auto: 128 with recovery, else 0");
  keys.add("router.hop_limit", hop_limit.setting(), {0, most_hops}, "auto", "",
           "hops between routers after which a head flit is counted, and enters recovery where the routing "
           "algorithm has one; 0: no limit; auto: 4 times the diameter with recovery, else 0");
}

/// Adds the keys of the allocators, and of choices in which simulators and hardware differ (rooms/router.md).
void VcRouterConfig::add_allocator_keys(config::KeyTable& keys) {
  keys.add_choice("router.va_allocator", va_allocator, va_allocators.words(),
                  "algorithm of the virtual-channel allocator");
  keys.add_choice(
      "router.sa_allocator", sa_allocator, sa_allocators.words(),
      "algorithm of the switch allocator; strict_priority, weighted_round_robin: output first, between "
      "the classes of classes.list");
  keys.add_choice(
      "router.va_input_arbiter", va_input_arbiter,
      {{"vcs", VaInputArbiter::vcs}, {"ports_and_vcs", VaInputArbiter::ports_and_vcs}},
      "requests among which an input arbiter of the virtual-channel allocator chooses; vcs: the virtual "
      "channels of the head's output port; ports_and_vcs: those of all output ports, so that a head takes "
      "the lowest free channel if its output port is not that of the previous head");
  keys.add_choice("router.va_requests", va_requests, {{"one", VaRequests::one}, {"all", VaRequests::all}},
                  "output ports for which a head with several candidate routes requests virtual channels in "
                  "a cycle; one: the port that router.selection chooses; all: every candidate port, where "
                  "separable and matrix allocators prefer candidates of better rank");
  keys.only_with("router.va_requests", {{"router.va_input_arbiter", {"ports_and_vcs"}}});
  va_allocators.add_keys(keys);
  sa_allocators.add_keys(keys);
  // Restores the order of keys in configuration files.
  for (const auto& [key, next] : {std::pair("router.islip_iterations", "router.va_input_arbiter"),
                                  std::pair("router.sa_input_arbiter", "router.matrix_first")})
    if (keys.has_key(key) && keys.has_key(next)) keys.move_before(key, next);
}

void VcRouterConfig::add_keys(config::KeyTable& keys) {
  keys.add_choice(
      "router.switching", switching,
      {{"wormhole", Switching::wormhole},
       {"virtual_cut_through", Switching::virtual_cut_through},
       {"store_and_forward", Switching::store_and_forward}},
      "switching technique, which determines how much free buffer space a packet needs before it proceeds");
  add_stage_keys(keys);
  add_allocator_keys(keys);
  keys.add_choice(
      "router.switch_hold", switch_hold, {{"flit", SwitchHold::flit}, {"packet", SwitchHold::packet}},
      "time for which the switch connects an input port with an output port; flit: one cycle; "
      "packet: from the head of a packet to its last flit, as in switches that arbitrate by packet");
  keys.add("router.input_speedup", input_speedup, {1, 16}, "",
           "flits that an input port may send in a cycle, from different virtual channels (input speedup)");
  keys.add("router.atomic_vcs", atomic_vcs,
           "true: an output virtual channel is allocated only when all of its credits have returned (atomic "
           "buffer allocation)");
  keys.add("router.uturn_network", uturn_network.setting(), "auto",
           "whether a packet may leave by the network port through which it arrived; auto: true where the "
           "routing algorithm turns packets back");
  keys.add("router.eject_routed_vcs", eject_routed_vcs,
           "whether a packet takes at the port of a node a virtual channel of its route, as classes of "
           "messages (classes.list) always do; false: any virtual channel");
  keys.add("router.uturn_node", uturn_node,
           "whether a packet may leave by the node port through which it arrived, as packets of a node to "
           "itself do");
  keys.add_choice("router.route_at", route_at, {{"front", RouteAt::front}, {"arrival", RouteAt::arrival}},
                  "start of route computation; front: when the head flit is at the front of its virtual "
                  "channel; arrival: when it arrives");
  keys.add_choice("router.selection", selection,
                  {{"first", Selection::first},
                   {"most_credits", Selection::most_credits},
                   {"round_robin", Selection::round_robin},
                   {"random", Selection::random}},
                  "selection among candidate routes of equal rank; first: the first one; most_credits: the "
                  "one with the most credits in free virtual channels, ties by round robin; round_robin: "
                  "each in turn; random: by the packet's random numbers");
  keys.only_with("router.selection", {{"router.va_requests", {"one"}}, {"router.va_input_arbiter", {"vcs"}}});
  keys.add_choice("router.dead_route", dead_route, {{"drop", DeadRoute::drop}, {"wait", DeadRoute::wait}},
                  "policy for a head whose candidate routes all use failed links");
}

}  // namespace tsuji::router
