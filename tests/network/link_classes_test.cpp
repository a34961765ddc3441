// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/graph/dragonfly.h"
#include "tsuji/network/config/link_classes.h"
#include "tsuji/network/config/network_config.h"

using namespace tsuji;
using namespace tsuji::network;
using Catch::Contains;

namespace {

std::vector<graph::LinkClass> parse(const std::string& text) {
  return parse_link_classes(text, ClockPeriod(2000));
}

}  // namespace

TEST_CASE("link.classes: the values of classes are read") {
  CHECK(parse("").empty());
  const auto classes =
      parse("global latency 40 flit_cycles 2 length 12.5, local latency 50 ns,node length 3 mm");
  REQUIRE(classes.size() == 3);
  CHECK(classes[0].name == "global");
  CHECK(classes[0].latency_cycles == 40);
  CHECK(classes[0].flit_cycles == 2);
  CHECK(classes[0].length_mm.value() == 12.5);
  CHECK(classes[1].name == "local");
  CHECK(classes[1].latency_cycles == 25);
  CHECK(classes[1].flit_cycles == 0);
  CHECK_FALSE(classes[1].length_mm);
  CHECK(classes[2].latency_cycles == 0);
  CHECK(classes[2].length_mm.value() == 3);
  // A time is rounded to cycles of 2 ns where that changes it by at most 5 %.
  CHECK(parse("a latency 41ns")[0].latency_cycles == 21);
  CHECK(parse("a latency 1000000 flit_cycles 65535 length 0")[0].flit_cycles == 65535);
}

TEST_CASE("link.classes: everything else is refused by its part") {
  const std::vector<std::pair<const char*, const char*>> wrong = {
      {"global", "not a class of links"},
      {"global latency", "not a class of links"},
      {"global latency 4,", "not a class of links"},
      {"global width 4", "not a value of a class"},
      {"global latency 4 latency 5", "given twice"},
      {"global flit_cycles 4 flit_cycles 4", "given twice"},
      {"global length 4 length 4", "given twice"},
      {"global latency 4, global length 2", "the class is given twice"},
      {"global latency 0", "out of range"},
      {"global latency 1000001", "out of range"},
      {"global latency 2.5", "not a whole number"},
      {"global latency 3 ns", "not a whole number"},
      {"global latency far", "not a number of cycles"},
      {"global latency 4 mm", "not a number of cycles"},
      {"global flit_cycles 0", "out of range"},
      {"global flit_cycles 65536", "out of range"},
      {"global length -1", "not a length"},
      {"global length 1e7", "not a length"},
      {"global length 4 ns", "not a length"},
      {"global length nan", "not a length"}};
  for (const auto& [text, problem] : wrong) {
    CAPTURE(text);
    CHECK_THROWS_WITH(parse(text), Contains("link.classes") && Contains(problem));
  }
}

TEST_CASE("link.classes: a network's topology has the values") {
  NetworkConfig config;
  config.topology.kind = "dragonfly";
  config.link_classes = "global latency 40, node latency 3";
  config.link_latency_cycles = 4;
  const graph::Topology topology = make_topology(config);
  for (std::uint32_t link = 0; link < topology.links().size(); ++link)
    REQUIRE(topology.links()[link].latency_cycles == (topology.link_class(link).name == "global" ? 40 : 4));
  CHECK(topology.node(0).latency_cycles == 3);
  config.link_classes = "dimension0 latency 40";
  CHECK_THROWS_WITH(make_topology(config), Contains("local, global, node"));
  config.link_classes = "global latency x";
  CHECK_THROWS_WITH(config.validate(), Contains("not a number of cycles"));
}
