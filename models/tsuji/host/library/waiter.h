// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tsuji/host/cpu.h"

namespace tsuji::host {

/// Something of the library that goes on whenever the program calls in: it looks at words in memory that
/// others write.
class ProgressSource {
 public:
  virtual ~ProgressSource() = default;
  /// Does what has become possible; true if anything did. Loads every word of `watch`.
  virtual bool progress() = 0;
  /// Appends the addresses whose change can make progress possible.
  virtual void watch(std::vector<std::uint64_t>& addresses) const = 0;
};

/// Waits while everything else goes on: a rank that waits for one message still answers for all the others,
/// so that two ranks never block each other inside the library.
class Waiter {
 public:
  explicit Waiter(Cpu& cpu) : cpu_(cpu) {}
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  void add(ProgressSource& source) { sources_.push_back(&source); }
  bool progress();
  /// Returns when `done` is true. `done` may load `address` (0: none), which is watched, too; `what` must
  /// outlive the call.
  void until(const std::function<bool()>& done, const std::string& what, std::uint64_t address = 0);
  /// Cycles in which there was nothing to do but wait.
  Cycle waiting_cycles() const { return waiting_; }

 private:
  void collect_lines(std::uint64_t address);

  Cpu& cpu_;
  std::vector<ProgressSource*> sources_;
  std::vector<std::uint64_t> lines_;
  Cycle waiting_ = 0;
};

}  // namespace tsuji::host
