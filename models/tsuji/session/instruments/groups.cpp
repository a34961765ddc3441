// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tsuji/instruments/crosspoint_waves.h"
#include "tsuji/machines/grouped/gateway_waves.h"
#include "tsuji/session/instrument_table.h"
#include "tsuji/session/instruments/member_places.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {
namespace {

/// Counters of the switches and gateways of groups of Cenju-4 nodes, and waveforms of the groups of selected
/// nodes.
class Groups final : public Instrument {
 public:
  static bool watches(const WatchedRun& run) { return machine_of(run) != nullptr; }
  explicit Groups(const WatchedRun& run) : run_(run), machine_(*machine_of(run)) {}
  /// Channels know their FIFOs after elaboration.
  void elaborate() override {
    if (run_.wave == nullptr) return;
    machine_.elaborate();
    first_cycle_ = run_.options.record_cycles(run_.loaded.domain().period()).first;
    const GroupLines lines = lines_of(run_.config.watch.nodes);
    for (unsigned group = 0; group < machine_.groups(); ++group)
      if (!lines[group].empty()) add_waves(group, lines[group]);
  }
  void begin() override {
    for (const auto& waves : waves_) waves->begin(first_cycle_);
  }
  void report(const RunEnd&, observe::Results& results) override {
    const crosspoint::SwitchCounters switches = machine_.switch_counters();
    const machines::GatewayCounters gateways = machine_.gateway_counters();
    results.metric("switch_packets", switches.packets_received, "packets");
    results.metric("switch_copies", switches.replicated, "packets");
    results.metric("switch_merges", switches.merged, "packets");
    results.metric("gateway_packets", gateways.from_group, "packets");
    results.metric("gateway_multicasts", gateways.multicasts, "packets");
    results.metric("gateway_synchronizations", gateways.synchronizations, "packets");
    results.metric("gateway_copies", gateways.copied, "packets");
    results.metric("gateway_releases", gateways.released, "packets");
    results.metric("synchronization_bits", synchronization_bits(), "bits");
    add_table(results);
  }
  void show(observe::Results& results) override {
    results.show("switch_packets", "packets into crosspoint switches");
    results.show("switch_copies", "  copies made there, of multicasts and barriers");
    results.show("gateway_packets", "packets into gateways from their groups");
    results.show("gateway_multicasts", "  multicasts");
    results.show("gateway_synchronizations", "  synchronizations");
  }

 private:
  using GroupLines = std::vector<std::set<unsigned>>;

  static machines::GroupedMachine* machine_of(const WatchedRun& run) {
    return dynamic_cast<machines::GroupedMachine*>(run.cenju4_nodes);
  }
  /// Bits of the synchronization tables of all switches and gateways.
  std::uint64_t synchronization_bits() const {
    std::uint64_t bits = machine_.groups() * machines::GatewayBarriers::bits(machine_.groups());
    for (unsigned group = 0; group < machine_.groups(); ++group) {
      const graph::Multistage& stages = machine_.group(group).topology();
      bits += std::uint64_t{stages.stages()} * stages.switches_per_stage() *
              crosspoint::SyncTable::bits(stages.radix());
    }
    return bits;
  }
  /// Lines of these nodes in their groups, and of the gateways; empty: all nodes.
  GroupLines lines_of(const std::vector<unsigned>& chosen) const {
    GroupLines lines(machine_.groups());
    const unsigned members = machine_.nodes() / machine_.groups();
    const auto add = [&](NodeId node) {
      std::set<unsigned>& own = lines[node / members];
      own.insert(node % members);
      own.insert(machine_.group(node / members).topology().gateway_line());
    };
    for (const unsigned node : chosen) add(node);
    for (NodeId node = 0; chosen.empty() && node < machine_.nodes(); ++node) add(node);
    return lines;
  }
  /// Adds a group's waves; if the group is shown as a whole, with all channels between its switches.
  void add_waves(unsigned group, const std::set<unsigned>& lines) {
    const ClockPeriod& period = run_.loaded.domain().period();
    instruments::CrosspointWavesConfig config;
    config.first_cycle = first_cycle_;
    config.last_cycle = run_.options.record_cycles(period).last;
    const graph::Multistage& topology = machine_.group(group).topology();
    if (lines.size() <= topology.nodes()) config.lines.assign(lines.begin(), lines.end());
    config.scope = "group" + std::to_string(group);
    config.group_prefix = "group " + std::to_string(group) + ", ";
    config.followed = run_.followed;
    follow_nodes(lines, group, true);
    waves_.push_back(
        std::make_unique<instruments::CrosspointWaves>(machine_.group(group), period, *run_.wave, config));
    follow_nodes(lines, group, false);
    add_gateway(group, config);
  }
  /// Follows a packet from its node's interface to the channel, or from the channel to the interface.
  void follow_nodes(const std::set<unsigned>& lines, unsigned group, bool sends) {
    const graph::Multistage& topology = machine_.group(group).topology();
    for (const unsigned line : lines) {
      if (line >= topology.nodes()) continue;
      const NodeId node = topology.first_node() + line;
      const std::string channel = "group" + std::to_string(group) + ".node" + std::to_string(node);
      run_.followed->include(channel + (sends ? ".out" : ".in"),
                             sends ? member_sends(node) : member_receives(node));
      if (sends) run_.followed->kinds_begin_at(channel + ".out");
    }
  }
  void add_gateway(unsigned group, const instruments::CrosspointWavesConfig& config) {
    const std::string scope = config.scope + ".gateway", heading = config.group_prefix + "gateway";
    gateways_.push_back(std::make_unique<machines::GatewayWaves>(
        machines::GatewayWaves::Parts{machine_, group, *run_.wave, scope, heading,
                                      [this](const Packet& packet, const std::string& place, Cycle at) {
                                        run_.followed->comes(packet, place, at);
                                      }}));
    const std::string out = scope + ".to_others", in = scope + ".from_others";
    run_.followed->add(out, {heading + " to others", {out + ".state", out + ".packet"}});
    run_.followed->add(in, {heading + " from others", {in + ".state", in + ".packet", scope + ".round"}});
  }
  void add_table(observe::Results& results) const {
    observe::ResultTable& table = results.table("gateways", {{"gateway", ""},
                                                             {"from_group", "packets"},
                                                             {"to_others", "packets"},
                                                             {"from_others", "packets"},
                                                             {"to_group", "packets"},
                                                             {"multicasts", "packets"},
                                                             {"synchronizations", "packets"},
                                                             {"releases", "packets"}});
    for (unsigned group = 0; group < machine_.groups(); ++group) {
      const machines::GatewayCounters& own = machine_.gateway(group).counters();
      table.row({group, own.from_group, own.to_others, own.from_others, own.to_group, own.multicasts,
                 own.synchronizations, own.released});
    }
  }

  const WatchedRun& run_;
  machines::GroupedMachine& machine_;
  Cycle first_cycle_ = 0;  ///< of the waveform
  std::vector<std::unique_ptr<instruments::CrosspointWaves>> waves_;
  std::vector<std::unique_ptr<machines::GatewayWaves>> gateways_;
};

}  // namespace

void add_groups(InstrumentTable& table) {
  add_instrument<Groups>(table);
}

}  // namespace tsuji::session
