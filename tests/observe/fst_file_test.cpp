// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/temporary_folder.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "tsuji/observe/wave_sink.h"

using namespace tsuji;
using namespace tsuji::observe;
using tsuji::test::TemporaryFolder;

namespace {

// Kinds of blocks, from GTKWave's manual (appendix on the FST format).
constexpr char header = 0, blackout = 2, geometry = 3, skipped = '\xff';
const std::string hierarchies("\x04\x06\x07");

/// A block: its kind, eight bytes (big-endian) with the length of all that follows the kind, and the rest.
struct Block {
  char kind;
  std::string rest;
  std::uint64_t told = 8 + rest.size();
};

std::string bytes_of(const std::vector<Block>& blocks) {
  std::string bytes;
  for (const Block& block : blocks) {
    bytes += block.kind;
    for (unsigned shift = 64; shift > 0; shift -= 8)
      bytes += static_cast<char>(block.told >> (shift - 8) & 0xff);
    bytes += block.rest;
  }
  return bytes;
}

std::vector<Block> blocks_of(const std::string& bytes) {
  std::vector<Block> blocks;
  for (std::size_t at = 0; at < bytes.size();) {
    REQUIRE(at + 9 <= bytes.size());
    std::uint64_t length = 0;
    for (unsigned i = 1; i <= 8; ++i) length = length << 8 | static_cast<unsigned char>(bytes[at + i]);
    blocks.push_back({bytes[at], bytes.substr(at + 9, length - 8)});
    at += 1 + length;
  }
  return blocks;
}

std::unique_ptr<WaveSink> begin(const std::string& path) {
  auto sink = open_fst(path);
  sink->declare({{"net.head", 1, WaveFormat::binary, "", {}}});
  for (const unsigned time : {0U, 10U, 20U}) {
    sink->time(time);
    sink->value(0, time / 10 & 1U);
  }
  return sink;
}

/// Whether close() accepts a file that has been replaced by `bytes`.
bool closes_on(const TemporaryFolder& folder, const std::string& bytes) {
  const std::string path = folder.file("w.fst");
  const auto sink = begin(path);
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary) << bytes;
  return !tsuji::test::thrown<OutputError>([&] { sink->close(); });
}

}  // namespace

TEST_CASE("a waveform that cannot be written is reported with the reason") {
  const TemporaryFolder folder;
  const auto fst = begin(folder.file("w.fst"));
  // The file that probes for free space cannot be created, so the write fails.
  std::filesystem::create_directory(folder.file("w.fst.room"));
  CHECK_THROWS_WITH(fst->close(), folder.file("w.fst") + ": cannot be written: Is a directory");
  for (const unsigned steps : {1U, 100'000U}) {
    const auto vcd = open_vcd("/dev/full");
    vcd->declare({{"a.b", 8, WaveFormat::binary, "", {}}});
    for (unsigned time = 0; time < steps; ++time) {
      vcd->time(time);
      vcd->value(0, time % 256);
    }
    CHECK_THROWS_WITH(vcd->close(), "/dev/full: cannot be written: No space left on device");
  }
}

TEST_CASE("an FST counts as closed when all of its blocks are complete, and only then") {
  const TemporaryFolder folder;
  begin(folder.file("good.fst"))->close();
  const std::string good = folder.text("good.fst");
  const std::vector<Block> blocks = blocks_of(good);
  REQUIRE(blocks.size() >= 3);
  REQUIRE(blocks[0].kind == header);
  CHECK(closes_on(folder, good));
  for (std::size_t bytes = 0; bytes < good.size(); ++bytes) {
    CAPTURE(bytes);
    CHECK(!closes_on(folder, good.substr(0, bytes)));
  }
  for (std::size_t more = 1; more < 9; ++more) CHECK(!closes_on(folder, good + std::string(more, header)));
}

TEST_CASE("an FST without header, geometry or hierarchy, or with an incomplete block, is not closed") {
  const TemporaryFolder folder;
  begin(folder.file("good.fst"))->close();
  const std::vector<Block> good = blocks_of(folder.text("good.fst"));
  unsigned hierarchies_found = 0, geometries_found = 0;
  for (std::size_t b = 0; b < good.size(); ++b) {
    CAPTURE(b);
    const bool is_hierarchy = hierarchies.find(good[b].kind) != std::string::npos;
    hierarchies_found += is_hierarchy ? 1 : 0;
    geometries_found += good[b].kind == geometry ? 1 : 0;
    auto blocks = good;
    blocks[b].kind = skipped;
    CHECK(!closes_on(folder, bytes_of(blocks)));
    blocks[b].kind = blackout;
    CHECK(closes_on(folder, bytes_of(blocks)) == (b != 0 && !is_hierarchy && good[b].kind != geometry));
    if (!is_hierarchy) continue;
    for (const char kind : hierarchies) {
      blocks[b].kind = kind;
      CHECK(closes_on(folder, bytes_of(blocks)));
    }
  }
  CHECK(hierarchies_found == 1);
  CHECK(geometries_found == 1);
  auto moved = good;
  moved.insert(moved.begin(), {blackout, ""});
  CHECK(!closes_on(folder, bytes_of(moved)));  // the header is the first block
}

TEST_CASE("the length of an FST's block includes itself, and reaches the next block or the file's end") {
  const TemporaryFolder folder;
  begin(folder.file("good.fst"))->close();
  const std::vector<Block> good = blocks_of(folder.text("good.fst"));
  auto blocks = good;
  blocks.push_back({blackout, ""});
  CHECK(closes_on(folder, bytes_of(blocks)));
  // Shorter than its length field; its last byte, read as a kind, would begin an empty block.
  blocks.back() = {blackout, std::string("\0\0\0\0\0\0\0\x08", 8), 7};
  CHECK(!closes_on(folder, bytes_of(blocks)));
  for (const std::uint64_t told :
       {std::uint64_t{0}, std::uint64_t{9}, std::uint64_t{1} << 32, ~std::uint64_t{0}}) {
    blocks.back() = {blackout, "", told};
    CAPTURE(told);
    CHECK(!closes_on(folder, bytes_of(blocks)));
  }
}
