// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/network_recorder.h"

#include <algorithm>
#include <sstream>

#include "tsuji/core/error.h"
#include "tsuji/platform/empty_results.h"

namespace tsuji::session {

using platform::RunOptions;

void add_recorder_keys(config::KeyTable& keys, NetworkRecorderConfig& config) {
  keys.add("trace.routers", config.routers, {0, 1'000'000}, {0, 1024}, "",
           "routers in a waveform, with all their channels; none: all");
  keys.add("trace.nodes", config.nodes, {0, 1'000'000}, {0, 1024}, "",
           "nodes in a waveform, processor and network interface; none: all");
  keys.only_with("trace.nodes", {{"nic.kind", {"cenju4"}}});
  keys.add(
      "trace.packet", config.packet,
      "packet on whose route the view of a waveform opens, by source and serial number as 15.105; empty: the "
      "first one that the waveform shows");
  keys.add("trace.slots", config.slots, "stage of the flit in every buffer place, in a waveform");
  keys.add(
      "links.rows", config.links.rows, {0, 100'000'000}, "rows",
      "length of the tables in result.json: links, the busiest directions; predictions, the best inputs");
  keys.add("links.csv", config.links.csv, "links.csv in the output folder, with all directions of all links");
}

void NetworkRecorderConfig::validate_with(const graph::Topology& topology) const {
  instruments::VcNetworkWavesConfig waves;
  waves.routers = routers;
  waves.validate_with(topology);
  followed();
  for (const unsigned node : nodes) {
    if (node < topology.nodes()) continue;
    throw ConfigError("trace.nodes", std::to_string(node), "there is no such node",
                      "0.." + std::to_string(topology.nodes() - 1) + ", or [] for all");
  }
}

std::optional<PacketId> NetworkRecorderConfig::followed() const {
  if (packet.empty()) return std::nullopt;
  std::istringstream text(packet);
  std::uint32_t node = 0, serial = 0;
  char dot = 0, more = 0;
  const bool digits = packet.find_first_not_of("0123456789.") == std::string::npos;
  if (!digits || !(text >> node >> dot >> serial) || dot != '.' || text >> more ||
      packet_name(packet_id(node, serial)) != packet)
    throw ConfigError("trace.packet", packet, "names no packet",
                      "source and serial number as 15.105, or \"\"");
  return packet_id(node, serial);
}

NetworkRecorder::NetworkRecorder(const NetworkRecorderConfig& config, const RunOptions& options,
                                 const graph::Topology& topology)
    : config_(config), options_(options) {
  config_.validate_with(topology);
}

network::LoadedNetwork::OnDelivered NetworkRecorder::on_delivered() {
  if (!options_.record_packets) return {};
  return [this](const observe::DeliveredPacket& packet) { records_->add(packet, ledger_->take(packet)); };
}

void NetworkRecorder::attach(network::LoadedNetwork& loaded, observe::Results& results,
                             network::Reconfiguration* reconfiguration, machines::Cenju4Nodes* nodes) {
  if (options_.record_signals) open_wave(loaded, results, reconfiguration, nodes);
  if (!options_.record_packets) return;
  ledger_ = std::make_unique<instruments::PacketLedger>(loaded.network(), loaded.pool(),
                                                        reconfiguration != nullptr);
  records_ = options_.open_packet_records(ledger_->part_names(), loaded.domain().period(), results);
  loaded.supervisor().tell_of_drops([this](const Packet& packet, network::NetworkDropCause cause, Cycle now) {
    ledger_->forget(packet.id);
    records_->add_dropped(observe::DeliveredPacket::of(packet, 0, 0), now,
                          network::network_drop_cause_name(cause));
  });
}

void NetworkRecorder::open_wave(network::LoadedNetwork& loaded, observe::Results& results,
                                network::Reconfiguration* reconfiguration, machines::Cenju4Nodes* nodes) {
  wave_ = options_.open_wave("network", results);
  const RunOptions::CycleWindow window = options_.record_cycles(loaded.domain().period());
  instruments::VcNetworkWavesConfig config;
  config.routers = config_.routers;
  config.slots = config_.slots;
  config.first_cycle = window.first;
  config.last_cycle = window.last;
  config.packet = config_.followed();
  domain_ = &loaded.domain();
  buffer_flits_ = loaded.network().config().buffer_flits;
  const instruments::VcNetworkWaves::Parts parts{loaded.network(), loaded.pool(), loaded.domain(), *wave_};
  if (reconfiguration != nullptr)
    reconfiguration_waves_ = std::make_unique<instruments::ReconfigurationWaves>(
        *reconfiguration, loaded.domain(), *wave_, config_.routers);
  waves_ = std::make_unique<instruments::VcNetworkWaves>(parts, config);
  if (loaded.lookup() != nullptr)
    lookup_waves_ = std::make_unique<instruments::LookupWaves>(
        instruments::LookupWaves::Parts{*loaded.lookup(), loaded.network().topology(), loaded.domain(),
                                        *wave_, config.last_cycle},
        config_.routers);
  if (nodes != nullptr) add_nodes(*nodes);
  if (reconfiguration_waves_) reconfiguration_waves_->begin();
}

void NetworkRecorder::add_nodes(machines::Cenju4Nodes& nodes) {
  std::vector<NodeId> wanted(config_.nodes.begin(), config_.nodes.end());
  for (NodeId node = 0; node < nodes.nodes() && config_.nodes.empty(); ++node) wanted.push_back(node);
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  for (const NodeId node : wanted) {
    nodes.node(node).processor().add_wave(*wave_);
    nodes.node(node).interface().add_wave(*wave_);
  }
}

void NetworkRecorder::report(const network::LoadedNetwork& loaded, Cycle cycles,
                             observe::Results& results) const {
  observe::add_link_report(
      config_.links, loaded.network().topology(), cycles,
      [&](const auto& visit) { loaded.for_each_link(visit); }, options_.file("links.csv"), results);
  const platform::EmptyResults empty(options_, loaded.domain().period().ps_at(cycles), results);
  empty.check(wave_.get());
  empty.check(records_.get());
  if (waves_ && !config_.packet.empty() && !waves_->followed().found())
    empty.packet_not_found(config_.packet);
}

void NetworkRecorder::advance(Cycle now) {
  if (waves_) waves_->advance(now);
}

/// Of an input on a packet's route, the most telling ones first.
std::vector<std::string> NetworkRecorder::signal_names() const {
  std::vector<std::string> names = {"flit", ".packet", ".stage"};
  for (unsigned slot = 0; config_.slots && slot < buffer_flits_; ++slot)
    names.push_back(".slot" + std::to_string(slot));
  for (const char* name : {".occupancy", "prediction", "lookup"}) names.emplace_back(name);
  return names;
}

/// The save file opens on a packet's route: a screen of rows at most, and the time from before its first
/// router to after its last.
void NetworkRecorder::open_on_packet() {
  const instruments::FollowedPacket& packet = waves_->followed();
  constexpr std::size_t screen_rows = 36;
  constexpr Cycle before = 10;
  const auto node_signal = [](End node, const char* name) {
    return "node" + std::to_string(node.number()) + name;
  };
  observe::WaveView view;
  view.heading = packet.heading();
  view.scope = "network.";
  for (const char* name : {".processor.activity", ".nic.sender.spm"})
    view.paths.push_back(node_signal(packet.source(), name));
  for (const std::string& path : packet.signals(signal_names(), screen_rows)) view.paths.push_back(path);
  for (const char* name : {".nic.receiver.state", ".processor.activity"})
    view.paths.push_back(node_signal(packet.destination(), name));
  const Cycle margin = before + (packet.to() - packet.from()) / 8;
  const auto time_of = [this](Cycle cycle) { return domain_->time_of(cycle).value(); };
  view.from = time_of(packet.from() - std::min(margin, packet.from()));
  view.to = time_of(packet.to() + margin);
  wave_->open_on(view);
}

void NetworkRecorder::close() {
  if (waves_) waves_->finish();
  if (waves_ && waves_->followed().found()) open_on_packet();
  if (wave_) wave_->close();
  if (records_) records_->close();
}

}  // namespace tsuji::session
