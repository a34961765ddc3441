// SPDX-License-Identifier: Apache-2.0
#include "tsuji/crosspoint/crosspoint_state.h"

#include <algorithm>

#include "tsuji/core/error.h"

namespace tsuji::crosspoint {

CrosspointState::CrosspointState(const CrosspointConfig& config, const graph::SwitchRoute& route,
                                 std::string name)
    : config_(config),
      route_(route),
      name_(std::move(name)),
      fifos_(std::size_t{config.ports} * config.ports),
      slots_(fifos_.size() * config.fifo_packets),
      arbiters_(config.ports, OutputArbiter(config.ports + 1, config.reserve_after)),
      busy_until_(config.ports, 0),
      sending_(config.ports, 0),
      waiting_(config.ports, 0),
      sync_heads_(config.ports, 0),
      lost_(config.ports, 0),
      table_(route, config.ports) {}

const PacketTransfer* CrosspointState::head(unsigned input, unsigned output) const {
  const unsigned fifo = input * config_.ports + output;
  if (fifos_[fifo].count == 0) return nullptr;
  return &slots_[fifo * config_.fifo_packets + fifos_[fifo].first].transfer;
}

void CrosspointState::push(unsigned input, unsigned output, Cycle eligible, PacketTransfer&& transfer) {
  const unsigned index = input * config_.ports + output;
  Fifo& fifo = fifos_[index];
  if (fifo.count == config_.fifo_packets) {
    throw ModelError(name_, eligible, packet_name(transfer.packet->id), "crosspoint FIFO overrun");
  }
  const unsigned place = (fifo.first + fifo.count) % config_.fifo_packets;
  Slot& slot = slots_[index * config_.fifo_packets + place];
  slot.transfer = std::move(transfer);
  slot.eligible = eligible;
  ++fifo.count;
  ++counters_.held;
  counters_.held_flits += slot.transfer.packet->flits;
  if (fifo.count == 1) classify_head(input, output, 0);
}

PacketTransfer CrosspointState::pop(unsigned input, unsigned output, Cycle next_head) {
  PacketTransfer transfer = std::move(front(input, output).transfer);
  Fifo& fifo = fifos_[input * config_.ports + output];
  fifo.first = static_cast<std::uint8_t>(fifo.first + 1U == config_.fifo_packets ? 0 : fifo.first + 1);
  --fifo.count;
  --counters_.held;
  counters_.held_flits -= transfer.packet->flits;
  if (transfer.packet->kind == PacketKind::synchronization) --sync_heads_waiting_;
  classify_head(input, output, next_head);
  return transfer;
}

void CrosspointState::classify_head(unsigned input, unsigned output, Cycle since) {
  const std::uint32_t bit = std::uint32_t{1} << input;
  waiting_[output] &= ~bit;
  sync_heads_[output] &= ~bit;
  if (fifos_[input * config_.ports + output].count != 0) {
    Slot& slot = front(input, output);
    const bool synchronization = slot.transfer.packet->kind == PacketKind::synchronization;
    if (!synchronization && slot.transfer.port_bits != 0) {
      waiting_[output] |= bit;
    } else {
      // A head for the table, or without a destination, is visible only after the tail of the packet that is
      // leaving this FIFO. For a normal head the busy output has that effect.
      if (sending_[output] == input) since = std::max(since, busy_until_[output]);
      slot.eligible = std::max(slot.eligible, since);
      (synchronization ? sync_heads_ : lost_)[output] |= bit;
      ++(synchronization ? sync_heads_waiting_ : lost_heads_);
    }
  }
  update_active(output);
}

void CrosspointState::collect_heads(unsigned output, Cycle now, OutputArbiter::Requests& requests) {
  for (std::uint32_t left = waiting_[output]; left != 0; left &= left - 1) {
    const auto input = static_cast<unsigned>(__builtin_ctz(left));
    const Slot& slot = front(input, output);
    if (slot.eligible > now) {
      wake(slot.eligible);
      continue;
    }
    requests.asking |= std::uint32_t{1} << input;
    requests.targets[input] = slot.transfer.port_bits;
    if (slot.transfer.packet->kind == PacketKind::multicast) requests.multicast |= std::uint32_t{1} << input;
  }
}

int CrosspointState::collect_owed(unsigned output, std::uint32_t room, OutputArbiter::Requests& requests) {
  const int sid = table_.choose(output, room & ~arbiters_[output].reserved(requests));
  if (sid < 0) return sid;
  requests.asking |= std::uint32_t{1} << config_.ports;
  requests.targets[config_.ports] = table_.target(output, sid);
  return sid;
}

void CrosspointState::begin_access(Cycle now) {
  const auto count = static_cast<unsigned>(fifos_.size());
  for (unsigned step = 0; step < count; ++step) {
    const unsigned fifo = (next_sync_fifo_ + step) % count;
    const unsigned input = fifo / config_.ports, output = fifo % config_.ports;
    if ((sync_heads_[output] >> input & 1U) == 0) continue;
    const Cycle eligible = front(input, output).eligible;
    if (eligible > now) {
      wake(eligible);
      continue;
    }
    accessing_ = static_cast<int>(fifo);
    access_ends_ = now + access_cycles(config_, *front(input, output).transfer.packet);
    next_sync_fifo_ = (fifo + 1) % count;
    return wake(access_ends_);
  }
}

std::string CrosspointState::stands_for() const {
  return "crosspoint-buffered switch with multicast and synchronization (Kanoh 2000, section 3, fig. 2)";
}

void CrosspointState::add_parts(PartList& parts) const {
  parts.add("fifos", fifos_.front());
  parts.add("arbiters", arbiters_.front());
  parts.add("sync_table", table_);
}

}  // namespace tsuji::crosspoint
