// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tsuji/network/loaded_parts.h"
#include "tsuji/network/network_modules.h"
#include "tsuji/observe/link_report.h"
#include "tsuji/observe/network_metrics.h"
#include "tsuji/observe/packet_fates.h"
#include "tsuji/traffic/flit_node.h"

namespace tsuji::network {

/// Counts packets and flits of a LoadedNetwork: births, deliveries and drops as they happen, and totals.
class NetworkAccounts final : public traffic::FlitNodeEvents {
 public:
  /// Accounts of the network that `modules` make up; both arguments outlive the object.
  NetworkAccounts(NetworkModules& modules, const LoadedParts& parts);

  /// Packets born; with retry, messages without repeats and acknowledgements.
  std::uint64_t packets_born() const { return modules_.retry ? modules_.retry->messages_born() : born_; }
  /// Packets delivered; with retry, including repeats and acknowledgements.
  std::uint64_t packets_delivered() const { return delivered_; }
  /// Packets that routers generate and receive; not included in the two counts above.
  std::uint64_t packets_born_at_routers() const { return modules_.router_packets->born(); }
  /// Packets that ended at routers.
  std::uint64_t packets_ended_at_routers() const { return modules_.router_packets->ended(); }
  /// Sums of congestion control over all nodes; zeros without it.
  traffic::CongestionCounts congestion() const;
  /// Packets in source queues and in the network, counted by inspecting both; without acknowledgements of
  /// congestion control.
  std::uint64_t packets_under_way() const;
  /// Packets born minus packets delivered and dropped.
  std::uint64_t packets_not_ended() const;
  /// Fates of packets; with retry, of messages, without repeats and acknowledgements (network_fates()
  /// includes them).
  observe::PacketFates fates() const { return modules_.retry ? modules_.retry->fates() : network_fates(); }
  /// Fates of all packets of the network; with retry, with repeats and acknowledgements.
  observe::PacketFates network_fates() const;
  /// Causes for which this network can drop packets.
  std::vector<NetworkDropCause> drop_causes() const;
  /// Packets whose head has left their source, summed over all nodes.
  std::uint64_t packets_sent() const;
  /// Flits that all nodes have sent.
  std::uint64_t flits_sent() const;
  /// Flits ejected in the measurement window; with retry, without acknowledgements and duplicates.
  std::uint64_t flits_ejected_in_window() const;
  /// Flits that routers have sent.
  std::uint64_t flit_hops() const;
  /// Flits in the network, between its nodes.
  std::uint64_t flits_in_flight() const;
  /// Sets the metrics packets_sent, flit_hops and flits_in_flight_at_end.
  void add_counters(observe::NetworkMetrics& metrics) const;
  /// Sets the window of flits_ejected_in_window() if it was unknown at construction. `from` is not before the
  /// present cycle.
  void set_window(Cycle from, Cycle to);
  /// Checks in cycle `now`: flits sent by sources = flits ejected + flits killed + flits in flight, and calls
  /// RetryAccounts::check(). Throws ModelError if the sums differ.
  void check_conservation(Cycle now) const;
  /// Visits each direction of each link between routers with its flit count.
  void for_each_link(const std::function<void(const observe::LinkLoad&)>& visit) const;

  /// Records that a packet has been dropped, between cycle `now` and the next one.
  /// `copies`: the packet's places in the pool, of which a process that has no part of the packet has none.
  void on_dropped(const Packet& packet, const std::vector<PacketIndex>& copies, NetworkDropCause cause,
                  Cycle now);
  /// Records the delivery of a packet that arrived at a node of any process.
  void on_delivered(const Packet& packet, Cycle head, Cycle tail) override;
  /// Likewise with retry; `arrival`: kind of the packet, as its sink judges it.
  void on_delivered_with_retry(const Packet& packet, Cycle head, Cycle tail, PacketArrival arrival);
  /// Reports a lost message to its source. Between two cycles, or in a cycle of any node, in which the source
  /// does not act upon it.
  void tell_lost(const Packet& packet, const char* cause, Cycle now);

 private:
  void on_born(End source, const traffic::Emission& emission, Cycle now) override;
  traffic::CongestionCounts own_congestion() const;
  std::uint64_t flits_to_come(bool from_nodes) const;

  NetworkModules& modules_;
  observe::LoadMeasurement* const measurement_;
  const OnDelivered on_delivered_;
  const RetryAccounts::OnLost on_lost_;
  std::uint64_t born_ = 0, delivered_ = 0;
};

}  // namespace tsuji::network
