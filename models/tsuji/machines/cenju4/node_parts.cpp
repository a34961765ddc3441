// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/cenju4/node_parts.h"

#include "tsuji/core/error.h"

namespace tsuji::machines {

NodeSockets::NodeSockets(std::string part, NodeId node, bool in_processors_place,
                         host::MemoryController& controller, nic::NetworkInterface& interface,
                         const host::OsAgent& os, const SocketBinder& bind)
    : part_(std::move(part)),
      node_(node),
      in_processors_place_(in_processors_place),
      controller_(controller),
      interface_(interface),
      os_(os),
      bind_(bind) {}

tlm::tlm_base_target_socket<>& NodeSockets::memory_target() {
  const unsigned number = memory_sockets_++;
  if (in_processors_place_ && number == 0) return controller_.processor;
  return controller_.add_initiator(sc_core::sc_gen_unique_name((part_ + "_memory_place").c_str()));
}

tlm::tlm_base_target_socket<>& NodeSockets::register_target() {
  const unsigned number = register_sockets_++;
  if (in_processors_place_ && number == 0) return interface_.registers;
  return interface_.add_registers(sc_core::sc_gen_unique_name((part_ + "_register_place").c_str()));
}

void NodeSockets::set_interrupt(InterruptLine& line) {
  if (!in_processors_place_)
    throw ModelError(part_, "the interrupt is already bound to the node's processor");
  interface_.set_interrupt_line(&line);
}

void NodeSockets::bind_cache(host::CacheSnoop& cache) {
  if (!in_processors_place_)
    throw ModelError(part_, "the memory controller already snoops the cache of the node's processor");
  controller_.bind_cache(cache);
}

void NodeSockets::check_processors_place() const {
  if (memory_sockets_ == 0) throw ModelError(part_, "the processor has bound no memory socket");
  if (register_sockets_ == 0) throw ModelError(part_, "the processor has bound no register socket");
}

}  // namespace tsuji::machines
