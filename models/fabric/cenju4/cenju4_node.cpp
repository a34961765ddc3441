#include "tsuji/fabric/cenju4/cenju4_node.h"

#include <utility>

namespace tsuji::fabric {
namespace {

std::vector<NodeId> every_node(unsigned nodes) {
  std::vector<NodeId> all(nodes);
  for (NodeId node = 0; node < nodes; ++node) all[node] = node;
  return all;
}

/// The library's areas in the operating system's: the header queue, the message buffers and the
/// synchronization counters are the system's, everything else lies in the heap.
host::TaskLayout areas(const Cenju4Config& config, unsigned nodes, const host::TaskMemory& os) {
  host::TaskLayout layout = host::plan_task_layout(config.library, os.logical_pe, nodes, config.os.sender_set,
                                                   os.heap.address, os.buffer_entry);
  layout.header_queue = os.queue.address;
  layout.header_queue_bytes = static_cast<std::uint32_t>(os.queue.bytes);
  for (unsigned buffer = 0; buffer < 2; ++buffer) {
    layout.message_buffer[buffer] = os.message[buffer].address;
    layout.message_buffer_bytes[buffer] = os.message[buffer].bytes;
  }
  layout.log_buffer = os.log.address;
  layout.log_buffer_bytes = os.log.bytes;
  layout.synchronization_counters = os.synchronization_counters;
  layout.reply_notifications = os.reply_notifications;
  return layout;
}

}  // namespace

Cenju4Node::Cenju4Node(sc_core::sc_module_name module_name, const Cenju4Config& config,
                       std::unique_ptr<nic::FirstHop> first_hop, unsigned nodes, ClockDomain& clock,
                       ClockDomain& host_clock, PacketPool& pool, host::SidAllocator& sids, NodeId node)
    : sc_module(module_name),
      nodes_(nodes),
      sids_(sids),
      first_hop_(std::move(first_hop)),
      checker_(pool),
      memory_("memory", config.memory),
      controller_("controller", clock, config.memory_controller, config.memory.bytes),
      processor_("processor", host_clock, node, config.processor),
      nic_("nic", config.nic, clock, pool, node, *first_hop_),
      os_(config.os, static_cast<std::uint16_t>(node), every_node(nodes_), config.memory.bytes),
      layout_(areas(config, nodes_, os_.layout())) {
  controller_.memory().bind(memory_.socket);
  controller_.bind_cache(processor_);
  nic_.sender_memory.bind(controller_.sender);
  nic_.receiver_memory.bind(controller_.receiver);
  processor_.memory.bind(controller_.processor);
  processor_.registers.bind(nic_.registers);
  processor_.set_address_space(os_.address_space());
  nic_.set_check(&checker_);
  nic_.set_interrupt_line(&processor_);
  processor_.set_interrupt_handler(os_);
  os_.set_page_fault_cycles(host_clock.period().cycles_from_ns(config.os.page_fault_ns));
}

void Cenju4Node::start_of_simulation() {
  os_.boot(*processor_.memory.operator->(), *processor_.registers.operator->());
}

void Cenju4Node::ask_for_group(std::uint32_t, const std::vector<std::uint32_t>& members, Cycle now) {
  if (nodes_ > host::OsAgent::most_synchronizing_nodes) return;
  const std::vector<std::uint16_t> pes(members.begin(), members.end());
  const std::uint64_t map = os_.synchronization_map(pes);
  sids_.request(now, {os_.layout().cid, map, registered_[map]});
}

host::GroupHandle Cenju4Node::register_group(std::uint32_t, const std::vector<std::uint32_t>& members) {
  const std::vector<std::uint16_t> pes(members.begin(), members.end());
  host::GroupHandle handle;
  for (const auto& part : os_.register_multicast(pes)) handle.multicast.push_back(part.offset);
  handle.synchronizes = nodes_ <= host::OsAgent::most_synchronizing_nodes;
  if (!handle.synchronizes) return handle;
  const std::uint64_t map = os_.synchronization_map(pes);
  const host::SidAllocator::Group group{os_.layout().cid, map, registered_[map]++};
  handle.sid = sids_.sid(processor_.now(), group);
  handle.synchronization = os_.register_synchronization(pes, handle.sid);
  return handle;
}

}  // namespace tsuji::fabric
