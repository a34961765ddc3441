// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <exception>

#include "tsuji/core/error.h"
#include "tsuji/link/byte_enables.h"
#include "tsuji/link/calling_process.h"
#include "tsuji/nic/interface/network_interface.h"
#include "tsuji/nic/registers.h"

// The registers as a TLM-2.0 target; their meaning is in network_interface.cpp.

namespace tsuji::nic {
namespace {

constexpr unsigned register_bytes = 8;
using Bytes = std::array<unsigned char, register_bytes>;

constexpr std::uint64_t place_in_page(std::uint64_t offset) {
  return offset % sender_set_stride;
}
constexpr std::uint64_t page_of(std::uint64_t offset) {
  return offset - place_in_page(offset);
}
bool is_os_set(std::uint64_t offset) {
  return offset >= sender_os_base && offset < sender_os_base + sender_sets * sender_set_stride;
}

/// Registers in which ones, or any write, have an effect of their own: bytes that a write leaves out are 0.
bool acts_on_ones(std::uint64_t offset) {
  if (page_of(offset) == event_os_base) return place_in_page(offset) != event_enable;
  if (page_of(offset) == common_os_base) return place_in_page(offset) == flush_tlbs;
  return offset < sender_os_base && place_in_page(offset) == queue_status;
}

/// Registers whose write has no immediate effect.
bool only_holds(std::uint64_t offset) {
  if (is_os_set(offset)) {
    return place_in_page(offset) == queue_base ||
           (place_in_page(offset) >= queue_cid && place_in_page(offset) <= synchronization_table_entries);
  }
  return page_of(offset) == common_os_base && place_in_page(offset) != flush_tlbs;
}

}  // namespace

tlm::tlm_response_status NetworkInterface::access(const tlm::tlm_generic_payload& payload) {
  const bool whole = payload.get_data_length() == register_bytes && payload.get_streaming_width() >= 8 &&
                     payload.get_byte_enable_ptr() == nullptr &&
                     payload.get_address() % register_bytes == 0 &&
                     payload.get_address() < register_space_bytes && payload.get_data_ptr() != nullptr;
  if (!whole || payload.get_command() == tlm::TLM_IGNORE_COMMAND) return access_parts(payload);
  std::uint64_t value = 0;
  if (payload.is_write()) {
    std::memcpy(&value, payload.get_data_ptr(), sizeof value);
    return write(payload.get_address(), value);
  }
  const tlm::tlm_response_status status = read(payload.get_address(), value);
  if (status == tlm::TLM_OK_RESPONSE) std::memcpy(payload.get_data_ptr(), &value, sizeof value);
  return status;
}

/// Anything but the whole of a register.
tlm::tlm_response_status NetworkInterface::access_parts(const tlm::tlm_generic_payload& payload) {
  if (!known_byte_enables(payload)) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  const unsigned length = payload.get_data_length();
  if (payload.get_data_ptr() == nullptr || length == 0) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  const unsigned width = std::min(length, payload.get_streaming_width());
  if (width == 0 || width > register_bytes) return tlm::TLM_BURST_ERROR_RESPONSE;
  const std::uint64_t offset = payload.get_address();
  if (offset >= register_space_bytes || offset % register_bytes + width > register_bytes)
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  for (unsigned done = 0; done < length; done += width) {
    const auto status = access_part(payload, done, std::min(width, length - done));
    if (status != tlm::TLM_OK_RESPONSE) return status;
  }
  return tlm::TLM_OK_RESPONSE;
}

/// `count` bytes of the payload from byte `done` on, all within the register at its address.
tlm::tlm_response_status NetworkInterface::access_part(const tlm::tlm_generic_payload& payload, unsigned done,
                                                       unsigned count) {
  const unsigned first = payload.get_address() % register_bytes;
  const std::uint64_t offset = payload.get_address() - first;
  const unsigned char* const enables = payload.get_byte_enable_ptr();
  const auto enabled = [&](unsigned byte) {
    return enables == nullptr || enables[(done + byte) % payload.get_byte_enable_length()] != 0;
  };
  unsigned char* const data = payload.get_data_ptr() + done;
  std::uint64_t value = 0;
  const bool whole = count == register_bytes && enables == nullptr;
  if (payload.is_read() || (!whole && !acts_on_ones(offset))) {
    const auto status = read(offset, value);
    if (status != tlm::TLM_OK_RESPONSE) return status;
  }
  Bytes bytes;
  std::memcpy(bytes.data(), &value, register_bytes);
  bool any = false;
  for (unsigned b = 0; b < count; ++b) {
    if (!enabled(b)) continue;
    any = true;
    payload.is_read() ? data[b] = bytes[first + b] : bytes[first + b] = data[b];
  }
  if (payload.is_read() || !any) return tlm::TLM_OK_RESPONSE;
  std::memcpy(&value, bytes.data(), register_bytes);
  return write(offset, value);
}

bool NetworkInterface::at_an_edge() const {
  const Picoseconds time = sc_core::sc_time_stamp().value(), first = domain_.ps_of(0);
  return time >= first && (time - first) % domain_.period().ps() == 0;
}

void NetworkInterface::serve(tlm::tlm_generic_payload& payload) {
  payload.set_dmi_allowed(false);
  try {
    payload.set_response_status(access(payload));
  } catch (...) {
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    domain_.fail(std::current_exception());
  }
}

void NetworkInterface::b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& time) {
  const bool ahead = time != sc_core::SC_ZERO_TIME;
  bool at_edge = at_an_edge();
  if ((ahead || at_edge) && calling_process() == CallingProcess::method) {
    throw ModelError(name(), domain_.cycle_at_kernel_time(), "",
                     "b_transport was called by a process that cannot wait");
  }
  if (ahead) {  // a temporally decoupled initiator
    wait(time);
    time = sc_core::SC_ZERO_TIME;
    at_edge = at_an_edge();
  }
  // Whether the interface's own step of this cycle has run is unknown. Before the start it has not.
  if (at_edge) {
    if (calling_process() == CallingProcess::none) {
      payload.set_dmi_allowed(false);
      payload.set_response_status(access(payload));  // its exceptions reach the caller
      return;
    }
    wait(sc_core::sc_get_time_resolution());
  }
  serve(payload);
}

tlm::tlm_sync_enum NetworkInterface::nb_transport_fw(int id, tlm::tlm_generic_payload& payload,
                                                     tlm::tlm_phase& phase, sc_core::sc_time& time) {
  ResponseQueue& responses = *responses_[static_cast<unsigned>(id)];
  if (phase != tlm::BEGIN_REQ) return responses.take_phase(payload, phase);
  return responses.take_request(payload, phase, sc_core::sc_time_stamp() + time);
}

unsigned NetworkInterface::transport_dbg(int, tlm::tlm_generic_payload& payload) {
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return 0;
  return debug(payload.is_write(), payload.get_address(), payload.get_data_ptr(), payload.get_data_length());
}

/// As far as there are registers, and for writes such that only hold a value and can hold this one.
unsigned NetworkInterface::debug(bool write_them, std::uint64_t address, unsigned char* data,
                                 unsigned count) {
  unsigned done = 0;
  while (done < count) {
    const unsigned first = (address + done) % register_bytes;
    const std::uint64_t offset = address + done - first;
    const unsigned part = std::min(count - done, register_bytes - first);
    std::uint64_t value = 0;
    if (offset >= register_space_bytes || read(offset, value) != tlm::TLM_OK_RESPONSE) break;
    Bytes bytes;
    std::memcpy(bytes.data(), &value, register_bytes);
    if (write_them) {
      std::memcpy(bytes.data() + first, data + done, part);
      std::memcpy(&value, bytes.data(), register_bytes);
      if (!only_holds(offset)) break;
      try {
        if (write(offset, value) != tlm::TLM_OK_RESPONSE) break;
      } catch (const ModelError&) {
        break;
      }
    } else {
      std::memcpy(data + done, bytes.data() + first, part);
    }
    done += part;
  }
  return done;
}

}  // namespace tsuji::nic
