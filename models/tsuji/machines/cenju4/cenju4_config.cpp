// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/cenju4/cenju4_config.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/graph/multistage.h"

namespace tsuji::machines {

void Cenju4Config::resolve() {
  network.crosspoint.ports = network.topology.radix;
  const unsigned pes = network.topology.nodes;
  JobPlacement all(pes);
  std::iota(all.begin(), all.end(), NodeId{0});
  os.queue_bytes = library.header_queue_bytes;
  os.message_buffer0_bytes = host::message_buffer_bytes(pes, library.credits);
  os.message_buffer1_bytes = host::message_buffer_bytes(1, library.collective_messages);
  const host::TaskLayout areas = library_areas(0, all, os.sender_set);
  os.heap_bytes = areas.end - areas.base;
  nic.sender.outstanding_requests =
      host::OsAgent::outstanding_requests(pes, nic::SenderConfig().outstanding_requests);
  processor.poll_loop_cycles = period().cycles_from_ns(software.poll_loop_ns);
  processor.system_call_ns = software.system_call_ns;
}

void Cenju4Config::validate() const {
  if (clock_period_ps < 100 || clock_period_ps > 1'000'000) {
    throw ConfigError("clock_period_ps", std::to_string(clock_period_ps), "clock period out of range",
                      "100..1000000");
  }
  network.topology.validate();
  network.crosspoint.validate();
  network.switch_kinds.validate(network.switch_kind);
  nic.validate();
  validate_synchronizations();
  memory.validate();
  memory_controller.validate();
  library.validate();
  software.validate();  // before the processor, which has its poll loop and system call from here
  processor.validate();
  if (os.heap_bytes > host::OsTask::max_heap_bytes) {
    const std::uint64_t beside = os.heap_bytes - library.heap_bytes;
    throw ConfigError("library.heap_bytes", std::to_string(library.heap_bytes),
                      "too large beside the library's other areas",
                      "up to " + std::to_string(host::OsTask::max_heap_bytes - beside));
  }
  os.validate();
  validate_jobs();
  faults.validate();
}

/// The table reads a barrier's packet that has come whole, or 200 + a ns do not hold.
void Cenju4Config::validate_synchronizations() const {
  if (network.topology.nodes > host::OsTask::most_synchronizing_nodes) return;
  const crosspoint::CrosspointConfig& one = network.crosspoint;
  const unsigned flits = nic.sizes.flits(PacketKind::synchronization, 0);
  const unsigned come = one.synchronization_cycles - one.table_access_cycles;
  if (flits <= come) return;
  throw ConfigError("sizes.synchronization_header_flits",
                    std::to_string(nic.sizes.synchronization_header_flits),
                    "of the packet's " + std::to_string(flits) + " flits, " + std::to_string(come) +
                        " have arrived when the synchronization table reads it",
                    "up to " + std::to_string(come - nic::PacketSizes::port_flits) +
                        ", or switch.synchronization_cycles of at least " +
                        std::to_string(flits + one.table_access_cycles));
}

void Cenju4Config::validate_jobs() const {
  const unsigned nodes = network.topology.nodes;
  if (jobs.size() >= nic::cids)
    throw ConfigError("jobs", std::to_string(jobs.size()), "more jobs than cids", "up to 255");
  for (const JobPlacement& job : jobs) {
    if (job.empty()) throw ConfigError("jobs", "0", "no ranks", "1 or more");
    std::vector<bool> taken(nodes);
    for (const NodeId node : job) {
      if (node >= nodes)
        throw ConfigError("jobs", std::to_string(node), "no such node", "0.." + std::to_string(nodes - 1));
      if (taken[node])
        throw ConfigError("jobs", std::to_string(node), "two ranks of a job on one node", "one");
      taken[node] = true;
    }
  }
  // Refuses a memory that is too small. Without a list of jobs all nodes are alike.
  for (NodeId node = 0; node < (jobs.empty() ? 1 : nodes); ++node) {
    std::vector<host::OsTask> tasks;
    for (const RankOnNode& rank : ranks_on(node)) tasks.push_back(os_task(rank));
    const host::OsAgent trial(std::move(tasks), memory.bytes);
  }
}

JobPlacement Cenju4Config::placement(unsigned job) const {
  if (!jobs.empty()) return jobs[job];
  JobPlacement all(network.topology.nodes);
  std::iota(all.begin(), all.end(), NodeId{0});
  return all;
}

std::vector<Cenju4Config::RankOnNode> Cenju4Config::ranks_on(NodeId node) const {
  if (jobs.empty()) return {{0, static_cast<std::uint16_t>(node), 0}};
  std::vector<RankOnNode> ranks;
  for (unsigned job = 0; job < jobs.size(); ++job) {
    const auto found = std::find(jobs[job].begin(), jobs[job].end(), node);
    if (found == jobs[job].end()) continue;
    ranks.push_back(
        {job, static_cast<std::uint16_t>(found - jobs[job].begin()), static_cast<unsigned>(ranks.size())});
  }
  return ranks;
}

host::TaskLayout Cenju4Config::library_areas(unsigned rank, const JobPlacement& nodes, unsigned set) const {
  std::set<NodeId> groups;
  for (const NodeId node : nodes) groups.insert(node / host::TaskLayout::multicast_group_nodes);
  return host::plan_task_layout(library, rank, static_cast<std::uint32_t>(nodes.size()), set,
                                host::OsTask::heap_base, 0, static_cast<std::uint32_t>(groups.size()));
}

host::OsTask Cenju4Config::os_task(const RankOnNode& rank) const {
  JobPlacement nodes = placement(rank.job);
  host::OsConfig own = os;
  own.cid = static_cast<std::uint8_t>(os.cid + rank.job);
  own.sender_set = nic::first_user_set + rank.task % (nic::sender_sets - nic::first_user_set);
  if (!jobs.empty()) {
    own.message_buffer0_bytes =
        host::message_buffer_bytes(static_cast<std::uint32_t>(nodes.size()), library.credits);
    const host::TaskLayout areas = library_areas(rank.rank, nodes, own.sender_set);
    own.heap_bytes = areas.end - areas.base;
  }
  return {own, rank.rank, std::move(nodes)};
}

/// The header queue, the message buffers and the synchronization counters are the system's, everything else
/// lies in the heap.
host::TaskLayout Cenju4Config::layout(const RankOnNode& rank, const host::TaskMemory& os_memory) const {
  const unsigned set = os_task(rank).config().sender_set;
  host::TaskLayout layout = library_areas(rank.rank, placement(rank.job), set);
  layout.buffer_entry = os_memory.buffer_entry;
  layout.header_queue = os_memory.queue.address;
  layout.header_queue_bytes = static_cast<std::uint32_t>(os_memory.queue.bytes);
  for (unsigned buffer = 0; buffer < 2; ++buffer) {
    layout.message_buffer[buffer] = os_memory.message[buffer].address;
    layout.message_buffer_bytes[buffer] = os_memory.message[buffer].bytes;
  }
  layout.log_buffer = os_memory.log.address;
  layout.log_buffer_bytes = os_memory.log.bytes;
  layout.synchronization_counters = os_memory.synchronization_counters;
  layout.reply_notifications = os_memory.reply_notifications;
  return layout;
}

void Cenju4Config::check_library(const Abilities& abilities, const std::string& problem) const {
  using host::BarrierMethod;
  const bool hardware = library.barrier == BarrierMethod::hardware;
  const bool synchronizes = hardware && network.topology.nodes <= host::OsTask::most_synchronizing_nodes;
  const bool adds = library.barrier == BarrierMethod::multicast_add ||
                    library.barrier == BarrierMethod::hierarchical || (hardware && !synchronizes);
  if ((synchronizes && !abilities.synchronizes) || (adds && !abilities.multicasts))
    throw ConfigError("library.barrier",
                      hardware                                         ? "hardware"
                      : library.barrier == BarrierMethod::hierarchical ? "hierarchical"
                                                                       : "multicast_add",
                      problem,
                      abilities.multicasts ? "hierarchical, multicast_add, tree or dissemination"
                                           : "tree or dissemination");
  if (library.broadcast == host::BroadcastMethod::hardware && !abilities.multicasts)
    throw ConfigError("library.broadcast", "hardware", problem, "tree");
  if (library.all_reduce != host::AllReduceMethod::in_network) return;
  const bool too_large = network.topology.nodes > host::OsTask::most_synchronizing_nodes;
  if (too_large || !abilities.combines)
    throw ConfigError("library.all_reduce", "in_network",
                      too_large ? "synchronization packets exist in systems of at most 64 nodes"
                                : "this network does not combine the operands of synchronization packets",
                      "tree or ring");
  const graph::Multistage topology(network.topology);
  std::uint64_t told_apart = 1;  // nodes by the stages that route
  for (unsigned stage = 1; stage < topology.stages(); ++stage) told_apart *= topology.radix();
  if (topology.stages() > 1 && told_apart >= topology.nodes())
    throw ConfigError(
        "library.all_reduce", "in_network",
        "the network's redundant stage would add an operand once for each of its paths",
        "tree or ring, or network.stages and network.stages_per_board without a redundant stage");
}

}  // namespace tsuji::machines
