// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/memory_port.h"

#include <algorithm>
#include <cstring>

namespace tsuji::host {

MemoryPort::MemoryPort(const char* socket_name, std::uint64_t bytes) : socket(socket_name), bytes_(bytes) {
  socket.register_invalidate_direct_mem_ptr(this, &MemoryPort::invalidate_direct_mem_ptr);
}

/// For a pointer to the page.
unsigned char* MemoryPort::ask(std::uint64_t address, unsigned count, bool write) {
  const std::uint64_t number = address / page_bytes;
  const unsigned offset = address % page_bytes;
  if (offset + count > page_bytes) return nullptr;

  tlm::tlm_generic_payload request;
  request.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  request.set_address(number * page_bytes);
  tlm::tlm_dmi dmi;
  if (!socket->get_direct_mem_ptr(request, dmi)) return nullptr;
  const std::uint64_t start = number * page_bytes;
  const bool whole = dmi.get_start_address() <= start && dmi.get_end_address() >= start + page_bytes - 1;
  // Parts of a line are read before they are written.
  if (!whole || !(write ? dmi.is_read_write_allowed() : dmi.is_read_allowed())) return nullptr;
  Direct& entry = pages_[number % pages_.size()];
  entry = {number, dmi.get_dmi_ptr() + (start - dmi.get_start_address()), dmi.is_read_write_allowed()};
  return entry.bytes + offset;
}

void MemoryPort::transport(tlm::tlm_command command, std::uint64_t address, unsigned char* data,
                           unsigned count) {
  // After an error nothing more is done: a part of a line would be merged with bytes that were never read.
  if (status_ != tlm::TLM_OK_RESPONSE) return;
  tlm::tlm_generic_payload request;
  request.set_command(command);
  request.set_address(address);
  request.set_data_ptr(data);
  request.set_data_length(count);
  request.set_streaming_width(count);
  request.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  socket->b_transport(request, ahead_);
  if (request.is_response_error()) status_ = request.get_response_status();
}

void MemoryPort::begin() {
  begun_ = sc_core::sc_time_stamp();
  ahead_ = sc_core::SC_ZERO_TIME;
  status_ = tlm::TLM_OK_RESPONSE;
}

unsigned MemoryPort::debug(bool write, std::uint64_t address, unsigned char* data, unsigned count) {
  tlm::tlm_generic_payload request;
  request.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  request.set_address(address);
  request.set_data_ptr(data);
  request.set_data_length(count);
  request.set_streaming_width(count);
  return std::min(count, socket->transport_dbg(request));
}

void MemoryPort::read(std::uint64_t address, void* to, unsigned count) {
  const unsigned char* from = direct(address, count, false);
  if (from == nullptr) {
    transport(tlm::TLM_READ_COMMAND, address, static_cast<unsigned char*>(to), count);
    return;
  }
  ++direct_;
  std::memcpy(to, from, count);
}

void MemoryPort::write(std::uint64_t address, const void* from, unsigned count) {
  unsigned char* to = direct(address, count, true);
  if (to == nullptr) {
    // The payload's data pointer is not const, although a target must not change what it writes from.
    auto* data = const_cast<unsigned char*>(static_cast<const unsigned char*>(from));
    transport(tlm::TLM_WRITE_COMMAND, address, data, count);
    return;
  }
  ++direct_;
  std::memcpy(to, from, count);
}

void MemoryPort::invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) {
  for (Direct& entry : pages_) {
    if (entry.bytes == nullptr) continue;
    const std::uint64_t first = entry.page * page_bytes;
    if (first <= end && first + page_bytes - 1 >= start) entry = Direct{};
  }
  if (tell_) tell_(start, end);
}

}  // namespace tsuji::host
