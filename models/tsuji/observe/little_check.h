// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/core/units.h"

namespace tsuji::observe {

/// Exact check of Little's law. A packet is in the system from its birth until its end (last flit at the
/// destination, or drop). For an interval of T cycles
///
///     sum over cycles of          =   sum of the latencies of packets that end in the interval
///     packets in the system         + sum of the ages, at the end, of packets then in the system
///                                   - sum of the ages, at the beginning, of packets then in the system
///
/// Divided by T: mean population = throughput x mean latency + boundary terms. The left side follows from the
/// reported births and ends alone, the right side from the packets' own latencies and the ages in the ledger.
/// Both are integers, so any difference is an error of the model.
///
/// Contract: begin_at() and end_at() before the first cycle of the interval and before its end; born() and
/// ended() for each packet; left_over() for each packet in the system at the end of the run; then check().
class LittleCheck {
 public:
  /// Sets the first cycle of the interval [from, to), before that cycle.
  void begin_at(Cycle from) { from_ = from; }
  /// Sets the end of the interval; `never`: not known yet.
  void end_at(Cycle to) { to_ = to; }
  Cycle from() const { return from_; }
  Cycle to() const { return to_; }

  /// Reports a birth.
  void born(Cycle created) {
    if (created < from_) {
      ++inside_at_begin_;
    } else if (created < to_) {
      ++births_;
      births_since_begin_ += created - from_;
    }
  }
  /// Reports the end of a packet: the birth as its source reported it, and the latency from the packet's
  /// fields.
  void ended(Cycle born_at, Cycle end, Cycle latency) {
    if (end < from_) {
      --inside_at_begin_;
      return;
    }
    if (born_at < from_) ages_at_begin_ += from_ - born_at;
    if (end < to_) {
      ++ends_;
      ends_since_begin_ += end - from_;
      latencies_ += latency;
    } else {
      age_at_end(born_at);
    }
  }
  /// Reports a packet that is in the system at the end of the run.
  void left_over(Cycle born_at) {
    if (from_ != never && born_at < from_) ages_at_begin_ += from_ - born_at;
    age_at_end(born_at);
  }

  /// Throws ModelError if the two sides differ. Called after the end of the run, with from() and to() known.
  void check() const;
  Cycle length() const { return to_ - from_; }
  /// Sum over the cycles of the interval of the packets in the system.
  std::uint64_t population_cycles() const {
    const std::uint64_t length = to_ - from_;
    return inside_at_begin_ * length + (births_ * length - births_since_begin_) -
           (ends_ * length - ends_since_begin_);
  }
  /// Number of packets in the system at the beginning of the interval.
  std::uint64_t inside_at_begin() const { return inside_at_begin_; }
  /// Number of packets in the system at the end of the interval.
  std::uint64_t inside_at_end() const { return inside_at_begin_ + births_ - ends_; }
  /// Number of packets that end in the interval.
  std::uint64_t ends() const { return ends_; }
  /// Sum of the latencies of these packets.
  std::uint64_t latencies() const { return latencies_; }

 private:
  void age_at_end(Cycle born_at) {
    if (born_at < to_) ages_at_end_ += to_ - born_at;
  }

  Cycle from_ = never, to_ = never;
  std::uint64_t inside_at_begin_ = 0;
  std::uint64_t births_ = 0, births_since_begin_ = 0, ends_ = 0, ends_since_begin_ = 0;
  std::uint64_t latencies_ = 0, ages_at_begin_ = 0, ages_at_end_ = 0;
};

}  // namespace tsuji::observe
