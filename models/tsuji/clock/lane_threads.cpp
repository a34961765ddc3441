// SPDX-License-Identifier: Apache-2.0
#include "tsuji/clock/lane_threads.h"

#include <utility>

namespace tsuji {
namespace {

/// Looks before a thread sleeps, where each lane has a core: with a pause of the core between them, which
/// takes some 400 us, many cycles of a lane. Yielding there would pass the core to another process for its
/// time slice, of milliseconds.
constexpr unsigned looks = 16384;
/// Looks where lanes share cores: each passes the core on, to the lane that is awaited.
constexpr unsigned yields = 64;

void pause_core() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

}  // namespace

LaneThreads::LaneThreads(unsigned lanes, std::function<void(unsigned)> work)
    : work_(std::move(work)), own_cores_(lanes <= std::thread::hardware_concurrency()) {
  for (unsigned lane = 1; lane < lanes; ++lane) threads_.emplace_back([this, lane] { serve(lane); });
}

LaneThreads::~LaneThreads() {
  ends_ = true;
  begin_round();
  for (std::thread& thread : threads_) thread.join();
}

template <class Condition>
bool LaneThreads::becomes(Condition holds) const {
  const unsigned most = own_cores_ ? looks : yields;
  for (unsigned look = 0; look < most; ++look) {
    if (holds()) return true;
    if (own_cores_)
      pause_core();
    else
      std::this_thread::yield();
  }
  return false;
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
  if (becomes([this] { return running_.load(std::memory_order_acquire) == 0; })) return;
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
  if (becomes([this, seen] { return rounds_.load(std::memory_order_acquire) != seen; })) return rounds_;
  std::unique_lock<std::mutex> lock(mutex_);
  begins_.wait(lock, [this, seen] { return rounds_ != seen; });
  return rounds_;
}

}  // namespace tsuji
