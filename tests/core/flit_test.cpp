// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <initializer_list>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/flit.h"
#include "tsuji/core/random.h"

using namespace tsuji;

namespace {

PacketRef random_packet(PacketPool& pool, CounterRandom& random, PacketKind kind, unsigned payload_bytes) {
  PacketRef ref = pool.make();
  Packet& packet = ref.edit();
  packet.kind = kind;
  packet.map = random.next();
  packet.header = {random.next(), random.next()};
  packet.payload_bytes = static_cast<std::uint16_t>(payload_bytes);
  for (unsigned w = 0; w < payload_bytes / 8; ++w) {
    const std::uint64_t word = random.next();
    std::memcpy(packet.payload.data() + 8 * w, &word, 8);
  }
  packet.flits =
      static_cast<std::uint16_t>((kind == PacketKind::single_cast ? 7 : 10) + 3 * payload_bytes / 8);
  return ref;
}

void words_are(const FlitJudgement& judgement, const Packet& original) {
  REQUIRE(judgement.word_count == packet_words(original));
  for (unsigned w = 0; w < judgement.word_count; ++w) REQUIRE(judgement.words[w] == packet_word(original, w));
}

void dropped_for(const FlitJudgement& judgement, FlitDropCause cause) {
  REQUIRE(judgement.verdict == FlitVerdict::dropped);
  REQUIRE(judgement.cause == cause);
}

}  // namespace

TEST_CASE("ECC corrects every single error and detects every double error") {
  CounterRandom random(1, 1);
  const std::uint64_t word = random.next();
  const std::uint8_t check = ecc_of(word);
  const auto hit = [&](unsigned bit, std::uint64_t& w, std::uint8_t& c) {
    if (bit < 64)
      w ^= std::uint64_t{1} << bit;
    else
      c = static_cast<std::uint8_t>(c ^ 1U << (bit - 64));
  };
  for (unsigned a = 0; a < 72; ++a) {
    std::uint64_t w = word;
    std::uint8_t c = check;
    hit(a, w, c);
    REQUIRE(ecc_correct(w, c) == EccResult::corrected);
    REQUIRE(w == word);
    for (unsigned b = a + 1; b < 72; ++b) {
      std::uint64_t w2 = word;
      std::uint8_t c2 = check;
      hit(a, w2, c2);
      hit(b, w2, c2);
      REQUIRE(ecc_correct(w2, c2) == EccResult::uncorrectable);
    }
  }
}

TEST_CASE("a packet of 256 bytes is 103 flits: the port flit, six of header, three for every 8 bytes") {
  PacketPool pool;
  CounterRandom random(2, 1);
  const PacketRef packet = random_packet(pool, random, PacketKind::single_cast, 256);
  REQUIRE(packet->flits == 103);
  CHECK((spell_flit(*packet, 0b0100, 0) >> 2 & 0xffff) == 0b0100);
  CHECK((spell_flit(*packet, 0b0100, 1) & 0xffffff) == (packet->header[0] & 0xffffff));
  CHECK(position_of(spell_flit(*packet, 1, 0)) == FlitPosition::odd);
  CHECK(position_of(spell_flit(*packet, 1, 1)) == FlitPosition::even);
  CHECK(position_of(spell_flit(*packet, 1, 102)) == FlitPosition::last);
  for (unsigned f = 0; f < packet->flits; ++f) CHECK(parity_holds(spell_flit(*packet, 1, f)));
}

TEST_CASE("words of a packet are its map, if it has one, its two words of header, and its payload") {
  PacketPool pool;
  CounterRandom random(4, 1);
  for (const PacketKind kind :
       {PacketKind::single_cast, PacketKind::multicast, PacketKind::synchronization}) {
    const PacketRef packet = random_packet(pool, random, kind, 24);
    std::vector<std::uint64_t> words;
    if (kind != PacketKind::single_cast) words.push_back(packet->map);
    words.insert(words.end(), packet->header.begin(), packet->header.end());
    for (unsigned w = 0; w < 3; ++w) {
      std::uint64_t word = 0;
      std::memcpy(&word, packet->payload.data() + 8 * w, 8);
      words.push_back(word);
    }
    REQUIRE(packet_words(*packet) == words.size());
    for (unsigned w = 0; w < words.size(); ++w) {
      CHECK(packet_word(*packet, w) == words[w]);
      // Three flits a word: 24 bits, 24 bits, 16 bits and the check bits.
      CHECK((spell_flit(*packet, 1, 1 + 3 * w) & 0xffffff) == (words[w] & 0xffffff));
      CHECK((spell_flit(*packet, 1, 2 + 3 * w) & 0xffffff) == (words[w] >> 24 & 0xffffff));
      CHECK((spell_flit(*packet, 1, 3 + 3 * w) & 0xffffff) ==
            (words[w] >> 48 | std::uint64_t{ecc_of(words[w])} << 16));
    }
  }
}

TEST_CASE("a payload's last 4 bytes take a whole word, whose other half is zero") {
  PacketPool pool;
  CounterRandom random(9, 1);
  PacketRef packet = random_packet(pool, random, PacketKind::single_cast, 16);
  packet.edit().payload_bytes = 12;  // the rest holds bytes of an earlier packet
  REQUIRE(packet_words(*packet) == 4);
  std::uint32_t half = 0;
  std::memcpy(&half, packet->payload.data() + 8, 4);
  CHECK(packet_word(*packet, 3) == half);
}

TEST_CASE("flits use all of their bits and no others") {
  PacketPool pool;
  CounterRandom random(5, 1);
  FlitBits used = 0;
  for (unsigned i = 0; i < 20; ++i) {
    const PacketRef packet = random_packet(pool, random, PacketKind::multicast, 256);
    for (unsigned f = 0; f < packet->flits; ++f) used |= spell_flit(*packet, 0xffff, f);
  }
  CHECK(used == (FlitBits{1} << flit_bits) - 1);
}

TEST_CASE("any one flipped bit is corrected or, in the port flit and the position bits, detected") {
  PacketPool pool;
  CounterRandom random(3, 1);
  for (const PacketKind kind : {PacketKind::single_cast, PacketKind::multicast}) {
    const PacketRef original = random_packet(pool, random, kind, 64);
    for (unsigned flit = 0; flit < original->flits; ++flit) {
      for (unsigned bit = 0; bit < flit_bits; ++bit) {
        PacketRef copy = pool.clone(*original);
        REQUIRE(damage(copy.edit(), {static_cast<std::uint16_t>(flit), false, 1U << bit}));
        const FlitJudgement judgement = judge(*copy);
        if (bit > 24) {
          dropped_for(judgement, FlitDropCause::flit_lost);
        } else if (flit == 0) {
          dropped_for(judgement, FlitDropCause::port_parity);
        } else {
          REQUIRE(judgement.verdict == (bit == 24 ? FlitVerdict::clean : FlitVerdict::corrected));
          REQUIRE(judgement.cause == FlitDropCause::none);
          REQUIRE(judgement.corrected_words == (bit == 24 ? 0 : 1));
          words_are(judgement, *original);
        }
      }
    }
  }
}

TEST_CASE("a switch's check detects every flipped bit, every two of a word and every lost flit") {
  PacketPool pool;
  CounterRandom random(11, 1);
  const PacketRef original = random_packet(pool, random, PacketKind::synchronization, 0);
  const auto passes = [&](std::initializer_list<FlitError> errors) {
    PacketRef copy = pool.clone(*original);
    for (const FlitError& error : errors) REQUIRE(damage(copy.edit(), error));
    return check_passes(*copy);
  };
  CHECK(passes({}));
  unsigned passed = 0;
  for (std::uint16_t flit = 0; flit < original->flits; ++flit) {
    passed += passes({{flit, true, 0}}) ? 1 : 0;
    for (unsigned bit = 0; bit < flit_bits; ++bit) {
      passed += passes({{flit, false, 1U << bit}}) ? 1 : 0;
      for (unsigned other = 0; other < bit && flit != 0; ++other)
        passed += passes({{flit, false, 1U << bit | 1U << other}}) ? 1 : 0;
    }
  }
  CHECK(passed == 0);
  // A bit flipped twice is no error.
  CHECK(passes({{4, false, 1U << 5}, {4, false, 1U << 5}}));
  CHECK_FALSE(passes({{4, false, 1U << 5}, {4, false, 1U << 5}, {5, false, 1}}));
}

TEST_CASE("two flipped bits of a word are detected, a lost flit always is") {
  PacketPool pool;
  CounterRandom random(4, 1);
  const PacketRef original = random_packet(pool, random, PacketKind::multicast, 24);
  for (unsigned flit = 0; flit < original->flits; ++flit) {
    PacketRef lost = pool.clone(*original);
    damage(lost.edit(), {static_cast<std::uint16_t>(flit), true, 0});
    dropped_for(judge(*lost), FlitDropCause::flit_lost);
    if (flit == 0) continue;
    PacketRef twice = pool.clone(*original);
    damage(twice.edit(), {static_cast<std::uint16_t>(flit), false, 0b1001});
    dropped_for(judge(*twice), FlitDropCause::double_bit);
  }
}

TEST_CASE("switches read a damaged map unrepaired, and the receiver still recovers the one that was sent") {
  PacketPool pool;
  CounterRandom random(5, 1);
  const PacketRef original = random_packet(pool, random, PacketKind::multicast, 8);
  PacketRef copy = pool.clone(*original);
  damage(copy.edit(), {2, false, 1U << 3});
  CHECK(copy->map == (original->map ^ 1ULL << 27));
  const FlitJudgement judgement = judge(*copy);
  CHECK(judgement.verdict == FlitVerdict::corrected);
  words_are(judgement, *original);
}

TEST_CASE("a packet without errors is clean, and its words are unchanged") {
  PacketPool pool;
  CounterRandom random(6, 1);
  for (const PacketKind kind : {PacketKind::single_cast, PacketKind::synchronization}) {
    const PacketRef packet = random_packet(pool, random, kind, 256);
    const FlitJudgement judgement = judge(*packet);
    CHECK(judgement.verdict == FlitVerdict::clean);
    CHECK(judgement.cause == FlitDropCause::none);
    CHECK(judgement.corrected_words == 0);
    words_are(judgement, *packet);
  }
}

TEST_CASE("each damaged word is corrected and counted, and bits beyond a flit's 28 are ignored") {
  PacketPool pool;
  CounterRandom random(7, 1);
  const PacketRef original = random_packet(pool, random, PacketKind::multicast, 16);
  PacketRef copy = pool.clone(*original);
  // The map's second flit, the first header word's check bits, the last word of the payload twice at one bit.
  REQUIRE(damage(copy.edit(), {2, false, 1U << 23 | 1U << 28}));
  REQUIRE(damage(copy.edit(), {6, false, 1U << 16 | 0xf0000000}));
  REQUIRE(damage(copy.edit(), {13, false, 1}));
  REQUIRE(judge(*copy).corrected_words == 3);
  REQUIRE(damage(copy.edit(), {13, false, 1}));
  CHECK(copy->map == (original->map ^ std::uint64_t{1} << 47));
  const FlitJudgement judgement = judge(*copy);
  CHECK(judgement.verdict == FlitVerdict::corrected);
  CHECK(judgement.corrected_words == 2);
  words_are(judgement, *original);
}

TEST_CASE("a packet carries four errors, a lost flit replaces the last one, and the map is restored") {
  PacketPool pool;
  CounterRandom random(8, 1);
  const PacketRef original = random_packet(pool, random, PacketKind::synchronization, 0);
  PacketRef copy = pool.clone(*original);
  for (unsigned error = 0; error < 4; ++error)
    REQUIRE(damage(copy.edit(), {static_cast<std::uint16_t>(error), false, 0xffff}));
  const std::uint64_t damaged = 0xffff'00ff'ff00'ffff;
  REQUIRE(copy->map == (original->map ^ damaged));
  CHECK_FALSE(damage(copy.edit(), {1, false, 0xff}));
  CHECK(copy->spelling.error_count == 4);
  CHECK(copy->map == (original->map ^ damaged));
  REQUIRE(damage(copy.edit(), {1, true, 0xff}));
  CHECK(copy->spelling.error_count == 4);
  CHECK(copy->spelling.errors[3].lost);
  CHECK(copy->spelling.errors[2].flit == 2);
  CHECK(copy->map == (original->map ^ (damaged & 0xffff'ffff'ffff)));
  dropped_for(judge(*copy), FlitDropCause::flit_lost);

  // A single cast has no map; its first words are the header.
  const PacketRef single = random_packet(pool, random, PacketKind::single_cast, 0);
  PacketRef hit = pool.clone(*single);
  for (unsigned error = 0; error < 5; ++error) CHECK(damage(hit.edit(), {1, error == 4, 1}));
  CHECK(hit->map == single->map);
}

TEST_CASE("flits after the last word are padding: no data, and the position of their places") {
  PacketPool pool;
  CounterRandom random(9, 1);
  const PacketRef ref = random_packet(pool, random, PacketKind::single_cast, 8);
  Packet& packet = PacketRef(ref).edit();
  packet.flits = 13;
  for (unsigned flit = 10; flit < 13; ++flit) {
    const FlitPosition position = flit == 12   ? FlitPosition::last
                                  : flit == 10 ? FlitPosition::odd
                                               : FlitPosition::even;
    CHECK(spell_flit(packet, 1, flit) == make_flit(0, position));
  }
  CHECK(position_of(spell_flit(packet, 1, 9)) == FlitPosition::even);
  PacketRef copy = pool.clone(packet);
  damage(copy.edit(), {11, false, 0xffff});
  CHECK(judge(*copy).verdict == FlitVerdict::clean);
  words_are(judge(*copy), packet);
}

TEST_CASE("lengths of 0 give as many flits as the words take") {
  PacketPool pool;
  CounterRandom random(14, 1);
  for (const PacketKind kind :
       {PacketKind::single_cast, PacketKind::multicast, PacketKind::synchronization}) {
    const unsigned words = kind == PacketKind::synchronization ? 0 : 3;
    PacketRef left_out = random_packet(pool, random, kind, 8 * words), said = pool.clone(*left_out);
    left_out.edit().spelling.header_flits = left_out.edit().spelling.word_flits = 0;
    said.edit().spelling.header_flits = kind == PacketKind::single_cast ? 6 : 9;
    said.edit().spelling.word_flits = 3;
    REQUIRE(left_out->flits == 1 + said->spelling.header_flits + 3 * words);
    for (unsigned flit = 0; flit < said->flits; ++flit) {
      CHECK(spell_flit(*left_out, 1, flit) == spell_flit(*said, 1, flit));
      PacketRef one = pool.clone(*left_out), other = pool.clone(*said);
      damage(one.edit(), {static_cast<std::uint16_t>(flit), false, 1});
      damage(other.edit(), {static_cast<std::uint16_t>(flit), false, 1});
      CHECK(judge(*one).corrected_words == judge(*other).corrected_words);
    }
  }
}

TEST_CASE("a header longer than its words ends in words of zeros, followed by its payload") {
  PacketPool pool;
  CounterRandom random(12, 1);
  for (const PacketKind kind : {PacketKind::single_cast, PacketKind::multicast}) {
    PacketRef packet = random_packet(pool, random, kind, 24);
    const unsigned in_header = kind == PacketKind::single_cast ? 2 : 3;
    packet.edit().spelling.header_flits = 19;  // six words and one flit of padding
    packet.edit().spelling.word_flits = 5;
    packet.edit().flits = 1 + 19 + 3 * 5;
    const auto data = [&](unsigned flit) { return spell_flit(*packet, 1, flit) & 0xffffff; };
    REQUIRE(packet_words(*packet) == in_header + 3);
    for (unsigned w = 0; w < in_header + 3; ++w) {
      const std::uint64_t word = packet_word(*packet, w);
      const unsigned first = w < in_header ? 1 + 3 * w : 1 + 19 + 5 * (w - in_header);
      CHECK(data(first) == (word & 0xffffff));
      CHECK(data(first + 1) == (word >> 24 & 0xffffff));
      CHECK(data(first + 2) == (word >> 48 | std::uint64_t{ecc_of(word)} << 16));
      if (w >= in_header) CHECK((data(first + 3) | data(first + 4)) == 0);
    }
    for (unsigned flit = 1 + 3 * in_header; flit < 1 + 19; ++flit) CHECK(data(flit) == 0);
    const PacketRef same = pool.clone(*packet);
    for (unsigned flit = 0; flit < packet->flits; ++flit)
      CHECK(spell_flit(*same, 1, flit) == spell_flit(*packet, 1, flit));
  }
  // A reused packet keeps nothing of its previous use.
  const PacketRef tight = random_packet(pool, random, PacketKind::single_cast, 8);
  CHECK((spell_flit(*tight, 1, 7) & 0xffffff) == (packet_word(*tight, 2) & 0xffffff));
}

TEST_CASE("every word of a long header is checked, also those of zeros, and no padding") {
  PacketPool pool;
  CounterRandom random(13, 1);
  for (const PacketKind kind : {PacketKind::single_cast, PacketKind::synchronization}) {
    PacketRef original = random_packet(pool, random, kind, kind == PacketKind::single_cast ? 16 : 0);
    const unsigned words = original->payload_bytes / 8U;
    original.edit().spelling.header_flits = 19;
    original.edit().spelling.word_flits = 4;
    original.edit().flits = static_cast<std::uint16_t>(1 + 19 + 4 * words);
    for (unsigned flit = 1; flit < original->flits; ++flit) {
      const bool padding = flit == 19 || (flit > 19 && (flit - 20) % 4 == 3);
      CAPTURE(flit);
      PacketRef once = pool.clone(*original), twice = pool.clone(*original);
      REQUIRE(damage(once.edit(), {static_cast<std::uint16_t>(flit), false, 1}));
      REQUIRE(damage(twice.edit(), {static_cast<std::uint16_t>(flit), false, 0b1001}));
      CHECK(judge(*once).corrected_words == (padding ? 0 : 1));
      words_are(judge(*once), *original);
      if (padding) {
        words_are(judge(*twice), *original);
      } else {
        dropped_for(judge(*twice), FlitDropCause::double_bit);
        CHECK_FALSE(check_passes(*twice));
      }
    }
  }
}

TEST_CASE("a flit is data, even parity and position, and the port flit is kind and port bits") {
  CHECK(make_flit(0, FlitPosition::odd) == 0b001U << 25);
  CHECK(make_flit(1, FlitPosition::even) == (0b010U << 25 | 1U << 24 | 1));
  CHECK(make_flit(0xff000003, FlitPosition::last) == (0b100U << 25 | 3));
  CHECK(parity_holds(0b111U << 25));
  CHECK(parity_holds(1U << 24 | 1U << 23));
  CHECK_FALSE(parity_holds(1U << 24));
  CHECK_FALSE(parity_holds(1U << 23));
  CHECK(port_flit_data(PacketKind::single_cast, 0x15555) == 0x5555U << 2);
  CHECK(port_flit_data(PacketKind::multicast, 0x8001) == (0x8001U << 2 | 1));
  CHECK(port_flit_data(PacketKind::synchronization, 0) == 2);
}

TEST_CASE("three flipped bits that look like no single error are detected") {
  CounterRandom random(10, 1);
  const std::uint64_t word = random.next();
  unsigned detected = 0;
  for (unsigned a = 0; a < 62; ++a) {
    std::uint64_t hit = word ^ std::uint64_t{7} << a;
    const EccResult result = ecc_correct(hit, ecc_of(word));
    REQUIRE(result != EccResult::clean);
    if (result == EccResult::uncorrectable) {
      ++detected;
      CHECK(hit == (word ^ std::uint64_t{7} << a));
    }
  }
  CHECK(detected > 0);
}

TEST_CASE("flits that come twice, exchanged or not at all are detected by their positions") {
  PacketPool pool;
  CounterRandom random(11, 1);
  const PacketRef ref = random_packet(pool, random, PacketKind::multicast, 16);
  std::vector<FlitBits> flits;
  for (unsigned index = 0; index < ref->flits; ++index) flits.push_back(spell_flit(*ref, 5, index));
  const auto judged = [&](const std::vector<FlitBits>& come) {
    return judge_flits(*ref, come.data(), static_cast<unsigned>(come.size()));
  };
  words_are(judged(flits), *ref);
  for (unsigned index = 0; index + 1 < ref->flits; ++index) {
    auto twice = flits, exchanged = flits, fewer = flits;
    twice.insert(twice.begin() + index, flits[index]);
    twice.pop_back();
    std::swap(exchanged[index], exchanged[index + 1]);
    fewer.erase(fewer.begin() + index, fewer.begin() + index + 2);
    for (const auto& come : {twice, exchanged, fewer}) dropped_for(judged(come), FlitDropCause::flit_lost);
  }
}

TEST_CASE("as_sent removes errors and their change of the map, and arriving_flit applies them") {
  PacketPool pool;
  CounterRandom random(12, 1);
  const PacketRef original = random_packet(pool, random, PacketKind::multicast, 8);
  PacketRef hit = pool.clone(*original);
  FlitError flip, loss;
  flip.flit = 3;
  flip.flip = 0x8001;
  loss.flit = 9;
  loss.lost = true;
  REQUIRE((damage(hit.edit(), flip) && damage(hit.edit(), loss)));
  CHECK(hit->map != original->map);
  const Packet sent = as_sent(*hit);
  CHECK(sent.map == original->map);
  CHECK(sent.spelling.error_count == 0);
  for (unsigned index = 0; index < original->flits; ++index) {
    const auto flit = arriving_flit(sent, *hit, index);
    if (index == 9) {
      CHECK_FALSE(flit);
    } else {
      CHECK(flit == (spell_flit(*original, 1, index) ^ (index == 3 ? 0x8001U : 0U)));
    }
  }
}
