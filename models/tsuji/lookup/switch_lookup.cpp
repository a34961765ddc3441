// SPDX-License-Identifier: Apache-2.0
#include "tsuji/lookup/switch_lookup.h"

#include <algorithm>

#include "tsuji/core/error.h"

namespace tsuji::lookup {

LookupCounters& LookupCounters::operator+=(const LookupCounters& other) {
  cache += other.cache;
  cam_accesses += other.cam_accesses;
  cam_writes += other.cam_writes;
  cam_wait_sum += other.cam_wait_sum;
  cam_wait_most = std::max(cam_wait_most, other.cam_wait_most);
  cam_busy_cycles += other.cam_busy_cycles;
  searches += other.searches;
  entries_compared += other.entries_compared;
  search_wait_sum += other.search_wait_sum;
  search_wait_most = std::max(search_wait_most, other.search_wait_most);
  search_busy_cycles += other.search_busy_cycles;
  stale_answers += other.stale_answers;
  answers_pending += other.answers_pending;
  return *this;
}

namespace {

bool before(const std::pair<NodeId, RouteEntry>& change, NodeId destination) {
  return change.first < destination;
}

}  // namespace

const RouteEntry* RouteTable::find(NodeId destination) const {
  const auto place = std::lower_bound(changes_.begin(), changes_.end(), destination, before);
  return place == changes_.end() || place->first != destination ? nullptr : &place->second;
}

void RouteTable::change(NodeId destination, RouteEntry entry) {
  const auto place = std::lower_bound(changes_.begin(), changes_.end(), destination, before);
  if (place != changes_.end() && place->first == destination)
    place->second = entry;
  else
    changes_.insert(place, {destination, entry});
}

void RouteTable::restore(NodeId destination) {
  const auto place = std::lower_bound(changes_.begin(), changes_.end(), destination, before);
  if (place != changes_.end() && place->first == destination) changes_.erase(place);
}

namespace {

bool has_form(const routing::Routing& routing, routing::TableForm form) {
  return routing.table_image() != nullptr && routing.table_image()->table_form() == form;
}

}  // namespace

SwitchLookup::SwitchLookup(const LookupParts& parts, graph::RouterId router, unsigned ports)
    : parts_(parts),
      table_(parts.routing, router),
      vcs_(parts.vcs),
      ports_of_map_(ports),
      of_words_(has_form(parts.routing, routing::TableForm::words)) {
  if (!has_form(parts.routing, routing::TableForm::port_and_vc_map)) return;
  const routing::TableImage& image = *parts.routing.table_image();
  for (unsigned in = 0; in < ports; ++in)
    for (unsigned vc = 0; vc < vcs_; ++vc)
      for (unsigned out = 0; out < ports; ++out) maps_.push_back(image.vc_map(router, in, vc, out));
  if (!maps_.empty()) map_ = maps_.data();
}

void SwitchLookup::warm(unsigned, NodeId) {}

void SwitchLookup::write_row(Cycle, NodeId) {}

void SwitchLookup::exchange_routing(const routing::Routing& routing, Cycle now) {
  if (!of_words_) return RouteLookup::exchange_routing(routing, now);
  remember_rows();
  table_.exchange(routing);
  flush(now);
  write_changed_rows(now);
}

void SwitchLookup::remember_rows() {
  if (!table_.has_image()) return;
  rows_.clear();
  for (NodeId node = 0; node < parts_.keys.nodes(); ++node) rows_.push_back(table_.entry(0, node));
}

/// Words are equal at all ports. If the routing has no image, the rows do not change.
void SwitchLookup::write_changed_rows(Cycle now) {
  if (!table_.has_image()) return;
  for (NodeId node = 0; node < rows_.size(); ++node)
    if (!(table_.entry(0, node) == rows_[node])) write_row(now, node);
}

void SwitchLookup::check_has_entries(Cycle now) const {
  if (of_words_ || parts_.routing.table_image() == nullptr)
    throw ModelError("route look-up", now, "",
                     "an entry cannot be changed where heads have several candidates");
}

void CamQueue::add_to(LookupCounters& counters) const {
  counters.cam_accesses += accesses_;
  counters.cam_writes += writes_;
  counters.cam_wait_sum += wait_sum_;
  counters.cam_wait_most = std::max(counters.cam_wait_most, wait_most_);
  // Cycles in which the memory's input is occupied.
  counters.cam_busy_cycles += accesses_ * (interval_ == 0 ? 1 : interval_);
}

LookupCounters CamLookup::counters() const {
  LookupCounters counters;
  cam_.add_to(counters);
  counters.cache.lookups = counters.cam_accesses - counters.cam_writes;
  return counters;
}

LookupCounters IdealLookup::counters() const {
  LookupCounters counters;
  counters.cache.lookups = counters.cache.hits = lookups_;
  return counters;
}

}  // namespace tsuji::lookup
