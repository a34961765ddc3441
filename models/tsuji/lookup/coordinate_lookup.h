// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "tsuji/lookup/switch_lookup.h"

namespace tsuji::lookup {

/// The look-up of a router whose routing answers some heads by coordinates, and has words for the others in
/// a switch's memory (TableForm::words). Address decode takes `rc_cycles` of every head: one that goes by
/// coordinates then has its answer, one that reads the table then asks the memory. So of Detour-UD's router
/// (Yoshinaga 2004, fig. 1) the tables are replaced, and nothing else.
class CoordinateLookup final : public RouteLookup {
 public:
  CoordinateLookup(const routing::Routing& routing, Cycle rc_cycles, std::unique_ptr<SwitchLookup> memory)
      : routing_(&routing),
        table_reads_(routing.table_reads()),
        rc_cycles_(rc_cycles),
        memory_(std::move(memory)) {}

  void bind_client(RouteClient& client) override { memory_->bind_client(client); }
  Cycle request(Cycle now, const routing::RouteQuery& query, std::uint32_t ticket,
                routing::RouteSet& candidates) override {
    if (table_reads_ != nullptr && table_reads_->reads_table(query))
      return memory_->request(now + rc_cycles_, query, ticket, candidates);
    routing_->route(query, candidates);
    return now + rc_cycles_;
  }
  void cancel(Cycle now, std::uint32_t ticket) override { memory_->cancel(now, ticket); }
  void exchange_routing(const routing::Routing& routing, Cycle now) override {
    routing_ = &routing;
    table_reads_ = routing.table_reads();
    memory_->exchange_routing(routing, now);
  }

 private:
  const routing::Routing* routing_;
  const routing::TableReads* table_reads_;  ///< null: no head reads a table
  const Cycle rc_cycles_;
  const std::unique_ptr<SwitchLookup> memory_;
};

}  // namespace tsuji::lookup
