// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>

#include "tsuji/core/units.h"

namespace tsuji {

/// The exception that a clock keeps of all that its modules throw: that of the first cycle, and within one
/// the one whose text sorts first, so that the order in which modules run does not show.
class FirstFailure {
 public:
  void keep(std::exception_ptr failure, Cycle cycle);
  explicit operator bool() const { return failure_ != nullptr; }
  /// Cycle of the exception.
  Cycle cycle() const { return cycle_; }
  /// Throws the exception, if there is one.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::exception_ptr failure_;
  std::string text_;
  Cycle cycle_ = 0;
};

}  // namespace tsuji
