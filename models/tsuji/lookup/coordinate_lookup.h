// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "tsuji/lookup/switch_lookup.h"

namespace tsuji::lookup {

/// Look-up of a router that computes the routes of some heads itself, in `rc_cycles`, and reads a switch's
/// memory for the others. It computes those of heads for another router (TreeChannel) and, if the routing has
/// words for some heads (TableForm::words), of heads routed by coordinates. So only the tables of Detour-UD's
/// router (Yoshinaga 2004, fig. 1) are replaced. With such a routing, every head takes `rc_cycles` for
/// address decode before the memory is read.
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
