// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/machine_estimate.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include "support/catch.h"
#include "support/temporary_folder.h"

using namespace tsuji;
using namespace tsuji::platform;

namespace {

/// A system's /proc and /sys.
class System {
 public:
  System& file(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder_.file(name);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return *this;
  }
  double available() const { return system_memory(folder_.file("")).available; }
  double total() const { return system_memory(folder_.file("")).total; }

 private:
  test::TemporaryFolder folder_;
};

MachineEstimate estimate() {
  MachineEstimate machine;
  machine.machine = "2 routers";
  machine.bytes = 3e9;
  machine.bytes_basis = "measured";
  machine.million_cycles_seconds = 7200;
  machine.time_basis = "5 ns each";
  machine.run_cycles = 500'000;
  return machine;
}

}  // namespace

TEST_CASE("the available memory is the least of all reported values") {
  System system;
  CHECK(std::isinf(system.available()));
  CHECK(std::isinf(system.total()));
  system.file("proc/meminfo", "MemTotal: 9000 kB\nMemFree: 1 kB\nMemAvailable:    5000 kB\n");
  CHECK(system.available() == 5000 * 1024.0);
  CHECK(system.total() == 9000 * 1024.0);
  system.file("proc/self/cgroup", "0::/a/b\n").file("sys/fs/cgroup/a/memory.max", "max\n");
  system.file("sys/fs/cgroup/a/memory.current", "100\n");
  CHECK(system.available() == 5000 * 1024.0);
  system.file("sys/fs/cgroup/memory.max", "4000\n").file("sys/fs/cgroup/memory.current", "1000\n");
  CHECK(system.available() == 3000);
  system.file("sys/fs/cgroup/a/b/memory.max", "2500\n").file("sys/fs/cgroup/a/b/memory.current", "1000\n");
  CHECK(system.available() == 1500);
  system.file("sys/fs/cgroup/a/b/memory.stat", "anon 5\ninactive_file 700\nactive_file 9\n");
  CHECK(system.available() == 2200);
  system.file("sys/fs/cgroup/a/b/memory.current", "9000\n");
  CHECK(system.available() == 0);
  CHECK(system.total() == 2500);  // independent of the memory in use
}

TEST_CASE("the memory controller of control groups version 1 is read") {
  System system;
  system.file("proc/self/cgroup", "9:name=systemd:/x\n4:cpu,memory:/c\n3:cpuset:/d\n");
  system.file("sys/fs/cgroup/memory/d/memory.limit_in_bytes", "1\n")
      .file("sys/fs/cgroup/memory/d/memory.usage_in_bytes", "1\n");
  system.file("sys/fs/cgroup/memory/c/memory.limit_in_bytes", "4000\n");
  CHECK(system.available() == 4000);
  system.file("sys/fs/cgroup/memory/c/memory.usage_in_bytes", "1000\n");
  CHECK(system.available() == 3000);
  system.file("sys/fs/cgroup/memory/c/memory.stat", "inactive_file 1\ntotal_inactive_file 200\n");
  CHECK(system.available() == 3200);
  CHECK(system.total() == 4000);
}

TEST_CASE("a machine beyond its limit is refused by its key") {
  MemoryLimit limit;
  CHECK_NOTHROW(limit.check(estimate(), {3e9, 1e9}));
  CHECK_THROWS_WITH(
      limit.check(estimate(), {2e9, 1e9}),
      "limits.memory_gib: 2 routers take about 3.0 GB of memory (measured), and there are 2.0 GB (got "
      "'auto'); accepted: a smaller machine, or 3 or more, to simulate it nevertheless");
  limit.gib = 3;
  CHECK_NOTHROW(limit.check(estimate(), {2e9, 1e9}));
  limit.gib = 2;
  CHECK_THROWS_WITH(
      limit.check(estimate(), {9e9, 9e9}),
      "limits.memory_gib: 2 routers take about 3.0 GB of memory (measured), and the limit is 2.1 GB (got "
      "'2'); accepted: a smaller machine, or 3 or more, to simulate it nevertheless");
}

TEST_CASE("a large machine prints its needs, and a small one nothing") {
  MachineEstimate machine = estimate();
  const SystemMemory memory{9e9, 3e9};
  CHECK(large_machine_text(machine, memory) ==
        "2 routers: about 3.0 GB of memory; time: roughly 2.0 h a million cycles (5 ns each)");
  machine.bytes = 9e8;
  CHECK_FALSE(large_machine_text(machine, memory).empty());
  machine.run_cycles = 30'000;
  CHECK(large_machine_text(machine, memory).empty());
  machine.bytes = 1e9;
  machine.million_cycles_seconds.reset();
  CHECK(large_machine_text(machine, memory) ==
        "2 routers: about 1.0 GB of memory; time: not known: 5 ns each");
}

TEST_CASE("a machine of any size prints that other processes hold the memory that it needs") {
  MachineEstimate machine = estimate();
  machine.bytes = 9e8;
  machine.run_cycles = 0;
  CHECK(large_machine_text(machine, {9e9, 9e8}).empty());
  CHECK(large_machine_text(machine, {9e9, 8e8}) ==
        "2 routers: about 900 MB of memory, and only 800 MB are available at present; time: roughly 2.0 h a "
        "million cycles (5 ns each)");
}

TEST_CASE("an estimate is printed with its basis") {
  MachineEstimate machine = estimate();
  CHECK(estimate_text(machine, {8e9, 4e9}) ==
        "machine    2 routers\nmemory     about 3.0 GB (measured)\navailable  4.0 GB of 8.0 GB\n"
        "time       roughly 2.0 h a million cycles (5 ns each)\nthis run   roughly 60 min\n");
  machine.million_cycles_seconds.reset();
  const double unlimited = std::numeric_limits<double>::infinity();
  CHECK(estimate_text(machine, {unlimited, unlimited}) ==
        "machine    2 routers\nmemory     about 3.0 GB (measured)\ntime       not known: 5 ns each\n");
}

TEST_CASE("numbers have two or three digits") {
  CHECK(bytes_text(2500) == "2.5 kB");
  CHECK(bytes_text(12'300'000) == "12 MB");
  CHECK(bytes_text(9.94e9) == "9.9 GB");
  CHECK(bytes_text(123e9) == "123 GB");
  CHECK(rough_time_text(0.5) == "less than 1 s");
  CHECK(rough_time_text(45) == "roughly 45 s");
  CHECK(rough_time_text(600) == "roughly 10 min");
  CHECK(rough_time_text(3 * 3600) == "roughly 3.0 h");
  CHECK(rough_time_text(5 * 86400) == "roughly 5.0 days");
  CHECK(rough_time_text(5 * 365 * 86400.0) == "roughly 5.0 years");
}
