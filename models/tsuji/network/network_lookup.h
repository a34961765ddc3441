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

/// The look-up hardware of a network's switches, and what they share: identifiers with their hashes, the
/// shape of the caches. Outlives the network, whose routers own their switch's part.
class NetworkLookup {
 public:
  /// Refuses as lookup::LookupConfig::validate_with does. Not for kind plain.
  NetworkLookup(const lookup::LookupConfig& config, const graph::Topology& topology,
                const routing::Routing& routing, const std::string& routing_kind,
                const VcNetworkConfig& network, std::uint64_t seed);
  ~NetworkLookup();

  /// Makes a switch's part that stands in the place of the configuration's, RTL for example. It answers a
  /// question of a cycle before the next cycle begins, or later. Null: this switch has the configuration's.
  struct SwitchPlace {
    const lookup::LookupParts& parts;
    ClockDomain& domain;
    PinClock& pin_clock;  ///< of all modules with pins; two clocks would not let each other's signals settle
    graph::RouterId router = 0;
    unsigned ports = 0;
  };
  using MakeSwitch = std::function<std::unique_ptr<lookup::SwitchLookup>(const SwitchPlace&)>;
  /// Before the first make().
  void replace(MakeSwitch make) { make_switch_ = std::move(make); }
  /// RTL of modules, before the first make(). ModelError where the look-up hardware is not made of modules.
  void replace(lookup::ModuleRtl rtl);

  /// Cycles from a router's question to anything that another group of modules may see of it. Switches that
  /// have modules of their own are asked in one cycle and answer in the next.
  Cycle lookahead_cycles() const {
    return steps_.empty() && !make_switch_ && !config_.as_modules() ? never : 1;
  }
  /// Cycles of an access of a port's cache; without caches 1, in which the memory takes a request.
  Cycle access_cycles() const { return config_.has_caches() ? config_.timing.cache_cycles : 1; }
  /// For VcNetwork: makes a switch's part.
  std::unique_ptr<RouteLookup> make(graph::RouterId router, ClockDomain& domain);

  /// Every destination whose packets pass an input port is in its cache, in a random order of destinations
  /// where they do not all fit.
  void warm_all();
  /// Warms the cache of one port with the destinations given, in their order.
  void warm(graph::PortRef port, const std::vector<NodeId>& destinations);
  /// The destinations whose packets from other nodes, and from this port's own, pass each input port: one
  /// list for each port of each router.
  std::vector<std::vector<std::vector<NodeId>>> destinations_of_ports() const;

  /// Between cycle `now` and the next one: empties the caches of all switches.
  void flush_all(Cycle now);
  lookup::SwitchLookup& at(graph::RouterId router) { return *switches_[router]; }
  /// The switch's hardware as modules; null: it has another form.
  lookup::SwitchModules* modules_at(graph::RouterId router);
  const lookup::SwitchLookup& at(graph::RouterId router) const { return *switches_[router]; }
  const lookup::NodeKeys& keys() const { return keys_; }

  lookup::LookupCounters counters() const;
  /// Caches in all switches: one for each input port.
  std::uint64_t caches() const;
  /// Units in all switches that search compact tables.
  std::uint64_t search_units() const;
  /// Counters, rates and energy after `cycles` cycles of `period`.
  void add_to(observe::Results& results, Cycle cycles, ClockPeriod period) const;

  /// The memory holds words for heads that do not go by coordinates.
  bool by_words() const { return image_ != nullptr && image_->table_form() == routing::TableForm::words; }

 private:
  class Steps;
  std::unique_ptr<lookup::SwitchLookup> make_modules(const SwitchPlace& place);
  SwitchPlace place_of(graph::RouterId router, ClockDomain& domain);
  bool ask(graph::PortRef at, NodeId destination, routing::RouteSet& ways) const;
  /// Calls visit(router, in_port) for all input ports at which normal packets for `destination` are looked
  /// up.
  template <class Visit>
  void walk(NodeId destination, std::vector<NodeId>& seen, const Visit& visit) const;
  std::uint64_t inputs() const;
  void add_energy(observe::Results& results, Cycle cycles, ClockPeriod period) const;

  const lookup::LookupConfig config_;
  const graph::Topology& topology_;
  const routing::Routing& routing_;
  const routing::TableImage* image_;  ///< null: compact tables with several candidates
  const Cycle rc_cycles_;
  lookup::NodeKeys keys_;
  const lookup::CacheShape shape_;
  const lookup::LookupParts parts_;
  std::unique_ptr<PinClock> pin_clock_;  ///< of modules; null: there are none
  MakeSwitch make_switch_;               ///< empty: all switches are as the configuration says
  lookup::ModuleRtl module_rtl_;
  std::vector<lookup::SwitchLookup*> switches_;
  std::vector<std::unique_ptr<Steps>> steps_;  ///< of switches whose ports share a memory
  std::vector<std::uint32_t> first_port_;      ///< per router, among the ports of all
};

}  // namespace tsuji::network
