// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/link/route_lookup.h"

namespace tsuji::lookup {

/// Times of a routing table with read ports (Yoshinaga 2004, 4.1 and 4.3).
struct PortedTableTiming {
  Cycle rc_cycles = 1;     ///< address decode, which every head takes; at least 1
  Cycle table_cycles = 5;  ///< grant of a read port to the answer; at least 1
  unsigned ports = 2;      ///< read ports; each has its own group of input virtual channels
  bool pipelined = true;   ///< a port takes a read in every cycle; else it is busy for table_cycles
};

/// The look-up of a router whose routing answers some heads by coordinates and others by a table in a memory
/// with a few read ports (TableReads). A head that comes in cycle a has its answer in a +
/// rc_cycles, or asks for its group's read port from then on: granted in g, its answer can be used in g +
/// table_cycles.
///
/// Input virtual channels are split over the read ports in equal parts of each input port: with two read
/// ports and four virtual channels 0 and 1 are one group, 2 and 3 the other. Within a group ports are served
/// round robin, a read a cycle. The router runs the look-up.
class PortedTable final : public RouteLookup {
 public:
  /// `vcs`: input virtual channels of each input port. ModelError for times that are not as above.
  PortedTable(const routing::Routing& routing, const PortedTableTiming& timing,
              const std::vector<unsigned>& vcs);

  void bind_client(RouteClient& client) override { client_ = &client; }
  Cycle request(Cycle now, const routing::RouteQuery& query, std::uint32_t ticket,
                routing::RouteSet& candidates) override;
  void cancel(Cycle now, std::uint32_t ticket) override;
  bool is_run_by_router() const override { return true; }
  void run(Cycle now) override;
  Cycle next_run(Cycle now) const override;
  void exchange_routing(const routing::Routing& routing, Cycle) override {
    routing_ = &routing;
    table_reads_ = routing.table_reads();
  }

  std::uint64_t reads() const { return reads_; }
  /// The sum over all reads of the cycles in which they waited for their port.
  std::uint64_t wait_cycles() const { return wait_cycles_; }

 private:
  struct Question {
    routing::RouteQuery query;
    Cycle asks = 0;  ///< for a port, from this cycle on
    std::uint32_t ticket = 0;
    std::uint32_t line = 0;
  };
  struct ReadPort {
    std::vector<Question> waiting;
    Cycle free_at = 0;
    std::uint32_t turn = 0;  ///< the line that goes first
  };
  Question* next(ReadPort& port, Cycle now);
  void read(ReadPort& port, Question& question, Cycle now);

  const routing::Routing* routing_;
  const routing::TableReads* table_reads_;  ///< null: no head reads a table
  const PortedTableTiming timing_;
  RouteClient* client_ = nullptr;
  std::vector<std::uint32_t> first_line_;  ///< per input port, and behind the last one
  std::vector<ReadPort> ports_;
  std::uint64_t reads_ = 0, wait_cycles_ = 0;
};

}  // namespace tsuji::lookup
