// SPDX-License-Identifier: Apache-2.0
// Puts of 8 bytes by the library's processor, or by an external one that writes its parcel headers through
// direct memory pointers. Both put the same words at the same pace, so that their instruction counts compare
// (scripts/bench, foreign_dmi).

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

#include "machines/machines.h"
#include "tsuji/nic/parcel.h"

using namespace tsuji;

namespace {

constexpr unsigned processor_cycles_a_put = 400;

nic::ParcelHeader header_of(std::uint64_t number, std::uint64_t destination) {
  nic::ParcelHeader header;
  header.inline_data = true;
  header.length = 8;
  header.logical_pe = 1;
  header.source = number;
  header.destination = destination;
  return header;
}

/// External processor: node 0 puts, node 1 does nothing.
class DirectPuts final : public sc_core::sc_module, public InterruptLine {
 public:
  SC_HAS_PROCESS(DirectPuts);
  DirectPuts(sc_core::sc_module_name name, machines::NodeSockets& sockets, std::uint64_t puts)
      : sc_module(name), node_(sockets), puts_(puts) {
    node_.bind_memory(memory_);
    node_.bind_registers(registers_);
    node_.set_interrupt(*this);
    SC_THREAD(run);
  }
  void raised(Cycle) override {}

 private:
  void run() {
    if (node_.node() != 0) return;
    const host::OsAgent& os = node_.os();
    tlm::tlm_dmi direct;
    std::vector<unsigned char*> pages;
    for (std::uint64_t at = 0; at < os.layout().queue.bytes; at += nic::page_bytes)
      pages.push_back(page(os.address_space().translate(os.layout().queue.address + at).physical, direct));
    for (std::uint64_t i = 0; i < puts_; ++i) {
      const auto words = header_of(i + 1, os.layout().heap.address).encode();
      const std::uint64_t slot = i * nic::ParcelHeader::bytes % os.layout().queue.bytes;
      std::memcpy(pages[slot / nic::page_bytes] + slot % nic::page_bytes, words.data(),
                  nic::ParcelHeader::bytes);
      wait(static_cast<double>(words.size()) * direct.get_write_latency());
      write_register(os.layout().queue_write_register,
                     (slot + nic::ParcelHeader::bytes) % os.layout().queue.bytes);
      wait(pace_);
    }
  }
  unsigned char* page(std::uint64_t address, tlm::tlm_dmi& direct) {
    tlm::tlm_generic_payload asked;
    asked.set_command(tlm::TLM_WRITE_COMMAND);
    asked.set_address(address);
    if (!memory_->get_direct_mem_ptr(asked, direct) ||
        direct.get_end_address() < address + nic::page_bytes - 1)
      throw std::runtime_error("no direct memory pointer to a page");
    return direct.get_dmi_ptr() + (address - direct.get_start_address());
  }
  void write_register(std::uint64_t offset, std::uint64_t word) {
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(offset);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
    payload.set_data_length(8);
    payload.set_streaming_width(8);
    sc_core::sc_time delay;
    registers_->b_transport(payload, delay);
    if (!payload.is_response_ok()) throw std::runtime_error("a refused register write");
    wait(delay);
  }

  machines::NodeSockets& node_;
  const std::uint64_t puts_;
  const sc_core::sc_time pace_{processor_cycles_a_put * 12.5, sc_core::SC_NS};
  tlm_utils::simple_initiator_socket<DirectPuts, 64> memory_{"memory"};
  tlm_utils::simple_initiator_socket<DirectPuts> registers_{"registers"};
};

void put_by_our_processor(machines::Cenju4Machine& machine, std::uint64_t puts) {
  platform::Cenju4Job job(machine);
  const auto body = [&](host::RankRuntime& runtime) {
    if (runtime.rank() != 0) return;
    host::Cpu& cpu = machine.node(0).processor();
    const host::TaskMemory& task = machine.node(0).os().layout();
    for (std::uint64_t i = 0; i < puts; ++i) {
      const auto words = header_of(i + 1, task.heap.address).encode();
      const std::uint64_t slot = i * nic::ParcelHeader::bytes % task.queue.bytes;
      for (unsigned w = 0; w < words.size(); ++w) cpu.store(task.queue.address + slot + 8 * w, words[w]);
      cpu.register_write(task.queue_write_register, (slot + nic::ParcelHeader::bytes) % task.queue.bytes);
      cpu.compute(processor_cycles_a_put);
    }
  };
  job.load([&](host::RankRuntime& runtime) { return std::make_unique<test::Script>(runtime, body); });
  job.run([](Cycle) {});
}

}  // namespace

int sc_main(int argc, char** argv) {
  const std::string who = argc == 3 ? argv[1] : "";
  if (who != "own" && who != "foreign") {
    std::fprintf(stderr, "usage: direct_puts own|foreign PUTS\n");
    return 2;
  }
  const std::uint64_t puts = std::stoull(argv[2]);
  machines::Cenju4Config config;
  config.network.topology.nodes = 2;
  if (who == "foreign")
    config.parts.processor = [puts](machines::NodeSockets& node) {
      return std::make_unique<DirectPuts>("processor", node, puts);
    };
  config.resolve();
  config.validate();
  machines::Cenju4Machine machine("machine", config);
  if (who == "own")
    put_by_our_processor(machine, puts);
  else
    machine.run(1'000'000'000, [](Cycle) {});
  const std::uint64_t delivered = machine.metrics().packets_delivered();
  std::printf("%s: %lu puts, %lu packets delivered\n", who.c_str(), puts, delivered);
  return delivered >= puts ? 0 : 1;
}
