// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/link/route_lookup.h"

namespace tsuji::lookup {

/// Times of a routing table with read ports (Yoshinaga 2004, 4.1 and 4.3).
struct PortedTableTiming {
  Cycle rc_cycles = 1;     ///< time to decode the table's address, for every head, >= 1
  Cycle table_cycles = 5;  ///< grant of a read port to answer, >= 1
  unsigned ports = 2;      ///< read ports, each for a group of input virtual channels
  bool pipelined = true;   ///< a port accepts a read in every cycle; otherwise it is busy for table_cycles
};

/// Look-up of a router whose routing computes some heads' routes by coordinates and reads a table with a few
/// read ports for the others (TableReads).
///
///     by coordinates:  request a;  answer a + rc_cycles
///     by table:        request a;  waits for a read port from a + rc_cycles on;  grant g;
///                      answer g + table_cycles
///
/// The virtual channels of each input port are divided equally over the read ports: with two read ports and
/// four virtual channels, 0 and 1 are one group, 2 and 3 the other. A read port serves its group round robin,
/// one read per cycle. The router runs the look-up (RouteLookup::run).
class PortedTable final : public RouteLookup {
 public:
  /// `vcs`: number of virtual channels of each input port. ModelError for invalid times.
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
  /// Sum over all reads of the cycles that they waited for their port.
  std::uint64_t wait_cycles() const { return wait_cycles_; }

 private:
  struct Question {
    routing::RouteQuery query;
    Cycle asks = 0;  ///< requests a read port from this cycle on
    std::uint32_t ticket = 0;
    std::uint32_t line = 0;
  };
  struct ReadPort {
    std::vector<Question> waiting;
    Cycle free_at = 0;
    std::uint32_t turn = 0;  ///< requester with the highest priority
  };
  Question* next(ReadPort& port, Cycle now);
  void read(ReadPort& port, Question& question, Cycle now);

  const routing::Routing* routing_;
  const routing::TableReads* table_reads_;  ///< null: no head reads a table
  const PortedTableTiming timing_;
  RouteClient* client_ = nullptr;
  /// [input port]: index of its first virtual channel; one more element for the end.
  std::vector<std::uint32_t> first_line_;
  std::vector<ReadPort> ports_;
  std::uint64_t reads_ = 0, wait_cycles_ = 0;
};

}  // namespace tsuji::lookup
