// SPDX-License-Identifier: Apache-2.0
#include "crosspoint/cenju4_rtl.h"

#include <algorithm>
#include <memory>

#include "crosspoint/rtl_switch.h"
#include "network/network_rtl.h"
#include "network/rtl_places.h"
#include "nic/rtl_nic.h"
#include "tsuji/core/error.h"
#include "tsuji/session/cenju4/cenju4_main.h"

namespace tsuji::bench {
namespace {

using crosspoint::CrosspointConfig;
using crosspoint::SwitchKind;
using network::CrosspointNetworkConfig;
using session::Cenju4RunConfig;

constexpr const char* crosspoint_kind = "crosspoint";

/// ConfigError for a machine that the RTL does not fit.
void check(const SwitchRtlKind& rtl, const machines::Cenju4Config& machine) {
  const CrosspointConfig &of_rtl = rtl.config, &one = machine.network.crosspoint;
  want_number("network.radix", machine.network.topology.radix, of_rtl.ports);
  want_number("switch.fifo_packets", one.fifo_packets, of_rtl.fifo_packets);
  want_number("switch.single_cast_cycles", one.single_cast_cycles, of_rtl.single_cast_cycles);
  want_number("switch.multicast_cycles", one.multicast_cycles, of_rtl.multicast_cycles);
  want_number("switch.synchronization_cycles", one.synchronization_cycles, of_rtl.synchronization_cycles);
  want_number("switch.table_access_cycles", one.table_access_cycles, of_rtl.table_access_cycles);
  want_number("switch.reserve_after", one.reserve_after, of_rtl.reserve_after);
  const unsigned largest = machine.nic.sizes.largest();  // of headers and data
  if (largest > rtl.longest_flits)
    throw ConfigError("sizes.flits_per_word", std::to_string(machine.nic.sizes.flits_per_word),
                      "the largest packet, of " + std::to_string(largest) + " flits, is too long for the RTL",
                      "sizes.* that give up to " + std::to_string(rtl.longest_flits) + " flits");
}

/// ConfigError for a machine that the RTL does not fit.
void check(const NicRtlKind& rtl, const machines::Cenju4Config& machine) {
  const nic::NicConfig& one = machine.nic;
  want_number("sizes.header_flits", one.sizes.header_flits, rtl.sizes.header_flits);
  want_number("sizes.multicast_header_flits", one.sizes.multicast_header_flits,
              rtl.sizes.multicast_header_flits);
  want_number("sizes.synchronization_header_flits", one.sizes.synchronization_header_flits,
              rtl.sizes.synchronization_header_flits);
  want_number("sizes.flits_per_word", one.sizes.flits_per_word, rtl.sizes.flits_per_word);
  want_number("sender.fifo_packets", one.sender.fifo_packets, rtl.places);
  want_number("sender.choose_cycles", one.sender.choose_cycles, 1);
  want_number("sender.build_header_cycles", one.sender.build_header_cycles, 1);
  want_number("receiver.fifo_packets", one.receiver.fifo_packets, rtl.slots);
}

/// The first RTL of a table that fits the machine; ConfigError by the last one if none does.
template <class Kind>
const Kind& fitting(const std::vector<Kind>& table, const machines::Cenju4Config& machine) {
  for (const Kind& rtl : table) {
    try {
      check(rtl, machine);
      return rtl;
    } catch (const ConfigError&) {
      if (&rtl == &table.back()) throw;
    }
  }
  throw ConfigError("rtl.places", "", "no RTL is linked into this executable", "");
}

class RtlFeature {
 public:
  explicit RtlFeature(const Cenju4Rtl& tables) : tables_(tables) {}

  void add_keys(config::KeyTable& keys) {
    keys.add(
        "rtl.places", places_,
        "RTL that replaces models, switch=PLACE+PLACE,nic=PLACE+PLACE; places: all, or crosspoint switches, "
        "numbered stage by stage, and nodes");
  }

  void validate(const Cenju4RunConfig& config) {
    if (places_.empty()) return;
    const machines::Cenju4Config& machine = config.machine;
    const graph::Multistage topology(machine.network.topology);
    switches_ = rtl_places(places_, "switch", topology.stages() * topology.switches_per_stage());
    interfaces_ = rtl_places(places_, "nic", machine.network.topology.nodes);
    if (machine.network.switch_kind != crosspoint_kind)
      throw ConfigError("switch.kind", machine.network.switch_kind, "the RTL of rtl.places is another switch",
                        crosspoint_kind);
    if (!interfaces_.empty()) {
      if (config.kind == Cenju4RunConfig::synthetic)
        throw ConfigError("workload.kind", config.kind, "packets without nodes pass no interface",
                          "another kind, or no nic in rtl.places");
      nic_ = &fitting(tables_.interfaces, machine);
    }
    if (switches_.empty()) return;
    const FaultInjectorConfig& faults = machine.faults;
    for (const auto& [key, value] : {std::pair("faults.single_bit_per_flit", faults.single_bit_per_flit),
                                     std::pair("faults.double_bit_per_flit", faults.double_bit_per_flit),
                                     std::pair("faults.lost_per_flit", faults.lost_per_flit)})
      if (value > 0)
        throw ConfigError(key, "", "the switch in RTL does not check packets for errors",
                          "0, or no switches in rtl.places");
    switch_ = &fitting(tables_.switches, machine);
  }

  /// The selected switches with RTL in its places.
  SwitchKind replace(const SwitchKind& model, const CrosspointNetworkConfig& config) const {
    if (places_.empty()) return model;
    const graph::Multistage topology(config.topology);
    const unsigned width = topology.switches_per_stage();
    const std::set<unsigned> switches = rtl_places(places_, "switch", topology.stages() * width);
    if (switches.empty()) return model;
    SwitchKind kind = model;
    kind.name = "crosspoint switch in RTL";
    kind.combines = false;
    kind.make = [model, width, rtl = switch_, switches](const crosspoint::SwitchParts& parts) {
      const bool is_rtl = switches.count(parts.place.stage * width + parts.place.index) != 0;
      return is_rtl ? rtl_switch(*rtl, parts) : model.make(parts);
    };
    return kind;
  }

  std::unique_ptr<nic::PacketBuilder> builder(NodeId node) const {
    return interfaces_.count(node) != 0 ? rtl_builder(*nic_, node) : nullptr;
  }
  std::unique_ptr<nic::PacketCheck> check_of(NodeId node, PacketPool& pool) const {
    return interfaces_.count(node) != 0 ? rtl_check(*nic_, node, pool) : nullptr;
  }

 private:
  const Cenju4Rtl& tables_;
  std::string places_;
  // Of validate():
  std::set<unsigned> switches_, interfaces_;
  const SwitchRtlKind* switch_ = nullptr;
  const NicRtlKind* nic_ = nullptr;
};

ConfigError bad_places(const std::string& word, const std::string& place, const std::string& problem,
                       unsigned count) {
  const std::string of = word == "switch" ? "switches" : "nodes";
  return {"rtl.places", word + "=" + place, problem,
          word + "=all, or " + word + "= with " + of + " 0.." + std::to_string(count - 1) +
              " joined by +, each once"};
}

}  // namespace

std::set<unsigned> rtl_places(const std::string& text, const std::string& word, unsigned count) {
  const std::vector<RtlDevice> devices{{"switch"}, {"nic"}};
  std::set<unsigned> places;
  for (const WrittenPlaces& written : read_places(text, devices)) {
    if (written.device->word != word) continue;
    if (written.places == std::vector<std::string>{"all"}) {
      for (unsigned place = 0; place < count; ++place) places.insert(place);
      continue;
    }
    for (const std::string& place : written.places) {
      const auto number = number_below(place, count);
      if (!number) throw bad_places(word, place, "no place of this network", count);
      if (!places.insert(*number).second) throw bad_places(word, place, "a place twice", count);
    }
  }
  return places;
}

int rtl_cenju4_main(int argc, char** argv, const Cenju4Rtl& rtl) {
  const auto feature = std::make_shared<RtlFeature>(rtl);
  session::Cenju4Program program;
  program.description =
      "A Cenju-4 style machine with RTL that replaces crosspoint switches and parts of interfaces";
  program.add_kinds = [feature](Cenju4RunConfig& config) {
    config.machine.network.replace_switches = [feature](const SwitchKind& model,
                                                        const CrosspointNetworkConfig& network) {
      return feature->replace(model, network);
    };
    config.machine.parts.builder = [feature](NodeId node, const nic::PacketSizes&) {
      return feature->builder(node);
    };
    config.machine.parts.check = [feature](NodeId node, PacketPool& pool) {
      return feature->check_of(node, pool);
    };
  };
  program.add_keys = [feature](config::KeyTable& keys) { feature->add_keys(keys); };
  program.validate = [feature](const Cenju4RunConfig& config) { feature->validate(config); };
  program.key_options = {
      {"--rtl", "rtl.places", "PLACES",
       "RTL that replaces models, switch=PLACE+PLACE,nic=PLACE+PLACE; places: all, or switches and "
       "nodes: --set rtl.places=PLACES"}};
  return session::cenju4_main(argc, argv, program);
}

}  // namespace tsuji::bench
