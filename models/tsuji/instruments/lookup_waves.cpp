// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/lookup_waves.h"

#include <algorithm>

namespace tsuji::instruments {
namespace {

/// Heading of an input's part for FollowedPackets.
std::string cache_at(graph::RouterId router, unsigned port) {
  return "cache of router " + std::to_string(router) + " input " + std::to_string(port);
}

}  // namespace

class LookupWaves::RouterWave final : public lookup::LookupProbe {
 public:
  RouterWave(const Parts& parts, graph::RouterId router) : parts_(parts) {
    const std::string name = "r" + std::to_string(router),
                      group = "look-ups of router " + std::to_string(router);
    const unsigned node_bits = observe::bits_for(parts.topology.nodes() - 1);
    for (unsigned port = 0; port < parts.topology.ports(router); ++port) {
      const std::string path = "network." + name + ".in" + std::to_string(port);
      Port signals;
      signals.lookup = parts.wave.add(path + ".lookup", 2, observe::WaveFormat::decimal, group);
      parts.wave.name_value(signals.lookup, idle, "-");
      parts.wave.name_value(signals.lookup, hit_value, "hit");
      parts.wave.name_value(signals.lookup, miss_value, "miss");
      signals.destination =
          parts.wave.add(path + ".destination", node_bits, observe::WaveFormat::decimal, group);
      ports_.push_back(signals);
      parts.followed.add(path, {cache_at(router, port), {path + ".lookup"}});
    }
    parts.lookup.at(router).set_probe(this);
  }

  void on_look(unsigned port, NodeId destination, bool hit, Cycle access) override {
    if (access > parts_.last_cycle) return;
    const Port& signals = ports_[port];
    const auto time = [&](Cycle cycle) { return parts_.domain.time_of(cycle).value(); };
    // The next look-up begins when this one ends or later, and is reported later, so it overwrites this
    // change.
    parts_.wave.change(signals.lookup, time(access), hit ? hit_value : miss_value);
    parts_.wave.change(signals.destination, time(access), std::uint64_t{destination});
    parts_.wave.change(signals.lookup, time(access + parts_.lookup.access_cycles()), idle);
  }

 private:
  static constexpr std::uint64_t idle = 0, hit_value = 1, miss_value = 2;
  struct Port {
    observe::SignalId lookup = 0, destination = 0;
  };
  const Parts& parts_;
  std::vector<Port> ports_;
};

/// Signals between the modules of a switch's look-up hardware.
class LookupWaves::WiresWave {
 public:
  WiresWave(const Parts& parts, graph::RouterId router, lookup::SwitchModules& modules)
      : parts_(parts), modules_(modules) {
    const std::string scope = "network.r" + std::to_string(router) + ".lookup.",
                      group = "look-up modules of router " + std::to_string(router);
    for (lookup::SwitchModules::Wire& wire : modules.wires()) {
      Signal signal;
      const bool named = !wire.names.empty();
      signal.id = parts.wave.add(
          scope + wire.path, wire.bits,
          named || wire.bits == 1 ? observe::WaveFormat::decimal : observe::WaveFormat::hex, group);
      for (std::size_t value = 0; value < wire.names.size(); ++value)
        parts.wave.name_value(signal.id, value, wire.names[value]);
      signal.wire = std::move(wire);
      signals_.push_back(std::move(signal));
    }
    for (unsigned port = 0; port < parts.topology.ports(router); ++port) follow(router, port, scope);
    modules.set_watch([this](Cycle next) { look(next); });
  }
  ~WiresWave() { modules_.set_watch(nullptr); }

 private:
  struct Signal {
    observe::SignalId id = 0;
    lookup::SwitchModules::Wire wire;
    std::uint64_t value = 0;
  };
  /// Adds an input's modules and its memory, in the order of a look-up that misses.
  void follow(graph::RouterId router, unsigned port, const std::string& scope) const {
    const std::string at = std::to_string(port), place = "network.r" + std::to_string(router) + ".in" + at;
    parts_.followed.add(place, {cache_at(router, port), {scope + "port" + at + ".state"}});
    const auto is_shared = [&](const Signal& signal) { return signal.wire.path == "cam.request_valid"; };
    const bool shared = std::any_of(signals_.begin(), signals_.end(), is_shared);
    const std::string cam = shared ? "cam" : "cam" + at;
    parts_.followed.add(place,
                        {(shared ? "CAM of router " : "CAM " + at + " of router ") + std::to_string(router),
                         {scope + cam + ".request_operation", scope + cam + ".request_valid"}});
  }
  void look(Cycle next) {
    if (next > parts_.last_cycle) return;
    for (Signal& signal : signals_) {
      const std::uint64_t value = signal.wire.value();
      if (value == signal.value) continue;
      signal.value = value;
      const Cycle cycle = signal.wire.before_edge ? next - 1 : next;
      parts_.wave.change(signal.id, parts_.domain.time_of(cycle).value(), value);
    }
  }

  const Parts& parts_;
  lookup::SwitchModules& modules_;
  std::vector<Signal> signals_;
};

LookupWaves::LookupWaves(const Parts& parts, const std::vector<graph::RouterId>& routers) : parts_(parts) {
  std::vector<graph::RouterId> wanted = routers;
  for (graph::RouterId id = 0; id < parts.topology.routers() && routers.empty(); ++id) wanted.push_back(id);
  for (const graph::RouterId id : wanted) {
    routers_.push_back(std::make_unique<RouterWave>(parts_, id));
    if (lookup::SwitchModules* const modules = parts_.lookup.modules_at(id))
      wires_.push_back(std::make_unique<WiresWave>(parts_, id, *modules));
  }
}

LookupWaves::~LookupWaves() = default;

}  // namespace tsuji::instruments
