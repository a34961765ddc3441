// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/core/units.h"

namespace tsuji::host {

/// Error response of the memory system to an access of a program, thrown from that access. A ModelError if
/// the program does not catch it.
class BusError final : public ModelError {
 public:
  /// Constructors of ModelError.
  using ModelError::ModelError;
};

/// Interface between a program and its processor. Every call is made from the program's own thread and
/// returns when the processor has completed it, in simulated time; addresses are logical addresses of the
/// task. The message library depends on nothing else, so that a test can run it without a machine.
class Cpu {
 public:
  virtual ~Cpu() = default;

  /// Number of the processor's node.
  virtual NodeId node() const = 0;
  /// Present cycle of the machine's clock.
  virtual Cycle now() const = 0;
  /// Occupies the processor for `cycles` of the machine's clock.
  virtual void compute(Cycle cycles) = 0;

  /// Cached accesses of 8 bytes at an address that is a multiple of 8: a hit takes the hit time, a miss
  /// accesses the memory controller.
  virtual std::uint64_t load(std::uint64_t address) = 0;
  /// Cached store of 8 bytes at an address that is a multiple of 8.
  virtual void store(std::uint64_t address, std::uint64_t value) = 0;
  /// Cached accesses of 4 bytes at an address that is a multiple of 4.
  virtual std::uint32_t load_word(std::uint64_t address) = 0;
  /// Cached store of 4 bytes at an address that is a multiple of 4.
  virtual void store_word(std::uint64_t address, std::uint32_t value) = 0;
  /// Cached copies of `bytes` at any alignment, with the time of the 8-byte accesses that they consist of.
  virtual void load_block(std::uint64_t address, void* to, std::size_t bytes) = 0;
  /// Cached copy of `bytes` from `from` to memory at any alignment.
  virtual void store_block(std::uint64_t address, const void* from, std::size_t bytes) = 0;

  /// Uncached accesses to registers of the network interface (offsets in nic/registers.h).
  virtual void register_write(std::uint64_t offset, std::uint64_t value) = 0;
  /// Uncached read of a register of the network interface.
  virtual std::uint64_t register_read(std::uint64_t offset) = 0;

  /// Polls: calls `condition`, which loads the words that it checks and may do other work, once every
  /// `poll_loop_cycles` until it returns true. While the condition is false and no line of `addresses` has
  /// been invalidated by another master, nothing is simulated; the processor resumes at a multiple of the
  /// poll loop's period. `what` names the awaited event for the report of a program that waits forever.
  virtual void poll_until(const std::uint64_t* addresses, std::size_t count,
                          const std::function<bool()>& condition, const std::string& what) = 0;

  /// Accesses of the application's own work, whose time is part of a trace's compute operations: the bytes
  /// pass through the cache (lines become dirty, or are fetched) without taking time.
  virtual void app_write(std::uint64_t address, const void* from, std::size_t bytes) = 0;
  /// Read of the application's own work: bytes pass through the cache without taking time.
  virtual void app_read(std::uint64_t address, void* to, std::size_t bytes) = 0;

  /// Writes the dirty lines of `bytes` back to memory, one after the other, and removes them from the cache.
  /// Checking a line takes the hit time.
  virtual void flush(std::uint64_t address, std::size_t bytes) = 0;

  /// Calls the operating system's agent: takes the time of a system call (rooms/host.md, Where the paper is
  /// silent, 6), then runs `service`, whose accesses take their own time.
  virtual void system_call(const std::function<void()>& service) = 0;
};

/// Operating system code that an interrupt starts. It runs on the program's processor instead of the program;
/// its use of `cpu` takes time.
class InterruptHandler {
 public:
  virtual ~InterruptHandler() = default;
  /// Handles an interrupt of a device.
  virtual void interrupt(Cpu& cpu) = 0;
  /// Handles the timer's interrupt or the end of a task: returns the next task, one for which `runnable` is
  /// true (there is at least one). Saves the register state of task `present` and loads that of the next one.
  virtual unsigned schedule(Cpu& cpu, unsigned present, const std::vector<bool>& runnable) {
    (void)cpu;
    return runnable[present]
               ? present
               : static_cast<unsigned>(std::find(runnable.begin(), runnable.end(), true) - runnable.begin());
  }
};

}  // namespace tsuji::host
