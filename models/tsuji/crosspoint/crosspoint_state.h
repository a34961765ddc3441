// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/core/described.h"
#include "tsuji/crosspoint/config.h"
#include "tsuji/crosspoint/output_arbiter.h"
#include "tsuji/crosspoint/sync_table.h"
#include "tsuji/graph/multistage.h"
#include "tsuji/link/packet_link.h"

namespace tsuji::crosspoint {

/// Decisions of an N x N crosspoint-buffered switch (Kanoh 2000, section 3, fig. 2), event-driven: N^2 FIFOs,
/// one for each (input, output). A packet is written into the FIFOs that its port bits name, a multicast into
/// all of them at once; from then on its branches are independent. An output serves a FIFO head when the
/// FIFOs that it goes to have room for the whole packet (virtual cut-through). The flits then follow one per
/// cycle, so that one decision per packet suffices.
///
/// No SystemC here. `Ports` is the class that connects the switch to its channels:
///     bool receive(unsigned input, Cycle now, PacketTransfer&, Cycle& arrival)
///         next packet whose head has arrived; false: none
///     uint32_t room(unsigned output, Cycle now)
///         room signals of an output's channel
///     void send(unsigned output, Cycle now, PacketTransfer&&)
///         sends the head
///     void release(unsigned input, unsigned fifo, Cycle at)
///         FIFO (input, fifo) frees a slot
///     void wait_room(unsigned output, Cycle now, uint32_t fifos)
///         wakes the switch when one of these has room
class CrosspointState {
 public:
  CrosspointState(const CrosspointConfig& config, const graph::SwitchRoute& route, std::string name);

  /// Runs cycle `now`. Returns the next cycle in which something may happen that neither an arrival nor a
  /// room signal announces; `never`: none.
  template <class Ports>
  Cycle step(Cycle now, Ports& ports) {
    next_ = never;
    PacketTransfer transfer;
    Cycle arrival = 0;
    for (unsigned input = 0; input < config_.ports; ++input) {
      while (ports.receive(input, now, transfer, arrival)) accept(input, arrival, transfer);
    }
    if ((lost_heads_ | sync_heads_waiting_) != 0) serve_other_heads(now, ports);
    for (std::uint32_t left = active_; left != 0; left &= left - 1) {
      serve(static_cast<unsigned>(__builtin_ctz(left)), now, ports);
    }
    return next_;
  }

  /// Least number of cycles from the arrival of a head to a decision on it.
  Cycle least_delay() const {
    return std::min(std::min(config_.single_cast_cycles, config_.multicast_cycles) - 1, sync_delay());
  }
  const SwitchCounters& counters() const { return counters_; }
  /// Implements PacketSwitch. Defined elsewhere, since the compiler inlines less of the cycle if there is
  /// more code here.
  std::string stands_for() const;
  void add_parts(PartList& parts) const;
  void set_sync_probe(SyncProbe* probe) { table_.set_probe(probe); }
  void set_pool(PacketPool* pool) { table_.set_pool(pool); }
  /// Number of packets in FIFO (input, output), for waveforms and reports.
  unsigned held(unsigned input, unsigned output) const {
    return fifos_[input * config_.ports + output].count;
  }
  /// Packet at the head of FIFO (input, output) with its port bits at the next switch; null: empty.
  const PacketTransfer* head(unsigned input, unsigned output) const;

 private:
  struct Slot {
    PacketTransfer transfer;  ///< the packet, with its port bits for the next switch
    Cycle eligible = 0;
  };
  struct Fifo {
    /// Describes all FIFOs of the switch, which are one entry in the list of parts.
    static std::string stands_for() { return "a FIFO at each crosspoint (Kanoh 2000, section 3, fig. 2)"; }
    std::uint8_t first = 0, count = 0;
  };
  static constexpr int no_fifo = -1;

  unsigned sync_delay() const { return config_.synchronization_cycles - config_.table_access_cycles - 1; }
  Cycle delay(PacketKind kind) const {
    return kind == PacketKind::single_cast ? config_.single_cast_cycles - 1
           : kind == PacketKind::multicast ? config_.multicast_cycles - 1
                                           : sync_delay();
  }
  /// Cycles from the arrival of a head to the request that it makes. The table reads an operand when its
  /// last flit is there.
  Cycle delay(const Packet& packet) const {
    const Cycle pipeline = delay(packet.kind);
    if (packet.kind != PacketKind::synchronization) return pipeline;
    return std::max<Cycle>(pipeline, packet.flits - 1U);
  }
  Slot& front(unsigned input, unsigned output) {
    const unsigned fifo = input * config_.ports + output;
    return slots_[fifo * config_.fifo_packets + fifos_[fifo].first];
  }
  void wake(Cycle cycle) {
    if (cycle < next_) next_ = cycle;
  }

  /// Schedules the removal of a head that is a copy without a destination, for the cycle after its last flit.
  void wake_lost(unsigned input, unsigned output) {
    if ((lost_[output] >> input & 1U) == 0) return;
    wake(front(input, output).eligible + front(input, output).transfer.packet->flits);
  }

  void accept(unsigned input, Cycle arrival, PacketTransfer& transfer);
  void push(unsigned input, unsigned output, Cycle eligible, PacketTransfer&& transfer);
  /// Removes the head of a FIFO; the next packet becomes head in cycle `next_head`.
  PacketTransfer pop(unsigned input, unsigned output, Cycle next_head);
  void classify_head(unsigned input, unsigned output, Cycle since);
  void update_active(unsigned output) {
    const std::uint32_t bit = std::uint32_t{1} << output;
    active_ = waiting_[output] != 0 || table_.owes(output) ? active_ | bit : active_ & ~bit;
  }
  /// Adds the FIFO heads of `output` that have passed their pipelines to `requests`.
  void collect_heads(unsigned output, Cycle now, OutputArbiter::Requests& requests);
  /// Adds the synchronization packet that `output` owes to `requests`; returns its table entry, or -1.
  int collect_owed(unsigned output, std::uint32_t room, OutputArbiter::Requests& requests);
  template <class Ports>
  void serve(unsigned output, Cycle now, Ports& ports);
  /// Serves heads that need no output: those for the synchronization table, and copies without a destination.
  template <class Ports>
  void serve_other_heads(Cycle now, Ports& ports);
  template <class Ports>
  void end_access(Cycle now, Ports& ports);
  void begin_access(Cycle now);
  template <class Ports>
  void drain_lost(Cycle now, Ports& ports);

  const CrosspointConfig config_;
  const graph::SwitchRoute& route_;
  const std::string name_;
  std::vector<Fifo> fifos_;  ///< index: input * ports + output
  std::vector<Slot> slots_;
  std::vector<OutputArbiter> arbiters_;
  std::vector<Cycle> busy_until_;
  std::vector<std::uint8_t> sending_;   ///< [output]: requester that it is sending for
  std::vector<std::uint32_t> waiting_;  ///< [output]: mask of inputs whose FIFO head requests it
  /// [output]: mask of inputs whose FIFO head is for the synchronization table.
  std::vector<std::uint32_t> sync_heads_;
  std::vector<std::uint32_t> lost_;  ///< [output]: mask of inputs whose FIFO head has no destination
  /// Mask of outputs with a request or an owed synchronization packet.
  std::uint32_t active_ = 0;
  unsigned sync_heads_waiting_ =
      0;  ///< synchronization packets at the heads of FIFOs, including the one that accesses the table
  unsigned lost_heads_ = 0;
  unsigned next_sync_fifo_ = 0;
  int accessing_ = no_fifo;  ///< FIFO whose head accesses the table
  Cycle access_ends_ = 0;
  SyncTable table_;
  Cycle next_ = never;
  SwitchCounters counters_;
};

inline void CrosspointState::accept(unsigned input, Cycle arrival, PacketTransfer& transfer) {
  const Packet& packet = *transfer.packet;
  ++counters_.packets_received;
  const Cycle eligible = arrival + delay(packet);
  if (packet.kind == PacketKind::single_cast) {
    const auto output = static_cast<unsigned>(__builtin_ctz(transfer.port_bits));
    transfer.port_bits = route_.next_ports(output, packet);
    ++transfer.hops;
    push(input, output, eligible, std::move(transfer));
    return;
  }
  counters_.replicated += static_cast<unsigned>(__builtin_popcount(transfer.port_bits)) - 1;
  for (std::uint32_t left = transfer.port_bits; left != 0; left &= left - 1) {
    const auto output = static_cast<unsigned>(__builtin_ctz(left));
    const std::uint32_t next = route_.next_ports(output, packet);
    push(input, output, eligible, {transfer.packet, next, static_cast<std::uint16_t>(transfer.hops + 1)});
  }
}

template <class Ports>
void CrosspointState::serve(unsigned output, Cycle now, Ports& ports) {
  if (busy_until_[output] > now) {
    wake(busy_until_[output]);
    return;
  }
  OutputArbiter::Requests requests;
  collect_heads(output, now, requests);
  const bool owes = table_.owes(output);
  if (requests.asking == 0 && !owes) return;
  const std::uint32_t room = ports.room(output, now);
  const int sid = owes ? collect_owed(output, room, requests) : -1;
  const int chosen = requests.asking == 0 ? OutputArbiter::none : arbiters_[output].choose(requests, room);
  if (chosen == OutputArbiter::none) {
    std::uint32_t wanted = owes ? table_.targets(output) : 0;
    for (std::uint32_t left = requests.asking; left != 0; left &= left - 1) {
      wanted |= requests.targets[static_cast<unsigned>(__builtin_ctz(left))];
    }
    if (wanted != 0) ports.wait_room(output, now, wanted & ~room);
    return;
  }
  arbiters_[output].served(requests, chosen);
  sending_[output] = static_cast<std::uint8_t>(chosen);
  PacketTransfer transfer;
  if (chosen == static_cast<int>(config_.ports)) {
    transfer = table_.take(output, sid, now);
    update_active(output);
  } else {
    const auto input = static_cast<unsigned>(chosen);
    busy_until_[output] = now + front(input, output).transfer.packet->flits;
    transfer = pop(input, output, busy_until_[output]);
    ports.release(input, output, busy_until_[output]);
    if (((sync_heads_[output] | lost_[output]) >> input & 1U) != 0) wake(front(input, output).eligible);
  }
  const unsigned flits = transfer.packet->flits;
  busy_until_[output] = now + flits;
  counters_.flits_sent += flits;
  ++counters_.packets_sent;
  if ((active_ >> output & 1U) != 0) wake(busy_until_[output]);
  ports.send(output, now, std::move(transfer));
}

/// Drops multicast copies without a destination (damaged map) at the head of their FIFOs: a flit per cycle,
/// as if the copy were sent.
template <class Ports>
void CrosspointState::drain_lost(Cycle now, Ports& ports) {
  for (unsigned output = 0; output < config_.ports; ++output) {
    for (std::uint32_t left = lost_[output]; left != 0; left &= left - 1) {
      const auto input = static_cast<unsigned>(__builtin_ctz(left));
      const Cycle drained = front(input, output).eligible + front(input, output).transfer.packet->flits;
      if (drained > now) {
        wake(drained);
        continue;
      }
      lost_[output] &= ~(std::uint32_t{1} << input);
      --lost_heads_;
      pop(input, output, now);
      ++counters_.dropped;
      ports.release(input, output, now);
      wake_lost(input, output);
    }
  }
}

template <class Ports>
void CrosspointState::serve_other_heads(Cycle now, Ports& ports) {
  if (accessing_ != no_fifo) end_access(now, ports);
  if (lost_heads_ != 0) drain_lost(now, ports);
  if (accessing_ == no_fifo && sync_heads_waiting_ != 0) begin_access(now);
}

template <class Ports>
void CrosspointState::end_access(Cycle now, Ports& ports) {
  if (access_ends_ > now) return wake(access_ends_);
  const auto input = static_cast<unsigned>(accessing_) / config_.ports;
  const auto output = static_cast<unsigned>(accessing_) % config_.ports;
  accessing_ = no_fifo;
  const PacketTransfer transfer = pop(input, output, now);
  ports.release(input, output, now);
  if (table_.drops(input, transfer)) {
    ++counters_.dropped;
  } else {
    ++counters_.merged;
    counters_.replicated += table_.enter(input, transfer, now, name_);
  }
  for (unsigned owed = 0; owed < config_.ports; ++owed) update_active(owed);
}

}  // namespace tsuji::crosspoint
