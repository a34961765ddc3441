// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/host/cpu.h"
#include "tsuji/host/library/software_times.h"

namespace tsuji::host {

/// The library's copy loop: loads and stores every word through the cache, and takes the time of the loop's
/// own instructions.
void copy_memory(Cpu& cpu, const SoftwareCycles& times, std::uint64_t to, std::uint64_t from,
                 std::uint64_t bytes);

/// The library's reduction loop: adds `from` to `to` as 64-bit words modulo 2^64; trailing bytes that are
/// less than a word are added as one shorter number.
void add_memory(Cpu& cpu, const SoftwareCycles& times, std::uint64_t to, std::uint64_t from,
                std::uint64_t bytes);

}  // namespace tsuji::host
