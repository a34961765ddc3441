// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tsuji::observe {

/// Histogram of non-negative integers (cycles). Count, mean and maximum are exact. Percentiles are exact for
/// values below `dense_values`. Larger values with equal leading bit and equal next `share_bits` bits share a
/// bucket, and a percentile is the upper end of its bucket: too large by less than 1/2^share_bits.
template <unsigned share_bits>
class LogLinearHistogram {
 public:
  /// `dense_values` is a power of two, at least 2^share_bits (else ModelError).
  explicit LogLinearHistogram(std::uint64_t dense_values = 4096);

  /// Counts a value, in a few instructions and without allocation.
  void record(std::uint64_t value) {
    ++count_;
    sum_ += value;
    max_ = std::max(max_, value);
    ++buckets_[bucket(value)];
  }
  /// Adds the counts of another histogram with equal `dense_values` (else ModelError).
  void merge(const LogLinearHistogram& other);
  /// All counts as numbers, for merge() in another process.
  std::vector<std::uint64_t> image() const;
  /// Adds the counts of a histogram with this image() and equal `dense_values` (else ModelError).
  void merge(const std::vector<std::uint64_t>& image);

  std::uint64_t count() const { return count_; }
  std::uint64_t sum() const { return sum_; }
  std::uint64_t max() const { return max_; }
  /// Mean of the values. Throws ModelError for an empty histogram.
  double mean() const;
  /// Nearest-rank percentile: the smallest value that at least `per_mille` of 1000 values (1..1000) do not
  /// exceed. Throws ModelError for an empty histogram.
  std::uint64_t percentile(unsigned per_mille) const;

  /// Range of values with one count.
  struct Bucket {
    std::uint64_t first,  ///< smallest value
        last;             ///< largest value
    std::uint64_t count;  ///< number of values
  };
  /// Buckets with values, in ascending order.
  std::vector<Bucket> buckets() const;
  /// Buckets that are formed with `bits` < share_bits bits after the leading one: exact counts in at most
  /// some hundred buckets.
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

/// Histogram of the latencies of a run's packets: percentiles are too large by less than 1/128; about 85 KB.
using LatencyHistogram = LogLinearHistogram<7>;

}  // namespace tsuji::observe
