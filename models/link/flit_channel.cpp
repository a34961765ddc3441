#include "link/flit_channel.h"

#include "core/error.h"

namespace tsuji {

FlitChannel::FlitChannel(const FlitChannelConfig& config)
    : vcs_(static_cast<std::uint16_t>(config.vcs)),
      depth_(static_cast<std::uint16_t>(config.depth_flits)),
      ready_after_(static_cast<std::uint32_t>(config.latency_cycles +
                                              (config.whole_flit ? config.flit_cycles - 1 : 0))),
      credit_after_(static_cast<std::uint32_t>(1 + config.credit_latency_cycles + config.credit_process_cycles)),
      flit_cycles_(static_cast<std::uint32_t>(config.flit_cycles)),
      storage_(static_cast<std::size_t>(config.vcs) * config.depth_flits),
      rings_store_(config.vcs) {
  slots_ = storage_.data();
  rings_ = rings_store_.data();
}

void FlitChannel::bind_receiver(Clocked* receiver, std::uint64_t* busy, unsigned first_bit, Cycle after_cycles) {
  receiver_ = receiver;
  receiver_busy_ = busy;
  first_bit_ = first_bit;
  ready_after_ += static_cast<std::uint32_t>(after_cycles);
}

void FlitChannel::bind_sender(Clocked* sender, std::uint64_t* busy) {
  sender_ = sender;
  sender_busy_ = busy;
}

unsigned FlitChannel::credits(unsigned vc, Cycle now) const {
  unsigned count = 0;
  while (count < depth_ && credits_at(vc, count + 1) <= now) ++count;
  return count;
}

void FlitChannel::wake_watcher(Ring& ring, Cycle usable) {
  const unsigned bit = ring.watcher - 1;
  ring.watcher = 0;
  sender_busy_[bit / 64] |= std::uint64_t{1} << (bit % 64);
  if (sender_ != nullptr) sender_->wake_at(usable);
}

unsigned FlitChannel::kill(PacketIndex packet) {
  unsigned count = 0;
  for (Slot& slot : storage_) {
    if (!slot.flit.valid() || slot.flit.is_killed() || slot.flit.packet != packet) continue;
    slot.flit.flags |= Flit::killed;
    ++count;
  }
  return count;
}

void FlitChannel::visit_on_wires(Cycle now, const std::function<void(PacketIndex)>& visit) const {
  for (const Slot& slot : storage_) {
    if (slot.flit.valid() && !slot.flit.is_killed() && slot.cycle > now) visit(slot.flit.packet);
  }
}

std::uint64_t FlitChannel::flits_held() const {
  std::uint64_t count = 0;
  for (const Slot& slot : storage_) count += slot.flit.valid() ? 1 : 0;
  return count;
}

void FlitChannel::refuse_send(Cycle now, unsigned vc, const Flit& flit) const {
  throw ModelError(name(), now, "",
                   "flit " + std::to_string(flit.sequence) + " sent without a credit on virtual channel " +
                       std::to_string(vc));
}

void FlitChannel::refuse_pop(Cycle now, unsigned vc) const {
  throw ModelError(name(), now, "",
                   "a flit taken that is not there, on virtual channel " + std::to_string(vc));
}

}  // namespace tsuji
