// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tsuji/core/described.h"
#include "tsuji/core/packet.h"
#include "tsuji/nic/memory_port.h"
#include "tsuji/nic/nic_config.h"
#include "tsuji/nic/nic_events.h"
#include "tsuji/nic/sender/header_registers.h"
#include "tsuji/nic/sender/packet_buffers.h"
#include "tsuji/nic/sender/packet_builder.h"
#include "tsuji/nic/sender/release_time.h"
#include "tsuji/nic/tables/address_translation.h"

namespace tsuji::nic {

/// SPM, the Send Packet Module (Kanoh 2000, 4.2): chooses a parcel for each packet, translates its source
/// address, builds the packet header and reads the data into a packet buffer. It writes the notification
/// after the last packet of a parcel has left.
///
/// Contract: the Sender calls collect() and then advance() in each of its cycles, and due() at the end of the
/// cycle for its next wake-up. The other functions are called between cycles.
class SendPacket {
 public:
  std::string stands_for() const { return "SPM, which cuts parcels into packets (Kanoh 2000, section 4.2)"; }
  void add_parts(PartList& parts) const {
    parts.add("spm", *this);
    parts.add("tlb", translation_);
  }

  /// States, numbered as in the waveform.
  enum class State : std::uint8_t {
    idle,
    translate,
    walk,
    walking,
    build,
    read,
    reading,
    notify,
    notifying,
    faulted
  };

  SendPacket(const NicConfig& config, const sc_core::sc_object& module, NodeId node, PacketPool& pool,
             ControlRegisterSets& sets, HeaderRegisters& registers, MemoryPort& port, PacketBuffers& buffers,
             NicEvents& events, SenderCounters& counters);

  /// Takes the memory port's answer, if SPM waits for one.
  void collect(Cycle now);
  /// Does the work of the present state. `yield_port`: RHM has the turn to use the memory port.
  void advance(Cycle now, bool yield_port) {
    if (now >= due_ && !is_empty()) act(now, yield_port);
  }
  /// True if SPM is idle and would choose the only parcel in any cycle from `cycle` on.
  bool may_choose_ahead(Cycle cycle) const {
    return is_empty() && due_ <= cycle && buffers_.keeps_place() &&
           buffers_.unsent() < config_.sender.read_ahead_packets;
  }
  /// Chooses the only parcel for the future cycle `cycle`. Requires may_choose_ahead() before it came.
  void choose_ahead(Cycle cycle) { start_packet(cycle, static_cast<unsigned>(registers_.only_sending())); }
  /// Next cycle with work, without a wake-up by the memory port or the operating system; never: none.
  Cycle due(Cycle now) const {
    if (!is_empty()) return next_work(now);
    return now < due_ ? due_ : never;
  }
  State state() const { return state_; }
  /// State that a waveform shows in cycle `now`; steps decided ahead are shown in their own cycles.
  State state_at(Cycle now) const {
    if (state_ != State::read || now >= read_at_) return state_;
    return now < build_at_ ? State::translate : State::build;
  }
  /// Wakes the Sender also for steps that were decided ahead, for waveforms; results do not change.
  void show_each_step() { shows_each_step_ = true; }
  /// True if RHM may send one request before SPM's next; once for each packet, so that neither starves.
  bool owes_turn() const { return owes_turn_; }
  /// Reports that RHM has used its turn.
  void turn_taken() { owes_turn_ = false; }
  /// Passes the operating system's answer to a fault, which has effect from the next cycle on: true repeats
  /// the translation, false drops the parcel or its notification.
  void answer_fault(bool again) { answer_ = again ? Answer::again : Answer::refuse; }

  void set_segment_table(std::uint64_t physical) { segment_table_ = physical; }
  std::uint64_t segment_table() const { return segment_table_; }
  /// Sets another builder, before the first packet.
  void set_builder(PacketBuilder& builder) { builder_ = &builder; }
  /// Clears all translations before the choice of a packet in cycle `now`. Returns true if the Sender must
  /// run in that cycle.
  bool flush_translations(Cycle now);

 private:
  ParcelState& parcel() { return registers_[register_]; }
  [[noreturn]] void fail(Cycle now, const std::string& what);
  void go(State state, Cycle due) {
    state_ = state;
    due_ = due;
  }
  /// True if SPM is idle and no header register has a parcel for it.
  bool is_empty() const { return state_ == State::idle && !registers_.any_entered(); }
  void act(Cycle now, bool yield_port);
  Cycle next_work(Cycle now) const;
  void choose(Cycle now);
  void start_notification(Cycle now, unsigned index);
  void start_packet(Cycle now, unsigned index);
  void take_answer(Cycle now);
  /// Drops the rest of the parcel, or its notification. A reply is sent without data.
  void abandon(Cycle now);
  void translate(Cycle now);
  void translated(Cycle now, AddressTranslation::Status status);
  void build(Cycle now);
  void build_ahead(Cycle chosen, bool translates);
  void fill_header(Packet& packet);
  Cycle next_step(Cycle now) const;
  void issue(Cycle now);
  void take_line(Cycle now);
  void close(Cycle now, Cycle ready_at);

  const NicConfig& config_;
  const sc_core::sc_object& module_;
  const NodeId node_;
  PacketPool& pool_;
  ControlRegisterSets& sets_;
  HeaderRegisters& registers_;
  MemoryPort& port_;
  PacketBuffers& buffers_;
  NicEvents& events_;
  SenderCounters& counters_;
  PacketBuilder own_builder_;
  PacketBuilder* builder_ = &own_builder_;
  AddressTranslation translation_;
  std::uint64_t segment_table_ = 0;

  State state_ = State::idle;
  Cycle due_ = 0;
  unsigned register_ = 0;
  bool notification_ = false;
  bool owes_turn_ = true;
  PacketCut cut_;
  unsigned reads_done_ = 0;
  std::uint64_t to_physical_ = 0;  ///< physical minus logical address, for the packet's source page
  /// For a packet that was translated and built ahead: the cycle of its choice, and cycles in which its
  /// translation and its building, without the time of the header, would end.
  Cycle chosen_at_ = 0, build_at_ = 0, read_at_ = 0;
  bool is_translated_ahead_ = false;
  bool shows_each_step_ = false;
  ReleaseTime release_{0, 0};
  std::uint32_t serial_ = 0;
  enum class Answer : std::uint8_t { none, again, refuse };
  Answer answer_ = Answer::none;
};

}  // namespace tsuji::nic
