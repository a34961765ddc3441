// SPDX-License-Identifier: Apache-2.0
#include "tsuji/pins/pin_crosspoint.h"

#include <algorithm>
#include <cstring>

#include "tsuji/core/error.h"

namespace tsuji::crosspoint {
namespace {

std::uint32_t data_of(FlitBits flit) {
  return flit & ((1U << flit_data_bits) - 1);
}

/// Flits as they came, in the payload of their packet.
void keep_flit(PacketRef& packet, unsigned index, FlitBits flit) {
  std::memcpy(packet.edit().payload.data() + 4 * index, &flit, 4);
}
FlitBits kept_flit(const PacketRef& packet, unsigned index) {
  FlitBits flit = 0;
  std::memcpy(&flit, packet->payload.data() + 4 * index, 4);
  return flit;
}

}  // namespace

PinCrosspoint::PinCrosspoint(const CrosspointConfig& config, const std::string& name)
    : config_(config), name_(name) {
  static_assert(4 * most_flits == Packet::max_payload_bytes);
  for (std::vector<std::uint32_t>* lanes :
       {&outputs.flit, &outputs.from, &outputs.sid, &outputs.room, &outputs.freed})
    lanes->resize(config_.ports);
  restart();
}

void PinCrosspoint::restart() {
  state_.reset();
  arriving_.assign(config_.ports, {});
  leaving_.assign(config_.ports, {});
  room_.assign(config_.ports, 0);
  count_.assign(std::size_t{config_.ports} * config_.ports, 0);
  releases_.clear();
  clear_outputs();
  for (std::uint32_t& room : outputs.room) room = (1U << config_.ports) - 1;
}

void PinCrosspoint::clear_outputs() {
  outputs.valid = 0;
  outputs.sync_done = outputs.sync_complete = false;
  outputs.sync_input = outputs.sync_output = outputs.sync_arrived = outputs.sync_early = 0;
  for (std::vector<std::uint32_t>* lanes :
       {&outputs.flit, &outputs.from, &outputs.sid, &outputs.room, &outputs.freed})
    std::fill(lanes->begin(), lanes->end(), 0);
}

void PinCrosspoint::take(unsigned input, FlitBits flit) {
  Arriving& arriving = arriving_[input];
  const std::uint32_t data = data_of(flit);
  if (arriving.flits == 0) take_head(input, data);
  const auto refuse = [&](const char* problem) {
    throw ModelError(name_, now_, packet_name(arriving.packet->id), problem);
  };
  if (arriving.flits == most_flits) refuse("a packet is too long");
  keep_flit(arriving.packet, arriving.flits, flit);
  read_header(arriving, data);
  if (arriving.packet->flits > most_flits) refuse("a header states a packet that is too long");
  ++arriving.flits;
  if (position_of(flit) != FlitPosition::last) return;
  if (arriving.flits != arriving.packet->flits)
    refuse("a packet does not have the flits that its header states");
  arriving.flits = 0;
}

void PinCrosspoint::take_head(unsigned input, std::uint32_t data) {
  Arriving& arriving = arriving_[input];
  const std::uint32_t kind = data & 3U, port_bits = data >> 2;
  const bool single = kind == static_cast<std::uint32_t>(PacketKind::single_cast);
  if (kind > static_cast<std::uint32_t>(PacketKind::synchronization) || port_bits == 0 ||
      port_bits >> config_.ports != 0 || (single && (port_bits & (port_bits - 1)) != 0))
    throw ModelError(name_, now_, "",
                     "input " + std::to_string(input) + " takes no packet of kind " + std::to_string(kind) +
                         " for the ports " + std::to_string(port_bits));
  arriving.packet = pool_.make();
  arriving.arrival = now_;
  arriving.port_bits = port_bits;
  Packet& packet = arriving.packet.edit();
  packet.kind = static_cast<PacketKind>(kind);
  packet.id = packet_id(NodeId{input}, serial_++);
  packet.source = NodeId{input};
  for (unsigned fifo = 0; fifo < config_.ports; ++fifo)
    if ((port_bits >> fifo & 1U) != 0) ++count_[input * config_.ports + fifo];
}

void PinCrosspoint::read_header(Arriving& arriving, std::uint32_t data) const {
  Packet& packet = arriving.packet.edit();
  const bool single = packet.kind == PacketKind::single_cast;
  if (!single && arriving.flits >= 1 && arriving.flits <= 3)
    packet.map |= std::uint64_t{arriving.flits == 3 ? data & 0xffffU : data} << 24 * (arriving.flits - 1);
  const unsigned number_flit = single ? 1 : 4;
  if (arriving.flits == number_flit) {
    packet.destination = NodeId{data & 0x3ffU};
    packet.group = packet.kind == PacketKind::multicast ? data & 15U : 0;
    packet.sid = static_cast<std::uint8_t>(packet.kind == PacketKind::synchronization ? data & 127U : 0);
  }
  if (arriving.flits != number_flit + 1) return;
  packet.flits = static_cast<std::uint16_t>(header_flits(packet.kind) + (data >> 10 & 0x1ffU));
  arriving.known = true;
}

bool PinCrosspoint::receive(unsigned input, Cycle, PacketTransfer& transfer, Cycle& arrival) {
  Arriving& arriving = arriving_[input];
  if (!std::exchange(arriving.known, false)) return false;
  transfer = {arriving.packet, arriving.port_bits, 0};
  arrival = arriving.arrival;
  copies_ += static_cast<unsigned>(__builtin_popcount(arriving.port_bits)) - 1;
  return true;
}

void PinCrosspoint::send(unsigned output, Cycle, PacketTransfer&& transfer) {
  const bool owed = transfer.packet->kind == PacketKind::synchronization;
  outputs.from[output] = owed ? config_.ports : static_cast<std::uint32_t>(transfer.packet->source.number());
  outputs.sid[output] = owed ? transfer.packet->sid : 0;
  const std::uint32_t bits = transfer.port_bits;
  leaving_[output] = {std::move(transfer.packet), bits, 0};
}

void PinCrosspoint::release(unsigned input, unsigned fifo, Cycle at) {
  releases_.push_back({at, input, fifo});
  if (at != now_) return;
  outputs.sync_done = true;
  outputs.sync_input = input;
  outputs.sync_output = fifo;
}

void PinCrosspoint::step() {
  clear_outputs();
  copies_ = 0;
  const std::uint64_t replicated = state_->counters().replicated;
  state_->step(now_, *this);
  outputs.sync_complete = state_->counters().replicated - replicated != copies_;
  show_slots();
  show_flits();
  ++now_;
}

void PinCrosspoint::show_slots() {
  for (auto release = releases_.begin(); release != releases_.end();) {
    if (release->at > now_) {
      ++release;
      continue;
    }
    --count_[release->input * config_.ports + release->fifo];
    outputs.freed[release->input] |= 1U << release->fifo;
    release = releases_.erase(release);
  }
  for (unsigned input = 0; input < config_.ports; ++input)
    for (unsigned fifo = 0; fifo < config_.ports; ++fifo)
      if (count_[input * config_.ports + fifo] < config_.fifo_packets) outputs.room[input] |= 1U << fifo;
}

void PinCrosspoint::show_flits() {
  for (unsigned output = 0; output < config_.ports; ++output) {
    Leaving& leaving = leaving_[output];
    if (!leaving.packet) continue;
    FlitBits flit = kept_flit(leaving.packet, leaving.next);
    if (leaving.next == 0)
      flit = make_flit(port_flit_data(leaving.packet->kind, leaving.port_bits), position_of(flit));
    outputs.valid |= 1U << output;
    outputs.flit[output] = flit;
    if (++leaving.next == leaving.packet->flits) leaving.packet.reset();
  }
}

}  // namespace tsuji::crosspoint
