// SPDX-License-Identifier: Apache-2.0
#include "crosspoint/cenju4_rtl.h"

#include <algorithm>
#include <memory>

#include "crosspoint/rtl_switch.h"
#include "network/network_rtl.h"
#include "network/rtl_places.h"
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

class SwitchRtlFeature {
 public:
  explicit SwitchRtlFeature(const std::vector<SwitchRtlKind>& table) : table_(table) {}

  void add_keys(config::KeyTable& keys) {
    keys.add("rtl.places", places_,
             "RTL that replaces models of crosspoint switches, switch=PLACE+PLACE; places: all, or switches, "
             "numbered stage by stage");
  }

  void validate(const Cenju4RunConfig& config) const {
    if (places_.empty()) return;
    const machines::Cenju4Config& machine = config.machine;
    const graph::Multistage topology(machine.network.topology);
    (void)switch_places(places_, topology.stages() * topology.switches_per_stage());
    if (machine.network.switch_kind != crosspoint_kind)
      throw ConfigError("switch.kind", machine.network.switch_kind, "the RTL of rtl.places is another switch",
                        crosspoint_kind);
    const FaultInjectorConfig& faults = machine.faults;
    for (const auto& [key, value] : {std::pair("faults.single_bit_per_flit", faults.single_bit_per_flit),
                                     std::pair("faults.double_bit_per_flit", faults.double_bit_per_flit),
                                     std::pair("faults.lost_per_flit", faults.lost_per_flit)})
      if (value > 0)
        throw ConfigError(key, "", "the switch in RTL does not check packets for errors",
                          "0, or no rtl.places");
    (void)fitting(machine);
  }

  /// The selected switches with RTL in its places.
  SwitchKind replace(const SwitchKind& model, const CrosspointNetworkConfig& config) const {
    if (places_.empty()) return model;
    const graph::Multistage topology(config.topology);
    const unsigned width = topology.switches_per_stage();
    SwitchKind kind = model;
    kind.name = "crosspoint switch in RTL";
    kind.combines = false;
    kind.make = [model, width, rtl = rtl_, places = switch_places(places_, topology.stages() * width)](
                    const crosspoint::SwitchParts& parts) {
      const bool is_rtl = places.count(parts.place.stage * width + parts.place.index) != 0;
      return is_rtl ? rtl_switch(*rtl, parts) : model.make(parts);
    };
    return kind;
  }

 private:
  /// The first RTL that fits the machine; ConfigError by the last one if none does.
  const SwitchRtlKind& fitting(const machines::Cenju4Config& machine) const {
    for (const SwitchRtlKind& rtl : table_) {
      try {
        check(rtl, machine);
        rtl_ = &rtl;
        return rtl;
      } catch (const ConfigError&) {
        if (&rtl == &table_.back()) throw;
      }
    }
    throw ConfigError("rtl.places", places_, "no RTL is linked into this executable", "");
  }

  const std::vector<SwitchRtlKind>& table_;
  std::string places_;
  mutable const SwitchRtlKind* rtl_ = nullptr;  ///< that validate() has found
};

ConfigError bad_places(const std::string& text, const std::string& problem, unsigned switches) {
  return {
      "rtl.places", text, problem,
      "switch=all, or switch= with switches 0.." + std::to_string(switches - 1) + " joined by +, each once"};
}

}  // namespace

std::set<unsigned> switch_places(const std::string& text, unsigned switches) {
  const std::vector<RtlDevice> devices{{"switch"}};
  std::set<unsigned> places;
  for (const WrittenPlaces& written : read_places(text, devices)) {
    if (written.places == std::vector<std::string>{"all"}) {
      for (unsigned place = 0; place < switches; ++place) places.insert(place);
      continue;
    }
    for (const std::string& place : written.places) {
      const auto number = number_below(place, switches);
      if (!number) throw bad_places("switch=" + place, "no place of this network", switches);
      if (!places.insert(*number).second) throw bad_places("switch=" + place, "a place twice", switches);
    }
  }
  return places;
}

int rtl_cenju4_main(int argc, char** argv, const std::vector<SwitchRtlKind>& table) {
  const auto feature = std::make_shared<SwitchRtlFeature>(table);
  session::Cenju4Program program;
  program.description = "A Cenju-4 style machine with RTL that replaces crosspoint switches";
  program.add_kinds = [feature](Cenju4RunConfig& config) {
    config.machine.network.replace_switches = [feature](const SwitchKind& model,
                                                        const CrosspointNetworkConfig& network) {
      return feature->replace(model, network);
    };
  };
  program.add_keys = [feature](config::KeyTable& keys) { feature->add_keys(keys); };
  program.validate = [feature](const Cenju4RunConfig& config) { feature->validate(config); };
  program.key_options = {
      {"--rtl", "rtl.places", "PLACES",
       "RTL that replaces models, switch=PLACE+PLACE; places: all, or switches: --set rtl.places=PLACES"}};
  return session::cenju4_main(argc, argv, program);
}

}  // namespace tsuji::bench
