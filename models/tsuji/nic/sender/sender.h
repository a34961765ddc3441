// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <systemc>
#include <tlm>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/described.h"
#include "tsuji/link/packet_link.h"
#include "tsuji/link/wave_group.h"
#include "tsuji/nic/first_hop.h"
#include "tsuji/nic/memory_port.h"
#include "tsuji/nic/nic_config.h"
#include "tsuji/nic/reply_port.h"
#include "tsuji/nic/sender/packet_buffers.h"
#include "tsuji/nic/sender/read_header.h"
#include "tsuji/nic/sender/send_packet.h"

namespace tsuji::nic {

/// Sending half of the network interface (Kanoh 2000, 4.2): control registers, RHM, header registers, SPM,
/// packet buffers.
///
/// RHM and SPM share one memory socket with one outstanding request. SPM has priority, but for each packet
/// RHM may send one request, so that a long parcel does not keep other headers out of the header registers.
///
/// Contract: `network` and `memory` are bound before elaboration ends. Register functions are called between
/// two clock edges and take effect in the next cycle. The Receiver calls the functions of ReplyPort.
class Sender final : public sc_core::sc_module, public Clocked, public ReplyPort, public Described {
 public:
  std::string stands_for() const override { return "Sender (Kanoh 2000, section 4.2)"; }
  void add_parts(PartList& parts) const override;

  sc_core::sc_port<PacketOutIf> network;  ///< channel to the first switch
  tlm::tlm_initiator_socket<> memory;     ///< socket to the memory controller

  Sender(sc_core::sc_module_name name, const NicConfig& config, ClockDomain& domain, PacketPool& pool,
         NodeId node, const FirstHop& first_hop, NicEvents& events);

  void step(Cycle now) override;

  /// Writes a queue's write pointer. A value that overruns the queue, is outside the queue, or is not at a
  /// header is refused with a Violation in the queue's status.
  void write_queue_pointer(unsigned set, std::uint64_t value);
  /// Value of the register `queue_status` of a set.
  std::uint64_t queue_status(unsigned set) const { return sets_[set].status; }
  /// Sets `queue_status` to 0.
  void clear_queue_status(unsigned set) { sets_[set].status = 0; }
  /// Passes the operating system's answer to SPM's fault: true repeats the translation, false refuses.
  void answer_fault(bool again);
  std::uint64_t write_pointer(unsigned set) const { return sets_[set].queue.write_pointer(); }
  std::uint64_t read_pointer(unsigned set) const { return sets_[set].queue.read_pointer(); }
  /// Writes a word of a set's operating system page, at an offset of registers.h.
  void write_os(unsigned set, std::uint64_t offset, std::uint64_t value);
  /// Reads a word of a set's operating system page.
  std::uint64_t read_os(unsigned set, std::uint64_t offset) const;
  void set_segment_table(std::uint64_t physical) { spm_.set_segment_table(physical); }
  std::uint64_t segment_table() const { return spm_.segment_table(); }
  void flush_translations();
  /// Sets another builder of packets, before the first packet; it must outlive the Sender.
  void set_builder(PacketBuilder& builder) { spm_.set_builder(builder); }

  std::string queue_problem() const override;
  std::uint64_t next_header() const override;
  void append(Cycle now) override;
  bool awaits_reply() const override { return rhm_.outstanding() > told_answers_; }
  void answered(Cycle now) override;

  const SenderCounters& counters() const { return counters_; }
  /// True if nothing is queued, in the registers or in the buffers, and the last flit has left.
  bool drained(Cycle now) const;
  /// Adds the signals of the Sender to a waveform.
  void add_wave(observe::Wave& wave, const std::string& scope);

 private:
  void end_of_elaboration() override;
  void refuse(const std::string& problem) const;
  void take_told(Cycle now) {
    if (told_headers_ + told_answers_ > 0) count_told(now);
  }
  void count_told(Cycle now);
  /// Lets SPM choose a parcel whose look-up has ended, if none can come before it. The Sender then sleeps
  /// until the first read.
  void choose_ahead(Cycle now);
  /// Raises one event for each set whose last packet has left and whose last notification is written.
  void tell_empty_sets(Cycle now);
  void show(Cycle now);

  const NicConfig config_;
  SenderCounters counters_;
  ControlRegisterSets sets_;
  HeaderRegisters registers_;
  MemoryPort port_;
  PacketBuffers buffers_;
  NicEvents& events_;
  ReadHeader rhm_;
  SendPacket spm_;
  /// Reports of the Receiver in cycle told_at_, which have not taken effect yet.
  unsigned told_headers_ = 0, told_answers_ = 0;
  Cycle told_at_ = 0;
  /// Sets whose event is enabled and that have had headers since their last event, one bit each.
  std::uint32_t may_empty_ = 0;
  std::unique_ptr<WaveGroup> wave_;
};

}  // namespace tsuji::nic
