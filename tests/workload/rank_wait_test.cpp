// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/rank_wait.h"

#include <algorithm>

#include "support/catch.h"

using namespace tsuji::workload;
using Catch::Contains;
using Catch::EndsWith;
using Catch::StartsWith;

namespace {

std::vector<RankState> running(unsigned ranks) {
  std::vector<RankState> states(ranks);
  for (unsigned rank = 0; rank < ranks; ++rank) {
    states[rank].rank = rank;
    states[rank].doing = "computes";
  }
  return states;
}

OpenRequest receive_from(std::uint32_t peer) {
  OpenRequest request;
  request.receives = true;
  request.peer = peer;
  request.tag = 7;
  request.bytes = 64;
  request.state = "waits for its message";
  return request;
}

}  // namespace

TEST_CASE(
    "rank wait: a cycle of receives is reported from its lowest rank, without ranks that only wait for it") {
  auto ranks = running(5);
  ranks[0].requests = {receive_from(3)};
  ranks[3].requests = {receive_from(1)};
  ranks[1].requests = {receive_from(4)};
  ranks[4].requests = {receive_from(3)};
  ranks[2].finished = true;
  const std::string report = rank_wait_report(ranks);
  CHECK_THAT(report, StartsWith("4 of 5 ranks wait forever\n"));
  CHECK_THAT(report,
             Contains("rank 0: computes\n  receive from rank 3, tag 7, 64 bytes waits for its message\n"));
  CHECK_THAT(report, EndsWith("circle: rank 1 waits for rank 4 waits for rank 3 waits for rank 1\n"));
  CHECK_THAT(report, !Contains("rank 2"));
}

TEST_CASE("rank wait: a rank outside the machine is listed, and waits for no rank") {
  auto ranks = running(2);
  for (const std::uint32_t peer : {2U, 77U}) {
    ranks[0].requests = {receive_from(peer)};
    ranks[1].requests = {receive_from(0)};
    const std::string report = rank_wait_report(ranks);
    CHECK_THAT(report,
               Contains("receive from rank " + std::to_string(peer) + ", tag 7") && !Contains("circle"));
    CHECK_THAT(report, !Contains("that rank has finished"));
  }
}

TEST_CASE("rank wait: inside a collective a rank waits for those that have not entered it") {
  auto ranks = running(3);
  ranks[0].in_collective = true;
  ranks[0].collectives = 2;
  ranks[1].collectives = 1;
  ranks[1].requests = {receive_from(0)};
  ranks[2].collectives = 1;
  ranks[2].finished = true;
  const std::string report = rank_wait_report(ranks);
  CHECK_THAT(report, Contains("waits for ranks that have not arrived: 1 2 (finished)\n"));
  CHECK_THAT(report, EndsWith("circle: rank 0 waits for rank 1 waits for rank 0\n"));
}

TEST_CASE("rank wait: long lists are cut, with the number of omitted entries") {
  auto ranks = running(40);
  for (unsigned rank = 0; rank < 39; ++rank) {
    ranks[rank].in_collective = true;
    ranks[rank].collectives = 1 + rank % 2;
  }
  ranks[39].finished = true;
  for (unsigned i = 0; i < 6; ++i) {
    ranks[0].requests.push_back(receive_from(1));
    ranks[0].unreceived.push_back({1, static_cast<std::int32_t>(i), 8});
  }
  const std::string report = rank_wait_report(ranks);
  CHECK_THAT(report, StartsWith("39 of 40 ranks wait forever\nrank 0: computes\n"));
  CHECK_THAT(report, Contains("rank 15: computes\n") && !Contains("rank 16: computes\n"));
  CHECK_THAT(report, Contains("\nand 23 more ranks\n"));
  CHECK_THAT(report, Contains("  and 2 more requests\n"));
  CHECK_THAT(report, Contains("tag 3, 8 bytes\n") && !Contains("tag 4, 8 bytes\n"));
  // Rank 1 waits for the twenty ranks with even numbers and for rank 39.
  CHECK_THAT(report, Contains("rank 1: computes\n  waits for ranks that have not arrived: 0 2 4 6 8 10 12 14 "
                              "16 18 20 22 24 26 28 30 and 5 more\n"));

  auto few = running(17);
  for (unsigned rank = 0; rank < 4; ++rank) few[0].requests.push_back(receive_from(1));
  few[16].finished = true;
  const std::string whole = rank_wait_report(few);
  CHECK_THAT(whole, StartsWith("16 of 17 ranks") && !Contains("more"));
  few[0].in_collective = true;
  few[0].collectives = 1;
  CHECK_THAT(rank_wait_report(few), Contains(" 15 16 (finished)\n") && !Contains("more"));
}

TEST_CASE("rank wait: ranks that have not arrived, and those that have") {
  auto ranks = running(2);
  for (auto& rank : ranks) {
    rank.in_collective = true;
    rank.collectives = 3;
  }
  const std::string report = rank_wait_report(ranks);
  CHECK_THAT(report, Contains("rank 1: computes\n  all ranks are inside this collective\n"));
  CHECK_THAT(report, !Contains("circle"));
}

TEST_CASE("rank wait: wildcards, requests of collectives and messages without a receive are reported") {
  auto ranks = running(2);
  OpenRequest any;
  any.receives = true;
  any.bytes = 8;
  any.state = "waits";
  OpenRequest late = receive_from(1);
  late.receives = false;
  late.collective = true;
  ranks[0].requests = {any, late};
  ranks[0].unreceived = {{1, 9, 32}};
  ranks[1].finished = true;
  const std::string report = rank_wait_report(ranks);
  CHECK_THAT(report, Contains("receive from any rank, tag any, 8 bytes waits\n"));
  CHECK_THAT(
      report,
      Contains("send to rank 1, tag 7, 64 bytes (of a collective) waits for its message; that rank has "
               "finished\n"));
  CHECK_THAT(report, Contains("has an unreceived message from rank 1, tag 9, 32 bytes\n"));
  CHECK_THAT(report, !Contains("circle"));
}

TEST_CASE("rank wait: few lost messages are reported one by one, many are counted") {
  CHECK(lost_messages_report({}).empty());
  LostMessage message;
  message.source = 3;
  message.destination = 5;
  message.tag = 7;
  message.bytes = 4096;
  message.cycle = 120;
  message.cause = "link_down";
  LostMessage other = message;
  other.collective = true;
  other.part = "its announcement";
  CHECK(lost_messages_report({message, other}) ==
        "lost: message from rank 3 to rank 5, tag 7, 4096 bytes, in cycle 120: link_down\n"
        "lost: message from rank 3 to rank 5, of collective 7, 4096 bytes (its announcement), in cycle 120: "
        "link_down\n");
  const std::string many = lost_messages_report(std::vector<LostMessage>(19, message));
  CHECK(std::count(many.begin(), many.end(), '\n') == 17);
  CHECK_THAT(many, Contains("and 3 more lost messages\n"));
}
