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

/// An error response to an access of a program, thrown where the program made it. A ModelError if it is not
/// caught.
class BusError final : public ModelError {
 public:
  using ModelError::ModelError;
};

/// A program's view of its processor. Every call is made from the program's own thread of control and
/// returns when the processor is through with it, in simulated time; addresses are logical ones of the task.
/// The message library rests on this and on nothing else, so that a test can drive it without a machine.
class Cpu {
 public:
  virtual ~Cpu() = default;

  virtual NodeId node() const = 0;
  virtual Cycle now() const = 0;
  /// The processor is busy for `cycles` of the machine's clock.
  virtual void compute(Cycle cycles) = 0;

  /// Cached accesses of 8 bytes at an 8-byte address: a hit costs the hit time, a miss goes to the memory
  /// controller.
  virtual std::uint64_t load(std::uint64_t address) = 0;
  virtual void store(std::uint64_t address, std::uint64_t value) = 0;
  /// The same of 4 bytes at a 4-byte address.
  virtual std::uint32_t load_word(std::uint64_t address) = 0;
  virtual void store_word(std::uint64_t address, std::uint32_t value) = 0;
  /// Cached copies of `bytes` at any alignment, at the cost of the 8-byte accesses that they are made of.
  virtual void load_block(std::uint64_t address, void* to, std::size_t bytes) = 0;
  virtual void store_block(std::uint64_t address, const void* from, std::size_t bytes) = 0;

  /// Uncached accesses to the network interface's registers (offsets of nic/registers.h).
  virtual void register_write(std::uint64_t offset, std::uint64_t value) = 0;
  virtual std::uint64_t register_read(std::uint64_t offset) = 0;

  /// Polls: calls `condition` (which loads what it looks at, and may do other work) until it is true, once
  /// every `poll_loop_cycles`. While it is false and none of the lines of `addresses` was taken from the
  /// cache by somebody else's write, nothing is simulated; the processor then goes on at the next point of
  /// its poll loop's grid. `what` says what is waited for, for the report of a program that waits forever.
  virtual void poll_until(const std::uint64_t* addresses, std::size_t count,
                          const std::function<bool()>& condition, const std::string& what) = 0;

  /// The application's own work on its data, whose time a trace's compute operations already hold: the bytes
  /// go through the cache (lines become dirty, or are fetched) without taking time.
  virtual void app_write(std::uint64_t address, const void* from, std::size_t bytes) = 0;
  virtual void app_read(std::uint64_t address, void* to, std::size_t bytes) = 0;

  /// Writes the dirty lines of `bytes` back to memory, one after the other; they leave the cache. A look at
  /// each line costs the hit time.
  virtual void flush(std::uint64_t address, std::size_t bytes) = 0;

  /// A system call of the operating system's agent: costs its time (rooms/host.md, Where the paper is silent,
  /// 6), then runs `service`, whose own accesses take theirs.
  virtual void system_call(const std::function<void()>& service) = 0;
};

/// The operating system's part that an interrupt starts. Runs on the program's processor, in the place of the
/// program; what it does through `cpu` costs its time.
class InterruptHandler {
 public:
  virtual ~InterruptHandler() = default;
  /// A device's.
  virtual void interrupt(Cpu& cpu) = 0;
  /// The timer's, or the end of a task: the task that gets the processor next, of those whose `runnable` is
  /// true, among which is one. Saves what `present` has in registers and loads what the next one needs there.
  virtual unsigned schedule(Cpu& cpu, unsigned present, const std::vector<bool>& runnable) {
    (void)cpu;
    return runnable[present]
               ? present
               : static_cast<unsigned>(std::find(runnable.begin(), runnable.end(), true) - runnable.begin());
  }
};

}  // namespace tsuji::host
