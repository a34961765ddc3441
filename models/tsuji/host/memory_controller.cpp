// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/memory_controller.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/link/calling_process.h"

namespace tsuji::host {

using sc_core::sc_time;
using tlm::tlm_generic_payload;

MemoryController::MemoryController(sc_core::sc_module_name name, ClockDomain& domain,
                                   const MemoryControllerConfig& config, std::uint64_t memory_bytes)
    : sc_module(name),
      Clocked(domain),
      receiver("receiver"),
      sender("sender"),
      processor("processor"),
      port_("memory", memory_bytes),
      service_(config, domain.period(), port_),
      period_(domain.time_of(1) - domain.time_of(0)) {
  for (std::size_t cycles = 0; cycles < spans_.size(); ++cycles)
    spans_[cycles] = period_ * static_cast<double>(cycles);
  add_place(receiver, MemoryInitiator::receiver);
  add_place(sender, MemoryInitiator::sender);
  add_place(processor, MemoryInitiator::processor);
  port_.on_invalidation([this](std::uint64_t start, std::uint64_t end) { invalidate(start, end); });
}

MemoryController::TargetSocket& MemoryController::add_initiator(const char* name) {
  further_.push_back(std::make_unique<Further>(name));
  add_place(further_.back()->socket, MemoryInitiator::other);
  return further_.back()->socket;
}

void MemoryController::add_place(TargetSocket& socket, MemoryInitiator initiator) {
  if (places_.size() == most_places) throw ModelError(name(), "too many initiators");
  const int id = static_cast<int>(places_.size());
  socket.register_nb_transport_fw(this, &MemoryController::nb_transport_fw, id);
  socket.register_b_transport(this, &MemoryController::b_transport, id);
  socket.register_transport_dbg(this, &MemoryController::transport_dbg, id);
  socket.register_get_direct_mem_ptr(this, &MemoryController::get_direct_mem_ptr, id);
  places_.emplace_back();
  places_.back().initiator = initiator;
  places_.back().socket = &socket;
  places_.back().number = static_cast<std::uint8_t>(id);
}

void MemoryController::protocol_error(Cycle cycle, const char* what) const {
  throw ModelError(name(), cycle, "", what);
}

// ---- requests

/// The first edge after the request: a request made at an edge is seen at the next one.
inline Cycle MemoryController::first_arbitration(const sc_time& delay) const {
  return domain().next_cycle(delay.value());
}

/// Selects the next request; of requests eligible in one cycle, the non-blocking one.
MemoryController::Waiting& MemoryController::next(Place& place) {
  const bool asks = place.request.transaction != nullptr && place.responding == nullptr;
  if (place.callers.empty()) return place.request;
  return asks && place.request.eligible <= place.callers.front().eligible ? place.request
                                                                          : place.callers.front();
}

inline void MemoryController::set_eligible(Place& place, Cycle cycle) {
  place.eligible = cycle;
  const std::uint64_t bit = std::uint64_t{1} << place.number;
  asking_ = cycle == never ? asking_ & ~bit : asking_ | bit;
}

void MemoryController::look_again(Place& place) {
  const bool asks = place.request.transaction != nullptr && place.responding == nullptr;
  Cycle eligible = asks ? place.request.eligible : never;
  if (!place.callers.empty()) eligible = std::min(eligible, place.callers.front().eligible);
  set_eligible(place, eligible);
  if (place.eligible == never) return;
  // The clock's own cycle may be long over.
  const Cycle next = std::max(domain().now() + 1, first_arbitration(sc_core::SC_ZERO_TIME));
  wake_at(std::max({place.eligible, free_at_, next}));
}

tlm::tlm_sync_enum MemoryController::nb_transport_fw(int id, tlm_generic_payload& transaction,
                                                     tlm::tlm_phase& phase, sc_time& delay) {
  Place& place = places_[static_cast<unsigned>(id)];
  if (phase != tlm::BEGIN_REQ) return take_phase(place, transaction, phase, delay);
  const Cycle eligible = first_arbitration(delay);
  if (place.request.transaction != nullptr)
    protocol_error(eligible, "a second request of an initiator before the answer to its first");
  if (!transaction.has_mm() || transaction.get_ref_count() < 1)
    protocol_error(eligible, "non-blocking transport without a memory manager or a reference");
  transaction.acquire();
  place.request.transaction = &transaction;
  place.request.eligible = eligible;
  if (place.responding != nullptr) return tlm::TLM_ACCEPTED;
  set_eligible(place, std::min(place.eligible, eligible));
  wake_at(std::max(eligible, free_at_));
  return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum MemoryController::take_phase(Place& place, const tlm_generic_payload& transaction,
                                                const tlm::tlm_phase& phase, const sc_time& delay) {
  if (phase == tlm::END_RESP) return end_response(place, transaction, delay);
  if (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP)
    protocol_error(first_arbitration(delay), "a target's phase came from an initiator");
  return tlm::TLM_ACCEPTED;  // an extended phase, which may be ignored
}

tlm::tlm_sync_enum MemoryController::end_response(Place& place, const tlm_generic_payload& transaction,
                                                  const sc_time& delay) {
  const Cycle eligible = first_arbitration(delay);
  if (place.responding != &transaction)
    protocol_error(eligible, "END_RESP for a transaction whose response did not begin");
  std::exchange(place.responding, nullptr)->release();
  place.request.eligible = std::max(place.request.eligible, eligible);
  look_again(place);
  return tlm::TLM_COMPLETED;
}

void MemoryController::b_transport(int id, tlm_generic_payload& transaction, sc_time& delay) {
  const Cycle eligible = first_arbitration(delay);
  if (calling_process() != CallingProcess::thread)
    protocol_error(eligible, "b_transport was called by a process that cannot wait");
  Place& place = places_[static_cast<unsigned>(id)];
  if (resting_.empty()) {
    callers_.push_back(std::make_unique<Caller>());
    resting_.push_back(callers_.back().get());
  }
  Caller& caller = *resting_.back();
  resting_.pop_back();
  auto behind = place.callers.end();
  while (behind != place.callers.begin() && (behind - 1)->eligible > eligible) --behind;
  place.callers.insert(behind, {&transaction, eligible, 0, &caller});
  look_again(place);
  wait(caller.granted);
  delay = domain().time_of(caller.end) - sc_core::sc_time_stamp();
  resting_.push_back(&caller);
}

// ---- turns

/// Exact in a double: a request takes milliseconds at most (the range of its keys), far less than 2^52 ps.
inline sc_time MemoryController::span(Cycle cycles) const {
  return cycles < spans_.size() ? spans_[cycles] : period_ * static_cast<double>(cycles);
}

inline void MemoryController::respond(Place& place, tlm_generic_payload& transaction, Cycle delay) {
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_time time = span(delay);
  const auto answer = (*place.socket)->nb_transport_bw(transaction, phase, time);
  const bool ended = answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && phase == tlm::END_RESP);
  if (!ended || place.responding != &transaction) return;
  place.responding = nullptr;
  transaction.release();
  if (place.request.transaction != nullptr)
    set_eligible(place, std::min(place.eligible, place.request.eligible));
}

inline tlm::tlm_response_status MemoryController::extended_request(const Place& place,
                                                                   const tlm_generic_payload& transaction,
                                                                   MemoryService::Request& request,
                                                                   MemoryAccessKind kind) const {
  request.kind = kind;
  request.initiator = place.initiator;
  request.address = transaction.get_address();
  request.bytes = transaction.get_data_length();
  request.data = transaction.get_data_ptr();
  const bool reads = kind == MemoryAccessKind::coherent_read || kind == MemoryAccessKind::noncoherent_read;
  if (transaction.get_command() != (reads ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND))
    return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (transaction.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (request.data == nullptr) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  if (transaction.get_streaming_width() < request.bytes) return tlm::TLM_BURST_ERROR_RESPONSE;
  return service_.check(request);
}

MemoryController::Turn MemoryController::turn_of(const Place& place, const Waiting& waiting) const {
  tlm_generic_payload& transaction = *waiting.transaction;
  Turn turn;
  turn.access = transaction.get_extension<MemoryAccess>();
  if (turn.access != nullptr) {
    turn.status = extended_request(place, transaction, turn.request, turn.access->kind);
    turn.moves = turn.status == tlm::TLM_OK_RESPONSE;
    return turn;
  }
  if (transaction.get_command() == tlm::TLM_IGNORE_COMMAND) {
    turn.moves = false;
    return turn;
  }
  if (waiting.done == 0) turn.status = check_generic(transaction, port_);
  turn.moves = turn.status == tlm::TLM_OK_RESPONSE;
  if (!turn.moves) return turn;
  turn.request = generic_piece(transaction, waiting.done);
  turn.request.initiator = place.initiator;
  const bool asks = service_.has_cache();
  turn.request.kind = transaction.is_read()
                          ? (asks ? MemoryAccessKind::coherent_read : MemoryAccessKind::noncoherent_read)
                          : (asks ? MemoryAccessKind::coherent_write : MemoryAccessKind::noncoherent_write);
  turn.last = waiting.done + turn.request.bytes == transaction.get_data_length();
  return turn;
}

void MemoryController::step(Cycle now) {
  if (outside_ && outside_->busy) {
    if (!outside_->done) return;
    come_back(now);
  }
  for (std::uint64_t bits = asking_; now >= free_at_ && bits != 0; bits &= bits - 1) {
    const auto number = static_cast<unsigned>(__builtin_ctzll(bits));
    if (places_[number].eligible > now) continue;
    grant(number, now);
    break;
  }
  if (outside_ && outside_->busy) return;
  // Later requests wake the controller themselves; those that wait already are served when it is free.
  for (std::uint64_t bits = asking_; bits != 0; bits &= bits - 1) {
    const Place& place = places_[static_cast<unsigned>(__builtin_ctzll(bits))];
    wake_at(std::max(place.eligible, std::max(free_at_, now + 1)));
  }
}

void MemoryController::grant(unsigned number, Cycle now) {
  Place& place = places_[number];
  if (!place.callers.empty() || !grant_extended(place, now)) grant_any(number, now);
}

/// The common case: a non-blocking request with our extension, and a line that a direct pointer reaches.
inline bool MemoryController::grant_extended(Place& place, Cycle now) {
  tlm_generic_payload& transaction = *place.request.transaction;
  auto* const access = transaction.get_extension<MemoryAccess>();
  if (access == nullptr) return false;
  MemoryService::Request request;
  if (extended_request(place, transaction, request, access->kind) != tlm::TLM_OK_RESPONSE) return false;
  service_.ask_cache(request);
  constexpr unsigned line_bytes = MemoryTransaction::line_bytes;
  unsigned char* const line =
      port_.direct(request.address & ~std::uint64_t{line_bytes - 1}, line_bytes, service_.writes(request));
  if (line == nullptr) {
    Turn turn;
    turn.access = access;
    turn.request = request;
    go_outside(place.number, turn, now);
    return true;
  }
  const MemoryService::Cost cost = service_.move(request, line);
  free_at_ = now + cost.occupied;
  access->first_word_cycle = now + cost.first_word;
  access->last_word_cycle = now + cost.last_word;
  access->takes_delays = true;
  if (is_atomic(access->kind)) access->old_value = service_.old_value();
  transaction.set_response_status(tlm::TLM_OK_RESPONSE);
  place.request.transaction = nullptr;
  place.responding = &transaction;
  set_eligible(place, never);
  respond(place, transaction, cost.last_word);
  return true;
}

void MemoryController::grant_any(unsigned number, Cycle now) {
  Place& place = places_[number];
  const Turn turn = turn_of(place, next(place));
  if (!turn.moves) {
    const bool ignored = turn.status == tlm::TLM_OK_RESPONSE;
    return complete(number, turn, ignored ? service_.ignore() : service_.refuse(), now, now);
  }
  service_.ask_cache(turn.request);
  const std::uint64_t address = turn.request.address;
  unsigned char* const line = port_.direct(address - address % MemoryTransaction::line_bytes,
                                           MemoryTransaction::line_bytes, service_.writes(turn.request));
  if (line == nullptr) return go_outside(number, turn, now);
  complete(number, turn, service_.move(turn.request, line), now, now);
}

void MemoryController::complete(unsigned number, const Turn& turn, const MemoryService::Cost& cost,
                                Cycle granted, Cycle now) {
  Place& place = places_[number];
  Waiting& own = next(place);
  tlm_generic_payload& transaction = *own.transaction;
  free_at_ = granted + cost.occupied;
  if (!turn.last && turn.status == tlm::TLM_OK_RESPONSE) {
    own.done += turn.request.bytes;
    own.eligible = std::max(free_at_, now + 1);
    return look_again(place);
  }
  if (turn.access != nullptr) {
    turn.access->first_word_cycle = granted + cost.first_word;
    turn.access->last_word_cycle = granted + cost.last_word;
    turn.access->takes_delays = true;
    if (is_atomic(turn.access->kind)) turn.access->old_value = service_.old_value();
  } else {
    transaction.set_dmi_allowed(!service_.has_cache() && turn.moves && !outside_);
  }
  transaction.set_response_status(turn.status);
  Caller* const caller = own.caller;
  if (caller == nullptr) {
    own = Waiting{};
    place.responding = &transaction;
  } else {
    place.callers.erase(place.callers.begin());
  }
  look_again(place);
  if (caller == nullptr) return respond(place, transaction, granted + cost.last_word - now);
  caller->end = granted + cost.last_word;
  caller->granted.notify();
}

// ---- a memory without direct pointers

void MemoryController::go_outside(unsigned number, const Turn& turn, Cycle now) {
  if (!outside_) {
    outside_ = std::make_unique<Outside>();
    sc_core::sc_spawn_options options;
    options.dont_initialize();
    options.set_sensitivity(&outside_event_);
    sc_core::sc_spawn([this] { serve_outside(); }, "outside_memory", &options);
  }
  *outside_ = {true, false, number, now, turn, {}};
  outside_event_.notify(sc_core::SC_ZERO_TIME);
}

void MemoryController::serve_outside() {
  for (;; wait()) {
    Outside& own = *outside_;
    try {
      port_.begin();
      own.cost = service_.move(own.turn.request, nullptr);
      own.turn.status = port_.status();
      const std::uint64_t period = domain().period().ps();
      const Cycle taken = (port_.elapsed().value() + period - 1) / period;
      const Cycle held = taken > own.cost.memory ? taken - own.cost.memory : 0;
      service_.hold(held);
      for (Cycle* time : {&own.cost.first_word, &own.cost.last_word, &own.cost.occupied}) *time += held;
    } catch (...) {
      own.turn.status = tlm::TLM_GENERIC_ERROR_RESPONSE;
      domain().fail(std::current_exception());
    }
    own.done = true;
    wake_at(first_arbitration(sc_core::SC_ZERO_TIME));
  }
}

/// The answer comes at an edge, like all others.
void MemoryController::come_back(Cycle now) {
  outside_->busy = false;
  MemoryService::Cost cost = outside_->cost;
  const Cycle least = now - outside_->granted;
  for (Cycle* time : {&cost.first_word, &cost.last_word, &cost.occupied}) *time = std::max(*time, least);
  complete(outside_->place, outside_->turn, cost, outside_->granted, now);
}

// ---- debuggers and direct pointers

unsigned MemoryController::transport_dbg(int, tlm_generic_payload& transaction) {
  if (transaction.get_command() == tlm::TLM_IGNORE_COMMAND) return 0;
  return service_.debug(transaction.is_write(), transaction.get_address(), transaction.get_data_ptr(),
                        transaction.get_data_length());
}

bool MemoryController::get_direct_mem_ptr(int id, tlm_generic_payload& transaction, tlm::tlm_dmi& dmi) {
  dmi.init();
  if (service_.has_cache()) return false;  // it would go round the cache
  if (!port_.contains(transaction.get_address(), 1)) {
    dmi.set_start_address(port_.bytes());
    return false;
  }
  if (!port_.socket->get_direct_mem_ptr(transaction, dmi)) return false;
  dmi.set_end_address(std::min<sc_dt::uint64>(dmi.get_end_address(), port_.bytes() - 1));
  dmi.set_read_latency(span(service_.read_time()));
  dmi.set_write_latency(span(service_.write_time()));
  places_[static_cast<unsigned>(id)].has_pointers = true;
  return true;
}

void MemoryController::invalidate(std::uint64_t start, std::uint64_t end) {
  for (Place& place : places_)
    if (place.has_pointers) (*place.socket)->invalidate_direct_mem_ptr(start, end);
}

}  // namespace tsuji::host
