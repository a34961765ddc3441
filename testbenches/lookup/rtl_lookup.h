// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "common/device.h"
#include "lookup/pipeline_bench.h"
#include "tsuji/clock/pin_clock.h"
#include "tsuji/lookup/switch_lookup.h"

namespace tsuji::bench {

/// RTL that replaces a switch's CachedLookup cycle by cycle: a look-up pipeline with the pins of
/// PipelinePins, 1 cycle of hash, 1 of cache, and a memory without contention. A head's request is at its
/// port's pins in the cycle of the request, or after all earlier requests of its port; the answer is valid
/// from the cycle in which it is at the pins. Answers of one virtual channel arrive in order.
///
/// A port outputs one answer of a virtual channel per cycle; the model has no such limit. The limit has no
/// effect where a head requests its look-up after the previous head of its virtual channel has its answer
/// (router.route_at front).
///
/// Tables are written before cycle 0; their changes are refused, flushes between two cycles are not. Members
/// beyond those of SwitchLookup are for the driver.
class RtlLookup final : public lookup::SwitchLookup, private PinnedPart {
 public:
  struct Parts {
    const lookup::LookupParts& lookup;
    ClockDomain& network;
    PinClock& driver;
    graph::RouterId router = 0;
    unsigned ports = 0;
    PipelinePins pins = {};
    MakeDut make = {};  ///< make_dut() of the RTL's class with these pins
  };
  /// ConfigError for unsupported configurations: other times, a table with different rows for different
  /// ports, or more ports, virtual channels or nodes than the RTL has.
  explicit RtlLookup(const Parts& parts);
  /// ConfigError for other times than the RTL's.
  static void check(const lookup::LookupTiming& timing);
  /// ConfigError for a switch, or a network, that is larger than the RTL.
  static void check_size(const PipelinePins& pins, unsigned ports, unsigned vcs, unsigned nodes);

  void bind_client(RouteClient& client) override { client_ = &client; }
  Cycle request(Cycle now, const routing::RouteQuery& query, std::uint32_t ticket,
                routing::RouteSet& candidates) override;
  void cancel(Cycle now, std::uint32_t ticket) override;
  /// Counts at the pins: look-ups, hits and misses. A miss is an answer that came as late as a miss's.
  lookup::LookupCounters counters() const override;
  void flush(Cycle now) override;
  void warm(unsigned port, NodeId destination) override;

 private:
  struct Ask {
    routing::RouteQuery query;
    std::uint32_t ticket = 0;
    Cycle taken = 0;  ///< cycle in which the request was at the pins
    bool cancelled = false, live = false;
  };
  struct Port {
    std::deque<Ask> waiting;      ///< requests that wait for the pins
    std::array<Ask, 256> asked;   ///< [ticket] requests sent through the pins
    std::uint8_t next = 0;        ///< ticket of the next request
    std::uint64_t given = 0;      ///< virtual channels whose oldest answer has been handed over
    std::uint64_t fresh = 0;      ///< virtual channels with an answer to hand over
    std::deque<unsigned> leaves;  ///< `given`, in the order in which they leave: one in a cycle
    unsigned shown = 0;
    bool shows = false;
  };
  /// Runs the reset, writes the rows of the table one by one, then idles until all rows are written.
  void load(unsigned edge) override;
  unsigned edges_of_load() const override { return 2 + parts_.keys.nodes() + 3; }
  void rise_to_load() override { clock_.write(true); }
  bool busy() const override { return under_way_ > 0 || flush_ || draining_ > 0; }
  void present(Cycle cycle) override;
  void rise(Cycle cycle) override;
  bool select(Cycle next) override;
  void hand_over(Cycle next) override;
  void look();
  void refuse_what_differs() const;
  static void leave_first(Port& port, unsigned vc);
  void take(Port& port, unsigned number, Cycle cycle);
  void give_answer(unsigned number, Cycle from);
  void write_inputs() { dut_->pins.write_inputs(drive_.inputs()); }

  const graph::RouterId router_;
  const PipelinePins pins_;
  const std::string name_;
  PinClock& driver_;
  sc_core::sc_signal<bool> clock_;
  const std::unique_ptr<Dut> dut_;
  Drive drive_;
  const PipelineHandles at_;
  RouteClient* client_ = nullptr;
  std::vector<Port> ports_;
  std::size_t under_way_ = 0;                ///< requests whose answers are not taken from the pins yet
  std::vector<lookup::RouteEntry> written_;  ///< rows of the table
  bool flush_ = false;
  unsigned draining_ = 0;  ///< edges until a flush has gone through the stages
  bool looked_ = true;     ///< the new answers of this edge have been identified
  std::uint64_t lookups_ = 0, hits_ = 0, misses_ = 0;
};

}  // namespace tsuji::bench
