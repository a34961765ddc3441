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

/// The packets and flits of a LoadedNetwork: births, deliveries and drops as they happen, and sums.
class NetworkAccounts final : public traffic::FlitNodeEvents {
 public:
  NetworkAccounts(NetworkModules& modules, const LoadedParts& parts);

  /// With retry without repeats and acknowledgements.
  std::uint64_t packets_born() const { return modules_.retry ? modules_.retry->messages_born() : born_; }
  /// With retry all of them.
  std::uint64_t packets_delivered() const { return delivered_; }
  /// Packets that routers make and end, which are no part of the two above.
  std::uint64_t packets_born_at_routers() const { return modules_.router_packets->born(); }
  std::uint64_t packets_ended_at_routers() const { return modules_.router_packets->ended(); }
  /// Packets in source queues and in the network, counted there.
  std::uint64_t packets_under_way() const;
  /// The same as births less ends.
  std::uint64_t packets_not_ended() const;
  /// With retry without repeats and acknowledgements: network_fates() has them.
  observe::PacketFates fates() const { return modules_.retry ? modules_.retry->fates() : network_fates(); }
  observe::PacketFates network_fates() const;
  /// The causes for which this network may drop packets.
  std::vector<NetworkDropCause> drop_causes() const;
  /// Sums over the nodes.
  std::uint64_t packets_sent() const;
  std::uint64_t flits_sent() const;
  /// With retry without those of acknowledgements and duplicates.
  std::uint64_t flits_ejected_in_window() const;
  /// Sets the metrics that the network counts: packets_sent, flit_hops, flits_in_flight_at_end.
  void add_counters(observe::NetworkMetrics& metrics) const;
  /// The window of flits_ejected_in_window() where it was not known at first: not before the present cycle.
  void set_window(Cycle from, Cycle to);
  /// In cycle `now`: flits that sources put in = flits that sinks took + flits killed + flits inside, and
  /// RetryAccounts::check(); ModelError if not.
  void check_conservation(Cycle now) const;
  /// Flits of each direction of each link between routers.
  void for_each_link(const std::function<void(const observe::LinkLoad&)>& visit) const;

  /// A packet is dropped, between two cycles.
  void on_dropped(PacketIndex packet, NetworkDropCause cause, Cycle now);

 private:
  void on_born(End source, const traffic::Emission& emission) override;
  void on_delivered(const Packet& packet, Cycle head, Cycle tail) override;
  void on_delivered_with_retry(const Packet& packet, observe::DeliveredPacket record);
  void tell_lost(const Packet& packet, const char* cause, Cycle now);

  NetworkModules& modules_;
  observe::LoadMeasurement* const measurement_;
  const OnDelivered on_delivered_;
  const RetryAccounts::OnLost on_lost_;
  std::uint64_t born_ = 0, delivered_ = 0;
};

}  // namespace tsuji::network
