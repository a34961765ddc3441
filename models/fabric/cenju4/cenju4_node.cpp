#include "tsuji/fabric/cenju4/cenju4_node.h"

#include <utility>

namespace tsuji::fabric {
namespace {

std::vector<host::OsTask> os_tasks(const Cenju4Config& config, NodeId node) {
  std::vector<host::OsTask> tasks;
  for (const auto& rank : config.ranks_on(node)) tasks.push_back(config.os_task(rank));
  return tasks;
}

}  // namespace

Cenju4Node::Cenju4Node(sc_core::sc_module_name module_name, const Cenju4Config& config,
                       std::unique_ptr<nic::FirstHop> first_hop, unsigned nodes, ClockDomain& clock,
                       ClockDomain& host_clock, PacketPool& pool, host::SidAllocator& sids, NodeId node)
    : sc_module(module_name),
      first_hop_(std::move(first_hop)),
      checker_(pool),
      memory_("memory", config.memory),
      controller_("controller", clock, config.memory_controller, config.memory.bytes),
      processor_("processor", host_clock, node, config.processor),
      nic_("nic", config.nic, clock, pool, node, *first_hop_),
      os_(os_tasks(config, node), config.memory.bytes) {
  controller_.memory().bind(memory_.socket);
  controller_.bind_cache(processor_);
  nic_.sender_memory.bind(controller_.sender);
  nic_.receiver_memory.bind(controller_.receiver);
  processor_.memory.bind(controller_.processor);
  processor_.registers.bind(nic_.registers);
  nic_.set_check(&checker_);
  nic_.set_interrupt_line(&processor_);
  processor_.set_interrupt_handler(os_);
  const ClockPeriod period = host_clock.period();
  os_.set_page_fault_cycles(period.cycles_from_ns(config.os.page_fault_ns));
  os_.set_task_switch_cycles(period.cycles_from_ns(config.task_switch_ns));
  processor_.set_time_slice(period.cycles_from_ns(config.time_slice_us * 1000));
  const bool synchronizes = nodes <= host::OsTask::most_synchronizing_nodes;
  for (const auto& rank : config.ranks_on(node)) {
    tasks_.push_back(std::make_unique<Task>(
        Task{config.layout(rank, os_.layout(rank.task)), {os_, rank.task, sids, processor_, synchronizes}}));
    processor_.set_address_space(os_.address_space(rank.task), rank.task);
  }
}

void Cenju4Node::start_of_simulation() {
  os_.boot(*processor_.memory.operator->(), *processor_.registers.operator->());
}

}  // namespace tsuji::fabric
