// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <systemc>
#include <tuple>

#include "platforms/cenju4/cenju4_phases.h"
#include "platforms/cenju4/cenju4_workload.h"
#include "platforms/cenju4/machine_size.h"
#include "platforms/cenju4/network_alone.h"
#include "tsuji/core/error.h"
#include "tsuji/machines/cenju4/cenju4_keys.h"
#include "tsuji/platform/command_line.h"
#include "tsuji/platform/load_sweep.h"
#include "tsuji/platform/trace_source.h"

using namespace tsuji;
using namespace tsuji::platform;

namespace {

void add_ping_pong_keys(config::KeyTable& keys, WorkloadConfig& w) {
  keys.add("workload.message_bytes", w.message_bytes, {8, 64ULL << 20}, "bytes",
           "length of ping_pong's message, a multiple of 8");
  keys.add("workload.ping_pong_rounds", w.ping_pong_rounds, {1, 1'000'000}, "",
           "round trips that are measured");
  keys.add_choice("workload.message_data", w.message_data,
                  {{"dirty", host::MessageData::dirty}, {"clean", host::MessageData::clean}},
                  "state of ping_pong's message in its sender's cache");
  keys.add("workload.source_offset", w.source_offset, {0, 120}, "bytes",
           "offset of ping_pong's message in a cache line of its sender, a multiple of 8");
  keys.add("workload.system_call", w.system_call,
           "ping_pong: a system call before every message, which flushes it from the cache");
}

void add_round_keys(config::KeyTable& keys, WorkloadConfig& w) {
  keys.add_choice(
      "workload.exchange_method", w.exchange.method,
      {{"in_order", host::ExchangeMethod::in_order},
       {"staggered", host::ExchangeMethod::staggered},
       {"multicast", host::ExchangeMethod::multicast},
       {"to_one", host::ExchangeMethod::to_one}},
      "exchange: each node to nodes 0, 1, 2, ..; node i to i + 1, i + 2, .., i; each node a multicast to "
      "all; all nodes to node 0");
  keys.add("workload.exchange_bytes", w.exchange.bytes, {8, 16ULL << 20}, "bytes",
           "length of a node's block, a multiple of 8");
  keys.add("workload.exchange_peers", w.exchange.peers, {0, 1024}, "nodes",
           "nodes that each node puts a block to, i + 1, i + 2, ..; 0: all nodes");
  keys.add_choice("workload.collective", w.collective.collective,
                  {{"barrier", host::Collective::barrier},
                   {"broadcast", host::Collective::broadcast},
                   {"all_reduce", host::Collective::all_reduce}},
                  "collective operation");
  keys.add("workload.collective_bytes", w.collective.bytes, {8, 16ULL << 20}, "bytes",
           "length of a broadcast or an allreduce");
  keys.add("workload.rounds", w.rounds, {1, 10'000}, "", "exchange, collective: rounds, one after the other");
}

void add_workload_keys(config::KeyTable& keys, WorkloadConfig& w) {
  keys.add_choice(
      "workload.kind", w.kind,
      {{"demo", WorkloadKind::demo},
       {"trace", WorkloadKind::trace},
       {"jobs", WorkloadKind::jobs},
       {"dma", WorkloadKind::dma},
       {"multicast", WorkloadKind::multicast},
       {"barrier", WorkloadKind::barrier},
       {"ping_pong", WorkloadKind::ping_pong},
       {"exchange", WorkloadKind::exchange},
       {"collective", WorkloadKind::collective},
       {"protocols", WorkloadKind::protocols},
       {"boot", WorkloadKind::boot},
       {"synthetic", WorkloadKind::synthetic}},
      "workload; demo: trace, dma, ping_pong, multicast and barrier; jobs: two traces at one time; exchange: "
      "every node puts a block "
      "to every node; collective: the library's; protocols: each of table 1, from node 0 to node 1; boot: no "
      "program; synthetic: packets of traffic.*, the network alone");
  keys.add_path(
      "workload.trace", w.trace,
      "TI trace, uncompressed or zstd; \"\": the conjugate gradient of 64 ranks that comes with Tsuji");
  add_npb_keys(keys, w.npb);
  keys.add("workload.first_node", w.first_node, {0, 1023}, "",
           "node of the trace's rank 0; the others are on the nodes behind it");
  keys.add_path("workload.other_trace", w.other_trace,
                "TI trace of the second job; \"\": the transpose of 64 ranks that comes with Tsuji");
  keys.add("workload.other_first_node", w.other_first_node, {0, 1023}, "",
           "node of the second job's rank 0; jobs that share nodes have their processors in turn");
  keys.add("workload.compute_scale", w.compute_scale, {0.0, 1e6}, "",
           "factor on the compute times of a trace");
  keys.add("workload.dma_bytes", w.dma_bytes, {4, 64ULL << 20}, "bytes",
           "length of the DMA, a multiple of 4 (remote_read: of 8)");
  keys.add("workload.dma_source", w.dma_source, {0, 1023}, "", "node that has the data");
  keys.add("workload.dma_destination", w.dma_destination, {0, 1023}, "", "node that gets the data");
  keys.add("workload.dma_source_offset", w.dma_source_offset, {0, 4092}, "bytes",
           "start of the data behind a cache line's, at their source: a multiple of 4 (remote_read: of 8)");
  keys.add("workload.dma_destination_offset", w.dma_destination_offset, {0, 4092}, "bytes",
           "the same at their destination");
  keys.add("workload.dma_returns", w.dma_returns,
           "as many bytes go back from there to there, and half of the round trip is measured");
  keys.add_choice(
      "workload.dma_protocol", w.dma_protocol,
      {{"remote_dma", host::DmaProtocol::remote_dma}, {"remote_read", host::DmaProtocol::remote_read}},
      "protocol of the DMA: its source puts the data, or its destination reads them");
  keys.add("workload.multicast_bytes", w.multicast_bytes, {8, 64ULL << 20}, "bytes",
           "length of the multicast, a multiple of 8");
  keys.add("workload.barrier_rounds", w.barrier_rounds, {1, 1'000'000'000}, "barriers",
           "barriers, one after the other");
  keys.add_choice(
      "workload.barrier_method", w.barrier_method,
      {{"library", BarrierWorkload::library},
       {"all_to_all", BarrierWorkload::all_to_all},
       {"binary_tree", BarrierWorkload::binary_tree},
       {"atomic_add", BarrierWorkload::atomic_add},
       {"multicast_add", BarrierWorkload::multicast_add},
       {"synchronization", BarrierWorkload::synchronization}},
      "the library's barrier of all nodes, or a barrier of a group by single casts, a binary tree, "
      "single-cast or multicast atomic adds, or synchronization packets");
  keys.add("workload.barrier_members", w.barrier_members, {0, 1024}, "nodes",
           "members of a group's barrier, nodes 0 to this number - 1; 0: all nodes");
  add_ping_pong_keys(keys, w);
  add_round_keys(keys, w);
}

/// Which key is read with which kinds of workload.
void add_uses(config::KeyTable& keys) {
  const auto only_with = [&keys](const std::vector<std::string>& kinds,
                                 const std::vector<const char*>& names) {
    for (const char* name : names)
      keys.only_with(std::string("workload.") + name, {{"workload.kind", kinds}});
  };
  only_with({"demo", "trace", "jobs"}, {"trace", "npb", "npb_steps", "npb_gflops", "compute_scale"});
  only_with({"trace", "jobs"}, {"first_node"});
  only_with({"jobs"}, {"other_trace", "other_first_node"});
  for (const char* key : {"os.time_slice_us", "os.task_switch_ns"})
    keys.only_with(key, {{"workload.kind", {"jobs"}}});
  keys.only_with("workload.trace", {{"workload.npb", {""}}});
  only_with({"demo", "dma"}, {"dma_bytes", "dma_source", "dma_destination", "dma_source_offset",
                              "dma_destination_offset", "dma_returns", "dma_protocol"});
  keys.only_with("library.realignment", {{"workload.kind", {"demo", "dma"}}});
  keys.only_with("workload.dma_returns", {{"workload.dma_protocol", {"remote_dma"}}});
  only_with({"demo", "multicast"}, {"multicast_bytes"});
  only_with({"demo", "barrier"}, {"barrier_rounds", "barrier_method", "barrier_members"});
  keys.only_with("workload.barrier_members",
                 {{"workload.barrier_method",
                   {"all_to_all", "binary_tree", "atomic_add", "multicast_add", "synchronization"}}});
  only_with({"demo", "ping_pong"},
            {"message_bytes", "ping_pong_rounds", "message_data", "source_offset", "system_call"});
  only_with({"exchange", "collective"}, {"rounds"});
  only_with({"exchange"}, {"exchange_method", "exchange_bytes", "exchange_peers"});
  keys.only_with("workload.exchange_peers", {{"workload.exchange_method", {"staggered"}}});
  only_with({"collective"}, {"collective", "collective_bytes"});
  keys.only_with("workload.collective_bytes", {{"workload.collective", {"broadcast", "all_reduce"}}});
  const std::vector<std::string> with_nodes = {"demo",       "trace",     "jobs",      "dma",
                                               "multicast",  "barrier",   "ping_pong", "exchange",
                                               "collective", "protocols", "boot"};
  for (const char* section : {"sizes.synchronization_header_flits", "sender.*", "receiver.*", "memory.*",
                              "cache.*", "processor.*", "library.*", "software.*", "os.*", "faults.*"})
    keys.only_with(section, {{"workload.kind", with_nodes}});
  for (const char* section : {"traffic.*", "measure.*"})
    keys.only_with(section, {{"workload.kind", {"synthetic"}}});
}

void refuse(const char* key, std::uint64_t value, const char* problem, const std::string& accepted) {
  throw ConfigError(key, std::to_string(value), problem, accepted);
}

void validate_workload(const WorkloadConfig& w, const machines::Cenju4Config& machine) {
  if (!w.npb.name.empty()) w.npb.validate();
  const unsigned nodes = machine.network.topology.nodes;
  const std::string below = "0.." + std::to_string(nodes - 1);
  if (w.dma_source >= nodes) refuse("workload.dma_source", w.dma_source, "no such node", below);
  if (w.dma_destination >= nodes)
    refuse("workload.dma_destination", w.dma_destination, "no such node", below);
  // Words of 32 bits; the library's remote reads are of two each.
  const unsigned dma_unit = w.dma_protocol == host::DmaProtocol::remote_dma ? 4 : 8;
  const std::tuple<const char*, std::uint64_t, unsigned> whole[] = {
      {"workload.dma_bytes", w.dma_bytes, dma_unit},
      {"workload.dma_source_offset", w.dma_source_offset, dma_unit},
      {"workload.dma_destination_offset", w.dma_destination_offset, dma_unit},
      {"workload.multicast_bytes", w.multicast_bytes, 8},
      {"workload.message_bytes", w.message_bytes, 8},
      {"workload.source_offset", w.source_offset, 8},
      {"workload.exchange_bytes", w.exchange.bytes, 8}};
  for (const auto& [key, bytes, unit] : whole) {
    if (bytes % unit != 0)
      refuse(key, bytes, "the library moves whole words", "a multiple of " + std::to_string(unit));
  }
  if (w.barrier_members > nodes)
    refuse("workload.barrier_members", w.barrier_members, "no such nodes", "0.." + std::to_string(nodes));
  if (w.exchange.peers > nodes)
    refuse("workload.exchange_peers", w.exchange.peers, "no such nodes", "0.." + std::to_string(nodes));
  if (w.barrier_method == BarrierWorkload::synchronization &&
      nodes > host::OsTask::most_synchronizing_nodes) {
    throw ConfigError("workload.barrier_method", "synchronization",
                      "a system of more than 64 nodes has no synchronization packets", "another method");
  }
  if (w.kind == WorkloadKind::protocols && machine.library.broadcast != host::BroadcastMethod::hardware)
    throw ConfigError("library.broadcast", "tree", "without multicasts nobody sends to message buffer 1",
                      "hardware, or another workload.kind");
}

}  // namespace

int sc_main(int argc, char** argv) {
  machines::Cenju4Config machine;
  WorkloadConfig workload;
  NetworkAlone load;
  instruments::CrosspointUseConfig use;
  std::vector<unsigned> wave_lines = {0, 1, 4, 16, 63};
  Platform platform;
  platform.name = "cenju4";
  platform.description =
      "A Cenju-4 style machine: processors, network interfaces and a multistage network, cycle by cycle";
  platform.leading_keys = {"network.nodes",       "network.radix",   "workload.kind",
                           "workload.trace",      "workload.npb",    "workload.message_bytes",
                           "workload.collective", "traffic.pattern", "traffic.load_flits_per_node_cycle",
                           "library.broadcast"};
  platform.add_keys = [&](config::KeyTable& keys) {
    machines::add_cenju4_keys(keys, machine);
    add_workload_keys(keys, workload);
    load.add_keys(keys);
    instruments::add_crosspoint_use_keys(keys, use);
    add_uses(keys);
    keys.add("trace.lines", wave_lines, {0, 65535}, {0, 1024}, "",
             "lines of the network in a waveform (node n sends on line n); none: all");
  };
  platform.validate = [&] {
    machine.resolve();
    machine.validate();
    validate_workload(workload, machine);
    if (workload.kind == WorkloadKind::synthetic) load.validate(machine);
  };
  platform.estimate = [&] { return estimate_of(machine, workload, load); };
  platform.logs = true;
  platform.run = [&](const RunOptions& options, observe::Results& results) {
    if (options.log_selection)
      options.log_selection->check(workload.kind == WorkloadKind::synthetic
                                       ? network_alone_log_modules(machine)
                                       : machine_log_modules(machine));
    if (workload.kind == WorkloadKind::synthetic) {
      run_network_alone(machine, load, use, wave_lines, options, results);
    } else {
      machine.faults.seed = options.seed;
      run_machine(machine, workload, {wave_lines, use}, options, results);
    }
  };
  LoadSweepConfig sweep;
  sweep.check = [&](const RunOptions& options) {
    if (workload.kind != WorkloadKind::synthetic)
      throw ConfigError("workload.kind", "", "there is no offered load to sweep", "synthetic");
    load.check_sweep(machine, options.seed);
  };
  sweep.length_cycles = [&load] {
    return load.measure.mode == observe::MeasureMode::cycles ? load.measure.cycles : Cycle{0};
  };
  platform.options = sweep_options(sweep);
  return run_platform(argc, argv, platform);
}
