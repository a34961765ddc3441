// SPDX-License-Identifier: Apache-2.0
#include "tsuji/nic/nic_events.h"

namespace tsuji::nic {
namespace {

constexpr std::uint64_t bit(NicEvent event) {
  return std::uint64_t{1} << static_cast<unsigned>(event);
}

}  // namespace

const char* name_of(Violation violation) {
  switch (violation) {
    case Violation::none:
      return "nothing";
    case Violation::header:
      return "a bad parcel header";
    case Violation::destination:
      return "no such destination";
    case Violation::write_pointer:
      return "a bad write pointer";
    case Violation::segment:
      return "an address in no segment";
    case Violation::page:
      return "a page that is not mapped";
    case Violation::read_only:
      return "a write to a page that is read only";
    case Violation::buffer:
      return "no such buffer, or a read pointer outside it";
    case Violation::overrun:
      return "an overrun of a buffer";
    case Violation::alignment:
      return "a misaligned address";
    case Violation::remote:
      return "an address that the other node refuses";
  }
  return "?";
}

std::uint64_t NicEvents::Fault::encode() const {
  if (!waits) return 0;
  namespace at = fields::sender_fault_state;
  return at::waits.word_of(1) | at::cause.word_of(static_cast<std::uint64_t>(cause)) | at::cid.word_of(cid) |
         at::write.word_of(static_cast<std::uint64_t>(write));
}

std::uint64_t NicEvents::Refusal::encode() const {
  namespace at = fields::sender_refusal;
  return at::cause.word_of(static_cast<std::uint64_t>(cause)) | at::cid.word_of(cid) |
         at::place.word_of(place) | at::further.word_of(further);
}

void NicEvents::Refusal::forget(std::uint64_t seen) {
  const std::uint64_t counted = fields::sender_refusal::further.of(seen) + 1;
  if (cause == Violation::none || counted > further)
    *this = {};
  else
    further = static_cast<std::uint16_t>(further - counted);
}

void NicEvents::note(Refusal& own, Violation cause, unsigned cid, unsigned place) {
  if (own.cause != Violation::none) {
    if (own.further < 0xffff) ++own.further;
    return;
  }
  own = {cause, static_cast<std::uint8_t>(cid), static_cast<std::uint16_t>(place), 0};
}

void NicEvents::raise(NicEvent event, Cycle now) {
  const bool is_new = (pending_ & bit(event)) == 0;
  pending_ |= bit(event);
  if (is_new && (enabled_ & bit(event)) != 0 && line_ != nullptr) line_->raised(now);
}

void NicEvents::clear(std::uint64_t bits, Cycle now) {
  const bool was_up = (pending_ & enabled_) != 0;
  pending_ &= ~bits;
  tell_lowered(was_up, now);
}

void NicEvents::enable(std::uint64_t bits, Cycle now) {
  const bool was_up = (pending_ & enabled_) != 0;
  const bool comes_up = (pending_ & bits & ~enabled_) != 0;
  enabled_ = bits;
  if (comes_up && line_ != nullptr) line_->raised(now);
  tell_lowered(was_up, now);
}

void NicEvents::tell_lowered(bool was_up, Cycle now) {
  if (was_up && (pending_ & enabled_) == 0 && line_ != nullptr) line_->lowered(now);
}

void NicEvents::sender_fault(const Fault& fault, Cycle now) {
  sender_fault_ = fault;
  raise(NicEvent::sender_fault, now);
}

void NicEvents::receiver_fault(const Fault& fault, Cycle now) {
  receiver_fault_ = fault;
  raise(NicEvent::receiver_fault, now);
}

void NicEvents::sender_refused(Violation cause, unsigned cid, unsigned set, Cycle now) {
  note(sender_refusal_, cause, cid, set);
  raise(NicEvent::sender_refused, now);
}

void NicEvents::receiver_refused(Violation cause, unsigned cid, unsigned buffer, Cycle now) {
  note(receiver_refusal_, cause, cid, buffer);
  raise(NicEvent::receiver_refused, now);
}

void NicEvents::sender_empty(unsigned set, Cycle now) {
  empty_sets_ |= std::uint64_t{1} << set;
  raise(NicEvent::sender_empty, now);
}

void NicEvents::received(unsigned cid, Cycle now) {
  add(CidList::received, cid);
  raise(NicEvent::received, now);
}

void NicEvents::quarter(unsigned cid, unsigned buffer, Cycle now) {
  add(static_cast<CidList>(index(CidList::message0_quarter) + buffer), cid);
  raise(NicEvent::quarter, now);
}

void NicEvents::memory_error(NicHalf half, std::uint64_t address, Cycle now) {
  std::uint64_t& first = memory_errors_[index(half)];
  if (first == 0) first = fields::sender_memory_error::failed.word_of(1) | address;
  raise(NicEvent::memory_error, now);
}

}  // namespace tsuji::nic
