#include "tsuji/fabric/cenju4/cenju4_config.h"

#include <numeric>
#include <utility>
#include <vector>

#include "tsuji/core/error.h"

namespace tsuji::fabric {

void Cenju4Config::resolve() {
  network.crosspoint.ports = network.topology.radix;
  const unsigned pes = network.topology.nodes;
  os.queue_bytes = library.header_queue_bytes;
  os.message_buffer0_bytes = host::message_buffer_bytes(pes, library.credits);
  os.message_buffer1_bytes = host::message_buffer_bytes(1, library.collective_messages);
  const host::TaskLayout areas =
      host::plan_task_layout(library, 0, pes, os.sender_set, host::OsAgent::heap_base, 0);
  os.heap_bytes = areas.end - areas.base;
  nic.sender.outstanding_requests =
      host::OsAgent::outstanding_requests(pes, nic::SenderConfig().outstanding_requests);
  processor.poll_loop_cycles = period().cycles_from_ns(software.poll_loop_ns);
  processor.system_call_ns = software.system_call_ns;
}

void Cenju4Config::validate() const {
  if (clock_period_ps < 100 || clock_period_ps > 1'000'000) {
    throw ConfigError("clock_period_ps", std::to_string(clock_period_ps), "not a clock of such a machine",
                      "100..1000000");
  }
  network.topology.validate();
  network.crosspoint.validate();
  nic.validate();
  memory.validate();
  memory_controller.validate();
  library.validate();
  software.validate();  // before the processor, which has its poll loop and system call from here
  processor.validate();
  if (os.heap_bytes > host::OsAgent::max_heap_bytes) {
    const std::uint64_t beside = os.heap_bytes - library.heap_bytes;
    throw ConfigError("library.heap_bytes", std::to_string(library.heap_bytes),
                      "too large beside the library's other areas",
                      "up to " + std::to_string(host::OsAgent::max_heap_bytes - beside));
  }
  os.validate();
  std::vector<NodeId> nodes(network.topology.nodes);
  std::iota(nodes.begin(), nodes.end(), NodeId{0});
  const host::OsAgent trial(os, 0, std::move(nodes), memory.bytes);  // refuses a memory that is too small
  faults.validate();
}

void Cenju4Config::check_library(const Abilities& abilities, const std::string& problem) const {
  using host::BarrierMethod;
  const bool hardware = library.barrier == BarrierMethod::hardware;
  const bool synchronizes = hardware && network.topology.nodes <= host::OsAgent::most_synchronizing_nodes;
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
}

}  // namespace tsuji::fabric
