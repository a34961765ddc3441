// SPDX-License-Identifier: Apache-2.0
#include "tsuji/clock/first_failure.h"

#include <tuple>
#include <utility>

namespace tsuji {
namespace {

std::string text_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "";
  }
}

}  // namespace

void FirstFailure::keep(std::exception_ptr failure, Cycle cycle) {
  std::string text = text_of(failure);
  if (failure_ && std::tie(cycle_, text_) <= std::tie(cycle, text)) return;
  failure_ = std::move(failure);
  text_ = std::move(text);
  cycle_ = cycle;
}

}  // namespace tsuji
