// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "tsuji/core/units.h"

namespace tsuji::nic {

/// States of the Receiver, numbered as in its waveform (picture: rooms/nic.md, States of the Receiver).
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
  look_again,  ///< lasts less than a cycle, so that no waveform shows it
  give_up,     ///< lasts less than a cycle, so that no waveform shows it
};

/// Events of the Receiver's state machine.
enum class ReceiverEvent : std::uint8_t {
  packet,          ///< a whole packet has passed the check of its flits
  register_write,  ///< a write of a task's register is waiting for its write to memory
  dropped,         ///< the packet is discarded without a write
  miss,            ///< the cache lacks the buffer table entry and limits of the cid
  requested,       ///< the memory port has accepted the request
  answered,        ///< memory has answered a request that has only one next state
  physical,        ///< the physical address of the next write is known
  logical,         ///< the page of the next write is not translated yet
  walks,           ///< the translation reads a table in memory
  translated,      ///< the translation has ended with a physical address
  fault,           ///< the page is not mapped; the operating system decides
  again,           ///< answer of the operating system: repeat the translation
  refuse,          ///< answer of the operating system: refuse the packet
  done,            ///< memory has answered the last write
};

/// Action of the Receiver in a state that is due.
enum class ReceiverWork : std::uint8_t {
  start,         ///< starts a register write or a packet
  look_up,       ///< decodes the packet's header, and looks its cid up in the cache
  translate,     ///< looks the page up in the TLB
  request,       ///< sends a memory request once the port is idle
  await_memory,  ///< none: the memory port wakes the Receiver
  await_system,  ///< none: the operating system's answer wakes the Receiver
  take_answer,   ///< acts on the operating system's answer
};

/// Progress of the front packet: its place in the FIFO, and the writes that remain.
enum class ReceiverProgress : std::uint8_t {
  body,          ///< in the FIFO; its payload remains
  behind_body,   ///< out of the FIFO; its pointers and log remain
  refused_body,  ///< in the FIFO; the status, or the reply of a refusal, remains
  refused,       ///< out of the FIFO; the status, or the reply of a refusal, remains
};

/// Row of the table of transitions.
struct ReceiverTransition {
  ReceiverState from;   ///< state before the event
  ReceiverEvent event;  ///< event
  ReceiverState to;     ///< state after the event
};
/// All transitions of the Receiver. Any other pair of state and event is a ModelError.
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

/// State machine of the Receiver, without SystemC and without data.
///
/// Contract: in each cycle the Receiver does work() if is_due(), and reports each outcome by on(), with the
/// cycle from which the next state is due; an event without a row in receiver_transitions is a ModelError.
/// body_written() and refuse() are called when the packet's progress changes. next_look() is called at the
/// end of the cycle.
class ReceiverSequence {
 public:
  static constexpr unsigned states = 16, events = 14;
  static constexpr unsigned shown_states = 14;  ///< number of states that waveforms show
  static const char* name(ReceiverState state);
  static const char* name(ReceiverEvent event);
  static ReceiverWork work(ReceiverState state);

  ReceiverState state() const { return state_; }
  ReceiverWork work() const { return work(state_); }
  bool is_due(Cycle now) const { return now >= due_; }
  /// Cycle from which the state is due.
  Cycle due() const { return due_; }

  /// Enters the next state, which is due from cycle `due` on. Throws ModelError for an event without a
  /// transition.
  void on(ReceiverEvent event, Cycle due);
  /// Enters the next state for the event `requested`; the due cycle remains unchanged.
  void on_requested() { on(ReceiverEvent::requested, due_); }

  bool in_fifo() const {
    return progress_ == ReceiverProgress::body || progress_ == ReceiverProgress::refused_body;
  }
  bool refused() const {
    return progress_ == ReceiverProgress::refused_body || progress_ == ReceiverProgress::refused;
  }
  ReceiverProgress progress() const { return progress_; }
  /// Reports that the packet's payload is written and its place in the FIFO is free.
  void body_written();
  /// Cancels the remaining writes of the packet; the status or the reply of a refusal replaces them.
  void refuse();

  /// State of the Receiver's inputs.
  struct Inputs {
    Cycle packet_at = never;      ///< cycle from which the front packet is complete; never: no packet
    bool register_write = false;  ///< a register write is waiting
    Cycle port_idle_at = never;   ///< cycle from which the memory port is idle; never: unknown
    bool shown = false;           ///< a waveform shows the state, so that each change needs a step
  };
  /// Next cycle in which the Receiver must run without a wake-up by its inputs; `now` or earlier: at once.
  Cycle next_look(Cycle now, const Inputs& inputs) const;

  /// Records a translation by the TLB that was made ahead of time; waveforms show `translate` before `cycle`.
  void translate_ahead(Cycle cycle) { translates_until_ = cycle; }
  /// State that a waveform shows in cycle `now`.
  ReceiverState shown(Cycle now) const { return now < translates_until_ ? ReceiverState::translate : state_; }

 private:
  [[noreturn, gnu::cold]] void refuse_event(ReceiverEvent event) const;

  ReceiverState state_ = ReceiverState::idle;
  ReceiverProgress progress_ = ReceiverProgress::behind_body;
  Cycle due_ = 0;
  Cycle translates_until_ = 0;
};

}  // namespace tsuji::nic
