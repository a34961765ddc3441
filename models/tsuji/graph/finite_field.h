// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tsuji::graph {

/// Finite field GF(q), with q a power of a prime. Elements are 0..q-1: the digits of an element to the base
/// of the prime are the coefficients of its polynomial; 0 is zero and 1 is one.
class FiniteField {
 public:
  /// ConfigError of `key` if `q` is not a power of a prime, 2..1024.
  FiniteField(unsigned q, const std::string& key);

  /// Number of elements.
  unsigned size() const { return size_; }
  unsigned add(unsigned a, unsigned b) const;
  unsigned multiply(unsigned a, unsigned b) const {
    return a == 0 || b == 0 ? 0 : powers_[(logarithms_[a] + logarithms_[b]) % (size_ - 1)];
  }
  /// Power of a primitive element, whose powers 0..q-2 are all elements but zero.
  unsigned power(unsigned exponent) const { return powers_[exponent % (size_ - 1)]; }

 private:
  bool find_powers(unsigned primitive, unsigned reduction);

  unsigned prime_ = 0, size_;
  std::vector<unsigned> powers_;      ///< [exponent]
  std::vector<unsigned> logarithms_;  ///< [element]
};

}  // namespace tsuji::graph
