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

/// Lines of --estimate. `available`: memory, in bytes.
std::string estimate_text(const MachineEstimate& estimate, double available);
/// Line that a run of a large machine prints before it is built; empty for others.
std::string large_machine_text(const MachineEstimate& estimate);

/// Memory that a process may still take: what the system has available, no more than its control group and
/// its limit of addresses leave. `root`: the folder that has /proc and /sys.
double available_memory(const std::string& root = "");

/// Limit of a machine's memory.
struct MemoryLimit {
  std::optional<std::uint64_t> gib;  ///< none: what is available
  void add_keys(config::KeyTable& keys);
  double bytes(double available) const;
  /// ConfigError of limits.memory_gib for a machine that takes more.
  void check(const MachineEstimate& estimate, double available) const;
};

}  // namespace tsuji::platform
