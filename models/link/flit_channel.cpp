#include "link/flit_channel.h"

#include "core/error.h"

namespace tsuji {

ArrivalBoard::ArrivalBoard(unsigned lines, Cycle horizon_cycles, bool every_flit)
    : words_((lines + 63) / 64) {
  std::uint32_t rows = 2;
  while (rows <= horizon_cycles && (every_flit || rows < most_rows)) rows *= 2;
  row_mask_ = rows - 1;
  rows_ = std::make_unique<std::uint64_t[]>(static_cast<std::size_t>(rows + 1) * words_);
}

unsigned FlitRing::credits(Cycle now) const {
  unsigned count = 0;
  while (count < depth() && credits_at(count + 1) <= now) ++count;
  return count;
}

FlitChannel::FlitChannel(const FlitChannelConfig& config)
    : rings_(new FlitRing[config.vcs]),
      ready_after_(static_cast<std::uint32_t>(config.latency_cycles +
                                              (config.whole_flit ? config.flit_cycles - 1 : 0))),
      credit_after_(
          static_cast<std::uint32_t>(1 + config.credit_latency_cycles + config.credit_process_cycles)),
      flit_cycles_(static_cast<std::uint32_t>(config.flit_cycles)),
      vcs_(static_cast<std::uint16_t>(config.vcs)),
      slots_(new FlitSlot[static_cast<std::size_t>(config.vcs) * config.depth_flits]) {
  for (unsigned vc = 0; vc < config.vcs; ++vc) {
    FlitRing& ring = rings_[vc];
    ring.read = ring.write = ring.slots = slots_.get() + static_cast<std::size_t>(vc) * config.depth_flits;
    ring.end = ring.slots + config.depth_flits;
    ring.channel = this;
    ring.vc = static_cast<std::uint8_t>(vc);
  }
}

void FlitChannel::bind_receiver(Clocked* receiver, ArrivalBoard& board, unsigned first_line,
                                Cycle after_cycles) {
  receiver_ = receiver;
  arrivals_ = board.column(first_line / 64);
  if (first_line / 64 != (first_line + vcs_ - 1U) / 64)
    throw ModelError(name(), "its lines lie in two words");
  for (unsigned vc = 0; vc < vcs_; ++vc) rings_[vc].bit = static_cast<std::uint8_t>((first_line + vc) % 64);
  ready_after_ += static_cast<std::uint32_t>(after_cycles);
}

void FlitChannel::bind_sender(Clocked* sender, ArrivalBoard& board) {
  sender_ = sender;
  sender_board_ = &board;
}

void FlitChannel::wake_watcher(FlitRing& ring, Cycle usable) {
  sender_board_->set_busy(ring.watcher - 1U);
  ring.watcher = 0;
  if (sender_ != nullptr) sender_->wake_at(usable);
}

template <class Visit>
void FlitChannel::visit_slots(const Visit& visit) const {
  const std::size_t slots = static_cast<std::size_t>(vcs_) * depth_flits();
  for (std::size_t s = 0; s < slots; ++s) {
    if (slots_[s].holds_flit()) visit(slots_[s]);
  }
}

unsigned FlitChannel::kill(PacketIndex packet) {
  unsigned count = 0;
  visit_slots([&](FlitSlot& slot) {
    if (slot.killed() || slot.packet() != packet) return;
    slot.kill();
    ++count;
  });
  return count;
}

void FlitChannel::visit_on_wires(Cycle now, const std::function<void(PacketIndex)>& visit) const {
  visit_slots([&](const FlitSlot& slot) {
    if (!slot.killed() && slot.cycle() > now) visit(slot.packet());
  });
}

std::uint64_t FlitChannel::flits_held() const {
  std::uint64_t count = 0;
  visit_slots([&count](const FlitSlot&) { ++count; });
  return count;
}

void FlitChannel::tell_flit(const FlitRing& ring, const FlitSlot& slot, Cycle departure, Cycle ready) const {
  probe_->on_flit(*this, ring.vc, slot.flit(), departure, ready);
}

void FlitChannel::refuse_send(Cycle now, const FlitRing& ring, const FlitSlot& from) const {
  throw ModelError(name(), now, "",
                   "flit " + std::to_string(from.sequence()) + " sent without a credit on virtual channel " +
                       std::to_string(ring.vc));
}

void FlitChannel::refuse_pop(Cycle now, unsigned vc) const {
  throw ModelError(name(), now, "",
                   "a flit taken that is not there, on virtual channel " + std::to_string(vc));
}

}  // namespace tsuji
