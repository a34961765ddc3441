// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/cenju4/cenju4_nodes.h"

#include <algorithm>
#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::machines {
namespace {

/// A failure with more text at its end.
ModelError longer(const ModelError& failure, const std::string& more) {
  const std::string text = failure.what();
  const std::size_t colon = text.find(": ");
  return {text.substr(0, colon), text.substr(colon + 2) + more};
}

}  // namespace

/// The latency of every packet, from the parcel's header in its register to the data in memory.
class Cenju4Nodes::Deliveries final : public nic::NicObserver {
 public:
  void on_delivered(const Packet& packet, Cycle now, unsigned hops) override {
    metrics.record_delivery(now - packet.created, packet.flits, hops);
  }
  observe::NetworkMetrics metrics;
};

Cenju4Nodes::Cenju4Nodes(const Cenju4Config& config)
    : config_(config), deliveries_(std::make_unique<Deliveries>()) {}

Cenju4Nodes::~Cenju4Nodes() = default;

ClockDomainConfig Cenju4Nodes::host_clock(const Cenju4Config& config) {
  ClockDomainConfig clock;
  clock.period = config.period();
  clock.offset_ps = config.clock_period_ps / 2;
  clock.mode = config.process_mode;
  clock.shuffle_seed = config.shuffle_seed;
  return clock;
}

void Cenju4Nodes::build_nodes(unsigned count, ClockDomain& clock, ClockDomain& host_clock, PacketPool& pool,
                              const std::function<Joint(NodeId)>& joint) {
  clock_ = &clock;
  host_clock_ = &host_clock;
  for (NodeId id = 0; id < count; ++id) {
    Joint ends = joint(id);
    nodes_.push_back(std::make_unique<Cenju4Node>(("node" + std::to_string(id)).c_str(), config_,
                                                  std::move(ends.first_hop), count, clock, host_clock, pool,
                                                  sids_, id));
    nodes_.back()->interface().network_out.bind(ends.out);
    nodes_.back()->interface().network_in.bind(ends.in);
    nodes_.back()->interface().set_observer(deliveries_.get());
    has_program_.emplace_back(nodes_.back()->tasks());
  }
}

void Cenju4Nodes::destroy_nodes() {
  nodes_.clear();
}

void Cenju4Nodes::set_program(NodeId id, host::Program& program, unsigned task) {
  host::Processor& processor = nodes_[id]->processor();
  if (started_) {
    processor.start(program, task);
  } else {
    processor.set_program(program, task);
  }
  has_program_[id][task] = true;
}

bool Cenju4Nodes::waits(NodeId id, unsigned task) const {
  return has_program_[id][task] && !nodes_[id]->own_processor()->finished(task);
}

void Cenju4Nodes::elaborate() {
  if (sc_core::sc_get_status() == sc_core::SC_ELABORATION) sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

void Cenju4Nodes::run(Cycle slice_cycles, const OnSlice& on_slice, const std::function<Cycle()>& next_stop) {
  started_ = true;
  try {
    simulate(slice_cycles, on_slice, next_stop);
  } catch (const OutputError&) {
    throw;
  } catch (const ModelError& failure) {
    const std::string lost = loss_report();
    if (lost.empty()) throw;
    throw longer(failure, lost);
  }
  check_conservation();
}

/// Parts of other suppliers, and accesses to a memory without direct pointers, read the kernel's time.
bool Cenju4Nodes::may_run_ahead() const {
  const NodeParts& parts = config_.parts;
  const bool own =
      !parts.processor && parts.initiators.empty() && !parts.builder && !parts.check && !parts.bind;
  return own && network_may_run_ahead() && std::all_of(nodes_.begin(), nodes_.end(), [](const auto& node) {
           return node->memory().allows_dmi();
         });
}

void Cenju4Nodes::simulate(Cycle slice_cycles, const OnSlice& on_slice,
                           const std::function<Cycle()>& next_stop) {
  const bool ahead = may_run_ahead();
  Cycle until = 0;
  bool over = false;
  const auto slice_end = [&](Picoseconds next_event) {
    const Cycle next = next_event / config_.clock_period_ps;
    until = next + slice_cycles;
    // A stop before the next event is passed without running anything.
    if (next_stop && !over) until = std::min(until, std::max(next, next_stop()));
    if (ahead) clock_->run_ahead(until);
    const Picoseconds end = clock_->ps_of(until);
    return end == 0 ? end : end - 1;
  };
  run_until_idle(slice_end, [&] {
    clock_->rethrow_failure();
    host_clock_->rethrow_failure();
    // The kernel may have events after the run's end, of which nothing comes.
    over = !sc_core::sc_pending_activity() || (next_stop && finished() && flits_in_network() == 0);
    on_slice(over ? last_cycle() : until);
    if (polls_in_vain(last_cycle())) throw ModelError(machine_name(), last_cycle(), "", stuck());
  });
  clock_->run_ahead(0);
  // The kernel's time is that of the last cycle, as if no clock had run ahead.
  const sc_core::sc_time last = clock_->time_of(clock_->now());
  if (last > sc_core::sc_time_stamp()) tsuji::run_for(last - sc_core::sc_time_stamp());
  const std::string report = stuck();
  if (!report.empty()) throw ModelError(machine_name(), last_cycle(), "", report);
}

void Cenju4Nodes::run_part(const sc_core::sc_time& time) {
  started_ = true;
  tsuji::run_for(time);
  clock_->rethrow_failure();
  host_clock_->rethrow_failure();
}

void Cenju4Nodes::run_for(const sc_core::sc_time& time) {
  run_part(time);
  check_conservation_under_way(clock_->now() + 1);
}

bool Cenju4Nodes::run_until(const std::function<bool()>& done, const sc_core::sc_time& slice,
                            const sc_core::sc_time& limit) {
  elaborate();  // packets are counted even if nothing runs
  const sc_core::sc_time end = sc_core::sc_time_stamp() + limit;
  bool is_done = done();
  while (!is_done && sc_core::sc_time_stamp() < end) {
    run_part(std::min(slice, end - sc_core::sc_time_stamp()));
    is_done = done();
  }
  check_conservation_under_way(clock_->now() + 1);
  return is_done;
}

std::uint64_t Cenju4Nodes::packets_in_receivers() const {
  std::uint64_t packets = 0;
  for (const auto& node : nodes_) packets += node->interface().packets_in_receiver();
  return packets;
}

std::uint64_t Cenju4Nodes::work_done() const {
  std::uint64_t work = 0;
  for (const auto& node : nodes_) {
    if (const host::Processor* processor = node->own_processor()) {
      const host::ProcessorCounters& program = processor->counters();
      work += program.polls + program.register_reads + program.register_writes + program.system_calls -
              program.handler_register_accesses;
    }
    for (const std::uint64_t requests : node->interface().sender_counters().memory_requests) work += requests;
    for (const std::uint64_t requests : node->interface().receiver_counters().memory_requests)
      work += requests;
  }
  return work;
}

/// Returns true if all processors have only polled for a thousand turns and a million cycles. A processor
/// whose polled cache lines evict each other misses in every turn and never sleeps, so a deadlocked machine
/// would never be idle. A turn with a miss is longer than any memory access of a network interface, and no
/// packet takes a million cycles: after a thousand turns of polling alone no message will arrive.
bool Cenju4Nodes::polls_in_vain(Cycle now) {
  constexpr Cycle long_time = 1'000'000;
  constexpr std::uint64_t many_turns = 1000;
  bool all_poll = true;
  std::uint64_t turns = 0;
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    const host::Processor* const processor = nodes_[id]->own_processor();
    if (processor == nullptr) return false;  // another's work is not known
    for (unsigned task = 0; task < nodes_[id]->tasks(); ++task)
      all_poll = all_poll && (!waits(id, task) || processor->polling(task));
    turns += processor->counters().poll_turns;
  }
  const std::uint64_t work = work_done();
  if (!all_poll || work != last_progress_.work || may_still_arrive()) {
    last_progress_ = {work, now, turns};
    return false;
  }
  return now - last_progress_.cycle > long_time &&
         turns - last_progress_.poll_turns > many_turns * nodes_.size();
}

bool Cenju4Nodes::finished() const {
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    if (nodes_[id]->own_processor() == nullptr) return false;  // another's program is not known
    for (unsigned task = 0; task < nodes_[id]->tasks(); ++task)
      if (waits(id, task)) return false;
  }
  return true;
}

std::string Cenju4Nodes::stuck() const {
  std::string waiting;
  unsigned count = 0;
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    for (const std::string& wait : nodes_[id]->foreign_waits())
      if (++count <= 16) waiting += "\n  node " + std::to_string(id) + ": " + wait;
    for (unsigned task = 0; task < nodes_[id]->tasks(); ++task) {
      if (!waits(id, task)) continue;
      if (++count > 16) continue;
      const host::Processor& processor = nodes_[id]->processor();
      waiting += "\n  node " + std::to_string(id) +
                 (nodes_[id]->tasks() > 1 ? ", task " + std::to_string(task) + "," : "") +
                 " waits since cycle " + std::to_string(processor.waiting_since(task)) + " for " +
                 processor.waiting_for(task);
    }
  }
  const std::uint64_t flits = flits_in_network();
  if (count == 0 && flits == 0) return "";
  std::size_t tasks = 0;
  for (const auto& node : nodes_) tasks += node->tasks();
  std::string text = std::to_string(count) + " of " + std::to_string(tasks) +
                     " programs wait forever; the network holds " + std::to_string(flits) + " flits" +
                     waiting;
  if (count > 16) text += "\n  and " + std::to_string(count - 16) + " more";
  if (flits != 0 || reports_empty()) text += held_report(32);
  for (const auto& [job, report] : waiting_reports_) {
    const std::string number = waiting_reports_.size() > 1 ? "job " + std::to_string(job) + ": " : "";
    if (report) text += "\n" + number + report();
  }
  return text;
}

Cycle Cenju4Nodes::last_cycle() const {
  return std::max(clock_->now(), host_clock_->now());
}

observe::NetworkMetrics Cenju4Nodes::node_metrics() const {
  observe::NetworkMetrics metrics = deliveries_->metrics;
  for (const auto& node : nodes_) {
    for (const std::uint64_t packets : node->interface().sender_counters().packets)
      metrics.packets_sent += packets;
  }
  return metrics;
}

std::uint64_t Cenju4Nodes::page_faults() const {
  std::uint64_t pages = 0;
  for (const auto& node : nodes_) pages += node->os().page_faults();
  return pages;
}

std::uint64_t Cenju4Nodes::packets_dropped_by_receivers() const {
  std::uint64_t packets = 0;
  for (const auto& node : nodes_) {
    for (const std::uint64_t cause : node->interface().receiver_counters().dropped) packets += cause;
  }
  return packets;
}

}  // namespace tsuji::machines
