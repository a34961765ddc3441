// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/core/units.h"

namespace tsuji::observe {

/// Little's law, exactly. A packet is in the system from its birth up to its end (last flit at the
/// destination, or the drop). Over an interval of T cycles
///
///     sum over cycles of the packets inside  =  sum over packets that end inside of their latencies
///                                               + ages at the interval's end of those still inside
///                                               - ages at its beginning of those inside then
///
/// which divided by T is: mean population = throughput x mean latency + boundary terms. The left side counts
/// births and ends as they are reported and knows no packet; the right side is of the packets' own latencies
/// and of the ages of those that the ledger holds. All integers: the two are equal or the model is wrong.
class LittleCheck {
 public:
  /// The interval [from, to); an end that is still to come is `never`. Set in the cycle before it begins.
  void begin_at(Cycle from) { from_ = from; }
  void end_at(Cycle to) { to_ = to; }
  Cycle from() const { return from_; }
  Cycle to() const { return to_; }

  void born(Cycle created) {
    if (created < from_) {
      ++inside_at_begin_;
    } else if (created < to_) {
      ++births_;
      births_since_begin_ += created - from_;
    }
  }
  /// `born_at` is the source's word for the birth, `latency` what the packet's own fields give.
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
  /// A packet that was inside when the run ended.
  void left_over(Cycle born_at) {
    if (from_ != never && born_at < from_) ages_at_begin_ += from_ - born_at;
    age_at_end(born_at);
  }

  /// ModelError where the two sides differ. Only after the end of the run, with from() and to() known.
  void check() const;
  Cycle length() const { return to_ - from_; }
  std::uint64_t population_cycles() const {
    const std::uint64_t length = to_ - from_;
    return inside_at_begin_ * length + (births_ * length - births_since_begin_) -
           (ends_ * length - ends_since_begin_);
  }
  /// Packets inside when the interval begins and when it ends.
  std::uint64_t inside_at_begin() const { return inside_at_begin_; }
  std::uint64_t inside_at_end() const { return inside_at_begin_ + births_ - ends_; }
  std::uint64_t ends() const { return ends_; }
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
