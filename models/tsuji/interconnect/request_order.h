// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tsuji/core/error.h"

namespace tsuji::interconnect {

/// Order of the requests of all initiators at one target. Requests of an initiator are passed on in the order
/// in which it made them, as the base protocol of TLM-2.0 requires, although packets may overtake each other.
/// Requests that are complete too early wait in their places; an initiator has at most `places` requests
/// under way.
class RequestOrder {
 public:
  RequestOrder(unsigned initiators, unsigned places)
      : places_(places), expected_(initiators), early_(std::size_t{initiators} * places, none) {}

  /// Request number `order` of an initiator, in place `tag`, is complete. Calls pass_on(tag) for each request
  /// that is next, in order.
  template <class PassOn>
  void complete(unsigned initiator, std::uint32_t order, std::uint16_t tag, const PassOn& pass_on) {
    if (order - expected_[initiator] >= places_)
      throw ModelError("interconnect", "request " + std::to_string(order) + " of initiator " +
                                           std::to_string(initiator) + " is not among the next ones");
    early_[place(initiator, order)] = tag;
    for (std::uint32_t* next = &early_[place(initiator, expected_[initiator])]; *next != none;
         next = &early_[place(initiator, expected_[initiator])]) {
      const auto ready = static_cast<std::uint16_t>(*next);
      *next = none;
      ++expected_[initiator];
      pass_on(ready);
    }
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::size_t place(unsigned initiator, std::uint32_t order) const {
    return std::size_t{initiator} * places_ + order % places_;
  }

  unsigned places_;
  std::vector<std::uint32_t> expected_;  ///< [initiator]: number of the next request
  std::vector<std::uint32_t> early_;     ///< [initiator, order modulo places]: tag of a complete request
};

}  // namespace tsuji::interconnect
