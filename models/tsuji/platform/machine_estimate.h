// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tsuji/config/key_table.h"

namespace tsuji::platform {

/// Estimated memory and time of a machine, computed from its parameters before it is built.
struct MachineEstimate {
  std::string machine;      ///< "1000000 routers, 1000000 nodes"
  double bytes = 0;         ///< Memory of the built machine in bytes.
  std::string bytes_basis;  ///< Basis of `bytes`, and the memory that it does not include.
  /// Time of one core for 10^6 cycles, in seconds; empty: unknown.
  std::optional<double> million_cycles_seconds;
  std::string time_basis;  ///< Basis of `million_cycles_seconds`, or the reason why it is unknown.
  double run_cycles = 0;   ///< Cycles of the run; 0: unknown.
};

/// The number as a whole number without a sign.
std::string count_text(double number);
/// Formats bytes in decimal units with two or three digits: "10.9 GB".
std::string bytes_text(double bytes);
/// Formats a time roughly: "roughly 3 h", "roughly 40 min", "less than 1 s".
std::string rough_time_text(double seconds);

/// Memory that a process can use, in bytes, bounded by its control groups and its address-space limit;
/// infinity if nothing bounds it.
struct SystemMemory {
  double total = 0;      ///< Memory of the computer, used or free.
  double available = 0;  ///< Memory that is free now.
};

/// `root` is the folder that contains /proc and /sys.
SystemMemory system_memory(const std::string& root = "");

/// Text that --estimate prints.
std::string estimate_text(const MachineEstimate& estimate, const SystemMemory& memory);
/// Warning that a run prints before it builds a machine that is large or exceeds the available memory; empty
/// for other machines.
std::string large_machine_text(const MachineEstimate& estimate, const SystemMemory& memory);

/// Upper limit of a machine's memory.
struct MemoryLimit {
  std::optional<std::uint64_t> gib;  ///< Limit in GiB; empty: the computer's total memory.
  void add_keys(config::KeyTable& keys);
  /// Throws ConfigError of limits.memory_gib if the machine exceeds the limit.
  void check(const MachineEstimate& estimate, const SystemMemory& memory) const;
};

}  // namespace tsuji::platform
