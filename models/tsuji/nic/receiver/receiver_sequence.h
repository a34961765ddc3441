// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "tsuji/core/units.h"

namespace tsuji::nic {

/// States of the Receiver, numbered as in its waveform (rooms/nic.md, States of the Receiver).
enum class ReceiverState : std::uint8_t {
  idle,
  check,
  fetch_entry,
  fetching_entry,
  fetch_limits,
  fetching_limits,
  translate,
  walk,
  walking,
  write,
  writing,
  set_register,
  setting_register,
  faulted,
  look_again,  ///< within a cycle, as is give_up: no waveform shows them
  give_up,
};

enum class ReceiverEvent : std::uint8_t {
  packet,          ///< a whole packet has passed the check of its flits
  register_write,  ///< a task's register is to be written to memory
  dropped,         ///< the packet goes without a write
  miss,            ///< the cid's buffer table entry and limits are in memory only
  requested,       ///< the memory port has taken the request
  answered,        ///< memory has answered a request whose successor is always the same
  physical,        ///< the next write's physical address is known
  logical,         ///< the next write's page has yet to be translated
  walks,           ///< the translation reads memory
  translated,
  fault,   ///< no such page, and the operating system decides
  again,   ///< its answer: translate once more
  refuse,  ///< its answer: refuse the packet
  done,    ///< the last write is in memory
};

/// Work of the Receiver in a state that is due.
enum class ReceiverWork : std::uint8_t {
  start,         ///< takes up a register write or a packet
  look_up,       ///< looks at the packet's header
  translate,     ///< looks into the TLB
  request,       ///< requests memory, when the port is idle
  await_memory,  ///< nothing: the memory port wakes it
  await_system,  ///< nothing: the operating system's answer wakes it
  take_answer,   ///< acts on that answer
};

/// Where the packet at the front is, and whose writes are left.
enum class ReceiverProgress : std::uint8_t {
  body,          ///< in the FIFO; its own
  behind_body,   ///< its place is free; its pointers and log
  refused_body,  ///< in the FIFO; the status or the refused reply
  refused,       ///< its place is free; the status or the refused reply
};

struct ReceiverTransition {
  ReceiverState from;
  ReceiverEvent event;
  ReceiverState to;
};
inline constexpr std::array<ReceiverTransition, 34> receiver_transitions = {{
    {ReceiverState::idle, ReceiverEvent::packet, ReceiverState::check},
    {ReceiverState::idle, ReceiverEvent::dropped, ReceiverState::idle},
    {ReceiverState::idle, ReceiverEvent::register_write, ReceiverState::set_register},
    {ReceiverState::set_register, ReceiverEvent::requested, ReceiverState::setting_register},
    {ReceiverState::setting_register, ReceiverEvent::answered, ReceiverState::idle},

    {ReceiverState::check, ReceiverEvent::dropped, ReceiverState::idle},
    {ReceiverState::check, ReceiverEvent::miss, ReceiverState::fetch_entry},
    {ReceiverState::check, ReceiverEvent::logical, ReceiverState::translate},
    {ReceiverState::check, ReceiverEvent::physical, ReceiverState::write},
    {ReceiverState::fetch_entry, ReceiverEvent::requested, ReceiverState::fetching_entry},
    {ReceiverState::fetching_entry, ReceiverEvent::answered, ReceiverState::fetch_limits},
    {ReceiverState::fetch_limits, ReceiverEvent::requested, ReceiverState::fetching_limits},
    {ReceiverState::fetching_limits, ReceiverEvent::dropped, ReceiverState::idle},
    {ReceiverState::fetching_limits, ReceiverEvent::logical, ReceiverState::translate},
    {ReceiverState::fetching_limits, ReceiverEvent::physical, ReceiverState::write},

    {ReceiverState::translate, ReceiverEvent::translated, ReceiverState::write},
    {ReceiverState::translate, ReceiverEvent::walks, ReceiverState::walk},
    {ReceiverState::translate, ReceiverEvent::fault, ReceiverState::faulted},
    {ReceiverState::translate, ReceiverEvent::dropped, ReceiverState::idle},
    {ReceiverState::translate, ReceiverEvent::physical, ReceiverState::write},  // a refused packet's
    {ReceiverState::walk, ReceiverEvent::requested, ReceiverState::walking},
    {ReceiverState::walking, ReceiverEvent::translated, ReceiverState::write},
    {ReceiverState::walking, ReceiverEvent::walks, ReceiverState::walk},
    {ReceiverState::walking, ReceiverEvent::fault, ReceiverState::faulted},
    {ReceiverState::walking, ReceiverEvent::dropped, ReceiverState::idle},
    {ReceiverState::walking, ReceiverEvent::physical, ReceiverState::write},  // a refused packet's
    {ReceiverState::faulted, ReceiverEvent::again, ReceiverState::look_again},
    {ReceiverState::faulted, ReceiverEvent::refuse, ReceiverState::give_up},
    {ReceiverState::look_again, ReceiverEvent::logical, ReceiverState::translate},
    {ReceiverState::give_up, ReceiverEvent::physical, ReceiverState::write},

    {ReceiverState::write, ReceiverEvent::requested, ReceiverState::writing},
    {ReceiverState::writing, ReceiverEvent::logical, ReceiverState::translate},
    {ReceiverState::writing, ReceiverEvent::physical, ReceiverState::write},
    {ReceiverState::writing, ReceiverEvent::done, ReceiverState::idle},
}};

/// Order in which the Receiver deals with packets and register writes, without SystemC and without data. An
/// event that receiver_transitions has not for a state is a ModelError.
///
/// Contract: is_due() and work() say what to do in a cycle; each outcome is an event, with the cycle from
/// which the next state is due. body_written() and refuse() say how far the packet is.
class ReceiverSequence {
 public:
  static constexpr unsigned states = 16, events = 14;
  static constexpr unsigned shown_states = 14;  ///< of them in a waveform
  static const char* name(ReceiverState state);
  static const char* name(ReceiverEvent event);
  static ReceiverWork work(ReceiverState state);

  ReceiverState state() const { return state_; }
  ReceiverWork work() const { return work(state_); }
  bool is_due(Cycle now) const { return now >= due_; }

  /// Goes to the next state, which is due from cycle `due` on.
  void on(ReceiverEvent event, Cycle due);
  /// The same for `requested`, which leaves the due cycle.
  void on_requested() { on(ReceiverEvent::requested, due_); }

  bool in_fifo() const {
    return progress_ == ReceiverProgress::body || progress_ == ReceiverProgress::refused_body;
  }
  bool refused() const {
    return progress_ == ReceiverProgress::refused_body || progress_ == ReceiverProgress::refused;
  }
  ReceiverProgress progress() const { return progress_; }
  /// The packet's place in the FIFO is free.
  void body_written();
  /// The packet's own writes are not made, or no more of them.
  void refuse();

  struct Inputs {
    Cycle packet_at = never;  ///< the front packet is whole; never: none is here
    bool register_write = false;
    Cycle port_idle_at = never;
    bool shown = false;  ///< in a waveform, whose changes need a look of their own
  };
  /// The next cycle in which there is something to do without a wake-up by others; `now` or earlier: at once.
  Cycle next_look(Cycle now, const Inputs& inputs) const;

  /// A page that the TLB holds is translated ahead, which counts from `cycle` on.
  void translate_ahead(Cycle cycle) { translates_until_ = cycle; }
  /// State of a waveform in cycle `now`.
  ReceiverState shown(Cycle now) const { return now < translates_until_ ? ReceiverState::translate : state_; }

 private:
  [[noreturn, gnu::cold]] void refuse_event(ReceiverEvent event) const;

  ReceiverState state_ = ReceiverState::idle;
  ReceiverProgress progress_ = ReceiverProgress::behind_body;
  Cycle due_ = 0;
  Cycle translates_until_ = 0;
};

}  // namespace tsuji::nic
