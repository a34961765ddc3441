// SPDX-License-Identifier: Apache-2.0
#include "tsuji/interconnect/thread_initiator.h"

#include <sstream>
#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::interconnect {

ThreadInitiator::ThreadInitiator(sc_core::sc_module_name name) : sc_module(name), socket("socket") {}

void ThreadInitiator::start(std::function<void()> body) {
  ++running_;
  sc_core::sc_spawn([this, body = std::move(body)] {
    body();
    --running_;
  });
}

void ThreadInitiator::access(tlm::tlm_command command, std::uint64_t address, unsigned char* data,
                             unsigned bytes) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(data);
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  sc_core::sc_time time;
  socket->b_transport(payload, time);
  sc_core::wait(time);
  if (!payload.is_response_error()) return;
  std::ostringstream text;
  text << (payload.is_read() ? "read" : "write") << " of " << bytes << " bytes at 0x" << std::hex << address
       << ": " << payload.get_response_string() << " (at " << sc_core::sc_time_stamp() << ")";
  throw ModelError(name(), 0, "", text.str());
}

}  // namespace tsuji::interconnect
