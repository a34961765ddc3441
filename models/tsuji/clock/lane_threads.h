// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tsuji {

/// Threads that run the lanes of a clock side by side, one lane each; the calling thread runs lane 0. A
/// thread that waits for others looks again and again for a short time, and then sleeps. It keeps its core
/// while it looks, unless there are more lanes than cores.
class LaneThreads {
 public:
  /// `work(lane)` runs a lane and throws nothing. lanes >= 2.
  LaneThreads(unsigned lanes, std::function<void(unsigned lane)> work);
  LaneThreads(const LaneThreads&) = delete;
  LaneThreads& operator=(const LaneThreads&) = delete;
  ~LaneThreads();

  /// Runs every lane once. All threads see values that any thread wrote before the call; the caller sees
  /// values that they write after the return.
  void run();

 private:
  void serve(unsigned lane);
  /// Waits until run() is called again. Returns the new number of rounds.
  std::uint64_t next_round(std::uint64_t seen);
  void begin_round();
  /// Whether `holds()` becomes true before a thread should sleep.
  template <class Condition>
  bool becomes(Condition holds) const;

  const std::function<void(unsigned)> work_;
  const bool own_cores_;  ///< each lane has a core
  std::atomic<std::uint64_t> rounds_{0};
  std::atomic<unsigned> running_{0};  ///< threads that have not finished the round
  std::atomic<bool> ends_{false};
  std::mutex mutex_;
  std::condition_variable begins_, round_ends_;
  std::vector<std::thread> threads_;
};

}  // namespace tsuji
