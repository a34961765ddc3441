// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <list>
#include <map>

#include "support/catch.h"
#include "tsuji/core/random.h"
#include "tsuji/nic/receiver/delivery_plan.h"
#include "tsuji/nic/receiver/message_ring.h"
#include "tsuji/nic/tables.h"
#include "tsuji/nic/tables/address_translation.h"
#include "tsuji/nic/tables/buffer_cache.h"

using namespace tsuji;
using namespace tsuji::nic;

namespace {

/// Tables in a map of words.
struct Tables {
  std::map<std::uint64_t, std::uint64_t> words;
  unsigned reads = 0;
  unsigned flush_at = 0;  ///< number of a walk's read before whose answer a flush comes, from 1; 0: none
  void segment(unsigned cid, unsigned n, const SegmentEntry& entry) {
    const auto encoded = entry.encode();
    for (unsigned w = 0; w < 3; ++w) words[0x8000 + (4 * cid + n) * 24 + 8 * w] = encoded[w];
  }
  AddressTranslation::Status run(AddressTranslation& translation, unsigned cid, std::uint64_t logical,
                                 bool write) {
    auto status = translation.begin(0x8000, cid, logical, write);
    while (status == AddressTranslation::Status::reading) {
      const auto read = translation.next_read();
      REQUIRE(read.address / 128 == (read.address + read.bytes - 1) / 128);
      std::array<std::uint64_t, 16> data{};
      for (unsigned w = 0; w < read.bytes / 8; ++w) data[w] = words[read.address + std::uint64_t{8} * w];
      if (++reads == flush_at) translation.flush();
      status = translation.feed(reinterpret_cast<const unsigned char*>(data.data()));
    }
    return status;
  }
};

}  // namespace

TEST_CASE("a TLB replaces the least recently used page") {
  Tlb tlb(4);
  std::list<std::pair<unsigned, std::uint64_t>> recent;  // most recent first
  CounterRandom random(7, 1);
  for (int i = 0; i < 20000; ++i) {
    const std::pair<unsigned, std::uint64_t> key(static_cast<unsigned>(random.below(2)), random.below(5));
    const auto held = std::find(recent.begin(), recent.end(), key);
    const Tlb::Page* page = tlb.find(key.first, key.second);
    REQUIRE((page != nullptr) == (held != recent.end()));
    if (page != nullptr) {
      REQUIRE(page->physical == std::uint64_t{key.first} * 100 + key.second);
      recent.erase(held);
    } else {
      tlb.insert(key.first, key.second, {std::uint64_t{key.first} * 100 + key.second, true});
      if (recent.size() == 4) recent.pop_back();
    }
    recent.push_front(key);
    if (random.below(500) == 0) {
      tlb.flush();
      recent.clear();
    }
  }
}

TEST_CASE("a walk finds the segment, then the page, and counts its reads") {
  Tables tables;
  tables.segment(1, 0, {true, 0x100, 0x10, 0x11});
  tables.segment(1, 1, {false, 0x200, 0x20, 0x20});  // at 24 * 5 = 120: across a line border
  tables.segment(1, 2, {true, 0x300, 0x20, 0x2f});
  tables.words[0x108] = PageEntry{true, true, 0x77000}.encode();
  tables.words[0x300 + 8 * 5] = PageEntry{true, false, 0x99000}.encode();
  TranslationCounters counters;
  AddressTranslation translation(4, counters);
  using Status = AddressTranslation::Status;
  REQUIRE(tables.run(translation, 1, 0x11abc, true) == Status::done);
  CHECK(translation.physical() == 0x77abc);
  CHECK(tables.reads == 2);
  REQUIRE(tables.run(translation, 1, 0x11010, true) == Status::done);
  CHECK(tables.reads == 2);
  REQUIRE(tables.run(translation, 1, 0x25008, false) == Status::done);
  CHECK(translation.physical() == 0x99008);
  CHECK(tables.reads == 2 + 5);  // three segments, one of them in two reads, and the page
  CHECK(counters.hits == 1);
  CHECK(counters.misses == 2);
  REQUIRE(tables.run(translation, 1, 0x25008, true) == Status::fault);
  CHECK(translation.fault() ==
        "logical address 0x25008 of cid 1 is to be written, but its page is read only");
  REQUIRE(tables.run(translation, 1, 0x10000, false) == Status::fault);
  CHECK(translation.fault() == "logical address 0x10000 of cid 1 is not mapped: its page entry is invalid");
  REQUIRE(tables.run(translation, 2, 0x11000, false) == Status::fault);
  CHECK(translation.fault() == "logical address 0x11000 of cid 2 is not mapped: no segment holds its page");
  translation.flush();
  tables.reads = 0;
  REQUIRE(tables.run(translation, 1, 0x11abc, true) == Status::done);
  CHECK(tables.reads == 2);
  // A walk in progress delivers its result, which is not cached: it may rest on old entries.
  for (const unsigned read : {1U, 2U}) {
    translation.flush();
    tables.reads = 0;
    tables.flush_at = read;
    REQUIRE(tables.run(translation, 1, 0x11abc, true) == Status::done);
    CHECK(translation.physical() == 0x77abc);
    for (const unsigned reads : {4U, 4U}) {
      REQUIRE(tables.run(translation, 1, 0x11abc, true) == Status::done);
      CHECK(tables.reads == reads);
    }
  }
}

TEST_CASE("a ring accepts what fits and never reaches its read pointer") {
  const MessageRing ring{0x10000, 1024, 128};
  CounterRandom random(8, 1);
  std::uint64_t write = 0x10000, read = 0x10000, held = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t size = 8 * (1 + random.below(32));
    const std::uint64_t rounded = (size + 127) / 128 * 128;
    const bool fits = held + rounded < 1024;
    REQUIRE(ring.problem(write, read, size).empty() == fits);
    if (fits && random.below(2) != 0) {
      REQUIRE(ring.at(write, 0) == write);
      write = ring.advance(write, size);
      held += rounded;
    } else if (held > 0) {
      read = read + 128 == 0x10400 ? 0x10000 : read + 128;
      held -= 128;
    }
    REQUIRE((write - read + 1024) % 1024 == held);
  }
  CHECK(ring.problem(0x10008, read, 8) ==
        "write pointer 0x10008 is no place in the buffer at 0x10000 of 0x400 bytes");
  CHECK(ring.problem(0x10000, 0x10400, 8) ==
        "read pointer 0x10400 is no place in the buffer at 0x10000 of 0x400 bytes");
  CHECK(MessageRing{}.problem(0, 0, 8) == "the buffer does not exist (size 0)");
  for (const std::uint64_t pointer : {0xff80, 0x10400, 0x10008}) {
    CHECK_THAT(ring.problem(pointer, 0x10000, 8), Catch::StartsWith("write pointer"));
    CHECK_THAT(ring.problem(0x10000, pointer, 8), Catch::StartsWith("read pointer"));
  }
  CHECK(ring.problem(0x10380, 0x10380, 8).empty());
  CHECK(MessageRing{0x10040, 1024, 128}.problem(0x10040, 0x10040, 8) ==
        "base 0x10040 or size 0x400 of the buffer is not a multiple of 0x80");
  CHECK(MessageRing{0x10000, 1000, 128}.problem(0x10000, 0x10000, 8) ==
        "base 0x10000 or size 0x3e8 of the buffer is not a multiple of 0x80");
}

TEST_CASE("the buffer cache evicts the least recently used cid") {
  BufferCache cache(2);
  CHECK(cache.find(3) == nullptr);
  cache.claim(3).entry[0] = 33;
  cache.claim(4).entry[0] = 44;
  REQUIRE(cache.find(3) != nullptr);
  cache.claim(5);
  CHECK(cache.find(4) == nullptr);
  REQUIRE(cache.find(3) != nullptr);
  CHECK(cache.find(3)->entry[0] == 33);
  cache.flush();
  CHECK(cache.find(3) == nullptr);
}

namespace {

struct Planned {
  Packet packet;
  PacketHeader header;
  BufferResources resources;
  DeliveryPlan plan;
  std::string make() {
    header.payload_bytes = packet.payload_bytes;
    return plan.make(packet, header, 0x4000, &resources);
  }
};

}  // namespace

TEST_CASE("data are written in pieces within lines, for any address") {
  CounterRandom random(9, 1);
  for (int i = 0; i < 3000; ++i) {
    Planned p;
    p.packet.payload_bytes = static_cast<std::uint16_t>(8 * (1 + random.below(32)));
    p.header.address = 8 * random.below(4096);
    REQUIRE(p.make().empty());
    std::uint64_t next = p.header.address;
    for (unsigned w = 0; w < p.plan.size(); ++w) {
      const DeliveryWrite& write = p.plan[w];
      REQUIRE(write.logical);
      REQUIRE(write.address == next);
      REQUIRE(write.payload == next - p.header.address);
      REQUIRE(write.address / 128 == (write.address + write.bytes - 1) / 128);
      REQUIRE(write.ends_body == (w + 1 == p.plan.size()));
      next += write.bytes;
    }
    REQUIRE(next == p.header.address + p.packet.payload_bytes);
    REQUIRE(p.plan.size() <= 3);
  }
}

TEST_CASE("a message at the end of its ring continues at the start, then moves the pointer") {
  Planned p;
  p.packet.payload_bytes = 200;
  p.header.protocol = Protocol::message1;
  p.resources.cid = 9;
  p.resources.limits[2] = 0x10000;
  p.resources.limits[3] = 512;
  p.resources.entry[1] = 0x10180;
  p.resources.limits[BufferLimits::read_pointer_word + 1] = 0x10180;
  REQUIRE(p.make().empty());
  REQUIRE(p.plan.size() == 3);
  CHECK(p.plan[0].address == 0x10180);
  CHECK(p.plan[0].bytes == 128);
  CHECK(p.plan[1].address == 0x10000);
  CHECK(p.plan[1].bytes == 72);
  CHECK_FALSE(p.plan[2].logical);
  CHECK(p.plan[2].address == 0x4000 + 64 * 9 + 8);
  CHECK(p.plan[2].words[0] == 0x10080);
  CHECK(p.resources.entry[1] == 0x10080);
  REQUIRE(p.make() == "message buffer 1: overrun: 200 bytes at 0x10080 would reach the read pointer 0x10180");
}

TEST_CASE("logs follow the data of a parcel's last packet") {
  Planned p;
  p.packet.payload_bytes = 8;
  p.header.address = 0x7008;
  p.header.log = true;
  p.header.source_pe = 0x123;
  p.resources.cid = 1;
  p.resources.limits[4] = 0x20000;
  p.resources.limits[5] = 128;
  p.resources.entry[6] = 0x20070;
  p.resources.limits[BufferLimits::read_pointer_word + 2] = 0x20070;
  REQUIRE(p.make().empty());
  CHECK(p.plan.size() == 1);  // not the last packet
  p.header.last = true;
  REQUIRE(p.make().empty());
  REQUIRE(p.plan.size() == 3);
  CHECK(p.plan[1].logical);
  CHECK(p.plan[1].address == 0x20070);
  CHECK(p.plan[1].bytes == 16);
  CHECK(p.plan[1].words[0] == (0x1230 | std::uint64_t{8} << 32));
  CHECK(p.plan[1].words[1] == 0x7008);
  CHECK(p.plan[2].address == 0x4000 + 64 + 48);
  CHECK(p.plan[2].words[0] == 0x20000);
}
