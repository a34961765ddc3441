// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "support/catch.h"
#include "support/one_way_row.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"
#include "tsuji/core/error.h"
#include "tsuji/observe/packet_records.h"

using namespace tsuji;
using namespace tsuji::observe;

namespace {

DeliveredPacket packet(NodeId source, NodeId destination, Cycle tail) {
  return {packet_id(source, 3), source, destination, 10, 12, tail - 3, tail, 4, 2};
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

}  // namespace

TEST_CASE("packet records are sorted by last flits, destinations and packets") {
  const tsuji::test::TemporaryFolder folder;
  PacketRecords records({folder.file("packets.csv"), {"waiting", "moving"}, 20, 30});
  records.add(packet(1, 2, 19), {4, 5});  // before the window
  for (const NodeId source : {9U, 4U}) records.add(packet(source, 7, 20), {1, 9});
  records.add(packet(8, 0, 20), {2, 8});
  records.add(packet(5, 0, 30), {0, 20});
  records.add(packet(5, 0, 31), {0, 21});  // after the window
  records.close();
  const std::vector<std::string> written = lines(folder.text("packets.csv"));
  REQUIRE(written.size() == 5);
  CHECK(written[0] ==
        "packet,source,destination,flits,hops,created_cycle,injected_cycle,head_cycle,tail_cycle,latency_"
        "cycles,"
        "waiting_cycles,moving_cycles,dropped_cycle,cause");
  CHECK(written[1] == "8.3,8,0,4,2,10,12,17,20,10,2,8,,");
  CHECK(written[2] == "4.3,4,7,4,2,10,12,17,20,10,1,9,,");
  CHECK(written[3] == "9.3,9,7,4,2,10,12,17,20,10,1,9,,");
  CHECK(written[4] == "5.3,5,0,4,2,10,12,27,30,20,0,20,,");
}

TEST_CASE("packet records of more lines in a cycle than are written at once are sorted") {
  const tsuji::test::TemporaryFolder folder;
  PacketRecords records({folder.file("packets.csv"), {"waiting"}});
  constexpr NodeId packets = 3000;
  const std::string cause(2000, 'c');
  records.add(packet(1, 5, 19), {9});
  for (NodeId to = packets; to-- != 0;) {
    if (to % 100 == 7) {
      records.add_dropped(packet(1, to, 20), 20, cause);
    } else {
      records.add(packet(1, to, 20), {10});
    }
  }
  for (NodeId to = 0; to < 3; ++to) records.add(packet(1, to, 21), {11});
  records.close();
  const std::vector<std::string> written = lines(folder.text("packets.csv"));
  REQUIRE(written.size() == 2 + packets + 3);
  CHECK(written[1] == "1.3,1,5,4,2,10,12,16,19,9,9,,");
  for (NodeId to = 0; to < packets; ++to) {
    const std::string begin = "1.3,1," + std::to_string(to) + ",4,2,10,12,";
    REQUIRE(written[2 + to] == begin + (to % 100 == 7 ? ",,,,20," + cause : "17,20,10,10,,"));
  }
  for (NodeId to = 0; to < 3; ++to)
    CHECK(written[2 + packets + to] == "1.3,1," + std::to_string(to) + ",4,2,10,12,18,21,11,11,,");
}

TEST_CASE("packet records of a dropped packet have the time and cause of the drop, and no arrival") {
  const tsuji::test::TemporaryFolder folder;
  PacketRecords records({folder.file("packets.csv"), {"waiting", "moving"}, 20, 30});
  records.add_dropped(packet(1, 2, 25), 19, "no_way");  // before the window, for any cycles of the packet
  records.add(packet(1, 9, 25), {5, 10});
  records.add_dropped(packet(1, 3, 99), 25, "link_down");
  records.add_dropped(packet(1, 2, 99), 26, "no_way");
  records.add_dropped(packet(1, 2, 25), 31, "no_way");
  records.close();
  const std::vector<std::string> written = lines(folder.text("packets.csv"));
  REQUIRE(written.size() == 4);
  CHECK(written[1] == "1.3,1,3,4,2,10,12,,,,,,25,link_down");
  CHECK(written[2] == "1.3,1,9,4,2,10,12,22,25,15,5,10,,");
  CHECK(written[3] == "1.3,1,2,4,2,10,12,,,,,,26,no_way");
}

TEST_CASE("packet records sum the parts of latencies by hops") {
  const tsuji::test::TemporaryFolder folder;
  PacketRecords records({folder.file("packets.csv"), {"waiting", "link"}, 20, 30});
  for (const Cycle waiting : {5, 7}) records.add(packet(1, 2, 25), {waiting, 15 - waiting});
  DeliveredPacket longer = packet(1, 3, 26);
  longer.hops += 2;
  records.add(longer, {16, 0});
  records.add_dropped(packet(1, 4, 27), 27, "no_way");
  records.add(packet(1, 2, 31), {21, 0});  // after the window
  const auto& sums = records.sums_by_hops();
  const unsigned hops = longer.hops;
  REQUIRE(sums.size() == hops + 1);
  CHECK(sums[hops - 2] == std::vector<std::uint64_t>{2, 12, 18});
  CHECK(sums[hops - 1].empty());
  CHECK(sums[hops] == std::vector<std::uint64_t>{1, 16, 0});
}

TEST_CASE("packet records sum the parts of latencies by distance") {
  const tsuji::test::TemporaryFolder folder;
  const graph::NodeDistances distances(tsuji::test::one_way_row());
  PacketRecords records({folder.file("packets.csv"), {"waiting", "link"}, 20, 30});
  records.count_distances(distances);
  for (const Cycle waiting : {5, 7}) records.add(packet(0, 3, 25), {waiting, 15 - waiting});
  DeliveredPacket detour = packet(3, 0, 26);
  detour.hops += 2;
  records.add(detour, {16, 0});
  DeliveredPacket of_router = packet(1, 2, 27);
  of_router.source = End::of_router(1);
  records.add(of_router, {17, 0});
  const auto& sums = records.sums_by_distance();
  REQUIRE(sums.size() == 4);
  CHECK(sums[0].empty());
  CHECK(sums[1] == std::vector<std::uint64_t>{1, 16, 0});
  CHECK(sums[2].empty());
  CHECK(sums[3] == std::vector<std::uint64_t>{2, 12, 18});
  PacketRecords without({folder.file("without.csv"), {"waiting"}, 20, 30});
  without.add(packet(0, 3, 25), {15});
  CHECK(without.sums_by_distance().empty());
}

TEST_CASE("packet records include arrivals that do not count") {
  const tsuji::test::TemporaryFolder folder;
  PacketRecords records({folder.file("packets.csv"), {"waiting"}, 0, never});
  DeliveredPacket one = packet(1, 2, 25);
  one.arrival = PacketArrival::duplicate;
  records.add(one, {15});
  one.destination = 3;
  one.arrival = PacketArrival::acknowledgement;
  records.add(one, {15});
  records.close();
  const std::vector<std::string> written = lines(folder.text("packets.csv"));
  REQUIRE(written.size() == 3);
  CHECK(written[1] == "1.3,1,2,4,2,10,12,22,25,15,15,,duplicate");
  CHECK(written[2] == "1.3,1,3,4,2,10,12,22,25,15,15,,acknowledgement");
}

TEST_CASE("packet records check that a latency is the sum of its parts") {
  const tsuji::test::TemporaryFolder folder;
  PacketRecords records({folder.file("packets.csv"), {"waiting", "moving"}, 100, never});
  CHECK_THROWS_AS(records.add(packet(1, 2, 20), {4, 5}), ModelError);  // outside the window, too
  CHECK_THROWS_AS(records.add(packet(1, 2, 200), {190}), ModelError);
  CHECK_NOTHROW(records.add(packet(1, 2, 200), {90, 100}));
}

TEST_CASE("a full disk ends the run of packet records, and closing them twice closes them once") {
  PacketRecords full({"/dev/full", {}, 0, never});
  for (unsigned i = 0; i < 20'000; ++i) full.add_dropped(packet(1, 2, i), i, "no_way");
  CHECK_THROWS_WITH(full.close(), "/dev/full: cannot be written: No space left on device");
  const tsuji::test::TemporaryFolder folder;
  PacketRecords records({folder.file("packets.csv"), {}, 0, never});
  records.add_dropped(packet(1, 2, 25), 19, "no_way");
  records.close();
  records.close();
  CHECK(lines(folder.text("packets.csv")).size() == 2);
}

TEST_CASE("packet records are empty until a packet is within their window") {
  const tsuji::test::TemporaryFolder folder;
  PacketRecords records({folder.file("packets.csv"), {}, 20, 30});
  CHECK(records.empty());
  records.add_dropped(packet(1, 2, 19), 19, "no_way");
  records.add_dropped(packet(1, 2, 31), 31, "no_way");
  CHECK(records.empty());
  records.add_dropped(packet(1, 2, 30), 30, "no_way");
  CHECK_FALSE(records.empty());
  records.close();
  CHECK_FALSE(records.empty());
}

TEST_CASE("packet records that cannot be written are refused") {
  const std::string said = tsuji::test::refusal([] {
    PacketRecords records({"/nowhere/packets.csv", {}, 0, never});
  });
  CHECK(said.find("/nowhere/packets.csv") != std::string::npos);
}
