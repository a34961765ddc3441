// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/instruments/crosspoint_log.h"
#include "tsuji/instruments/vc_network_log.h"
#include "tsuji/machines/cenju4/cenju4_log.h"
#include "tsuji/machines/grouped/gateway_log.h"
#include "tsuji/machines/tree/tree_log.h"
#include "tsuji/machines/tree/tree_machine.h"
#include "tsuji/session/instrument_table.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {
namespace {

/// Log lines of routers, links and nodes, of Cenju-4 nodes' network interfaces and processors, of
/// switches and gateways of their groups, and of units of their tree.
class Log final : public Instrument {
 public:
  explicit Log(const WatchedRun& run)
      : run_(run), network_({run.loaded.network(), run.loaded.pool(), *run.log}) {
    if (run.cenju4_nodes != nullptr) nodes_.emplace(*run.cenju4_nodes, *run.log);
    network_.faults(run.loaded.supervisor().schedule());
    run.loaded.supervisor().tell_of_drops([this](const Packet& packet, network::NetworkDropCause cause,
                                                 const network::VcNetwork::InputPlace& place,
                                                 Cycle now) { network_.dropped(packet, cause, place, now); });
    if (run.reconfiguration != nullptr)
      run.reconfiguration->tell_of_phases([this](graph::RouterId router,
                                                 const faults::ReconfigurationNode* node,
                                                 Cycle at) { network_.phase(router, node, at); });
    if (run.loaded.retry() == nullptr) return;
    run.loaded.retry()->tell_of_tries(
        [this](const Packet& packet, traffic::RetryState::Kind kind) { network_.retried(packet, kind); },
        [this](NodeId source, const traffic::RetryKey& key, Cycle now) {
          network_.given_up(source, key, now);
        });
  }
  /// Switches know their ports after elaboration.
  void elaborate() override {
    log_units();
    auto* const machine = dynamic_cast<machines::GroupedMachine*>(run_.cenju4_nodes);
    if (machine == nullptr) return;
    machine->elaborate();
    for (unsigned group = 0; group < machine->groups(); ++group) {
      const std::string number = std::to_string(group);
      instruments::CrosspointLogNames names{"switch." + number + ".", "nic.", "gateway." + number};
      const observe::RunLog::Module gateway = run_.log->add(names.gateway);
      groups_.push_back(
          std::make_unique<instruments::CrosspointLog>(machine->group(group), *run_.log, std::move(names)));
      if (gateway.logs(observe::LogLevel::debug))
        gateways_.push_back(std::make_unique<machines::GatewayLog>(*machine, group, *run_.log, gateway));
    }
  }
  void delivered(const observe::DeliveredPacket& packet) override { network_.delivered(packet); }

 private:
  void log_units() {
    auto* const machine = dynamic_cast<machines::TreeMachine*>(run_.cenju4_nodes);
    if (machine == nullptr) return;
    machine->elaborate();
    machines::TreeUnits& units = machine->units();
    for (graph::RouterId router = 0; router < units.tree().routers(); ++router) {
      const observe::RunLog::Module unit = run_.log->add("unit." + std::to_string(router));
      if (unit.logs(observe::LogLevel::debug) && units.unit(router) != nullptr)
        units_.push_back(std::make_unique<machines::TreeLog>(units.port(router), *run_.log, unit));
    }
  }

  const WatchedRun& run_;
  instruments::VcNetworkLog network_;
  std::optional<machines::Cenju4Log> nodes_;
  std::vector<std::unique_ptr<instruments::CrosspointLog>> groups_;
  std::vector<std::unique_ptr<machines::GatewayLog>> gateways_;
  std::vector<std::unique_ptr<machines::TreeLog>> units_;
};

class LogKind final : public InstrumentKind {
  std::vector<observe::LogModules> log_modules(const NetworkRunConfig& config,
                                               const graph::Topology& topology) const override {
    std::vector<observe::LogModules> modules = instruments::VcNetworkLog::modules(topology);
    const NetworkWorkload& workload = config.workload;
    if (workload.kind == NetworkWorkloadKind::synthetic || workload.nic == NicKind::packetizer)
      return modules;
    for (observe::LogModules& of_nodes :
         machines::Cenju4Log::modules(topology.nodes() * workload.nodes_each()))
      modules.push_back(std::move(of_nodes));
    if (workload.nic == NicKind::cenju4_tree) modules.push_back({"unit", {topology.routers()}});
    if (workload.nic == NicKind::cenju4_groups) {
      const graph::Multistage group(workload.groups.network_of(0).topology);
      modules.push_back({"switch", {topology.nodes(), group.stages(), group.switches_per_stage()}});
      modules.push_back({"gateway", {topology.nodes()}});
    }
    return modules;
  }
  bool sees_deliveries(const platform::RunOptions& options) const override {
    return options.log_selection.has_value();
  }
  std::unique_ptr<Instrument> make(const WatchedRun& run) const override {
    if (run.log == nullptr) return nullptr;
    return std::make_unique<Log>(run);
  }
};

}  // namespace

void add_log(InstrumentTable& table) {
  table.push_back(std::make_unique<LogKind>());
}

}  // namespace tsuji::session
