// SPDX-License-Identifier: Apache-2.0
#include <tlm_utils/simple_initiator_socket.h>

#include "tsuji/machines/cenju4/cenju4_machine.h"
#include "tsuji/nic/parcel.h"

using namespace tsuji;
/// Knows TLM-2.0 only. Each of two nodes puts a word into the other's heap and takes an interrupt for it.
struct OwnProcessor : sc_core::sc_module, InterruptLine {
  SC_HAS_PROCESS(OwnProcessor);
  OwnProcessor(sc_core::sc_module_name name, machines::NodeSockets& sockets) : sc_module(name), node(sockets) {
    node.bind_memory(memory);
    node.bind_registers(registers);
    node.set_interrupt(*this);
    SC_THREAD(run);
  }
  void raised(Cycle) override { interrupted.notify(sc_core::SC_ZERO_TIME); }
  void run() {
    const host::OsAgent& os = node.os();
    const auto limits = os.tables_in_memory().buffer_limit_table + os.layout().cid * nic::BufferLimits::bytes;
    access(memory, tlm::TLM_WRITE_COMMAND, limits + 8 * nic::BufferLimits::interrupt_word, 1);
    nic::ParcelHeader put;
    put.inline_data = put.interrupt = true;
    put.length = 8;
    put.logical_pe = static_cast<std::uint16_t>(1 - node.node());
    put.source = 42 + node.node();
    put.destination = os.layout().heap.address;
    for (unsigned w = 0; w < 4; ++w)
      access(memory, tlm::TLM_WRITE_COMMAND, os.physical().queue + 8 * w, put.encode()[w]);
    access(registers, tlm::TLM_WRITE_COMMAND, os.layout().queue_write_register, nic::ParcelHeader::bytes);
    wait(interrupted);
    access(registers, tlm::TLM_WRITE_COMMAND, nic::event_os_base + nic::event_pending, ~0ULL);
    const auto heap = os.address_space().translate(put.destination).physical;
    std::printf("%s: %lu\n", name(), access(memory, tlm::TLM_READ_COMMAND, heap, 0));
  }
  template <typename Socket>
  std::uint64_t access(Socket& socket, tlm::tlm_command command, std::uint64_t address, std::uint64_t word) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
    payload.set_data_length(8);
    payload.set_streaming_width(8);
    sc_core::sc_time delay;
    socket->b_transport(payload, delay);
    return wait(delay), word;
  }
  machines::NodeSockets& node;
  tlm_utils::simple_initiator_socket<OwnProcessor, 64> memory{"memory"};
  tlm_utils::simple_initiator_socket<OwnProcessor> registers{"registers"};
  sc_core::sc_event interrupted;
};
int sc_main(int, char**) {
  machines::Cenju4Config config;
  config.network.topology.nodes = 2;
  config.parts.processor = [](auto& node) { return std::make_unique<OwnProcessor>("processor", node); };
  config.resolve();
  machines::Cenju4Machine machine("machine", config);
  machine.run(1'000'000, [](Cycle) {});
  return 0;
}
