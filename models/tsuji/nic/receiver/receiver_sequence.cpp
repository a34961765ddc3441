// SPDX-License-Identifier: Apache-2.0
#include "tsuji/nic/receiver/receiver_sequence.h"

#include <string>

#include "tsuji/core/error.h"

namespace tsuji::nic {

using State = ReceiverState;
using Event = ReceiverEvent;
using Work = ReceiverWork;

namespace {

struct StateRow {
  const char* name;
  Work work;
};

constexpr std::array<StateRow, ReceiverSequence::states> rows = {{
    {"idle", Work::start},
    {"check", Work::look_up},
    {"fetch_entry", Work::request},
    {"fetching_entry", Work::await_memory},
    {"fetch_limits", Work::request},
    {"fetching_limits", Work::await_memory},
    {"translate", Work::translate},
    {"walk", Work::request},
    {"walking", Work::await_memory},
    {"write", Work::request},
    {"writing", Work::await_memory},
    {"set_register", Work::request},
    {"setting_register", Work::await_memory},
    {"faulted", Work::await_system},
    {"look_again", Work::take_answer},
    {"give_up", Work::take_answer},
}};

using NextStates = std::array<std::array<State, ReceiverSequence::events>, ReceiverSequence::states>;
constexpr State no_state{ReceiverSequence::states};

constexpr unsigned number(State state) {
  return static_cast<unsigned>(state);
}
constexpr unsigned number(Event event) {
  return static_cast<unsigned>(event);
}

constexpr NextStates next_states() {
  NextStates next{};
  for (auto& of_state : next)
    for (State& to : of_state) to = no_state;
  for (const ReceiverTransition& row : receiver_transitions)
    next[number(row.from)][number(row.event)] = row.to;
  return next;
}

constexpr NextStates next = next_states();

constexpr std::array<const char*, ReceiverSequence::events> event_names = {
    "packet",  "register_write", "dropped",    "miss",  "requested", "answered", "physical",
    "logical", "walks",          "translated", "fault", "again",     "refuse",   "done"};

}  // namespace

const char* ReceiverSequence::name(State state) {
  return rows[number(state)].name;
}

const char* ReceiverSequence::name(Event event) {
  return event_names[number(event)];
}

Work ReceiverSequence::work(State state) {
  return rows[number(state)].work;
}

void ReceiverSequence::on(Event event, Cycle due) {
  const State to = next[number(state_)][number(event)];
  if (to == no_state) refuse_event(event);
  state_ = to;
  due_ = due;
  if (event == Event::packet) progress_ = ReceiverProgress::body;
}

void ReceiverSequence::refuse_event(Event event) const {
  throw ModelError("Receiver", std::string("the event ") + name(event) + " in its state " + name(state_));
}

void ReceiverSequence::body_written() {
  progress_ = refused() ? ReceiverProgress::refused : ReceiverProgress::behind_body;
}

void ReceiverSequence::refuse() {
  progress_ = in_fifo() ? ReceiverProgress::refused_body : ReceiverProgress::refused;
}

Cycle ReceiverSequence::next_look(Cycle now, const Inputs& inputs) const {
  switch (work()) {
    case Work::start:
      if (now < due_ && (inputs.packet_at != never || inputs.register_write)) return due_;
      return inputs.packet_at;
    case Work::look_up:
    case Work::translate:
      return due_;
    case Work::request:
      if (inputs.shown && now < translates_until_) return translates_until_;
      return now < due_ ? due_ : inputs.port_idle_at;
    case Work::await_memory:
    case Work::await_system:
    case Work::take_answer:
      break;
  }
  return never;
}

}  // namespace tsuji::nic
