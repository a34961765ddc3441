// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/checkers/changed_routes.h"

#include <algorithm>

namespace tsuji::routing {
namespace {

bool before(const std::pair<End, RouteCandidate>& change, End destination) {
  return change.first < destination;
}

}  // namespace

ChangedRoutes::ChangedRoutes(const ChangedRoutes& earlier, End destination, const RouteCandidate& entry)
    : base_(earlier.base_), changes_(earlier.changes_) {
  const auto place = std::lower_bound(changes_.begin(), changes_.end(), destination, before);
  if (place != changes_.end() && place->first == destination)
    place->second = entry;
  else
    changes_.insert(place, {destination, entry});
}

void ChangedRoutes::route(const RouteQuery& query, RouteSet& candidates) const {
  const auto change = std::lower_bound(changes_.begin(), changes_.end(), query.destination, before);
  if (change == changes_.end() || change->first != query.destination) return base_.route(query, candidates);
  const RouteCandidate& entry = change->second;
  VcMask vcs = entry.vcs;
  const TableImage* const image = base_.table_image();
  if (image != nullptr && image->table_form() == TableForm::port_and_vc_map)
    vcs = image->vc_map(query.router, query.in_port, query.in_vc, entry.port).of(vcs);
  candidates.clear();
  if (vcs != 0) candidates.add(entry.port, vcs, entry.rank);
}

}  // namespace tsuji::routing
