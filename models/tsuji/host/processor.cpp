// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/processor.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/core/run_time.h"

namespace tsuji::host {
namespace {

void check_time(const char* key, double ns) {
  if (ns >= 0) return;
  throw ConfigError(std::string("processor.") + key, std::to_string(ns), "negative", "0 or more");
}

/// Calls `each(address, offset, bytes)` for the part of [address, address + bytes) in every line.
template <typename Each>
void for_each_line(std::uint64_t address, std::size_t bytes, Each each) {
  constexpr std::uint64_t line_bytes = MemoryTransaction::line_bytes;
  for (std::size_t done = 0; done < bytes;) {
    const std::uint64_t at = address + done;
    const std::size_t part = std::min<std::size_t>(bytes - done, line_bytes - at % line_bytes);
    each(at, done, part);
    done += part;
  }
}

/// The 8-byte words that [address, address + bytes) touches.
Cycle words_touched(std::uint64_t address, std::size_t bytes) {
  return (address % 8 + bytes + 7) / 8;
}

}  // namespace

void ProcessorConfig::validate() const {
  cache.validate();
  if (cache.line_bytes != MemoryTransaction::line_bytes) {
    throw ConfigError("cache.line_bytes", std::to_string(cache.line_bytes),
                      "not the memory controller's line", "128");
  }
  check_time("hit_ns", hit_ns);
  check_time("store_ns", store_ns);
  check_time("block_word_ns", block_word_ns);
  check_time("register_write_ns", register_write_ns);
  check_time("register_read_ns", register_read_ns);
  check_time("system_call_ns", system_call_ns);
  check_time("interrupt_ns", interrupt_ns);
  if (poll_loop_cycles < 1) {
    throw ConfigError("processor.poll_loop_cycles", std::to_string(poll_loop_cycles), "too short",
                      "1 or more");
  }
  if (stack_bytes < (16U << 10)) {
    throw ConfigError("processor.stack_bytes", std::to_string(stack_bytes), "too small", "16384 or more");
  }
}

ProcessorCosts::ProcessorCosts(const ProcessorConfig& config, const ClockPeriod& period)
    : hit(period.cycles_from_ns(config.hit_ns)),
      store(period.cycles_from_ns(config.store_ns)),
      block_word(period.cycles_from_ns(config.block_word_ns)),
      register_write(period.cycles_from_ns(config.register_write_ns)),
      register_read(period.cycles_from_ns(config.register_read_ns)),
      system_call(period.cycles_from_ns(config.system_call_ns)),
      interrupt(period.cycles_from_ns(config.interrupt_ns)) {}

Processor::Processor(sc_core::sc_module_name name, ClockDomain& domain, NodeId node,
                     const ProcessorConfig& config)
    : sc_module(name),
      Clocked(domain),
      memory("memory"),
      registers("registers"),
      config_((config.validate(), config)),
      costs_(config, domain.period()),
      node_(node),
      cache_(config.cache) {
  task_at(0);
  memory.register_nb_transport_bw(this, &Processor::nb_transport_bw);
}

void Processor::fail(const std::string& what) const {
  throw ModelError(name(), now(), "", what);
}

// ---- the program's time

void Processor::step(Cycle now) {
  if (now == slice_.end) {
    slice_.end = never;
    time_.interrupt(InterruptCause::tasks, now);
  }
  if (time_.resumes(now)) task_->resume.notify();
}

void Processor::resume_at(Cycle cycle) {
  time_.resume_at(cycle);
  wake_at(cycle);
}

void Processor::suspend(ProcessorWait wait) {
  time_.begin(wait);
  sc_core::wait();  // for Task::resume
}

void Processor::spend(Cycle cycles) {
  time_.spend(cycles);
  if (config_.wait_each) synchronize();
}

void Processor::synchronize() {
  if (time_.owed() == 0 && !time_.takes_interrupt()) return;
  const Cycle longest = last_run_cycle(domain().period());
  if (time_.owed() > longest || time_.cycle() > longest - time_.owed())
    fail("computes for longer than a run may last, " + std::to_string(longest) +
         " cycles: the computing times of programs that wait for each other add up to more");
  pass(time_.take_owed());
}

// ---- cached accesses

std::uint64_t Processor::physical(std::uint64_t logical, bool write) const {
  if (task_->space == nullptr) fail("has no address space");
  const auto found = task_->space->translate(logical);
  if (!found.mapped) fail("access to unmapped address " + std::to_string(logical));
  if (write && !found.writable) fail("store to read-only address " + std::to_string(logical));
  return found.physical;
}

template <typename Value>
Value Processor::load_value(std::uint64_t address) {
  check_alignment("load from", address, sizeof(Value));
  Value value = 0;
  read_line(physical(address, false), &value, sizeof value);
  spend(costs_.hit);
  return value;
}

template <typename Value>
void Processor::store_value(std::uint64_t address, Value value) {
  check_alignment("store to", address, sizeof value);
  write_line(physical(address, true), &value, sizeof value);
  spend(costs_.store);
}

void Processor::check_alignment(const char* access, std::uint64_t address, unsigned bytes) const {
  if (address % bytes == 0) return;
  fail(std::string(access) + " address " + std::to_string(address) + ", which is no multiple of " +
       std::to_string(bytes));
}

std::uint64_t Processor::load(std::uint64_t address) {
  return load_value<std::uint64_t>(address);
}

std::uint32_t Processor::load_word(std::uint64_t address) {
  return load_value<std::uint32_t>(address);
}

void Processor::store(std::uint64_t address, std::uint64_t value) {
  store_value(address, value);
}

void Processor::store_word(std::uint64_t address, std::uint32_t value) {
  store_value(address, value);
}

void Processor::load_block(std::uint64_t address, void* to, std::size_t bytes) {
  auto* out = static_cast<unsigned char*>(to);
  for_each_line(address, bytes, [&](std::uint64_t at, std::size_t done, std::size_t part) {
    read_line(physical(at, false), out + done, part);
    spend(costs_.block_word * words_touched(at, part));
  });
}

void Processor::store_block(std::uint64_t address, const void* from, std::size_t bytes) {
  const auto* in = static_cast<const unsigned char*>(from);
  for_each_line(address, bytes, [&](std::uint64_t at, std::size_t done, std::size_t part) {
    write_line(physical(at, true), in + done, part);
    spend(costs_.block_word * words_touched(at, part));
  });
}

/// One access within a line, at the present time. `at` is physical here and below.
void Processor::read_line(std::uint64_t at, void* to, std::size_t bytes) {
  synchronize();
  ++counters_.loads;
  if (cache_.load(at, to, bytes)) return;
  fetch(cache_.line_of(at));
  // From the fetched words, not from the cache: somebody may have written the line since they left the
  // memory. The load then comes before that write, and the line is gone.
  std::memcpy(to, transaction_.data() + at % MemoryTransaction::line_bytes, bytes);
}

void Processor::write_line(std::uint64_t at, const void* from, std::size_t bytes) {
  synchronize();
  ++counters_.stores;
  while (!cache_.store(at, from, bytes)) fetch(cache_.line_of(at));
}

void Processor::fetch(std::uint64_t line) {
  ++counters_.misses;
  const auto victim = cache_.dirty_victim(line);
  if (victim.data != nullptr) {
    ++counters_.write_backs;
    request(MemoryAccessKind::noncoherent_write, victim.line, victim.data);
  }
  request(MemoryAccessKind::noncoherent_read, line, nullptr);
}

/// Registers a request for a whole line and returns when its last word is there.
void Processor::request(MemoryAccessKind kind, std::uint64_t line, const unsigned char* data) {
  auto& payload = transaction_.begin(kind, line, MemoryTransaction::line_bytes, data);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const tlm::tlm_sync_enum answer = memory->nb_transport_fw(payload, phase, delay);
  if (answer != tlm::TLM_ACCEPTED && (answer == tlm::TLM_COMPLETED || phase == tlm::BEGIN_RESP)) {
    answered(delay);
    // A response in the return path that is not the transaction's end is ended by a call.
    if (answer == tlm::TLM_UPDATED) memory->nb_transport_fw(payload, phase = tlm::END_RESP, delay);
  }
  suspend(ProcessorWait::answer);
  transaction_.end();
  if (payload.is_response_error()) {
    bus_error("memory answered " + payload.get_response_string() + " for the line at " +
              std::to_string(line));
  }
}

void Processor::bus_error(const std::string& what) {
  ++counters_.bus_errors;
  throw BusError(name(), now(), "", what);
}

inline void Processor::answered(const sc_core::sc_time& delay) {
  const tlm::tlm_generic_payload& transaction = transaction_.payload();
  if (transaction.is_response_ok() && transaction.is_read()) {
    const std::uint64_t line = transaction.get_address();
    cache_.fill(line, transaction_.data());
    for (const Poll* poll = task_->poll; poll != nullptr; poll = poll->outer) {
      if (polls_line(*poll, line)) cache_.watch(line);
    }
  }
  // The first edge of ours at or after the last word; one that has run already is too early.
  const Picoseconds due = present_ps() + delay.value() - domain().ps_of(0);
  const std::uint64_t period = domain().period().ps();
  resume_at(std::max<Cycle>((due + period - 1) / period, domain().now() + 1));
}

tlm::tlm_sync_enum Processor::nb_transport_bw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                              sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_RESP && &transaction == &transaction_.payload() && transaction_.busy()) {
    answered(delay);
    return tlm::TLM_COMPLETED;
  }
  if (phase == tlm::BEGIN_REQ || phase == tlm::BEGIN_RESP || phase == tlm::END_RESP)
    fail("a phase other than the response to its request came from the memory controller");
  return tlm::TLM_ACCEPTED;  // END_REQ, or an extended phase, which may be ignored
}

// ---- requests of the memory controller

LineState Processor::snoop_read(std::uint64_t address, unsigned char* line) {
  return cache_.snoop_read(address, line);
}

void Processor::snoop_invalidate(std::uint64_t address) {
  const auto before = cache_.invalidate(address);
  if (before.state == LineState::invalid) return;
  ++counters_.invalidations;
  if (!before.watched) return;
  Poll* const innermost = task_->poll;
  for (Poll* poll = innermost; poll != nullptr; poll = poll->outer) {
    if (polls_line(*poll, address)) poll->lost = true;
  }
  if (time_.wait() == ProcessorWait::line && innermost != nullptr && innermost->lost)
    resume_at(next_turn(*innermost, cycle_at_present()));
}

bool Processor::write_back_granted(std::uint64_t address) {
  if (cache_.state(address) != LineState::dirty) return false;
  cache_.invalidate(address);
  return true;
}

// ---- polling

bool Processor::polls_line(const Poll& poll, std::uint64_t line) const {
  return std::any_of(poll.addresses, poll.addresses + poll.count,
                     [&](std::uint64_t address) { return cache_.line_of(physical(address, false)) == line; });
}

/// Marks what is there; false if a line is missing.
bool Processor::watch_lines(const Poll& poll) {
  bool all = true;
  for (std::size_t i = 0; i < poll.count; ++i) all &= cache_.watch(physical(poll.addresses[i], false));
  return all;
}

void Processor::poll_until(const std::uint64_t* addresses, std::size_t count,
                           const std::function<bool()>& condition, const std::string& what) {
  synchronize();
  ++counters_.polls;
  Poll poll;
  poll.addresses = addresses;
  poll.count = count;
  poll.what = &what;
  poll.start = time_.cycle();
  Poll*& innermost = task_->poll;
  poll.outer = innermost;
  struct Restore {  // the program may throw out of its condition
    Poll*& place;
    Poll* outer;
    ~Restore() { place = outer; }
  } restore{innermost, innermost};
  innermost = &poll;
  for (;;) {
    // Lines are watched from before the condition looks at them: a write between its look and its answer
    // shows as `lost`.
    poll.turn = time_.cycle();
    poll.lost = false;
    watch_lines(poll);
    ++counters_.poll_turns;
    if (condition()) return;
    sleep(poll);
  }
}

/// Until the next turn that could find something new.
void Processor::sleep(Poll& poll) {
  ProcessorWait wait = ProcessorWait::line;
  if (poll.lost || !watch_lines(poll)) {
    const Cycle turn = next_turn(poll, 0);
    if (turn == time_.cycle()) return;  // the condition took a whole turn and has waited for all its time
    resume_at(turn);
    wait = ProcessorWait::time;
  }
  show(Activity::polling);
  suspend(wait);
  show(Activity::running);
  time_.take_owed();  // the condition's own time has passed meanwhile
  while (time_.takes_interrupt()) {
    handle_interrupt();
    const Cycle turn = next_turn(poll, 0);
    if (turn == time_.cycle()) continue;
    resume_at(turn);
    suspend(ProcessorWait::time);
  }
}

// ---- registers and the operating system

tlm::tlm_generic_payload& Processor::prepare(tlm::tlm_command command, std::uint64_t address,
                                             unsigned char* data, unsigned bytes) {
  payload_.set_command(command);
  payload_.set_address(address);
  payload_.set_data_ptr(data);
  payload_.set_data_length(bytes);
  payload_.set_streaming_width(bytes);
  payload_.set_byte_enable_ptr(nullptr);
  payload_.set_dmi_allowed(false);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  return payload_;
}

void Processor::register_access(tlm::tlm_command command, std::uint64_t offset, std::uint64_t& value,
                                Cycle cost) {
  if (time_.in_handler()) ++counters_.handler_register_accesses;
  spend(cost);
  synchronize();
  tlm::tlm_generic_payload& payload =
      prepare(command, offset, reinterpret_cast<unsigned char*>(&value), sizeof value);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  registers->b_transport(payload, delay);
  if (payload.is_response_error()) {
    bus_error("register " + std::to_string(offset) + " answered " + payload.get_response_string());
  }
  const std::uint64_t period = domain().period().ps();
  spend((delay.value() + period - 1) / period);
}

void Processor::register_write(std::uint64_t offset, std::uint64_t value) {
  ++counters_.register_writes;
  register_access(tlm::TLM_WRITE_COMMAND, offset, value, costs_.register_write);
}

std::uint64_t Processor::register_read(std::uint64_t offset) {
  ++counters_.register_reads;
  std::uint64_t value = 0;
  register_access(tlm::TLM_READ_COMMAND, offset, value, costs_.register_read);
  return value;
}

void Processor::flush(std::uint64_t address, std::size_t bytes) {
  for_each_line(address, bytes, [&](std::uint64_t at, std::size_t, std::size_t) {
    const std::uint64_t line = cache_.line_of(physical(at, false));
    synchronize();
    if (cache_.state(line) == LineState::dirty) {
      ++counters_.write_backs;
      request(MemoryAccessKind::noncoherent_write, line, cache_.find_data(line));
    }
    spend(costs_.hit);
  });
}

void Processor::system_call(const std::function<void()>& service) {
  ++counters_.system_calls;
  spend(costs_.system_call);
  synchronize();
  service();
}

// ---- the application's own accesses, whose time is in its compute operations

void Processor::debug(tlm::tlm_command command, std::uint64_t address, unsigned char* data, unsigned bytes) {
  tlm::tlm_generic_payload& payload = prepare(command, address, data, bytes);
  if (memory->transport_dbg(payload) != bytes) fail("no memory at address " + std::to_string(address));
}

void Processor::fetch_untimed(std::uint64_t line, bool contents) {
  unsigned char bytes[MemoryTransaction::line_bytes] = {};
  const auto victim = cache_.dirty_victim(line);
  if (victim.data != nullptr) {
    std::memcpy(bytes, victim.data, sizeof bytes);
    cache_.invalidate(victim.line);  // first, or debug transport would find the line in the cache
    debug(tlm::TLM_WRITE_COMMAND, victim.line, bytes, sizeof bytes);
  }
  if (contents) debug(tlm::TLM_READ_COMMAND, line, bytes, sizeof bytes);
  cache_.fill(line, bytes);
}

void Processor::app_write(std::uint64_t address, const void* from, std::size_t bytes) {
  synchronize();
  const auto* in = static_cast<const unsigned char*>(from);
  for_each_line(address, bytes, [&](std::uint64_t logical, std::size_t done, std::size_t part) {
    const std::uint64_t at = physical(logical, true);
    if (cache_.store(at, in + done, part)) return;
    fetch_untimed(cache_.line_of(at), part < MemoryTransaction::line_bytes);
    cache_.store(at, in + done, part);
  });
}

void Processor::app_read(std::uint64_t address, void* to, std::size_t bytes) {
  synchronize();
  auto* out = static_cast<unsigned char*>(to);
  for_each_line(address, bytes, [&](std::uint64_t logical, std::size_t done, std::size_t part) {
    const std::uint64_t at = physical(logical, false);
    if (cache_.load(at, out + done, part)) return;
    fetch_untimed(cache_.line_of(at), true);
    cache_.load(at, out + done, part);
  });
}

}  // namespace tsuji::host
