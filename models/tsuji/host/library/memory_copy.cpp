// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/library/memory_copy.h"

#include <algorithm>
#include <array>
#include <functional>

namespace tsuji::host {
namespace {

constexpr std::uint64_t chunk_bytes = 1024;
constexpr std::uint64_t words_of(std::uint64_t bytes) {
  return (bytes + 7) / 8;
}

}  // namespace

void copy_memory(Cpu& cpu, const SoftwareCycles& times, std::uint64_t to, std::uint64_t from,
                 std::uint64_t bytes) {
  std::array<unsigned char, chunk_bytes> chunk;
  for (std::uint64_t done = 0; done < bytes; done += chunk_bytes) {
    const std::uint64_t piece = std::min(chunk_bytes, bytes - done);
    cpu.load_block(from + done, chunk.data(), piece);
    cpu.store_block(to + done, chunk.data(), piece);
  }
  if (bytes > 0) cpu.compute(times.copy(words_of(bytes)));
}

void add_memory(Cpu& cpu, const SoftwareCycles& times, std::uint64_t to, std::uint64_t from,
                std::uint64_t bytes) {
  std::array<std::uint64_t, chunk_bytes / 8> sum, addend;
  for (std::uint64_t done = 0; done < bytes; done += chunk_bytes) {
    const std::uint64_t piece = std::min(chunk_bytes, bytes - done);
    // The bytes above a shorter last number are zero, and what carries into them is not stored.
    sum[words_of(piece) - 1] = addend[words_of(piece) - 1] = 0;
    cpu.load_block(to + done, sum.data(), piece);
    cpu.load_block(from + done, addend.data(), piece);
    std::transform(sum.begin(), sum.begin() + words_of(piece), addend.begin(), sum.begin(), std::plus<>());
    cpu.store_block(to + done, sum.data(), piece);
  }
  if (bytes > 0) cpu.compute(times.reduce(words_of(bytes)));
}

}  // namespace tsuji::host
