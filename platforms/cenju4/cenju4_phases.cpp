// SPDX-License-Identifier: Apache-2.0
#include "platforms/cenju4/cenju4_phases.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "platforms/cenju4/cenju4_traces.h"
#include "tsuji/core/error.h"
#include "tsuji/host/library/barrier_program.h"
#include "tsuji/host/library/collective_program.h"
#include "tsuji/host/library/dma_program.h"
#include "tsuji/host/library/exchange_program.h"
#include "tsuji/host/library/group_barrier.h"
#include "tsuji/host/library/multicast_program.h"
#include "tsuji/host/library/ping_pong.h"
#include "tsuji/host/library/protocols_program.h"
#include "tsuji/host/library/trace_program.h"
#include "tsuji/instruments/crosspoint_log.h"
#include "tsuji/instruments/crosspoint_waves.h"
#include "tsuji/machines/cenju4/cenju4_log.h"
#include "tsuji/machines/cenju4/cenju4_machine.h"
#include "tsuji/observe/packet_fates.h"
#include "tsuji/platform/cenju4_job.h"
#include "tsuji/platform/empty_results.h"
#include "tsuji/platform/trace_report.h"
#include "tsuji/workload/trace.h"

namespace tsuji::platform {
namespace {

constexpr double mebibyte = 1024.0 * 1024.0;
constexpr const char* machine_module = "machine";

void add(nic::TranslationCounters& sum, const nic::TranslationCounters& more) {
  sum.hits += more.hits;
  sum.misses += more.misses;
}

/// One run of the machine: phases, their waveforms and what they measured.
class MachineRun {
 public:
  MachineRun(const machines::Cenju4Config& config, const WorkloadConfig& workload, const Traces& traces,
             const MachineReport& report, const RunOptions& options, observe::Results& results)
      : workload_(workload),
        traces_(traces),
        wave_lines_(report.wave_lines),
        use_config_(report.use),
        options_(options),
        results_(results),
        machine_("machine", config),
        job_(machine_),
        phases_(results.table("phases", {{"phase", ""}, {"begin", "us"}, {"end", "us"}})) {}

  void play();
  /// Writes the log up to now.
  void close_log() {
    if (log_) log_->close(machine_.last_cycle());
  }
  /// After a signal: the phases that have ended are in the results, and the machine's counters up to now.
  void end_early();
  /// Possible causes of a failure that the failing part cannot know.
  void explain_failure() const;

 private:
  bool records() const { return options_.record_signals || options_.record_packets; }
  double us(Cycle cycles) const { return machine_.config().period().ns(cycles) / 1000.0; }
  void phase(
      const std::string& name, const Cenju4Job::MakeProgram& make,
      const std::function<double(Cycle)>& share = [](Cycle) { return 0.0; });
  void trace();
  void report_jobs(Cenju4Job& other);
  void dma();
  void multicast();
  void barrier();
  double group_barrier();
  void ping_pong(host::PingPong::Layer layer, const std::string& name, const std::string& paper);
  bool pages_on_demand() const { return machine_.config().os.paging == host::Paging::on_demand; }
  void exchange();
  void collective();
  void protocols();
  std::uint64_t flits_to_nodes(unsigned nodes);
  void count_use();
  void open_log();
  void record_whole_run();
  void open_wave(const std::string& name, observe::WaveWindow window);
  void close_wave();
  void report();

  const WorkloadConfig& workload_;
  const Traces& traces_;
  const std::vector<unsigned>& wave_lines_;
  const instruments::CrosspointUseConfig& use_config_;
  const RunOptions& options_;
  observe::Results& results_;
  machines::Cenju4Machine machine_;
  Cenju4Job job_;
  observe::ResultTable& phases_;
  std::unique_ptr<observe::Wave> wave_;
  std::unique_ptr<instruments::CrosspointUse> use_;
  std::unique_ptr<instruments::CrosspointWaves> network_waves_;
  observe::SignalId phase_signal_ = 0;
  std::unique_ptr<observe::RunLog> log_;
  std::optional<instruments::CrosspointLog> network_log_;
  std::optional<machines::Cenju4Log> node_log_;
  std::string about_trace_;  ///< for the headline
};

void MachineRun::phase(const std::string& name, const Cenju4Job::MakeProgram& make,
                       const std::function<double(Cycle)>& share) {
  job_.load(make);
  count_use();
  record_whole_run();
  if (wave_) wave_->change(phase_signal_, machine_.config().period().ps_at(job_.start_cycle()), name);
  if (log_)
    log_->write(log_->add(machine_module), observe::LogLevel::debug, job_.start_cycle(), {"phase", 0},
                std::nullopt, "phase " + name + " begins");
  job_.run([&](Cycle now) {
    if (log_) log_->advance(now);
    if (wave_) wave_->advance(machine_.config().period().ps_at(now));
    options_.progress->update(share(now));
    options_.check_interruption(results_);
  });
  phases_.row({name, us(job_.start_cycle()), us(job_.end_cycle())});
}

void MachineRun::trace() {
  const workload::Trace& trace = traces_.front();
  const auto make = [this](const workload::Trace& played) {
    return [&](host::RankRuntime& runtime) {
      return std::make_unique<host::TraceProgram>(runtime, played, workload_.compute_scale);
    };
  };
  std::unique_ptr<Cenju4Job> other;
  if (traces_.size() > 1) {
    other = std::make_unique<Cenju4Job>(machine_, 1);
    other->load(make(traces_.back()));
  }
  phase("trace", make(trace), [&](Cycle) {
    return other ? (trace_progress(job_) + trace_progress(*other)) / 2 : trace_progress(job_);
  });
  const workload::TraceCount count = workload::count_of(trace);
  add_trace_metrics(job_, count, machine_.config().period(), results_);
  if (other) report_jobs(*other);
  about_trace_ = without_computing(count, workload_.compute_scale);
}

/// The second job, and what the two had from each other.
void MachineRun::report_jobs(Cenju4Job& other) {
  other.ran();
  phases_.row({"other_trace", us(job_.start_cycle()), us(other.end_cycle())});
  Cycle total = 0;
  std::uint64_t switches = 0;
  for (unsigned rank = 0; rank < other.ranks(); ++rank)
    total = std::max(total, other.program<host::TraceProgram>(rank).times().total);
  add_message_metrics(other, workload::count_of(traces_.back()), "other_trace", results_);
  for (NodeId node = 0; node < machine_.nodes(); ++node)
    switches += machine_.node(node).processor().counters().task_switches;
  results_.metric("other_trace_time_us", us(total), "us");
  results_.metric("task_switches", switches, "");
  results_.show("other_trace_time_us", "second job: time of the slowest rank");
  results_.show("task_switches", "task switches of all processors");
}

void MachineRun::dma() {
  host::DmaProgram::Config config;
  config.source = workload_.dma_source;
  config.destination = workload_.dma_destination;
  config.bytes = workload_.dma_bytes;
  config.source_offset = workload_.dma_source_offset;
  config.destination_offset = workload_.dma_destination_offset;
  config.returns = workload_.dma_returns;
  config.protocol = workload_.dma_protocol;
  const bool puts = config.protocol == host::DmaProtocol::remote_dma;
  phase("dma",
        [&](host::RankRuntime& runtime) { return std::make_unique<host::DmaProgram>(runtime, config); });
  const Cycle start = job_.program<host::DmaProgram>(puts ? config.source : config.destination).start_cycle();
  const Cycle end = config.returns ? job_.program<host::DmaProgram>(config.source).return_cycle()
                                   : job_.program<host::DmaProgram>(config.destination).arrival_cycle();
  const double time = us(end - start) / (config.returns ? 2 : 1);
  const double seconds = time * 1e-6;
  results_.metric("dma_bytes", config.bytes, "B");
  results_.metric("dma_time_us", time, "us");
  results_.metric("dma_throughput_mib_s", static_cast<double>(config.bytes) / mebibyte / seconds, "2^20 B/s");
  results_.metric("dma_throughput_mb_s", static_cast<double>(config.bytes) * 1e-6 / seconds, "10^6 B/s");
  results_.show("dma_bytes", "parcel DMA, compared byte by byte");
  results_.show("dma_time_us",
                config.returns ? "parcel DMA: half of there and back" : "parcel DMA: call to last byte seen");
  // The end of the paper's curve.
  const bool aligned =
      config.source_offset % nic::line_bytes == 0 && config.destination_offset % nic::line_bytes == 0;
  const bool measured = puts && aligned && config.bytes >= std::uint64_t{64} * 1024 && !pages_on_demand();
  results_.show("dma_throughput_mib_s", "parcel DMA: throughput", measured ? "about 169 (fig. 7, A)" : "");
}

void MachineRun::multicast() {
  host::MulticastProgram::Config config;
  config.bytes = workload_.multicast_bytes;
  phase("multicast", [&](host::RankRuntime& runtime) {
    return std::make_unique<host::MulticastProgram>(runtime, config);
  });
  const Cycle start = job_.program<host::MulticastProgram>(config.root).start_cycle();
  Cycle last = 0;
  for (unsigned rank = 0; rank < job_.ranks(); ++rank) {
    last = std::max(last, job_.program<host::MulticastProgram>(rank).arrival_cycle());
  }
  results_.metric("multicast_bytes", config.bytes, "B");
  results_.metric("multicast_time_us", us(last - start), "us");
  results_.show("multicast_time_us",
                "multicast of " + std::to_string(config.bytes) + " B: call to the last rank");
}

/// Cycles of a barrier of a group, at its slowest member.
double MachineRun::group_barrier() {
  host::GroupBarrierProgram::Config config;
  const auto first = static_cast<unsigned>(BarrierWorkload::all_to_all);
  config.method =
      static_cast<host::GroupBarrierMethod>(static_cast<unsigned>(workload_.barrier_method) - first);
  config.members = workload_.barrier_members == 0 ? job_.ranks() : workload_.barrier_members;
  config.rounds = workload_.barrier_rounds;
  phase("barrier", [&](host::RankRuntime& runtime) {
    return std::make_unique<host::GroupBarrierProgram>(runtime, config);
  });
  double worst = 0;
  for (unsigned rank = 0; rank < config.members; ++rank)
    worst = std::max(worst, job_.program<host::GroupBarrierProgram>(rank).cycles_per_round());
  return worst;
}

void MachineRun::barrier() {
  const bool library = workload_.barrier_method == BarrierWorkload::library;
  double worst = 0;
  if (library) {
    phase("barrier", [&](host::RankRuntime& runtime) {
      return std::make_unique<host::BarrierProgram>(runtime, workload_.barrier_rounds);
    });
    for (unsigned rank = 0; rank < job_.ranks(); ++rank)
      worst = std::max(worst, job_.program<host::BarrierProgram>(rank).cycles_per_round());
  } else {
    worst = group_barrier();
  }
  results_.metric("barrier_time_us", worst * machine_.config().period().ns(1) / 1000.0, "us");
  const bool synchronizes = library ? machine_.config().library.barrier == host::BarrierMethod::hardware
                                    : workload_.barrier_method == BarrierWorkload::synchronization;
  const unsigned members =
      library || workload_.barrier_members == 0 ? job_.ranks() : workload_.barrier_members;
  results_.show("barrier_time_us", "barrier of " + std::to_string(members) + " ranks",
                synchronizes && job_.ranks() <= 32 ? "about 5 (fig. 10, E)" : "");
}

void MachineRun::ping_pong(host::PingPong::Layer layer, const std::string& name, const std::string& paper) {
  host::PingPong::Config config;
  config.layer = layer;
  config.bytes = workload_.message_bytes;
  config.rounds = workload_.ping_pong_rounds;
  config.data = workload_.message_data;
  config.source_offset = workload_.source_offset;
  config.system_call = workload_.system_call;
  phase("ping_pong_" + name,
        [&](host::RankRuntime& runtime) { return std::make_unique<host::PingPong>(runtime, config); });
  const std::string metric = name + "_latency_us";
  results_.metric(
      metric,
      job_.program<host::PingPong>(config.first).one_way_cycles() * machine_.config().period().ns(1) / 1000.0,
      "us");
  results_.show(metric, name + ": " + std::to_string(config.bytes) + " B one way",
                config.bytes == 8 && !config.system_call ? paper : "");
}

std::uint64_t MachineRun::flits_to_nodes(unsigned nodes) {
  std::uint64_t flits = 0;
  for (NodeId node = 0; node < nodes; ++node) flits += machine_.network().to_node(node).flits_sent();
  return flits;
}

void MachineRun::exchange() {
  host::ExchangeProgram::Config config = workload_.exchange;
  config.rounds = workload_.rounds;
  const unsigned receivers = config.method == host::ExchangeMethod::to_one ? 1 : machine_.nodes();
  const std::uint64_t flits_before = flits_to_nodes(receivers);
  phase("exchange",
        [&](host::RankRuntime& runtime) { return std::make_unique<host::ExchangeProgram>(runtime, config); });
  const auto program = [&](unsigned rank) -> const host::ExchangeProgram& {
    return job_.program<host::ExchangeProgram>(rank);
  };
  const double cycles = host::mean_round_cycles(job_.ranks(), program);
  auto& ranks = results_.table("exchange_ranks", {{"rank", ""}, {"mean_time", "us"}});
  for (unsigned rank = 0; rank < job_.ranks(); ++rank) {
    Cycle sum = 0;
    for (std::size_t round = 0; round < config.rounds; ++round)
      sum += program(rank).end_cycle(round) - program(rank).start_cycle(round);
    ranks.row({rank, us(sum) / static_cast<double>(config.rounds)});
  }
  const double time = cycles * machine_.config().period().ns(1) / 1000.0;
  const double bytes = static_cast<double>(config.bytes) * program(0).blocks();
  results_.metric("exchange_bytes_received", bytes, "B");
  results_.metric("exchange_time_us", time, "us");
  results_.metric("exchange_throughput_mib_s", bytes / mebibyte / time * 1e6, "2^20 B/s");
  results_.metric("exchange_throughput_mb_s", bytes / time, "10^6 B/s");
  // With the few flits of the barriers between the rounds.
  results_.metric("exchange_last_links_busy",
                  static_cast<double>(flits_to_nodes(receivers) - flits_before) /
                      (cycles * static_cast<double>(config.rounds) * receivers),
                  "");
  results_.show("exchange_time_us", "exchange of " + std::to_string(config.bytes) + " B a block");
  results_.show("exchange_throughput_mib_s", "exchange: received by a node");
}

void MachineRun::collective() {
  host::CollectiveProgram::Config config = workload_.collective;
  config.rounds = workload_.rounds;
  phase("collective", [&](host::RankRuntime& runtime) {
    return std::make_unique<host::CollectiveProgram>(runtime, config);
  });
  const double cycles = host::mean_round_cycles(
      job_.ranks(), [&](unsigned rank) -> const auto& {
        return job_.program<host::CollectiveProgram>(rank);
      });
  results_.metric("collective_time_us", cycles * machine_.config().period().ns(1) / 1000.0, "us");
  results_.show("collective_time_us", "collective of " + std::to_string(job_.ranks()) + " ranks");
}

void MachineRun::protocols() {
  using Program = host::ProtocolsProgram;
  phase("protocols", [](host::RankRuntime& runtime) { return std::make_unique<Program>(runtime); });
  static constexpr std::array<const char*, Program::protocols> names{
      "remote DMA", "address register 0", "address register 1", "address register 2",
      "message 0",  "message 1",          "atomic add",         "remote read",
      "swap",       "compare & swap"};
  observe::ResultTable& table =
      results_.table("protocols", {{"protocol", ""}, {"memory", ""}, {"notification", ""}, {"log", ""}});
  // One of the two ranks has looked, or both have.
  const auto word = [](Program::Found one, Program::Found other) {
    if (one == Program::Found::wrong || other == Program::Found::wrong) return "wrong";
    return one == Program::Found::right || other == Program::Found::right ? "right" : "-";
  };
  unsigned wrong = 0;
  for (unsigned index = 0; index < Program::protocols; ++index) {
    const auto& sender = job_.program<Program>(0).seen(Program::protocol(index));
    const auto& receiver = job_.program<Program>(1).seen(Program::protocol(index));
    const std::array<std::string, 3> found{word(sender.memory, receiver.memory),
                                           word(sender.notification, receiver.notification),
                                           word(sender.log, receiver.log)};
    for (const std::string& one : found) wrong += one == "wrong" ? 1 : 0;
    table.row({names[index], found[0], found[1], found[2]});
  }
  results_.metric("protocol_mismatches", wrong, "");
  results_.show("protocol_mismatches", "mismatches of memory, notifications and logs");
}

void MachineRun::count_use() {
  if (use_) return;
  // Processors get their threads with their first program, and channels are known when all is elaborated.
  machine_.elaborate();
  use_ = std::make_unique<instruments::CrosspointUse>(machine_.network(), use_config_);
  open_log();
}

void MachineRun::open_log() {
  log_ = options_.open_run_log(machine_.config().period(), results_);
  if (!log_) return;
  log_->add(machine_module);
  network_log_.emplace(machine_.network(), *log_);
  node_log_.emplace(machine_, *log_);
}

void MachineRun::record_whole_run() {
  if (!records() || wave_) return;
  open_wave("machine", options_.record_window);
}

void MachineRun::open_wave(const std::string& name, observe::WaveWindow window) {
  const bool fst = options_.wave_format == observe::WaveFileFormat::fst;
  wave_ = observe::open_wave_file({options_.file(name), options_.wave_format, window});
  results_.file(name + (fst ? ".fst" : ".vcd"), "waveform");
  results_.file(name + ".gtkw", "opens it in GTKWave, grouped and labelled");
  instruments::CrosspointWavesConfig config;
  config.lines = wave_lines_;
  config.detail = options_.record_packets && !options_.record_signals ? instruments::WaveDetail::packets
                                                                      : instruments::WaveDetail::signals;
  const ClockPeriod period = machine_.config().period();
  config.first_cycle = window.from / period.ps();
  if (window.to != ~Picoseconds{0}) config.last_cycle = window.to / period.ps();
  phase_signal_ = wave_->add("machine.phase", 0, observe::WaveFormat::text, "machine");
  network_waves_ = std::make_unique<instruments::CrosspointWaves>(machine_.network(), period, *wave_, config);
  for (NodeId node = 0; node < machine_.nodes() && config.detail == instruments::WaveDetail::signals;
       ++node) {
    const bool wanted =
        wave_lines_.empty() || std::find(wave_lines_.begin(), wave_lines_.end(), node) != wave_lines_.end();
    if (!wanted) continue;
    machine_.node(node).interface().add_wave(*wave_);
    machine_.node(node).processor().add_wave(*wave_);
  }
  network_waves_->begin(config.first_cycle);
}

void MachineRun::close_wave() {
  if (!wave_) return;
  wave_->close();
}

void MachineRun::play() {
  switch (workload_.kind) {
    case WorkloadKind::trace:
    case WorkloadKind::jobs:
      trace();
      break;
    case WorkloadKind::dma:
      dma();
      break;
    case WorkloadKind::multicast:
      multicast();
      break;
    case WorkloadKind::barrier:
      barrier();
      break;
    case WorkloadKind::ping_pong:
      ping_pong(host::PingPong::Layer::paralib, "paralib", "4.9 (fig. 6)");
      ping_pong(host::PingPong::Layer::mpi, "mpi", "9.1 (fig. 6)");
      break;
    case WorkloadKind::exchange:
      exchange();
      break;
    case WorkloadKind::collective:
      collective();
      break;
    case WorkloadKind::protocols:
      protocols();
      break;
    case WorkloadKind::demo:
      trace();
      dma();
      ping_pong(host::PingPong::Layer::paralib, "paralib", "4.9 (fig. 6)");
      ping_pong(host::PingPong::Layer::mpi, "mpi", "9.1 (fig. 6)");
      // The machine is empty here, so that the picture begins with the multicast.
      if (!records())
        open_wave("barrier_multicast",
                  {machine_.config().period().ps_at(machine_.last_cycle()), ~Picoseconds{0}});
      multicast();
      barrier();
      break;
    case WorkloadKind::boot:
      count_use();
      record_whole_run();
      job_.run([this](Cycle now) {
        if (log_) log_->advance(now);
        options_.check_interruption(results_);
      });
      break;
    case WorkloadKind::synthetic:
      break;
  }
  close_wave();
  close_log();
  report();
}

void MachineRun::end_early() {
  close_wave();
  close_log();
  report();
}

void MachineRun::explain_failure() const {
  const std::uint64_t dropped = machine_.packets_dropped();
  if (dropped != 0) {
    options_.log->warn(std::to_string(dropped) +
                       " packets were dropped because of injected faults; nobody sends them again");
  }
}

void MachineRun::report() {
  const Cycle last = std::max<Cycle>(machine_.last_cycle(), 1);
  const observe::NetworkMetrics metrics = machine_.metrics();
  metrics.add_to(results_, machine_.nodes(), last, last);
  std::uint64_t corrected = 0;
  nic::TranslationCounters senders, receivers;
  for (NodeId node = 0; node < machine_.nodes(); ++node) {
    const nic::NetworkInterface& interface = machine_.node(node).interface();
    corrected += interface.receiver_counters().corrected;
    add(senders, interface.sender_counters().translations);
    add(receivers, interface.receiver_counters().translations);
  }
  results_.metric("sender_translations", senders.hits + senders.misses, "");
  results_.metric("sender_page_walks", senders.misses, "");
  results_.metric("receiver_translations", receivers.hits + receivers.misses, "");
  results_.metric("receiver_page_walks", receivers.misses, "");
  const crosspoint::SwitchCounters switches = machine_.network().counters();
  results_.metric("packets_replicated", switches.replicated, "packets");
  results_.metric("packets_merged", switches.merged, "packets");
  results_.metric("packets_corrected", corrected, "packets");
  results_.metric("packets_dropped", machine_.packets_dropped(), "packets");
  results_.metric("page_faults", machine_.page_faults(), "pages");
  if (pages_on_demand()) results_.show("page_faults", "pages mapped on demand");
  const FaultInjector::Counters faults = machine_.fault_counters();
  results_.metric("faults_single_bit", faults.single_bit, "flits");
  results_.metric("faults_double_bit", faults.double_bit, "flits");
  results_.metric("faults_lost", faults.lost, "flits");
  // A machine that has come to its end has checked that none of them is under way.
  observe::PacketFates fates;
  fates.born = metrics.packets_sent;
  fates.replicated = switches.replicated;
  fates.merged = switches.merged;
  fates.delivered = metrics.packets_delivered();
  fates.dropped = {{"faults", machine_.packets_dropped()}};
  fates.under_way =
      fates.born + fates.replicated - fates.merged - fates.delivered - machine_.packets_dropped();
  fates.add_to(results_, "machine");
  if (use_) use_->report(last, options_.out_dir, results_);
  const EmptyResults empty(options_, machine_.config().period().ps_at(last), results_);
  empty.check(wave_.get());
  empty.check(log_.get());
  results_.show("simulated_cycles", "simulated");
  results_.show("packets_delivered", "packets delivered");
  results_.show("latency_cycles_mean", "packet latency, mean");
  const graph::Multistage& topology = machine_.network().topology();
  results_.headline("Cenju-4, " + std::to_string(machine_.nodes()) + " nodes on " +
                    std::to_string(topology.stages()) + " stages of " + std::to_string(topology.radix()) +
                    "x" + std::to_string(topology.radix()) + " switches, " +
                    std::to_string(1'000'000 / machine_.config().clock_period_ps) + " MHz" + about_trace_);
}

}  // namespace

std::vector<observe::LogModules> machine_log_modules(const machines::Cenju4Config& machine) {
  std::vector<observe::LogModules> all = {{machine_module, {}}};
  const graph::Multistage topology(machine.network.topology);
  for (const auto& modules :
       {instruments::CrosspointLog::modules(topology), machines::Cenju4Log::modules(topology.nodes())})
    all.insert(all.end(), modules.begin(), modules.end());
  return all;
}

void run_machine(const machines::Cenju4Config& machine, const WorkloadConfig& workload,
                 const MachineReport& report, const RunOptions& options, observe::Results& results) {
  const Traces traces = load_traces(machine, workload);
  machines::Cenju4Config placed = machine;
  place_jobs(placed, workload, traces);
  MachineRun run(placed, workload, traces, report, options, results);
  try {
    run.play();
  } catch (const Interrupted&) {
    run.end_early();
  } catch (const ModelError&) {
    run.explain_failure();
    run.close_log();
    throw;
  }
}

}  // namespace tsuji::platform
