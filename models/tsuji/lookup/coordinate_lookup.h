// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "tsuji/lookup/switch_lookup.h"

namespace tsuji::lookup {

/// The look-up of a router that knows the routes of some heads itself, and asks a switch's memory for those
/// of the others. Its own are heads for another router (TreeChannel) and, where the routing has words for
/// some heads (TableForm::words), those that go by coordinates: so of Detour-UD's router (Yoshinaga 2004,
/// fig. 1) the tables are replaced, and nothing else. Its own take `rc_cycles`. Address decode of a routing
/// with words takes as long of every head, before the memory is asked.
class CoordinateLookup final : public RouteLookup {
 public:
  CoordinateLookup(const routing::Routing& routing, Cycle rc_cycles, std::unique_ptr<SwitchLookup> memory)
      : rc_cycles_(rc_cycles), memory_(std::move(memory)) {
    set_routing(routing);
  }

  void bind_client(RouteClient& client) override { memory_->bind_client(client); }
  Cycle request(Cycle now, const routing::RouteQuery& query, std::uint32_t ticket,
                routing::RouteSet& candidates) override {
    if (asks_memory(query)) return memory_->request(now + decode_cycles_, query, ticket, candidates);
    routing_->route(query, candidates);
    return now + rc_cycles_;
  }
  void cancel(Cycle now, std::uint32_t ticket) override { memory_->cancel(now, ticket); }
  void exchange_routing(const routing::Routing& routing, Cycle now) override {
    set_routing(routing);
    memory_->exchange_routing(routing, now);
  }

 private:
  void set_routing(const routing::Routing& routing) {
    const routing::TableImage* const image = routing.table_image();
    routing_ = &routing;
    table_reads_ = routing.table_reads();
    has_words_ = image != nullptr && image->table_form() == routing::TableForm::words;
    decode_cycles_ = has_words_ ? rc_cycles_ : 0;
  }
  bool asks_memory(const routing::RouteQuery& query) const {
    if (!has_words_) return !query.destination.is_router();
    return table_reads_ != nullptr && table_reads_->reads_table(query);
  }

  const routing::Routing* routing_ = nullptr;
  const routing::TableReads* table_reads_ = nullptr;  ///< null: no head reads a table
  bool has_words_ = false;
  Cycle decode_cycles_ = 0;
  const Cycle rc_cycles_;
  const std::unique_ptr<SwitchLookup> memory_;
};

}  // namespace tsuji::lookup
