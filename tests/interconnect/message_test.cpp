// SPDX-License-Identifier: Apache-2.0
#include "tsuji/interconnect/message.h"

#include <numeric>
#include <random>
#include <vector>

#include "support/catch.h"
#include "tsuji/interconnect/phases.h"
#include "tsuji/interconnect/request_order.h"

using namespace tsuji;
using namespace tsuji::interconnect;

namespace {

MessagePart request(Command command, std::uint32_t bytes, bool enables = false) {
  MessagePart message;
  message.access = {command, enables, 0x1234'5678'9abc'def0, bytes, bytes};
  message.tag = 0xabc;
  return message;
}

std::vector<MessagePart> cut(const MessagePart& message, unsigned packet_bytes) {
  std::vector<MessagePart> parts;
  for (MessageCutter cutter(message, packet_bytes); cutter.more();) parts.push_back(cutter.next());
  return parts;
}

}  // namespace

TEST_CASE("a burst is cut into whole packets and a rest", "[interconnect]") {
  const std::uint32_t bytes = GENERATE(1U, 63U, 64U, 65U, 128U, 1000U);
  const std::vector<MessagePart> parts = cut(request(Command::write, bytes), 64);
  REQUIRE(parts.size() == (bytes + 63) / 64);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    CHECK(parts[i].offset == 64 * i);
    CHECK(parts[i].bytes == std::min<std::uint32_t>(64, bytes - 64 * static_cast<std::uint32_t>(i)));
    CHECK(parts[i].last == (i + 1 == parts.size()));
  }
}

TEST_CASE("only what moves is carried", "[interconnect]") {
  MessagePart response = request(Command::read, 100);
  response.is_response = true;
  response.status = Status::ok;
  CHECK(cut(response, 64).size() == 2);
  response.status = Status::generic_error;
  CHECK(cut(response, 64).size() == 1);
  CHECK(cut(response, 64).front().payload_bytes() == 0);
  response.access.command = Command::write;
  response.status = Status::ok;
  CHECK(cut(response, 64).front().payload_bytes() == 0);
  CHECK(cut(request(Command::read, 100), 64).size() == 1);
  CHECK(cut(request(Command::read, 100), 64).front().payload_bytes() == 0);
  CHECK(cut(request(Command::ignore, 100, true), 64).front().payload_bytes() == 0);
  const auto masked = cut(request(Command::read, 100, true), 64);
  REQUIRE(masked.size() == 2);
  CHECK(masked[0].payload_bytes() == 8);
  CHECK(masked[1].payload_bytes() == 5);
  CHECK(cut(request(Command::write, 100, true), 64)[1].payload_bytes() == 36 + 5);
}

TEST_CASE("a packet has its header and as many flits as its bytes need", "[interconnect]") {
  const WireConfig wire{64, 8, 2};
  CHECK(wire.flits(0) == 2);
  CHECK(wire.flits(1) == 3);
  CHECK(wire.flits(8) == 3);
  CHECK(wire.flits(9) == 4);
  CHECK(wire.flits(64) == 10);
  // The largest packet with byte enables fits into a packet of the network.
  CHECK(WireConfig::most_packet_bytes + WireConfig::most_packet_bytes / 8 <= Packet::max_payload_bytes);
}

TEST_CASE("random bursts with byte enables survive their packets in any order", "[interconnect]") {
  std::mt19937 random(7);
  PacketPool pool;
  for (unsigned round = 0; round < 300; ++round) {
    const std::uint32_t bytes = 1 + random() % 700;
    const unsigned packet_bytes = 8 * (1 + random() % 28);
    const bool masked = random() % 2 == 0;
    std::vector<unsigned char> data(bytes), pattern(1 + random() % 9), arrived(bytes, 0xee),
        mask(bytes, 0x55);
    for (auto& byte : data) byte = static_cast<unsigned char>(random());
    for (auto& enable : pattern) enable = random() % 2 == 0 ? 0xff : 0;
    MessagePart message = request(Command::write, bytes, masked);
    message.access.streaming_bytes = 1 + random() % bytes;
    const DataView view{data.data(), masked ? pattern.data() : nullptr,
                        static_cast<unsigned>(pattern.size())};
    std::vector<PacketRef> packets;
    for (const MessagePart& part : cut(message, packet_bytes)) {
      packets.push_back(pool.make());
      part.pack(view, packets.back().edit());
      CHECK(packets.back()->payload_bytes == (part.payload_bytes() + 7) / 8 * 8);
      CHECK(packets.back()->payload_bytes <= Packet::max_payload_bytes);
    }
    std::shuffle(packets.begin(), packets.end(), random);
    Reassembly reassembly;
    for (const PacketRef& packet : packets) {
      CHECK_FALSE(reassembly.complete());
      const MessagePart part = MessagePart::of(*packet, false);
      CHECK(part.access.address == message.access.address);
      CHECK(part.access.bytes == bytes);
      CHECK(part.access.streaming_bytes == message.access.streaming_bytes);
      CHECK(part.tag == message.tag);
      REQUIRE(reassembly.take(part) == nullptr);
      part.unpack_data(*packet, {arrived.data(), nullptr, 0});
      if (masked) part.unpack_enables(*packet, mask.data());
    }
    CHECK(reassembly.complete());
    CHECK(arrived == data);
    for (std::uint32_t i = 0; masked && i < bytes; ++i) CHECK(mask[i] == pattern[i % pattern.size()]);
  }
}

TEST_CASE("a read writes enabled bytes only", "[interconnect]") {
  PacketPool pool;
  MessagePart message = request(Command::read, 20, true);
  message.is_response = true;
  message.status = Status::ok;
  message.dmi_allowed = true;
  std::vector<unsigned char> data(20, 7), to(20, 1), enables = {0xff, 0};
  PacketRef packet = pool.make();
  cut(message, 64).front().pack({data.data(), nullptr, 0}, packet.edit());
  const MessagePart part = MessagePart::of(*packet, true);
  CHECK(part.status == Status::ok);
  CHECK(part.dmi_allowed);
  CHECK(part.last);
  part.unpack_data(*packet, {to.data(), enables.data(), 2});
  for (unsigned i = 0; i < 20; ++i) CHECK(to[i] == (i % 2 == 0 ? 7 : 1));
}

TEST_CASE("parts that do not belong to a message are refused", "[interconnect]") {
  const auto parts = cut(request(Command::write, 100), 64);
  Reassembly twice;
  CHECK(twice.take(parts[0]) == nullptr);
  CHECK_THAT(twice.take(parts[0]), Catch::Contains("has arrived before"));
  Reassembly after;
  for (const MessagePart& part : parts) CHECK(after.take(part) == nullptr);
  CHECK_THAT(after.take(parts[1]), Catch::Contains("complete"));
  MessagePart beyond = parts[1];
  beyond.offset = 90;
  CHECK_THAT(Reassembly().take(beyond), Catch::Contains("beyond the end"));
  after.reset();
  CHECK_FALSE(after.complete());
  CHECK(after.take(parts[0]) == nullptr);
}

TEST_CASE("requests of an initiator are passed on in its order, whichever is complete first",
          "[interconnect]") {
  std::mt19937 random(3);
  constexpr unsigned places = 5, count = 400;
  RequestOrder order(2, places);
  std::vector<unsigned> passed[2];
  std::uint32_t done[2] = {0, 0};
  while (done[0] + done[1] < 2 * count) {
    const unsigned initiator = random() % 2;
    const std::uint32_t first = done[initiator], last = std::min<std::uint32_t>(count, first + places);
    std::vector<std::uint32_t> window(last - first);
    std::iota(window.begin(), window.end(), first);
    std::shuffle(window.begin(), window.end(), random);
    for (const std::uint32_t number : window)
      order.complete(initiator, number, static_cast<std::uint16_t>(number % places),
                     [&](std::uint16_t tag) { passed[initiator].push_back(tag); });
    done[initiator] = last;
    REQUIRE(passed[initiator].size() == last);
  }
  for (const auto& of_one : passed)
    for (std::size_t i = 0; i < of_one.size(); ++i) CHECK(of_one[i] == i % places);
  CHECK_THROWS_WITH(order.complete(0, count + places, 0, [](std::uint16_t) {}),
                    Catch::Contains("not among the next ones"));
}

TEST_CASE("an initiator has one open request and one open response", "[interconnect]") {
  InitiatorPhases phases;
  CHECK(phases.begin_request() == nullptr);
  CHECK_THAT(phases.begin_request(), Catch::Contains("before END_REQ"));
  phases.end_request();
  CHECK(phases.begin_request() == nullptr);
  CHECK_FALSE(phases.may_respond());
  CHECK_THAT(phases.end_response(true), Catch::Contains("has not begun"));
  phases.respond(4);
  phases.respond(2);
  REQUIRE(phases.may_respond());
  CHECK(phases.begin_response() == 4);
  CHECK(phases.responding() == 4);
  CHECK_FALSE(phases.may_respond());
  CHECK_THAT(phases.end_response(false), Catch::Contains("has not begun"));
  CHECK(phases.end_response(true) == nullptr);
  CHECK_THAT(phases.end_response(true), Catch::Contains("has not begun"));
  CHECK_FALSE(phases.may_respond());  // END_RESP is annotated with a later time
  phases.response_over();
  REQUIRE(phases.may_respond());
  CHECK(phases.begin_response() == 2);
}

TEST_CASE("a target has one open request, and its responses follow the rules", "[interconnect]") {
  TargetPhases phases;
  TargetPhase one = TargetPhase::none, two = TargetPhase::none, three = TargetPhase::none;
  CHECK_THAT(phases.begin_response(one), Catch::Contains("not requested"));
  CHECK_THAT(phases.accept(one), Catch::Contains("not requested"));
  phases.request(one);
  CHECK_FALSE(phases.may_request());
  CHECK(phases.accept(one) == nullptr);
  CHECK_FALSE(phases.may_request());  // END_REQ is annotated with a later time
  phases.request_over();
  CHECK(phases.may_request());
  CHECK_THAT(phases.accept(one), Catch::Contains("not requested"));
  phases.request(two);
  CHECK(phases.begin_response(one) == nullptr);
  CHECK_THAT(phases.begin_response(two), Catch::Contains("before END_RESP"));
  phases.end_response(one);
  CHECK(one == TargetPhase::answered);
  CHECK_FALSE(phases.may_request());  // the request of `two` is open
  CHECK(phases.begin_response(two) == nullptr);
  CHECK_FALSE(phases.may_request());
  phases.end_response(two);  // a response ends its request
  CHECK(phases.may_request());
  phases.request(three);
  TargetPhases::complete(three);
  CHECK_FALSE(phases.may_request());
  phases.end_complete(three);
  CHECK(phases.may_request());
  CHECK(three == TargetPhase::answered);
}
