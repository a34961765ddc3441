#include "fabric/cenju4_machine.h"

#include <algorithm>

#include "core/error.h"

namespace tsuji::fabric {
namespace {

ClockDomainConfig clock_config(const Cenju4Config& config, Picoseconds offset_ps) {
  ClockDomainConfig clock;
  clock.period = config.period();
  clock.offset_ps = offset_ps;
  clock.mode = config.process_mode;
  clock.shuffle_seed = config.shuffle_seed;
  return clock;
}

}  // namespace

/// The latency of every packet, from the parcel's header in its register to the data in memory.
class Cenju4Machine::Deliveries final : public nic::NicObserver {
 public:
  void on_delivered(const Packet& packet, Cycle now, unsigned hops) override {
    metrics.record_delivery(now - packet.created, packet.flits, hops);
  }
  observe::NetworkMetrics metrics;
};

Cenju4Machine::Cenju4Machine(sc_core::sc_module_name module_name, const Cenju4Config& config)
    : sc_module(module_name),
      config_(config),
      clock_("clock", clock_config(config, 0)),
      host_clock_("host_clock", clock_config(config, config.clock_period_ps / 2)),
      network_("network", clock_, config.network),
      deliveries_(std::make_unique<Deliveries>()) {
  const unsigned count = network_.topology().nodes();
  has_program_.assign(count, false);
  for (NodeId id = 0; id < count; ++id) {
    nodes_.push_back(std::make_unique<Cenju4Node>(("node" + std::to_string(id)).c_str(), config_,
                                                  network_.topology(), clock_, host_clock_, pool_, sids_,
                                                  id));
    nodes_.back()->interface().network_out.bind(network_.from_node(id));
    nodes_.back()->interface().network_in.bind(network_.to_node(id));
    nodes_.back()->interface().set_observer(deliveries_.get());
  }
  if (config_.faults.enabled()) build_fault_injectors();
}

Cenju4Machine::~Cenju4Machine() = default;

void Cenju4Machine::build_fault_injectors() {
  const graph::Multistage& topology = network_.topology();
  const unsigned first = config_.faulty_channels == FaultyChannels::last ? topology.stages() : 0;
  for (unsigned stage = first; stage <= topology.stages(); ++stage) {
    const bool last = stage == topology.stages();
    for (unsigned line = 0; line < topology.lines(); ++line) {
      const std::uint64_t channel = std::uint64_t{stage} * topology.lines() + line;
      injectors_.push_back(std::make_unique<FaultInjector>(config_.faults, pool_, channel, !last));
      network_.link(stage, line).set_probe(injectors_.back().get());
    }
  }
}

void Cenju4Machine::set_program(NodeId id, host::Program& program) {
  host::Processor& processor = nodes_[id]->processor();
  if (started_) {
    processor.start(program);
  } else {
    processor.set_program(program);
  }
  has_program_[id] = true;
}

void Cenju4Machine::elaborate() {
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

void Cenju4Machine::run(Cycle slice_cycles, const std::function<void(Cycle)>& on_slice) {
  started_ = true;
  run_until_idle(config_.clock_period_ps * slice_cycles, [&] {
    clock_.rethrow_failure();
    host_clock_.rethrow_failure();
    on_slice(last_cycle());
    if (polls_in_vain(last_cycle())) throw ModelError(name(), last_cycle(), "", stuck());
  });
  const std::string report = stuck();
  if (!report.empty()) throw ModelError(name(), last_cycle(), "", report);
  check_conservation();
}

void Cenju4Machine::check_conservation() const {
  const observe::NetworkMetrics all = metrics();
  const crosspoint::SwitchCounters switches = network_.counters();
  const std::uint64_t expected = all.packets_sent + switches.replicated - switches.merged - packets_dropped();
  if (expected == all.packets_delivered()) return;
  throw ModelError(name(), last_cycle(), "",
                   std::to_string(all.packets_sent) + " packets sent + " +
                       std::to_string(switches.replicated) + " replicated - " +
                       std::to_string(switches.merged) + " merged - " + std::to_string(packets_dropped()) +
                       " dropped are not the " + std::to_string(all.packets_delivered()) +
                       " that were delivered");
}

std::uint64_t Cenju4Machine::work_done() const {
  std::uint64_t work = 0;
  for (const auto& node : nodes_) {
    const host::ProcessorCounters& program = node->processor().counters();
    work += program.polls + program.register_reads + program.register_writes + program.system_calls;
    for (const std::uint64_t requests : node->interface().sender_counters().memory_requests) work += requests;
    for (const std::uint64_t requests : node->interface().receiver_counters().memory_requests)
      work += requests;
  }
  return work;
}

/// A processor whose polled lines drive each other out of its cache polls on through misses and is never
/// asleep, so that a machine whose programs wait for each other forever would never be idle. A turn with a
/// miss is longer than any access of a network interface to memory, and nothing on the way takes a million
/// cycles: after a thousand turns of nothing but polling nothing will come.
bool Cenju4Machine::polls_in_vain(Cycle now) {
  constexpr Cycle long_time = 1'000'000;
  constexpr std::uint64_t many_turns = 1000;
  bool all_poll = true;
  std::uint64_t turns = 0;
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    const host::Processor& processor = nodes_[id]->processor();
    all_poll = all_poll && (!has_program_[id] || processor.finished() || processor.polling());
    turns += processor.counters().poll_turns;
  }
  const std::uint64_t work = work_done();
  if (!all_poll || work != last_progress_.work || network_.flits_in_flight() != 0) {
    last_progress_ = {work, now, turns};
    return false;
  }
  return now - last_progress_.cycle > long_time &&
         turns - last_progress_.poll_turns > many_turns * nodes_.size();
}

std::string Cenju4Machine::stuck() const {
  std::string waiting;
  unsigned count = 0;
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    const host::Processor& processor = nodes_[id]->processor();
    if (!has_program_[id] || processor.finished()) continue;
    if (++count <= 16) {
      waiting += "\n  node " + std::to_string(id) + " waits since cycle " +
                 std::to_string(processor.waiting_since()) + " for " + processor.waiting_for();
    }
  }
  const std::uint64_t flits = network_.flits_in_flight();
  if (count == 0 && flits == 0) return "";
  std::string text = std::to_string(count) + " of " + std::to_string(nodes_.size()) +
                     " processors wait forever; the network holds " + std::to_string(flits) + " flits" +
                     waiting;
  if (count > 16) text += "\n  and " + std::to_string(count - 16) + " more";
  if (flits != 0) text += network_.held_report(32);
  if (waiting_report_) text += "\n" + waiting_report_();
  return text;
}

Cycle Cenju4Machine::last_cycle() const {
  return std::max(clock_.now(), host_clock_.now());
}

observe::NetworkMetrics Cenju4Machine::metrics() const {
  observe::NetworkMetrics metrics = deliveries_->metrics;
  for (const auto& node : nodes_) {
    for (const std::uint64_t packets : node->interface().sender_counters().packets)
      metrics.packets_sent += packets;
  }
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    metrics.flits_offered += network_.from_node(id).flits_sent();
  }
  metrics.flit_hops = network_.counters().flits_sent;
  metrics.flits_in_flight_at_end = network_.flits_in_flight();
  return metrics;
}

FaultInjector::Counters Cenju4Machine::fault_counters() const {
  FaultInjector::Counters sum;
  for (const auto& injector : injectors_) {
    const FaultInjector::Counters& one = injector->counters();
    sum.single_bit += one.single_bit;
    sum.double_bit += one.double_bit;
    sum.lost += one.lost;
    sum.dropped_port_parity += one.dropped_port_parity;
  }
  return sum;
}

std::uint64_t Cenju4Machine::packets_dropped() const {
  std::uint64_t packets = fault_counters().dropped_port_parity + network_.counters().dropped;
  for (const auto& node : nodes_) {
    for (const std::uint64_t cause : node->interface().receiver_counters().dropped) packets += cause;
  }
  return packets;
}

}  // namespace tsuji::fabric
