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
using VcMask = std::uint16_t;  ///< bit v: virtual channel v; at most 16 virtual channels

/// Mask of `count` virtual channels from `first` on.
constexpr VcMask vc_range(unsigned first, unsigned count) {
  return static_cast<VcMask>(((1U << count) - 1U) << first);
}

/// Route candidate: an output port and the virtual channels that may be allocated there. At a node's port any
/// virtual channel may be allocated, regardless of `vcs`.
struct RouteCandidate {
  std::uint16_t port;  ///< Output port.
  VcMask vcs;          ///< Virtual channels that may be allocated.
  /// Virtual channels of a higher rank are requested only if all of the lower ranks are occupied (Duato's
  /// escape channels). Among candidates of equal rank the router's selection function chooses.
  std::uint8_t rank;
};

/// List of candidates in order of their ranks, with fixed capacity.
class RouteSet {
 public:
  static constexpr unsigned capacity = 32;  ///< Largest number of candidates.
  /// Removes all candidates.
  void clear() { size_ = 0; }
  /// Adds a candidate, without a check of `capacity`: constructors of routings refuse parameters that lead to
  /// more candidates.
  void add(unsigned port, VcMask vcs, unsigned rank = 0) {
    list_[size_++] = {static_cast<std::uint16_t>(port), vcs, static_cast<std::uint8_t>(rank)};
  }
  /// Replaces the virtual channels of candidate `i`, below size().
  void set_vcs(unsigned i, VcMask vcs) { list_[i].vcs = vcs; }
  /// Number of candidates.
  unsigned size() const { return size_; }
  /// Candidate `i`, below size().
  const RouteCandidate& operator[](unsigned i) const { return list_[i]; }
  /// First candidate.
  const RouteCandidate* begin() const { return list_.data(); }
  /// End of the candidates.
  const RouteCandidate* end() const { return list_.data() + size_; }

 private:
  std::array<RouteCandidate, capacity> list_;  // the first size_ are valid, the others not cleared
  unsigned size_ = 0;
};

/// Distribution of packets at one place over output ports: the share of each; the shares sum to 1.
class PortShares {
 public:
  /// A port with its share.
  struct Entry {
    RouteCandidate candidate;  ///< Output port and virtual channels.
    double share;              ///< Fraction of the packets, 0..1.
  };
  /// Removes all entries.
  void clear() { size_ = 0; }
  /// Adds an output port with its share; at most RouteSet::capacity entries.
  void add(unsigned port, VcMask vcs, double share) {
    list_[size_++] = {{static_cast<std::uint16_t>(port), vcs, 0}, share};
  }
  /// First entry.
  const Entry* begin() const { return list_.data(); }
  /// End of the entries.
  const Entry* end() const { return list_.data() + size_; }

 private:
  std::array<Entry, RouteSet::capacity> list_;
  unsigned size_ = 0;
};

/// State of the buffers downstream of a router's outputs, according to its credits at the end of the cycle
/// before a request. It depends on this router and on completed cycles only, so it shortens no lookahead, and
/// neither the order of modules nor running ahead changes it. Counts are sums over the virtual channels `vcs`
/// of output `port`.
class OutputBuffers {
 public:
  virtual ~OutputBuffers() = default;
  /// Number of flits that the output may send.
  virtual unsigned credits(unsigned port, VcMask vcs) const = 0;
  /// Number of flits that the buffers hold when full.
  virtual unsigned capacity(unsigned port, VcMask vcs) const = 0;
  /// Number of flits in the buffers and on the wires, and of credits that have not returned.
  unsigned occupied(unsigned port, VcMask vcs) const { return capacity(port, vcs) - credits(port, vcs); }
  /// Number of credits that come back in the cycle of the request, which credits() does not count yet.
  virtual unsigned returning(unsigned /*port*/, VcMask /*vcs*/) const { return 0; }
  /// Flits in the buffers and on the wires whose credits have not come back by the cycle of the request.
  unsigned unreturned(unsigned port, VcMask vcs) const { return occupied(port, vcs) - returning(port, vcs); }
  /// Number of flits in this router's packets that are routed to the output and have not left, of the packet
  /// at the front of each input virtual channel. A head that may take several outputs counts at each, and one
  /// that may take several virtual channels at the first of them. Only for a routing with
  /// RouteDecisions::reads_waiting().
  virtual unsigned waiting(unsigned /*port*/, VcMask /*vcs*/) const { return 0; }
  /// Queue of output `port` of any router: occupied() and waiting() on all of its virtual channels. Only for
  /// a routing with RouteDecisions::reads_network().
  virtual unsigned queue_of(RouterId /*router*/, unsigned /*port*/) const { return 0; }
};

/// Queues of the outputs of all routers of a network at the end of the cycle before the present one
/// (OutputBuffers::queue_of).
class NetworkQueues {
 public:
  virtual ~NetworkQueues() = default;
  /// Flits in the queue of an output.
  virtual unsigned queue(RouterId router, unsigned port) const = 0;
};

/// Private note of a routing in a packet: an intermediate router, a phase, a candidate. 0 in a new packet.
using Decision = std::uint16_t;

/// Data of a head's route request.
struct RouteQuery {
  RouterId router = 0;                             ///< Router of the head.
  std::uint32_t in_port = 0;                       ///< Input port of the head.
  std::uint32_t in_vc = 0;                         ///< Virtual channel of the head.
  End source,                                      ///< Source of the packet, a node or router.
      destination;                                 ///< Destination of the packet, a node or router.
  PacketClass packet_class = PacketClass::normal;  ///< Class of the packet.
  std::uint16_t hops = 0;                          ///< number of hops between routers so far
  PacketId packet = 0;     ///< Identity of the packet, which selects its random numbers.
  std::uint64_t seed = 0;  ///< Seed of the routing's random numbers.
  /// Of a routing with RouteDecisions: result of decide(), or before it that of the previous router.
  Decision decision = 0;
  /// Random number `draw` of the packet, equal at every router and in any order of modules. Costs about 100
  /// instructions, so it is for ties only.
  std::uint64_t random(std::uint64_t draw) const { return CounterRandom(seed, packet).bits(draw); }
};

/// Form of a routing in memories that are addressed by the destination only.
enum class TableForm : std::uint8_t {
  /// Two words of 16 bits, from which route_by_entry() makes candidates; for heads that read a table
  /// (TableReads), while other heads are routed by coordinates.
  words,
  port_and_vcs,  ///< one candidate: an output port, and the virtual channels that may be allocated there
  /// As `port_and_vcs`; after the look-up a small map of the input port selects those virtual channels that a
  /// packet of its input virtual channel may use (like InfiniBand's table from service level to virtual
  /// lane).
  port_and_vc_map
};

/// Selection among the virtual channels of an entry, for packets of one input virtual channel at one output
/// port: those in `first`, or if the entry has none of these, those in `then`.
struct VcMap {
  VcMask first = vc_range(0, 16);  ///< Preferred virtual channels.
  VcMask then = 0;                 ///< Alternative virtual channels.
  /// Virtual channels of the entry `vcs` that a packet may request.
  VcMask of(VcMask vcs) const { return static_cast<VcMask>((vcs & first) != 0 ? vcs & first : vcs & then); }
};

/// Image of a routing in memories whose contents depend on router, input port and destination only.
class TableImage {
 public:
  virtual ~TableImage() = default;
  /// Form of the entries.
  virtual TableForm table_form() const = 0;
  /// Entry for packets that come in by `in_port` for `destination`; without virtual channels: no route.
  /// Virtual channels at a node's port have the meaning as in RouteCandidate. With form `words`, `port` and
  /// `vcs` are the two words.
  virtual RouteCandidate table_entry(RouterId router, std::uint32_t in_port, NodeId destination) const = 0;
  /// Makes candidates from an entry. With form `words`: those of route() for a head that reads a table;
  /// otherwise the entry itself.
  virtual void route_by_entry(const RouteQuery& /*query*/, const RouteCandidate& entry,
                              RouteSet& candidates) const {
    candidates.clear();
    candidates.add(entry.port, entry.vcs);
  }
  /// With form `port_and_vc_map`: the map's row. Applied to the virtual channels of table_entry() it gives
  /// those of route().
  virtual VcMap vc_map(RouterId /*router*/, std::uint32_t /*in_port*/, std::uint32_t /*in_vc*/,
                       std::uint32_t /*out_port*/) const {
    return {};
  }
};

/// A routing that reads a table for some heads, which takes time, and routes the others by coordinates.
class TableReads {
 public:
  virtual ~TableReads() = default;
  /// True if the head reads the table; false if coordinates decide.
  virtual bool reads_table(const RouteQuery& query) const = 0;
};

/// Recovery from deadlock: a router takes a head that waits too long, or has made too many hops, into
/// recovery (PacketClass::recovery). From then on the packet uses the recovery channels only.
class DeadlockRecovery {
 public:
  virtual ~DeadlockRecovery() = default;
  /// Virtual channels reserved for recovery; never empty.
  virtual VcMask recovery_vcs() const = 0;
  /// Checks, at run time, the hop of a head in recovery to output `port`. Returns the violated condition of
  /// the freedom from deadlock; null: none.
  virtual const char* broken_by(const RouteQuery& query, unsigned port) const = 0;
};

/// Random choices in route(). Packets with one outcome, source and destination have equal candidates
/// everywhere; the deadlock checker follows one packet of each outcome.
class RandomChoices {
 public:
  virtual ~RandomChoices() = default;
  /// Number of outcomes of a packet's random choices, at least 1.
  virtual std::uint64_t random_outcomes() const = 0;
  /// Outcome of a packet; only `packet` and `seed` of the query are used.
  virtual std::uint64_t random_outcome(const RouteQuery& query) const = 0;
  /// Share of all packets that have an outcome.
  virtual double outcome_share(std::uint64_t /*outcome*/) const {
    return 1.0 / static_cast<double>(random_outcomes());
  }
};

/// Decisions of a routing for single packets, by credits or random numbers, which are stored in the packet.
/// route() is then a function of the packet and its place.
///
/// Contract: at each router decide() is called for a head before route(), and again if the head is rerouted.
/// Its result is RouteQuery::decision from then on, also in decide() of the next router. A routing of a
/// higher generation gets the decisions of the previous generation.
class RouteDecisions {
 public:
  /// A possible result of decide(), and its share of the packets with the query's source, destination and
  /// decision. unknown_share: it depends on credits.
  struct Possible {
    Decision decision;  ///< Result of decide().
    double share;       ///< Fraction of the packets, 0..1, or unknown_share.
  };
  static constexpr double unknown_share = 0;  ///< Share of a decision that depends on credits.

  virtual ~RouteDecisions() = default;
  /// decide() reads OutputBuffers::waiting(), which routers count for such routings only.
  virtual bool reads_waiting() const { return false; }
  /// decide() reads OutputBuffers::queue_of(): an oracle, for which all routers are looked at in each cycle.
  virtual bool reads_network() const { return false; }
  /// Decides for a head at a router, by the query's random numbers and the credits of the outputs.
  virtual Decision decide(const RouteQuery& query, const OutputBuffers& outputs) const = 0;
  /// All possible results of decide(), for any credits and random numbers; never empty. The deadlock checker
  /// follows a packet of each. Routers check their first decisions against it, and later one in 1,024.
  virtual std::vector<Possible> possible(const RouteQuery& query) const = 0;
};

/// Guarantees about all routes of a routing.
struct RoutingPromises {
  /// The candidates depend on router, input port, input virtual channel and destination only (and on the
  /// decision, if the routing decides), not on the source. The deadlock checker then follows all sources at
  /// once.
  bool place_decides = false;
  /// route() returns a candidate for every head that the routing has brought to a router; unless
  /// `turns_back`, one other than the network port that the head came in by. Without link faults no head is
  /// then ever dropped, and modules may run ahead of each other. Without this guarantee a run is slower, with
  /// equal results.
  bool always_leads_on = false;
  /// The only candidate may be the network port that a head came in by, so routers must allow this turn
  /// (`router.uturn_network`).
  bool turns_back = false;
  /// The proof of freedom from deadlock requires atomic allocation of virtual channels (Duato with wormhole
  /// switching): a router with non-atomic allocation is refused.
  bool needs_atomic_vcs = false;
};

class RouteHints;
struct RoutingParts;

/// Routing algorithm for one topology: a pure function from the place of a head to its candidates. Called
/// once per packet and hop, so it neither allocates memory nor searches.
class Routing {
 public:
  virtual ~Routing() = default;
  /// The algorithm in one line, with paper and section; may be empty.
  virtual std::string stands_for() const { return ""; }
  /// Sets `candidates` to the route candidates of a head; at the destination's router to the node's port.
  /// Empty means that the destination cannot be reached. Previous contents are discarded.
  virtual void route(const RouteQuery& query, RouteSet& candidates) const = 0;
  /// Virtual channels into which the source may inject a packet. Ignored if links to nodes have a different
  /// number of virtual channels than links between routers.
  virtual VcMask injection_vcs(End source, End destination) const = 0;
  /// Least number of virtual channels of network ports; the constructor refuses fewer.
  virtual unsigned vcs_needed() const = 0;
  /// Upper bound on the number of candidates of route().
  virtual unsigned max_candidates() const = 0;
  /// Guarantees that hold for all routes; by default none.
  virtual RoutingPromises promises() const { return {}; }

  /// The routing of packets for nodes, which look-up hardware stores; a different object if this routing also
  /// routes packets for routers.
  virtual const Routing& of_nodes() const { return *this; }

  // Abilities of some routings, valid as long as the routing; null: the routing does not have it.

  /// Contents of routing tables; null: no table holds this routing.
  virtual const TableImage* table_image() const { return nullptr; }
  /// Heads that read a table; null: all heads are routed alike.
  virtual const TableReads* table_reads() const { return nullptr; }
  /// Recovery from deadlock; null: the routing avoids deadlock.
  virtual const DeadlockRecovery* recovery() const { return nullptr; }
  /// Random choices in route(); null: none.
  virtual const RandomChoices* random_choices() const { return nullptr; }
  /// Decisions stored in packets; null: none.
  virtual const RouteDecisions* decisions() const { return nullptr; }
  /// Hint bits that sources send ahead of headers; null: none.
  virtual const RouteHints* hints() const { return nullptr; }

  /// Sets `shares` to the distribution over output ports of all packets for the query's destination at its
  /// router and input port, whatever their source, over their random numbers. The capacity bound then follows
  /// all sources at once (capacity_bound.h). Returns false if the distribution depends on the source or on
  /// earlier choices; every pair and outcome is then followed separately. Called only if max_candidates() is
  /// 1.
  virtual bool port_shares(const RouteQuery& query, PortShares& shares) const {
    if (random_choices() != nullptr || decisions() != nullptr || !promises().place_decides) return false;
    RouteSet candidates;
    route(query, candidates);
    shares.clear();
    for (const RouteCandidate& candidate : candidates) shares.add(candidate.port, candidate.vcs, 1.0);
    return true;
  }
};

/// Virtual channels of a routing's recovery; 0: heads are never in recovery.
inline VcMask vcs_of_recovery(const Routing& routing) {
  return routing.recovery() == nullptr ? VcMask{0} : routing.recovery()->recovery_vcs();
}
/// Possible decisions for a head; without RouteDecisions the one in the query.
inline std::vector<RouteDecisions::Possible> decisions_of(const Routing& routing, const RouteQuery& query) {
  if (routing.decisions() == nullptr) return {{query.decision, 1.0}};
  return routing.decisions()->possible(query);
}
/// Number of outcomes of a packet's random choices; 1: no random choices.
inline std::uint64_t outcomes_of(const Routing& routing) {
  return routing.random_choices() == nullptr ? 1 : routing.random_choices()->random_outcomes();
}
/// Candidate of a routing with a single candidate, as a table entry; without virtual channels: no route.
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
