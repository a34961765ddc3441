// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/boot_block.h"

#include <algorithm>
#include <cstring>

#include "tsuji/link/byte_enables.h"
#include "tsuji/nic/tables.h"

namespace tsuji::host {
namespace {

namespace at = nic::fields::boot_block;

/// Physical address of `bytes` from a logical address on; 0 if their pages are not neighbours.
std::uint64_t contiguous_physical(const AddressSpace& space, const TaskMemory::Buffer& buffer) {
  if (buffer.bytes == 0) return 0;
  const std::uint64_t first = space.translate(buffer.address).physical;
  for (std::uint64_t offset = nic::page_bytes; offset < buffer.bytes; offset += nic::page_bytes)
    if (space.translate(buffer.address + offset).physical != first + offset) return 0;
  return first;
}

class BootWriter {
 public:
  void set(nic::Field field, std::uint64_t value) { words[field.word] |= field.word_of(value); }
  void set_buffer(const AddressSpace& space, const TaskMemory::Buffer& buffer, nic::Field address,
                  nic::Field bytes, nic::Field physical) {
    set(address, buffer.address);
    set(bytes, buffer.bytes);
    set(physical, contiguous_physical(space, buffer));
  }
  BootWords words{};
};

void set_tables(BootWriter& block, const OsAgent& os, unsigned task) {
  const TaskMemory& layout = os.layout(task);
  const PhysicalLayout& physical = os.physical(task);
  const OsConfig& config = os.config(task);
  block.set(at::queue, physical.queue);
  block.set(at::queue_bytes, layout.queue.bytes);
  block.set(at::node_table, physical.node_table);
  block.set(at::node_table_entries, layout.pes);
  block.set(at::multicast_table, physical.multicast_table);
  block.set(at::multicast_table_entries, config.multicast_entries);
  block.set(at::synchronization_table, physical.synchronization_table);
  block.set(at::synchronization_table_entries, config.synchronization_entries);
  block.set(at::segment_table, os.tables_in_memory().segment_table);
  block.set(at::buffer_table, os.tables_in_memory().buffer_table);
  block.set(at::buffer_limit_table, os.tables_in_memory().buffer_limit_table);
  block.set(at::synchronization_counters, physical.synchronization_counters);
}

}  // namespace

BootWords boot_words(const OsAgent& os, const BootFacts& facts, unsigned task) {
  const TaskMemory& layout = os.layout(task);
  const AddressSpace& space = os.address_space(task);
  BootWriter block;
  block.set(at::magic, nic::boot_magic);
  block.set(at::version, nic::interface_version);
  block.set(at::node, facts.node);
  block.set(at::nodes, facts.nodes);
  block.set(at::clock_period_ps, facts.clock_period_ps);
  block.set(at::logical_pe, layout.logical_pe);
  block.set(at::cid, layout.cid);
  block.set(at::sender_set, os.config(task).sender_set);
  block.set(at::pes, layout.pes);
  block.set(at::registers, facts.registers);
  block.set(at::interrupt_unit, facts.interrupt_unit);
  block.set(at::memory_bytes, facts.memory_bytes);
  set_tables(block, os, task);
  block.set_buffer(space, layout.heap, at::heap, at::heap_bytes, at::heap_physical);
  block.set_buffer(space, layout.message[0], at::message0, at::message0_bytes, at::message0_physical);
  block.set_buffer(space, layout.message[1], at::message1, at::message1_bytes, at::message1_physical);
  block.set_buffer(space, layout.log, at::log, at::log_bytes, at::log_physical);
  return block.words;
}

BootBlock::BootBlock(sc_core::sc_module_name name, const BootWords& words)
    : sc_module(name),
      socket("socket"),
      responses_(
          "responses",
          [this](tlm::tlm_generic_payload& payload) {
            serve(payload);
            return sc_core::SC_ZERO_TIME;
          },
          [this](tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& time) {
            return socket->nb_transport_bw(payload, phase, time);
          }) {
  std::memcpy(bytes_.data(), words.data(), bytes_.size());
  socket.register_b_transport(this, &BootBlock::b_transport);
  socket.register_nb_transport_fw(this, &BootBlock::nb_transport_fw);
  socket.register_get_direct_mem_ptr(this, &BootBlock::get_direct_mem_ptr);
  socket.register_transport_dbg(this, &BootBlock::transport_dbg);
}

void BootBlock::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  serve(payload);
}

tlm::tlm_sync_enum BootBlock::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                              sc_core::sc_time& time) {
  if (phase != tlm::BEGIN_REQ) return responses_.take_phase(payload, phase);
  responses_.check_request(payload);
  return responses_.take_request(payload, phase, sc_core::sc_time_stamp() + time);
}

void BootBlock::serve(tlm::tlm_generic_payload& payload) {
  auto status = check_bytes(payload);
  const std::uint64_t width = std::min(payload.get_data_length(), payload.get_streaming_width());
  if (payload.is_write())
    status = tlm::TLM_COMMAND_ERROR_RESPONSE;
  else if (status == tlm::TLM_OK_RESPONSE && payload.is_read() &&
           (payload.get_address() >= bytes_.size() || width > bytes_.size() - payload.get_address()))
    status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (status == tlm::TLM_OK_RESPONSE && payload.is_read()) {
    visit_enabled_bytes(payload, [this](std::uint64_t address, unsigned char* data, unsigned count) {
      std::memcpy(data, bytes_.data() + address, count);
    });
  }
  payload.set_dmi_allowed(status == tlm::TLM_OK_RESPONSE);
  payload.set_response_status(status);
}

bool BootBlock::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  dmi.init();
  if (payload.is_write() || payload.get_address() >= bytes_.size()) {
    dmi.set_start_address(payload.is_write() ? 0 : bytes_.size());
    return false;
  }
  dmi.set_start_address(0);
  dmi.set_end_address(bytes_.size() - 1);
  dmi.set_dmi_ptr(bytes_.data());
  dmi.allow_read();
  return true;
}

unsigned BootBlock::transport_dbg(tlm::tlm_generic_payload& payload) {
  if (!payload.is_read() || payload.get_address() >= bytes_.size()) return 0;
  const auto count = static_cast<unsigned>(
      std::min<std::uint64_t>(payload.get_data_length(), bytes_.size() - payload.get_address()));
  std::memcpy(payload.get_data_ptr(), bytes_.data() + payload.get_address(), count);
  return count;
}

}  // namespace tsuji::host
