// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include "tsuji/nic/first_hop.h"
#include "tsuji/nic/memory_port.h"
#include "tsuji/nic/nic_config.h"
#include "tsuji/nic/nic_events.h"
#include "tsuji/nic/sender/header_registers.h"

namespace tsuji::nic {

/// RHM, the Read Header Module (4.2): takes the next parcel header of the non-empty queues in turn, checks
/// it, looks its destination up in the node, multicast header or synchronization header table, adds the port
/// bits and writes it into a header register. A part of the Sender: the module steps it.
class ReadHeader {
 public:
  std::string stands_for() const { return "RHM, which reads headers of parcels (Kanoh 2000, section 4.2)"; }
  enum class State : std::uint8_t { idle, fetch, fetching, look_up, looking_up, store };

  ReadHeader(const SenderConfig& config, const sc_core::sc_object& module, const FirstHop& first_hop,
             ControlRegisterSets& sets, HeaderRegisters& registers, MemoryPort& port, NicEvents& events);

  /// Ends the cycle in which a header register was written: from the next one on SPM sees the parcel. Before
  /// SPM's turn.
  void finish_store(Cycle now) {
    if (state_ != State::store || now <= due_) return;
    registers_.enter(register_, due_);
    go_idle(due_ + 1);
  }
  /// Takes a memory answer. Before anything else of the Sender's cycle, so that the port is free in this one.
  void collect(Cycle now);
  /// Has a request that the port could take in this cycle.
  bool wants_port(Cycle now) const {
    return (state_ == State::fetch || state_ == State::look_up) && now >= due_;
  }
  void advance(Cycle now);
  /// The choice of a queue in cycle `now`, which is to come: a header that finds RHM and the other queues at
  /// rest is chosen before that cycle. Of two pointers for one cycle the first one written is chosen. False
  /// if there is no choice yet.
  bool choose_ahead(Cycle now) {
    if (state_ != State::idle) return false;
    select(now);
    return state_ == State::fetch;
  }
  /// The next cycle in which something can happen without being woken.
  Cycle due(Cycle now) const;
  State state() const { return state_; }
  /// The set has got another queue: nothing is known of its next header.
  void exchanged(unsigned set) { held_ &= ~(1U << set); }
  /// A reply has come.
  void answered() { --outstanding_; }
  /// Requests without a reply.
  unsigned outstanding() const { return outstanding_; }

 private:
  void go_idle(Cycle due) {
    state_ = State::idle;
    due_ = due;
  }
  [[noreturn]] void fail(Cycle now, const std::string& what) const;
  /// Forgets the header and tells task and operating system.
  void refuse(Cycle now, Violation cause, const std::string& what);
  void select(Cycle now);
  /// Its set has got another queue meanwhile.
  bool queue_left() const;
  void forget(Cycle now);
  void take_header(Cycle now);
  bool puts_back(const ParcelHeader& header, unsigned set);
  void take_reply_path(Cycle now);
  void take_physical_node(Cycle now);
  void take_entry(Cycle now);
  /// False: the header was refused.
  bool find_entry(Cycle now, const ParcelState& parcel);

  const SenderConfig& config_;
  const sc_core::sc_object& module_;
  const FirstHop& first_hop_;
  ControlRegisterSets& sets_;
  HeaderRegisters& registers_;
  MemoryPort& port_;
  NicEvents& events_;
  QueueScheduler scheduler_{sender_sets};
  State state_ = State::idle;
  Cycle due_ = 0;
  unsigned register_ = 0;
  std::uint64_t entry_address_ = 0;
  unsigned entry_bytes_ = 0;
  unsigned outstanding_ = 0;
  std::uint32_t held_ = 0;  ///< bit per set: its next header is a request over the limit
};

}  // namespace tsuji::nic
