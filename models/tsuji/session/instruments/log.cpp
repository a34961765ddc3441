// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <utility>

#include "tsuji/instruments/vc_network_log.h"
#include "tsuji/machines/cenju4/cenju4_log.h"
#include "tsuji/session/instrument_table.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {
namespace {

/// Log lines of routers, links and nodes, and of Cenju-4 nodes' network interfaces and processors.
class Log final : public Instrument {
 public:
  explicit Log(const WatchedRun& run) : network_({run.loaded.network(), run.loaded.pool(), *run.log}) {
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
  void delivered(const observe::DeliveredPacket& packet) override { network_.delivered(packet); }

 private:
  instruments::VcNetworkLog network_;
  std::optional<machines::Cenju4Log> nodes_;
};

class LogKind final : public InstrumentKind {
  std::vector<observe::LogModules> log_modules(const NetworkRunConfig& config,
                                               const graph::Topology& topology) const override {
    std::vector<observe::LogModules> modules = instruments::VcNetworkLog::modules(topology);
    const NetworkWorkload& workload = config.workload;
    if (workload.kind == NetworkWorkloadKind::synthetic || workload.nic == NicKind::plain) return modules;
    for (observe::LogModules& of_nodes :
         machines::Cenju4Log::modules(topology.nodes() * workload.nodes_each()))
      modules.push_back(std::move(of_nodes));
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
