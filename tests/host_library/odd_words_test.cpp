// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "host_library/mock_machine.h"
#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/host/library/put_plan.h"

using namespace tsuji;
using namespace tsuji::host;
using namespace tsuji::test;

namespace {

constexpr std::uint64_t page = 4096, most = 512 * 1024;

/// Model of the network interface by words: a shifted parcel has a wrong word at the start of each page but
/// its first.
void move(const PutPiece& piece, const std::vector<std::uint32_t>& source, std::vector<std::uint32_t>& to) {
  const bool shifts = piece.data == PutPiece::Data::memory && piece.source % 8 != 0;
  REQUIRE(piece.source % 4 == 0);
  REQUIRE(piece.bytes % 4 == 0);
  REQUIRE(piece.bytes > 0);
  REQUIRE(piece.bytes <= most);
  REQUIRE((piece.destination % 8 == 0 || piece.bytes == 4));
  REQUIRE((piece.data != PutPiece::Data::word || piece.bytes == 4));
  for (std::uint64_t at = 0; at < piece.bytes; at += 4) {
    const bool wrong = shifts && at > 0 && (piece.source + at) % page == 0;
    to.at((piece.destination + at) / 4) =
        wrong ? ~source.at((piece.source + at) / 4) : source.at((piece.source + at) / 4);
  }
}

std::vector<PutPiece> all_of(PutPlan plan) {
  std::vector<PutPiece> pieces;
  while (!plan.ended()) pieces.push_back(plan.next());
  return pieces;
}

/// The number of parcels by the paper's rule.
std::uint64_t parcels_of(std::uint64_t source, std::uint64_t destination, std::uint64_t bytes,
                         Realignment realignment) {
  std::uint64_t count = 0;
  if (destination % 8 != 0) source += 4, bytes -= 4, ++count;
  count += (bytes + most - 1) / most;
  if (source % 8 == 0 || realignment == Realignment::software) return count;
  for (std::uint64_t at = source + 4; at < source + bytes; at += 4) {
    if (at % page != 0) continue;
    const bool parcel_begins = (at - source) % most == 0;
    if (!parcel_begins) ++count;
  }
  return count;
}

void check_plan(std::uint64_t source, std::uint64_t destination, std::uint64_t bytes,
                Realignment realignment) {
  const std::uint64_t room = std::max(source, destination) + bytes;
  std::vector<std::uint32_t> from(room / 4), to(room / 4), expected(room / 4);
  for (std::size_t w = 0; w < from.size(); ++w) from[w] = static_cast<std::uint32_t>(w + 1);
  std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(source / 4), bytes / 4,
              expected.begin() + static_cast<std::ptrdiff_t>(destination / 4));
  const auto pieces = all_of(PutPlan(source, destination, bytes, realignment));
  for (const PutPiece& piece : pieces) {
    if (realignment == Realignment::software)
      REQUIRE((piece.data != PutPiece::Data::memory || piece.source % 8 == 0));
    if (realignment == Realignment::hardware) REQUIRE(piece.data != PutPiece::Data::copy);
    move(piece, from, to);
  }
  REQUIRE(to == expected);
  REQUIRE(pieces.size() == parcels_of(source, destination, bytes, realignment));
}

}  // namespace

TEST_CASE("a put's parcels make a copy of all words, and are as few as possible") {
  for (const Realignment realignment : {Realignment::hardware, Realignment::software}) {
    for (std::uint64_t source = page - 32; source < page + 32; source += 4) {
      for (const std::uint64_t destination : {0, 4, 8, 124, 4092}) {
        for (const std::uint64_t bytes : {4, 8, 12, 32, 36, 600, 4092, 4096, 4100, 12288})
          check_plan(source, destination, bytes, realignment);
      }
    }
    for (const std::uint64_t source : {0, 4, 4088, 4092})
      for (const std::uint64_t destination : {0, 4})
        for (const std::uint64_t bytes : {most - 4, most, most + 4, most + 8, 2 * most + page})
          check_plan(source, destination, bytes, realignment);
  }
}

TEST_CASE("aligned puts are cut into parcels of the largest size") {
  const auto pieces = all_of(PutPlan(8, 16, most + 8, Realignment::software));
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].bytes == most);
  CHECK(pieces[1].bytes == 8);
  for (const PutPiece& piece : pieces) CHECK(piece.data == PutPiece::Data::memory);
}

namespace {

constexpr std::uint64_t words = 3000;

struct Case {
  std::uint64_t from, to, count;
};

/// Rank 0 puts, at random places and lengths, and waits for each notification; rank 1 compares at the end.
void puts_arrive(Realignment realignment) {
  MockConfig config;
  config.ranks = 2;
  config.library.heap_bytes = 1 << 20;
  config.library.realignment = realignment;
  MockMachine machine(config);
  std::vector<std::uint32_t> source(words), expected(words, 7), found(words);
  CounterRandom random(3, 5);
  for (auto& word : source) word = static_cast<std::uint32_t>(random.next());
  std::vector<Case> cases;
  for (int n = 0; n < 60; ++n) {
    const std::uint64_t count = 1 + random.below(n % 5 == 0 ? 2500 : 40);
    cases.push_back({random.below(words - count), random.below(words - count), count});
  }
  CHECK(machine.run([&](RankRuntime& rank) {
    rank.collectives.start();
    const HeapBlock out(rank.heap, 4 * words), in(rank.heap, 4 * words), told(rank.heap, 16);
    rank.cpu.store_block(in.address(), expected.data(), 4 * words);
    rank.cpu.store(told.address() + 8, 0);
    rank.collectives.barrier();
    const std::string what = "a put";
    const auto await = [&](std::uint64_t word) {
      rank.waiter.until([&] { return rank.cpu.load(word) != 0; }, what, word);
    };
    if (rank.rank() == 0) {
      rank.cpu.store_block(out.address(), source.data(), 4 * words);
      for (const Case& put : cases) {
        rank.cpu.store(told.address(), 0);
        rank.paralib.put(Target::pe(1), out.address() + 4 * put.from, in.address() + 4 * put.to,
                         4 * put.count, told.address());
        await(told.address());
        if (rank.cpu.load(told.address()) != nic::sent_pattern)
          throw ModelError("test", 0, "", "no notification");
      }
      rank.paralib.put_word(Target::pe(1), told.address() + 8, 1);
    } else {
      await(told.address() + 8);
      rank.cpu.load_block(in.address(), found.data(), 4 * words);
    }
    rank.collectives.barrier();
  }));
  for (const Case& put : cases) std::copy_n(&source[put.from], put.count, &expected[put.to]);
  CHECK(found == expected);
}

}  // namespace

TEST_CASE("puts of any words arrive, realigned by the network interface") {
  puts_arrive(Realignment::hardware);
}
TEST_CASE("puts of any words arrive, realigned by the processor") {
  puts_arrive(Realignment::software);
}

TEST_CASE("a layout has room for copies where the processor makes them") {
  LibraryConfig config;
  CHECK(plan_task_layout(config, 0, 2, 2, 1 << 16, 0).copy == 0);
  config.realignment = Realignment::software;
  const TaskLayout layout = plan_task_layout(config, 0, 2, 2, 1 << 16, 0);
  CHECK(layout.copy % 128 == 0);
  CHECK(layout.copy >= layout.copy_sent + 8);
  CHECK(layout.heap >= layout.copy + 512 * 1024 + 127);
}
