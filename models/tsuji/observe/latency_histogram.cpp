// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/latency_histogram.h"

#include "tsuji/core/error.h"

namespace tsuji::observe {

template <unsigned share_bits>
LogLinearHistogram<share_bits>::LogLinearHistogram(std::uint64_t dense_values)
    : dense_(dense_values), dense_bits_(0) {
  if (dense_values < (1U << share_bits) || (dense_values & (dense_values - 1)) != 0) {
    throw ModelError("histogram", "dense_values must be a power of two of at least " +
                                      std::to_string(1U << share_bits) + ", not " +
                                      std::to_string(dense_values));
  }
  dense_bits_ = static_cast<unsigned>(__builtin_ctzll(dense_values));
  buckets_.assign(dense_ + (static_cast<std::size_t>(64 - dense_bits_) << share_bits), 0);
}

template <unsigned share_bits>
void LogLinearHistogram<share_bits>::merge(const LogLinearHistogram& other) {
  if (other.dense_ != dense_)
    throw ModelError("histogram", "cannot be merged with a histogram of another resolution");
  for (std::size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  max_ = std::max(max_, other.max_);
}

template <unsigned share_bits>
std::vector<std::uint64_t> LogLinearHistogram<share_bits>::image() const {
  std::vector<std::uint64_t> numbers = {count_, sum_, max_};
  numbers.insert(numbers.end(), buckets_.begin(), buckets_.end());
  return numbers;
}

template <unsigned share_bits>
void LogLinearHistogram<share_bits>::merge(const std::vector<std::uint64_t>& image) {
  LogLinearHistogram other(dense_);
  constexpr std::size_t totals = 3;
  if (image.size() != totals + buckets_.size())
    throw ModelError("histogram", "cannot be merged with a histogram of another resolution");
  other.count_ = image[0];
  other.sum_ = image[1];
  other.max_ = image[2];
  std::copy(image.begin() + totals, image.end(), other.buckets_.begin());
  merge(other);
}

template <unsigned share_bits>
double LogLinearHistogram<share_bits>::mean() const {
  if (count_ == 0) throw ModelError("histogram", "an empty histogram has no mean");
  return static_cast<double>(sum_) / static_cast<double>(count_);
}

template <unsigned share_bits>
std::uint64_t LogLinearHistogram<share_bits>::percentile(unsigned per_mille) const {
  if (count_ == 0 || per_mille == 0 || per_mille > 1000) {
    throw ModelError("histogram", "no percentile of " + std::to_string(count_) + " records at " +
                                      std::to_string(per_mille) + "/1000");
  }
  // ceil(count * per_mille / 1000), split so that it cannot overflow
  const std::uint64_t rank = count_ / 1000 * per_mille + (count_ % 1000 * per_mille + 999) / 1000;
  std::uint64_t seen = 0;
  std::size_t i = 0;
  while ((seen += buckets_[i]) < rank) ++i;
  return std::min(last_of(i), max_);
}

template <unsigned share_bits>
std::uint64_t LogLinearHistogram<share_bits>::first_of(std::size_t bucket) const {
  if (bucket < dense_) return bucket;
  const std::size_t above = bucket - dense_;
  const unsigned leading = dense_bits_ + static_cast<unsigned>(above >> share_bits);
  const std::uint64_t share = above & ((1U << share_bits) - 1);
  return ((std::uint64_t{1} << share_bits) | share) << (leading - share_bits);
}

template <unsigned share_bits>
std::uint64_t LogLinearHistogram<share_bits>::last_of(std::size_t bucket) const {
  return bucket + 1 == buckets_.size() ? ~std::uint64_t{0} : first_of(bucket + 1) - 1;
}

template <unsigned share_bits>
std::vector<typename LogLinearHistogram<share_bits>::Bucket> LogLinearHistogram<share_bits>::buckets() const {
  std::vector<Bucket> filled;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    if (buckets_[i] != 0) filled.push_back({first_of(i), last_of(i), buckets_[i]});
  }
  return filled;
}

template <unsigned share_bits>
std::vector<typename LogLinearHistogram<share_bits>::Bucket> LogLinearHistogram<share_bits>::coarse_buckets(
    unsigned bits) const {
  std::vector<Bucket> coarse;
  for (const Bucket& fine : buckets()) {
    std::uint64_t width = 1;
    while (fine.first / width >= std::uint64_t{2} << bits) width *= 2;
    const std::uint64_t first = fine.first / width * width;
    if (coarse.empty() || coarse.back().first != first) coarse.push_back({first, first + (width - 1), 0});
    coarse.back().count += fine.count;
  }
  return coarse;
}

template class LogLinearHistogram<5>;
template class LogLinearHistogram<7>;

}  // namespace tsuji::observe
