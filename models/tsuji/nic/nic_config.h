// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/core/units.h"
#include "tsuji/nic/parcel.h"

namespace tsuji::nic {

/// Configuration of the sending half. Cycle counts are the time from one registered step to the next, at
/// least 1.
struct SenderConfig {
  unsigned header_registers = 4;  ///< Parcels among which SPM chooses, 1..8 (section 4.2).
  unsigned tlb_entries = 4;       ///< entries of the TLB, 1..64 (section 5.2)
  unsigned fifo_packets = 2;      ///< Packets between SPM and the network, 1..8.
  /// SPM reads packets whose destinations have no room yet while fewer than this number wait to leave,
  /// 1..fifo_packets; at fifo_packets, no packet can pass waiting packets.
  unsigned read_ahead_packets = 1;
  bool optimized_first_read =
      /// A line that the previous packet flushed is read without a snoop of the cache (section 5.1.2).
      true;
  /// Requests (remote read, swap, compare & swap) without a reply, 1..2047; those of all nodes together must
  /// fit into one reply queue.
  unsigned outstanding_requests = 2;
  Cycle select_queue_cycles = 1;  ///< time of RHM to choose a header queue
  Cycle check_header_cycles = 1;  ///< RHM: check of the header, address of the table entry
  Cycle set_port_cycles = 1;      ///< time of RHM to set the port bits and to write the header register
  Cycle choose_cycles = 1;        ///< time of SPM to choose a parcel
  Cycle translate_cycles = 1;     ///< time of SPM to look into the TLB
  Cycle build_header_cycles = 1;  ///< time of SPM to write the packet header into the FIFO
  /// Shortest time from the grant of a packet's last read to its head on the link.
  Cycle release_cycles = 1;
};

struct ReceiverConfig {
  unsigned tlb_entries = 4;   ///< entries of the TLB, 1..64 (section 5.2)
  unsigned fifo_packets = 2;  ///< Packets that the network may send ahead, 1..8.
  /// Number of cids whose buffer table entries are cached, 1..64 (section 4.3).
  unsigned buffer_entries = 4;
  Cycle check_cycles = 1;      ///< after the last flit: ECC verdict and packet header
  Cycle place_cycles = 1;      ///< time to take the address from header, pointer or register
  Cycle translate_cycles = 1;  ///< time to look into the TLB
};

struct NicConfig {
  PacketSizes sizes;
  SenderConfig sender;
  ReceiverConfig receiver;
  /// Throws ConfigError.
  void validate() const;
};

}  // namespace tsuji::nic
