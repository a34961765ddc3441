// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/host/cpu.h"
#include "tsuji/host/library/software_times.h"

namespace tsuji::host {

/// The library's copy loop: every word is loaded and stored through the cache, and the loop itself takes its
/// time.
void copy_memory(Cpu& cpu, const SoftwareCycles& times, std::uint64_t to, std::uint64_t from,
                 std::uint64_t bytes);

/// The library's reduction: adds `from` to `to`, 64-bit words modulo 2^64 and the last bytes as one shorter
/// number.
void add_memory(Cpu& cpu, const SoftwareCycles& times, std::uint64_t to, std::uint64_t from,
                std::uint64_t bytes);

}  // namespace tsuji::host
