// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/core/units.h"
#include "tsuji/nic/parcel.h"

namespace tsuji::nic {

/// The sending half. Cycle counts are the time from one registered step to the next, at least 1.
struct SenderConfig {
  unsigned header_registers = 4;  ///< parcels that SPM chooses among, 1..8 (4.2)
  unsigned tlb_entries = 4;       ///< 1..64 (5.2)
  unsigned fifo_packets = 2;      ///< whole packets between SPM and the network, 1..8
  /// Packets are read whose targets have no room yet while fewer than this wait to leave, 1..fifo_packets; at
  /// fifo_packets, nothing can pass packets that wait.
  unsigned read_ahead_packets = 1;
  bool optimized_first_read =
      true;  ///< a line that the packet before flushed is read without asking the cache (5.1.2)
  /// Requests (remote read, swap, compare & swap) that wait for their replies, 1..2047: of all nodes together
  /// no more than a reply queue holds.
  unsigned outstanding_requests = 2;
  Cycle select_queue_cycles = 1;  ///< RHM: choice of a header queue
  Cycle check_header_cycles = 1;  ///< RHM: check of the header, address of the table entry
  Cycle set_port_cycles = 1;      ///< RHM: port bits, write into the header register
  Cycle choose_cycles = 1;        ///< SPM: choice of a parcel
  Cycle translate_cycles = 1;     ///< SPM: look into the TLB
  Cycle build_header_cycles = 1;  ///< SPM: packet header into the FIFO
  Cycle release_cycles = 1;  ///< from the grant of a packet's last read to its head on the wires, at least
};

struct ReceiverConfig {
  unsigned tlb_entries = 4;     ///< 1..64 (5.2)
  unsigned fifo_packets = 2;    ///< whole packets that the network may have sent ahead, 1..8
  unsigned buffer_entries = 4;  ///< cids whose buffer table entries are cached, 1..64 (4.3)
  Cycle check_cycles = 1;       ///< after the last flit: ECC verdict and packet header
  Cycle place_cycles = 1;       ///< the address from header, pointer or register
  Cycle translate_cycles = 1;   ///< look into the TLB
};

struct NicConfig {
  PacketSizes sizes;
  SenderConfig sender;
  ReceiverConfig receiver;
  /// Throws ConfigError.
  void validate() const;
};

}  // namespace tsuji::nic
