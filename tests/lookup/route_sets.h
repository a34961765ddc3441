// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/routing/routing.h"

namespace tsuji::lookup::test {

/// Returns true for equal candidates in equal order.
inline bool same(const routing::RouteSet& a, const routing::RouteSet& b) {
  bool equal = a.size() == b.size();
  for (unsigned i = 0; equal && i < a.size(); ++i)
    equal = a[i].port == b[i].port && a[i].vcs == b[i].vcs && a[i].rank == b[i].rank;
  return equal;
}

}  // namespace tsuji::lookup::test
