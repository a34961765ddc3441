// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/tlm_main.h"

#include <algorithm>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/core/refusals.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/express_mesh.h"
#include "tsuji/graph/hyperx.h"
#include "tsuji/network/config/network_plan.h"
#include "tsuji/platform/network_slices.h"
#include "tsuji/session/instrument_table.h"
#include "tsuji/session/modules_option.h"
#include "tsuji/session/network_prints.h"
#include "tsuji/session/node_work.h"

namespace tsuji::session {
namespace {

/// Configuration of a run: the network's, and the sockets'.
struct TlmRunConfig {
  NetworkRunConfig run;
  interconnect::InterconnectConfig tlm;
  Cycle cycles = 10'000'000;                    ///< longest run
  interconnect::TlmNetwork* network = nullptr;  ///< network of the present run; null: there is none

  void add_keys(config::KeyTable& keys) {
    network::add_network_keys(keys, run.machine);
    network::add_network_fault_keys(keys, run.machine);
    network::add_network_deadlock_keys(keys, run.machine);
    run.machine.classes.add_keys(keys);
    tlm.add_keys(keys);
    keys.add("tlm.cycles", cycles, {1, Cycle{1} << 48}, "cycles",
             "longest run; it ends before that when the clients are done");
    add_watch_keys(keys, run.watch);
    for (const auto& instrument : run.instruments) instrument->add_keys(keys);
  }
  void resolve() {
    tlm.resolve(run.machine);
    run.machine.resolve();
  }
  void validate() const {
    Refusals refusals;
    refusals.take([&] { run.machine.validate(); });
    refusals.take([&] { tlm.validate(run.machine); });
    refusals.refuse();
    tlm.check_nodes(network::make_topology(run.machine).nodes());
  }
};

/// A group of rows in the waveform for each socket.
class SocketSignals final : public InstrumentKind {
 public:
  explicit SocketSignals(const TlmRunConfig& config) : config_(config) {}
  std::unique_ptr<Instrument> make(const WatchedRun& run) const override {
    if (run.wave != nullptr && config_.network != nullptr) config_.network->add_wave(*run.wave);
    return nullptr;
  }

 private:
  const TlmRunConfig& config_;
};

/// The transactions of a program's clients.
class TlmWork final : public NodeWork {
 public:
  TlmWork(TlmRunConfig& config, const TlmProgram& program, const NodeWorkParts& parts)
      : config_(config), program_(program), options_(parts.options) {}
  ~TlmWork() override { config_.network = nullptr; }

  void construct(network::LoadedNetwork::Parts parts) override {
    const network::LoadedNetwork::OnDelivered record = std::move(parts.on_delivered);
    parts.on_delivered = [this, record](const observe::DeliveredPacket& packet) {
      metrics_.record_delivery(packet.tail_cycle - packet.created, packet.flits, packet.hops);
      if (record) record(packet);
    };
    tlm_ = std::make_unique<interconnect::TlmNetwork>("tlm", parts, config_.tlm);
    config_.network = tlm_.get();
    clients_ = program_.make_clients(*tlm_);
  }
  network::LoadedNetwork& network() override { return tlm_->network(); }
  void play(const std::function<void(Cycle now)>& advance, observe::Results& results) override {
    constexpr Cycle slice_cycles = 1000;
    network::LoadedNetwork& network = tlm_->network();
    platform::NetworkSlices slices(network, options_, results, advance);
    try {
      while (!at_rest() && network.now() < config_.cycles) {
        slices.run_to(std::min(network.now() + slice_cycles, config_.cycles));
        options_.progress->update(static_cast<double>(network.now()) / static_cast<double>(config_.cycles));
        if (network.idle()) break;
      }
      network.check_conservation();
      if (at_rest() || network.idle()) tlm_->check_end();
      if (at_rest()) return;
      if (network.idle())
        return results.warn("the clients are not done, and wait for what never comes: nothing is pending");
      results.warn("the clients were not done when the run ended, in cycle tlm.cycles");
    } catch (const platform::Interrupted&) {
    }
  }
  observe::NetworkMetrics metrics(const observe::Results&) override {
    metrics_.flits_offered = network().accounts().flits_sent();
    network().accounts().add_counters(metrics_);
    return metrics_;
  }
  Cycle end_cycle() const override { return tlm_->network().now(); }
  void add_to(observe::Results& results) override {
    const interconnect::InitiatorCounts all = tlm_->counts();
    results.metric("transactions", all.answered, "");
    results.metric("transaction_errors", all.errors, "");
    results.metric("transaction_bytes", all.data_bytes, "bytes");
    auto& table = results.table("initiators", {{"initiator", ""},
                                               {"transactions", ""},
                                               {"errors", ""},
                                               {"data", "bytes"},
                                               {"time_mean", "ns"},
                                               {"time_most", "ns"}});
    for (const interconnect::InitiatorConfig& one : config_.tlm.read_initiators()) {
      const interconnect::InitiatorCounts& counts = tlm_->counts(one.name);
      const bool any = counts.answered != 0;
      table.row(
          {one.name, counts.answered, counts.errors, counts.data_bytes,
           any ? observe::Value(static_cast<double>(counts.ps_sum) / 1000.0 /
                                static_cast<double>(counts.answered))
               : observe::Value(nullptr),
           any ? observe::Value(static_cast<double>(counts.most_ps) / 1000.0) : observe::Value(nullptr)});
    }
    clients_->report(results);
  }
  void show(observe::Results& results) override {
    results.show("transactions", "transactions");
    results.show("transaction_bytes", "  their data");
    results.show("packets_delivered", "packets");
    results.show("latency_cycles_mean", "packet latency, mean");
    results.show("hops_mean", "routers visited, mean");
    results.show_rows("initiators", 16, "initiators");
  }
  std::string headline(const std::string& network_text) const override {
    return "TLM-2.0 on " + network_text;
  }

 private:
  /// True if all transactions that have begun are answered.
  bool answered() const {
    const interconnect::InitiatorCounts all = tlm_->counts();
    return all.begun == all.answered && tlm_->network().accounts().packets_not_ended() == 0;
  }
  bool at_rest() const { return clients_->done() && answered(); }

  TlmRunConfig& config_;
  const TlmProgram& program_;
  const platform::RunOptions& options_;
  std::unique_ptr<interconnect::TlmNetwork> tlm_;
  std::unique_ptr<TlmClients> clients_;
  observe::NetworkMetrics metrics_;
};

void set_defaults(const TlmProgram& program, TlmRunConfig& config) {
  config.tlm.initiators = program.initiators;
  config.tlm.targets = program.targets;
  if (program.radices.empty()) return;
  auto& topology = config.run.machine.topology;  // kinds share the key and its default
  topology.of<graph::CubeConfig>().radices = program.radices;
  topology.of<graph::HyperXConfig>().radices = topology.of<graph::ExpressMeshConfig>().radices =
      program.radices;
}

platform::Platform make_tlm_platform(const std::string& name, const TlmProgram& program,
                                     const std::shared_ptr<DesignFacts>& facts) {
  const auto owned = std::make_shared<TlmRunConfig>();
  TlmRunConfig& config = *owned;
  set_defaults(program, config);
  if (program.set_defaults) program.set_defaults(config.run, config.tlm);
  config.run.workload.kind = NetworkWorkloadKind::trace;  // no synthetic load
  config.run.instruments.insert(config.run.instruments.begin(), std::make_unique<SocketSignals>(config));
  config.run.make_work = [&config, &program](const NodeWorkParts& parts) {
    return std::make_unique<TlmWork>(config, program, parts);
  };
  platform::Platform platform;
  platform.owned = owned;
  platform.name = name;
  platform.description = program.description;
  platform.leading_keys = {"tlm.initiators",      "tlm.targets",    "tlm.packet_bytes", "tlm.flit_bytes",
                           "tlm.cycles",          "topology.kind",  "routing.kind",     "router.vcs",
                           "router.buffer_flits", "clock_period_ps"};
  platform.add_keys = [&config, &program](config::KeyTable& keys) {
    config.add_keys(keys);
    if (program.add_keys) program.add_keys(keys);
  };
  platform.resolve = [&config] { config.resolve(); };
  platform.validate = [&config] { config.validate(); };
  platform.run = [&config](const platform::RunOptions& options, observe::Results& results) {
    run_network(config.run, options, results);
  };
  platform.renames = program.renames;
  platform.logs = true;
  platform.options = network_prints(config.run, facts);
  platform.options.push_back(
      modules_option([&config](const platform::RunOptions& options, const std::function<void()>& look) {
        build_network(config.run, options, look);
      }));
  return platform;
}

}  // namespace

int tlm_main(int argc, const char* const* argv, const TlmProgram& program) {
  return platform::run_platform(argc, argv,
                                make_tlm_platform(platform::executable_name(argc, argv, "tlm"), program,
                                                  std::make_shared<DesignFacts>()));
}

}  // namespace tsuji::session
