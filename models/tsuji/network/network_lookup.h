// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/clock/pin_clock.h"
#include "tsuji/lookup/lookup_config.h"
#include "tsuji/lookup/switch_modules.h"
#include "tsuji/network/vc_network.h"
#include "tsuji/results/results.h"

namespace tsuji::network {

/// The look-up hardware of a network's switches and its shared parts: identifiers with their hashes, and the
/// shape of the caches. Must outlive the network, whose routers own the part of their switch.
class NetworkLookup {
 public:
  /// Throws ConfigError as lookup::LookupConfig::validate_with() does. Not for the look-up kind `local`.
  NetworkLookup(const lookup::LookupConfig& config, const graph::Topology& topology,
                const routing::Routing& routing, const std::string& routing_kind,
                const VcNetworkConfig& network, std::uint64_t seed);
  ~NetworkLookup();

  /// Description of a switch for which a custom part, RTL for example, replaces the configured one. The part
  /// answers a request of a cycle before the next cycle begins, or later. A MakeSwitch that returns null
  /// keeps the configured part.
  struct SwitchPlace {
    const lookup::LookupParts& parts;
    ClockDomain& domain;
    /// Clock of all modules with pins; signals between modules of two such clocks would not settle.
    PinClock& pin_clock;
    graph::RouterId router = 0;
    unsigned ports = 0;
  };
  using MakeSwitch = std::function<std::unique_ptr<lookup::SwitchLookup>(const SwitchPlace&)>;
  /// Sets the factory of custom parts. Call it before the first make().
  void replace(MakeSwitch make) { make_switch_ = std::move(make); }
  /// Sets RTL of modules. Call it before the first make(). Throws ModelError if the look-up hardware is not
  /// made of modules.
  void replace(lookup::ModuleRtl rtl);

  /// Lookahead: cycles from a router's request to its earliest effect on another group of modules. Switches
  /// made of modules answer in the cycle after the request.
  Cycle lookahead_cycles() const {
    return steps_.empty() && !make_switch_ && !config_.as_modules() ? never : 1;
  }
  /// Access time of a port's cache in cycles; without caches 1, the cycle in which the memory accepts a
  /// request.
  Cycle access_cycles() const { return config_.has_caches() ? config_.timing.cache_cycles : 1; }
  /// Makes the part of a switch, for VcNetwork.
  std::unique_ptr<RouteLookup> make(graph::RouterId router, ClockDomain& domain);

  /// Fills the cache of every input port with the destinations whose packets pass it; if they do not all fit,
  /// in a random order of destinations.
  void warm_all();
  /// Fills the cache of one port with the given destinations, in their order.
  void warm(graph::PortRef port, const std::vector<NodeId>& destinations);
  /// Destinations whose packets, from other nodes or from this port's own, pass each input port: one list for
  /// each port of each router.
  std::vector<std::vector<std::vector<NodeId>>> destinations_of_ports() const;

  /// Empties the caches of all switches, between cycle `now` and the next one.
  void flush_all(Cycle now);
  lookup::SwitchLookup& at(graph::RouterId router) { return *switches_[router]; }
  /// The switch's hardware as modules; null if it is not made of modules.
  lookup::SwitchModules* modules_at(graph::RouterId router);
  const lookup::SwitchLookup& at(graph::RouterId router) const { return *switches_[router]; }
  const lookup::NodeKeys& keys() const { return keys_; }

  /// Only switches for which `is_here` is true run on this rank; the others run on other ones of `ranks`.
  /// Called before the first cycle.
  void divide(mpi::Ranks& ranks, std::function<bool(graph::RouterId)> is_here) {
    ranks_ = &ranks;
    is_here_ = std::move(is_here);
  }
  /// Counters of a switch.
  lookup::LookupCounters counters(graph::RouterId router) const;
  /// Sums over all switches, on all ranks.
  lookup::LookupCounters counters() const;
  /// Number of caches in all switches: one for each input port.
  std::uint64_t caches() const;
  /// Number of units in all switches that search compact tables.
  std::uint64_t search_units() const;
  /// Adds counters, rates and energy after `cycles` cycles of `period` to the results.
  void add_to(observe::Results& results, Cycle cycles, ClockPeriod period) const;

  /// True if the memory holds entries only for heads that are not routed by coordinates.
  bool by_words() const { return image_ != nullptr && image_->table_form() == routing::TableForm::words; }

 private:
  class Steps;
  std::unique_ptr<lookup::SwitchLookup> make_modules(const SwitchPlace& place);
  SwitchPlace place_of(graph::RouterId router, ClockDomain& domain);
  bool ask(graph::PortRef at, NodeId destination, routing::RouteSet& candidates) const;
  /// Calls visit(router, in_port) for all input ports at which normal packets for `destination` are looked
  /// up.
  template <class Visit>
  void walk(NodeId destination, std::vector<NodeId>& seen, const Visit& visit) const;
  std::uint64_t inputs() const;
  void add_energy(observe::Results& results, Cycle cycles, ClockPeriod period) const;

  const lookup::LookupConfig config_;
  const graph::Topology& topology_;
  const routing::Routing& routing_;
  const routing::TableImage* image_;  ///< Null for compact tables with several candidates.
  const Cycle rc_cycles_;
  lookup::NodeKeys keys_;
  const lookup::CacheShape shape_;
  const lookup::LookupParts parts_;
  std::unique_ptr<PinClock> pin_clock_;  ///< Clock of modules with pins; null: there are none.
  MakeSwitch make_switch_;               ///< Empty: all switches have the configured part.
  lookup::ModuleRtl module_rtl_;
  std::vector<lookup::SwitchLookup*> switches_;
  mpi::Ranks* ranks_ = nullptr;                   ///< null: all switches are here
  std::function<bool(graph::RouterId)> is_here_;  ///< with several ranks
  std::vector<std::unique_ptr<Steps>> steps_;     ///< Step modules of switches whose ports share a memory.
  /// Index of each router's first port among the ports of all routers.
  std::vector<std::uint32_t> first_port_;
};

}  // namespace tsuji::network
