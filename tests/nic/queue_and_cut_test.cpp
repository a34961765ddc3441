// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <deque>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/random.h"
#include "tsuji/nic/registers.h"
#include "tsuji/nic/sender/header_queue.h"
#include "tsuji/nic/sender/packet_cutter.h"
#include "tsuji/nic/sender/parcel_order.h"
#include "tsuji/nic/sender/release_time.h"

using namespace tsuji;
using namespace tsuji::nic;

TEST_CASE("a header queue is a ring with one place left free") {
  HeaderQueue queue;
  REQUIRE(queue.set_write_pointer(32) == "write pointer of a disabled queue");
  REQUIRE(queue.set_base(0x20000).empty());
  REQUIRE(queue.set_bytes(4096).empty());
  CounterRandom random(3, 1);
  std::deque<std::uint64_t> held;  // addresses of the headers in the queue
  std::uint64_t tail = 0;
  for (int i = 0; i < 20000; ++i) {
    if (random.below(2) != 0) {
      const std::uint64_t count = random.below(128);
      const std::uint64_t wanted = (tail + 32 * count) % 4096;
      const bool fits = held.size() + count <= 127;
      REQUIRE(queue.set_write_pointer(wanted).empty() == fits);
      for (std::uint64_t n = 0; fits && n < count; ++n, tail = (tail + 32) % 4096)
        held.push_back(0x20000 + tail);
    } else if (!held.empty()) {
      REQUIRE(queue.next_address() == held.front());
      held.pop_front();
      queue.advance();
    }
    REQUIRE(queue.empty() == held.empty());
  }
}

TEST_CASE("an invalid header queue is refused") {
  HeaderQueue queue;
  CHECK_FALSE(queue.set_bytes(2048).empty());
  CHECK_FALSE(queue.set_bytes(131072).empty());
  CHECK_FALSE(queue.set_bytes(5000).empty());
  CHECK(queue.set_bytes(65536).empty());
  CHECK(queue.set_base(0x1000).empty());
  CHECK(queue.set_write_pointer(32) == "queue base 4096 is not aligned to the queue's size");
  CHECK(queue.set_base(0x10000).empty());
  CHECK(queue.set_write_pointer(40) == "write pointer 40 is not a multiple of 32");
  CHECK(queue.set_write_pointer(65536) == "write pointer 65536 lies outside the queue");
  CHECK(queue.set_write_pointer(64).empty());
  CHECK_FALSE(queue.set_bytes(4096).empty());
  CHECK(queue.set_write_pointer(32) == "write pointer 32 overruns the read pointer 0");
}

TEST_CASE("a header queue of another size begins at its start") {
  HeaderQueue queue;
  REQUIRE(queue.set_base(0x10000).empty());
  REQUIRE(queue.set_bytes(8192).empty());
  REQUIRE(queue.set_write_pointer(4096 + 32).empty());
  while (!queue.empty()) queue.advance();
  REQUIRE(queue.set_bytes(4096).empty());
  CHECK(queue.write_pointer() == 0);
  CHECK(queue.read_pointer() == 0);
  CHECK(queue.set_write_pointer(32).empty());
  CHECK(queue.next_address() == 0x10000);
}

TEST_CASE("sets with headers are served in turn") {
  QueueScheduler scheduler(4);
  CHECK(scheduler.next(0) == -1);
  CHECK(scheduler.next(0b1111) == 0);
  CHECK(scheduler.next(0b1111) == 1);
  CHECK(scheduler.next(0b1001) == 3);
  CHECK(scheduler.next(0b1001) == 0);
  CHECK(scheduler.next(0b0001) == 0);
}

TEST_CASE("packets cover a parcel, end at line borders and never cross a page") {
  CounterRandom random(4, 1);
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t source = 4 * random.below(8192);
    const std::uint64_t destination = 8 * random.below(4096);
    const auto length = static_cast<std::uint32_t>(4 * (1 + random.below(8000)));
    const std::uint64_t shift = source % 8;
    const unsigned most = random.below(4) == 0 ? 128 : 256;
    const PacketCutter cutter(most);
    std::uint64_t last_line = PacketCutter::no_line;
    for (std::uint32_t offset = 0; offset < length;) {
      const PacketCut cut = cutter.next(source, destination, length, offset, last_line);
      REQUIRE(cut.bytes > 0);
      REQUIRE(cut.bytes <= most);
      const std::uint64_t from = source + offset, to = destination + offset;
      // In doublewords; a shifted packet's last word may be the first of the next page.
      REQUIRE((from - shift) / 4096 == (from - shift + cut.bytes - 1) / 4096);
      REQUIRE(to / 4096 == (to + cut.bytes - 1) / 4096);
      REQUIRE(to / 128 + 1 >= (to + cut.bytes - 1) / 128);  // two destination lines at most
      const bool source_page_ends = (from - shift + cut.bytes) % 4096 == 0;
      // No packet is shorter than necessary.
      const bool page_ends = source_page_ends || (to + cut.bytes) % 4096 == 0;
      REQUIRE((cut.last || page_ends || (to + cut.bytes) / 128 - to / 128 == most / 128));
      REQUIRE(((to + cut.bytes) % 128 == 0 || cut.last || source_page_ends));
      REQUIRE(cut.first == (offset == 0));
      REQUIRE(cut.last == (offset + cut.bytes == length));
      std::uint64_t next = from;
      for (unsigned r = 0; r < cut.reads; ++r) {
        const LineRead& read = cut.read[r];
        REQUIRE(read.line % 128 == 0);
        REQUIRE(read.line + read.skip == next);
        REQUIRE(read.payload == next - from);
        REQUIRE(read.skip + read.bytes <= 128);
        REQUIRE(read.again == (r == 0 && read.line == last_line));
        next += read.bytes;
      }
      REQUIRE(next == from + cut.bytes);
      const std::uint64_t read_last = cut.read[cut.reads - 1].line;
      const bool may_serve = read_last / 4096 == from / 4096 && (source - destination) % 128 != 4;
      REQUIRE(cut.last_line == (may_serve ? read_last : PacketCutter::no_line));
      last_line = cut.last_line;
      offset += cut.bytes;
    }
  }
}

TEST_CASE("a packet from an odd word reads one doubleword more") {
  const PacketCutter cutter(256);
  // Offsets in lines of source and destination, and the lines of each packet in the middle of a page.
  const PacketCut by_one = cutter.next(0x1004, 0x8000, 4096, 256, PacketCutter::no_line);
  CHECK(by_one.bytes == 256);
  CHECK(by_one.reads == 3);
  CHECK(by_one.read[2].bytes == 4);  // the first word of a line
  CHECK(by_one.last_line == PacketCutter::no_line);
  const PacketCut by_31 = cutter.next(0x107c, 0x8000, 4096, 256, 0x1100);
  CHECK(by_31.reads == 3);
  CHECK(by_31.read[0].bytes == 4);
  CHECK(by_31.read[0].again);
  CHECK(by_31.last_line == 0x1200);
  // The page ends with one more packet's doublewords.
  const PacketCut to_page = cutter.next(0x1f0c, 0x8000, 4096, 0, PacketCutter::no_line);
  CHECK(to_page.bytes == 0xf8);
  CHECK(to_page.reads == 3);
  CHECK(to_page.read[2].line == 0x2000);
  CHECK(to_page.read[2].bytes == 4);
  CHECK(to_page.last_line == PacketCutter::no_line);
  // A last word that ends with the page reads nothing beyond the page.
  const PacketCut whole = cutter.next(0x1ffc, 0x8004, 4, 0, PacketCutter::no_line);
  CHECK(whole.bytes == 4);
  CHECK(whole.reads == 1);
}

TEST_CASE("an aligned packet takes two reads, an unaligned one three") {
  const PacketCutter cutter(256);
  const PacketCut aligned = cutter.next(0x1000, 0x8000, 4096, 256, 0x1080);
  CHECK(aligned.reads == 2);
  CHECK(aligned.bytes == 256);
  CHECK_FALSE(aligned.read[0].again);
  const PacketCut unaligned = cutter.next(0x1040, 0x8000, 4096, 256, 0x1100);
  CHECK(unaligned.reads == 3);
  CHECK(unaligned.bytes == 256);
  CHECK(unaligned.read[0].again);
  CHECK_FALSE(unaligned.read[2].again);
  const PacketCut to_border = cutter.next(0x1000, 0x8048, 4096, 0, PacketCutter::no_line);
  CHECK(to_border.bytes == 256 - 0x48);
}

TEST_CASE("a parcel passes an older one only with disjoint ports") {
  CounterRandom random(5, 1);
  for (int i = 0; i < 20000; ++i) {
    ParcelOrder order;
    const auto room = static_cast<std::uint32_t>(random.below(16));
    for (unsigned c = 0; c < ParcelOrder::max_registers; ++c) {
      order[c] = {random.below(2) != 0, random.below(1000) * 8 + c,
                  static_cast<std::uint32_t>(1 + random.below(15))};
    }
    // Reference: from the oldest parcel on, collects the ports in use.
    std::vector<unsigned> by_age;
    for (unsigned c = 0; c < ParcelOrder::max_registers; ++c) {
      if (order[c].waiting) by_age.push_back(c);
    }
    std::sort(by_age.begin(), by_age.end(),
              [&](unsigned x, unsigned y) { return order[x].age < order[y].age; });
    std::uint32_t taken = 0, wanted = 0;
    int with_room = -1, first = -1;
    for (const unsigned c : by_age) {
      const bool free = (order[c].port_bits & taken) == 0;
      REQUIRE(order.may_go(c) == free);
      taken |= order[c].port_bits;
      if (!free) continue;
      wanted |= order[c].port_bits;
      if (first < 0) first = static_cast<int>(c);
      if (with_room < 0 && (order[c].port_bits & ~room) == 0) with_room = static_cast<int>(c);
    }
    const auto choice = order.choose(room);
    REQUIRE(choice.index == (with_room >= 0 ? with_room : first));
    REQUIRE(choice.has_room == (with_room >= 0));
    REQUIRE(order.wanted_ports() == wanted);
  }
}

TEST_CASE("the release time is the first without a bubble") {
  CounterRandom random(6, 1);
  for (int i = 0; i < 5000; ++i) {
    ReleaseTime release(7, 3);
    std::vector<Cycle> there;
    Cycle cycle = 100;
    while (there.size() < 32) {
      const auto count = static_cast<unsigned>(1 + random.below(16));
      cycle += random.below(120);
      release.add_words(static_cast<unsigned>(there.size()), count, cycle);
      for (unsigned w = 0; w < count; ++w) there.push_back(cycle++);
    }
    const auto flows = [&](Cycle at) {
      for (std::size_t k = 0; k < there.size(); ++k) {
        if (there[k] > at + 7 + 3 * k) return false;
      }
      return true;
    };
    REQUIRE(flows(release.earliest()));
    REQUIRE((release.earliest() == 0 || !flows(release.earliest() - 1)));
  }
}

TEST_CASE("the words of a shifted packet wait for both their halves") {
  CounterRandom random(7, 1);
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t source = 4 * random.below(64);
    const auto bytes = static_cast<unsigned>(4 * (1 + random.below(64)));
    ReleaseTime release(7, 3);
    std::vector<Cycle> half(bytes / 4);  // when each word of 4 bytes is in its place in the packet
    Cycle line_at = 100;
    for (unsigned done = 0; done < bytes;) {
      const auto skip = static_cast<unsigned>((source + done) % 128);
      const unsigned part = std::min(128 - skip, bytes - done);
      line_at += 16 + random.below(60);
      release.add_bytes(done, part, skip, line_at);
      for (unsigned at = done; at < done + part; at += 4) half[at / 4] = line_at + (skip + at - done) / 8;
      done += part;
    }
    // A half that is shifted alone leaves its register one cycle later.
    if (source % 8 != 0 && bytes % 8 != 0) ++half.back();
    Cycle earliest = 0;
    for (unsigned h = 0; h < half.size(); ++h) {
      const Cycle before = 7 + Cycle{3} * (h / 2);
      if (half[h] > before) earliest = std::max(earliest, half[h] - before);
    }
    REQUIRE(release.earliest() == earliest);
  }
}

TEST_CASE("bad parcel headers are refused with their cause") {
  ParcelHeader good;
  good.length = 64;
  good.source = 0x1000;
  good.destination = 0x2000;
  CHECK(parcel_problem(good, first_user_set).empty());
  const auto refused = [&](auto change, unsigned set = first_user_set) {
    ParcelHeader header = good;
    change(header);
    return parcel_problem(header, set);
  };
  CHECK(refused([](auto& h) { h.protocol = static_cast<Protocol>(14); }) == "protocol 14 does not exist");
  CHECK(refused([](auto& h) { h.kind = static_cast<PacketKind>(3); }) == "packet kind 3 does not exist");
  CHECK_FALSE(refused([](auto& h) { h.kind = PacketKind::synchronization; }).empty());
  CHECK(refused([](auto& h) { h.length = 0; }) == "data length is 0");
  CHECK(refused([](auto& h) { h.length = 10; }) == "data length 10 is not a multiple of 4");
  CHECK(refused([](auto& h) { h.length = 512 * 1024 + 8; }) == "data length 524296 exceeds 512 KB");
  CHECK(refused([](auto& h) { h.length = 512 * 1024; }).empty());
  CHECK(refused([](auto& h) {
          h.inline_data = true;
          h.length = 16;
        }) == "more than 8 bytes of inline data");
  CHECK(refused([](auto& h) {
          h.inline_data = true;
          h.length = 8;
          h.source = 3;
        }).empty());
  CHECK(refused([](auto& h) { h.source = 0x1002; }) == "source address is not a multiple of 4");
  CHECK(refused([](auto& h) { h.destination = 0x1002; }) == "destination address is not a multiple of 4");
  CHECK(refused([](auto& h) {
          h.notify = true;
          h.notification = 4;
        }) == "notification address is not a multiple of 8");
  CHECK(refused([](auto& h) {
          h.protocol = Protocol::atomic_add;
          h.length = 16;
        }) == "atomic add works on 8 bytes");
  CHECK(refused([](auto& h) { h.physical = true; }) ==
        "physical addresses outside the operating system's queue");
  CHECK(refused([](auto& h) { h.physical = true; }, os_set).empty());
}

TEST_CASE("words of 4 bytes start at any word, a single one goes to any word, several to doublewords only") {
  const std::string several = "more than one word for a destination at an odd word";
  for (const Protocol protocol :
       {Protocol::remote_dma, Protocol::remote_dma_register1, Protocol::message0, Protocol::remote_read}) {
    CAPTURE(static_cast<unsigned>(protocol));
    const auto problem = [&](std::uint64_t source, std::uint64_t destination, std::uint32_t length) {
      ParcelHeader header;
      header.protocol = protocol;
      header.source = source;
      header.destination = destination;
      header.length = length;
      return parcel_problem(header, first_user_set);
    };
    CHECK(problem(0x1004, 0x2000, 64).empty());
    CHECK(problem(0x1004, 0x2000, 12).empty());
    CHECK(problem(0x1000, 0x2000, 4).empty());
    CHECK(problem(0x1000, 0x2000, 6) == "data length 6 is not a multiple of 4");
    CHECK(problem(0x1001, 0x2000, 4) == "source address is not a multiple of 4");
    if (protocol == Protocol::message0) continue;  // a message has no destination
    CHECK(problem(0x1000, 0x2004, 4).empty());
    CHECK(problem(0x1004, 0x2004, 4).empty());
    CHECK(problem(0x1000, 0x2004, 8) == several);
    CHECK(problem(0x1004, 0x2004, 64) == several);
    CHECK(problem(0x1000, 0x2006, 4) == "destination address is not a multiple of 4");
  }
}

TEST_CASE("an operand of a synchronization is whole words within a line, with an operation that exists") {
  ParcelHeader good;
  good.protocol = Protocol::synchronization;
  good.kind = PacketKind::synchronization;
  CHECK(parcel_problem(good, first_user_set).empty());
  good.length = 48;
  good.source = 0x1050;
  good.destination = 0x2008;
  good.rrid = static_cast<std::uint8_t>(Combine::max);
  CHECK(parcel_problem(good, first_user_set).empty());
  const auto refused = [&](auto change) {
    ParcelHeader header = good;
    change(header);
    return parcel_problem(header, first_user_set);
  };
  CHECK(refused([](auto& h) { h.length = 12; }) == "an operand of 12 bytes");
  CHECK(refused([](auto& h) { h.length = 136; }) == "an operand of 136 bytes");
  CHECK(refused([](auto& h) { h.length = 56; }) == "an operand across a line");
  CHECK(refused([](auto& h) { h.source += 4; }) == "source address is not a multiple of 8");
  CHECK(refused([](auto& h) { h.destination += 4; }) == "destination address is not a multiple of 8");
  CHECK(refused([](auto& h) { h.rrid = 3; }) == "operation 3 on operands does not exist");
  CHECK(refused([](auto& h) { h.inline_data = true; }) == "more than 8 bytes of inline data");
  CHECK(refused([](auto& h) {
          h.inline_data = true;
          h.length = 8;
          h.source = 3;
        }).empty());
}

TEST_CASE("an inline word goes to an odd word, an atomic add does not") {
  ParcelHeader header;
  header.inline_data = true;
  header.source = 0x1001;
  header.destination = 0x2004;
  header.length = 4;
  CHECK(parcel_problem(header, first_user_set).empty());
  header.inline_data = false;
  header.protocol = Protocol::atomic_add;
  CHECK(parcel_problem(header, first_user_set) == "atomic add works on 8 bytes");
  header.length = 8;
  CHECK(parcel_problem(header, first_user_set) == "destination address is not a multiple of 8");
}
