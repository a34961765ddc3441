// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "tsuji/core/described.h"
#include "tsuji/interconnect/initiator_port.h"
#include "tsuji/interconnect/interconnect_config.h"
#include "tsuji/interconnect/port_calendar.h"
#include "tsuji/interconnect/station.h"
#include "tsuji/interconnect/target_port.h"
#include "tsuji/network/config/network_plan.h"
#include "tsuji/network/loaded_network.h"

namespace tsuji::interconnect {

/// Source of a node without sockets, such as a cycle-accurate model of a client; null: it sends nothing. Its
/// packets have a class of messages (Emission::sid) and go to nodes without sockets.
using MakeClient = std::function<std::unique_ptr<traffic::EmissionSource>(NodeId)>;

/// A virtual-channel network as a TLM-2.0 interconnect: a target socket for each initiator, an initiator
/// socket for each target, and packets of requests and responses in between.
///
///     TlmNetwork noc("noc", TlmNetworkConfig::read("soc.yaml"));
///     cpu.socket.bind(noc.for_initiator("cpu"));
///     noc.for_target("ram").bind(ram.socket);
///     noc.run_for(sc_core::sc_time(1, sc_core::SC_MS));
///     noc.check_end();
///
/// Time in cycles of the network's clock, for whole cycles:
/// - a request or response that a module gives at time t is born in the first cycle that begins after t;
/// - a request reaches its target, and a response its initiator, in the cycle in which the last word of its
///   last packet arrives.
///
/// Contract: constructed before elaboration ends; all sockets are bound. check_end() after the last run.
class TlmNetwork final : public sc_core::sc_module, public Described {
 public:
  std::string stands_for() const override { return "a network between sockets of TLM-2.0"; }
  /// A network with the plan of its configuration. Throws ConfigError.
  TlmNetwork(sc_core::sc_module_name name, const TlmNetworkConfig& config, const MakeClient& client = {});
  /// A network of `parts`, without sources, with these sockets. What `parts` refers to outlives the network.
  /// Throws ConfigError.
  TlmNetwork(sc_core::sc_module_name name, const network::LoadedParts& parts, const InterconnectConfig& tlm,
             const MakeClient& client = {});
  /// Ends the network; its sockets must not be used any more.
  ~TlmNetwork() override;

  /// Socket that an initiator binds to. Throws ConfigError for a name that the configuration lacks.
  tlm::tlm_target_socket<>& for_initiator(const std::string& name);
  /// Socket that binds to a target. Throws ConfigError for a name that the configuration lacks.
  tlm::tlm_initiator_socket<>& for_target(const std::string& name);

  /// Runs the kernel for `time`. Rethrows the exception of a model.
  void run_for(const sc_core::sc_time& time);
  /// Throws ModelError unless each transaction is answered once and each packet has arrived. Rethrows the
  /// exception of a model.
  void check_end();
  /// Transactions of an initiator.
  const InitiatorCounts& counts(const std::string& initiator) const;
  /// Transactions of all initiators.
  InitiatorCounts counts() const;
  /// Requests at a target that are not answered.
  unsigned held(const std::string& target) const;
  /// Adds a group of rows for each socket to a waveform: command, address and length of the transaction that
  /// has begun last, the phases of the base protocol, transactions without an answer. Called before the first
  /// cycle; `wave` outlives the run.
  void add_wave(observe::Wave& wave);
  /// Routers, links and nodes.
  network::LoadedNetwork& network() { return *loaded_; }

  SC_HAS_PROCESS(TlmNetwork);

 private:
  TlmNetwork(sc_core::sc_module_name name, std::unique_ptr<const TlmNetworkConfig> config,
             const MakeClient& client);
  void construct(const network::LoadedParts& parts, const InterconnectConfig& tlm, const MakeClient& client);
  void add_ports(const network::LoadedParts& parts, const InterconnectConfig& tlm);
  void run_ports();

  std::unique_ptr<const TlmNetworkConfig> own_config_;
  std::unique_ptr<const network::NetworkPlan> own_plan_;
  AddressMap addresses_;
  std::vector<std::unique_ptr<Station>> stations_;  ///< [node]; until the network has them
  std::vector<Station*> station_at_;                ///< [node]; null: no sockets
  std::unique_ptr<network::LoadedNetwork> loaded_;
  std::unique_ptr<PortCalendar> calendar_;
  InitiatorPorts initiators_;
  std::vector<std::unique_ptr<TargetPort>> targets_;
};

}  // namespace tsuji::interconnect

namespace tsuji {
using interconnect::TlmNetwork;
using interconnect::TlmNetworkConfig;
}  // namespace tsuji
