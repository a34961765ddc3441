// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tsuji::nic {

// Values in the registers of events and in status words (registers.h, tables.h).

/// Reason for which the interface refuses a task's request (rooms/nic.md, Protection and events). The numbers
/// are those of the status registers; 0: nothing was refused.
enum class Violation : std::uint8_t {
  none = 0,
  header = 1,         ///< a header that `parcel_problem` refuses
  destination = 2,    ///< A logical PE or an offset outside its table, or without an entry.
  write_pointer = 3,  ///< A pointer outside the queue, not at a header, or past the read pointer.
  segment = 4,        ///< An address in no segment of its cid.
  page = 5,           ///< a page without a valid entry
  read_only = 6,      ///< a write to a page that is read only
  /// A packet for a buffer that its cid does not have, or whose read pointer is outside the buffer.
  buffer = 7,
  overrun = 8,    ///< a packet for a message or log buffer without room
  alignment = 9,  ///< A register plus offset that is not a valid address of a packet's data.
  remote = 10,    ///< the other node has refused a request: its address is not mapped there
};
const char* name_of(Violation violation);

/// Events that can interrupt the operating system; the number is the bit in `event_pending`.
enum class NicEvent : std::uint8_t {
  sender_refused = 0,    ///< a header or a write pointer, or the rest of a parcel
  sender_fault = 1,      ///< SPM waits for a page
  receiver_refused = 2,  ///< a packet
  receiver_fault = 3,    ///< the Receiver waits for a page
  sender_empty = 4,      ///< a set's queue is empty and its last packet has left
  received = 5,          ///< a parcel whose header asks for it has been written out
  quarter = 6,           ///< a message or log buffer's pointer has entered another quarter
  memory_error = 7,      ///< the memory controller has answered a request with an error
};

}  // namespace tsuji::nic
