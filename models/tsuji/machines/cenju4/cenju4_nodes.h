// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "tsuji/link/packet_link.h"
#include "tsuji/machines/cenju4/cenju4_config.h"
#include "tsuji/machines/cenju4/cenju4_node.h"
#include "tsuji/observe/network_metrics.h"

namespace tsuji::machines {

/// Nodes of a machine of the Cenju-4's kind, and the programs on their processors: base of such machines for
/// any network.
///
/// Contract: set_program() for the first programs and elaborate(), if needed, before run(); further programs
/// between two calls of run().
class Cenju4Nodes {
 public:
  Cenju4Nodes(const Cenju4Nodes&) = delete;
  Cenju4Nodes& operator=(const Cenju4Nodes&) = delete;
  virtual ~Cenju4Nodes();

  unsigned nodes() const { return static_cast<unsigned>(nodes_.size()); }
  Cenju4Node& node(NodeId node) { return *nodes_[node]; }
  const Cenju4Node& node(NodeId node) const { return *nodes_[node]; }
  const Cenju4Config& config() const { return config_; }

  /// Sets the program of a task of a node's processor: before the start the first one, later the next one
  /// once the previous program has finished.
  void set_program(NodeId node, host::Program& program, unsigned task = 0);

  /// Elaborates the design without simulating a cycle, so that channels can be inspected before the start.
  /// May be called repeatedly.
  void elaborate();
  using OnSlice = std::function<void(Cycle now)>;  ///< all cycles before `now` have run, at the end that, too

  /// Runs until no event is left. `on_slice` is called every `slice_cycles`, and with each cycle that
  /// `next_stop` returns: then before any later cycle has run. Rethrows a model's exception. Throws
  /// ModelError if programs still wait, with the awaited events and the packets in the network. A failure
  /// after lost packets lists these.
  void run(Cycle slice_cycles, const OnSlice& on_slice, const std::function<Cycle()>& next_stop = nullptr);
  /// Runs the kernel for `time`, for machines that never end: processors of other suppliers, programs that
  /// serve. Then checks that each packet sent has been delivered, dropped or lost, or is under way. Rethrows
  /// a model's exception; throws ModelError if packets are missing or in excess.
  ///
  /// The count under way is exact on crosspoint switches. On a virtual-channel network, with and without
  /// groups or a tree, it is an upper bound, the packets in memory: a loss is reported once fewer exist than
  /// are missing, at the latest when senders, network and receivers hold none.
  void run_for(const sc_core::sc_time& time);
  /// Runs until `done()` is true, which is evaluated every `slice`, or for `limit`. Then checks as run_for()
  /// does. Returns the last value of `done()`.
  bool run_until(const std::function<bool()>& done, const sc_core::sc_time& slice,
                 const sc_core::sc_time& limit);
  /// Sets a job's part of the report of programs that wait forever; null: none.
  void set_waiting_report(unsigned job, std::function<std::string()> report) {
    waiting_reports_[job] = std::move(report);
  }

  /// Last cycle in which a module ran.
  Cycle last_cycle() const;
  /// Number of packets that receivers hold and have not counted yet.
  std::uint64_t packets_in_receivers() const;
  /// Number of packets dropped by receivers.
  std::uint64_t packets_dropped_by_receivers() const;
  /// Number of pages that the operating systems have mapped on demand.
  std::uint64_t page_faults() const;

 protected:
  /// Connection of a node to the network.
  struct Joint {
    std::unique_ptr<nic::FirstHop> first_hop;
    PacketOutIf& out;
    PacketInIf& in;
  };

  explicit Cenju4Nodes(const Cenju4Config& config);
  /// Clock of processors, half a period later than that of all other modules.
  static ClockDomainConfig host_clock(const Cenju4Config& config);
  /// Makes the nodes; called once, in the constructor of the machine. Clocks and pool belong to the machine,
  /// whose destructor calls destroy_nodes() first.
  void build_nodes(unsigned count, ClockDomain& clock, ClockDomain& host_clock, PacketPool& pool,
                   const std::function<Joint(NodeId)>& joint);
  void destroy_nodes();
  /// True if the task has a program that has not finished.
  bool waits(NodeId node, unsigned task) const;
  /// True if every program has finished.
  bool finished() const;

  /// Metrics of sent and delivered packets. The latency is the time from the parcel's header in a header
  /// register to the data in memory.
  observe::NetworkMetrics node_metrics() const;
  virtual std::uint64_t flits_in_network() const = 0;

 private:
  class Deliveries;
  virtual std::string machine_name() const = 0;
  /// Packets held in the network and their waits, in at most `limit` lines.
  virtual std::string held_report(unsigned limit) const = 0;
  /// True if an empty network may block programs, so that held_report() is printed for it, too.
  virtual bool reports_empty() const { return false; }
  /// Throws ModelError unless every sent packet has been delivered or accounted for at the end.
  virtual void check_conservation() const = 0;
  /// Throws ModelError unless every sent packet has been delivered or accounted for, or is under way in cycle
  /// `now`, the first that has not run.
  virtual void check_conservation_under_way(Cycle now) const = 0;
  /// True if no part of the network reads the kernel's time.
  virtual bool network_may_run_ahead() const { return true; }
  /// True if a packet in the network may still be delivered.
  virtual bool may_still_arrive() const { return flits_in_network() != 0; }
  /// Permanently lost packets, each as a newline and one line of text; empty: none.
  virtual std::string loss_report() const { return ""; }

  void run_part(const sc_core::sc_time& time);
  bool may_run_ahead() const;
  void simulate(Cycle slice_cycles, const OnSlice& on_slice, const std::function<Cycle()>& next_stop);
  std::string stuck() const;
  /// Number of actions of programs and network interfaces, without unsuccessful polls.
  std::uint64_t work_done() const;
  bool polls_in_vain(Cycle now);

  const Cenju4Config config_;
  ClockDomain* clock_ = nullptr;
  ClockDomain* host_clock_ = nullptr;
  host::SidAllocator sids_;
  std::unique_ptr<Deliveries> deliveries_;
  std::vector<std::unique_ptr<Cenju4Node>> nodes_;
  std::vector<std::vector<bool>> has_program_;  ///< [node][task]: the task has a program
  bool started_ = false;
  /// Time and number of polls of all processors at the last action.
  struct Progress {
    std::uint64_t work = 0;
    Cycle cycle = 0;
    std::uint64_t poll_turns = 0;
  };
  Progress last_progress_;
  std::map<unsigned, std::function<std::string()>> waiting_reports_;
};

}  // namespace tsuji::machines
