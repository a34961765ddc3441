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

/// The two channels of a gateway: to and from the switches of its group, and the network of the gateways.
enum class GatewaySide : std::uint8_t { group, others };

/// Observer of a gateway; null costs a test a packet. Probes of channels report heads that come to it.
class GatewayProbe {
 public:
  virtual ~GatewayProbe() = default;
  /// A head leaves. `over`: it was its direction's first packet, or the last copy of that; a release is none.
  virtual void on_head(GatewaySide to, const Packet& packet, Cycle now, bool over) = 0;
  /// A direction's first packet, a synchronization of group `from`, has ended here.
  virtual void on_end(const Packet& packet, unsigned from, Cycle now) = 0;
  /// All groups of a synchronization have come.
  virtual void on_round(const Packet& packet, Cycle now) = 0;
};

/// The decisions of a gateway between the switches of its group and a network that joins the gateways, whose
/// node with the group's number it is (rooms/grouped.md). It stores whole packets and forwards them in their
/// order, in each direction with a FIFO of its own, neither of which ever waits for the other.
///
/// No SystemC here. `Ports` is whatever the gateway is wired to:
/// - bool receive(GatewaySide from, Cycle now, PacketTransfer&, Cycle& arrival): the next head that is here
/// - uint32_t room(GatewaySide to, Cycle now): the room wires of that side
/// - void send(GatewaySide to, Cycle now, PacketTransfer&&): the head leaves
/// - void release(GatewaySide from, Cycle at): a place of that side's FIFO is free
/// - void wait_room(GatewaySide to, Cycle now, uint32_t fifos): step again when one of these has room
class Gateway {
 public:
  struct Parts {
    const GatewayConfig& config;
    GroupNumbers numbers;
    unsigned group;
    PacketPool& pool;
    const graph::FirstRoute& route;  ///< from the gateway's line into the group; outlives the gateway
    std::string name;                ///< for errors
  };
  explicit Gateway(const Parts& parts);

  /// Everything that happens in cycle `now`. Returns the next cycle in which something may happen that no
  /// arrival or room wire announces; `never` if there is none.
  template <class Ports>
  Cycle step(Cycle now, Ports& ports);

  void set_probe(GatewayProbe* probe) { probe_ = probe; }
  GatewayProbe* probe() const { return probe_; }
  const GatewayCounters& counters() const { return counters_; }
  /// Packets and their flits that are in its FIFOs, and releases that it owes its group.
  std::uint64_t packets_held() const { return out_.held.size() + in_.held.size() + owed_.size(); }
  std::uint64_t flits_held() const;
  /// Synchronizations for which it waits for other groups or its own.
  unsigned barriers_open() const { return barriers_.open(); }

 private:
  struct Held {
    PacketTransfer transfer;
    Cycle ready = 0;  ///< whole here, and looked at
  };
  /// A direction: its FIFO, and the channel behind it.
  struct Way {
    std::deque<Held> held;
    Cycle busy_until = 0;
    bool begun = false;      ///< the first packet has been looked at
    bool first = true;       ///< ... and none of its copies has gone
    std::uint64_t left = 0;  ///< ... and nodes of its map that copies are still to go to
  };

  void wake(Cycle cycle) {
    if (cycle < next_) next_ = cycle;
  }
  template <class Ports>
  void take_in(GatewaySide from, Way& way, Cycle now, Ports& ports);
  /// The first packet of a direction is ready and its channel is free; if not, the gateway wakes for that.
  bool may_send(const Way& way, Cycle now);
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
  /// False: no room. `over`: the packet is the first of its FIFO.
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
  Way out_, in_;  ///< to other groups, into this one
  GatewayBarriers barriers_;
  std::deque<PacketTransfer> owed_;  ///< releases of the group
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
void Gateway::take_in(GatewaySide from, Way& way, Cycle now, Ports& ports) {
  PacketTransfer transfer;
  Cycle arrival = 0;
  while (ports.receive(from, now, transfer, arrival)) {
    if (way.held.size() == config_.fifo_packets)
      refuse(now, *transfer.packet, "arrived without room in the FIFO");
    ++(from == GatewaySide::group ? counters_.from_group : counters_.from_others);
    const Cycle ready = arrival + transfer.packet->flits + config_.cycles - 1;
    way.held.push_back({std::move(transfer), ready});
  }
}

inline bool Gateway::may_send(const Way& way, Cycle now) {
  if (way.held.empty()) return false;
  const Cycle at = std::max(way.held.front().ready, way.busy_until);
  if (at <= now) return true;
  wake(at);
  return false;
}

/// One packet for each other group that its map names, or for that of its destination.
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

/// A release goes before packets that wait, and lets them by where it has no room.
template <class Ports>
void Gateway::serve_in(Cycle now, Ports& ports) {
  absorb(now, ports);
  missing_ = 0;
  if (!owed_.empty() && release_group(now, ports)) return;
  if (may_send(in_, now) && send_next_in(now, ports)) return;
  if (missing_ != 0) ports.wait_room(GatewaySide::group, now, missing_);
}

/// A synchronization of another group ends here, and waits for nothing.
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
