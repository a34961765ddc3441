// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/cenju4/cenju4_phases.h"

#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/observe/packet_fates.h"
#include "tsuji/platform/empty_results.h"
#include "tsuji/platform/interruption.h"

namespace tsuji::session {

namespace {

constexpr const char* machine_module = "machine";

void add(nic::TranslationCounters& sum, const nic::TranslationCounters& more) {
  sum.hits += more.hits;
  sum.misses += more.misses;
}

}  // namespace

Cenju4Phases::Cenju4Phases(const machines::Cenju4Config& config, const Cenju4WatchConfig& watch,
                           const platform::RunOptions& options, observe::Results& results)
    : watch_(watch),
      options_(options),
      results_(results),
      machine_("machine", config),
      job_(machine_),
      phases_(results.table("phases", {{"phase", ""}, {"begin", "us"}, {"end", "us"}})) {}

void Cenju4Phases::add_phase(const std::string& name, Cycle begin, Cycle end) {
  phases_.row({name, us(begin), us(end)});
}

/// Processors get their threads with their first program; channels are known after elaboration.
void Cenju4Phases::prepare() {
  if (!use_) {
    machine_.elaborate();
    use_ = std::make_unique<instruments::CrosspointUse>(machine_.network(), watch_.use_of(options_));
    open_log();
  }
  if (records() && !wave_) open_wave("machine", options_.record_window);
}

void Cenju4Phases::run(const std::string& name, const platform::Cenju4Job::MakeProgram& make,
                       const std::function<double()>& share) {
  job_.load(make);
  prepare();
  if (wave_) wave_->change(phase_signal_, config().period().ps_at(job_.start_cycle()), name);
  if (log_)
    log_->write(log_->add(machine_module), observe::LogLevel::debug, job_.start_cycle(), {"phase", 0},
                std::nullopt, "phase " + name + " begins");
  job_.run([&](Cycle now) {
    if (log_) log_->advance(now);
    if (wave_) wave_->advance(config().period().ps_at(now));
    options_.progress->update(share());
    options_.check_interruption(results_);
  });
  add_phase(name, job_.start_cycle(), job_.end_cycle());
}

void Cenju4Phases::run_boot() {
  prepare();
  job_.run([this](Cycle now) {
    if (log_) log_->advance(now);
    options_.check_interruption(results_);
  });
}

std::vector<observe::LogModules> Cenju4Phases::log_modules(const machines::Cenju4Config& machine) {
  std::vector<observe::LogModules> all = {{machine_module, {}}};
  const graph::Multistage topology(machine.network.topology);
  for (const auto& modules :
       {instruments::CrosspointLog::modules(topology), machines::Cenju4Log::modules(topology.nodes())})
    all.insert(all.end(), modules.begin(), modules.end());
  return all;
}

void Cenju4Phases::open_log() {
  log_ = options_.open_run_log(log_modules(config()), config().period(), results_);
  if (!log_) return;
  log_->add(machine_module);
  network_log_.emplace(machine_.network(), *log_);
  node_log_.emplace(machine_, *log_);
}

void Cenju4Phases::close_log() {
  if (log_) log_->close(machine_.last_cycle());
}

void Cenju4Phases::record_from_here(const std::string& name) {
  if (!records()) open_wave(name, {config().period().ps_at(machine_.last_cycle()), ~Picoseconds{0}});
}

void Cenju4Phases::open_wave(const std::string& name, observe::WaveWindow window) {
  const bool fst = options_.wave_format == observe::WaveFileFormat::fst;
  wave_ = observe::open_wave_file({options_.file(name), options_.wave_format, window});
  results_.file(name + (fst ? ".fst" : ".vcd"), "waveform");
  results_.file(name + ".gtkw", "opens it in GTKWave, grouped and labelled");
  instruments::CrosspointWavesConfig waves;
  waves.lines = watch_.wave_lines;
  waves.detail = options_.record_packets && !options_.record_waves ? instruments::WaveDetail::packets
                                                                   : instruments::WaveDetail::signals;
  const ClockPeriod period = config().period();
  waves.first_cycle = window.from / period.ps();
  if (window.to != ~Picoseconds{0}) waves.last_cycle = window.to / period.ps();
  phase_signal_ = wave_->add("machine.phase", 0, observe::WaveFormat::text, "machine");
  network_waves_ = std::make_unique<instruments::CrosspointWaves>(machine_.network(), period, *wave_, waves);
  for (NodeId node = 0; node < machine_.nodes() && waves.detail == instruments::WaveDetail::signals; ++node) {
    const bool wanted =
        waves.lines.empty() || std::find(waves.lines.begin(), waves.lines.end(), node) != waves.lines.end();
    if (!wanted) continue;
    machine_.node(node).interface().add_wave(*wave_);
    machine_.node(node).processor().add_wave(*wave_);
  }
  network_waves_->begin(waves.first_cycle);
}

void Cenju4Phases::play(Cenju4Workload& workload) {
  try {
    workload.play(*this);
  } catch (const platform::Interrupted&) {
    // Results of completed phases are kept.
  } catch (const ModelError&) {
    explain_failure();
    close_log();
    throw;
  }
  close_and_report();
}

/// Reports possible causes of a failure that the failing part does not know.
void Cenju4Phases::explain_failure() const {
  const std::uint64_t dropped = machine_.packets_dropped();
  if (dropped != 0) {
    options_.log->warn(std::to_string(dropped) +
                       " packets were dropped because of injected faults; they are not retransmitted");
  }
}

void Cenju4Phases::report_nodes(const observe::NetworkMetrics& metrics) {
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
  results_.metric("page_faults", machine_.page_faults(), "pages",
                  config().os.paging == host::Paging::on_demand ? "pages mapped on demand" : "");
  const FaultInjector::Counters faults = machine_.fault_counters();
  results_.metric("faults_single_bit", faults.single_bit, "flits");
  results_.metric("faults_double_bit", faults.double_bit, "flits");
  results_.metric("faults_lost", faults.lost, "flits");
  // A machine that has ended has checked that no packet is in flight.
  observe::PacketFates fates;
  fates.born = metrics.packets_sent;
  fates.replicated = switches.replicated;
  fates.merged = switches.merged;
  fates.delivered = metrics.packets_delivered();
  fates.dropped = {{"faults", machine_.packets_dropped()}};
  fates.under_way =
      fates.born + fates.replicated - fates.merged - fates.delivered - machine_.packets_dropped();
  fates.add_to(results_, "machine");
}

std::string Cenju4Phases::headline() const {
  const graph::Multistage& topology = machine_.network().topology();
  return "Cenju-4, " + std::to_string(machine_.nodes()) + " nodes on " + std::to_string(topology.stages()) +
         " stages of " + std::to_string(topology.radix()) + "x" + std::to_string(topology.radix()) +
         " switches, " + std::to_string(1'000'000 / config().clock_period_ps) + " MHz" + headline_;
}

void Cenju4Phases::close_and_report() {
  if (wave_) wave_->close();
  close_log();
  const Cycle last = std::max<Cycle>(machine_.last_cycle(), 1);
  const observe::NetworkMetrics metrics = machine_.metrics();
  metrics.add_to(results_, machine_.nodes(), last, last);
  report_nodes(metrics);
  if (use_) use_->report(last, options_.out_dir, results_);
  const platform::EmptyResults empty(options_, config().period().ps_at(last), results_);
  empty.check(wave_.get());
  empty.check(log_.get());
  results_.show("simulated_cycles", "simulated");
  results_.show("packets_delivered", "packets delivered");
  results_.show("latency_cycles_mean", "packet latency, mean");
  results_.headline(headline());
}

}  // namespace tsuji::session
