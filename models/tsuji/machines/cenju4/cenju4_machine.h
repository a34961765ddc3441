// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "tsuji/core/described.h"
#include "tsuji/machines/cenju4/cenju4_config.h"
#include "tsuji/machines/cenju4/cenju4_nodes.h"
#include "tsuji/network/crosspoint/crosspoint_network.h"
#include "tsuji/nic/nic_observer.h"
#include "tsuji/observe/network_metrics.h"
#include "tsuji/observe/wave.h"

namespace tsuji::machines {

/// Cenju-4 machine: nodes on a multistage network of crosspoint switches, with one clock. Processors run half
/// a period later, so that their actions fall between two clock edges.
class Cenju4Machine final : public sc_core::sc_module, public Cenju4Nodes, public Described {
 public:
  std::string stands_for() const override { return "Cenju-4 (Kanoh 2000, section 2)"; }
  /// Builds the machine; `switch_kind` as for CrosspointNetwork. Throws ConfigError if the library needs an
  /// ability that the switches lack.
  Cenju4Machine(sc_core::sc_module_name name, const Cenju4Config& config,
                const crosspoint::SwitchKind& switch_kind = {});
  /// The simulation must have ended.
  ~Cenju4Machine() override;

  /// Switches and channels.
  network::CrosspointNetwork& network() { return network_; }
  /// Switches and channels.
  const network::CrosspointNetwork& network() const { return network_; }
  /// Clock of network and network interfaces.
  const ClockDomain& clock() const { return clock_; }

  /// Metrics of all nodes and switches. Call it between cycles.
  observe::NetworkMetrics metrics() const;
  /// Sums over all fault injectors.
  FaultInjector::Counters fault_counters() const;
  /// Number of packets dropped by receivers and, because of a damaged port flit, by switches.
  std::uint64_t packets_dropped() const;

 private:
  static ClockDomainConfig network_clock(const Cenju4Config& config);
  void build_fault_injectors();
  std::string machine_name() const override { return name(); }
  std::uint64_t flits_in_network() const override { return network_.flits_in_flight(); }
  std::string held_report(unsigned limit) const override { return network_.held_report(limit); }
  /// Sent + replicated - merged - dropped = delivered, and the switches' own accounts.
  void check_conservation() const override;
  void check_conservation_under_way(Cycle now) const override;

  PacketPool pool_;
  ClockDomain clock_, host_clock_;
  network::CrosspointNetwork network_;
  std::vector<std::unique_ptr<FaultInjector>> injectors_;
};

}  // namespace tsuji::machines
