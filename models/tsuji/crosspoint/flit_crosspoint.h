// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/core/described.h"
#include "tsuji/core/error.h"
#include "tsuji/crosspoint/config.h"
#include "tsuji/crosspoint/output_arbiter.h"
#include "tsuji/crosspoint/sync_table.h"
#include "tsuji/graph/multistage.h"
#include "tsuji/link/packet_link.h"

namespace tsuji::crosspoint {

/// Reference implementation of CrosspointState, flit by flit: flits arrive, are buffered, and leave one per
/// cycle. Ages and busy times are counted as registers would, and nothing is computed in advance. The
/// arbitration and the synchronization table are shared with CrosspointState, the timing is not. `Ports` as
/// for CrosspointState.
class FlitCrosspoint {
 public:
  FlitCrosspoint(const CrosspointConfig& config, const graph::SwitchRoute& route, std::string name);

  /// Runs one cycle. Called in every cycle in which idle() is false or a head arrives. Returns the next such
  /// cycle, as far as known.
  template <class Ports>
  Cycle step(Cycle now, Ports& ports) {
    for (unsigned input = 0; input < config_.ports; ++input) take_in(input, now, ports);
    if (access_left_ > 0 && --access_left_ == 0) end_access(now, ports);
    for (unsigned input = 0; input < config_.ports; ++input) {
      for (unsigned output = 0; output < config_.ports; ++output) drain(input, output, now, ports);
    }
    begin_access(now);
    for (unsigned output = 0; output < config_.ports; ++output) drive_output(output, now, ports);
    clock_edge(now);
    return idle() ? never : now + 1;
  }

  bool idle() const { return busy_ == 0; }
  Cycle least_delay() const { return 0; }
  const SwitchCounters& counters() const { return counters_; }
  /// Implements PacketSwitch. Defined elsewhere, since the compiler inlines less of the cycle if there is
  /// more code here.
  std::string stands_for() const;
  void add_parts(PartList& parts) const;
  void set_sync_probe(SyncProbe* probe) { table_.set_probe(probe); }
  void set_pool(PacketPool* pool) { table_.set_pool(pool); }
  unsigned held(unsigned input, unsigned output) const {
    return static_cast<unsigned>(fifos_[input * config_.ports + output].packets.size());
  }
  const PacketTransfer* head(unsigned input, unsigned output) const {
    const Fifo& fifo = fifos_[input * config_.ports + output];
    return fifo.packets.empty() ? nullptr : &fifo.packets.front().transfer;
  }

 private:
  struct Held {
    PacketTransfer transfer;
    unsigned age = 0;  ///< cycles since the arrival of the head flit
    unsigned flits_in = 0;
    unsigned flits_out = 0;
    bool into_nothing = false;  ///< multicast copy without a destination (damaged map)
  };
  struct Fifo {
    /// Describes all FIFOs of the switch, which are one entry in the list of parts.
    static std::string stands_for() { return "a FIFO at each crosspoint (Kanoh 2000, section 3, fig. 2)"; }
    std::deque<Held> packets;
  };
  struct Output {
    int sending_input = -1;       ///< input whose FIFO head is being sent; -1: none
    unsigned generated_left = 0;  ///< remaining flits of a synchronization packet generated here
  };

  unsigned delay(PacketKind kind) const;
  Fifo& fifo(unsigned input, unsigned output) { return fifos_[input * config_.ports + output]; }
  template <class Ports>
  void take_in(unsigned input, Cycle now, Ports& ports);
  void begin_access(Cycle now);
  template <class Ports>
  void end_access(Cycle now, Ports& ports);
  template <class Ports>
  void drive_output(unsigned output, Cycle now, Ports& ports);
  template <class Ports>
  bool start_packet(unsigned output, Cycle now, Ports& ports);
  template <class Ports>
  void drain(unsigned input, unsigned output, Cycle now, Ports& ports);
  void clock_edge(Cycle now);

  const CrosspointConfig config_;
  const graph::SwitchRoute& route_;
  const std::string name_;
  std::vector<Fifo> fifos_;
  std::vector<Output> outputs_;
  std::vector<OutputArbiter> arbiters_;
  SyncTable table_;
  unsigned accessing_ = 0;    ///< FIFO whose head accesses the table
  unsigned access_left_ = 0;  ///< remaining cycles of the access; 0: the table is free
  unsigned next_sync_fifo_ = 0;
  unsigned busy_ = 0;  ///< number of packets held and of active outputs and tables
  SwitchCounters counters_;
};

template <class Ports>
void FlitCrosspoint::take_in(unsigned input, Cycle now, Ports& ports) {
  PacketTransfer transfer;
  Cycle arrival = 0;
  while (ports.receive(input, now, transfer, arrival)) {
    if (arrival != now)
      throw ModelError(name_, now, packet_name(transfer.packet->id), "a head was not taken in its cycle");
    ++counters_.packets_received;
    counters_.replicated += static_cast<unsigned>(__builtin_popcount(transfer.port_bits)) - 1;
    for (std::uint32_t left = transfer.port_bits; left != 0; left &= left - 1) {
      const auto output = static_cast<unsigned>(__builtin_ctz(left));
      Fifo& into = fifo(input, output);
      if (into.packets.size() == config_.fifo_packets) {
        throw ModelError(name_, now, packet_name(transfer.packet->id), "crosspoint FIFO overrun");
      }
      Held held;
      const std::uint32_t next = route_.next_ports(output, *transfer.packet);
      held.into_nothing = next == 0 && transfer.packet->kind == PacketKind::multicast;
      held.transfer = {transfer.packet, next, static_cast<std::uint16_t>(transfer.hops + 1)};
      into.packets.push_back(std::move(held));
      ++counters_.held;
      counters_.held_flits += transfer.packet->flits;
    }
  }
  for (unsigned output = 0; output < config_.ports; ++output) {
    for (Held& held : fifo(input, output).packets) {
      if (held.flits_in < held.transfer.packet->flits) ++held.flits_in;
    }
  }
}

template <class Ports>
void FlitCrosspoint::end_access(Cycle now, Ports& ports) {
  const unsigned input = accessing_ / config_.ports;
  auto& packets = fifos_[accessing_].packets;
  const PacketTransfer transfer = std::move(packets.front().transfer);
  packets.pop_front();
  --counters_.held;
  counters_.held_flits -= transfer.packet->flits;
  ports.release(input, accessing_ % config_.ports, now);
  if (table_.drops(input, transfer)) {
    ++counters_.dropped;
    return;
  }
  ++counters_.merged;
  counters_.replicated += table_.enter(input, transfer, now, name_);
}

template <class Ports>
bool FlitCrosspoint::start_packet(unsigned output, Cycle now, Ports& ports) {
  OutputArbiter::Requests requests;
  for (unsigned input = 0; input < config_.ports; ++input) {
    if (fifo(input, output).packets.empty()) continue;
    const Held& held = fifo(input, output).packets.front();
    const Packet& packet = *held.transfer.packet;
    if (packet.kind == PacketKind::synchronization || held.into_nothing || held.age < delay(packet.kind))
      continue;
    requests.asking |= std::uint32_t{1} << input;
    requests.targets[input] = held.transfer.port_bits;
    if (packet.kind == PacketKind::multicast) requests.multicast |= std::uint32_t{1} << input;
  }
  const std::uint32_t room = ports.room(output, now);
  const int sid = table_.choose(output, room & ~arbiters_[output].reserved(requests));
  if (sid >= 0) {
    requests.asking |= std::uint32_t{1} << config_.ports;
    requests.targets[config_.ports] = table_.target(output, sid);
  }
  if (requests.asking == 0) return false;
  const int chosen = arbiters_[output].choose(requests, room);
  if (chosen == OutputArbiter::none) return false;
  arbiters_[output].served(requests, chosen);
  ++counters_.packets_sent;
  if (chosen == static_cast<int>(config_.ports)) {
    PacketTransfer transfer = table_.take(output, sid, now);
    counters_.flits_sent += transfer.packet->flits;
    outputs_[output].generated_left = transfer.packet->flits;
    ports.send(output, now, std::move(transfer));
  } else {
    outputs_[output].sending_input = chosen;
    PacketTransfer transfer = fifo(static_cast<unsigned>(chosen), output).packets.front().transfer;
    --counters_.held;
    counters_.held_flits -= transfer.packet->flits;
    counters_.flits_sent += transfer.packet->flits;
    ports.send(output, now, std::move(transfer));
  }
  return true;
}

template <class Ports>
void FlitCrosspoint::drive_output(unsigned output, Cycle now, Ports& ports) {
  Output& out = outputs_[output];
  if (out.sending_input < 0 && out.generated_left == 0 && !start_packet(output, now, ports)) return;
  if (out.generated_left > 0) {
    --out.generated_left;
    return;
  }
  const auto input = static_cast<unsigned>(out.sending_input);
  Held& held = fifo(input, output).packets.front();
  if (held.flits_out == held.flits_in) {
    throw ModelError(name_, now, packet_name(held.transfer.packet->id), "an output ran ahead of its FIFO");
  }
  if (++held.flits_out == held.transfer.packet->flits) {
    fifo(input, output).packets.pop_front();
    out.sending_input = -1;
    ports.release(input, output, now + 1);
  }
}

template <class Ports>
void FlitCrosspoint::drain(unsigned input, unsigned output, Cycle now, Ports& ports) {
  Fifo& from = fifo(input, output);
  while (!from.packets.empty() && from.packets.front().into_nothing) {
    Held& held = from.packets.front();
    if (held.age < delay(PacketKind::multicast)) return;
    if (held.flits_out < held.transfer.packet->flits) {
      ++held.flits_out;
      return;
    }
    ++counters_.dropped;
    --counters_.held;
    counters_.held_flits -= held.transfer.packet->flits;
    from.packets.pop_front();
    ports.release(input, output, now);
  }
}

}  // namespace tsuji::crosspoint
