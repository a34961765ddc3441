// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/network_workload.h"

#include <utility>
#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/machines/cenju4/cenju4_keys.h"
#include "tsuji/platform/trace_source.h"
#include "tsuji/session/bridged_kinds.h"
#include "tsuji/workload/trace_check.h"
#include "tsuji/workload/trace_share.h"

namespace tsuji::session {
namespace {

/// Declares which of the keys below have an effect with which kind of workload and network interface.
void add_uses(config::KeyTable& keys) {
  for (const char* key : {"workload.ranks_per_node", "workload.placement", "observe.ranks"})
    keys.only_with(key, {{"workload.kind", {"trace", "collective"}}});
  keys.only_with("nic.kind", {{"workload.kind", {"trace", "collective", "jobs"}}});
  for (const char* key : {"workload.placement", "workload.placement_seed", "workload.mapping",
                          "nic.packet_bytes", "nic.flit_bytes", "nic.header_flits", "nic.eager_bytes",
                          "nic.local_cycles", "node.*", "collectives.*", "observe.ranks"})
    keys.only_with(key, {{"nic.kind", {"packetizer"}}});
  for (const char* key :
       {"nic.fifo_packets", "nic.ready_packets", "nic.early_packets", "nic.retry_packets", "sizes.*",
        "sender.*", "receiver.*", "memory.*", "cache.*", "processor.*", "library.*", "software.*", "os.*"})
    keys.only_with(key, {{"nic.kind", {"cenju4", "cenju4_groups", "cenju4_tree"}}});
  for (const char* key : {"groups.*", "gateway.*", "switch.*"})
    keys.only_with(key, {{"nic.kind", {"cenju4_groups"}}});
  keys.only_with("tree.*", {{"nic.kind", {"cenju4_tree"}}});
  for (const char* key : {"sizes.multicast_header_flits", "sizes.synchronization_header_flits",
                          "library.barrier_fan_in", "library.realignment"})
    keys.only_with(key, {{"nic.kind", {"cenju4_groups", "cenju4_tree"}}});
}

/// No key for a single format, as there would be no choice.
void add_format_keys(config::KeyTable& keys, NetworkWorkload& w) {
  if (w.trace_formats.names().size() == 1) return;
  keys.add_choice("workload.trace_format", w.trace_format, w.trace_formats.words(),
                  "format of the file workload.trace");
  w.trace_formats.add_keys(keys);
  keys.only_with("workload.trace_format", {{"workload.kind", {"trace"}}});
  keys.only_with("workload.trace_format", {{"workload.trace", {}}});
}

}  // namespace

NetworkWorkload::NetworkWorkload() {
  cenju4.library.barrier = host::BarrierMethod::dissemination;
  cenju4.library.broadcast = host::BroadcastMethod::tree;
}

/// Classes of messages are those of synthetic traffic.
void NetworkWorkload::validate_congestion(const network::NetworkConfig& network) const {
  if (!network.congestion.on()) return;
  if (retry.on())
    throw ConfigError("retry.timeout_cycles", std::to_string(retry.timeout_cycles),
                      "congestion control would hold back acknowledgements of retry",
                      "0, or congestion.kind none");
  if (kind != NetworkWorkloadKind::synthetic)
    throw ConfigError("congestion.kind", network.congestion.kind,
                      "messages of applications start when their network interface says so",
                      "none, or workload.kind synthetic");
}

void NetworkWorkload::validate_classes(const network::NetworkConfig& network) const {
  if (!network.classes.on()) return;
  if (retry.on())
    throw ConfigError("retry.timeout_cycles", std::to_string(retry.timeout_cycles),
                      "acknowledgements have no class", "0, or no classes.list");
  if (has_ranks())
    throw ConfigError("classes.list", network.classes.list, "messages of applications have no class",
                      "no classes, or workload.kind synthetic");
}

void NetworkWorkload::resolve() {
  if (!npb.name.empty() && kind == NetworkWorkloadKind::synthetic) kind = NetworkWorkloadKind::trace;
  groups.resolve();
}

void NetworkWorkload::validate(const network::NetworkConfig& network) const {
  validate_classes(network);
  validate_congestion(network);
  network::validate_retry(network, retry);
  if (!has_ranks()) return;
  if (kind == NetworkWorkloadKind::jobs && nic != NicKind::packetizer)
    throw ConfigError("nic.kind", "cenju4", "several jobs run on network interfaces without software",
                      "packetizer");
  if (!npb.name.empty()) {
    if (kind != NetworkWorkloadKind::trace)
      throw ConfigError("workload.npb", npb.name,
                        kind == NetworkWorkloadKind::jobs ? "a benchmark beside jobs"
                                                          : "a benchmark beside a collective operation",
                        "workload.kind trace, or no benchmark");
    npb.validate();
  }
  trace_formats.validate(trace_format);
  if (nic != NicKind::packetizer) {
    if (replay.places.ranks_per_node != 1)
      throw ConfigError("workload.ranks_per_node", std::to_string(replay.places.ranks_per_node),
                        "a Cenju-4 node has one rank", "1, or nic.kind packetizer");
    return bridged_kind(nic).validate(network, *this);
  }
  replay.validate();
  const unsigned largest = replay.nic.flits(replay.nic.packet_bytes);
  if (network.network.router.switching == router::Switching::wormhole ||
      largest <= network.network.buffer_flits)
    return;
  throw ConfigError("nic.packet_bytes", std::to_string(replay.nic.packet_bytes),
                    "a packet of " + std::to_string(largest) +
                        " flits does not fit into a virtual channel's buffer, as this switching requires",
                    "up to router.buffer_flits (" + std::to_string(network.network.buffer_flits) +
                        ") flits with nic.flit_bytes and nic.header_flits");
}

unsigned NetworkWorkload::own_vcs() const {
  const bool has_nodes = has_ranks() && nic != NicKind::packetizer;
  return has_nodes ? bridged_kind(nic).own_vcs() : 0;
}

workload::Trace NetworkWorkload::load_trace(const workload::TraceLimits& limits, std::size_t places) const {
  if (kind == NetworkWorkloadKind::collective) {
    const std::size_t count = collective.ranks == 0 ? places : collective.ranks;
    return workload::make_collective_trace(collective, static_cast<unsigned>(count));
  }
  if (!npb.name.empty() || trace.empty())
    return workload::first_share(platform::load_trace(trace, npb, limits), trace_share);
  workload::Trace read = trace_formats.make(trace_format, {trace, limits});
  workload::check_ranks(read);
  return workload::first_share(std::move(read), trace_share);
}

void NetworkWorkload::check_sweep() const {
  if (!has_ranks()) return;
  const char* const word = kind == NetworkWorkloadKind::trace  ? "trace"
                           : kind == NetworkWorkloadKind::jobs ? "jobs"
                                                               : "collective";
  throw ConfigError("workload.kind", word, "there is no offered load to sweep", "synthetic");
}

namespace {

/// The words of the operations, each once.
std::vector<std::pair<std::string, std::string>> operations() {
  std::vector<std::pair<std::string, std::string>> words;
  for (const workload::PlannedCollective& one : workload::planned_collectives())
    if (words.empty() || words.back().first != one.operation)
      words.emplace_back(one.operation, one.operation);
  return words;
}

void add_collective_keys(config::KeyTable& keys, workload::CollectiveLoad& collective) {
  keys.add_choice("workload.collective", collective.collective, operations(), "collective operation");
  keys.add("workload.collective_algorithm", collective.algorithm,
           "algorithm of the operation; all_reduce: ring, halving_doubling, recursive_doubling, binomial, "
           "double_tree; reduce_scatter: ring, recursive_halving; all_gather: ring, recursive_doubling; "
           "broadcast: "
           "binomial, scatter_ring; all_to_all: staggered, pairwise; \"\": the first one");
  keys.add("workload.collective_bytes", collective.bytes, {1, 1ULL << 40}, "bytes",
           "data of a rank: at the end of an all_reduce, all_gather or broadcast, at the beginning of a "
           "reduce_scatter or all_to_all");
  keys.add("workload.collective_ranks", collective.ranks, {0, 65535}, "ranks",
           "ranks of the operation, on the places of workload.placement; 0: one on each place");
  keys.add("workload.collective_rounds", collective.rounds, {1, 1'000'000}, "rounds",
           "repetitions of the operation, one after the other");
  for (const char* key : {"workload.collective", "workload.collective_algorithm", "workload.collective_bytes",
                          "workload.collective_ranks", "workload.collective_rounds"})
    keys.only_with(key, {{"workload.kind", {"collective"}}});
}

void add_jobs_keys(config::KeyTable& keys, JobsConfig& jobs) {
  keys.add_path("workload.jobs", jobs.jobs,
                "YAML file with a section of keys job.*, workload.* and traffic.* for each job");
  keys.add("workload.job_alone", jobs.job_alone,
           "name of the only job that runs, on the nodes that it has beside the others; \"\": all jobs run");
  keys.add("workload.jobs_share_nodes", jobs.jobs_share_nodes,
           "a node may belong to several jobs: each is placed as if it were alone");
  keys.add("workload.jobs_cycles", jobs.jobs_cycles, {1, 1'000'000'000'000}, "cycles",
           "length of a run of synthetic jobs; a run with an application ends with its last rank");
  for (const char* key :
       {"workload.jobs", "workload.job_alone", "workload.jobs_share_nodes", "workload.jobs_cycles"})
    keys.only_with(key, {{"workload.kind", {"jobs"}}});
}

}  // namespace

void add_application_keys(config::KeyTable& keys, NetworkWorkload& w) {
  keys.add_path("workload.trace", w.trace,
                "file of a time-independent (TI) trace, uncompressed or zstd; \"\": the conjugate-gradient "
                "trace of 64 ranks that comes with Tsuji");
  platform::add_npb_keys(keys, w.npb);
  add_format_keys(keys, w);
  add_collective_keys(keys, w.collective);
  keys.add("workload.trace_share", w.trace_share, {1e-6, 1.0}, "",
           "share of each rank's operations that is replayed, from the first one on, and as many more as "
           "end its messages, requests and collective operations");
  keys.add("workload.compute_scale", w.compute_scale, {0.0, 1e6}, "",
           "factor by which the compute times of the trace are multiplied");
  for (const char* key : {"workload.trace", "workload.npb_steps", "workload.npb_gflops",
                          "workload.trace_share", "workload.compute_scale"})
    keys.only_with(key, {{"workload.kind", {"trace"}}});
  keys.only_with("workload.trace", {{"workload.npb", {""}}});
}

void add_network_workload_keys(config::KeyTable& keys, NetworkWorkload& w) {
  keys.add_choice(
      "workload.kind", w.kind,
      {{"synthetic", NetworkWorkloadKind::synthetic},
       {"trace", NetworkWorkloadKind::trace},
       {"collective", NetworkWorkloadKind::collective},
       {"jobs", NetworkWorkloadKind::jobs}},
      "workload; synthetic: packets of traffic.*; trace: an application, given by workload.trace "
      "or workload.npb, on the network interfaces of nic.kind; collective: the operation "
      "workload.collective, on the network interfaces of nic.kind; jobs: several of these, as the "
      "file workload.jobs says");
  add_application_keys(keys, w);
  add_jobs_keys(keys, w.jobs);
  machines::add_placement_keys(keys, w.replay.places);
  keys.add_choice(
      "nic.kind", w.nic,
      {{"packetizer", NicKind::packetizer},
       {"cenju4", NicKind::cenju4},
       {"cenju4_groups", NicKind::cenju4_groups},
       {"cenju4_tree", NicKind::cenju4_tree}},
      "network interface of a rank; packetizer: messages cut into packets, without software and memory; "
      "cenju4: "
      "processor, memory, network interface and message library of a Cenju-4 node; cenju4_groups: groups of "
      "such nodes on crosspoint switches, each with a node of the network as its gateway; cenju4_tree: such "
      "nodes, with a unit at each router that multicasts and synchronizes along a tree of links, on the "
      "highest virtual channel of router.vcs");
  machines::add_packetizer_keys(keys, w.replay);
  keys.add(
      "nic.fifo_packets", w.bridge.fifo_packets, {1, 8}, "packets",
      "capacity of the FIFO from the network interface to the network, which includes the packet being sent");
  keys.add(
      "nic.ready_packets", w.bridge.ready_packets, {1, 8}, "packets",
      "capacity of the FIFO from the network to the network interface; a full FIFO blocks further packets");
  keys.add("nic.early_packets", w.bridge.early_packets, {1, 1'000'000}, "packets",
           "capacity of the reorder buffer at the network interface, for packets that overtook others of "
           "their source; an overflow stops the run");
  keys.add("nic.retry_packets", w.bridge.retry_packets, {1, 4096}, "packets",
           "capacity of the retransmission buffer at the network interface, for packets that are being sent "
           "or not yet acknowledged; a full buffer blocks new packets; used with retry.timeout_cycles");
  machines::add_replay_keys(keys, w.replay);
  machines::add_cenju4_node_keys(keys, w.cenju4);
  machines::add_groups_keys(keys, w.groups);
  machines::add_tree_keys(keys, w.tree);
  w.retry.add_keys(keys);
  keys.add(
      "observe.ranks", w.ranks,
      "whether to write rank_timeline.csv, rank_messages.csv and critical_path.csv: what ranks spend their "
      "time with, the messages between them, and the path that decides the time, with a table of its "
      "parts; false: no table, and the files with --report only");
  add_uses(keys);
}

}  // namespace tsuji::session
