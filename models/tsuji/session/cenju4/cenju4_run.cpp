// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/cenju4/cenju4_run.h"

#include <map>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/machines/cenju4/cenju4_keys.h"
#include "tsuji/machines/cenju4/cenju4_machine.h"
#include "tsuji/session/cenju4/cenju4_phases.h"
#include "tsuji/session/cenju4/machine_size.h"

namespace tsuji::session {

using platform::RunOptions;

void Cenju4RunConfig::add_workload_keys(config::KeyTable& keys) {
  auto words = workloads.words();
  words.emplace_back(synthetic, synthetic);
  std::string meaning = "workload";
  for (const std::string& word : workloads.names())
    meaning += "; " + word + ": " + workloads.traits(word).text;
  keys.add_choice("workload.kind", kind, words,
                  meaning + "; " + synthetic + ": packets of traffic.*, without nodes");
  workloads.add_keys(keys);
}

void Cenju4RunConfig::add_uses(config::KeyTable& keys) const {
  std::map<std::string, std::vector<std::string>> readers;
  for (const std::string& word : workloads.names()) {
    for (const std::string& key : workloads.traits(word).reads) readers[key].push_back(word);
  }
  for (const auto& [key, words] : readers) keys.only_with(key, {{"workload.kind", words}});
  for (const char* section : {"sizes.synchronization_header_flits", "sender.*", "receiver.*", "memory.*",
                              "cache.*", "processor.*", "library.*", "software.*", "os.*", "faults.*"})
    keys.only_with(section, {{"workload.kind", workloads.names()}});
  for (const char* section : {"traffic.*", "measure.*"})
    keys.only_with(section, {{"workload.kind", {synthetic}}});
}

void Cenju4RunConfig::add_keys(config::KeyTable& keys) {
  machines::add_cenju4_keys(keys, machine);
  add_workload_keys(keys);
  load.add_keys(keys);
  instruments::add_crosspoint_use_keys(keys, watch.use);
  add_uses(keys);
  keys.add("waves.lines", watch.wave_lines, {0, 65535}, {0, 1024}, "",
           "channels of the network in the waveform, by number (node n sends on channel n); empty: all");
}

void Cenju4RunConfig::resolve_and_validate() {
  machine.resolve();
  machine.validate();
  if (kind == synthetic) return load.validate(machine);
  workloads.make(kind)->validate_with(machine);
}

void Cenju4RunConfig::check_sweep(std::uint64_t seed) const {
  if (kind != synthetic)
    throw ConfigError("workload.kind", "", "there is no offered load to sweep", synthetic);
  load.check_sweep(machine, seed);
}

platform::MachineEstimate Cenju4RunConfig::estimate() const {
  return estimate_of(machine, kind == synthetic ? &load : nullptr);
}

namespace {

machines::Cenju4Config placed_machine(const Cenju4RunConfig& config, Cenju4Workload& workload,
                                      const RunOptions& options) {
  machines::Cenju4Config machine = config.machine;
  machine.faults.seed = options.seed;
  workload.place(machine);
  return machine;
}

}  // namespace

void build_cenju4(const Cenju4RunConfig& config, const RunOptions& options,
                  const std::function<void()>& look) {
  if (config.kind == Cenju4RunConfig::synthetic)
    return build_network_alone(config.machine, config.load, options, look);
  const std::unique_ptr<Cenju4Workload> workload = config.workloads.make(config.kind);
  const machines::Cenju4Machine machine("machine", placed_machine(config, *workload, options));
  look();
}

void run_cenju4(const Cenju4RunConfig& config, const RunOptions& options, observe::Results& results) {
  const bool synthetic = config.kind == Cenju4RunConfig::synthetic;
  if (options.log_selection)
    options.log_selection->check(synthetic ? network_alone_log_modules(config.machine)
                                           : Cenju4Phases::log_modules(config.machine));
  if (synthetic) return run_network_alone(config.machine, config.load, config.watch, options, results);
  const std::unique_ptr<Cenju4Workload> workload = config.workloads.make(config.kind);
  const machines::Cenju4Config machine = placed_machine(config, *workload, options);
  Cenju4Phases phases(machine, config.watch, options, results);
  phases.play(*workload);
}

}  // namespace tsuji::session
