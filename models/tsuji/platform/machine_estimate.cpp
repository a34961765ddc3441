// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/machine_estimate.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <sstream>

#include "tsuji/core/error.h"

namespace tsuji::platform {
namespace {

constexpr double gib = 1024.0 * 1024.0 * 1024.0;
constexpr double large_bytes = 1e9, long_seconds = 300;

std::string digits(double value, const char* unit) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), value < 9.95 ? "%.1f %s" : "%.0f %s", value, unit);
  return text.data();
}

double no_limit() {
  return std::numeric_limits<double>::infinity();
}

/// The number in a file of one, infinity for "max" and for a file that is not there.
double number_in(const std::string& path) {
  std::ifstream file(path);
  double value = 0;
  return file >> value ? value : no_limit();
}

/// The number of a name in a file of lines "NAME NUMBER"; infinity where there is none.
double named_in(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string first;
    double value = 0;
    if (fields >> first && first == name && fields >> value) return value;
  }
  return no_limit();
}

/// Room in a control group. The system can reclaim the pages of files that nobody uses.
double left(double limit, double used, double reclaimable) {
  if (std::isinf(limit) || std::isinf(used)) return limit;
  return std::max(limit - used + (std::isinf(reclaimable) ? 0 : reclaimable), 0.0);
}

SystemMemory of_group(const std::string& folder, bool unified) {
  const double limit = number_in(folder + (unified ? "memory.max" : "memory.limit_in_bytes"));
  const double used = number_in(folder + (unified ? "memory.current" : "memory.usage_in_bytes"));
  const char* reclaimable = unified ? "inactive_file" : "total_inactive_file";
  return {limit, left(limit, used, named_in(folder + "memory.stat", reclaimable))};
}

SystemMemory least_of(const SystemMemory& a, const SystemMemory& b) {
  return {std::min(a.total, b.total), std::min(a.available, b.available)};
}

/// Limit of and room in the control groups of this process, from its own up to the root; version 2, or
/// version 1's memory controller.
SystemMemory of_control_groups(const std::string& root) {
  std::ifstream file(root + "/proc/self/cgroup");
  SystemMemory least{no_limit(), no_limit()};
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool unified = controllers.empty();
    if (!unified && ("," + controllers + ",").find(",memory,") == std::string::npos) continue;
    std::string group = line.substr(second + 1);
    while (true) {
      const std::string folder = root + "/sys/fs/cgroup" + (unified ? "" : "/memory") + group + "/";
      least = least_of(least, of_group(folder, unified));
      if (group.size() < 2 || group.front() != '/') break;
      group.erase(group.rfind('/'));
    }
  }
  return least;
}

double of_address_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return no_limit();
  return static_cast<double>(limit.rlim_cur);
}

double run_seconds(const MachineEstimate& estimate) {
  return estimate.run_cycles / 1e6 * estimate.million_cycles_seconds.value_or(0);
}

std::string time_text(const MachineEstimate& estimate) {
  if (!estimate.million_cycles_seconds) return "not known: " + estimate.time_basis;
  return rough_time_text(*estimate.million_cycles_seconds) + " a million cycles (" + estimate.time_basis +
         ")";
}

}  // namespace

std::string count_text(double number) {
  return std::to_string(static_cast<std::uint64_t>(std::llround(number)));
}

std::string bytes_text(double bytes) {
  if (bytes < 1e6) return digits(bytes / 1e3, "kB");
  if (bytes < 1e9) return digits(bytes / 1e6, "MB");
  return digits(bytes / 1e9, "GB");
}

std::string rough_time_text(double seconds) {
  constexpr double minute = 60, hour = 3600, day = 24 * hour, year = 365 * day;
  if (seconds < 1) return "less than 1 s";
  if (seconds < 2 * minute) return "roughly " + digits(seconds, "s");
  if (seconds < 2 * hour) return "roughly " + digits(seconds / minute, "min");
  if (seconds < 2 * day) return "roughly " + digits(seconds / hour, "h");
  if (seconds < 2 * year) return "roughly " + digits(seconds / day, "days");
  return "roughly " + digits(seconds / year, "years");
}

SystemMemory system_memory(const std::string& root) {
  const std::string info = root + "/proc/meminfo";
  const SystemMemory of_system{1024 * named_in(info, "MemTotal:"), 1024 * named_in(info, "MemAvailable:")};
  const double addresses = of_address_limit();
  return least_of(least_of(of_system, of_control_groups(root)), {addresses, addresses});
}

std::string estimate_text(const MachineEstimate& estimate, const SystemMemory& memory) {
  std::string text = "machine    " + estimate.machine + "\nmemory     about " + bytes_text(estimate.bytes) +
                     " (" + estimate.bytes_basis + ")\n";
  if (!std::isinf(memory.available)) {
    text += "available  " + bytes_text(memory.available);
    text += (std::isinf(memory.total) ? "" : " of " + bytes_text(memory.total)) + "\n";
  }
  text += "time       " + time_text(estimate) + "\n";
  if (estimate.run_cycles > 0 && estimate.million_cycles_seconds)
    text += "this run   " + rough_time_text(run_seconds(estimate)) + "\n";
  return text;
}

std::string large_machine_text(const MachineEstimate& estimate, const SystemMemory& memory) {
  const bool fits = estimate.bytes <= memory.available;
  if (fits && estimate.bytes < large_bytes && run_seconds(estimate) < long_seconds) return "";
  return estimate.machine + ": about " + bytes_text(estimate.bytes) + " of memory" +
         (fits ? "" : ", and only " + bytes_text(memory.available) + " are available at present") +
         "; time: " + time_text(estimate);
}

void MemoryLimit::add_keys(config::KeyTable& keys) {
  keys.add(
      "limits.memory_gib", gib, {1, 1U << 20}, "auto", "GiB",
      "memory limit; a machine whose estimate exceeds it is refused; auto: total memory of the computer");
}

void MemoryLimit::check(const MachineEstimate& estimate, const SystemMemory& memory) const {
  const double limit = gib ? static_cast<double>(*gib) * platform::gib : memory.total;
  if (estimate.bytes <= limit) return;
  const auto wanted = static_cast<std::uint64_t>(std::ceil(estimate.bytes / platform::gib));
  throw ConfigError(
      "limits.memory_gib", gib ? std::to_string(*gib) : "auto",
      estimate.machine + " take about " + bytes_text(estimate.bytes) + " of memory (" + estimate.bytes_basis +
          "), and " + (gib ? "the limit is " : "there are ") + bytes_text(limit),
      "a smaller machine, or " + std::to_string(wanted) + " or more, to simulate it nevertheless");
}

}  // namespace tsuji::platform
