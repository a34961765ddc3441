// SPDX-License-Identifier: Apache-2.0
// The Receiver's state machine without a simulation, in all of its states.
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/nic/receiver/receiver_sequence.h"

using namespace tsuji;
using namespace tsuji::nic;

namespace {

using State = ReceiverState;
using Event = ReceiverEvent;
using Work = ReceiverWork;
using Progress = ReceiverProgress;

const std::vector<State>& all_states() {
  static const std::vector<State> all = [] {
    std::vector<State> states;
    for (unsigned s = 0; s < ReceiverSequence::states; ++s)
      states.push_back(State{static_cast<std::uint8_t>(s)});
    return states;
  }();
  return all;
}

const std::vector<Event>& all_events() {
  static const std::vector<Event> all = [] {
    std::vector<Event> events;
    for (unsigned e = 0; e < ReceiverSequence::events; ++e)
      events.push_back(Event{static_cast<std::uint8_t>(e)});
    return events;
  }();
  return all;
}

std::optional<State> next_of(State from, Event event) {
  for (const ReceiverTransition& row : receiver_transitions)
    if (row.from == from && row.event == event) return row.to;
  return std::nullopt;
}

/// Shortest courses of events from `from` to each state that can be reached.
std::map<State, std::vector<Event>> courses(State from) {
  std::map<State, std::vector<Event>> found{{from, {}}};
  for (std::vector<State> open{from}; !open.empty();) {
    std::vector<State> further;
    for (const State state : open) {
      for (const Event event : all_events()) {
        const auto to = next_of(state, event);
        if (!to || found.count(*to) != 0) continue;
        found[*to] = found[state];
        found[*to].push_back(event);
        further.push_back(*to);
      }
    }
    open = std::move(further);
  }
  return found;
}

ReceiverSequence in(State state, Cycle due) {
  ReceiverSequence sequence;
  const std::vector<Event> course = courses(State::idle).at(state);
  for (const Event event : course) sequence.on(event, due);
  return sequence;
}

State after(const std::vector<Event>& events) {
  ReceiverSequence sequence;
  for (const Event event : events) sequence.on(event, 0);
  return sequence.state();
}

}  // namespace

TEST_CASE("every event in every state of the Receiver has the table's next state, or stops the run") {
  for (const State state : all_states()) {
    for (const Event event : all_events()) {
      ReceiverSequence sequence = in(state, 5);
      REQUIRE(sequence.state() == state);
      CAPTURE(ReceiverSequence::name(state), ReceiverSequence::name(event));
      const auto to = next_of(state, event);
      const std::string refusal = test::text_of<ModelError>([&] { sequence.on(event, 9); }, "none");
      if (to) {
        CHECK(refusal == "none");
        CHECK(sequence.state() == *to);
        CHECK_FALSE(sequence.is_due(8));
        CHECK(sequence.is_due(9));
      } else {
        CHECK(refusal == "Receiver: the event " + std::string(ReceiverSequence::name(event)) +
                             " in its state " + ReceiverSequence::name(state));
        CHECK(sequence.state() == state);
        CHECK(sequence.is_due(5));
      }
    }
  }
}

TEST_CASE(
    "a state of the Receiver that requests memory waits for it in the next one, and no state is a trap") {
  REQUIRE(courses(State::idle).size() == ReceiverSequence::states);
  for (const State state : all_states()) {
    CAPTURE(ReceiverSequence::name(state));
    CHECK(courses(state).count(State::idle) == 1);
    const Work work = ReceiverSequence::work(state);
    unsigned events = 0;
    for (const Event event : all_events()) events += next_of(state, event).has_value() ? 1 : 0;
    const auto requested = next_of(state, Event::requested);
    CHECK(requested.has_value() == (work == Work::request));
    if (requested) {
      CHECK(events == 1);
      CHECK(ReceiverSequence::work(*requested) == Work::await_memory);
    }
    // Only the system ends a fault, and only a fault waits for the system.
    CHECK((work == Work::await_system) == next_of(state, Event::again).has_value());
    CHECK(next_of(state, Event::again).has_value() == next_of(state, Event::refuse).has_value());
    CHECK((work == Work::start) == (state == State::idle));
  }
}

TEST_CASE("courses of packets and register writes through the Receiver") {
  using E = Event;
  // Kanoh 2000, 4.3: a put whose page the TLB holds; one that walks; a message of a cid that is not here.
  CHECK(after({E::packet, E::logical, E::translated}) == State::write);
  CHECK(after({E::packet, E::logical, E::translated, E::requested, E::physical, E::requested, E::done}) ==
        State::idle);
  CHECK(after({E::packet, E::logical, E::walks, E::requested, E::walks, E::requested, E::translated}) ==
        State::write);
  CHECK(after({E::packet, E::miss, E::requested, E::answered, E::requested, E::logical}) == State::translate);
  // The system maps the page, or refuses the packet, whose status is written.
  CHECK(after({E::packet, E::logical, E::fault, E::again, E::logical, E::translated}) == State::write);
  CHECK(after({E::packet, E::logical, E::fault, E::refuse, E::physical, E::requested, E::done}) ==
        State::idle);
  CHECK(after({E::register_write, E::requested, E::answered}) == State::idle);
}

TEST_CASE("a packet of the Receiver keeps its place until its body is written, refused or not") {
  const auto is = [](const ReceiverSequence& sequence, Progress progress, bool in_fifo, bool refused) {
    return sequence.progress() == progress && sequence.in_fifo() == in_fifo && sequence.refused() == refused;
  };
  ReceiverSequence sequence;
  CHECK_FALSE(sequence.in_fifo());
  sequence.on(Event::packet, 0);
  CHECK(is(sequence, Progress::body, true, false));
  sequence.body_written();
  CHECK(is(sequence, Progress::behind_body, false, false));
  sequence.refuse();
  CHECK(is(sequence, Progress::refused, false, true));
  sequence = {};
  sequence.on(Event::packet, 0);
  sequence.refuse();
  CHECK(is(sequence, Progress::refused_body, true, true));
  sequence.body_written();
  CHECK(is(sequence, Progress::refused, false, true));
  // The next packet begins with its own.
  for (const Event event : {Event::physical, Event::requested, Event::done, Event::packet})
    sequence.on(event, 0);
  CHECK(is(sequence, Progress::body, true, false));
}

TEST_CASE("the Receiver looks again when its state is due, and never where others wake it") {
  ReceiverSequence::Inputs none, packet, write, port, watched;
  packet.packet_at = 30;
  write.register_write = true;
  port.port_idle_at = 40;
  watched.port_idle_at = 40;
  watched.shown = true;
  for (const State state : all_states()) {
    CAPTURE(ReceiverSequence::name(state));
    ReceiverSequence sequence = in(state, 20);
    switch (ReceiverSequence::work(state)) {
      case Work::start:
        sequence.on(Event::dropped, 20);
        CHECK(sequence.next_look(19, none) == never);
        CHECK(sequence.next_look(19, packet) == 20);
        CHECK(sequence.next_look(20, packet) == 30);
        CHECK(sequence.next_look(19, write) == 20);
        break;
      case Work::look_up:
      case Work::translate:
        CHECK(sequence.next_look(10, packet) == 20);
        CHECK(sequence.next_look(10, none) == 20);
        break;
      case Work::request:
        CHECK(sequence.next_look(19, port) == 20);
        CHECK(sequence.next_look(20, port) == 40);
        CHECK(sequence.next_look(20, none) == never);
        sequence.translate_ahead(25);
        CHECK(sequence.next_look(24, port) == 40);
        CHECK(sequence.next_look(24, watched) == 25);
        CHECK(sequence.next_look(25, watched) == 40);
        CHECK(sequence.shown(24) == State::translate);
        CHECK(sequence.shown(25) == state);
        break;
      case Work::await_memory:
      case Work::await_system:
      case Work::take_answer:
        CHECK(sequence.next_look(10, packet) == never);
        CHECK(sequence.next_look(30, port) == never);
        break;
    }
  }
}

TEST_CASE("random courses of the Receiver answer each request once and free each place once") {
  CounterRandom random(45, 2);
  ReceiverSequence sequence;
  unsigned requests = 0, answers = 0, packets = 0, ended = 0;
  for (unsigned step = 0; step < 20'000; ++step) {
    std::vector<Event> possible;
    for (const Event event : all_events())
      if (next_of(sequence.state(), event)) possible.push_back(event);
    REQUIRE_FALSE(possible.empty());
    const Event event = possible[random.below(possible.size())];
    const Work before = sequence.work();
    const State from = sequence.state();
    sequence.on(event, step);
    requests += event == Event::requested ? 1 : 0;
    answers += before == Work::await_memory ? 1 : 0;
    packets += event == Event::packet ? 1 : 0;
    ended += event == Event::done || (event == Event::dropped && from != State::idle) ? 1 : 0;
    REQUIRE(requests - answers == (sequence.work() == Work::await_memory ? 1U : 0U));
    const bool on_register =
        sequence.state() == State::set_register || sequence.state() == State::setting_register;
    REQUIRE(packets - ended == (sequence.state() == State::idle || on_register ? 0U : 1U));
  }
  CHECK(packets > 100);
}
