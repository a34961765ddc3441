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

/// The buffers behind a router's outputs in the cycle before a head asks.
class BuffersBefore : public routing::OutputBuffers {
 public:
  void ask_in(Cycle now) { before_ = now - 1; }

 protected:
  Cycle before_ = 0;
};

/// Route computation of a router: the questions of heads at the front of their input virtual channels and,
/// where heads ask at their arrival, of the heads behind them. An input has at most one open question of its
/// front head. A question whose answer takes a time that is not known has a ticket.
class RouteComputation {
 public:
  struct Config {
    graph::RouterId router = 0;
    std::uint64_t seed = 1;                     ///< of the packets' random numbers
    unsigned inputs = 0;                        ///< input virtual channels; at most `most_inputs`
    unsigned max_candidates = 1;                ///< candidates that the look-up gives at most
    bool at_arrival = false;                    ///< heads behind the front ask, too
    const routing::Routing* routing = nullptr;  ///< behind a look-up that is not asked directly (behind)
  };
  static constexpr unsigned input_bits = 12, most_inputs = (1U << input_bits) - 1U;

  /// An input virtual channel: its number among all, and its place as a routing sees it.
  struct Input {
    unsigned number = 0, port = 0, vc = 0;
  };
  /// The question that an answer belongs to: a front head's, or one of a head behind it.
  enum class Asker : std::uint8_t { front, behind, nobody };

  RouteComputation(const Config& config, RouteLookup& lookup, Arena& arena);

  bool at_arrival() const { return !early_.empty(); }
  const RouteLookup& lookup() const { return lookup_; }
  /// Between cycle `now` and the next one: heads ask another routing from now on. The questions under way are
  /// for their inputs to cancel.
  void exchange(const routing::RoutingView& view, Cycle now);
  std::uint32_t generation() const { return generation_; }
  /// Between two cycles: heads of normal packets get no answer from now on, or do again, of which those that
  /// have asked in the meantime know nothing. ModelError for a look-up that is asked directly.
  void hold(bool holds, Cycle now);
  /// The routing that heads ask directly decides by credits, which are to be shown before the next question.
  bool decides() const { return decider_ != nullptr; }
  void show(BuffersBefore& buffers) { buffers_ = &buffers; }
  /// The head at the front asks; Packet::hops does not count this router yet. Returns the cycle from which
  /// `candidates` may be used; `never`: the answer comes later, and `candidates` is not set.
  [[gnu::always_inline]] Cycle ask(const Input& input, Packet& packet, routing::RouteSet& candidates,
                                   Cycle now) {
    std::uint32_t ticket = 0;
    const Cycle ready = ask_for(input, packet, ticket, candidates, now);
    if (ready == never) remember(input.number, ticket);
    return ready;
  }
  /// A head's question, as its look-up gets it; without the decision of a routing that decides.
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
  /// The look-up is run by its router, before the questions of a cycle.
  bool runs_lookup() const { return runs_lookup_; }
  void run_lookup(Cycle now) { lookup_.run(now); }
  Cycle next_lookup_run(Cycle now) const { return lookup_.next_run(now); }
  /// The routing that heads ask; null: not known.
  const routing::Routing* behind() const { return direct_ != nullptr ? direct_ : behind_; }
  /// The answer that a question gets, before there is one: a model must know whether a guess is right when
  /// the hardware does not yet.
  void foresee(const routing::RouteQuery& query, routing::RouteSet& candidates, Cycle now) const;
  /// ModelError if there are more candidates than a router has room for.
  void check(const routing::RouteSet& candidates, const Packet& packet, Cycle now) const {
    if (candidates.size() > max_candidates_) too_many_candidates(packet, now);
  }
  /// The input of a ticket; may be above all inputs for a ticket that never was.
  static unsigned input_of(std::uint32_t ticket) { return ticket & most_inputs; }
  /// An answer that came later. One of a head behind the front is kept until that head is there.
  Asker answer(std::uint32_t ticket, Cycle at, const routing::RouteSet& candidates);
  /// The open question of an input's front head is not wanted any more.
  void cancel(unsigned input, Cycle now);

  // Heads that ask at their arrival. Without at_arrival() these do nothing.

  /// Asks for all heads behind the front of `ring` that have arrived and not asked yet.
  void scan(const Input& input, const FlitRing& ring, PacketPool& pool, Cycle now);
  /// A flit has left the front of an input.
  void pass(unsigned input) {
    if (!early_.empty() && early_[input].scanned > 0) --early_[input].scanned;
  }
  /// The head of `packet` has come to the front: true if it asked at its arrival. `ready` and `candidates`
  /// are then as ask() gives them.
  bool take_early(unsigned input, PacketIndex packet, Cycle& ready, routing::RouteSet& candidates);
  /// The questions of `packet` behind the front are not wanted any more.
  void drop_early(unsigned input, PacketIndex packet, Cycle now);
  /// None of them is: all heads behind the front ask again. True if any had asked.
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
    unsigned scanned = 0;  ///< flits from the front on that were looked at
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
  /// Of the decisions of a router those that are compared with the possible ones, of which there may be one
  /// for each node: the first ones, and then few.
  static bool is_sample(std::uint32_t number) { return number < 16 || number % 1024 == 0; }
  void check_decision(const routing::RouteQuery& query, routing::Decision decision, Cycle now) const;
  std::uint32_t next_ticket(unsigned input) {
    serial_ += 1U << input_bits;
    if (serial_ == 0) serial_ = 1U << input_bits;  // no_ticket stays free
    return serial_ | input;
  }
  void ask_directly(const routing::Routing& routing);
  void remember(unsigned input, std::uint32_t ticket);
  [[noreturn]] void too_many_candidates(const Packet& packet, Cycle now) const;

  RouteLookup& lookup_;
  const routing::Routing* direct_ = nullptr;   ///< lookup_'s own, asked directly
  const routing::Routing* decider_ = nullptr;  ///< ... which decides; both null: by lookup_
  const routing::Routing* behind_ = nullptr;   ///< lookup_
  Cycle direct_cycles_ = 0;
  BuffersBefore* buffers_ = nullptr;  ///< for decider_
  std::uint64_t seed_;
  std::uint32_t decided_ = 0;  ///< decisions of decider_, modulo 2^32
  std::uint32_t serial_ = 0;   ///< of tickets, above the bits for the input
  graph::RouterId router_;
  std::uint32_t* tickets_ = nullptr;  ///< [input]: of an open question of its front head
  unsigned inputs_, max_candidates_;
  bool runs_lookup_ = false;
  bool holds_ = false;  ///< heads of normal packets get no answer
  Arena& arena_;
  std::vector<Early> early_;  ///< [input]
  std::uint32_t generation_ = 0;
};

}  // namespace tsuji::router
