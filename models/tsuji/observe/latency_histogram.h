// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tsuji::observe {

/// Counts of non-negative integers (cycles). Count, mean and maximum are exact. Percentiles are exact for
/// values below `dense_values`; above, a value shares a bucket with those whose `share_bits` bits after the
/// leading one are the same, and a percentile is the upper end of its bucket: too large by less than
/// 1/2^share_bits.
template <unsigned share_bits>
class LogLinearHistogram {
 public:
  /// `dense_values` is a power of two, at least 2^share_bits; otherwise a ModelError.
  explicit LogLinearHistogram(std::uint64_t dense_values = 4096);

  /// A few instructions; never allocates.
  void record(std::uint64_t value) {
    ++count_;
    sum_ += value;
    max_ = std::max(max_, value);
    ++buckets_[bucket(value)];
  }
  /// Adds what another one of the same `dense_values` has counted; ModelError otherwise.
  void merge(const LogLinearHistogram& other);

  std::uint64_t count() const { return count_; }
  std::uint64_t sum() const { return sum_; }
  std::uint64_t max() const { return max_; }
  /// ModelError where nothing was recorded.
  double mean() const;
  /// The nearest-rank percentile: the smallest value that at least `per_mille` of 1000 records do not exceed
  /// (1..1000). ModelError where nothing was recorded.
  std::uint64_t percentile(unsigned per_mille) const;

  struct Bucket {
    std::uint64_t first, last;  ///< values, both included
    std::uint64_t count;
  };
  /// The buckets that hold something, by rising values.
  std::vector<Bucket> buckets() const;
  /// The same in coarser ones, of values whose `bits` < share_bits bits after the leading one are the same:
  /// exact counts in some hundred buckets at most.
  std::vector<Bucket> coarse_buckets(unsigned bits) const;

 private:
  std::size_t bucket(std::uint64_t value) const {
    if (value < dense_) return value;
    const auto leading = 63U - static_cast<unsigned>(__builtin_clzll(value));
    const std::uint64_t share = (value >> (leading - share_bits)) & ((1U << share_bits) - 1);
    return dense_ + ((static_cast<std::size_t>(leading - dense_bits_) << share_bits) | share);
  }
  std::uint64_t first_of(std::size_t bucket) const;
  std::uint64_t last_of(std::size_t bucket) const;

  std::uint64_t dense_;
  unsigned dense_bits_;
  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0, sum_ = 0, max_ = 0;
};

/// The one of a run's packets: percentiles too large by less than 1/128, about 85 KB.
using LatencyHistogram = LogLinearHistogram<7>;

}  // namespace tsuji::observe
