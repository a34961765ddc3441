// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>

#include "tsuji/core/units.h"

namespace tsuji {

/// Selects one of all exceptions that the modules of a clock throw: the one of the first cycle and, within a
/// cycle, the one with the alphabetically first text. The choice does not depend on the order of modules.
class FirstFailure {
 public:
  void keep(std::exception_ptr failure, Cycle cycle);
  explicit operator bool() const { return failure_ != nullptr; }
  /// Cycle of the stored exception.
  Cycle cycle() const { return cycle_; }
  /// The stored exception; null: none.
  std::exception_ptr exception() const { return failure_; }
  /// Throws the stored exception, if any.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::exception_ptr failure_;
  std::string text_;
  Cycle cycle_ = 0;
};

}  // namespace tsuji
