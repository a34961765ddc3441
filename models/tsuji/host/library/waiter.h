// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tsuji/host/cpu.h"

namespace tsuji::host {

/// A part of the library that makes progress whenever the program calls the library; it polls words in memory
/// that others write.
class ProgressSource {
 public:
  virtual ~ProgressSource() = default;
  /// Performs all steps that have become possible; returns true if there were any. Loads every word of
  /// watch().
  virtual bool progress() = 0;
  /// Appends the addresses whose change can make progress possible.
  virtual void watch(std::vector<std::uint64_t>& addresses) const = 0;
};

/// Waits while all parts of the library make progress: a rank that waits for one message still answers all
/// others, so that two ranks never block each other inside the library.
class Waiter {
 public:
  explicit Waiter(Cpu& cpu) : cpu_(cpu) {}
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  void add(ProgressSource& source) { sources_.push_back(&source); }
  bool progress();
  /// Waits until `done` returns true. `done` may load `address` (0: none), which is watched as well; `what`
  /// must outlive the call.
  void until(const std::function<bool()>& done, const std::string& what, std::uint64_t address = 0);
  /// Cycles without progress.
  Cycle waiting_cycles() const { return waiting_; }

 private:
  void collect_lines(std::uint64_t address);

  Cpu& cpu_;
  std::vector<ProgressSource*> sources_;
  std::vector<std::uint64_t> lines_;
  Cycle waiting_ = 0;
};

}  // namespace tsuji::host
