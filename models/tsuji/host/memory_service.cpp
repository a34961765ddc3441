// SPDX-License-Identifier: Apache-2.0
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
      flushed_answer_(config.flushed_answer_ns
                          ? period.cycles_from_ns(static_cast<double>(*config.flushed_answer_ns))
                          : clean_answer_),
      dirty_answer_(period.cycles_from_ns(config.dirty_answer_ns)),
      dirty_word_(period.cycles_from_ns(config.dirty_word_ns)),
      memory_first_word_(period.cycles_from_ns(config.memory_first_word_ns)),
      memory_word_(period.cycles_from_ns(config.memory_word_ns)),
      write_(period.cycles_from_ns(config.write_ns)),
      read_modify_(period.cycles_from_ns(config.read_modify_ns)),
      refusal_(period.cycles_from_ns(config.refusal_ns)),
      store_(store) {}

tlm::tlm_response_status MemoryService::check(const Request& request) const {
  if (request.any_bytes) return tlm::TLM_OK_RESPONSE;  // made of pieces that fit
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

MemoryService::Cost MemoryService::ignore() {
  counters_.busy_cycles += refusal_;
  return {refusal_, refusal_, refusal_};
}

void MemoryService::ask_cache(const Request& request) {
  ++counters_.requests[static_cast<unsigned>(request.kind)][static_cast<unsigned>(request.initiator)];
  answer_ = LineState::invalid;
  asked_ = 0;
  wanted_ = true;
  const std::uint64_t line = line_of(request.address);
  switch (request.kind) {
    case MemoryAccessKind::coherent_read:
      return snoop(line);
    case MemoryAccessKind::noncoherent_read:
      return;
    case MemoryAccessKind::noncoherent_write:
      if (request.initiator != MemoryInitiator::processor || cache_ == nullptr) return;
      wanted_ = cache_->write_back_granted(line);
      ++(wanted_ ? counters_.write_backs : counters_.void_write_backs);
      return;
    case MemoryAccessKind::coherent_write:
      if (!whole_line(request)) snoop(line);
      break;
    default:
      snoop(line);
  }
  if (cache_ != nullptr) cache_->snoop_invalidate(line);
}

/// A dirty line is taken into line_; `move` writes it to memory.
void MemoryService::snoop(std::uint64_t line) {
  if (cache_ != nullptr) answer_ = cache_->snoop_read(line, line_);
  if (answer_ == LineState::dirty) {
    asked_ = dirty_answer_ + flush_time();
    flushed_ = line;
  } else {
    asked_ = answer_ == LineState::clean && line == flushed_ ? flushed_answer_ : clean_answer_;
  }
  ++(answer_ == LineState::dirty   ? counters_.dirty_answers
     : answer_ == LineState::clean ? counters_.clean_answers
                                   : counters_.absent_answers);
}

inline void MemoryService::read_bytes(std::uint64_t address, void* to, unsigned count) {
  if (direct_ == nullptr) return store_.read(address, to, count);
  std::memcpy(to, direct_ + address % line_bytes, count);
}

inline void MemoryService::write_bytes(std::uint64_t address, const void* from, unsigned count) {
  if (direct_ == nullptr) return store_.write(address, from, count);
  std::memcpy(direct_ + address % line_bytes, from, count);
}

MemoryService::Cost MemoryService::move(const Request& request, unsigned char* line) {
  direct_ = line;
  if (answer_ == LineState::dirty) write_bytes(line_of(request.address), line_, line_bytes);
  switch (request.kind) {
    case MemoryAccessKind::coherent_read:
      return counted(coherent_read(request));
    case MemoryAccessKind::noncoherent_read:
      read_memory(request);
      return counted(read_words(0, request));
    case MemoryAccessKind::coherent_write:
      return counted(coherent_write(request));
    case MemoryAccessKind::noncoherent_write:
      if (wanted_) write_memory(request);
      return counted(write_words(0, request));
    case MemoryAccessKind::atomic_add:
    case MemoryAccessKind::swap:
    case MemoryAccessKind::compare_swap:
      break;
  }
  return counted(atomic(request));
}

/// `bytes`: those at the request's address.
void MemoryService::give(const Request& request, const unsigned char* bytes) const {
  if (request.enables == nullptr) {
    std::memcpy(request.data, bytes, request.bytes);
    return;
  }
  for (unsigned b = 0; b < request.bytes; ++b)
    if (request.enabled(b)) request.data[b] = bytes[b];
}

inline void MemoryService::read_memory(const Request& request) {
  if (request.enables != nullptr) return read_enabled(request);
  read_bytes(request.address, request.data, request.bytes);
}

inline void MemoryService::write_memory(const Request& request) {
  if (request.enables != nullptr) return write_enabled(request);
  write_bytes(request.address, request.data, request.bytes);
}

void MemoryService::read_enabled(const Request& request) {
  unsigned char bytes[line_bytes];
  read_bytes(request.address, bytes, request.bytes);
  give(request, bytes);
}

void MemoryService::write_enabled(const Request& request) {
  unsigned char bytes[line_bytes];
  read_bytes(request.address, bytes, request.bytes);
  for (unsigned b = 0; b < request.bytes; ++b)
    if (request.enabled(b)) bytes[b] = request.data[b];
  write_bytes(request.address, bytes, request.bytes);
}

MemoryService::Cost MemoryService::read_words(Cycle before, const Request& request) const {
  const Cycle first = before + memory_first_word_;
  const Cycle last = first + memory_word_ * (words_of(request) - 1);
  return {first, last, last, last - before};
}

MemoryService::Cost MemoryService::write_words(Cycle before, const Request& request) const {
  const Cycle first = before + write_ + memory_word_;
  const Cycle last = first + memory_word_ * (words_of(request) - 1);
  return {first, last, last, last - asked_ + flush_time()};
}

MemoryService::Cost MemoryService::coherent_read(const Request& request) {
  if (answer_ != LineState::dirty) {
    read_memory(request);
    return read_words(asked_, request);
  }
  // The words asked for come first, straight to the reader; the rest of the line then goes to memory only.
  give(request, line_ + request.address % line_bytes);
  return {dirty_answer_ + dirty_word_, dirty_answer_ + dirty_word_ * words_of(request), asked_, flush_time()};
}

/// Until a part of a line can be written: the cache's answer, and the memory's if the cache has nothing
/// newer.
Cycle MemoryService::before_write() const {
  return asked_ + (answer_ == LineState::dirty ? 0 : read_modify_);
}

MemoryService::Cost MemoryService::coherent_write(const Request& request) {
  write_memory(request);
  return write_words(whole_line(request) ? 0 : before_write(), request);
}

MemoryService::Cost MemoryService::atomic(const Request& request) {
  read_bytes(request.address, &old_, 8);
  const std::uint64_t value = atomic_result(request.kind, old_, request.data);
  write_bytes(request.address, &value, 8);
  const Cycle done = before_write() + write_ + memory_word_;
  return {done, done, done, done - asked_ + flush_time()};
}

unsigned MemoryService::debug(bool write, std::uint64_t address, unsigned char* data, unsigned count) {
  unsigned done = 0;
  while (done < count && store_.contains(address + done, 1)) {
    const std::uint64_t at = address + done;
    const unsigned part = std::min<unsigned>(count - done, line_bytes - at % line_bytes);
    if (!store_.contains(at, part)) break;
    unsigned char* cached = cache_ == nullptr ? nullptr : cache_->debug_line(line_of(at));
    if ((write || cached == nullptr) && store_.debug(write, at, data + done, part) != part) break;
    if (cached != nullptr) {
      cached += at % line_bytes;
      write ? std::memcpy(cached, data + done, part) : std::memcpy(data + done, cached, part);
    }
    done += part;
  }
  return done;
}

}  // namespace tsuji::host
