// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/lookup/crc.h"
#include "tsuji/lookup/key_hash.h"

using namespace tsuji;
using namespace tsuji::lookup;

namespace {

/// Reference CRC, one bit at a time: a shift register with feedback, as in the definition.
std::uint64_t bit_serial(const CrcSpec& spec, const std::vector<std::uint8_t>& bytes) {
  const std::uint64_t top = std::uint64_t{1} << (spec.width - 1);
  std::uint64_t shifted = spec.initial, turned = 0;
  for (const std::uint8_t byte : bytes) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      const bool in = (byte >> (spec.reflect_in ? bit : 7 - bit) & 1) != 0;
      const bool feedback = ((shifted & top) != 0) != in;
      shifted = (shifted & ~top) << 1 ^ (feedback ? spec.polynomial : 0);
    }
  }
  for (unsigned bit = 0; bit < spec.width; ++bit) turned |= (shifted >> bit & 1) << (spec.width - 1 - bit);
  return (spec.reflect_out ? turned : shifted) ^ spec.xor_out;
}

std::uint64_t both_ways(const CrcSpec& spec, const std::vector<std::uint8_t>& bytes) {
  const std::uint64_t serial = bit_serial(spec, bytes);
  CHECK(Crc(spec).of(bytes.data(), bytes.size()) == serial);
  return serial;
}

std::vector<std::uint8_t> digits() {
  const std::string text = "123456789";
  return {text.begin(), text.end()};
}

}  // namespace

TEST_CASE("CRCs of known specifications give their published values") {
  // The "check" column of the catalogue of parametrised CRC algorithms: the CRC of "123456789".
  struct Row {
    CrcSpec spec;
    std::uint64_t check;
  };
  const std::vector<Row> rows = {
      {*hash_crc("crc16_ccitt"), 0x29b1},
      {*hash_crc("crc32"), 0xcbf43926},
      {*hash_crc("crc32c"), 0xe3069283},
      {*hash_crc("crc64"), 0x995dc9bbdf1939fa},
      {{3, 0x3, 0, false, false, 0x7}, 0x4},      // CRC-3/GSM
      {{5, 0x05, 0x1f, true, true, 0x1f}, 0x19},  // CRC-5/USB
      {{7, 0x09, 0, false, false, 0}, 0x75},      // CRC-7/MMC
      {{8, 0x07, 0, false, false, 0}, 0xf4},      // CRC-8/SMBUS
      {{12, 0x80f, 0, false, true, 0}, 0xdaf},    // CRC-12/UMTS, reflected at the end only
      {{16, 0x1021, 0, true, true, 0}, 0x2189},   // CRC-16/KERMIT
      {{64, 0x42f0e1eba9ea3693, 0, false, false, 0}, 0x6c40df5f0b497347},  // CRC-64/ECMA-182
  };
  for (const Row& row : rows) CHECK(both_ways(row.spec, digits()) == row.check);
  // By default nothing is reflected or inverted: CRC-16/XMODEM.
  CrcSpec plain;
  plain.width = 16;
  plain.polynomial = 0x1021;
  CHECK(both_ways(plain, digits()) == 0x31c3);
}

TEST_CASE("a table and a shift register agree for every width, specification and length") {
  CounterRandom random(17, 1);
  for (unsigned width = 1; width <= 64; ++width) {
    const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    for (unsigned turned = 0; turned < 4; ++turned) {
      const CrcSpec spec{width,           (random.next() & mask) | 1, random.next() & mask, (turned & 1) != 0,
                         turned / 2 != 0, random.next() & mask};
      std::vector<std::uint8_t> bytes(random.below(20));
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.next());
      both_ways(spec, bytes);
    }
  }
}

TEST_CASE("a CRC is linear in the key once its constant is removed") {
  // A parallel XOR tree in hardware relies on this.
  CounterRandom random(18, 1);
  for (const char* name : {"crc16_ccitt", "crc32", "crc32c"}) {
    const Crc crc(*hash_crc(name));
    for (unsigned i = 0; i < 100; ++i) {
      const std::uint64_t a = random.next(), b = random.next();
      CHECK((crc.of_key(a) ^ crc.of_key(b) ^ crc.of_key(a ^ b)) == crc.of_key(0));
    }
  }
}

TEST_CASE("a specification with bits beyond its width is refused") {
  CHECK_THROWS_AS(Crc({0, 0, 0, false, false, 0}), ConfigError);
  CHECK_THROWS_AS(Crc({65, 0, 0, false, false, 0}), ConfigError);
  CHECK_THROWS_AS(Crc({8, 0x107, 0, false, false, 0}), ConfigError);
  CHECK_THROWS_AS(Crc({8, 0x07, 0x100, false, false, 0}), ConfigError);
  CHECK_THROWS_AS(Crc({8, 0x07, 0, false, false, 0x100}), ConfigError);
}

TEST_CASE("a hash spreads random keys evenly over any number of sets") {
  for (const std::string& name : hash_names()) {
    const KeyHash hash(name);
    for (const std::uint32_t sets : {512U, 500U}) {
      std::vector<unsigned> count(sets);
      const unsigned keys = 100 * sets;
      for (NodeId node = 0; node < keys; ++node)
        ++count[hash.set(NodeKeys::key_of(node, Identifiers::random, 5), sets)];
      // Chi squared with sets - 1 degrees of freedom: mean sets - 1, deviation about sqrt(2 sets) = 32.
      double chi = 0;
      for (const unsigned n : count) chi += (n - 100.0) * (n - 100.0) / 100.0;
      CHECK(chi > sets - 5 * 32);
      CHECK(chi < sets + 5 * 32);
    }
  }
  CHECK_THROWS_WITH(KeyHash("md5"), Catch::Contains("crc32c"));
}

TEST_CASE("dense identifiers collide in equal groups under a CRC, and not at all under their own bits") {
  // The low bits of a CRC are a linear map of the few bits that vary: all used sets get the same number of
  // keys. Random identifiers would load one of 512 sets with five or six.
  for (const std::string& name : hash_names()) {
    NodeKeys keys(512, Identifiers::dense, 1);
    CHECK(keys.bits() == 9);
    keys.remember_sets(KeyHash(name), 512);
    std::map<std::uint32_t, unsigned> load;
    for (NodeId node = 0; node < 512; ++node) ++load[keys.set(node)];
    for (const auto& [set, count] : load) CHECK(count == 512 / load.size());
    CHECK(load.size() >= (name == "low_bits" ? 512 : 128));
  }
}

TEST_CASE("identifiers follow from seed and node alone, and sets from them") {
  NodeKeys keys(100, Identifiers::random, 3), others(200, Identifiers::random, 4);
  const KeyHash hash("crc32c");
  keys.remember_sets(hash, 37);
  CHECK(keys.bits() == 64);
  for (NodeId node = 0; node < 100; ++node) {
    CHECK(keys.key(node) == NodeKeys::key_of(node, Identifiers::random, 3));
    CHECK(keys.key(node) != others.key(node));
    CHECK(keys.set(node) == hash.of(keys.key(node)) % 37);
  }
}

TEST_CASE("two nodes with one identifier are refused, at any positions") {
  CHECK_NOTHROW(NodeKeys({9, 7, 8}));
  CHECK_THROWS_AS(NodeKeys({9, 9}), ModelError);
  CHECK_THROWS_AS(NodeKeys({9, 7, 9}), ModelError);
}
