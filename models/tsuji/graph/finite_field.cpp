// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/finite_field.h"

#include "tsuji/core/error.h"

namespace tsuji::graph {
namespace {

constexpr unsigned most_elements = 1024;

/// The prime of which `q` is a power; 0: there is none.
unsigned prime_of(unsigned q) {
  unsigned prime = 2;
  while (prime * prime <= q && q % prime != 0) ++prime;
  if (q % prime != 0) prime = q;
  while (q % prime == 0 && q != 1) q /= prime;
  return q == 1 ? prime : 0;
}

}  // namespace

FiniteField::FiniteField(unsigned q, const std::string& key) : size_(q) {
  if (q >= 2 && q <= most_elements) prime_ = prime_of(q);
  if (prime_ == 0)
    throw ConfigError(key, std::to_string(q), "no finite field has this many elements",
                      "a power of a prime, 2.." + std::to_string(most_elements));
  // A prime field: an integer. Otherwise the polynomial x, whose highest power is reduced by `reduction`.
  if (q == prime_) {
    for (unsigned primitive = 1; primitive < q; ++primitive)
      if (find_powers(primitive, 0)) return;
  }
  for (unsigned reduction = 1; reduction < q; ++reduction)
    if (find_powers(prime_, reduction)) return;
  throw ModelError("finite field", "no primitive element of " + std::to_string(q));
}

unsigned FiniteField::add(unsigned a, unsigned b) const {
  unsigned sum = 0;
  for (unsigned weight = 1; weight < size_; weight *= prime_)
    sum += (a / weight + b / weight) % prime_ * weight;
  return sum;
}

/// Sets the tables to the powers of `primitive`, and returns true if these are all elements but zero.
bool FiniteField::find_powers(unsigned primitive, unsigned reduction) {
  powers_.assign(size_ - 1, 0);
  logarithms_.assign(size_, size_);
  unsigned power = 1;
  for (unsigned exponent = 0; exponent < size_ - 1; ++exponent) {
    if (power == 0 || logarithms_[power] != size_) return false;
    powers_[exponent] = power;
    logarithms_[power] = exponent;
    if (reduction == 0) {
      power = power * primitive % size_;
      continue;
    }
    const unsigned highest = power / (size_ / prime_);
    power = power % (size_ / prime_) * prime_;  // times x
    for (unsigned i = 0; i < highest; ++i) power = add(power, reduction);
  }
  return power == 1;
}

}  // namespace tsuji::graph
