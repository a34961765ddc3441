// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/arena.h"

#include <cstdint>
#include <cstring>
#include <vector>

#include "support/catch.h"

using namespace tsuji;

TEST_CASE("pieces of an arena are aligned, do not overlap, and keep their content") {
  Arena arena;
  struct Piece {
    unsigned char* at;
    std::size_t bytes;
  };
  std::vector<Piece> pieces;
  // Beyond the first chunk, beyond a large page, and a piece larger than any chunk.
  for (std::size_t i = 0; i < 400; ++i) {
    const std::size_t bytes = i == 200 ? std::size_t{5} << 20 : 1 + i * 37 % 9000;
    const std::size_t alignment = std::size_t{1} << (i % 7);
    auto* at = static_cast<unsigned char*>(arena.take(bytes, alignment));
    CHECK(reinterpret_cast<std::uintptr_t>(at) % alignment == 0);
    std::memset(at, static_cast<int>(i % 251), bytes);
    pieces.push_back({at, bytes});
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    bool kept = true;
    for (std::size_t b = 0; b < pieces[i].bytes; ++b) kept = kept && pieces[i].at[b] == i % 251;
    CHECK(kept);
  }
}

TEST_CASE("pieces lie one after another, without gaps but for their alignment") {
  Arena arena;
  auto* const first = static_cast<std::byte*>(arena.take(64, 64));
  CHECK(arena.take(8, 8) == first + 64);
  CHECK(arena.take(1, 1) == first + 72);
  CHECK(arena.take(4, 4) == first + 76);
  CHECK(arena.take(4, 4) == first + 80);
}

TEST_CASE(
    "chunks double from 16 KB to a large page, are filled to their last byte, and large ones begin at a "
    "page") {
  constexpr std::size_t piece = 1024, large_page = std::size_t{1} << 21;
  Arena arena;
  std::vector<std::size_t> chunks;  // pieces of each
  std::byte* end = nullptr;
  while (chunks.size() < 11) {
    auto* const at = static_cast<std::byte*>(arena.take(piece, 1));
    if (at != end) chunks.push_back(0);
    if (at != end && chunks.size() >= 8) CHECK(reinterpret_cast<std::uintptr_t>(at) % large_page == 0);
    ++chunks.back();
    end = at + piece;
  }
  chunks.pop_back();
  CHECK(chunks == std::vector<std::size_t>{16, 32, 64, 128, 256, 512, 1024, 2048, 2048, 2048});
}

TEST_CASE("reserved pieces lie one after another, also at the end of a chunk") {
  Arena arena;
  for (std::size_t piece = 0; piece < 300; ++piece) {
    arena.reserve(1000);
    auto* const first = static_cast<std::byte*>(arena.take(500, 8));
    REQUIRE(arena.take(500, 4) == first + 500);
  }
}

TEST_CASE("arrays of an arena are value-initialized, also in reused memory") {
  Arena arena;
  const int* const numbers = arena.array<int>(100'000);
  bool zero = true;
  for (int i = 0; i < 100'000; ++i) zero = zero && numbers[i] == 0;
  CHECK(zero);
}

TEST_CASE("an object in an arena is destroyed with its owner") {
  struct Counted {
    explicit Counted(int& count) : count_(count) { ++count_; }
    ~Counted() { --count_; }
    int& count_;
  };
  Arena arena;
  int alive = 0;
  {
    const ArenaPtr<Counted> one = make_in<Counted>(arena, alive);
    CHECK(alive == 1);
  }
  CHECK(alive == 0);
}
