#pragma once

#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "fabric/cenju4_config.h"
#include "fabric/cenju4_node.h"
#include "fabric/crosspoint_network.h"
#include "nic/nic_observer.h"
#include "observe/network_metrics.h"
#include "observe/wave.h"

namespace tsuji::fabric {

/// A whole machine: nodes on a multistage network of crosspoint switches, on one clock; processors run half a
/// period after it, so that what they do lies between two edges.
class Cenju4Machine final : public sc_core::sc_module {
 public:
  Cenju4Machine(sc_core::sc_module_name name, const Cenju4Config& config);
  ~Cenju4Machine() override;

  unsigned nodes() const { return static_cast<unsigned>(nodes_.size()); }
  Cenju4Node& node(NodeId node) { return *nodes_[node]; }
  const Cenju4Node& node(NodeId node) const { return *nodes_[node]; }
  CrosspointNetwork& network() { return network_; }
  const CrosspointNetwork& network() const { return network_; }
  const ClockDomain& clock() const { return clock_; }
  const Cenju4Config& config() const { return config_; }

  /// What runs on a node's processor: before the start the first program, afterwards, when the last has
  /// finished, the next.
  void set_program(NodeId node, host::Program& program);

  /// Lets ports find their channels without simulating anything, for those who look at channels before the
  /// start.
  void elaborate();
  /// Runs until nothing happens any more. `on_slice` is called every `slice_cycles` with the present cycle.
  /// Throws what a model threw; ModelError if programs are left waiting, with what each waits for and what
  /// the network holds.
  void run(Cycle slice_cycles, const std::function<void(Cycle)>& on_slice);
  /// Adds to the report of programs that wait forever.
  void set_waiting_report(std::function<std::string()> report) { waiting_report_ = std::move(report); }

  /// The last cycle in which anything ran.
  Cycle last_cycle() const;
  observe::NetworkMetrics metrics() const;
  FaultInjector::Counters fault_counters() const;
  /// Packets that receivers and, for a damaged port flit, switches dropped.
  std::uint64_t packets_dropped() const;

 private:
  class Deliveries;
  void build_fault_injectors();
  std::string stuck() const;
  /// Sent + replicated - merged - dropped = delivered, when all is over; else a ModelError.
  void check_conservation() const;
  /// What programs and network interfaces have done; polling in vain adds nothing.
  std::uint64_t work_done() const;
  bool polls_in_vain(Cycle now);

  const Cenju4Config config_;
  PacketPool pool_;
  ClockDomain clock_, host_clock_;
  CrosspointNetwork network_;
  host::SidAllocator sids_;
  std::unique_ptr<Deliveries> deliveries_;
  std::vector<std::unique_ptr<Cenju4Node>> nodes_;
  std::vector<bool> has_program_;
  bool started_ = false;
  /// When and at how many polls of all processors something was last done.
  struct Progress {
    std::uint64_t work = 0;
    Cycle cycle = 0;
    std::uint64_t poll_turns = 0;
  };
  Progress last_progress_;
  std::vector<std::unique_ptr<FaultInjector>> injectors_;
  std::function<std::string()> waiting_report_;
};

}  // namespace tsuji::fabric
