// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/cenju4/packet_checker.h"

#include <algorithm>
#include <cstring>

#include "support/catch.h"

// The check between network and Receiver forwards the data that the ECC gives, not those that switches have
// read.

using namespace tsuji;
using namespace tsuji::machines;

namespace {

/// A multicast of two words of data.
PacketRef two_words(PacketPool& pool) {
  PacketRef original = pool.make();
  Packet& packet = original.edit();
  packet.kind = PacketKind::multicast;
  packet.map = 0x0123'4567'89ab'cdef;
  packet.header = {0x1111'2222'3333'4444, 0x5555'6666'7777'8888};
  packet.payload_bytes = 16;
  packet.flits = 19;
  for (unsigned byte = 0; byte < 16; ++byte) packet.payload.data()[byte] = std::byte(17 * byte);
  return original;
}

}  // namespace

TEST_CASE("packet checker: the map, the header and the payload of a repaired packet are the corrected ones") {
  PacketPool pool;
  PacketChecker checker(pool);
  PacketRef original = two_words(pool);
  const Packet& packet = *original;
  CHECK_FALSE(checker.check(*original).repaired);
  unsigned maps = 0, corrected = 0;
  for (std::uint16_t flit = 1; flit < packet.flits; ++flit) {
    for (unsigned bit = 0; bit < 24; ++bit) {
      PacketRef hit = pool.clone(*original);
      FlitError error;
      error.flit = flit;
      error.flip = 1U << bit;
      REQUIRE(damage(hit.edit(), error));
      maps += hit->map != original->map ? 1 : 0;
      const nic::CheckResult result = checker.check(*hit);
      if (result.verdict == nic::CheckVerdict::dropped || !result.repaired) continue;
      ++corrected;
      const Packet& repaired = *result.repaired;
      if (repaired.map != packet.map || repaired.header != packet.header ||
          repaired.spelling.error_count != 0 ||
          !std::equal(packet.payload.data(), packet.payload.data() + 16, repaired.payload.data()))
        FAIL("flit " << flit << ", bit " << bit);
    }
  }
  CHECK(maps == 64);  // switches would read another map
  CHECK(corrected > 200);
}

TEST_CASE(
    "packet checker: three flipped bits that look like one give the Receiver wrong data, as the ECC does") {
  PacketPool pool;
  PacketChecker checker(pool);
  PacketRef original = two_words(pool);
  constexpr unsigned before_data = 3;  // words: the map and the header
  unsigned others = 0;
  for (std::uint16_t flit = 13; flit < original->flits; ++flit) {
    for (unsigned bit = 0; bit < 22; ++bit) {
      PacketRef hit = pool.clone(*original);
      FlitError error;
      error.flit = flit;
      error.flip = 0b111U << bit;
      REQUIRE(damage(hit.edit(), error));
      const FlitJudgement judged = judge(*hit);
      if (judged.verdict != FlitVerdict::corrected) continue;
      const nic::CheckResult result = checker.check(*hit);
      REQUIRE(result.verdict == nic::CheckVerdict::corrected);
      const std::byte* const data = result.repaired->payload.data();
      CHECK(std::memcmp(data, &judged.words[before_data], 16) == 0);
      others += std::equal(data, data + 16, original->payload.data()) ? 0 : 1;
    }
  }
  CHECK(others > 0);
}
