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

/// The nodes of a Cenju-4 style machine and the programs on their processors, whatever network is between
/// them: what every such machine is derived from.
class Cenju4Nodes {
 public:
  Cenju4Nodes(const Cenju4Nodes&) = delete;
  Cenju4Nodes& operator=(const Cenju4Nodes&) = delete;
  virtual ~Cenju4Nodes();

  unsigned nodes() const { return static_cast<unsigned>(nodes_.size()); }
  Cenju4Node& node(NodeId node) { return *nodes_[node]; }
  const Cenju4Node& node(NodeId node) const { return *nodes_[node]; }
  const Cenju4Config& config() const { return config_; }

  /// Program of a task of a node's processor: before the start the first program, afterwards, when the last
  /// has finished, the next.
  void set_program(NodeId node, host::Program& program, unsigned task = 0);

  /// Lets ports find their channels without simulating anything, for those who look at channels before the
  /// start; once, or again.
  void elaborate();
  /// Runs until nothing happens any more. `on_slice` is called every `slice_cycles` with the present cycle.
  /// Throws what a model threw; ModelError if programs are left waiting, with what each waits for and what
  /// the network holds. A failure after packets were lost names these.
  void run(Cycle slice_cycles, const std::function<void(Cycle)>& on_slice);
  /// A job's part of the report of programs that wait forever; null: none.
  void set_waiting_report(unsigned job, std::function<std::string()> report) {
    waiting_reports_[job] = std::move(report);
  }

  /// The last cycle in which anything ran.
  Cycle last_cycle() const;
  /// Packets that receivers dropped.
  std::uint64_t packets_dropped_by_receivers() const;
  /// Pages that the operating systems have mapped on demand.
  std::uint64_t page_faults() const;

 protected:
  /// How a node is joined to the network.
  struct Joint {
    std::unique_ptr<nic::FirstHop> first_hop;
    PacketOutIf& out;
    PacketInIf& in;
  };

  explicit Cenju4Nodes(const Cenju4Config& config);
  /// A clock of processors: half a period after that of everybody else.
  static ClockDomainConfig host_clock(const Cenju4Config& config);
  /// Once, in the constructor of the machine: makes the nodes inside of it. The clocks and the pool are the
  /// machine's, whose destructor calls destroy_nodes() first.
  void build_nodes(unsigned count, ClockDomain& clock, ClockDomain& host_clock, PacketPool& pool,
                   const std::function<Joint(NodeId)>& joint);
  void destroy_nodes();
  /// The task has a program, which has not finished.
  bool waits(NodeId node, unsigned task) const;

  /// Of the delivered packets: latency from the parcel's header in its register to the data in memory; and of
  /// those that were sent.
  observe::NetworkMetrics node_metrics() const;
  virtual std::uint64_t flits_in_network() const = 0;

 private:
  class Deliveries;
  virtual std::string machine_name() const = 0;
  /// Packets held in the network and their waits, in at most `limit` lines.
  virtual std::string held_report(unsigned limit) const = 0;
  /// The network may hold back programs without a packet in it.
  virtual bool reports_empty() const { return false; }
  /// Every packet that was sent has been delivered at the end; else a ModelError.
  virtual void check_conservation() const = 0;
  /// Something in the network may come out of it yet.
  virtual bool may_still_arrive() const { return flits_in_network() != 0; }
  /// Packets that the network has lost for good, a line each after an end of line; "": none.
  virtual std::string loss_report() const { return ""; }

  void simulate(Cycle slice_cycles, const std::function<void(Cycle)>& on_slice);
  std::string stuck() const;
  /// Actions of programs and network interfaces; polling in vain adds nothing.
  std::uint64_t work_done() const;
  bool polls_in_vain(Cycle now);

  const Cenju4Config config_;
  ClockDomain* clock_ = nullptr;
  ClockDomain* host_clock_ = nullptr;
  host::SidAllocator sids_;
  std::unique_ptr<Deliveries> deliveries_;
  std::vector<std::unique_ptr<Cenju4Node>> nodes_;
  std::vector<std::vector<bool>> has_program_;  ///< of each node, for each task
  bool started_ = false;
  /// When and at how many polls of all processors something was last done.
  struct Progress {
    std::uint64_t work = 0;
    Cycle cycle = 0;
    std::uint64_t poll_turns = 0;
  };
  Progress last_progress_;
  std::map<unsigned, std::function<std::string()>> waiting_reports_;
};

}  // namespace tsuji::machines
