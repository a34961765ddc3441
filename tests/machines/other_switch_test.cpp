// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <sstream>

#include "machines/crosspoint_load.h"
#include "machines/machines.h"
#include "support/catch.h"
#include "support/forked.h"
#include "support/network_bench.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "tsuji/crosspoint/crosspoint_switch.h"
#include "tsuji/instruments/crosspoint_waves.h"

// A switch of another kind in a multistage network: a class and a SwitchKind.

using namespace tsuji;
using namespace tsuji::test;
using crosspoint::SwitchKind;
using crosspoint::SwitchParts;
using crosspoint::WaitingPacket;

namespace {

/// Binds channels with room for one packet an output.
void bind_ports(const std::vector<crosspoint::SwitchPort>& ports, Clocked& switch_module) {
  for (const crosspoint::SwitchPort& port : ports) {
    port.in->bind_receiver(switch_module, static_cast<unsigned>(ports.size()), 1, 0);
    port.out->bind_sender(switch_module);
  }
}

/// Store-and-forward switch with one packet per output, without multicast. A complete packet moves into its
/// output's buffer when that is empty, inputs in turn, and leaves when the output's receiver has room.
class OnePacketSwitch final : public crosspoint::PacketSwitch {
 public:
  explicit OnePacketSwitch(const SwitchParts& parts, bool counts_twice = false)
      : ports_(parts.ports),
        counted_(counts_twice ? 2 : 1),
        route_(parts.route),
        waiting_(ports_.size() * ports_.size()),
        outputs_(ports_.size()) {}

  void bind(Clocked& self) override {
    self_ = &self;
    bind_ports(ports_, self);
  }

  void step(Cycle now) override {
    for (std::size_t input = 0; input < ports_.size(); ++input) receive(input, now);
    for (std::size_t output = 0; output < ports_.size(); ++output) serve(output, now);
    if (counters_.held != 0) self_->wake_at(now + 1);
  }

  const crosspoint::SwitchCounters& counters() const override { return counters_; }
  void visit_waiting(const std::function<void(const WaitingPacket&)>& visit) const override {
    for (std::size_t output = 0; output < ports_.size(); ++output) {
      const Place& buffer = outputs_[output].buffer;
      if (buffer.transfer.packet)
        visit({"buffer " + std::to_string(output), buffer.transfer.packet->id, "room"});
    }
  }

 private:
  struct Place {
    PacketTransfer transfer;
    Cycle tail = 0;  ///< arrival of the tail
  };
  struct Output {
    Place buffer;
    Cycle free_at = 0;
    std::size_t next = 0;  ///< input whose turn it is
  };

  void receive(std::size_t input, Cycle now) {
    PacketTransfer transfer;
    Cycle head = 0;
    while (ports_[input].in->receive(now, transfer, head)) {
      const auto output = static_cast<std::size_t>(__builtin_ctz(transfer.port_bits));
      counters_.packets_received += counted_;
      ++counters_.held;
      counters_.held_flits += transfer.packet->flits;
      transfer.port_bits = route_.next_ports(static_cast<unsigned>(output), *transfer.packet);
      ++transfer.hops;
      const Cycle tail = head + transfer.packet->flits - 1;
      waiting_[input * ports_.size() + output] = {std::move(transfer), tail};
    }
  }

  void serve(std::size_t o, Cycle now) {
    Output& output = outputs_[o];
    const auto& wants = output.buffer.transfer;
    if (wants.packet && now > output.buffer.tail && now >= output.free_at &&
        (ports_[o].out->room(now) & wants.port_bits) == wants.port_bits)
      send(o, now);
    if (output.buffer.transfer.packet || now < output.free_at) return;
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      const std::size_t input = (output.next + i) % ports_.size();
      Place& place = waiting_[input * ports_.size() + o];
      if (!place.transfer.packet || place.tail > now) continue;
      output.buffer = {std::move(place.transfer), now};
      place.transfer = {};
      ports_[input].in->release(static_cast<unsigned>(o), now);
      output.next = input + 1;
      return;
    }
  }

  void send(std::size_t o, Cycle now) {
    PacketTransfer leaving = std::move(outputs_[o].buffer.transfer);
    outputs_[o].buffer.transfer = {};
    const unsigned flits = leaving.packet->flits;
    outputs_[o].free_at = now + flits;
    ++counters_.packets_sent;
    --counters_.held;
    counters_.flits_sent += flits;
    counters_.held_flits -= flits;
    ports_[o].out->send(now, std::move(leaving));
  }

  const std::vector<crosspoint::SwitchPort> ports_;
  const unsigned counted_;  ///< times that an arrival is counted
  const graph::SwitchRoute& route_;
  std::vector<Place> waiting_;  ///< [input][output]
  std::vector<Output> outputs_;
  Clocked* self_ = nullptr;
  crosspoint::SwitchCounters counters_;
};

/// Accepts all packets, and forwards none.
class KeepingSwitch final : public crosspoint::PacketSwitch {
 public:
  explicit KeepingSwitch(const SwitchParts& parts) : ports_(parts.ports) {}
  void bind(Clocked& self) override { bind_ports(ports_, self); }
  void step(Cycle now) override {
    PacketTransfer transfer;
    Cycle head = 0;
    for (const crosspoint::SwitchPort& port : ports_) {
      while (port.in->receive(now, transfer, head)) {
        ++counters_.packets_received;
        ++counters_.held;
        counters_.held_flits += transfer.packet->flits;
        kept_.push_back(transfer.packet);
      }
    }
  }
  const crosspoint::SwitchCounters& counters() const override { return counters_; }
  void visit_waiting(const std::function<void(const WaitingPacket&)>& visit) const override {
    for (const PacketRef& packet : kept_) visit({"shelf", packet->id, "a lorry"});
  }

 private:
  const std::vector<crosspoint::SwitchPort> ports_;
  std::vector<PacketRef> kept_;
  crosspoint::SwitchCounters counters_;
};

SwitchKind one_packet_switch() {
  SwitchKind kind;
  kind.name = "one-packet switch";
  kind.make = [](const SwitchParts& parts) { return std::make_unique<OnePacketSwitch>(parts); };
  return kind;
}

machines::Cenju4Config machine_of(unsigned nodes, unsigned radix, unsigned stages = 0) {
  machines::Cenju4Config machine;
  machine.network.topology.nodes = nodes;
  machine.network.topology.radix = radix;
  machine.network.topology.stages = stages;
  machine.nic.sizes.header_flits = 6;  // so that packets of 10 flits carry 8 bytes
  return machine;
}

/// A network of switches of one kind under a uniform load.
class LoadOf {
 public:
  LoadOf(const machines::Cenju4Config& machine, double flits_per_node_cycle, Cycle cycles,
         const SwitchKind& kind, machines::LoadedCrosspoints::OnDelivered on_delivered = {})
      : load_(machine, flits_per_node_cycle, cycles) {
    auto parts = load_.parts();
    parts.switch_kind = kind;
    parts.on_delivered = std::move(on_delivered);
    loaded_ = std::make_unique<machines::LoadedCrosspoints>(parts);
  }
  machines::LoadedCrosspoints* operator->() { return loaded_.get(); }

 private:
  CrosspointLoad load_;
  std::unique_ptr<machines::LoadedCrosspoints> loaded_;
};

/// The signals of a waveform.
class Signals final : public observe::Wave {
 public:
  observe::SignalId add(const std::string& path, unsigned, observe::WaveFormat, const std::string&) override {
    paths.push_back(path);
    return static_cast<observe::SignalId>(paths.size() - 1);
  }
  void change(observe::SignalId signal, Picoseconds, std::uint64_t) override { ++changes[paths[signal]]; }
  void change(observe::SignalId signal, Picoseconds, const std::string&) override {
    ++changes[paths[signal]];
  }
  void name_value(observe::SignalId, std::uint64_t, const std::string&) override {}
  void advance(Picoseconds) override {}
  void close() override {}

  bool any(const std::string& part) const {
    return std::any_of(paths.begin(), paths.end(),
                       [&](const std::string& path) { return path.find(part) != std::string::npos; });
  }
  std::vector<std::string> paths;
  std::map<std::string, unsigned> changes;
};

}  // namespace

TEST_CASE("a network of switches of another kind delivers uniform traffic, and its accounts hold") {
  const auto play = [](ProcessMode processes, std::uint64_t shuffle) {
    machines::Cenju4Config machine = machine_of(16, 2);
    machine.process_mode = processes;
    machine.shuffle_seed = shuffle;
    std::ostringstream out;
    LoadOf loaded(machine, 0.3, 1000, one_packet_switch(), [&](const observe::DeliveredPacket& packet) {
      out << packet.id << ' ' << packet.head_cycle << ' ' << packet.tail_cycle << ' ' << packet.hops << '\n';
    });
    std::string report;
    for (Cycle end = 1; end < 500; ++end) {
      loaded->run_to(end);
      loaded->network().check_conservation(end);
      const auto counters = loaded->network().counters();
      if (report.empty() && counters.held > 20) report = loaded->network().held_report(99);
    }
    if (report.find("buffer 1: packet ") == std::string::npos) return "no report: " + report;
    loaded->run_to(20000);
    loaded->check_conservation();
    const auto fates = loaded->fates();
    if (fates.delivered != fates.born || fates.born < 300) return std::string("packets are missing");
    if (loaded->network().flits_in_flight() != 0) return std::string("flits are left");
    if (loaded->network().counters().flits_sent != fates.born * 10 * 4) return std::string("wrong flit-hops");
    // Within a cycle, deliveries come in the order of modules.
    std::vector<std::string> lines;
    std::istringstream in(out.str());
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    std::sort(lines.begin(), lines.end());
    std::string text;
    for (const std::string& line : lines) text += line + '\n';
    return text;
  };
  const std::string expected = forked([&] { return play(ProcessMode::one_for_all, 0); });
  INFO(expected.substr(0, 200));
  CHECK(std::count(expected.begin(), expected.end(), '\n') > 300);
  CHECK(forked([&] { return play(ProcessMode::process_each, 0); }) == expected);
  CHECK(forked([&] { return play(ProcessMode::one_for_all, 7); }) == expected);
}

TEST_CASE("crosspoint switches with adapters on their channels give the same packets") {
  const auto play = [](crosspoint::SwitchMode mode, bool adapters) {
    crosspoint::CrosspointConfig crosspoints;
    crosspoints.mode = mode;
    SwitchKind kind = crosspoint::crosspoint_switch(crosspoints);
    kind.synchronizes = !adapters;  // an input then looks at what comes
    std::map<PacketId, Cycle> tails;
    LoadOf loaded(machine_of(16, 4), 0.8, 1000, kind,
                  [&](const observe::DeliveredPacket& packet) { tails[packet.id] = packet.tail_cycle; });
    loaded->run_to(20000);
    loaded->check_conservation();
    std::string text;
    for (const auto& [id, tail] : tails) text += packet_name(id) + ' ' + std::to_string(tail) + '\n';
    return text;
  };
  using crosspoint::SwitchMode;
  const std::string expected = forked([&] { return play(SwitchMode::flit_by_flit, false); });
  CHECK(std::count(expected.begin(), expected.end(), '\n') > 1000);
  CHECK(forked([&] { return play(SwitchMode::flit_by_flit, true); }) == expected);
  CHECK(forked([&] { return play(SwitchMode::event_per_packet, true); }) == expected);
}

TEST_CASE("a switch with wrong accounts is reported by name") {
  SwitchKind kind = one_packet_switch();
  kind.make = [](const SwitchParts& parts) {
    return std::make_unique<OnePacketSwitch>(parts, parts.place.stage == 1 && parts.place.index == 0);
  };
  LoadOf loaded(machine_of(4, 2), 0.3, 200, kind);
  loaded->run_to(1000);
  CHECK_THROWS_WITH(loaded->check_conservation(),
                    Catch::Contains("network.switch1_0, cycle") && Catch::Contains("packets received + 0"));
}

TEST_CASE("a switch of another kind works among crosspoint switches") {
  const auto head = [](bool mixed) {
    return std::stoul(forked([&] {
      NetworkBench::Options options;
      options.network = machine_of(16, 4, 3).network;
      crosspoint::CrosspointConfig crosspoints;
      crosspoints.ports = 4;
      const SwitchKind kind = crosspoint::crosspoint_switch(crosspoints);
      options.switch_kind = kind;
      options.switch_kind.make = [&](const SwitchParts& parts) -> std::unique_ptr<crosspoint::PacketSwitch> {
        if (!mixed || parts.place.stage != 1) return kind.make(parts);
        return std::make_unique<OnePacketSwitch>(parts);
      };
      traffic::Emission packet;
      packet.created = 10;
      packet.flits = 40;
      packet.destination = 9;
      NetworkBench bench(options, from({{3, {packet}}}));
      bench.run();
      return bench.conserved() ? std::to_string(bench.arrivals.at(0).head) : std::string("0");
    }));
  };
  // A crosspoint switch takes 10 cycles from head to head.
  CHECK(head(true) - head(false) == 40 + 1 - 10);
}

TEST_CASE("store and forward in a switch of another kind: a further stage costs the packet and the channel") {
  const unsigned flits = GENERATE(7U, 10U, 103U);
  const unsigned cable_cycles = GENERATE(0U, 3U);
  const auto head = [&](unsigned stages) {
    return std::stoul(forked([&] {
      NetworkBench::Options options;
      options.network = machine_of(16, 4, stages).network;
      options.network.cable_cycles = cable_cycles;
      options.switch_kind = one_packet_switch();
      traffic::Emission packet;
      packet.created = 10;
      packet.flits = static_cast<std::uint16_t>(flits);
      packet.destination = 9;
      NetworkBench bench(options, from({{3, {packet}}}));
      bench.run();
      return bench.conserved() ? std::to_string(bench.arrivals.at(0).head) : std::string("0");
    }));
  };
  CHECK(head(3) - head(2) == flits + 1 + cable_cycles);
}

TEST_CASE("whole nodes on switches of another kind: parcels and barriers by messages") {
  machines::Cenju4Config config = small_machine(9);
  config.library.barrier = host::BarrierMethod::tree;
  config.library.broadcast = host::BroadcastMethod::tree;
  machines::Cenju4Machine machine("machine", config, one_packet_switch());
  platform::Cenju4Job job(machine);
  std::vector<std::uint64_t> found(9);
  run_script(job, [&](host::RankRuntime& runtime) {
    const host::HeapBlock from(runtime.heap, 8), to(runtime.heap, 8);
    runtime.cpu.store(to.address(), 0);
    runtime.cpu.store(from.address(), 100 + runtime.rank());
    runtime.collectives.barrier();
    const std::uint32_t next = (runtime.rank() + 1) % runtime.ranks();
    runtime.paralib.put(host::Target::pe(next), from.address(), to.address(), 8);
    runtime.waiter.until([&] { return runtime.cpu.load(to.address()) != 0; }, "the parcel", to.address());
    found[runtime.rank()] = runtime.cpu.load(to.address());
    runtime.collectives.barrier();
  });
  for (std::uint64_t rank = 0; rank < 9; ++rank) CHECK(found[rank] == 100 + (rank + 8) % 9);
  check_accounts(machine);
}

TEST_CASE("a report of waiting programs lists 32 of the network's packets, and counts the others") {
  machines::Cenju4Config config = small_machine(35);
  config.library.barrier = host::BarrierMethod::tree;
  config.library.broadcast = host::BroadcastMethod::tree;
  config.resolve();
  SwitchKind kind;
  kind.name = "keeping switch";
  kind.make = [](const SwitchParts& parts) { return std::make_unique<KeepingSwitch>(parts); };
  machines::Cenju4Machine machine("machine", config, kind);
  platform::Cenju4Job job(machine);
  const std::string text = text_of<ModelError>([&] {
    run_script(job, [](host::RankRuntime& runtime) {
      const host::HeapBlock from(runtime.heap, 8), to(runtime.heap, 8);
      const std::string what = "a parcel";
      runtime.cpu.store(to.address(), 0);
      runtime.cpu.store(from.address(), 1);
      const std::uint32_t next = (runtime.rank() + 1) % runtime.ranks();
      runtime.paralib.put(host::Target::pe(next), from.address(), to.address(), 8);
      runtime.waiter.until([&] { return runtime.cpu.load(to.address()) != 0; }, what, to.address());
    });
  });
  const unsigned flits = 35 * config.nic.sizes.flits(PacketKind::single_cast, 8);
  CHECK_THAT(text, Catch::Contains("35 of 35 programs wait forever; the network holds " +
                                   std::to_string(flits) + " flits"));
  // Each packet is in the first switch, which has four nodes.
  CHECK_THAT(text, Catch::Contains("\n  switch0_0 shelf: packet 0.") &&
                       Catch::Contains("\n  switch0_7 shelf: packet 31.") && !Catch::Contains("packet 32.") &&
                       Catch::Contains(" waits for a lorry\n  and 3 more packets in front"));
}

TEST_CASE("waveforms of switches without synchronization show channels and FIFOs, and no table") {
  Signals signals;
  LoadOf loaded(machine_of(4, 2), 0.3, 100, one_packet_switch());
  loaded->elaborate();
  const instruments::CrosspointWaves waves(loaded->network(), ClockPeriod(12500), signals, {});
  loaded->run_to(1000);
  CHECK(signals.changes["network.stage0.line0.packet"] > 0);
  CHECK(signals.changes["network.stage0.line0.fifo0.packets"] > 0);
  CHECK_FALSE(signals.any("sync"));
}

TEST_CASE("packets that switches of a kind do not support end the run, with module, cycle and packet") {
  const auto play = [](PacketKind packet_kind, SwitchKind kind) {
    return forked([&] {
      NetworkBench::Options options;
      options.network = machine_of(16, 4).network;
      options.switch_kind = std::move(kind);
      traffic::Emission packet;
      packet.kind = packet_kind;
      packet.created = 5;
      packet.flits = 10;
      packet.map = 1U << 3;
      NetworkBench bench(options, from({{3, {packet}}}));
      bench.run();
      return std::string("it ran");
    });
  };
  CHECK_THAT(play(PacketKind::multicast, one_packet_switch()),
             Catch::Contains("network.switch0_3, cycle 6, packet 3.0: a one-packet switch cannot multicast"));
  CHECK_THAT(play(PacketKind::synchronization, one_packet_switch()),
             Catch::Contains("a one-packet switch cannot synchronize"));
  SwitchKind multicasts = one_packet_switch(), synchronizes = one_packet_switch();
  multicasts.multicasts = true;
  synchronizes.synchronizes = true;
  CHECK(play(PacketKind::multicast, multicasts) == "it ran");
  CHECK_THAT(play(PacketKind::synchronization, multicasts), Catch::Contains("cannot synchronize"));
  CHECK(play(PacketKind::synchronization, synchronizes) == "it ran");
  CHECK_THAT(play(PacketKind::multicast, synchronizes), Catch::Contains("cannot multicast"));
}

TEST_CASE("a switch that does not report its synchronizations refuses a probe of them") {
  struct Onlooker final : crosspoint::SyncProbe {
    void on_entry(Cycle, unsigned, std::uint32_t, std::uint32_t, std::uint32_t) override {}
  } onlooker;
  const auto refusal = [&](bool tells) {
    return forked([&] {
      SwitchKind kind = one_packet_switch();
      kind.tells_synchronizations = tells;
      LoadOf loaded(machine_of(4, 2), 0, 1, kind);
      loaded->elaborate();
      loaded->network().at(0, 1).set_sync_probe(&onlooker);
      return std::string("taken");
    });
  };
  CHECK_THAT(refusal(false),
             Catch::Contains("network.switch0_1: a one-packet switch does not report its synchronizations"));
  CHECK_THAT(refusal(true), Catch::Contains("switches of this kind do not report their synchronizations"));
}

TEST_CASE("a library that needs abilities that switches of a kind lack is refused before elaboration") {
  machines::Cenju4Config config = small_machine(9);
  CHECK_THROWS_WITH(machines::Cenju4Machine("machine", config, one_packet_switch()),
                    Catch::Contains("library.barrier") &&
                        Catch::Contains("a one-packet switch cannot multicast or synchronize"));

  using host::BarrierMethod;
  using host::BroadcastMethod;
  const auto refused = [&](unsigned nodes, BarrierMethod barrier, BroadcastMethod broadcast, bool multicasts,
                           bool synchronizes) -> std::string {
    config.network.topology.nodes = nodes;
    config.library.barrier = barrier;
    config.library.broadcast = broadcast;
    const auto error = thrown<ConfigError>([&] {
      config.check_library({multicasts, synchronizes, false}, "no");
    });
    return error ? error->key() + "=" + error->value() + ": " + error->accepted() : "";
  };
  const auto hardware = BarrierMethod::hardware, adds = BarrierMethod::multicast_add,
             tree = BarrierMethod::tree;
  const std::string by_messages = "tree or dissemination";
  CHECK(refused(64, hardware, BroadcastMethod::tree, false, true).empty());
  CHECK(refused(64, hardware, BroadcastMethod::tree, true, false) ==
        "library.barrier=hardware: hierarchical, multicast_add, " + by_messages);
  CHECK(refused(65, hardware, BroadcastMethod::tree, true, false).empty());
  CHECK(refused(65, hardware, BroadcastMethod::tree, false, true) ==
        "library.barrier=hardware: " + by_messages);
  CHECK(refused(9, adds, BroadcastMethod::tree, true, false).empty());
  CHECK(refused(9, adds, BroadcastMethod::tree, false, true) ==
        "library.barrier=multicast_add: " + by_messages);
  CHECK(refused(9, BarrierMethod::hierarchical, BroadcastMethod::tree, true, false).empty());
  CHECK(refused(9, BarrierMethod::hierarchical, BroadcastMethod::tree, false, true) ==
        "library.barrier=hierarchical: " + by_messages);
  CHECK(refused(9, tree, BroadcastMethod::tree, false, false).empty());
  CHECK(refused(9, tree, BroadcastMethod::hardware, true, false).empty());
  CHECK(refused(9, tree, BroadcastMethod::hardware, false, true) == "library.broadcast=hardware: tree");
}
