#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/fabric/cenju4/cenju4_config.h"
#include "tsuji/fabric/cenju4/crosspoint_network.h"
#include "tsuji/observe/accepted_share.h"
#include "tsuji/observe/network_metrics.h"
#include "tsuji/observe/packet_fates.h"
#include "tsuji/observe/packet_records.h"
#include "tsuji/traffic/packet_injector.h"
#include "tsuji/traffic/packet_sink.h"
#include "tsuji/workload/pattern.h"

namespace tsuji::fabric {

struct UniformLoadConfig {
  double flits_per_node_cycle = 0;  ///< offered by each node
  unsigned packet_flits = 0;
  Cycle load_cycles = 0;  ///< packets are born before this cycle
};

/// The multistage network of Cenju-4 alone, under single casts to destinations drawn uniformly: an injector
/// and a sink stand in the place of every node (Kanoh 2000, 2).
class UniformLoad {
 public:
  using OnDelivered = std::function<void(const observe::DeliveredPacket&)>;

  /// `on_delivered` may be empty; it sees deliveries in the order of cycles. `switch_kind` as for
  /// CrosspointNetwork.
  UniformLoad(const Cenju4Config& machine, const UniformLoadConfig& load, std::uint64_t seed,
              OnDelivered on_delivered, const crosspoint::SwitchKind& switch_kind = {});

  ClockDomain& domain() { return domain_; }
  CrosspointNetwork& network() { return network_; }

  /// The last cycle of the load or of a delivery, whichever is later.
  Cycle last_cycle() const;
  /// Offered and accepted flits count in [window_from(), window_to()): the second half of the load, when the
  /// network is full.
  Cycle window_from() const { return window_from_; }
  Cycle window_to() const { return window_to_; }
  /// The run ends in cycle `end`, before its load does, and its window with it.
  void cut_window(Cycle end);

  observe::NetworkMetrics metrics() const;
  const observe::AcceptedShare& share() const { return share_; }  ///< of the window
  observe::PacketFates fates() const;
  /// Packets sent + replicated = merged + dropped + delivered + held in switches, once none is on the wires,
  /// and in every switch; ModelError if not.
  void check_conservation() const;

 private:
  void add_node(const UniformLoadConfig& load, const std::shared_ptr<const workload::Pattern>& pattern,
                NodeId node, std::uint64_t seed);
  void delivered(const Packet& packet, Cycle head, Cycle tail, unsigned hops);
  void count_in_window(const Packet& packet, Cycle head, Cycle tail);

  Cycle window_from_, window_to_;
  const Cycle load_cycles_;
  const OnDelivered on_delivered_;
  PacketPool pool_;
  ClockDomain domain_;
  CrosspointNetwork network_;
  observe::NetworkMetrics metrics_;
  observe::AcceptedShare share_;
  Cycle last_tail_ = 0;
  std::vector<std::unique_ptr<graph::FirstRoute>> routes_;
  std::vector<std::unique_ptr<traffic::PacketInjector>> injectors_;
  std::vector<std::unique_ptr<traffic::PacketSink>> sinks_;
};

}  // namespace tsuji::fabric
