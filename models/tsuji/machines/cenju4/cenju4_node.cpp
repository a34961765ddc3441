// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/cenju4/cenju4_node.h"

#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::machines {
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
      node_(node),
      bind_(config.parts.bind ? config.parts.bind
                              : [](const std::string&, tlm::tlm_base_initiator_socket<>& initiator,
                                   tlm::tlm_base_target_socket<>& target) { initiator.bind(target); }),
      first_hop_(std::move(first_hop)),
      checker_(pool),
      builder_(config.parts.builder ? config.parts.builder(node, config.nic.sizes) : nullptr),
      check_(config.parts.check ? config.parts.check(node, pool) : nullptr),
      memory_("memory", config.memory),
      controller_("controller", clock, config.memory_controller, config.memory.bytes),
      processor_(config.parts.processor
                     ? nullptr
                     : std::make_unique<host::Processor>("processor", host_clock, node, config.processor)),
      nic_("nic", config.nic, clock, pool, node, *first_hop_),
      os_(os_tasks(config, node), config.memory.bytes) {
  bind_sockets();
  nic_.set_check(check_ ? check_.get() : &checker_);
  if (builder_) nic_.set_builder(*builder_);
  const ClockPeriod period = host_clock.period();
  os_.set_page_fault_cycles(period.cycles_from_ns(config.os.page_fault_ns));
  os_.set_task_switch_cycles(period.cycles_from_ns(config.task_switch_ns));
  if (processor_) {
    processor_->set_main_clock(clock);
    processor_->set_time_slice(period.cycles_from_ns(config.time_slice_us * 1000));
    join_processor(config, nodes, sids);
  } else {
    add_foreign("processor", true, config.parts.processor);
    foreign_.back().sockets->check_processors_place();
  }
  unsigned number = 0;
  for (const NodePart& make : config.parts.initiators)
    add_foreign("initiator" + std::to_string(number++), false, make);
}

void Cenju4Node::bind_sockets() {
  bind_("controller.memory", controller_.memory(), memory_.socket);
  bind_("nic.sender_memory", nic_.sender_memory, controller_.sender);
  bind_("nic.receiver_memory", nic_.receiver_memory, controller_.receiver);
}

void Cenju4Node::join_processor(const Cenju4Config& config, unsigned nodes, host::SidAllocator& sids) {
  controller_.bind_cache(*processor_);
  bind_("processor.memory", processor_->memory, controller_.processor);
  bind_("processor.registers", processor_->registers, nic_.registers);
  nic_.set_interrupt_line(processor_.get());
  processor_->set_interrupt_handler(os_);
  const bool synchronizes = nodes <= host::OsTask::most_synchronizing_nodes;
  for (const auto& rank : config.ranks_on(node_)) {
    tasks_.push_back(std::make_unique<Task>(
        Task{config.layout(rank, os_.layout(rank.task)), {os_, rank.task, sids, *processor_, synchronizes}}));
    processor_->set_address_space(os_.address_space(rank.task), rank.task);
  }
}

void Cenju4Node::add_foreign(const std::string& part, bool in_processors_place, const NodePart& make) {
  Foreign foreign;
  foreign.sockets =
      std::make_unique<NodeSockets>(part, node_, in_processors_place, controller_, nic_, os_, bind_);
  foreign.module = make(*foreign.sockets);
  foreign_.push_back(std::move(foreign));
}

host::Processor& Cenju4Node::processor() {
  if (!processor_) throw ModelError(name(), "this node has an external processor");
  return *processor_;
}

std::vector<std::string> Cenju4Node::foreign_waits() const {
  std::vector<std::string> waits;
  for (const Foreign& foreign : foreign_) {
    const std::string wait = foreign.sockets->waiting();
    if (!wait.empty()) waits.push_back(wait);
  }
  return waits;
}

void Cenju4Node::start_of_simulation() {
  os_.boot(controller_.processor.get_base_interface(), nic_.registers.get_base_interface());
  for (const Foreign& foreign : foreign_) foreign.sockets->boot();
}

}  // namespace tsuji::machines
