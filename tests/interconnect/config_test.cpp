// SPDX-License-Identifier: Apache-2.0
#include "support/catch.h"
#include "support/text_file.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "tsuji/interconnect/interconnect_config.h"

using namespace tsuji;
using namespace tsuji::interconnect;

namespace {

constexpr const char* soc =
    "topology: {kind: mesh, radices: [4, 2]}\n"
    "tlm:\n"
    "  initiators: cpu node 0, dma node 3 outstanding 4 requests 1\n"
    "  targets: >\n"
    "    ram node 5 base 0x0 bytes 0x10000,\n"
    "    rom node 6 base 0x20000 bytes 8192 offset 0x100 queue 2 dmi on\n";

std::string refusal(const std::vector<std::string>& assignments, const std::string& text = soc) {
  const tsuji::test::TextFile file(text);
  return tsuji::test::text_of<ConfigError>([&] { TlmNetworkConfig::read(file.path(), assignments); });
}

}  // namespace

TEST_CASE("a file gives initiators, targets and packets", "[interconnect]") {
  const tsuji::test::TextFile file(soc);
  const TlmNetworkConfig config = TlmNetworkConfig::read(
      file.path(),
      {"tlm.packet_bytes=128", "tlm.flit_bytes=16", "tlm.header_flits=2", "tlm.align_bytes=0x1000"});
  const auto initiators = config.tlm.read_initiators();
  REQUIRE(initiators.size() == 2);
  CHECK(initiators[0].name == "cpu");
  CHECK(initiators[0].node == 0);
  CHECK(initiators[0].outstanding == 8);
  CHECK(initiators[0].requests == 2);
  CHECK(initiators[1].node == 3);
  CHECK(initiators[1].outstanding == 4);
  CHECK(initiators[1].requests == 1);
  const auto targets = config.tlm.read_targets();
  REQUIRE(targets.size() == 2);
  CHECK(targets[0].region.bytes == 0x10000);
  CHECK(targets[0].queue == 8);
  CHECK_FALSE(targets[0].dmi);
  CHECK(targets[1].name == "rom");
  CHECK(targets[1].node == 6);
  CHECK(targets[1].region.base == 0x20000);
  CHECK(targets[1].region.bytes == 8192);
  CHECK(targets[1].region.offset == 0x100);
  CHECK(targets[1].queue == 2);
  CHECK(targets[1].dmi);
  CHECK(config.tlm.wire.packet_bytes == 128);
  CHECK(config.tlm.wire.flit_bytes == 16);
  CHECK(config.tlm.wire.header_flits == 2);
}

TEST_CASE("requests and responses have one half of the virtual channels each", "[interconnect]") {
  const tsuji::test::TextFile file(soc);
  const MessageClasses classes =
      TlmNetworkConfig::read(file.path(), {"router.vcs=6"}).machine.message_classes();
  REQUIRE(classes.all.size() == 2);
  CHECK(classes.all[0].vc_mask() == 0b000111);
  CHECK(classes.all[1].vc_mask() == 0b111000);
  CHECK(classes.all[*classes.all[0].answer].name == "response");
  CHECK_THAT(refusal({"router.vcs=1"}),
             Catch::Contains("router.vcs: requests and responses") && Catch::Contains("at least 2"));
}

TEST_CASE("lists of initiators and targets are refused with file, line and column", "[interconnect]") {
  using Catch::Contains;
  CHECK(refusal({}).empty());
  const std::string overlap =
      refusal({},
              "topology: {kind: mesh, radices: [4, 2]}\n"
              "tlm:\n"
              "  initiators: cpu node 0\n"
              "  targets: a node 1 base 0x0 bytes 0x2000, b node 2 base 0x1000 bytes 0x1000\n");
  CHECK_THAT(overlap, Contains(":4:12") && Contains("tlm.targets") &&
                          Contains("b base 0x1000 bytes 0x1000") && Contains("overlaps a base 0x0"));
  CHECK_THAT(refusal({"tlm.gaps=false"}), Contains("0x10000..0x1ffff"));
  CHECK_THAT(refusal({"tlm.align_bytes=0x10000"}), Contains("0x2000 is not aligned"));
  CHECK_THAT(refusal({"tlm.align_bytes=3000"}), Contains("not a power of two"));
  CHECK_THAT(refusal({"tlm.initiators="}), Contains("no initiator"));
  CHECK_THAT(refusal({"tlm.targets="}), Contains("no target"));
  struct Bad {
    const char *list, *text;
  };
  const Bad bad =
      GENERATE(Bad{"tlm.initiators=cpu", "without node"}, Bad{"tlm.initiators=cpu node", "not an item"},
               Bad{"tlm.initiators=cpu node x", "not a number in range"},
               Bad{"tlm.initiators=cpu node 0 node 1", "given twice"},
               Bad{"tlm.initiators=cpu node 0, cpu node 1", "the name is given twice"},
               Bad{"tlm.initiators=CPU node 0", "not a name"},
               Bad{"tlm.initiators=cpu node 8", "there is no such node"},
               Bad{"tlm.initiators=cpu node 0, dma node 0", "has another one already"},
               Bad{"tlm.initiators=cpu node 0 outstanding 0", "1..4096"},
               Bad{"tlm.initiators=cpu node 0 outstanding 4097", "1..4096"},
               Bad{"tlm.initiators=cpu node 0 requests 0", "1..4096"},
               Bad{"tlm.initiators=cpu node 0 colour 3", "not a value of the list"},
               Bad{"tlm.targets=a base 0 bytes 4096", "without node"},
               Bad{"tlm.targets=a node 0 bytes 4096", "without base"},
               Bad{"tlm.targets=a node 0 base 0", "without bytes"},
               Bad{"tlm.targets=a node 0 base 0 bytes 0", "not a number in range"},
               Bad{"tlm.targets=a node 0 base 0x10000000000000000 bytes 4096", "not a number in range"},
               Bad{"tlm.targets=a node 0 base 0 bytes 4096 queue 0", "1..65535"},
               Bad{"tlm.targets=a node 0 base 0 bytes 4096 dmi yes", "on, off"},
               Bad{"tlm.targets=a node 9 base 0 bytes 4096", "there is no such node"},
               Bad{"tlm.packet_bytes=60", "a multiple of 8"});
  CHECK_THAT(refusal({bad.list}), Contains(bad.text));
}

TEST_CASE("networks that lose packets, or lack the classes, are refused", "[interconnect]") {
  using Catch::Contains;
  CHECK_THAT(refusal({"link.faults=3@100"}), Contains("would never be sent again"));
  CHECK_THAT(refusal({"classes.list=a vcs 0-1 answer b, b vcs 2-3 flits 1"}), Contains("class request"));
  CHECK_THAT(refusal({"classes.list=request vcs 0-1, response vcs 2-3"}), Contains("the answer response"));
  CHECK_THAT(refusal({"router.uturn_node=false", "tlm.initiators=dma node 5"}),
             Contains("turn back at the router of node 5"));
  CHECK(refusal({"router.uturn_node=false"}).empty());
  CHECK_THAT(refusal({"classes.list=request vcs 0-1 answer response, response vcs 2-3 flits 1 delay 5"}),
             Contains("no delay"));
  CHECK_THAT(refusal({"classes.list=request vcs 0-1 answer response, response vcs 2-3 flits 1 queue 3"}),
             Contains("queue in tlm.targets"));
  CHECK_THAT(refusal({"router.switching=virtual_cut_through"}), Contains("does not fit"));
  CHECK(refusal({"router.switching=virtual_cut_through", "tlm.packet_bytes=48"}).empty());
  CHECK(refusal({"classes.list=request vcs 0-1 answer response, response vcs 2-3"}).empty());
  CHECK(refusal({"classes.list=response vcs 2-3, request vcs 0-1 answer response"}).empty());
}

TEST_CASE("requests and responses of one class can wait for each other, those of two cannot",
          "[interconnect]") {
  const tsuji::test::TextFile file(soc);
  const auto report = [&](const std::vector<std::string>& assignments) {
    return TlmNetworkConfig::read(file.path(), assignments).check_deadlock();
  };
  const auto two = report({});
  CHECK(two.good());
  CHECK(two.messages);
  const auto one = report({"classes.list=request vcs 0-3 answer response, response vcs 0-3 flits 1"});
  CHECK_FALSE(one.deadlock_free);
  const auto waits = [](const routing::Channel& channel) {
    return channel.waits.find("request waits for room for response") != std::string::npos;
  };
  CHECK(std::any_of(one.cycle.begin(), one.cycle.end(), waits));
}
