// SPDX-License-Identifier: Apache-2.0
#include "tsuji/lookup/cached_lookup.h"

#include <algorithm>
#include <utility>

namespace tsuji::lookup {

const RouteEntry* PortCache::look(const NodeKeys& keys, NodeId destination, Cycle access) {
  take_fills(keys, access);
  return cache_.find(keys.key(destination), keys.set(destination));
}

void PortCache::expect(PendingFill fill) {
  fills_.push_back(fill);
  quiet_ = false;
}

void PortCache::take_fills(const NodeKeys& keys, Cycle access) {
  auto fill = fills_.begin();
  for (; fill != fills_.end() && fill->at <= access; ++fill)
    cache_.fill(keys.key(fill->destination), keys.set(fill->destination), fill->entry);
  fills_.erase(fills_.begin(), fill);
  look_around();
}

void PortCache::flush(const NodeKeys& keys, Cycle now) {
  take_fills(keys, now);
  cache_.flush();
  stale_ += fills_.size();
  fills_.clear();
  look_around();
}

void PortCache::warm(const NodeKeys& keys, NodeId destination, RouteEntry entry) {
  cache_.warm(keys.key(destination), keys.set(destination), entry);
  look_around();
}

void PortCache::add_to(LookupCounters& counters) const {
  counters.cache += cache_.counters();
  counters.stale_answers += stale_;
  counters.answers_pending += fills_.size();
}

CachedLookup::CachedLookup(const LookupParts& parts, graph::RouterId router, unsigned ports,
                           std::unique_ptr<MissMemory> memory)
    : SwitchLookup(parts, router, ports),
      keys_(parts.keys),
      hash_cycles_(parts.timing.hash_cycles),
      cache_cycles_(parts.timing.cache_cycles),
      last_(std::size_t{ports} * parts.vcs),
      memory_(std::move(memory)) {
  ports_.reserve(ports);
  for (unsigned port = 0; port < ports; ++port) ports_.push_back({0, PortCache(parts, router, port)});
}

Cycle CachedLookup::request(Cycle now, const routing::RouteQuery& query, std::uint32_t,
                            routing::RouteSet& candidates) {
  Port& port = ports_[query.in_port];
  const Cycle access = std::max(now + hash_cycles_, port.next_access);
  const Cycle ready = access + cache_cycles_;
  port.next_access = ready;
  if (!port.cache.quiet()) return ask_slowly(port, query, access, candidates);
  const RouteEntry* const entry = port.cache.look_quick(keys_, query.destination.node());
  if (entry == nullptr) return miss(port, query, access, candidates);
  tell(query.in_port, query.destination.node(), true, access);
  give(query, *entry, candidates);
  return ready;
}

Cycle CachedLookup::ask_slowly(Port& port, const routing::RouteQuery& query, Cycle access,
                               routing::RouteSet& candidates) {
  const RouteEntry* const entry = port.cache.look(keys_, query.destination.node(), access);
  if (entry == nullptr) return miss(port, query, access, candidates);
  tell(query.in_port, query.destination.node(), true, access);
  give(query, *entry, candidates);
  return in_order(query, access + cache_cycles_);
}

Cycle CachedLookup::miss(Port& port, const routing::RouteQuery& query, Cycle access,
                         routing::RouteSet& candidates) {
  tell(query.in_port, query.destination.node(), false, access);
  const Cycle back = memory_->start(query.in_port, query.destination.node(), access + cache_cycles_);
  const RouteEntry entry = table_.entry(query.in_port, query.destination.node());
  port.cache.expect({back, query.destination.node(), entry});
  if (parts_.timing.blocking) port.next_access = back;
  give(query, entry, candidates);
  return in_order(query, back);
}

LookupCounters CachedLookup::counters() const {
  LookupCounters counters;
  for (const Port& port : ports_) port.cache.add_to(counters);
  memory_->add_to(counters);
  return counters;
}

void CachedLookup::flush(Cycle now) {
  for (Port& port : ports_) port.cache.flush(parts_.keys, now);
}

void CachedLookup::warm(unsigned port, NodeId destination) {
  ports_[port].cache.warm(parts_.keys, destination, table_.entry(port, destination));
}

}  // namespace tsuji::lookup
