// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/core/random.h"
#include "tsuji/core/units.h"
#include "tsuji/graph/topology.h"

namespace tsuji::routing {

using graph::RouterId;
using VcMask = std::uint16_t;  ///< bit v: virtual channel v; at most 16

constexpr VcMask vc_range(unsigned first, unsigned count) {
  return static_cast<VcMask>(((1U << count) - 1U) << first);
}

/// A candidate: an output port and the virtual channels that may be taken there. At a node's port a packet
/// may take any virtual channel, whatever `vcs` says.
struct RouteCandidate {
  std::uint16_t port;
  VcMask vcs;
  /// A virtual channel of a higher rank is asked for only while none of the lower ranks is free (Duato's
  /// escape channels). Candidates of one rank are equal; the router's selection policy chooses.
  std::uint8_t rank;
};

/// An ordered list of candidates, ranks rising, without allocation.
class RouteSet {
 public:
  static constexpr unsigned capacity = 32;
  void clear() { size_ = 0; }
  /// Does not check `capacity`: constructors of routings refuse parameters with which there are more
  /// candidates.
  void add(unsigned port, VcMask vcs, unsigned rank = 0) {
    list_[size_++] = {static_cast<std::uint16_t>(port), vcs, static_cast<std::uint8_t>(rank)};
  }
  unsigned size() const { return size_; }
  const RouteCandidate& operator[](unsigned i) const { return list_[i]; }
  const RouteCandidate* begin() const { return list_.data(); }
  const RouteCandidate* end() const { return list_.data() + size_; }

 private:
  std::array<RouteCandidate, capacity> list_;  // the first size_ are valid, the others not cleared
  unsigned size_ = 0;
};

/// Output ports of one place with the share of its packets that each takes; the shares sum to 1.
class PortShares {
 public:
  struct Entry {
    RouteCandidate candidate;
    double share;
  };
  void clear() { size_ = 0; }
  void add(unsigned port, VcMask vcs, double share) {
    list_[size_++] = {{static_cast<std::uint16_t>(port), vcs, 0}, share};
  }
  const Entry* begin() const { return list_.data(); }
  const Entry* end() const { return list_.data() + size_; }

 private:
  std::array<Entry, RouteSet::capacity> list_;
  unsigned size_ = 0;
};

/// Buffers at the far ends of a router's outputs, as its credits show them when the cycle before the question
/// was over. They are a matter of that router and of cycles that are over everywhere, so neither the order of
/// modules nor running ahead shows, and they shorten no lookahead. Sums over those of `vcs` that output
/// `port` has.
class OutputBuffers {
 public:
  virtual ~OutputBuffers() = default;
  /// Flits that the output may send.
  virtual unsigned credits(unsigned port, VcMask vcs) const = 0;
  /// Flits that the buffers hold when full.
  virtual unsigned capacity(unsigned port, VcMask vcs) const = 0;
  /// Flits in the buffers and on the wires, and credits that have not come back.
  unsigned occupied(unsigned port, VcMask vcs) const { return capacity(port, vcs) - credits(port, vcs); }
};

/// A routing's own note in a packet: an intermediate router, a phase, a candidate. 0 in a new packet.
using Decision = std::uint16_t;

/// Facts about a head that asks for its route.
struct RouteQuery {
  RouterId router = 0;
  std::uint32_t in_port = 0;
  std::uint32_t in_vc = 0;
  End source, destination;
  PacketClass packet_class = PacketClass::normal;
  std::uint16_t hops = 0;  ///< between routers, that the head has made so far
  PacketId packet = 0;
  std::uint64_t seed = 0;
  Decision decision = 0;  ///< of a routing with RouteDecisions: decide()'s, or before it the last router's
  /// The packet's `draw`-th random number: the same at every router and in any order of modules. Costs about
  /// 100 instructions, so only for ties.
  std::uint64_t random(std::uint64_t draw) const { return CounterRandom(seed, packet).bits(draw); }
};

/// Form of a routing in memories that are looked up by the destination alone.
enum class TableForm : std::uint8_t {
  /// Two words of 16 bits, of which route_by_entry() makes candidates; for heads that read a table
  /// (TableReads), while others go by coordinates.
  words,
  port_and_vcs,  ///< one candidate: an output port, and the virtual channels that may be taken there
  /// `port_and_vcs`, and after the look-up a small map of the input port leaves those virtual channels that
  /// a packet of its input virtual channel may take (as InfiniBand's table from service level to virtual
  /// lane).
  port_and_vc_map
};

/// The virtual channels of an entry that a packet of one input virtual channel may take at one output port:
/// those in `first`, or if the entry has none of them those in `then`.
struct VcMap {
  VcMask first = vc_range(0, 16);
  VcMask then = 0;
  VcMask of(VcMask vcs) const { return static_cast<VcMask>((vcs & first) != 0 ? vcs & first : vcs & then); }
};

/// A routing's image in memories that hold only what follows from router, input port and destination.
class TableImage {
 public:
  virtual ~TableImage() = default;
  virtual TableForm table_form() const = 0;
  /// Entry of packets that come in by `in_port` for `destination`; no virtual channels: no route.
  /// Virtual channels at a node's port mean as in RouteCandidate. Of form `words`, `port` and `vcs` are the
  /// two.
  virtual RouteCandidate table_entry(RouterId router, std::uint32_t in_port, NodeId destination) const = 0;
  /// Of form `words`: route() of a head that reads a table, by its entry. Else the entry's own candidate.
  virtual void route_by_entry(const RouteQuery& /*query*/, const RouteCandidate& entry,
                              RouteSet& candidates) const {
    candidates.clear();
    candidates.add(entry.port, entry.vcs);
  }
  /// Of form `port_and_vc_map`: its row. Its share of table_entry()'s virtual channels is that of route().
  virtual VcMap vc_map(RouterId /*router*/, std::uint32_t /*in_port*/, std::uint32_t /*in_vc*/,
                       std::uint32_t /*out_port*/) const {
    return {};
  }
};

/// A routing of which some heads' routes are read from a table, which takes time, while a function of
/// coordinates answers the others.
class TableReads {
 public:
  virtual ~TableReads() = default;
  virtual bool reads_table(const RouteQuery& query) const = 0;
};

/// Recovery from deadlock: a router takes a head that waits too long, or has made too many hops, into
/// recovery (PacketClass::recovery), and from there on it uses these channels alone.
class RecoveryWays {
 public:
  virtual ~RecoveryWays() = default;
  /// Never empty.
  virtual VcMask recovery_vcs() const = 0;
  /// The hop of a head in recovery to output `port` breaks what freedom from deadlock rests on: what it does;
  /// null: nothing. For a check at run time.
  virtual const char* broken_by(const RouteQuery& query, unsigned port) const = 0;
};

/// Random choices of packets in route(). Packets of one outcome with the same source and destination get the
/// same candidates everywhere; the deadlock checker tries one packet of each outcome.
class RandomChoices {
 public:
  virtual ~RandomChoices() = default;
  virtual std::uint64_t random_outcomes() const = 0;
  /// Of one packet; of the query only `packet` and `seed` count.
  virtual std::uint64_t random_outcome(const RouteQuery& query) const = 0;
  /// The share of all packets that have an outcome.
  virtual double outcome_share(std::uint64_t /*outcome*/) const {
    return 1.0 / static_cast<double>(random_outcomes());
  }
};

/// Decisions of a routing about single packets, by credits or random numbers, that stay in the packet:
/// route() then follows from the packet and its place.
///
/// Contract: at each router decide() is called for a head before route(), and again where the head is
/// rerouted. Its result is RouteQuery::decision from then on, of the next router's decide(), too. A routing
/// of a higher generation reads the decisions of the one before.
class RouteDecisions {
 public:
  /// A decision that decide() may return, and its share of all packets with the query's source and
  /// destination that come with the query's decision; unknown_share: it depends on credits.
  struct Possible {
    Decision decision;
    double share;
  };
  static constexpr double unknown_share = 0;

  virtual ~RouteDecisions() = default;
  virtual Decision decide(const RouteQuery& query, const OutputBuffers& outputs) const = 0;
  /// Everything that decide() returns for any credits and random numbers; never empty. The deadlock checker
  /// follows a packet of each. Routers compare their first decisions with it, and one in 1,024 after those.
  virtual std::vector<Possible> possible(const RouteQuery& query) const = 0;
};

/// Facts about all routes of a routing.
struct RoutingPromises {
  /// Packets for one destination that are at the same place, by the same input port and virtual channel, get
  /// the same candidates, those of one decision if the routing decides, wherever they come from: the deadlock
  /// checker then follows all sources at once.
  bool place_decides = false;
  /// route() names a candidate for every head that the routing has brought to a router, and, unless it
  /// `turns_back`, one other than the network port by which the head came in. Without link faults no head is
  /// then ever dropped, and modules may run ahead of each other. A routing that promises nothing runs slower,
  /// with the same results.
  bool always_leads_on = false;
  /// The network port by which a head came in may be its only candidate: routers must not refuse that turn
  /// (`router.uturn_network`).
  bool turns_back = false;
  /// The proof of freedom from deadlock rests on a virtual channel that is taken only when it is empty (Duato
  /// with wormhole): a router with non-atomic reallocation is refused.
  bool needs_atomic_vcs = false;
};

class RouteHints;
struct RoutingParts;

/// A routing over one topology: a pure function from where a head is to where it may go. Called once a packet
/// and hop, so it neither allocates nor searches.
class Routing {
 public:
  virtual ~Routing() = default;
  /// The routing with its paper and section, one line; empty: it says nothing.
  virtual std::string stands_for() const { return ""; }
  /// The candidates, towards the node's port at the destination's router. Never empty for a node that can be
  /// reached; empty means that there is no route. Former contents of `candidates` are lost.
  virtual void route(const RouteQuery& query, RouteSet& candidates) const = 0;
  /// The virtual channels into which the source may inject this packet; any, where links to nodes have
  /// another number of virtual channels than links between routers.
  virtual VcMask injection_vcs(End source, End destination) const = 0;
  /// Virtual channels that network ports must have at least; the constructor refuses fewer.
  virtual unsigned vcs_needed() const = 0;
  /// The largest number of candidates that route() ever gives.
  virtual unsigned max_candidates() const = 0;
  virtual RoutingPromises promises() const { return {}; }

  /// The routing by which packets for nodes go, which look-up hardware has in its memories; another one where
  /// this one leads packets for routers beside it.
  virtual const Routing& of_nodes() const { return *this; }

  // Abilities of some routings; null: a routing has none. They live as long as the routing.

  virtual const TableImage* table_image() const { return nullptr; }
  virtual const TableReads* table_reads() const { return nullptr; }
  virtual const RecoveryWays* recovery() const { return nullptr; }
  virtual const RandomChoices* random_choices() const { return nullptr; }
  virtual const RouteDecisions* decisions() const { return nullptr; }
  virtual const RouteHints* hints() const { return nullptr; }

  /// Shares of the output ports among all packets for the query's destination that come to its router and
  /// input port, whatever their source, over their random numbers: with one candidate a head, the bound on
  /// capacity follows all sources at once (capacity_bound.h). Returns false if the shares depend on the
  /// source or on earlier choices: every pair and outcome is then followed alone. Called only if
  /// max_candidates() is 1.
  virtual bool port_shares(const RouteQuery& query, PortShares& shares) const {
    if (random_choices() != nullptr || decisions() != nullptr || !promises().place_decides) return false;
    RouteSet candidates;
    route(query, candidates);
    shares.clear();
    for (const RouteCandidate& candidate : candidates) shares.add(candidate.port, candidate.vcs, 1.0);
    return true;
  }
};

/// The virtual channels of a routing's recovery; 0: no head is ever in recovery.
inline VcMask vcs_of_recovery(const Routing& routing) {
  return routing.recovery() == nullptr ? VcMask{0} : routing.recovery()->recovery_vcs();
}
/// The decisions with which a head may ask for its route; without RouteDecisions the query's own.
inline std::vector<RouteDecisions::Possible> decisions_of(const Routing& routing, const RouteQuery& query) {
  if (routing.decisions() == nullptr) return {{query.decision, 1.0}};
  return routing.decisions()->possible(query);
}
/// Number of outcomes of a packet's random choices; 1: there are none.
inline std::uint64_t outcomes_of(const Routing& routing) {
  return routing.random_choices() == nullptr ? 1 : routing.random_choices()->random_outcomes();
}
/// The entry of a routing with one candidate: that of route(); no virtual channels: no route.
inline RouteCandidate only_candidate(const Routing& routing, RouterId router, std::uint32_t in_port,
                                     NodeId destination) {
  RouteQuery query;
  query.router = router;
  query.in_port = in_port;
  query.destination = destination;
  RouteSet candidates;
  routing.route(query, candidates);
  return candidates.size() == 0 ? RouteCandidate{0, 0, 0} : candidates[0];
}

}  // namespace tsuji::routing
