// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/config/traffic_config.h"
#include "support/thrown.h"

#include <cmath>

#include "network/vc_rig.h"
#include "support/catch.h"
#include "support/text_file.h"
#include "tsuji/core/run_time.h"
#include "tsuji/graph/random_graphs.h"
#include "tsuji/observe/load_measurement.h"
#include "tsuji/workload/patterns/partner.h"

using namespace tsuji;
using namespace tsuji::network;
using tsuji::test::refusal;
using tsuji::test::TextFile;

namespace {

/// The keys of traffic and measurement, with these settings.
struct Settings {
  TrafficConfig traffic;
  observe::MeasureConfig measure;
  config::KeyTable keys;

  explicit Settings(const std::vector<std::string>& assignments,
                    const traffic::TrafficKinds& kinds = traffic::traffic_kinds()) {
    traffic.kinds = kinds;
    add_traffic_keys(keys, traffic);
    measure.add_keys(keys);
    for (const std::string& assignment : assignments) keys.set_from_command_line(assignment);
    keys.check([this] {
      traffic.validate();
      measure.validate();
    });
  }
};

TrafficNodes nodes(unsigned count) {
  TrafficNodes result;
  result.nodes = count;
  return result;
}

/// The refusal of these settings for a network of `count` nodes without coordinates.
std::string refused(const std::vector<std::string>& assignments, unsigned count = 16) {
  return refusal([&] {
    const Settings settings(assignments);
    settings.keys.check([&] { TrafficSources(settings.traffic, nodes(count), 1); });
  });
}

/// Flits a cycle that a node's source generates up to `end`.
double load_of(const TrafficSources& sources, NodeId node, Cycle end) {
  const auto source = sources.source(node);
  traffic::Emission emission;
  double flits = 0;
  while (source->next(emission) && emission.created <= end) flits += emission.flits;
  return flits / static_cast<double>(end);
}

}  // namespace

TEST_CASE("every pattern and arrival process has its name") {
  for (const std::string& name : workload::pattern_kinds().names()) {
    CHECK(Settings({"traffic.pattern=" + name}).traffic.pattern == name);
  }
  for (const std::string& name : workload::arrival_kinds().names()) {
    CHECK(Settings({"traffic.injection=" + name}).traffic.of<traffic::OpenLoopConfig>().injection == name);
  }
}

TEST_CASE("invalid loads are refused with place and range") {
  for (const char* value : {"nan", "-0.1", "1.5", "inf", "a lot"}) {
    const std::string assignment = std::string("traffic.load_flits_per_node_cycle=") + value;
    CHECK_THAT(refused({assignment}), Catch::Contains("traffic.load_flits_per_node_cycle") &&
                                          Catch::Contains(value) && Catch::Contains("0..1"));
  }
  TrafficConfig config;
  for (const double value : {std::nan(""), -0.1, 1.5}) {
    config.of<traffic::OpenLoopConfig>().load_flits_per_node_cycle = value;
    CHECK_THROWS_AS(config.validate(), ConfigError);
  }
}

TEST_CASE("values that do not fit the network are refused with their key") {
  CHECK_THAT(refused({"traffic.pattern=transpose"}, 50),
             Catch::Contains("--set traffic.pattern") && Catch::Contains("not a square"));
  CHECK_THAT(refused({"traffic.pattern=shuffle"}, 50), Catch::Contains("power of two"));
  CHECK_THAT(refused({"traffic.pattern=tornado"}), Catch::Contains("no coordinates"));
  CHECK_THAT(refused({"traffic.pattern=hotspot", "traffic.hotspots=[3,16]"}), Catch::Contains("0..15"));
  CHECK_THAT(refused({"traffic.pattern=matrix"}), Catch::Contains("traffic.matrix"));
  CHECK_THAT(refused({"traffic.pattern=matrix", "traffic.matrix=/nowhere"}), Catch::Contains("/nowhere"));
  CHECK_THAT(refused({"traffic.kind=list"}), Catch::Contains("traffic.list"));
  CHECK_THAT(refused({"traffic.kind=list", "traffic.list=/nowhere"}), Catch::Contains("/nowhere"));
  CHECK_THAT(refused({"traffic.length=range", "traffic.packet_flits=20"}),
             Catch::Contains("traffic.largest_packet_flits"));
  CHECK_THAT(refused({"traffic.length=weighted"}), Catch::Contains("traffic.lengths"));
  CHECK_THAT(refused({"traffic.injection=on_off", "traffic.burst_load_flits_per_node_cycle=0.05"}),
             Catch::Contains("traffic.burst_load_flits_per_node_cycle"));
  CHECK_THAT(refused({"measure.last_arrival=5"}), Catch::Contains("measure.last_arrival"));
  CHECK(refused({}).empty());
}

TEST_CASE("a cube's coordinates come from its topology") {
  TrafficNodes cube = nodes(32);
  cube.radices = {4, 4};
  cube.nodes_per_router = 2;
  const Settings settings({"traffic.pattern=neighbour", "traffic.load_flits_per_node_cycle=1"});
  const TrafficSources sources(settings.traffic, cube, 1);
  traffic::Emission emission;
  REQUIRE(sources.source(7)->next(emission));  // router (3, 0), its second node
  CHECK(emission.destination == 9);            // router (0, 1)

  TrafficNodes single = nodes(16);  // one node a router by default
  single.radices = {4, 4};
  const TrafficSources others(settings.traffic, single, 1);
  REQUIRE(others.source(3)->next(emission));  // router (3, 0)
  CHECK(emission.destination == 4);           // router (0, 1)
}

TEST_CASE("open loop offers the configured load, for all lengths and arrivals") {
  for (const char* injection : {"bernoulli", "periodic", "on_off"}) {
    for (const char* length : {"fixed", "range", "weighted"}) {
      const Settings settings({std::string("traffic.injection=") + injection,
                               std::string("traffic.length=") + length,
                               "traffic.load_flits_per_node_cycle=0.3", "traffic.lengths=[1,5,20]",
                               "traffic.weights=[5,2,1]", "traffic.burst_cycles=40"});
      const TrafficSources sources(settings.traffic, nodes(16), 1);
      double sum = 0;
      for (NodeId node = 0; node < 16; ++node) sum += load_of(sources, node, 100000) / 16;
      CHECK(sum == Approx(0.3).epsilon(0.02));
    }
  }
}

TEST_CASE("a matrix divides the load among the nodes") {
  const TextFile file("0 1 1\n1 0 2\n1 2 1\n");
  const Settings settings({"traffic.pattern=matrix", "traffic.matrix=" + file.path(),
                           "traffic.injection=periodic", "traffic.load_flits_per_node_cycle=0.1"});
  const TrafficSources sources(settings.traffic, nodes(4), 1);
  CHECK(load_of(sources, 0, 100000) == Approx(0.1).epsilon(0.001));
  CHECK(load_of(sources, 1, 100000) == Approx(0.3).epsilon(0.001));
  CHECK(load_of(sources, 2, 100000) == 0);
  CHECK_THAT(refused({"traffic.kind=closed_loop", "traffic.pattern=matrix", "traffic.matrix=" + file.path()}),
             Catch::Contains(":3: traffic.matrix: this node receives and never sends"));
}

TEST_CASE("demand is the share of a node's flits for a destination") {
  const tsuji::test::TextFile matrix("0 1 3\n0 2 1\n2 0 4\n");
  const Settings settings({"traffic.pattern=matrix", "traffic.matrix=" + matrix.path()});
  const TrafficSources sources(settings.traffic, nodes(3), 1);
  const double of_0 = sources.demand(0, 1) + sources.demand(0, 2);
  CHECK(sources.demand(0, 1) == Approx(3 * sources.demand(0, 2)));
  CHECK(sources.demand(2, 0) == Approx(of_0));
  CHECK(of_0 == Approx(1.5));
  CHECK(sources.demand(1, 0) == 0);
  CHECK(sources.demand(0, 0) == 0);
}

TEST_CASE("rails share a node's demand, each for the destination's port of the same rail") {
  NetworkConfig config = network::test::torus(4);
  config.rails.count = 2;
  config.rails.placement = RailPlacement::planes;
  config.resolve();
  const NetworkPlan plan(config);
  const TrafficSources sources(network::test::load(0.5, 1, never), plan.nodes, 1);
  // Of eight nodes, 0 has the places 0 and 8, and 3 has 3 and 11.
  CHECK(sources.demand(0, 3) == Approx(1.0 / 8 / 2));
  CHECK(sources.demand(8, 11) == Approx(1.0 / 8 / 2));
  CHECK(sources.demand(0, 11) == 0);
  CHECK(sources.demand(8, 3) == 0);
}

TEST_CASE("no load, silent nodes and a last cycle") {
  const Settings none({"traffic.load_flits_per_node_cycle=0"});
  CHECK(load_of(TrafficSources(none.traffic, nodes(16), 1), 3, 1000) == 0);
  for (const char* kind : {"open_loop", "closed_loop"}) {
    const Settings silent(
        {std::string("traffic.kind=") + kind, "traffic.pattern=transpose", "traffic.to_self=false"});
    const TrafficSources sources(silent.traffic, nodes(16), 1);
    traffic::Emission emission;
    CHECK_FALSE(sources.source(5)->next(emission));
    REQUIRE(sources.source(6)->next(emission));
    CHECK(emission.destination == 9);
  }
  const Settings short_one({"traffic.last_cycle=500", "traffic.load_flits_per_node_cycle=1"});
  const auto source = TrafficSources(short_one.traffic, nodes(16), 1).source(0);
  traffic::Emission emission;
  unsigned packets = 0;
  while (source->next(emission)) {
    CHECK(emission.created <= 500);
    ++packets;
  }
  CHECK(packets > 50);
}

TEST_CASE("only an open loop has a load to sweep") {
  CHECK(refusal([] { Settings({}).traffic.check_sweep(); }).empty());
  for (const char* kind : {"closed_loop", "list"}) {
    const Settings settings({std::string("traffic.kind=") + kind, "traffic.list=x"});
    CHECK_THAT(refusal([&] { settings.traffic.check_sweep(); }),
               Catch::Contains("traffic.kind") && Catch::Contains(kind) && Catch::Contains("open_loop"));
  }
}

TEST_CASE("a list is replayed as written") {
  const TextFile file("7 2 1 3\n9 0 0 1\n9 2 2 65535\n");
  const Settings settings({"traffic.kind=list", "traffic.list=" + file.path()});
  const TrafficSources sources(settings.traffic, nodes(3), 1);
  const auto source = sources.source(2);
  traffic::Emission emission;
  REQUIRE(source->next(emission));
  CHECK(emission.created == 7);
  CHECK(emission.destination == 1);
  CHECK(emission.flits == 3);
  REQUIRE(source->next(emission));
  CHECK(emission.flits == 65535);
  CHECK(emission.payload_bytes == 0);
  CHECK_FALSE(source->next(emission));
  CHECK_FALSE(sources.source(1)->next(emission));
}

TEST_CASE("the printed configuration reads back to itself") {
  const Settings changed({"traffic.pattern=hotspot", "traffic.hotspots=[1,2]", "traffic.kind=closed_loop",
                          "measure.mode=arrivals", "traffic.window=0"});
  const std::string text = changed.keys.print("");
  Settings again({});
  config::read_yaml_text(again.keys, text, "printed");
  CHECK(again.keys.print("") == text);
  CHECK(again.traffic.patterns.of<workload::HotspotConfig>().hotspots == std::vector<unsigned>{1, 2});
}

TEST_CASE(
    "a buffer holds the longest packet under switching of whole packets, and a list is checked by packet") {
  const auto room = [](router::Switching switching,
                       const std::vector<std::string>& assignments) -> std::string {
    NetworkConfig network;
    network.network.router.switching = switching;
    network.network.buffer_flits = 8;
    const Settings settings(assignments);
    const auto error = tsuji::test::thrown<ConfigError>([&] { validate_lengths(network, settings.traffic); });
    return error ? error->key() + ": " + error->accepted() : "";
  };
  const std::string short_buffer = "router.buffer_flits: at least 9, or router.switching wormhole";
  for (const auto whole : {router::Switching::virtual_cut_through, router::Switching::store_and_forward}) {
    CHECK(room(whole, {"traffic.packet_flits=8"}).empty());
    CHECK(room(whole, {"traffic.packet_flits=9"}) == short_buffer);
    CHECK(room(whole, {"traffic.length=range", "traffic.packet_flits=2", "traffic.largest_packet_flits=9"}) ==
          short_buffer);
    CHECK(room(whole, {"traffic.kind=closed_loop", "traffic.packet_flits=9"}) == short_buffer);
    CHECK(room(whole, {"traffic.kind=list", "traffic.list=some.txt", "traffic.packet_flits=9"}).empty());
  }
  CHECK(room(router::Switching::wormhole, {"traffic.packet_flits=9"}).empty());
}

TEST_CASE("keys of traffic and measurement have an effect with their kind, sample or warm-up alone") {
  const auto idle = [](const std::vector<std::string>& assignments) {
    const Settings settings(assignments);
    return refusal([&] { settings.keys.refuse_idle(); });
  };
  const std::vector<std::pair<std::string, std::string>> needs = {
      {"measure.cycles=500", "measure.mode=cycles"},
      {"measure.warmup_cycles=500", "measure.mode=cycles"},
      {"measure.drain_cycles=500", "measure.mode=cycles"},
      {"measure.first_arrival=5", "measure.mode=arrivals"},
      {"measure.last_arrival=9000", "measure.mode=arrivals"},
      {"measure.most_cycles=500", "measure.mode=arrivals"},
      {"traffic.window=3", "traffic.kind=closed_loop"},
      {"traffic.gap_cycles=3", "traffic.kind=closed_loop"},
      {"traffic.last_cycle=3", "traffic.kind=open_loop"},
      {"traffic.burst_cycles=30", "traffic.injection=on_off"},
      {"traffic.largest_packet_flits=30", "traffic.length=range"}};
  for (const auto& [key, with] : needs) {
    CAPTURE(key, with);
    const std::string selector = with.substr(0, with.find('='));
    const std::string other =
        selector == "measure.mode"        ? (with == "measure.mode=cycles" ? "arrivals" : "cycles")
        : selector == "traffic.kind"      ? (with == "traffic.kind=open_loop" ? "closed_loop" : "open_loop")
        : selector == "traffic.injection" ? "bernoulli"
                                          : "fixed";
    CHECK(idle({with, key}).empty());
    CHECK_THAT(idle({selector + "=" + other, key}), Catch::Contains(key.substr(0, key.find('='))));
  }
  CHECK(idle({"measure.warmup_cycles=auto", "measure.longest_warmup_cycles=9000"}).empty());
  CHECK_THAT(idle({"measure.warmup_cycles=500", "measure.longest_warmup_cycles=9000"}),
             Catch::Contains("measure.longest_warmup_cycles"));
}

TEST_CASE("packets of a list fit into a buffer where switching takes whole packets, and into a run") {
  NetworkConfig network;
  network.network.buffer_flits = 12;
  network.clock_period_ps = 1000;
  for (const auto whole : {router::Switching::virtual_cut_through, router::Switching::store_and_forward}) {
    network.network.router.switching = whole;
    const workload::PacketListLimits limits = packet_limits(network);
    CHECK(limits.flits == 12);
    CHECK_THAT(limits.because, Catch::Contains("router.buffer_flits"));
    CHECK(limits.last_cycle == last_run_cycle(ClockPeriod(1000)));
  }
  network.network.router.switching = router::Switching::wormhole;
  const workload::PacketListLimits limits = packet_limits(network);
  CHECK(limits.flits == workload::PacketListLimits().flits);
  CHECK(limits.because.empty());
  CHECK(limits.last_cycle == last_run_cycle(ClockPeriod(1000)));
}

TEST_CASE(
    "acknowledgements fit into a buffer where switching takes whole packets, and a packet's tries into a "
    "run") {
  NetworkConfig network;
  network.network.buffer_flits = 8;
  traffic::RetryConfig retry;
  retry.ack_flits = 9;
  const auto refusal = [&] {
    const auto error = tsuji::test::thrown<ConfigError>([&] { validate_retry(network, retry); });
    return error ? error->key() + "=" + error->value() + ": " + error->accepted() : "accepted";
  };
  network.network.router.switching = router::Switching::virtual_cut_through;
  CHECK(refusal() == "accepted");  // no retry
  retry.timeout_cycles = 1000;
  CHECK(refusal() == "retry.ack_flits=9: up to router.buffer_flits (8), or router.switching wormhole");
  network.network.router.switching = router::Switching::wormhole;
  CHECK(refusal() == "accepted");
  network.clock_period_ps = 1'000'000'000;
  const Cycle last = last_run_cycle(ClockPeriod(network.clock_period_ps));
  retry.timeout_cycles = last / 1024;
  CHECK(refusal() == "accepted");
  ++retry.timeout_cycles;
  CHECK(refusal() == "retry.timeout_cycles=" + std::to_string(last / 1024 + 1) + ": up to " +
                         std::to_string(last / 1024) + " with retry.most_tries 8");
  retry.most_tries = 7;
  CHECK(refusal() == "accepted");
}

TEST_CASE("a list is measured from its first packet, unless an input sets the warm-up") {
  const auto measured = [](const std::vector<std::string>& assignments) {
    TrafficConfig traffic;
    observe::MeasureConfig measure;
    config::KeyTable keys;
    add_traffic_keys(keys, traffic);
    measure.add_keys(keys);
    measure_whole_lists(keys);
    for (const std::string& assignment : assignments) keys.set_from_command_line(assignment);
    keys.settle_defaults();
    return std::pair<Cycle, std::uint64_t>(measure.warmup_cycles.value(), measure.first_arrival);
  };
  using Pair = std::pair<Cycle, std::uint64_t>;
  CHECK(measured({}) == Pair{5000, 3001});
  CHECK(measured({"traffic.kind=list"}) == Pair{0, 1});
  CHECK(measured({"traffic.kind=closed_loop"}) == Pair{5000, 3001});
  CHECK(measured({"traffic.kind=list", "measure.warmup_cycles=5000"}) == Pair{5000, 1});
  CHECK(measured({"traffic.kind=list", "measure.first_arrival=9"}) == Pair{0, 9});
}

TEST_CASE("traffic without any packet is refused with the reason") {
  const auto silence = [](const std::vector<std::string>& assignments) {
    return TrafficSources(Settings(assignments).traffic, nodes(16), 1).silence();
  };
  CHECK(silence({}).empty());
  CHECK(silence({"traffic.load_flits_per_node_cycle=0"}) == "the offered load is 0");
  CHECK(silence({"traffic.kind=none"}) == "traffic.kind is none");
  CHECK(silence({"traffic.kind=closed_loop", "traffic.load_flits_per_node_cycle=0"}).empty());
}

namespace {

/// Every node sends packets to the next one, all at once, as fast as the network takes them.
class Salvoes final : public traffic::Traffic {
 public:
  Salvoes(unsigned packets, const traffic::TrafficGiven& given) : packets_(packets), given_(given) {}
  std::unique_ptr<traffic::EmissionSource> source(NodeId node) const override {
    traffic::Emission packet;
    packet.created = 1;
    packet.flits = static_cast<std::uint16_t>(given_.limits.flits);
    packet.destination = (node + 1) % given_.nodes;
    return std::make_unique<traffic::ListedEmissions>(std::vector<traffic::Emission>(packets_, packet));
  }

 private:
  const unsigned packets_;
  const traffic::TrafficGiven given_;
};

struct Salvo {
  unsigned salvo_packets = 2;

  void add_keys(config::KeyTable& keys) {
    keys.add("traffic.salvo_packets", salvo_packets, {1, 9}, "packets", "salvo: packets of each node");
  }
  void validate() const {
    if (salvo_packets == 7) throw ConfigError("traffic.salvo_packets", "7", "unlucky", "1..9, but for 7");
  }
  std::unique_ptr<const traffic::Traffic> make(const traffic::TrafficGiven& given) const {
    if (given.pattern != nullptr) throw ModelError("salvo", "it draws nothing, and has a pattern");
    return std::make_unique<Salvoes>(salvo_packets, given);
  }
};

/// Open loop with periodic arrivals, with the key of the open loop's load.
struct Steady {
  double load_flits_per_node_cycle = 0.1;

  void add_keys(config::KeyTable& keys) {
    keys.add("traffic.load_flits_per_node_cycle", load_flits_per_node_cycle, {0.0, 1.0}, "flits/node/cycle",
             "steady: offered load");
  }
  std::unique_ptr<const traffic::Traffic> make(const traffic::TrafficGiven& given) const {
    traffic::OpenLoopConfig periodic;
    periodic.load_flits_per_node_cycle = load_flits_per_node_cycle;
    periodic.injection = "periodic";
    return periodic.make(given);
  }
};

traffic::TrafficKinds own_kinds() {
  traffic::TrafficKinds kinds = traffic::traffic_kinds();
  traffic::TrafficTraits salvo{"packets all at once"}, steady;
  salvo.own_lengths = true;
  steady.draws = steady.offers_load = true;
  kinds.add<Salvo>("salvo", salvo);
  kinds.add<Steady>("steady", steady);
  traffic::TrafficTraits lengths;
  lengths.draws_lengths = true;
  struct Lengths {
    std::unique_ptr<const traffic::Traffic> make(const traffic::TrafficGiven&) const { return nullptr; }
  };
  kinds.add<Lengths>("lengths", lengths);
  return kinds;
}

std::string idle_of_own_kinds(const std::vector<std::string>& assignments) {
  const Settings settings(assignments, own_kinds());
  return refusal([&] { settings.keys.refuse_idle(); });
}

}  // namespace

TEST_CASE("a custom kind of traffic has its own keys, refusals and packets") {
  const Settings settings({"traffic.kind=salvo", "traffic.salvo_packets=3"}, own_kinds());
  CHECK_NOTHROW(settings.keys.refuse_idle());
  workload::PacketListLimits limits;
  limits.flits = 8;
  const TrafficSources sources(settings.traffic, nodes(4), 1, limits);
  CHECK(sources.silence().empty());
  const auto source = sources.source(3);
  traffic::Emission emission;
  for (unsigned packet = 0; packet < 3; ++packet) {
    REQUIRE(source->next(emission));
    CHECK(emission.destination == 0);
    CHECK(emission.flits == 8);
  }
  CHECK_FALSE(source->next(emission));
  CHECK_THAT(refusal([] {
               Settings({"traffic.kind=salvo", "traffic.salvo_packets=7"}, own_kinds());
             }),
             Catch::Contains("--set traffic.salvo_packets=7: traffic.salvo_packets: unlucky"));
  CHECK_THAT(refusal([&] { settings.traffic.check_sweep(); }),
             Catch::Contains("(got 'salvo'); accepted: open_loop, steady"));

  NetworkConfig network;  // too small for traffic.packet_flits, which the kind does not read
  network.network.router.switching = router::Switching::virtual_cut_through;
  network.network.buffer_flits = 2;
  CHECK_NOTHROW(validate_lengths(network, settings.traffic));
}

TEST_CASE("the meaning of traffic.kind has the text of every kind") {
  CHECK_THAT(Settings({}, own_kinds()).keys.list_keys(),
             Catch::Contains("size; salvo: packets all at once; steady: a kind of this project; "
                             "lengths: a kind of this project\n"));
}

TEST_CASE("keys have an effect with a custom kind as its traits and its own keys say") {
  CHECK(idle_of_own_kinds({"traffic.kind=steady", "traffic.pattern=transpose", "traffic.to_self=false",
                           "traffic.packet_flits=3", "traffic.load_flits_per_node_cycle=0.3"})
            .empty());
  CHECK_THAT(idle_of_own_kinds({"traffic.salvo_packets=3"}),
             Catch::Contains("accepted: traffic.kind salvo, or"));
  CHECK(
      idle_of_own_kinds({"traffic.kind=lengths", "traffic.length=range", "traffic.packet_flits=3"}).empty());
  for (const char* key : {"traffic.pattern=transpose", "traffic.to_self=false"})
    CHECK_THAT(idle_of_own_kinds({"traffic.kind=lengths", key}),
               Catch::Contains("accepted: traffic.kind open_loop, closed_loop, steady, or"));
  for (const char* key : {"traffic.pattern=transpose", "traffic.to_self=false"})
    CHECK_THAT(idle_of_own_kinds({"traffic.kind=salvo", key}),
               Catch::Contains("accepted: traffic.kind open_loop, closed_loop, steady, or"));
  CHECK_THAT(idle_of_own_kinds({"traffic.kind=salvo", "traffic.packet_flits=3"}),
             Catch::Contains("accepted: traffic.kind open_loop, closed_loop, steady, lengths, or"));
  CHECK_THAT(idle_of_own_kinds({"traffic.kind=salvo", "traffic.load_flits_per_node_cycle=0.3"}),
             Catch::Contains("accepted: traffic.kind open_loop, steady"));
}

TEST_CASE("a custom kind that draws and offers a load is swept as an open loop") {
  const Settings settings({"traffic.kind=steady", "traffic.pattern=hotspot", "traffic.hotspots=[2]",
                           "traffic.load_flits_per_node_cycle=0.3"},
                          own_kinds());
  CHECK_NOTHROW(settings.traffic.check_sweep());
  CHECK(settings.traffic.of<traffic::OpenLoopConfig>().load_flits_per_node_cycle == 0.3);
  const TrafficSources sources(settings.traffic, nodes(16), 1);
  CHECK(load_of(sources, 0, 100000) == Approx(0.3).epsilon(0.001));
  CHECK(sources.demand(0, 2) == Approx(0.1 + 0.9 / 16));
  CHECK(sources.demand(0, 3) == Approx(0.9 / 16));
}

TEST_CASE("an unknown kind is refused with all known ones") {
  TrafficConfig traffic;
  traffic.kind = "closed";
  CHECK_THAT(
      refusal([&] { TrafficSources(traffic, nodes(4), 1); }),
      Catch::Contains("no such traffic (got 'closed'); accepted: one of open_loop, closed_loop, list, none"));
  traffic.kind = "open_loop";
  traffic.length = "long";
  CHECK_THAT(refusal([&] { traffic.validate(); }),
             Catch::Contains(
                 "no such distribution of lengths (got 'long'); accepted: one of fixed, range, weighted"));
}

namespace {

/// Every node sends to the node at the far end of its router's first port.
struct FirstPort {
  std::unique_ptr<workload::Pattern> make(const workload::PatternConfig& config) const {
    const graph::Topology& topology = *config.topology;
    return workload::PartnerPattern::make(config, [&](NodeId node) {
      const graph::Topology::Far& far = topology.far(topology.node(node).inject.router, 0);
      return topology.far(far.at.router, topology.ports(far.at.router) - 1).node;
    });
  }
};

}  // namespace

TEST_CASE("a custom pattern knows the topology") {
  TrafficConfig config;
  config.patterns.add<FirstPort>("first_port");
  config.pattern = "first_port";
  const graph::Topology graph = graph::make_random_regular(12, 3, 5, 1);
  const TrafficSources sources(config, TrafficNodes::of(graph), 1);
  for (NodeId node = 0; node < graph.nodes(); ++node) {
    traffic::Emission emission;
    REQUIRE(sources.source(node)->next(emission));
    const graph::RouterId to = graph.node(emission.destination.node()).eject.router;
    CHECK(to == graph.far(graph.node(node).inject.router, 0).at.router);
  }
  CHECK(TrafficNodes{}.topology == nullptr);
}

namespace {

/// Records every call, and sends to node 1, which is cut off, before node 2.
class Noting final : public traffic::EmissionSource {
 public:
  explicit Noting(std::string& calls) : calls_(calls) {}
  bool next(traffic::Emission& emission) override {
    emission = {};
    emission.created = 1;
    emission.flits = 1;
    emission.destination = 1 + sent_++ % 2;
    return true;
  }
  bool listens() const override { return noted("listens", true); }
  Cycle lookahead_cycles() const override { return noted("lookahead", Cycle{7}); }
  void arrived(Cycle now, const Packet&) override { note("arrived", now); }
  void take(Cycle now, PacketRef packet) override { note("take", now + packet->flits); }
  bool is_full() const override { return noted("full", true); }
  void bind(Clocked& node) override {
    calls_ += "bind ";
    node.wake_at(5);
  }
  void departed(Cycle now, const Packet&) override { note("departed", now); }
  void dropped(Cycle now, const Packet&, const char* cause) override { note(cause, now); }
  Cycle next_event() const override { return noted("event", Cycle{17}); }
  void advance(Cycle now) override { note("advance", now); }

 private:
  void note(const std::string& what, Cycle now) { calls_ += what + std::to_string(now) + " "; }
  template <class T>
  T noted(const char* what, T value) const {
    calls_ += std::string(what) + " ";
    return value;
  }

  std::string& calls_;
  unsigned sent_ = 0;
};

class NotingAll final : public traffic::Traffic {
 public:
  explicit NotingAll(std::string& calls) : calls_(calls) {}
  std::unique_ptr<traffic::EmissionSource> source(NodeId) const override {
    return std::make_unique<Noting>(calls_);
  }

 private:
  std::string& calls_;
};

struct NotingConfig {
  std::string* calls = nullptr;
  std::unique_ptr<const traffic::Traffic> make(const traffic::TrafficGiven&) const {
    return std::make_unique<NotingAll>(*calls);
  }
};

struct Node final : Clocked {
  explicit Node(ClockDomain& domain) : Clocked(domain) {}
  void step(Cycle now) override { stepped = now; }
  Cycle stepped = 0;
};

}  // namespace

TEST_CASE("beside cut-off nodes a source gets every call, and sends to living nodes alone") {
  std::string calls;
  TrafficConfig config;
  config.kinds.add<NotingConfig>("noting");
  config.kind = "noting";
  config.of<NotingConfig>().calls = &calls;
  TrafficNodes some = nodes(3);
  some.states = {workload::NodeState::living, workload::NodeState::cut_off, workload::NodeState::living};
  const TrafficSources sources(config, some, 1);
  const auto source = sources.source(0);
  for (int packet = 0; packet < 3; ++packet) {
    traffic::Emission emission;
    REQUIRE(source->next(emission));
    CHECK(emission.destination == 2);
  }
  const auto calls_of = [&](const auto& call) {
    calls.clear();
    call();
    return calls;
  };
  PacketPool pool;
  const Packet packet;
  PacketRef taken = pool.make();
  ClockDomain domain("clock", {ClockPeriod(1000)});
  Node node(domain);
  CHECK(calls_of([&] { CHECK(source->listens()); }) == "listens ");
  CHECK(calls_of([&] { CHECK(source->lookahead_cycles() == 7); }) == "lookahead ");
  CHECK(calls_of([&] { CHECK(source->is_full()); }) == "full ");
  CHECK(calls_of([&] { CHECK(source->next_event() == 17); }) == "event ");
  CHECK(calls_of([&] { source->bind(node); }) == "bind ");
  CHECK(calls_of([&] { source->advance(17); }) == "advance17 ");
  CHECK(calls_of([&] { source->arrived(18, packet); }) == "arrived18 ");
  CHECK(calls_of([&] { source->take(19, std::move(taken)); }) ==
        "take" + std::to_string(19 + packet.flits) + " ");
  CHECK(calls_of([&] { source->departed(20, packet); }) == "departed20 ");
  CHECK(calls_of([&] { source->dropped(21, packet, "link_down"); }) == "link_down21 ");
}
