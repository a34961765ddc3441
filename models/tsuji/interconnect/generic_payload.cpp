// SPDX-License-Identifier: Apache-2.0
#include "tsuji/interconnect/generic_payload.h"

#include "tsuji/link/byte_enables.h"

namespace tsuji::interconnect {

Access access_of(const tlm::tlm_generic_payload& payload) {
  Access access;
  access.command = payload.is_read() ? Command::read : payload.is_write() ? Command::write : Command::ignore;
  access.has_enables = payload.get_byte_enable_ptr() != nullptr;
  access.address = payload.get_address();
  access.bytes = payload.get_data_length();
  access.streaming_bytes = payload.get_streaming_width();
  return access;
}

Status malformed(const tlm::tlm_generic_payload& payload) {
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return Status::ok;
  if (payload.get_data_length() == 0 || payload.get_streaming_width() == 0) return Status::burst_error;
  if (payload.get_data_ptr() == nullptr) return Status::generic_error;
  return known_byte_enables(payload) ? Status::ok : Status::byte_enable_error;
}

tlm::tlm_response_status to_tlm(Status status) {
  switch (status) {
    case Status::ok:
      return tlm::TLM_OK_RESPONSE;
    case Status::generic_error:
      return tlm::TLM_GENERIC_ERROR_RESPONSE;
    case Status::address_error:
      return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    case Status::command_error:
      return tlm::TLM_COMMAND_ERROR_RESPONSE;
    case Status::burst_error:
      return tlm::TLM_BURST_ERROR_RESPONSE;
    case Status::byte_enable_error:
      return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    default:
      return tlm::TLM_INCOMPLETE_RESPONSE;
  }
}

Status of_tlm(tlm::tlm_response_status status) {
  for (const Status one : {Status::ok, Status::generic_error, Status::address_error, Status::command_error,
                           Status::burst_error, Status::byte_enable_error})
    if (to_tlm(one) == status) return one;
  return Status::incomplete;
}

tlm::tlm_command to_tlm(Command command) {
  if (command == Command::ignore) return tlm::TLM_IGNORE_COMMAND;
  return command == Command::read ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND;
}

DataView view_of(const tlm::tlm_generic_payload& payload) {
  return {payload.get_data_ptr(), payload.get_byte_enable_ptr(), payload.get_byte_enable_length()};
}

void add_extensions(const tlm::tlm_generic_payload& from, tlm::tlm_generic_payload& to) {
  for (unsigned i = 0; i < tlm::max_num_extensions(); ++i) {
    const tlm::tlm_extension_base* const extension = from.get_extension(i);
    if (extension == nullptr || to.get_extension(i) != nullptr) continue;
    if (tlm::tlm_extension_base* const copy = extension->clone()) to.set_auto_extension(i, copy);
  }
}

}  // namespace tsuji::interconnect
