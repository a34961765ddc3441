// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"
#include "tsuji/graph/multistage.h"
#include "tsuji/link/packet_link.h"
#include "tsuji/machines/grouped/gateway_barriers.h"
#include "tsuji/machines/grouped/gateway_config.h"
#include "tsuji/machines/grouped/gateway_word.h"
#include "tsuji/machines/grouped/group_numbers.h"

namespace tsuji::machines {

/// Side of a gateway: the switches of its group, or the network between the gateways.
enum class GatewaySide : std::uint8_t { group, others };

/// Observer of a gateway. Probes of channels report the heads that arrive at the gateway.
class GatewayProbe {
 public:
  virtual ~GatewayProbe() = default;
  /// Reports a head that leaves. `over`: the first packet of the direction's FIFO has left with its last
  /// copy; false for a release, which is not in a FIFO.
  virtual void on_head(GatewaySide to, const Packet& packet, Cycle now, bool over) = 0;
  /// Reports a synchronization of group `from` that has ended at the gateway.
  virtual void on_end(const Packet& packet, unsigned from, Cycle now) = 0;
  /// Reports that all groups of a synchronization have arrived.
  virtual void on_round(const Packet& packet, Cycle now) = 0;
};

/// Decisions of a gateway between the switches of its group and the network between the gateways, in which it
/// is the node with the group's number (rooms/grouped.md), without SystemC. It stores whole packets and
/// forwards them in order. Each direction has a separate FIFO, and neither direction waits for the other.
///
/// Contract: set_probe() before the first cycle, then step() in each cycle for which an arrival, a room
/// signal or the previous step() asked. step() calls the functions of `Ports`:
/// - bool receive(GatewaySide from, Cycle now, PacketTransfer&, Cycle& arrival): takes the next head, if any
/// - uint32_t room(GatewaySide to, Cycle now): room signals of that side
/// - void send(GatewaySide to, Cycle now, PacketTransfer&&): sends a packet, whose head leaves in cycle `now`
/// - void release(GatewaySide from, Cycle at): frees a place of that side's FIFO
/// - void wait_room(GatewaySide to, Cycle now, uint32_t fifos): requests a step when one of these has room
class Gateway {
 public:
  /// Parts from which a gateway is made; references outlive it.
  struct Parts {
    const GatewayConfig& config;     ///< parameters
    GroupNumbers numbers;            ///< numbers of groups and members
    unsigned group;                  ///< number of its group
    PacketPool& pool;                ///< memory of the packets
    const graph::FirstRoute& route;  ///< route from the gateway into the group
    std::string name;                ///< name for errors
  };
  explicit Gateway(const Parts& parts);

  /// Does the work of cycle `now`. Returns the next cycle with work that no arrival or room signal announces;
  /// `never`: none.
  template <class Ports>
  Cycle step(Cycle now, Ports& ports);

  void set_probe(GatewayProbe* probe) { probe_ = probe; }
  GatewayProbe* probe() const { return probe_; }
  const GatewayCounters& counters() const { return counters_; }
  /// Number of packets in the FIFOs, and of releases that are not yet sent to the group.
  std::uint64_t packets_held() const { return out_.held.size() + in_.held.size() + owed_.size(); }
  std::uint64_t flits_held() const;
  /// Number of synchronizations that wait for a group.
  unsigned barriers_open() const { return barriers_.open(); }

 private:
  struct Held {
    PacketTransfer transfer;
    Cycle ready = 0;  ///< cycle from which the packet may be sent
  };
  /// One direction: its FIFO and its output channel.
  struct Direction {
    std::deque<Held> held;   ///< FIFO of packets
    Cycle busy_until = 0;    ///< cycle from which the channel is free
    bool begun = false;      ///< the first packet is decoded
    bool first = true;       ///< no copy of the first packet has left
    std::uint64_t left = 0;  ///< nodes of the first packet's map that need a copy
  };

  void wake(Cycle cycle) {
    if (cycle < next_) next_ = cycle;
  }
  template <class Ports>
  void take_in(GatewaySide from, Direction& direction, Cycle now, Ports& ports);
  /// True if the first packet of a direction is ready and its channel is free; otherwise requests a wake-up.
  bool may_send(const Direction& direction, Cycle now);
  template <class Ports>
  void serve_out(Cycle now, Ports& ports);
  template <class Ports>
  void serve_in(Cycle now, Ports& ports);
  template <class Ports>
  bool release_group(Cycle now, Ports& ports);
  template <class Ports>
  void absorb(Cycle now, Ports& ports);
  template <class Ports>
  bool send_next_in(Cycle now, Ports& ports);
  /// Sends a packet into the group; returns false without room. `over`: the packet is the first of its FIFO.
  template <class Ports>
  bool send_into_group(Cycle now, const PacketTransfer& transfer, Ports& ports, bool over);

  void begin_out(Cycle now);
  PacketTransfer next_out();
  PacketTransfer unpacked(const PacketTransfer& transfer);
  void join(unsigned group, const Packet& packet, unsigned hops, Cycle now);
  [[noreturn]] void refuse(Cycle now, const Packet& packet, const char* what) const;

  const GatewayConfig& config_;
  const GroupNumbers numbers_;
  const unsigned group_;
  PacketPool& pool_;
  const graph::FirstRoute& route_;
  const std::string name_;
  Direction out_, in_;  ///< to other groups, into this one
  GatewayBarriers barriers_;
  std::deque<PacketTransfer> owed_;  ///< releases for the group that are not sent yet
  std::uint32_t serial_ = 0;
  std::uint32_t missing_ = 0;  ///< FIFOs of the group's switch that packets of this cycle wait for
  Cycle next_ = never;
  GatewayProbe* probe_ = nullptr;
  GatewayCounters counters_;
};

template <class Ports>
Cycle Gateway::step(Cycle now, Ports& ports) {
  next_ = never;
  take_in(GatewaySide::group, out_, now, ports);
  take_in(GatewaySide::others, in_, now, ports);
  serve_out(now, ports);
  serve_in(now, ports);
  return next_;
}

template <class Ports>
void Gateway::take_in(GatewaySide from, Direction& direction, Cycle now, Ports& ports) {
  PacketTransfer transfer;
  Cycle arrival = 0;
  while (ports.receive(from, now, transfer, arrival)) {
    if (direction.held.size() == config_.fifo_packets)
      refuse(now, *transfer.packet, "arrived without room in the FIFO");
    ++(from == GatewaySide::group ? counters_.from_group : counters_.from_others);
    const Cycle ready = arrival + transfer.packet->flits + config_.cycles - 1;
    direction.held.push_back({std::move(transfer), ready});
  }
}

inline bool Gateway::may_send(const Direction& direction, Cycle now) {
  if (direction.held.empty()) return false;
  const Cycle at = std::max(direction.held.front().ready, direction.busy_until);
  if (at <= now) return true;
  wake(at);
  return false;
}

/// Sends one packet to each other group with members in its map, or to the group of its destination.
template <class Ports>
void Gateway::serve_out(Cycle now, Ports& ports) {
  if (!may_send(out_, now)) return;
  if (!out_.begun) begin_out(now);
  if ((ports.room(GatewaySide::others, now) & 1U) == 0) return ports.wait_room(GatewaySide::others, now, 1);
  PacketTransfer transfer = next_out();
  ++counters_.to_others;
  out_.busy_until = now + transfer.packet->flits;
  if (probe_ != nullptr) probe_->on_head(GatewaySide::others, *transfer.packet, now, out_.left == 0);
  ports.send(GatewaySide::others, now, std::move(transfer));
  if (out_.left == 0) {
    out_.begun = false;
    out_.held.pop_front();
    ports.release(GatewaySide::group, out_.busy_until);
  } else {
    ++counters_.copied;
  }
  if (!out_.held.empty()) wake(out_.busy_until);
}

/// Serves the direction into the group. A release has priority over packets; without room it lets them pass.
template <class Ports>
void Gateway::serve_in(Cycle now, Ports& ports) {
  absorb(now, ports);
  missing_ = 0;
  if (!owed_.empty() && release_group(now, ports)) return;
  if (may_send(in_, now) && send_next_in(now, ports)) return;
  if (missing_ != 0) ports.wait_room(GatewaySide::group, now, missing_);
}

/// Ends synchronizations of other groups, which need neither room nor a turn.
template <class Ports>
void Gateway::absorb(Cycle now, Ports& ports) {
  while (!in_.held.empty() && !in_.begun) {
    const Held& front = in_.held.front();
    if (front.ready > now) return wake(front.ready);
    if (GatewayWord::decode(front.transfer.packet->group).kind != PacketKind::synchronization) return;
    const PacketTransfer transfer = unpacked(front.transfer);
    const unsigned group = front.transfer.packet->source.node();
    in_.held.pop_front();
    ++counters_.absorbed;
    if (probe_ != nullptr) probe_->on_end(*transfer.packet, group, now);
    ports.release(GatewaySide::others, now);
    join(group, *transfer.packet, transfer.hops, now);
  }
}

template <class Ports>
bool Gateway::release_group(Cycle now, Ports& ports) {
  if (in_.busy_until > now) {
    wake(in_.busy_until);
    return true;
  }
  if (!send_into_group(now, owed_.front(), ports, false)) return false;
  owed_.pop_front();
  if (!owed_.empty() || !in_.held.empty()) wake(in_.busy_until);
  return true;
}

template <class Ports>
bool Gateway::send_next_in(Cycle now, Ports& ports) {
  if (!in_.begun) {
    in_.held.front().transfer = unpacked(in_.held.front().transfer);
    in_.begun = true;
  }
  if (!send_into_group(now, in_.held.front().transfer, ports, true)) return false;
  in_.begun = false;
  in_.held.pop_front();
  ports.release(GatewaySide::others, in_.busy_until);
  if (!owed_.empty() || !in_.held.empty()) wake(in_.busy_until);
  return true;
}

template <class Ports>
bool Gateway::send_into_group(Cycle now, const PacketTransfer& transfer, Ports& ports, bool over) {
  const std::uint32_t fifos = route_.next_ports(*transfer.packet);
  if (fifos == 0) refuse(now, *transfer.packet, "has no destination in this group");
  const std::uint32_t missing = fifos & ~ports.room(GatewaySide::group, now);
  missing_ |= missing;
  if (missing != 0) return false;
  ++counters_.to_group;
  if (probe_ != nullptr) probe_->on_head(GatewaySide::group, *transfer.packet, now, over);
  in_.busy_until = now + transfer.packet->flits;
  ports.send(GatewaySide::group, now, {transfer.packet, fifos, transfer.hops});
  return true;
}

}  // namespace tsuji::machines
