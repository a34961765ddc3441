// SPDX-License-Identifier: Apache-2.0
// The adapter of a router in RTL. The RTL is the base router's twin, with errors planted at its pins.

#include <systemc.h>  // as Verilator wants it

#include "Vnetwork_router.h"

#include <functional>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "network/network_rtl.h"
#include "router/router_network.h"
#include "router/twin_rtl.h"
#include "support/catch.h"
#include "tsuji/graph/cube.h"
#include "tsuji/routing/compact/compact.h"

using namespace tsuji;
using namespace tsuji::bench;

namespace {

constexpr Picoseconds period = 700;

/// Changes to the pins of one router, called between the phases of a cycle: before or after the edge.
struct Plant {
  unsigned payload_bits = 44;
  double stall = 0;
  std::vector<unsigned> port_buffer_flits = {};
  unsigned credit_limit_cycles = 64;
  unsigned length_minus = 0;
  unsigned length_bits = 0;  ///< width of a field for the packet's length, which the RTL ignores
  bool of_a_list = false;    ///< the packets' lengths are not known in advance
  graph::RouterId router = 5;
  std::vector<unsigned> radices = {4, 4};
  std::vector<unsigned> port_order = {};
  unsigned table_candidates = 1;
  unsigned row_bits = 6;
  std::function<void(network::NetworkConfig&)> configure = {};
  std::function<void(const std::string&)> warn = {};
  std::function<void(RouterRtl&, std::uint64_t cycle)> before_edge = {}, behind_edge = {};
};

/// RTL with an error planted between its pins and its adapter.
class PlantedRtl final : public RouterRtl {
 public:
  PlantedRtl(std::unique_ptr<RouterRtl> good, Plant plant)
      : good_(std::move(good)), plant_(std::move(plant)) {
    about = good_->about;
    about.port_order = plant_.port_order;
    about.credit_limit_cycles = plant_.credit_limit_cycles;
    about.length_minus = plant_.length_minus;
    about.port_buffer_flits = plant_.port_buffer_flits;
    clock = good_->clock;
    reset = good_->reset;
    ports = good_->ports;
    errors = good_->errors;
    table_valid = good_->table_valid;
    table_row = good_->table_row;
    table_row.width = static_cast<std::uint16_t>(plant_.row_bits);
    table_output = good_->table_output;
    table_vcs = good_->table_vcs;
    table_candidates = plant_.table_candidates;
    pins = good_->pins;
    for (RtlPortPins& port : ports)
      port.in.payload.width = port.out.payload.width = static_cast<std::uint16_t>(plant_.payload_bits);
    if (plant_.length_bits == 0) return;
    length_.width_bits = 8;
    length_.bytes = &length_byte_;
    for (RtlPortPins& port : ports) port.in.length = {length_, 0, plant_.length_bits};
  }
  void eval(Picoseconds time) override {
    const bool rises = clock.read() != 0 && reset.read() == 0;
    const auto cycle = static_cast<std::uint64_t>(time / period);
    if (rises && plant_.before_edge) plant_.before_edge(*this, cycle);
    good_->eval(time);
    if (rises && plant_.behind_edge) plant_.behind_edge(*this, cycle);
  }

 private:
  const std::unique_ptr<RouterRtl> good_;
  const Plant plant_;
  RtlPin length_;
  unsigned char length_byte_ = 0;
};

router::PinRouterConfig twin() {
  router::PinRouterConfig twin;
  twin.node_ports = 1U << 4;
  twin.node_bits = 6;
  twin.data_bits = 44;
  return twin;
}

/// Runs a mesh with RTL in one router. Returns the failure's text, or "".
std::string failure(const Plant& plant, double load = 0.5, bool shadow = false) {
  session::NetworkRunConfig network;
  network.machine.topology.kind = "mesh";
  network.machine.topology.of<graph::CubeConfig>().radices = plant.radices;
  network.machine.clock_period_ps = period;
  network.machine.watchdog_cycles = 1000;
  network.traffic.of<traffic::OpenLoopConfig>().load_flits_per_node_cycle = load;
  network.traffic.of<traffic::OpenLoopConfig>().last_cycle = 2000;
  network.traffic.lengths.of<workload::LengthRange>().packet_flits = 4;
  if (plant.configure) plant.configure(network.machine);
  network.machine.resolve();
  const network::NetworkPlan plan(network.machine);
  const network::TrafficSources sources = network.sources(plan, 1);
  const auto row = network_rtl({"planted",
                                "",
                                [&](const std::string& name, graph::RouterId) {
                                  return std::make_unique<PlantedRtl>(
                                      std::make_unique<TwinRtl<Vnetwork_router>>(name, twin()), plant);
                                },
                                {},
                                std::make_shared<const router::PinRouterConfig>(twin())});
  network::LoadedNetwork::Parts parts{network.machine, plan.topology, *plan.routing};
  parts.make_source = [&](NodeId node) { return sources.source(node); };
  const RtlOptions options{{{plant.router}, {}}, shadow, "", "", plant.warn, 0, never, plant.stall};
  try {
    if (plant.of_a_list) network.traffic.kind = "list";
    const auto placed = row->place(options, network, plan.topology, parts);
    network::LoadedNetwork loaded(parts);
    do loaded.run_to(loaded.now() + 1000);
    while (!loaded.idle());
    loaded.check_conservation();
    observe::Results results("test", "", 1);
    placed->report(loaded, results);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

/// Calls `change(port)` once, after the first edge from cycle 100 on that shows a flit for which `wanted`
/// holds.
Plant at_output(std::function<bool(const RtlFlitPins&)> wanted,
                std::function<void(const RtlFlitPins&)> change) {
  auto done = std::make_shared<bool>(false);
  Plant plant;
  plant.behind_edge = [=](RouterRtl& rtl, std::uint64_t cycle) {
    for (const RtlPortPins& port : rtl.ports) {
      if (cycle < 100 || *done || port.out.valid.read() == 0 || !wanted(port.out)) continue;
      *done = true;
      change(port.out);
    }
  };
  return plant;
}

/// Calls `change` once, after the first edge from `from` on; `seen` is its cycle.
Plant once(std::uint64_t from, std::function<void(RouterRtl&)> change,
           std::shared_ptr<std::uint64_t> seen = std::make_shared<std::uint64_t>(0)) {
  Plant plant;
  plant.behind_edge = [=](RouterRtl& rtl, std::uint64_t cycle) {
    if (cycle < from || *seen != 0) return;
    *seen = cycle;
    change(rtl);
  };
  return plant;
}

/// A row of routers, in which the RTL's ports 2 and 3 are not used.
Plant of_a_line(Plant plant) {
  plant.radices = {6};
  plant.router = 2;
  plant.port_order = {0, 1, 4};
  return plant;
}

/// $stop at the edges of these cycles.
Plant stopping_in(std::set<std::uint64_t> cycles) {
  Plant plant;
  plant.behind_edge = [=](RouterRtl& rtl, std::uint64_t cycle) {
    if (cycles.count(cycle) == 0) return;
    const RtlMessages::Evaluation open(rtl.messages);
    RtlMessages::stop("router.sv", 7);
  };
  return plant;
}

bool is_head(const RtlFlitPins& pins) {
  return pins.head.read() != 0;
}
bool is_body(const RtlFlitPins& pins) {
  return pins.head.read() == 0 && pins.tail.read() == 0;
}

/// Compact tables with a tree, which may lead a head back, beside a table of RTL with `table_candidates`.
std::string failure_of_tree(unsigned table_candidates) {
  Plant plant;
  plant.table_candidates = table_candidates;
  plant.configure = [](network::NetworkConfig& machine) {
    machine.network.router.atomic_vcs = true;
    machine.routing.kind = "compact";
    machine.routing.of<routing::CompactRoutingConfig>().escape = routing::CompactEscape::tree;
  };
  return failure(plant);
}

}  // namespace

TEST_CASE("a network with a router in RTL and without a planted error passes") {
  CHECK_THAT(failure({}), Catch::Equals(""));
}

TEST_CASE("a table without rows for all nodes is refused") {
  Plant plant;
  plant.row_bits = 4;
  plant.radices = {5, 4};
  CHECK_THAT(failure(plant), Catch::Contains("the RTL's table has rows of 4 bits (got '20')"));
}

TEST_CASE("nodes at other ports than those of the RTL are refused") {
  Plant plant = of_a_line({});
  plant.port_order = {};
  CHECK_THAT(failure(plant),
             Catch::Contains("port 2 of router 2 leads to a node, and that of the RTL to a router"));
}

TEST_CASE("a table with rows for all nodes and no more is enough") {
  Plant plant;
  plant.row_bits = 4;
  CHECK_THAT(failure(plant), Catch::Equals(""));
}

TEST_CASE("a flit that leaves RTL without having entered is reported") {
  const std::string told = failure(at_output(is_head, [](const RtlFlitPins& pins) {
    pins.payload.write(pins.payload.read() ^ std::uint64_t{1} << 40);
  }));
  CHECK_THAT(told,
             Catch::StartsWith("router 5 (r5), cycle ") && Catch::Contains("a flit that never came in"));
}

TEST_CASE("a flit that RTL loses is reported with the next one of its packet") {
  const std::string told = failure(at_output(is_body, [](const RtlFlitPins& pins) { pins.valid.write(0); }));
  CHECK_THAT(told, Catch::StartsWith("router 5 (r5), cycle ") && Catch::Contains("is due"));
}

TEST_CASE("a head without a head bit is reported") {
  CHECK_THAT(failure(at_output(is_head, [](const RtlFlitPins& pins) { pins.head.write(0); })),
             Catch::Contains("flit 0: the head has no head bit"));
}

TEST_CASE("a body that RTL marks as a tail is reported") {
  CHECK_THAT(failure(at_output(is_body, [](const RtlFlitPins& pins) { pins.tail.write(1); })),
             Catch::Contains("it is marked as a tail"));
}

TEST_CASE("flits that RTL sends on another virtual channel than their head are reported") {
  CHECK_THAT(failure(at_output(is_body, [](const RtlFlitPins& pins) { pins.vc.write(pins.vc.read() ^ 1); })),
             Catch::Contains("its head left by port") || Catch::Contains("between the flits of packet"));
}

TEST_CASE(
    "a flit that leaves by an unconnected port is reported in its cycle, with port, packet and destination") {
  auto seen = std::make_shared<std::string>();
  Plant plant;
  plant.router = 0;  // in the corner: -x and -y are unconnected
  plant.behind_edge = [=](RouterRtl& rtl, std::uint64_t cycle) {
    const RtlFlitPins &from = rtl.ports[0].out, &to = rtl.ports[1].out;
    if (!seen->empty() || cycle < 100 || from.valid.read() == 0 || from.head.read() == 0) return;
    to.valid.write(1);
    to.vc.write(from.vc.read());
    to.payload.write(from.payload.read());
    from.valid.write(0);
    *seen = "cycle " + std::to_string(cycle) + ", packet 0.";
    *seen += "#port 1, virtual channel " + std::to_string(from.vc.read()) +
             ", flit 0: nothing is connected to the port; the destination is node " +
             std::to_string(from.destination.read()) +
             ", and the routing allows port 0 with virtual channels 0x";
  };
  const std::string told = failure(plant);
  const std::size_t middle = seen->find('#');
  REQUIRE(middle != std::string::npos);
  CHECK_THAT(told, Catch::StartsWith("router 0 (r0), " + seen->substr(0, middle)) &&
                       Catch::Contains(": " + seen->substr(middle + 1)));
}

TEST_CASE("a flit that never entered and leaves by an unconnected port is reported") {
  const auto cycle = std::make_shared<std::uint64_t>(0);
  Plant plant = once(
      3, [](RouterRtl& rtl) { rtl.ports[3].out.valid.write(1); }, cycle);
  plant.router = 0;
  const std::string told = failure(plant);
  CHECK_THAT(told,
             Catch::Equals(
                 "router 0 (r0), cycle " + std::to_string(*cycle) +
                 ": port 3, virtual channel 0: nothing is connected to the port, and a flit that never came "
                 "in leaves by it, with payload 0"));
}

TEST_CASE("RTL with more ports than the network uses passes") {
  CHECK_THAT(failure(of_a_line({})), Catch::Equals(""));
}

TEST_CASE("a port of the RTL that the network does not use is unconnected") {
  const Plant plant = once(3, [](RouterRtl& rtl) { rtl.ports[2].out.valid.write(1); });
  CHECK_THAT(failure(of_a_line(plant)),
             Catch::Contains(": port 2 of the RTL, virtual channel 0: nothing is connected to the port"));
}

TEST_CASE("a failed check inside the RTL ends the run in its cycle") {
  CHECK_THAT(failure(stopping_in({100, 200})), Catch::Equals("router 5 (r5), cycle 100: router.sv:7: $stop"));
}

TEST_CASE("a failed check inside the RTL is reported if it does not end the run") {
  Plant plant = stopping_in({100, 200});
  std::vector<std::string> told;
  plant.warn = [&](const std::string& text) { told.push_back(text); };
  CHECK_THAT(failure(plant), Catch::Equals(""));
  CHECK(told == std::vector<std::string>{"router 5 (r5), cycle 100: router.sv:7: $stop",
                                         "router 5 (r5), cycle 200: router.sv:7: $stop"});
}

TEST_CASE("RTL that cannot continue ends the run, even if its failed checks do not") {
  Plant plant;
  plant.warn = [](const std::string&) {};
  plant.before_edge = [](RouterRtl&, std::uint64_t cycle) {
    if (cycle == 100) RtlMessages::abort("router.sv", 7, "it does not settle");
  };
  CHECK_THAT(failure(plant), Catch::Equals("router 5 (r5), cycle 100: router.sv:7: it does not settle"));
}

TEST_CASE("a credit for no flit is reported") {
  const Plant plant = once(3, [](RouterRtl& rtl) { rtl.ports[2].in_credit.write(1); });
  CHECK_THAT(failure(plant, 0.05), Catch::Contains("port 2, virtual channel 0: a credit for no flit"));
}

TEST_CASE("a credit that RTL loses is reported") {
  auto done = std::make_shared<bool>(false);
  Plant plant;
  plant.behind_edge = [=](RouterRtl& rtl, std::uint64_t cycle) {
    if (*done || cycle < 100 || rtl.ports[1].in_credit.read() == 0) return;
    *done = true;
    rtl.ports[1].in_credit.write(0);
  };
  CHECK_THAT(failure(plant), Catch::Contains("router 5 (r5), cycle ") &&
                                 Catch::Contains("port 1, virtual channel ") &&
                                 Catch::Contains("a credit is missing for a flit that left in cycle "));
}

TEST_CASE("a credit is missing in the first cycle after its limit") {
  Plant plant;
  plant.credit_limit_cycles = 20;
  plant.behind_edge = [](RouterRtl& rtl, std::uint64_t cycle) {
    for (const RtlPortPins& port : rtl.ports)
      if (cycle >= 100) port.in_credit.write(0);
  };
  const std::string told = failure(plant);
  std::smatch cycles;
  REQUIRE(std::regex_match(
      told, cycles,
      std::regex(
          "router 5 \\(r5\\), cycle (\\d+): port \\d, virtual channel \\d: a credit is missing for a "
          "flit that left in cycle (\\d+) or before; it may take 20 cycles \\(limits.credit_cycles\\)")));
  CHECK(std::stoul(cycles[1]) == std::stoul(cycles[2]) + 21);
  CHECK(std::stoul(cycles[2]) >= 100);
}

TEST_CASE("an input with a smaller buffer than the others never holds more flits") {
  auto most = std::make_shared<std::vector<unsigned>>(5);
  auto held = std::make_shared<std::vector<unsigned>>(5 * 4);
  Plant plant;
  plant.port_buffer_flits = {8, 3, 8, 1, 2};
  plant.before_edge = [=](RouterRtl& rtl, std::uint64_t) {
    for (unsigned port = 0; port < 5; ++port) {
      const RtlFlitPins& in = rtl.ports[port].in;
      if (in.valid.read() == 0) continue;
      unsigned& flits = (*held)[port * 4 + in.vc.read()];
      (*most)[port] = std::max((*most)[port], ++flits);
    }
  };
  plant.behind_edge = [=](RouterRtl& rtl, std::uint64_t) {
    for (unsigned port = 0; port < 5; ++port)
      for (unsigned vc = 0; vc < 4; ++vc)
        (*held)[port * 4 + vc] -= rtl.ports[port].in_credit.read() >> vc & 1;
  };
  CHECK_THAT(failure(plant, 0.9), Catch::Equals(""));
  CHECK((*most)[1] == 3);
  CHECK((*most)[3] == 1);
  CHECK((*most)[4] == 2);
  CHECK((*most)[0] > 3);
}

TEST_CASE("outputs that stall at random lose nothing") {
  auto credits = std::make_shared<std::uint64_t>(0), cycles = std::make_shared<std::uint64_t>(0);
  Plant plant;
  plant.stall = 0.9;
  plant.before_edge = [=](RouterRtl& rtl, std::uint64_t cycle) {
    *cycles = cycle;
    for (const RtlPortPins& port : rtl.ports) *credits += port.out_credit.read() != 0 ? 1 : 0;
  };
  CHECK_THAT(failure(plant, 0.9), Catch::Equals(""));
  CHECK(*credits > 100);
  CHECK(*credits < *cycles * 5 * 2 / 10);
}

TEST_CASE("payloads of a few bits name the flits inside") {
  Plant plant;
  plant.payload_bits = 8;
  CHECK_THAT(failure(plant, 0.9), Catch::Equals(""));
}

TEST_CASE("a payload that no flit inside has is reported") {
  Plant plant =
      at_output(is_head, [](const RtlFlitPins& pins) { pins.payload.write(pins.payload.read() ^ 0x80); });
  plant.payload_bits = 8;
  CHECK_THAT(failure(plant), Catch::Contains("a flit that never came in") || Catch::Contains(" is due"));
}

TEST_CASE("more flits inside than the payload names are reported") {
  Plant plant;
  plant.payload_bits = 2;
  CHECK_THAT(failure(plant, 0.9),
             Catch::StartsWith("router 5 (r5), cycle ") &&
                 Catch::Contains("the payload's bits name 4 flits, and more are inside"));
}

TEST_CASE("names of flits are given again after all others, and find their flit until it leaves") {
  RtlTags tags(2);
  CHECK(tags.size() == 4);
  for (std::uint64_t flit = 0; flit < 4; ++flit) CHECK(tags.give(100 + flit) == flit);
  CHECK(!tags.give(104));
  tags.take_back(2);
  tags.take_back(0);
  CHECK(!tags.find(2));
  CHECK(!tags.find(4));
  CHECK(tags.find(3) == 103);
  CHECK(tags.give(105) == 2);
  tags.take_back(1);
  CHECK(tags.give(106) == 0);
  CHECK(tags.find(0) == 106);
  CHECK(tags.give(107) == 1);
  CHECK(!tags.give(108));
  CHECK(RtlTags(30).size() == 4096);
}

TEST_CASE("a length that does not count all flits has room for longer packets") {
  Plant plant;
  plant.length_bits = 2;
  plant.length_minus = 1;
  CHECK_THAT(failure(plant), Catch::Equals(""));
}

TEST_CASE("a packet shorter than the flits that its length leaves out is refused") {
  Plant plant;
  plant.length_bits = 2;
  plant.length_minus = 5;
  CHECK_THAT(failure(plant),
             Catch::Contains("traffic.packet_flits: the RTL's length has 2 bits (got '4'); accepted: 5..8"));
}

TEST_CASE("surplus credits cause the RTL's error signal or a flit without a credit") {
  Plant plant;
  plant.before_edge = [](RouterRtl& rtl, std::uint64_t cycle) {
    if (cycle >= 100 && cycle % 50 == 0) rtl.ports[1].out_credit.write(15);
  };
  CHECK_THAT(failure(plant, 0.9), Catch::Contains("it raises error") || Catch::Contains("it has no credit"));
}

TEST_CASE("RTL that stops moving flits is reported with the flits that it holds") {
  Plant plant;
  plant.behind_edge = [](RouterRtl& rtl, std::uint64_t cycle) {
    for (const RtlPortPins& port : rtl.ports)
      if (cycle > 300) port.out.valid.write(0), port.in_credit.write(0);
  };
  const std::string told = failure(plant);
  CHECK_THAT(told, Catch::Contains("no flit has moved for 1000 cycles") &&
                       Catch::Contains("router 5 holds ") && Catch::Contains(" flits inside: "));
}

TEST_CASE("the model beside RTL in a network reports no difference where there is none") {
  CHECK_THAT(failure({}, 0.9, true), Catch::Equals(""));
}

TEST_CASE("the model beside RTL reports the first differing cycle and pin, before a rule is broken") {
  Plant plant = at_output(is_head, [](const RtlFlitPins& pins) { pins.vc.write(pins.vc.read() ^ 1); });
  const std::string told = failure(plant, 0.5, true);
  CHECK_THAT(told,
             Catch::StartsWith("router 5, cycle ") &&
                 Catch::Contains("after the clock edge the RTL differs from the model: out_vc of port "));
}

TEST_CASE("the model beside RTL reports a credit that comes in another cycle") {
  Plant plant;
  plant.behind_edge = [](RouterRtl& rtl, std::uint64_t cycle) {
    if (cycle == 150) rtl.ports[4].in_credit.write(rtl.ports[4].in_credit.read() ^ 2);
  };
  CHECK_THAT(failure(plant, 0.5, true), Catch::Contains("in_credit of port 4: model 0x"));
}

TEST_CASE("a packet too long for the RTL's length field is refused before the first cycle") {
  Plant plant;
  plant.length_bits = 2;
  CHECK_THAT(failure(plant),
             Catch::Contains("traffic.packet_flits: the RTL's length has 2 bits (got '4'); accepted: 1..3"));
}

TEST_CASE("a packet of a list too long for the RTL's length field is refused when it comes") {
  Plant plant;
  plant.length_bits = 2;
  plant.of_a_list = true;
  CHECK_THAT(failure(plant), Catch::StartsWith("traffic.list: the RTL's length has 2 bits (got 'packet ") &&
                                 Catch::Contains(" of 4 flits'); accepted: 1..3 flits"));
}

TEST_CASE("a routing that may lead a head back is refused by RTL with candidates in its table") {
  REQUIRE_THAT(failure_of_tree(5), Catch::Contains("a candidate may be the port that a head came in by"));
}

TEST_CASE("a routing that is no table is refused by RTL with a table") {
  REQUIRE_THAT(failure_of_tree(1), Catch::Contains("no table has it"));
}

TEST_CASE("a routing with recovery is refused by RTL that does not recover") {
  Plant plant;
  plant.configure = [](network::NetworkConfig& machine) { machine.routing.kind = "detour_ud"; };
  REQUIRE_THAT(failure(plant), Catch::Contains("heads are taken into recovery, which the RTL does not do"));
}
