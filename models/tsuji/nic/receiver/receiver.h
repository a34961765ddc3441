// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <systemc>
#include <tlm>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/described.h"
#include "tsuji/link/packet_link.h"
#include "tsuji/link/wave_group.h"
#include "tsuji/nic/memory_port.h"
#include "tsuji/nic/nic_config.h"
#include "tsuji/nic/nic_observer.h"
#include "tsuji/nic/packet_check.h"
#include "tsuji/nic/receiver/delivery_plan.h"
#include "tsuji/nic/receiver/receiver_sequence.h"
#include "tsuji/nic/reply_port.h"
#include "tsuji/nic/tables/address_translation.h"
#include "tsuji/nic/tables/buffer_cache.h"

namespace tsuji::nic {

/// The receiving half (4.3): takes whole packets from the network, one after the other, and writes out what
/// they ask for: data, then pointers and counters that a task polls, then the log. Register functions are
/// called between two edges of the clock and count from the next cycle on.
class Receiver final : public sc_core::sc_module, public Clocked, public Described {
 public:
  std::string stands_for() const override { return "Receiver (Kanoh 2000, section 4.3)"; }
  void add_parts(PartList& parts) const override;

  sc_core::sc_port<PacketInIf> network;
  tlm::tlm_initiator_socket<> memory;

  Receiver(sc_core::sc_module_name name, const NicConfig& config, ClockDomain& domain, NodeId node,
           NicEvents& events);

  void step(Cycle now) override;

  void set_segment_table(std::uint64_t physical) { segment_table_ = physical; }
  void set_buffer_table(std::uint64_t physical);
  std::uint64_t buffer_table() const { return buffer_table_; }
  void set_limit_table(std::uint64_t physical);
  std::uint64_t limit_table() const { return limit_table_; }
  /// Takes effect between two packets.
  void flush();
  /// Task whose entries of the tables the task's registers are written to; the registers stay as they are.
  void set_cid(std::uint64_t cid);
  std::uint64_t cid() const { return task_.cid; }
  /// Counts for packets that arrive later, and is written to the buffer table before the next packet is
  /// looked at.
  void set_address_register(unsigned n, std::uint64_t value);
  /// Value that was written last; 0 before.
  std::uint64_t address_register(unsigned n) const { return task_.address[n]; }
  /// The same, to the limit table. `buffer`: 0, 1 message, 2 log.
  void set_read_pointer(unsigned buffer, std::uint64_t value);
  std::uint64_t read_pointer(unsigned buffer) const { return task_.read[buffer]; }

  /// The operating system's answer to a fault: look again, or refuse.
  void answer_fault(bool again);

  /// Before the first packet; outlives it.
  void set_reply_port(ReplyPort& replies) { replies_ = &replies; }
  void set_check(PacketCheck* check) { check_ = check; }
  void set_observer(NicObserver* observer) { observer_ = observer; }
  NicObserver* observer() const { return observer_; }
  const ReceiverCounters& counters() const { return counters_; }
  /// No packet here and no register write under way. Flits on the wires do not count.
  bool drained() const {
    return held_ == 0 && register_writes_.empty() && sequence_.state() == ReceiverState::idle;
  }
  void add_wave(observe::Wave& wave, const std::string& scope);

 private:
  struct Arrived {
    PacketTransfer transfer;
    Cycle complete_at = 0;
    bool was_hit = false;  ///< by an error: its words need not be those that were sent
  };
  /// The last translation of the packet at the front.
  struct Page {
    std::uint64_t number = 0;
    std::uint64_t to_physical = 0;  ///< what is added to a logical address
  };
  enum class Table : std::uint8_t { entry, limits };
  struct RegisterWrite {
    unsigned cid = 0;
    Table table = Table::entry;
    unsigned word = 0;  ///< of the cid's entry
    std::uint64_t value = 0;
  };
  struct TaskRegisters {
    unsigned cid = 0;
    std::array<std::uint64_t, 3> address{}, read{};
  };

  void end_of_elaboration() override;
  [[noreturn]] void fail(Cycle now, const std::string& what) const;
  void take_arrivals(Cycle now);
  void collect(Cycle now);
  void advance(Cycle now);
  Cycle next_look(Cycle now) const;
  void start(Cycle now);
  void judge(Cycle now);
  std::string header_problem() const;
  void look_up(Cycle now);
  void take_resources(Cycle now);
  void plan(Cycle now, BufferResources* resources);
  void plan_reply(Cycle now);
  void start_writing(Cycle now);
  void tell_sender(Cycle now);
  void begin_write(Cycle at);
  void translate(Cycle now);
  void translated(Cycle now, AddressTranslation::Status status);
  void no_page(Cycle now);
  void take_answer(Cycle now);
  void take_back_pointers();
  void issue(Cycle now);
  void issue_register(Cycle now);
  void written(Cycle now);
  void finish(Cycle now);
  void drop(Cycle now, ReceiverDropCause cause);
  void drop_front();
  /// Refuses an impossible packet: a broken invariant, or, where the packet was damaged and passed the check
  /// all the same, one more dropped packet.
  void refuse(Cycle now, const std::string& what);
  /// Refuses a packet that asks for what its task may not have.
  void refuse(Cycle now, Violation cause, const std::string& what);
  void tell_events(Cycle now);
  bool named_here() const;
  void write_through(const RegisterWrite& write);
  const Arrived& front() const { return arrived_[head_]; }
  const Packet& packet() const { return *front().transfer.packet; }

  const NicConfig config_;
  const NodeId node_;
  ReceiverCounters counters_;
  MemoryPort port_;
  AddressTranslation translation_;
  BufferCache buffers_;
  DeliveryPlan plan_;
  ReplyPort* replies_ = nullptr;
  PacketCheck* check_ = nullptr;
  NicObserver* observer_ = nullptr;
  NicEvents& events_;
  std::unique_ptr<WaveGroup> wave_;

  std::uint64_t segment_table_ = 0;
  std::uint64_t buffer_table_ = 0;
  std::uint64_t limit_table_ = 0;
  TaskRegisters task_;
  std::vector<RegisterWrite> register_writes_;  ///< not yet in memory, oldest first
  bool flush_ = false;

  /// A ring: fifo_packets, and one whose body is written out while its pointers and log are not.
  std::vector<Arrived> arrived_;
  std::size_t head_ = 0;
  std::size_t held_ = 0;

  ReceiverSequence sequence_;
  PacketHeader header_;
  unsigned write_ = 0;         ///< of plan_
  BufferResources untouched_;  ///< what its cid's pointers were before it; not valid: it needs none
  std::optional<Page> page_;
  std::array<std::uint64_t, BufferEntry::bytes / 8> fetched_entry_{};
};

}  // namespace tsuji::nic
