// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/core/arena.h"
#include "tsuji/core/packet.h"
#include "tsuji/link/flit_channel.h"
#include "tsuji/link/route_lookup.h"
#include "tsuji/routing/routing_view.h"

namespace tsuji::router {

/// Buffers at the far ends of a router's outputs, as of the cycle before a head's request.
class BuffersBefore : public routing::OutputBuffers {
 public:
  void ask_in(Cycle now) { before_ = now - 1; }

 protected:
  Cycle before_ = 0;
};

/// Route computation (RC) of a router: the route requests of heads at the front of their input virtual
/// channels and, with router.route_at arrival, of the heads queued after them. An input has at most one open
/// request of its front head. A request whose answer takes an unknown time has a ticket.
///
/// Contract:
/// - A head at the front: take_early() if at_arrival(), and ask() if that returns false. pass() when a flit
///   leaves.
/// - scan() in each cycle in which flits may have arrived, if at_arrival().
/// - answer() for each RouteClient::route_answer(). cancel(), drop_early() or drop_all_early() for requests
///   that are no longer needed.
/// - With runs_lookup(): run_lookup() first in each cycle.
/// - Between two cycles: exchange() and hold().
class RouteComputation {
 public:
  struct Config {
    graph::RouterId router = 0;
    std::uint64_t seed = 1;       ///< seed of the packets' random numbers
    unsigned inputs = 0;          ///< number of input virtual channels, at most `most_inputs`
    unsigned max_candidates = 1;  ///< largest number of candidates that the look-up returns
    bool at_arrival = false;      ///< heads after the front make requests, too
    /// Routing algorithm of a look-up without direct_routing(), for behind().
    const routing::Routing* routing = nullptr;
  };
  static constexpr unsigned input_bits = 12, most_inputs = (1U << input_bits) - 1U;

  /// An input virtual channel: its index among all inputs, and its port and virtual channel.
  struct Input {
    unsigned number = 0, port = 0, vc = 0;
  };
  /// Head that an answer is for: the head at the front, or one queued after it.
  enum class Asker : std::uint8_t { front, behind, nobody };

  RouteComputation(const Config& config, RouteLookup& lookup, Arena& arena);

  bool at_arrival() const { return !early_.empty(); }
  const RouteLookup& lookup() const { return lookup_; }
  /// Replaces the routing after cycle `now`. The inputs cancel their open requests.
  void exchange(const routing::RoutingView& view, Cycle now);
  std::uint32_t generation() const { return generation_; }
  /// Withholds, or provides again, answers for heads of normal packets; takes effect between two cycles. A
  /// head that requests in the meantime gets `never`. ModelError for a look-up without direct_routing().
  void hold(bool holds, Cycle now);
  /// Returns true if the routing decides by credits; show() must then be called before the next request.
  bool decides() const { return decider_ != nullptr; }
  /// Returns true if it decides by flits that wait in the router, too.
  bool reads_waiting() const { return decides() && decider_->decisions()->reads_waiting(); }
  void show(BuffersBefore& buffers) { buffers_ = &buffers; }
  /// Requests the route of the front head; Packet::hops does not count this router yet. Returns the cycle
  /// from which `candidates` may be used; `never`: the answer comes later, and `candidates` is not set.
  [[gnu::always_inline]] Cycle ask(const Input& input, Packet& packet, routing::RouteSet& candidates,
                                   Cycle now) {
    std::uint32_t ticket = 0;
    const Cycle ready = ask_for(input, packet, ticket, candidates, now);
    if (ready == never) remember(input.number, ticket);
    return ready;
  }
  /// The route query of a head, without the decision of a routing that decides.
  [[gnu::always_inline]] routing::RouteQuery query(const Input& input, const Packet& packet) const {
    routing::RouteQuery query;
    query.router = router_;
    query.in_port = input.port;
    query.in_vc = input.vc;
    query.source = packet.source;
    query.destination = packet.destination;
    query.packet_class = packet.packet_class;
    query.hops = packet.hops;
    query.packet = packet.id;
    query.seed = seed_;
    return query;
  }
  /// Returns true if the router runs the look-up, before the requests of a cycle.
  bool runs_lookup() const { return runs_lookup_; }
  void run_lookup(Cycle now) { lookup_.run(now); }
  Cycle next_lookup_run(Cycle now) const { return lookup_.next_run(now); }
  /// The routing algorithm that answers the requests; null: not known.
  const routing::Routing* behind() const { return direct_ != nullptr ? direct_ : behind_; }
  /// Returns in `candidates` the answer that a request will get. A model needs it to know whether a guess is
  /// right before the hardware does.
  void foresee(const routing::RouteQuery& query, routing::RouteSet& candidates, Cycle now) const;
  /// ModelError if there are more candidates than a router has space for.
  void check(const routing::RouteSet& candidates, const Packet& packet, Cycle now) const {
    if (candidates.size() > max_candidates_) too_many_candidates(packet, now);
  }
  /// Input of a ticket; for an invalid ticket possibly above all inputs.
  static unsigned input_of(std::uint32_t ticket) { return ticket & most_inputs; }
  /// Accepts a late answer. The answer for a head after the front is stored until the head is at the front.
  Asker answer(std::uint32_t ticket, Cycle at, const routing::RouteSet& candidates);
  /// Cancels the open request of an input's front head.
  void cancel(unsigned input, Cycle now);

  // Requests on arrival. Without at_arrival() these functions do nothing.

  /// Makes requests for all arrived heads after the front of `ring` that have not made one. Returns the
  /// arrival of the next flit, which is on the wires; `never`: there is none.
  Cycle scan(const Input& input, const FlitRing& ring, PacketPool& pool, Cycle now);
  /// A flit has left the front of an input.
  void pass(unsigned input) {
    if (!early_.empty() && early_[input].scanned > 0) --early_[input].scanned;
  }
  /// The head of `packet` has reached the front. Returns true if it made its request on arrival; `ready` and
  /// `candidates` are then set as by ask().
  bool take_early(unsigned input, PacketIndex packet, Cycle& ready, routing::RouteSet& candidates);
  /// Cancels the requests of `packet` after the front.
  void drop_early(unsigned input, PacketIndex packet, Cycle now);
  /// Cancels all requests after the front, which are made again. Returns true if there were any.
  bool drop_all_early(unsigned input, Cycle now);

 private:
  struct Question {
    PacketIndex packet = 0;
    std::uint32_t ticket = 0;
    Cycle ready = never;
    routing::RouteSet candidates;
  };
  struct Early {
    std::vector<Question> questions;
    unsigned scanned = 0;  ///< number of flits, from the front on, that have been examined
  };
  static constexpr std::uint32_t no_ticket = 0;

  [[gnu::always_inline]] Cycle ask_for(const Input& input, Packet& packet, std::uint32_t& ticket,
                                       routing::RouteSet& candidates, Cycle now) {
    routing::RouteQuery query = this->query(input, packet);
    if (direct_ != nullptr) {
      direct_->route(query, candidates);
      check(candidates, packet, now);
      return now + direct_cycles_;
    }
    if (decider_ != nullptr) return decide_and_ask(query, packet, candidates, now);
    return ask_lookup(input.number, query, packet, ticket, candidates, now);
  }
  [[gnu::noinline]] Cycle ask_lookup(unsigned input, const routing::RouteQuery& query, const Packet& packet,
                                     std::uint32_t& ticket, routing::RouteSet& candidates, Cycle now);
  [[gnu::noinline]] Cycle decide_and_ask(routing::RouteQuery& query, Packet& packet,
                                         routing::RouteSet& candidates, Cycle now);
  std::uint32_t next_ticket(unsigned input) {
    serial_ += 1U << input_bits;
    if (serial_ == 0) serial_ = 1U << input_bits;  // no_ticket is never assigned
    return serial_ | input;
  }
  void ask_directly(const routing::Routing& routing);
  void remember(unsigned input, std::uint32_t ticket);
  [[noreturn]] void too_many_candidates(const Packet& packet, Cycle now) const;

  RouteLookup& lookup_;
  const routing::Routing* direct_ = nullptr;  ///< routing of lookup_, called directly
  /// Routing of lookup_ that decides; if both are null, lookup_ is called.
  const routing::Routing* decider_ = nullptr;
  const routing::Routing* behind_ = nullptr;  ///< Config::routing
  Cycle direct_cycles_ = 0;
  BuffersBefore* buffers_ = nullptr;  ///< output buffers that decider_ reads
  std::uint64_t seed_;
  std::uint32_t decided_ = 0;  ///< number of decisions of decider_, modulo 2^32
  std::uint32_t serial_ = 0;   ///< counter of tickets, above the bits of the input
  graph::RouterId router_;
  std::uint32_t* tickets_ = nullptr;  ///< [input]: ticket of the front head's open request
  unsigned inputs_, max_candidates_;
  bool runs_lookup_ = false;
  bool holds_ = false;  ///< heads of normal packets get no answer
  Arena& arena_;
  std::vector<Early> early_;  ///< [input]
  std::uint32_t generation_ = 0;
};

}  // namespace tsuji::router
