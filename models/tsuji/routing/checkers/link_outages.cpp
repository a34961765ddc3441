// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/checkers/link_outages.h"

#include <algorithm>

#include "tsuji/core/error.h"

namespace tsuji::routing {

Intervals common(const Intervals& a, const Intervals& b) {
  Intervals both;
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    const Interval part{std::max(x->from, y->from), std::min(x->to, y->to)};
    if (part.from < part.to) both.push_back(part);
    if (x->to < y->to)
      ++x;
    else
      ++y;
  }
  return both;
}

Intervals without(const Intervals& a, const Intervals& b) {
  Intervals others;
  Cycle from = 0;
  for (const Interval& hole : b) {
    if (from < hole.from) others.push_back({from, hole.from});
    from = hole.to;
  }
  if (from != never) others.push_back({from, never});
  return common(a, others);
}

std::string interval_text(const Interval& interval) {
  return "from cycle " + std::to_string(interval.from) +
         (interval.to == never ? " on" : " to " + std::to_string(interval.to - 1));
}

LinkOutages::LinkOutages(const std::vector<LinkOutage>& outages, std::size_t links) : down_(links) {
  for (const LinkOutage& outage : outages) {
    if (outage.link >= links)
      throw ConfigError("link.faults", std::to_string(outage.link), "there is no such link",
                        "links 0.." + std::to_string(links - 1));
    any_ = true;
    Intervals& down = down_[outage.link];
    Interval whole{outage.down, outage.up};
    const auto meets = [&whole](const Interval& known) {
      if (known.to < whole.from || known.from > whole.to) return false;
      whole = {std::min(whole.from, known.from), std::max(whole.to, known.to)};
      return true;
    };
    // A merged interval may overlap one more in front of it.
    while (true) {
      const auto known = std::find_if(down.begin(), down.end(), meets);
      if (known == down.end()) break;
      down.erase(known);
    }
    down.insert(std::find_if(down.begin(), down.end(),
                             [&whole](const Interval& later) { return later.from > whole.from; }),
                whole);
  }
}

}  // namespace tsuji::routing
