// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>

#include "network/vc_rig.h"
#include "support/catch.h"
#include "support/forked.h"
#include "tsuji/config/key_table.h"
#include "tsuji/core/random.h"
#include "tsuji/machines/replay/trace_replay.h"
#include "workload/trace_op.h"

// The order in which a network's modules run must not change any result: random configurations, each run in
// several modes.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::machines;
using namespace tsuji::network::test;

namespace {

using Settings = std::vector<std::string>;  ///< as after --set

/// A configuration drawn from one case's random numbers.
class Draw {
 public:
  explicit Draw(std::uint64_t number) : random_(number, 1) {}

  Settings all() {
    topology();
    router();
    times();
    traffic();
    return std::move(settings_);
  }
  /// With routers that recover and predict, and links and routers that die.
  Settings all_recovering() {
    recovers_ = true;
    Settings settings = all();
    const auto contradicts = [](const std::string& setting) {
      for (const char* other :
           {"router.switching=store_and_forward",
            "router.route_at=", "router.dead_route=", "router.vc_change_cycles=",
            "router.block_timeout_cycles=", "link.faults=", "run.watchdog_cycles=", "router.uturn_n"})
        if (setting.rfind(other, 0) == 0) return true;
      return false;
    };
    settings.erase(std::remove_if(settings.begin(), settings.end(), contradicts), settings.end());
    settings_ = std::move(settings);
    recovery();
    return std::move(settings_);
  }

 private:
  unsigned below(unsigned count) { return static_cast<unsigned>(random_.below(count)); }
  bool one_in(unsigned count) { return below(count) == 0; }
  std::string any(const std::vector<std::string>& words) {
    return words[below(static_cast<unsigned>(words.size()))];
  }
  void set(const std::string& key, const std::string& value) { settings_.push_back(key + "=" + value); }
  void set(const std::string& key, unsigned value) { set(key, std::to_string(value)); }

  void topology() {
    struct Fabric {
      const char *topology, *routing;
      unsigned vcs;
    };
    constexpr Fabric fabrics[] = {{"mesh", "dimension_order", 1},
                                  {"torus", "dimension_order", 2},
                                  {"cube", "dimension_order", 2},
                                  {"torus", "duato", 3},
                                  {"mesh", "west_first", 1},
                                  {"mesh", "negative_first", 1},
                                  {"fat_tree", "least_common_ancestor", 1},
                                  {"fly", "destination_digits", 1},
                                  {"mesh", "valiant", 2},
                                  {"torus", "ugal", 4},
                                  {"mesh", "ugal", 2},
                                  {"mesh", "ugal_g", 2},
                                  {"random_regular", "up_down", 1},
                                  {"random_regular", "source_table", 4}};
    constexpr Fabric recovering[] = {{"torus", "detour_ud", 2}, {"mesh", "detour_ud", 3}};
    const Fabric& fabric = recovers_ ? recovering[below(2)] : fabrics[below(std::size(fabrics))];
    set("topology.kind", fabric.topology);
    set("routing.kind", fabric.routing);
    set("router.vcs", fabric.vcs + below(4));
    const std::string kind = fabric.topology;
    if (kind == "mesh" || kind == "torus" || kind == "cube") {
      const bool many = one_in(6);  // more input virtual channels than a word has bits
      const unsigned radix = many ? 3 : 3 + below(4);
      set("topology.radices", std::to_string(radix) + "," + std::to_string(2 + below(radix)));
      if (kind == "cube") set("topology.wraps", std::to_string(below(2)) + "," + std::to_string(below(2)));
      set("topology.nodes_per_router", many ? 14 + below(10) : 1 + below(6));
    } else if (kind == "fat_tree" || kind == "fly") {
      set(kind == "fly" ? "topology.stages" : "topology.levels", 2 + below(2));
    } else {
      set("topology.nodes", 16 + 2 * below(40));
      set("topology.degree", 4);
    }
    const std::string routing = fabric.routing;
    if (routing == "source_table" || routing == "dimension_order")
      set("routing.ties", any({"random", "fixed"}));
    if (routing == "up_down") set("routing.paths", any({"all", "one"}));
    if (routing == "duato") set("routing.escape_return", any({"true", "false"}));
  }

  void router() {
    set("router.switching",
        any({"wormhole", "virtual_cut_through", "virtual_cut_through", "store_and_forward"}));
    longest_ = 1 + below(6);
    set("router.buffer_flits", longest_ + below(7));
    if (one_in(3)) set("router.node_vcs", 1 + below(5));
    if (one_in(4) || settings_[1] == "routing.kind=duato") set("router.atomic_vcs", "true");
    set("router.va_allocator", any({"islip", "separable", "matrix"}));
    const std::string sa_allocator = any({"islip", "separable", "matrix"});
    set("router.sa_allocator", sa_allocator);
    if (sa_allocator != "islip" && one_in(2)) set("router.sa_input_arbiter", "outputs");
    if (one_in(4)) {
      set("router.va_input_arbiter", "ports_and_vcs");
      set("router.va_requests", "all");
    } else {
      set("router.selection", any({"first", "most_credits", "round_robin", "random"}));
    }
    if (one_in(4)) set("router.route_at", "arrival");
    if (one_in(8)) set("router.uturn_node", "false");
    if (one_in(8)) set("router.uturn_network", "true");
    if (one_in(8)) set("router.block_timeout_cycles", 20 + below(100));
    if (one_in(8)) set("link.faults", "1@40:90,2@60,1@80:120");
    if (one_in(4)) set("router.dead_route", "wait");
    if (one_in(5)) lookup();
  }

  void recovery() {
    set("router.block_timeout_cycles", 10 + below(60));
    if (one_in(3)) set("router.hop_limit", 1 + below(6));
    set("prediction.kind", any({"straight", "latest_port", "finite_context", "last_destination", "oracle"}));
    const std::string check = any({"kill", "kill", "wait", "leak"});
    set("prediction.check", check);
    if (check == "leak" && one_in(2)) set("prediction.serial", "true");
    if (check != "kill" && one_in(2)) set("lookup.kind", any({"cam", "cached", "ideal"}));
    const std::string events = any({"", "link 1@60:200", "router 2@90:300", "link 2@40, router 3@150"});
    if (check != "leak" && !events.empty()) {
      set("faults.events", events);
      set("faults.losses", any({"recovering", "everything"}));
    } else if (one_in(2)) {
      set("faults.links", "[1]");
    }
  }

  void lookup() {
    if (settings_[1] != "routing.kind=source_table" && settings_[1] != "routing.kind=destination_digits")
      return;
    set("lookup.kind", any({"cam", "cached", "ideal"}));
    if (one_in(2)) set("lookup.cam_pipelined", "true");
    set("lookup.entries", 8);
    set("lookup.ways", 8);
    set("lookup.cam_cycles", 5 + below(30));
  }

  void times() {
    const auto maybe = [this](const char* key, unsigned least, unsigned most) {
      if (one_in(4)) set(key, least + below(most - least + 1));
    };
    maybe("link.latency_cycles", 1, 40);
    maybe("link.inject_latency_cycles", 1, 4);
    maybe("link.eject_latency_cycles", 1, 4);
    maybe("link.credit_latency_cycles", 0, 20);
    maybe("link.credit_process_cycles", 0, 3);
    if (one_in(5)) set("link.flit_cycles", 2 + below(2));
    if (one_in(5)) set("link.whole_flit", "true");
    maybe("router.va_cycles", 0, 2);
    maybe("router.sa_cycles", 1, 3);
    maybe("router.st_cycles", 0, 2);
    maybe("router.des_cycles", 0, 3);
    maybe("router.ser_cycles", 0, 3);
    if (one_in(6)) set("router.vc_change_cycles", 1 + below(3));
    set("run.watchdog_cycles", 100 + below(200));
  }

  void traffic() {
    set("traffic.pattern", any({"uniform", "uniform", "hotspot"}));
    if (settings_.back() == "traffic.pattern=hotspot") set("traffic.hotspots", "0,3");
    set("traffic.load_flits_per_node_cycle", "0." + std::to_string(1 + below(8)));
    set("traffic.length", "range");
    set("traffic.packet_flits", 1 + below(longest_));
    set("traffic.largest_packet_flits", longest_);
    set("traffic.last_cycle", 300);
  }

  CounterRandom random_;
  Settings settings_;
  unsigned longest_ = 1;
  bool recovers_ = false;
};

/// An application drawn from one case's random numbers: computing, exchanges, single messages and
/// collectives. All ranks enter collectives in the same order, so that none waits forever.
class DrawTrace {
 public:
  DrawTrace(std::uint64_t number, unsigned ranks) : random_(number, 2), ranks_(ranks) {
    trace_.ranks.resize(ranks);
  }

  workload::Trace all() {
    for (unsigned step = 0; step < 12; ++step) {
      for (std::uint16_t rank = 0; rank < ranks_; ++rank)
        if (below(3) == 0) add(rank, Kind::compute, 0, below(300));
      switch (below(4)) {
        case 0:
          exchange();
          break;
        case 1:
          message();
          break;
        case 2:
          collective();
          break;
        default:
          break;
      }
    }
    return std::move(trace_);
  }

 private:
  using Kind = workload::TraceOpKind;
  unsigned below(unsigned count) { return static_cast<unsigned>(random_.below(count)); }
  void add(unsigned rank, Kind kind, unsigned peer, std::uint64_t value) {
    trace_.ranks[rank].push_back(tsuji::test::op(kind, value, peer));
  }
  void exchange() {
    const unsigned distance = below(ranks_), bytes = below(600);
    for (unsigned rank = 0; rank < ranks_; ++rank) {
      add(rank, Kind::irecv, (rank + ranks_ - distance) % ranks_, bytes);
      add(rank, Kind::isend, (rank + distance) % ranks_, bytes);
      add(rank, Kind::waitall, 0, 2);
    }
  }
  void message() {
    const unsigned from = below(ranks_), to = (from + 1 + below(ranks_ - 1)) % ranks_, bytes = below(600);
    add(from, Kind::send, to, bytes);
    add(to, Kind::recv, from, bytes);
  }
  void collective() {
    constexpr Kind kinds[] = {Kind::barrier, Kind::bcast, Kind::reduce, Kind::allreduce, Kind::alltoall};
    const Kind kind = kinds[below(std::size(kinds))];
    const bool rooted = kind == Kind::bcast || kind == Kind::reduce;
    const unsigned root = rooted ? below(ranks_) : 0;
    const std::uint64_t bytes = kind == Kind::barrier ? 0 : below(kind == Kind::alltoall ? 30 : 300);
    for (unsigned rank = 0; rank < ranks_; ++rank) add(rank, kind, root, bytes);
  }

  CounterRandom random_;
  const unsigned ranks_;
  workload::Trace trace_;
};

struct Run {
  explicit Run(const Settings& settings) {
    config::KeyTable keys;
    add_network_keys(keys, network);
    add_network_fault_keys(keys, network);
    add_traffic_keys(keys, traffic);
    for (const std::string& setting : settings) keys.set_from_command_line(setting);
    network.resolve();
    network.validate();
    traffic.validate();
  }
  NetworkConfig network;
  TrafficConfig traffic;
};

/// How a network runs.
struct RunMode {
  const char* name;
  ProcessMode processes = ProcessMode::one_for_all;
  std::uint64_t shuffle = 0;
  bool alone = true;  ///< groups of modules may run ahead of each other
  bool probed = false;
  unsigned woken = 0;  ///< n: each module is also woken in one of n cycles; 0: never
};

const std::vector<RunMode> modes = {{"one process for all"},
                                    {"a process for each", ProcessMode::process_each},
                                    {"shuffled", ProcessMode::one_for_all, 7},
                                    {"shuffled, a process for each", ProcessMode::process_each, 9, false},
                                    {"without windows", ProcessMode::one_for_all, 0, false},
                                    {"probed", ProcessMode::one_for_all, 0, true, true},
                                    {"all woken in every cycle", ProcessMode::one_for_all, 0, true, false, 1},
                                    {"woken at random", ProcessMode::one_for_all, 0, true, false, 3}};

constexpr Cycle last_cycle = 700, last_trace_cycle = 30000;

struct Onlooker final : FlitProbe, router::RouterProbe {
  void on_flit(const FlitChannel&, unsigned, const Flit&, Cycle, Cycle) override {}
  void on_credit(const FlitChannel&, unsigned, Cycle, Cycle) override {}
  void on_stage(graph::RouterId, unsigned, unsigned, PacketIndex, router::HeadStage, Cycle) override {}
};

void wake_all(LoadedNetwork& loaded, unsigned nodes, unsigned one_in) {
  unsigned number = 0;
  const auto wake = [&](Clocked& module) {
    const CounterRandom random(3, ++number);
    for (Cycle cycle = 1; cycle < last_cycle; ++cycle)
      if (random.bits(cycle) % one_in == 0) module.wake_at(cycle);
  };
  for (NodeId node = 0; node < nodes; ++node) wake(loaded.node(node));
  for (graph::RouterId id = 0; id < loaded.network().routers(); ++id) wake(loaded.network().module(id));
}

void write_packets(VcRig& rig, std::ostream& out) {
  for (const auto& [id, p] : rig.by_packet())
    out << packet_name(id) << ' ' << p.source.name() << ' ' << p.destination.name() << ' ' << p.created << ' '
        << p.injected << ' ' << p.head_cycle << ' ' << p.tail_cycle << ' ' << p.flits << ' ' << p.hops
        << '\n';
  const LoadedNetwork& loaded = *rig.loaded;
  const router::RouterCounters counters = loaded.network().counters();
  out << "born " << loaded.accounts().packets_born() << ", no way "
      << loaded.supervisor().dropped(NetworkDropCause::no_route) << ", link down "
      << loaded.supervisor().dropped(NetworkDropCause::link_down) << ", flit-hops " << counters.flits
      << ", killed " << counters.killed_flits << ", timed out " << counters.timeouts << ", recoveries "
      << counters.recoveries << ' ' << counters.recoveries_by_hops << ", inside "
      << loaded.network().flits_in_flight() << ", predicted";
  for (const std::uint64_t count : loaded.network().prediction_counters().visits) out << ' ' << count;
  out << '\n';
}

/// The ranks of a drawn trace on all nodes or on some, several of them on a node.
std::unique_ptr<TraceReplay> drawn_replay(std::uint64_t number, const Run& run, unsigned nodes) {
  CounterRandom random(number, 3);
  TraceReplayConfig config;
  config.places.ranks_per_node = 1 + static_cast<unsigned>(random.below(2));
  config.places.placement = random.below(2) == 0 ? RankPlacement::block : RankPlacement::round_robin;
  config.nic.header_flits = 0;  // so that the largest packet fits into each buffer
  config.nic.packet_bytes =
      config.nic.flit_bytes * run.traffic.lengths.of<workload::LengthRange>().largest_packet_flits;
  config.nic.local_cycles = 1 + random.below(50);
  config.replay.eager_bytes = random.below(400);
  const unsigned places = nodes * config.places.ranks_per_node;
  const unsigned ranks = random.below(2) == 0 ? places : 2 + static_cast<unsigned>(random.below(places - 1));
  return std::make_unique<TraceReplay>(config, DrawTrace(number, ranks).all(), 1.0, ClockPeriod(1000), nodes);
}

void write_ranks(const TraceReplay& replay, std::ostream& out) {
  observe::Results results("order_test", "", 1);
  if (replay.finished()) {
    replay.check_finished();
    replay.add_to(results);
    out << results.text() << '\n';
  } else {
    out << "progress " << replay.progress() << '\n' << replay.wait_report();
  }
}

/// Returns every packet, the sums, and the error that ends the run, if any.
std::string play(const Settings& settings, const RunMode& mode, std::uint64_t trace) {
  Run run(settings);
  run.network.process_mode = mode.processes;
  run.network.shuffle_seed = mode.shuffle;
  VcRig rig(run.network);
  rig.run_ahead(mode.alone);
  std::unique_ptr<TraceReplay> replay;
  if (trace == 0) {
    rig.build(run.traffic);
  } else {
    replay = drawn_replay(trace, run, rig.plan.topology.nodes());
    rig.build([&](NodeId node) { return replay->source(node); });
  }
  Onlooker onlooker;
  if (mode.probed) {
    for (const auto& place : rig.loaded->network().channels()) place.channel->set_probe(&onlooker);
    for (graph::RouterId id = 0; id < rig.loaded->network().routers(); ++id)
      rig.loaded->network().module(id).set_probe(&onlooker);
  }
  if (mode.woken != 0) wake_all(*rig.loaded, rig.plan.topology.nodes(), mode.woken);
  std::ostringstream out;
  try {
    if (trace == 0)
      rig.loaded->run_to(last_cycle);
    else
      rig.run_until_idle(last_trace_cycle);
    rig.loaded->check_conservation();
  } catch (const ModelError& error) {
    out << error.what() << '\n';
    return out.str();
  }
  write_packets(rig, out);
  if (replay) write_ranks(*replay, out);
  return out.str();
}

/// The first line in which two texts differ.
std::string difference(const std::string& a, const std::string& b) {
  std::istringstream as(a), bs(b);
  std::string x, y;
  do {
    x.clear(), y.clear();
    std::getline(as, x), std::getline(bs, y);
  } while (x == y && (as || bs));
  return x + "\n" + y;
}

/// Returns false if the configuration is refused.
bool check_modes(const Settings& settings, std::uint64_t trace) {
  std::string command;
  for (const std::string& setting : settings) command += " --set " + setting;
  CAPTURE(command, trace);
  const std::string expected = tsuji::test::forked([&] { return play(settings, modes[0], trace); });
  if (expected.rfind("exception: ", 0) == 0) {
    INFO(expected);
    CHECK(expected.find("accepted: ") != std::string::npos);
    return false;
  }
  for (std::size_t w = 1; w < modes.size(); ++w) {
    CAPTURE(modes[w].name);
    const std::string other = tsuji::test::forked([&] { return play(settings, modes[w], trace); });
    if (other == expected) continue;
    FAIL_CHECK(difference(expected, other));
  }
  return true;
}

enum class Load : std::uint8_t { synthetic, trace, recovering };

void check_cases(std::uint64_t first, std::uint64_t count, Load load = Load::synthetic) {
  std::uint64_t refused = 0;
  for (std::uint64_t number = first; number < first + count; ++number) {
    CAPTURE(number);
    const Settings settings = load == Load::recovering ? Draw(number).all_recovering() : Draw(number).all();
    if (!check_modes(settings, load == Load::trace ? number : 0)) ++refused;
  }
  CHECK(refused * 2 < count);
}

}  // namespace

TEST_CASE("order: heads after others in a buffer decide in the cycle of their arrival") {
  const Settings saturated = {"routing.kind=ugal", "router.route_at=arrival", "traffic.pattern=adversarial",
                              "traffic.load_flits_per_node_cycle=0.8"};
  const std::vector<Settings> arrivals = {
      // Flits that come later than announced: after errors, beyond the calendar's rows, and while the front
      // waits for an output that pauses.
      {"topology.kind=dragonfly", "router.vcs=6", "link.bit_error_rate=0.0006"},
      {"topology.kind=dragonfly", "router.vcs=6", "link.bit_error_rate=0.0006", "link.latency_cycles=90",
       "router.buffer_flits=40"},
      {"topology.kind=dragonfly", "router.vcs=6", "link.bit_error_rate=0.0006",
       "router.vc_change_cycles=64"}};
  for (Settings settings : arrivals) {
    settings.insert(settings.end(), saturated.begin(), saturated.end());
    CHECK(check_modes(settings, 0));
  }
}

TEST_CASE("however modules are run and woken, every packet is the same: random networks, 1") {
  check_cases(1000, 10);
}

TEST_CASE("however modules are run and woken, every packet is the same: random networks, 2") {
  check_cases(2000, 10);
}

TEST_CASE(
    "however modules are run and woken, every packet is the same: random networks that recover and predict") {
  check_cases(4000, 12, Load::recovering);
}

TEST_CASE(
    "however modules are run and woken, every packet is the same: heads that wait where a router returns") {
  check_cases(4267, 1, Load::recovering);
  check_cases(4281, 1, Load::recovering);
}

TEST_CASE("however modules are run and woken, every packet is the same: random applications") {
  check_cases(3000, 6, Load::trace);
}

TEST_CASE("however modules are run and woken, every packet is the same: hundreds of random networks",
          "[.][long]") {
  check_cases(1000, 300);
  check_cases(4000, 300, Load::recovering);
  check_cases(3000, 150, Load::trace);
}

TEST_CASE("ranks of a trace may run as far ahead of each other as the packets of a list") {
  std::vector<std::unique_ptr<VcRig>> rigs;
  const auto windows = [&](const LoadedNetwork::MakeSource& sources) {
    rigs.push_back(std::make_unique<VcRig>(torus(8)));
    rigs.back()->run_ahead();
    rigs.back()->build(sources);
    return rigs.back()->loaded->group_cycles();
  };
  TraceReplay replay({}, DrawTrace(1, 64).all(), 1.0, ClockPeriod(1000), 64);
  const Cycle listed = windows(
      [](NodeId) { return std::make_unique<traffic::ListedEmissions>(std::vector<traffic::Emission>{}); });
  CHECK(listed > 1);
  CHECK(windows([&](NodeId node) { return replay.source(node); }) == listed);
}

TEST_CASE("heads that a replay delays request their routes on arrival in any order of modules") {
  const auto play = [](std::uint64_t seed, std::uint64_t shuffle_seed) {
    const Run run({"topology.radices=3,3", "router.vcs=2", "router.rc_cycles=3", "router.route_at=arrival",
                   "link.bit_error_rate=0.0006", "run.shuffle_seed=" + std::to_string(shuffle_seed)});
    VcRig rig(run.network);
    rig.parts->seed = seed;
    rig.build(load(0.5, 4, 1500), seed);
    rig.loaded->run_to(6000);
    std::ostringstream out;
    for (const auto& [id, p] : rig.by_packet())
      out << id << ' ' << p.head_cycle << ' ' << p.tail_cycle << '\n';
    return out.str();
  };
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    const std::string expected = tsuji::test::forked([&] { return play(seed, 0); });
    CHECK(std::count(expected.begin(), expected.end(), '\n') > 1000);
    for (const std::uint64_t shuffle_seed : {7U, 8U})
      CHECK(tsuji::test::forked([&] { return play(seed, shuffle_seed); }) == expected);
  }
}
