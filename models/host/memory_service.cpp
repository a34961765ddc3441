#include "tsuji/host/memory_service.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "tsuji/core/error.h"

namespace tsuji::host {
namespace {

constexpr unsigned word_bytes = 4;  // of the machine; time goes by the 8 bytes that move at once

/// The 8-byte words that a request touches.
unsigned words_of(const MemoryService::Request& request) {
  return (request.address % 8 + request.bytes + 7) / 8;
}

std::uint64_t line_of(std::uint64_t address) {
  return address - address % MemoryTransaction::line_bytes;
}

void check_time(const char* key, double ns, double least) {
  if (ns >= least) return;
  throw ConfigError(std::string("memory.") + key, std::to_string(ns), "too short",
                    least > 0 ? "0.001 ns or more" : "0 or more");
}

}  // namespace

void MemoryControllerConfig::validate() const {
  constexpr double more_than_nothing = 0.001;  // the kernel's resolution: such a time is a cycle
  check_time("clean_answer_ns", clean_answer_ns, 0);
  check_time("dirty_answer_ns", dirty_answer_ns, 0);
  check_time("dirty_word_ns", dirty_word_ns, more_than_nothing);
  check_time("first_word_ns", memory_first_word_ns, more_than_nothing);
  check_time("word_ns", memory_word_ns, more_than_nothing);
  check_time("write_ns", write_ns, 0);
  check_time("read_modify_ns", read_modify_ns, 0);
  check_time("refusal_ns", refusal_ns, more_than_nothing);
}

MemoryService::MemoryService(const MemoryControllerConfig& config, ClockPeriod period, MemoryStore& store)
    : clean_answer_((config.validate(), period.cycles_from_ns(config.clean_answer_ns))),
      dirty_answer_(period.cycles_from_ns(config.dirty_answer_ns)),
      dirty_word_(period.cycles_from_ns(config.dirty_word_ns)),
      memory_first_word_(period.cycles_from_ns(config.memory_first_word_ns)),
      memory_word_(period.cycles_from_ns(config.memory_word_ns)),
      write_(period.cycles_from_ns(config.write_ns)),
      read_modify_(period.cycles_from_ns(config.read_modify_ns)),
      refusal_(period.cycles_from_ns(config.refusal_ns)),
      store_(store) {}

tlm::tlm_response_status MemoryService::check(const Request& request) const {
  if (request.bytes == 0 || request.bytes % word_bytes != 0) return tlm::TLM_BURST_ERROR_RESPONSE;
  const unsigned operands = request.kind == MemoryAccessKind::compare_swap ? 2 : 1;
  if (is_atomic(request.kind) && request.bytes != 8 * operands) return tlm::TLM_BURST_ERROR_RESPONSE;
  const unsigned alignment = is_atomic(request.kind) ? 8 : word_bytes;
  if (request.address % alignment != 0) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  const unsigned touched = is_atomic(request.kind) ? 8 : request.bytes;
  if (request.address % line_bytes + touched > line_bytes) return tlm::TLM_BURST_ERROR_RESPONSE;
  // Snoops work on whole lines, so the whole line must exist.
  if (!store_.contains(line_of(request.address), line_bytes)) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  return tlm::TLM_OK_RESPONSE;
}

MemoryService::Cost MemoryService::refuse() {
  ++counters_.refused;
  counters_.busy_cycles += refusal_;
  return {refusal_, refusal_, refusal_};
}

MemoryService::Cost MemoryService::perform(const Request& request) {
  ++counters_.requests[static_cast<unsigned>(request.kind)][static_cast<unsigned>(request.initiator)];
  Cost cost;
  switch (request.kind) {
    case MemoryAccessKind::coherent_read:
      cost = coherent_read(request);
      break;
    case MemoryAccessKind::noncoherent_read:
      store_.read(request.address, request.data, request.bytes);
      cost = read_words(0, request);
      break;
    case MemoryAccessKind::coherent_write:
      cost = coherent_write(request);
      break;
    case MemoryAccessKind::noncoherent_write:
      cost = noncoherent_write(request);
      break;
    case MemoryAccessKind::atomic_add:
    case MemoryAccessKind::swap:
    case MemoryAccessKind::compare_swap:
      cost = atomic(request);
      break;
  }
  counters_.busy_cycles += cost.occupied;
  return cost;
}

/// Asks the cache; a dirty line is taken into line_ and written to memory. The cycles until that is through.
Cycle MemoryService::flush(std::uint64_t line) {
  answer_ = cache_ == nullptr ? LineState::invalid : cache_->snoop_read(line, line_);
  if (answer_ == LineState::dirty) {
    ++counters_.dirty_answers;
    store_.write(line, line_, line_bytes);
    return dirty_answer_ + dirty_word_ * (line_bytes / 8);
  }
  ++(answer_ == LineState::clean ? counters_.clean_answers : counters_.absent_answers);
  return clean_answer_;
}

MemoryService::Cost MemoryService::read_words(Cycle before, const Request& request) const {
  const Cycle first = before + memory_first_word_;
  const Cycle last = first + memory_word_ * (words_of(request) - 1);
  return {first, last, last};
}

MemoryService::Cost MemoryService::write_words(Cycle before, const Request& request) const {
  const Cycle first = before + write_ + memory_word_;
  const Cycle last = first + memory_word_ * (words_of(request) - 1);
  return {first, last, last};
}

MemoryService::Cost MemoryService::coherent_read(const Request& request) {
  const std::uint64_t line = line_of(request.address);
  const Cycle asked = flush(line);
  if (answer_ != LineState::dirty) {
    store_.read(request.address, request.data, request.bytes);
    return read_words(asked, request);
  }
  // The words asked for come first, straight to the reader; the rest of the line then goes to memory only.
  std::memcpy(request.data, line_ + (request.address - line), request.bytes);
  return {dirty_answer_ + dirty_word_, dirty_answer_ + dirty_word_ * words_of(request), asked};
}

MemoryService::Cost MemoryService::coherent_write(const Request& request) {
  const std::uint64_t line = line_of(request.address);
  Cycle before = 0;
  if (request.bytes < line_bytes) {
    before = flush(line);
    if (answer_ != LineState::dirty) before += read_modify_;
  }
  store_.write(request.address, request.data, request.bytes);
  if (cache_ != nullptr) cache_->snoop_invalidate(line);
  return write_words(before, request);
}

MemoryService::Cost MemoryService::noncoherent_write(const Request& request) {
  bool wanted = true;
  if (request.initiator == MemoryInitiator::processor && cache_ != nullptr) {
    wanted = cache_->write_back_granted(line_of(request.address));
    ++(wanted ? counters_.write_backs : counters_.void_write_backs);
  }
  if (wanted) store_.write(request.address, request.data, request.bytes);
  return write_words(0, request);
}

MemoryService::Cost MemoryService::atomic(const Request& request) {
  const std::uint64_t line = line_of(request.address);
  Cycle before = flush(line);
  if (answer_ != LineState::dirty) before += read_modify_;
  std::uint64_t old = 0;
  store_.read(request.address, &old, 8);
  const std::uint64_t value = atomic_result(request.kind, old, request.data);
  store_.write(request.address, &value, 8);
  std::memcpy(request.data, &old, 8);
  if (cache_ != nullptr) cache_->snoop_invalidate(line);
  const Cycle done = before + write_ + memory_word_;
  return {done, done, done};
}

unsigned MemoryService::debug(bool write, std::uint64_t address, unsigned char* data, unsigned count) {
  unsigned done = 0;
  while (done < count && store_.contains(address + done, 1)) {
    const std::uint64_t at = address + done;
    const unsigned part = std::min<unsigned>(count - done, line_bytes - at % line_bytes);
    if (!store_.contains(at, part)) break;
    unsigned char* cached = cache_ == nullptr ? nullptr : cache_->debug_line(line_of(at));
    if (write) store_.write(at, data + done, part);
    if (cached != nullptr) {
      cached += at % line_bytes;
      write ? std::memcpy(cached, data + done, part) : std::memcpy(data + done, cached, part);
    } else if (!write) {
      store_.read(at, data + done, part);
    }
    done += part;
  }
  return done;
}

}  // namespace tsuji::host
