// SPDX-License-Identifier: Apache-2.0
#include "tsuji/clock/lane_threads.h"

#include <utility>

namespace tsuji {
namespace {

/// Looks at a condition this often before the thread gives up its core, and then before it goes to sleep.
constexpr unsigned spins = 4096, yields = 64;

}  // namespace

LaneThreads::LaneThreads(unsigned lanes, std::function<void(unsigned)> work) : work_(std::move(work)) {
  for (unsigned lane = 1; lane < lanes; ++lane) threads_.emplace_back([this, lane] { serve(lane); });
}

LaneThreads::~LaneThreads() {
  ends_ = true;
  begin_round();
  for (std::thread& thread : threads_) thread.join();
}

void LaneThreads::begin_round() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++rounds_;
  }
  begins_.notify_all();
}

void LaneThreads::run() {
  running_ = static_cast<unsigned>(threads_.size());
  begin_round();
  work_(0);
  for (unsigned look = 0; look < spins + yields; ++look) {
    if (running_.load(std::memory_order_acquire) == 0) return;
    if (look >= spins) std::this_thread::yield();
  }
  std::unique_lock<std::mutex> lock(mutex_);
  round_ends_.wait(lock, [this] { return running_ == 0; });
}

void LaneThreads::serve(unsigned lane) {
  std::uint64_t seen = 0;
  while (true) {
    seen = next_round(seen);
    if (ends_) return;
    work_(lane);
    if (running_.fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
    { const std::lock_guard<std::mutex> lock(mutex_); }  // run() is not between its last look and its sleep
    round_ends_.notify_one();
  }
}

std::uint64_t LaneThreads::next_round(std::uint64_t seen) {
  for (unsigned look = 0; look < spins + yields; ++look) {
    const std::uint64_t round = rounds_.load(std::memory_order_acquire);
    if (round != seen) return round;
    if (look >= spins) std::this_thread::yield();
  }
  std::unique_lock<std::mutex> lock(mutex_);
  begins_.wait(lock, [this, seen] { return rounds_ != seen; });
  return rounds_;
}

}  // namespace tsuji
