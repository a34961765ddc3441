#include "platforms/network/network_recorder.h"

#include <algorithm>

#include "tsuji/core/error.h"

namespace tsuji::platform {

void add_recorder_keys(config::KeyTable& keys, NetworkRecorderConfig& config) {
  keys.add("trace.routers", config.routers, {0, 1'000'000}, {0, 1024}, "",
           "routers in a waveform, with all their channels; none: all");
  keys.add("trace.nodes", config.nodes, {0, 1'000'000}, {0, 1024}, "",
           "nodes in a waveform, processor and network interface; none: all");
  keys.only_with("trace.nodes", {{"nic.kind", {"cenju4"}}});
  keys.add("trace.slots", config.slots, "stage of the flit in every buffer place, in a waveform");
  keys.add(
      "links.rows", config.links.rows, {0, 100'000'000}, "rows",
      "length of the tables in result.json: links, the busiest directions; predictions, the best inputs");
  keys.add("links.csv", config.links.csv, "links.csv in the output folder, with all directions of all links");
}

void NetworkRecorderConfig::validate_with(const graph::Topology& topology) const {
  fabric::VcNetworkWavesConfig waves;
  waves.routers = routers;
  waves.validate_with(topology);
  for (const unsigned node : nodes) {
    if (node < topology.nodes()) continue;
    throw ConfigError("trace.nodes", std::to_string(node), "there is no such node",
                      "0.." + std::to_string(topology.nodes() - 1) + ", or [] for all");
  }
}

NetworkRecorder::NetworkRecorder(const NetworkRecorderConfig& config, const RunOptions& options,
                                 const graph::Topology& topology)
    : config_(config), options_(options) {
  config_.validate_with(topology);
}

fabric::LoadedNetwork::OnDelivered NetworkRecorder::on_delivered() {
  if (!options_.record_packets) return {};
  return [this](const observe::DeliveredPacket& packet) { records_->add(packet, ledger_->take(packet)); };
}

void NetworkRecorder::attach(fabric::LoadedNetwork& loaded, observe::Results& results,
                             fabric::Reconfiguration* reconfiguration, fabric::Cenju4Nodes* nodes) {
  if (options_.record_signals) open_wave(loaded, results, reconfiguration, nodes);
  if (!options_.record_packets) return;
  ledger_ =
      std::make_unique<fabric::PacketLedger>(loaded.network(), loaded.pool(), reconfiguration != nullptr);
  records_ = options_.open_packet_records(ledger_->part_names(), loaded.domain().period(), results);
  loaded.supervisor().tell_of_drops([this](const Packet& packet, fabric::NetworkDropCause cause, Cycle now) {
    ledger_->forget(packet.id);
    records_->add_dropped(observe::DeliveredPacket::of(packet, 0, 0), now,
                          fabric::network_drop_cause_name(cause));
  });
}

void NetworkRecorder::open_wave(fabric::LoadedNetwork& loaded, observe::Results& results,
                                fabric::Reconfiguration* reconfiguration, fabric::Cenju4Nodes* nodes) {
  wave_ = options_.open_wave("network", results);
  const RunOptions::CycleWindow window = options_.record_cycles(loaded.domain().period());
  fabric::VcNetworkWavesConfig config;
  config.routers = config_.routers;
  config.slots = config_.slots;
  config.first_cycle = window.first;
  config.last_cycle = window.last;
  const fabric::VcNetworkWaves::Parts parts{loaded.network(), loaded.pool(), loaded.domain(), *wave_};
  if (reconfiguration != nullptr)
    reconfiguration_waves_ = std::make_unique<fabric::ReconfigurationWaves>(*reconfiguration, loaded.domain(),
                                                                            *wave_, config_.routers);
  waves_ = std::make_unique<fabric::VcNetworkWaves>(parts, config);
  if (loaded.lookup() != nullptr)
    lookup_waves_ = std::make_unique<fabric::LookupWaves>(
        fabric::LookupWaves::Parts{*loaded.lookup(), loaded.network().topology(), loaded.domain(), *wave_,
                                   config.last_cycle},
        config_.routers);
  if (nodes != nullptr) add_nodes(*nodes);
  if (reconfiguration_waves_) reconfiguration_waves_->begin();
}

void NetworkRecorder::add_nodes(fabric::Cenju4Nodes& nodes) {
  std::vector<NodeId> wanted(config_.nodes.begin(), config_.nodes.end());
  for (NodeId node = 0; node < nodes.nodes() && config_.nodes.empty(); ++node) wanted.push_back(node);
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  for (const NodeId node : wanted) {
    nodes.node(node).processor().add_wave(*wave_);
    nodes.node(node).interface().add_wave(*wave_);
  }
}

void NetworkRecorder::report_links(const fabric::LoadedNetwork& loaded, Cycle cycles,
                                   observe::Results& results) const {
  observe::add_link_report(
      config_.links, loaded.network().topology(), cycles,
      [&](const auto& visit) { loaded.for_each_link(visit); }, options_.file("links.csv"), results);
}

void NetworkRecorder::advance(Cycle now) {
  if (waves_) waves_->advance(now);
}

void NetworkRecorder::close() {
  if (waves_) waves_->finish();
  if (wave_) wave_->close();
  if (records_) records_->close();
}

}  // namespace tsuji::platform
