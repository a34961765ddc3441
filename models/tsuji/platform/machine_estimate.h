// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tsuji/config/key_table.h"

namespace tsuji::platform {

/// Memory and time of a machine, from its parameters, before any of it is built.
struct MachineEstimate {
  std::string machine;                           ///< "1000000 routers, 1000000 nodes"
  double bytes = 0;                              ///< once built
  std::string bytes_basis;                       ///< what the number rests on, and what comes on top
  std::optional<double> million_cycles_seconds;  ///< of one core; none: not known
  std::string time_basis;                        ///< what the number rests on, or why there is none
  double run_cycles = 0;                         ///< cycles of the run; 0: not known
};

/// A whole number, without a sign.
std::string count_text(double number);
/// "10.9 GB": two or three digits, decimal units.
std::string bytes_text(double bytes);
/// "roughly 3 h", "roughly 40 min", "less than 1 s".
std::string rough_time_text(double seconds);

/// Memory of a process in bytes, no more than its control groups and its limit of addresses allow; infinity
/// where nothing limits it.
struct SystemMemory {
  double total = 0;      ///< of the computer, whoever holds it at present
  double available = 0;  ///< free at present
};

/// `root`: the folder that has /proc and /sys.
SystemMemory system_memory(const std::string& root = "");

/// Lines of --estimate.
std::string estimate_text(const MachineEstimate& estimate, const SystemMemory& memory);
/// Line that a run prints before its machine is built: where that is large, or takes more memory than is
/// available. Empty for others.
std::string large_machine_text(const MachineEstimate& estimate, const SystemMemory& memory);

/// Limit of a machine's memory.
struct MemoryLimit {
  std::optional<std::uint64_t> gib;  ///< none: the computer's total
  void add_keys(config::KeyTable& keys);
  /// ConfigError of limits.memory_gib for a machine that takes more.
  void check(const MachineEstimate& estimate, const SystemMemory& memory) const;
};

}  // namespace tsuji::platform
