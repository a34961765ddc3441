#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "core/packet.h"
#include "graph/topology.h"
#include "link/clock_domain.h"
#include "link/flit_link.h"
#include "link/route_lookup.h"
#include "router/vc_router.h"
#include "routing/routing.h"

namespace tsuji::fabric {

class ObjectBlock;

struct VcNetworkConfig {
  router::VcRouterConfig router;
  unsigned vcs = 4;                 ///< virtual channels of links between routers, 1..16
  unsigned node_vcs = 0;            ///< of links to nodes; 0: as between routers
  unsigned buffer_flits = 8;        ///< of each virtual channel
  Cycle rc_cycles = 1;              ///< route computation by a plain table or function
  Cycle flit_cycles = 1;            ///< a link carries a flit every so many cycles
  bool whole_flit = false;          ///< routers act on a flit's last word, not on its first
  Cycle credit_latency_cycles = 0;  ///< a credit's way back; 0: as long as the link's
  Cycle credit_process_cycles = 1;  ///< its acceptance at the sender
  /// Its acceptance at a node, which sends on the injection channel; none: credit_process_cycles.
  std::optional<Cycle> node_credit_process_cycles;
  Cycle inject_latency_cycles = 1;  ///< node to router
  Cycle eject_latency_cycles = 1;   ///< router to node

  unsigned vcs_of_nodes() const { return node_vcs == 0 ? vcs : node_vcs; }
  Cycle credit_process_cycles_of_nodes() const {
    return node_credit_process_cycles.value_or(credit_process_cycles);
  }
  Cycle router_cycles() const { return rc_cycles + router.allocate_and_traverse(); }
  void validate() const;  ///< throws ConfigError
  /// What only topology and routing can tell: ConfigError where the router does not fit them (too few virtual
  /// channels are the routing's own refusal).
  void validate_with(const graph::Topology& topology, const routing::Routing& routing) const;
};

/// Routers and links of a virtual-channel network after a topology. Nodes are bound to inject() and eject()
/// from outside. References to configuration, topology, routing and pool are kept: they outlive the network.
class VcNetwork final : public sc_core::sc_module {
 public:
  using MakeLookup = std::function<std::unique_ptr<RouteLookup>(graph::RouterId)>;
  struct Parts {
    const VcNetworkConfig& config;
    const graph::Topology& topology;
    const routing::Routing& routing;
    PacketPool& pool;
    std::uint64_t seed = 1;
    router::RouterEvents* events = nullptr;
    MakeLookup make_lookup;  ///< empty: one PlainLookup with rc_cycles serves all routers
    Arena* arena = nullptr;  ///< where routers' buffers and tables lie; never null
  };

  VcNetwork(sc_core::sc_module_name name, ClockDomain& domain, const Parts& parts);
  ~VcNetwork() override;

  const graph::Topology& topology() const { return topology_; }
  const VcNetworkConfig& config() const { return config_; }
  /// The node's ends of its links; the same object in two-way networks.
  FlitEndIf& inject(NodeId node) { return node_links_[node].inject->a(); }
  FlitEndIf& eject(NodeId node);
  bool one_link(NodeId node) const { return node_links_[node].eject == nullptr; }

  router::VcRouter& router(graph::RouterId id) { return *routers_[id]; }
  const router::VcRouter& router(graph::RouterId id) const { return *routers_[id]; }
  unsigned routers() const { return static_cast<unsigned>(routers_.size()); }
  FlitLink& link(std::uint32_t index) { return *links_[index]; }
  const FlitLink& link(std::uint32_t index) const { return *links_[index]; }

  /// A channel with its ends: a router's port, or a node where `router` is graph::none.
  struct ChannelPlace {
    FlitChannel* channel = nullptr;
    graph::PortRef from, to;
    NodeId from_node = graph::none, to_node = graph::none;
  };
  /// All of them, in an order that only the topology decides.
  std::vector<ChannelPlace> channels();

  /// The sum over all routers.
  router::RouterCounters counters() const;
  /// Nothing moves after this cycle unless something comes from outside: the latest that a stage, a flit or a
  /// credit under way leads to, or the first one found that lies after `now`.
  Cycle last_event(Cycle now) const;
  /// Flits in buffers and on wires, killed ones included.
  std::uint64_t flits_in_flight() const;
  /// The packets of flits in buffers and on wires, but killed ones; each as often as it has flits there.
  std::vector<PacketIndex> packets_in_flight() const;

 private:
  struct NodeLinks {
    std::unique_ptr<FlitLink> inject, eject;
  };

  void add_links(ClockDomain& domain);
  /// Calls `visit` for every channel.
  template <class Visit>
  void visit_channels(const Visit& visit) const;
  FlitChannelConfig channel(Cycle latency_cycles, unsigned vcs) const;
  void bind(const graph::PortRef& port, FlitEndIf& end) { routers_[port.router]->bind_port(port.port, end); }

  const VcNetworkConfig& config_;
  const graph::Topology& topology_;
  std::vector<std::unique_ptr<ObjectBlock>> blocks_;
  std::vector<std::unique_ptr<RouteLookup>> lookups_;
  std::vector<std::unique_ptr<FlitLink>> links_;
  std::vector<NodeLinks> node_links_;
  std::vector<std::unique_ptr<router::VcRouter>> routers_;
};

}  // namespace tsuji::fabric
