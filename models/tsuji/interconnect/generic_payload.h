// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm>

#include "tsuji/interconnect/message.h"

namespace tsuji::interconnect {

/// Attributes of a payload.
Access access_of(const tlm::tlm_generic_payload& payload);
/// The error of a payload whose attributes contradict each other or the standard; ok: there is none.
Status malformed(const tlm::tlm_generic_payload& payload);
tlm::tlm_response_status to_tlm(Status status);
Status of_tlm(tlm::tlm_response_status status);
tlm::tlm_command to_tlm(Command command);
/// Data and byte enables of a payload.
DataView view_of(const tlm::tlm_generic_payload& payload);
/// Copies extensions that `from` has and `to` lacks; `to` owns the copies until it is reset.
void add_extensions(const tlm::tlm_generic_payload& from, tlm::tlm_generic_payload& to);

/// Gives a payload another address for a call, and its own one afterwards.
class OtherAddress {
 public:
  OtherAddress(tlm::tlm_generic_payload& payload, std::uint64_t address)
      : payload_(payload), own_(payload.get_address()) {
    payload_.set_address(address);
  }
  ~OtherAddress() { payload_.set_address(own_); }
  OtherAddress(const OtherAddress&) = delete;
  OtherAddress& operator=(const OtherAddress&) = delete;

 private:
  tlm::tlm_generic_payload& payload_;
  const std::uint64_t own_;
};

}  // namespace tsuji::interconnect
