// SPDX-License-Identifier: Apache-2.0
#include "crosspoint/rtl_switch.h"

#include <array>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/core/flit.h"

namespace tsuji::bench {
namespace {

using crosspoint::SwitchCounters;
using crosspoint::SwitchParts;
using crosspoint::synchronization_ids;

/// Cycles until the registers of an empty switch have their last values.
constexpr Cycle settling_cycles = 3;

/// A packet in the switch, with its flits as they have come.
struct Held {
  PacketRef packet;
  std::uint16_t hops = 0;
  unsigned places = 0;  ///< FIFOs, outputs and rounds that hold it
  std::vector<FlitBits> flits;
};

/// Packets in the switch; places are used again.
class HeldPackets {
 public:
  explicit HeldPackets(unsigned longest_flits) : longest_flits_(longest_flits) {}
  Held& add(PacketTransfer&& transfer) {
    if (free_.empty()) {
      all_.emplace_back();
      all_.back().flits.reserve(longest_flits_);
      free_.push_back(&all_.back());
    }
    Held& held = *free_.back();
    free_.pop_back();
    held.packet = std::move(transfer.packet);
    held.hops = static_cast<std::uint16_t>(transfer.hops + 1);
    held.flits.clear();
    return held;
  }
  void leave(Held& held) {
    if (--held.places > 0) return;
    held.packet.reset();
    free_.push_back(&held);
  }

 private:
  const unsigned longest_flits_;
  std::deque<Held> all_;
  std::vector<Held*> free_;
};

/// Packets of a FIFO, or rounds that an output owes: four at most, the oldest first.
class Queue {
 public:
  bool empty() const { return count_ == 0; }
  unsigned count() const { return count_; }
  Held& front() const { return *packets_[first_]; }
  bool push(Held& held) {
    if (count_ == packets_.size()) return false;
    packets_[(first_ + count_++) % packets_.size()] = &held;
    return true;
  }
  Held& pop() {
    Held& held = front();
    first_ = (first_ + 1) % static_cast<unsigned>(packets_.size());
    --count_;
    return held;
  }

 private:
  std::array<Held*, 4> packets_{};
  unsigned first_ = 0, count_ = 0;
};

class RtlSwitch final : public crosspoint::PacketSwitch {
 public:
  RtlSwitch(const SwitchRtlKind& kind, const SwitchParts& parts)
      : config_(kind.config),
        longest_flits_(kind.longest_flits),
        ports_(kind.config.ports),
        name_(parts.name),
        channels_(parts.ports),
        route_(parts.route),
        rtl_(kind.make(parts.name)),
        packets_(kind.longest_flits),
        arriving_(ports_),
        leaving_(ports_),
        fifos_(std::size_t{ports_} * ports_),
        owed_(std::size_t{ports_} * synchronization_ids),
        used_(fifos_.size()) {
    rtl_->start(SwitchStraps(route_, ports_));
  }

  void bind(Clocked& self) override {
    owner_ = &self;
    for (const crosspoint::SwitchPort& port : channels_) {
      port.in->bind_receiver(self, ports_, config_.fifo_packets, 0);
      port.out->bind_sender(self);
    }
  }
  void step(Cycle now) override;
  const SwitchCounters& counters() const override { return counters_; }
  std::string stands_for() const override {
    return "crosspoint-buffered switch in RTL (Kanoh 2000, section 3, fig. 2)";
  }
  void visit_waiting(const std::function<void(const crosspoint::WaitingPacket&)>& visit) const override {
    for (unsigned fifo = 0; fifo < fifos_.size(); ++fifo)
      if (!fifos_[fifo].empty())
        visit({"FIFO (" + std::to_string(fifo / ports_) + ", " + std::to_string(fifo % ports_) + ") in RTL",
               fifos_[fifo].front().packet->id, "FIFOs of the next switch"});
  }
  void set_sync_probe(crosspoint::SyncProbe* probe) override { probe_ = probe; }

 private:
  struct Leaving {
    Held* held = nullptr;
    unsigned next = 0;
  };

  void take_heads(unsigned input, Cycle now);
  void check(const Packet& packet, Cycle arrival, Cycle now) const;
  void drive_flit(unsigned input);
  void drive_room(Cycle now);
  void absorbed(Cycle now);
  void sent(unsigned output, Cycle now);
  void begin(unsigned output, Cycle now);
  void freed(unsigned input, Cycle now);
  void tell(unsigned sid, Cycle at) const;
  [[noreturn]] void fail(Cycle now, const PacketRef& packet, const std::string& what) const {
    throw ModelError(name_, now, packet ? packet_name(packet->id) : "", "its RTL " + what);
  }
  Queue& fifo(unsigned input, unsigned output) { return fifos_[input * ports_ + output]; }
  Queue& owed(unsigned output, unsigned sid) { return owed_[output * synchronization_ids + sid]; }

  const crosspoint::CrosspointConfig config_;
  const unsigned longest_flits_, ports_;
  const std::string name_;
  const std::vector<crosspoint::SwitchPort> channels_;
  const graph::SwitchRoute& route_;
  const std::unique_ptr<SwitchRtl> rtl_;
  Clocked* owner_ = nullptr;
  crosspoint::SyncProbe* probe_ = nullptr;
  HeldPackets packets_;
  std::vector<Held*> arriving_;  ///< [input]
  std::vector<std::uint32_t> port_bits_ = std::vector<std::uint32_t>(crosspoint::max_ports);
  std::vector<Leaving> leaving_;  ///< [output]
  std::vector<Queue> fifos_;
  std::vector<Queue> owed_;  ///< [output * synchronization_ids + sid]
  struct Entry {
    std::uint32_t once = 0, twice = 0;  ///< inputs with one packet and with two
  };
  std::array<Entry, synchronization_ids> arrived_{};
  SwitchPins pins_;
  std::vector<unsigned> used_;  ///< [FIFO]: slots, until the RTL frees them
  unsigned slots_used_ = 0;     ///< of all FIFOs
  unsigned rounds_owed_ = 0;
  std::uint32_t sending_ = 0;  ///< mask of outputs in the middle of a packet
  Cycle settled_ = 0;
  SwitchCounters counters_;
};

void RtlSwitch::step(Cycle now) {
  pins_.in_valid = 0;
  for (unsigned input = 0; input < ports_; ++input) {
    take_heads(input, now);
    if (arriving_[input] != nullptr) drive_flit(input);
  }
  if (slots_used_ + rounds_owed_ > 0) drive_room(now);
  rtl_->cycle(pins_);
  if ((sending_ & ~pins_.out_valid) != 0) fail(now, {}, "has a gap in a packet");
  if (pins_.sync_done) absorbed(now);
  for (std::uint32_t left = pins_.out_valid; left != 0; left &= left - 1)
    sent(static_cast<unsigned>(__builtin_ctz(left)), now);
  for (unsigned input = 0; input < ports_; ++input)
    if (pins_.in_freed[input] != 0) freed(input, now);
  if (slots_used_ + rounds_owed_ + sending_ != 0) settled_ = now + settling_cycles;
  if (settled_ > now) owner_->wake_at(now + 1);
}

void RtlSwitch::take_heads(unsigned input, Cycle now) {
  PacketTransfer transfer;
  Cycle arrival = 0;
  while (channels_[input].in->receive(now, transfer, arrival)) {
    const Packet& packet = *transfer.packet;
    check(packet, arrival, now);
    const auto copies = static_cast<unsigned>(__builtin_popcount(transfer.port_bits));
    ++counters_.packets_received;
    counters_.replicated += copies - 1;
    counters_.held += copies;
    counters_.held_flits += std::uint64_t{copies} * packet.flits;
    slots_used_ += copies;
    port_bits_[input] = transfer.port_bits;
    Held& held = packets_.add(std::move(transfer));
    held.places = copies;
    for (std::uint32_t left = port_bits_[input]; left != 0; left &= left - 1) {
      const auto output = static_cast<unsigned>(__builtin_ctz(left));
      unsigned& used = used_[input * ports_ + output];
      if (used == config_.fifo_packets || !fifo(input, output).push(held))
        fail(now, held.packet,
             "has no room in FIFO (" + std::to_string(input) + ", " + std::to_string(output) + ")");
      ++used;
    }
    arriving_[input] = &held;
  }
}

/// ModelError for a packet that RTL without the switch's check and without operands cannot take.
void RtlSwitch::check(const Packet& packet, Cycle arrival, Cycle now) const {
  const unsigned header = packet.kind == PacketKind::single_cast ? 2
                          : packet.kind == PacketKind::multicast ? 5
                                                                 : 10;
  const char* problem = nullptr;
  if (arrival != now) problem = "did not take a head in its cycle";
  if (packet.spelling.error_count != 0) problem = "cannot take a damaged packet";
  if (packet.source.is_router()) problem = "cannot take a packet of a gateway";
  if (problem != nullptr)
    throw ModelError(name_, now, packet_name(packet.id), std::string("its RTL ") + problem);
  if (packet.flits >= header && packet.flits <= longest_flits_) return;
  throw ConfigError("rtl.places", "",
                    "packet " + packet_name(packet.id) + " of " + std::to_string(packet.flits) +
                        " flits is not for the RTL of " + name_,
                    "packets that hold their header, of up to " + std::to_string(longest_flits_) + " flits");
}

void RtlSwitch::drive_flit(unsigned input) {
  Held& held = *arriving_[input];
  const auto index = static_cast<unsigned>(held.flits.size());
  const FlitBits flit = spell_flit(*held.packet, port_bits_[input], index);
  held.flits.push_back(flit);
  pins_.in_flit[input] = flit;
  pins_.in_valid |= 1U << input;
  if (index + 1 == held.packet->flits) arriving_[input] = nullptr;
}

void RtlSwitch::drive_room(Cycle now) {
  for (unsigned output = 0; output < ports_; ++output)
    if (leaving_[output].held == nullptr) pins_.out_room[output] = channels_[output].out->room(now);
}

void RtlSwitch::absorbed(Cycle now) {
  Queue& from = fifo(pins_.sync_input, pins_.sync_output);
  if (from.empty() || from.front().packet->kind != PacketKind::synchronization)
    fail(now, {}, "absorbs a synchronization that nobody sent");
  Held& held = from.pop();
  const unsigned sid = held.packet->sid;
  --counters_.held;
  counters_.held_flits -= held.packet->flits;
  ++counters_.merged;
  if (pins_.sync_complete) {
    const std::uint32_t served = route_.served_outputs(*held.packet);
    for (std::uint32_t left = served; left != 0; left &= left - 1) {
      if (!owed(static_cast<unsigned>(__builtin_ctz(left)), sid).push(held))
        fail(now, held.packet, "completes too many rounds");
      ++held.places;
      ++rounds_owed_;
      ++counters_.replicated;
    }
  }
  arrived_[sid] = {pins_.sync_arrived, pins_.sync_early};
  tell(sid, now);
  packets_.leave(held);
}

void RtlSwitch::tell(unsigned sid, Cycle at) const {
  if (probe_ == nullptr) return;
  std::uint32_t outputs = 0;
  for (unsigned output = 0; output < ports_; ++output)
    if (!owed_[output * synchronization_ids + sid].empty()) outputs |= 1U << output;
  probe_->on_entry(at, sid, arrived_[sid].once, arrived_[sid].twice, outputs);
}

/// A port flit has left.
void RtlSwitch::begin(unsigned output, Cycle now) {
  const unsigned from = pins_.out_from[output], sid = pins_.out_sid[output];
  const bool is_owed = from == ports_;
  if (from > ports_) fail(now, {}, "sends a packet of input " + std::to_string(from));
  Queue& queue = is_owed ? owed(output, sid) : fifo(from, output);
  if (queue.empty())
    fail(now, {}, "sends a packet at output " + std::to_string(output) + " that nobody sent");
  Held& held = queue.pop();
  const FlitBits flit = pins_.out_flit[output];
  const std::uint32_t bits = flit >> 2 & 0xffffU;
  if (flit != make_flit(port_flit_data(held.packet->kind, bits), position_of(held.flits.front())))
    fail(now, held.packet, "sends a wrong port flit at output " + std::to_string(output));
  if (is_owed) {
    --rounds_owed_;
    tell(sid, now + 1);
  } else {
    --counters_.held;
    counters_.held_flits -= held.packet->flits;
  }
  ++counters_.packets_sent;
  counters_.flits_sent += held.packet->flits;
  leaving_[output] = {&held, 0};
  sending_ |= 1U << output;
  channels_[output].out->send(now, {held.packet, bits, held.hops});
}

void RtlSwitch::sent(unsigned output, Cycle now) {
  Leaving& leaving = leaving_[output];
  if (leaving.held == nullptr) {
    begin(output, now);
  } else if (pins_.out_flit[output] != leaving.held->flits[leaving.next]) {
    fail(now, leaving.held->packet,
         "sends flit " + std::to_string(leaving.next) + " at output " + std::to_string(output) +
             " as another flit");
  }
  if (++leaving.next < leaving.held->packet->flits) return;
  packets_.leave(*std::exchange(leaving.held, nullptr));
  sending_ &= ~(1U << output);
}

void RtlSwitch::freed(unsigned input, Cycle now) {
  for (std::uint32_t left = pins_.in_freed[input]; left != 0; left &= left - 1) {
    const auto output = static_cast<unsigned>(__builtin_ctz(left));
    unsigned& used = used_[input * ports_ + output];
    if (used == 0) fail(now, {}, "frees a slot of an empty FIFO");
    --used;
    --slots_used_;
    channels_[input].in->release(output, now);
  }
}

}  // namespace

std::unique_ptr<crosspoint::PacketSwitch> rtl_switch(const SwitchRtlKind& kind, const SwitchParts& parts) {
  return std::make_unique<RtlSwitch>(kind, parts);
}

}  // namespace tsuji::bench
