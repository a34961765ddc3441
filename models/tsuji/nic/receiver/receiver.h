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

/// The receiving half (section 4.3): accepts whole packets from the network, one after the other, and writes
/// their effects to memory: data, then pointers and counters that a task polls, then the log. Register
/// functions are called between two clock edges and take effect in the next cycle.
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
  /// Clears all cached translations and entries, between two packets.
  void flush();
  /// Selects the task whose table entries receive the values of the task's registers; the registers keep
  /// their values.
  void set_cid(std::uint64_t cid);
  std::uint64_t cid() const { return task_.cid; }
  /// Writes an address register. It applies to packets that arrive later, and is written to the buffer table
  /// before the next packet is processed.
  void set_address_register(unsigned n, std::uint64_t value);
  /// Value written last; 0 before the first write.
  std::uint64_t address_register(unsigned n) const { return task_.address[n]; }
  /// Writes a read pointer, which is written to the limit table. `buffer`: 0, 1 message, 2 log.
  void set_read_pointer(unsigned buffer, std::uint64_t value);
  std::uint64_t read_pointer(unsigned buffer) const { return task_.read[buffer]; }

  /// The operating system's answer to a fault: translate again, or refuse.
  void answer_fault(bool again);

  /// Sets the port to the Sender, which must outlive the Receiver. Call it before the first packet.
  void set_reply_port(ReplyPort& replies) { replies_ = &replies; }
  void set_check(PacketCheck* check) { check_ = check; }
  void set_observer(NicObserver* observer) { observer_ = observer; }
  NicObserver* observer() const { return observer_; }
  const ReceiverCounters& counters() const { return counters_; }
  /// True if no whole packet is here and no register write is in progress. Flits on the link do not count.
  bool drained() const {
    return held_ == 0 && register_writes_.empty() && sequence_.state() == ReceiverState::idle;
  }
  /// Number of packets that are here and are counted neither as written nor as dropped.
  unsigned held() const {
    return static_cast<unsigned>(held_) -
           (sequence_.state() != ReceiverState::idle && sequence_.refused() ? 1U : 0U);
  }
  void add_wave(observe::Wave& wave, const std::string& scope);

 private:
  struct Arrived {
    PacketTransfer transfer;
    Cycle complete_at = 0;
    bool was_hit = false;  ///< An error hit the packet: its words may differ from those that were sent.
  };
  /// The last translation for the packet at the head of the FIFO.
  struct Page {
    std::uint64_t number = 0;
    std::uint64_t to_physical = 0;  ///< Added to a logical address.
  };
  enum class Table : std::uint8_t { entry, limits };
  struct RegisterWrite {
    unsigned cid = 0;
    Table table = Table::entry;
    unsigned word = 0;  ///< Word of the cid's entry.
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
  bool needs_no_look_up() const;
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
  void issue_ahead(Cycle now);
  void issue_register(Cycle now);
  void written(Cycle now);
  void finish(Cycle now);
  void drop(Cycle now, ReceiverDropCause cause);
  void drop_front();
  /// Handles an impossible packet: a broken invariant (ModelError) or, if the packet was damaged and passed
  /// the check undetected, a drop.
  void refuse(Cycle now, const std::string& what);
  /// Refuses a packet that violates its task's protection.
  void refuse(Cycle now, Violation cause, const std::string& what);
  void tell_events(Cycle now);
  void write_through(const RegisterWrite& write);
  const Arrived& front() const { return arrived_[head_]; }
  std::uint64_t physical(const DeliveryWrite& write) const {
    return write.address + (write.logical ? page_->to_physical : 0);
  }
  const void* bytes_of(const DeliveryWrite& write) const {
    if (write.data == DeliveryWrite::Data::payload) return packet().payload.data() + write.payload;
    return write.words.data();
  }
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
  std::vector<RegisterWrite> register_writes_;  ///< Writes that are not in memory yet, oldest first.
  bool flush_ = false;

  /// Ring of fifo_packets entries, plus one for a packet whose body has been written while its pointers and
  /// log have not.
  std::vector<Arrived> arrived_;
  std::size_t head_ = 0;
  std::size_t held_ = 0;

  ReceiverSequence sequence_;
  PacketHeader header_;
  unsigned write_ = 0;         ///< Index of the next write of plan_.
  BufferResources untouched_;  ///< Pointers of its cid before the packet; not valid if the packet needs none.
  std::optional<Page> page_;
  std::array<std::uint64_t, BufferEntry::bytes / 8> fetched_entry_{};
};

}  // namespace tsuji::nic
