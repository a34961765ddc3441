// SPDX-License-Identifier: Apache-2.0
#include "tsuji/link/flit_pins.h"

#include "tsuji/core/error.h"

namespace tsuji {

FlitChannelConfig channel_to_pins(const FlitChannelConfig& direct) {
  FlitChannelConfig config = direct;
  config.latency_cycles = 0;
  config.whole_flit = false;
  return config;
}

FlitPinDriver::FlitPinDriver(FlitChannel& channel, const Waker& self, Arena& arena)
    : channel_(channel), calendar_(arena, channel.vcs(), 1), gone_(channel.vcs()) {
  channel_.bind_receiver(self, calendar_, 0, 0, arena);
}

PinFlit FlitPinDriver::drive(Cycle now) {
  calendar_.take(0, now);
  calendar_.busy(0) = 0;
  PinFlit pins;
  for (unsigned vc = 0; vc < channel_.vcs(); ++vc) {
    if (gone_[vc] == channel_.depth_flits()) continue;
    const FlitSlot& slot = channel_.ring(vc).behind_front(gone_[vc]);
    if (!slot.holds_flit() || slot.cycle() > now) continue;
    if (slot.cycle() < now || pins.valid)
      throw ModelError(channel_.name(), now, "",
                       "a flit of cycle " + std::to_string(slot.cycle()) +
                           " cannot be driven: the pins carry another flit, or its cycle has passed");
    pins.valid = true;
    pins.head = slot.head();
    pins.tail = slot.tail();
    pins.vc = static_cast<std::uint8_t>(vc);
    pins.packet = slot.packet();
    channel_.take_out(vc, gone_[vc]++);
  }
  return pins;
}

void FlitPinDriver::take_credits(Cycle now, std::uint32_t vcs) {
  for (; vcs != 0; vcs &= vcs - 1) {
    const auto vc = static_cast<unsigned>(__builtin_ctz(vcs));
    if (vc >= channel_.vcs() || gone_[vc] == 0)
      throw ModelError(channel_.name(), now, "",
                       "a credit on the pins without a flit, on virtual channel " + std::to_string(vc));
    --gone_[vc];
    // Not pop(), which refuses the credit of a flit that reached the pins in this cycle.
    channel_.pop_known(now - 1, channel_.ring(vc));
  }
}

FlitPinSampler::FlitPinSampler(FlitChannel& channel, const Waker& self, Arena& arena)
    : channel_(channel),
      self_(self),
      behind_(channel.probe()),
      calendar_(arena, channel.vcs(), 1),
      sequence_(channel.vcs()) {
  // A flit is on the pins in the cycle of its departure.
  channel_.bind_sender({}, calendar_, 0, sender_);
  channel_.set_probe(this);
}

void FlitPinSampler::take(Cycle now, const PinFlit& pins) {
  if (!pins.valid) return;
  if (pins.vc >= channel_.vcs())
    throw ModelError(channel_.name(), now, "",
                     "a flit on the pins for virtual channel " + std::to_string(pins.vc) + " of " +
                         std::to_string(channel_.vcs()));
  std::uint16_t& sequence = sequence_[pins.vc];
  if (pins.head) sequence = 0;
  Flit flit;
  flit.packet = pins.packet;
  flit.sequence = sequence++;
  flit.flags =
      static_cast<std::uint8_t>(Flit::is_flit | (pins.head ? Flit::head : 0) | (pins.tail ? Flit::tail : 0));
  channel_.send(now, pins.vc, flit);
}

std::uint32_t FlitPinSampler::credits(Cycle now) const {
  const Freed& freed = freed_[(now - 1) % 2];
  return freed.cycle + 1 == now ? freed.vcs : 0;
}

void FlitPinSampler::on_flit(const FlitChannel& channel, unsigned vc, const Flit& flit, Cycle departure,
                             Cycle ready) {
  if (behind_ != nullptr) behind_->on_flit(channel, vc, flit, departure, ready);
}

void FlitPinSampler::on_credit(const FlitChannel& channel, unsigned vc, Cycle now, Cycle usable) {
  if (behind_ != nullptr) behind_->on_credit(channel, vc, now, usable);
  Freed& freed = freed_[now % 2];
  if (freed.cycle != now) freed = {now, 0};
  const std::uint32_t bit = std::uint32_t{1} << vc;
  if ((freed.vcs & bit) != 0)
    throw ModelError(channel_.name(), now, "",
                     "two places of virtual channel " + std::to_string(vc) +
                         " are freed in one cycle, and it has one credit pin");
  freed.vcs |= bit;
  if (self_) self_.wake_at(now + 1);
}

}  // namespace tsuji
