// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <sstream>
#include <typeinfo>
#include <vector>

#include "router/rig.h"
#include "support/catch.h"
#include "support/pick.h"
#include "support/purge_router.h"
#include "tsuji/core/random.h"
#include "tsuji/lookup/ported_table.h"
#include "tsuji/router/allocators/kinds.h"

// The fast driver must equal the full one. Two routers of a random configuration get the same flits, stalls,
// purges and route requests, and are compared after every cycle. The fast one, and the full one in every
// other configuration, runs only in scheduled cycles and in cycles with arrivals.

using namespace tsuji;
using namespace tsuji::router;
using namespace tsuji::router::test;
using tsuji::test::pick;

namespace {

constexpr unsigned most_candidates = 6;

/// Candidates drawn from the packet's number: one or several, of one or several ranks; for every other packet
/// the next port, which static predictors know. Packets in recovery use the last virtual channel exclusively;
/// some read a table. If `decides`, candidates also depend on the buffers of all outputs and on the previous
/// decision, and with `reads_waiting` on flits that wait in the router. One class, since all its facets draw
/// the same numbers.
class Drawn final : public routing::Routing,
                    public routing::TableReads,
                    public routing::DeadlockRecovery,
                    public routing::RouteDecisions {
 public:
  Drawn(unsigned ports, unsigned vcs, bool recovers, std::uint64_t seed, bool reads_waiting = false)
      : ports_(ports),
        vcs_(vcs),
        recovers_(recovers),
        decides_(seed % 3 == 1),
        reads_waiting_(reads_waiting),
        seed_(seed) {}
  void route(const routing::RouteQuery& query, routing::RouteSet& routes) const override {
    CounterRandom random(seed_ + (std::uint64_t{query.decision} << 32), query.packet);
    if (query.packet_class == PacketClass::recovery) {
      random = CounterRandom(seed_ + 1, query.packet);
      return routes.add(static_cast<unsigned>(random.below(ports_)), recovery_vcs());
    }
    const unsigned own = recovers_ ? vcs_ - 1 : vcs_;
    if (random.below(2) == 0) return routes.add((query.in_port + 1) % ports_, routing::vc_range(0, own));
    const auto count = random.below(3) == 0 ? 1 + random.below(most_candidates) : 1;
    unsigned rank = 0;
    for (unsigned c = 0; c < count; ++c) {
      const auto mask = 1 + random.below((1U << own) - 1U);
      routes.add(static_cast<unsigned>(random.below(ports_)), static_cast<routing::VcMask>(mask), rank);
      rank += static_cast<unsigned>(random.below(2));
    }
  }
  routing::VcMask injection_vcs(End, End) const override {
    return routing::vc_range(0, recovers_ ? vcs_ - 1 : vcs_);
  }
  unsigned vcs_needed() const override { return 1; }
  unsigned max_candidates() const override { return most_candidates; }
  const routing::TableReads* table_reads() const override { return this; }
  const routing::DeadlockRecovery* recovery() const override { return recovers_ ? this : nullptr; }
  routing::VcMask recovery_vcs() const override { return routing::vc_range(vcs_ - 1, 1); }
  const char* broken_by(const routing::RouteQuery&, unsigned) const override { return nullptr; }
  bool reads_table(const routing::RouteQuery& query) const override {
    return query.packet_class == PacketClass::recovery || query.packet % 3 == 0;
  }
  const routing::RouteDecisions* decisions() const override { return decides_ ? this : nullptr; }
  routing::Decision decide(const routing::RouteQuery& query,
                           const routing::OutputBuffers& outputs) const override {
    unsigned all = query.decision + 1U;
    for (unsigned port = 0; port < ports_; ++port) {
      for (unsigned vc = 0; vc < vcs_; ++vc) {
        const unsigned occupied = outputs.occupied(port, routing::vc_range(vc, 1));
        const unsigned waiting = reads_waiting_ ? outputs.waiting(port, routing::vc_range(vc, 1)) : 0;
        all = 31 * (31 * all + occupied) + waiting;
        if (occupied > 0) ++occupied_buffers;
        if (waiting > 0) ++waiting_outputs;
      }
    }
    return static_cast<routing::Decision>(all % most_decisions);
  }
  std::vector<Possible> possible(const routing::RouteQuery&) const override {
    std::vector<Possible> all;
    for (unsigned decision = 0; decision < most_decisions; ++decision)
      all.push_back({static_cast<routing::Decision>(decision), unknown_share});
    return all;
  }
  bool reads_waiting() const override { return reads_waiting_; }
  static constexpr unsigned most_decisions = 64;
  mutable std::uint64_t occupied_buffers = 0;  ///< that decisions have read
  mutable std::uint64_t waiting_outputs = 0;   ///< outputs with waiting flits that decisions have read

 private:
  const unsigned ports_, vcs_;
  const bool recovers_, decides_, reads_waiting_;
  const std::uint64_t seed_;
};

/// Answers later, after a time drawn from the packet's number.
class Late final : public RouteLookup {
 public:
  explicit Late(const routing::Routing& routing) : routing_(&routing) {}
  void bind_client(RouteClient& client) override { client_ = &client; }
  Cycle request(Cycle now, const routing::RouteQuery& query, std::uint32_t ticket,
                routing::RouteSet&) override {
    open_.insert({now + 1 + query.packet % 5, {ticket, query}});
    return never;
  }
  void exchange_routing(const routing::Routing& routing, Cycle) override { routing_ = &routing; }
  void cancel(Cycle, std::uint32_t ticket) override {
    const auto own = std::find_if(open_.begin(), open_.end(),
                                  [&](const auto& one) { return one.second.ticket == ticket; });
    if (own != open_.end()) open_.erase(own);
  }
  /// Sends the answers that are due in the next cycle. Returns true if there were any.
  bool step(Cycle now) {
    bool any = false;
    for (; !open_.empty() && open_.begin()->first <= now; any = true) {
      const Question question = open_.begin()->second;
      open_.erase(open_.begin());
      routing::RouteSet routes;
      routing_->route(question.query, routes);
      client_->route_answer(question.ticket, now + 1, routes);
    }
    return any;
  }

 private:
  struct Question {
    std::uint32_t ticket;
    routing::RouteQuery query;
  };
  const routing::Routing* routing_;
  RouteClient* client_ = nullptr;
  std::multimap<Cycle, Question> open_;
};

struct Lost final : RouterEvents {
  void on_blocked(graph::RouterId, unsigned, unsigned, PacketIndex, Cycle) override {}
  void on_no_route(graph::RouterId, unsigned, unsigned, PacketIndex packet, Cycle) override {
    packets.push_back(packet);
  }
  std::vector<PacketIndex> packets;
};

/// Draws a predictor for each input, in the form that the fast driver supports.
void draw_prediction(CounterRandom& random, RigConfig& config) {
  PredictionConfig& prediction = config.router.prediction;
  prediction.kind = pick<std::string>(
      random, {"straight", "straight", "latest_port", "finite_context", "last_destination"});
  for (unsigned input = 0; input < config.ports; ++input)
    config.straight.push_back(random.below(8) == 0 ? no_port : (input + 1) % config.ports);
}

/// Draws a router's own times.
void draw_times(CounterRandom& random, VcRouterConfig& router) {
  router.block_timeout_cycles = pick<Cycle>(random, {0, 3, 10, 30});
  router.hop_limit = pick(random, {0U, 2U});
  if (!router.prediction.on()) router.vc_change_cycles = pick<Cycle>(random, {0, 1, 1, 2, 70});
}

/// Draws a configuration for the fast driver, without options that only the full one has.
RigConfig draw_config(CounterRandom& random) {
  RigConfig config;
  config.ports = 2 + static_cast<unsigned>(random.below(5));
  config.node_port = static_cast<unsigned>(random.below(config.ports));
  config.channel.vcs = 1 + static_cast<unsigned>(random.below(6));
  config.channel.depth_flits = 1 + static_cast<unsigned>(random.below(9));
  config.channel.latency_cycles = random.below(10) == 0 ? 70 : 1 + random.below(4);
  config.channel.credit_latency_cycles = random.below(10) == 0 ? 70 : 1 + random.below(5);
  config.channel.credit_process_cycles = random.below(2);
  config.rc_cycles = random.below(3);
  VcRouterConfig& router = config.router;
  router.switching = pick(random, {Switching::wormhole, Switching::wormhole, Switching::virtual_cut_through});
  router.va_cycles = pick<Cycle>(random, {1, 1, 1, 2, 3});
  router.sa_cycles = 1 + random.below(3);
  router.st_cycles = random.below(3);
  router.des_cycles = random.below(3);
  router.ser_cycles = random.below(2);
  router.va_allocator = pick<std::string>(random, {"islip", "separable", "matrix"});
  router.va_allocators.of<MatrixVcConfig>().matrix_first =
      pick(random, {FirstLine::lowest, FirstLine::highest});
  router.selection =
      pick(random, {Selection::first, Selection::most_credits, Selection::round_robin, Selection::random});
  router.atomic_vcs = random.below(4) == 0;
  router.uturn_network = random.below(2) == 0;
  router.uturn_node = random.below(2) == 0;
  router.dead_route = pick(random, {DeadRoute::drop, DeadRoute::wait});
  if (random.below(2) == 0) draw_prediction(random, config);
  if (random.below(2) == 0) draw_times(random, router);
  return config;
}

enum class Answers : std::uint8_t { at_once, late, ported };

/// One of the two routers.
struct Side {
  Side(const RigConfig& config, std::uint64_t seed, Answers how, bool recovers)
      : routing(config.ports, config.channel.vcs, recovers, seed, seed % 2 == 0),
        others{{config.ports, config.channel.vcs, recovers, seed + 1'000'000'000},
               {config.ports, config.channel.vcs, recovers, seed + 2'000'000'000}},
        table(routing, config.rc_cycles),
        slow(routing),
        ported(routing,
               {1 + config.rc_cycles, 1 + seed % 6, 1 + static_cast<unsigned>(seed % 2), seed % 3 != 0},
               std::vector<unsigned>(config.ports, config.channel.vcs)),
        answers_late(how == Answers::late),
        rig(with_routing(config, routing, recovers), lookup(how), &lost) {}
  static RigConfig with_routing(RigConfig config, const Drawn& routing, bool recovers) {
    if (recovers) config.behind = &routing;
    return config;
  }
  RouteLookup* lookup(Answers how) {
    if (how == Answers::late) return &slow;
    if (how == Answers::ported) return &ported;
    return &table;
  }

  void purge(PacketIndex packet) {
    rig.woken |= tsuji::test::purge_router(*rig.state, packet, rig.now - 1);
    for (const auto& channel : rig.out) channel->kill(packet);
    for (auto coming = rig.under_way.begin(); coming != rig.under_way.end();)
      coming = coming->second.flit.packet == packet ? rig.under_way.erase(coming) : std::next(coming);
  }
  void exchange_routing() {
    const std::uint32_t generation = rig.state->routing_generation() + 1;
    rig.state->exchange_routing({&others[generation % 2], generation}, rig.now - 1);
  }
  /// Runs one cycle. Returns packets that were purged because they had no route.
  std::vector<PacketIndex> run_cycle() {
    // Prefetch hints, which must not change any result.
    for (unsigned stage = 0; stage < 3; ++stage) rig.state->approach(rig.now, stage);
    rig.state->visit_timeouts(rig.now, [this](unsigned port, unsigned vc) {
      ++timed_out;
      due << port << '.' << vc << ' ';
    });
    rig.run(rig.now + 1);
    if (answers_late) rig.woken |= slow.step(rig.now - 1);
    for (const PacketIndex packet : lost.packets) purge(packet);
    return std::exchange(lost.packets, {});
  }
  /// The router's visible state after a cycle.
  std::string seen() {
    std::ostringstream text;
    for (unsigned p = 0; p < rig.config.ports; ++p) {
      for (unsigned vc = 0; vc < rig.config.channel.vcs; ++vc) {
        const VcView view = rig.state->view(p, vc);
        text << static_cast<int>(view.state) << ' ' << view.has_flit << ' ';
        if (view.state != VcState::idle) text << view.packet << ' ' << view.blocked_since << ' ';
        if (view.state == VcState::active) text << view.out_port << '.' << view.out_vc << ' ';
        text << rig.in[p]->ring(vc).credits(rig.now) << rig.out[p]->ring(vc).credits(rig.now) << ", ";
      }
    }
    for (; told < rig.seen.size(); ++told) {
      const Seen& flit = rig.seen[told];
      text << '[' << flit.cycle << ' ' << flit.port << '.' << flit.vc << ' ' << flit.packet << ':'
           << flit.sequence << ']';
    }
    const RouterCounters counters = rig.state->counters();
    for (unsigned p = 0; p < rig.config.ports; ++p) {
      const PredictionCounters predicted = rig.state->prediction_counters_at(p);
      for (const std::uint64_t visits : predicted.visits) text << visits << ' ';
      text << predicted.kept_flits << ' ' << predicted.saved_cycles << ", ";
    }
    text << counters.timeouts << ' ' << counters.over_hop_limit << ' ' << counters.recoveries << ' '
         << counters.recoveries_by_hops << ' ' << ported.reads() << ' ' << ported.wait_cycles() << ' ';
    text << due.str() << "of " << timed_out << ' ';
    due.str("");
    text << counters.flits << ' ' << counters.killed_flits << ' ' << rig.state->last_event(rig.now);
    return text.str();
  }

  Drawn routing;
  Drawn others[2];  ///< exchanged in turn
  lookup::LocalLookup table;
  Late slow;
  lookup::PortedTable ported;
  const bool answers_late;
  Lost lost;
  Rig rig;
  std::size_t told = 0;
  std::uint64_t timed_out = 0;  ///< heads announced to begin recovery in a later cycle
  std::ostringstream due;       ///< heads announced for this cycle
};

/// Both routers, and the random stimulus for both.
class Pair {
 public:
  Pair(const RigConfig& config, std::uint64_t seed)
      : random_(seed, 2),
        config_(config),
        load_(pick(random_, {0.05, 0.2, 0.6, 1.0})),
        stalls_(pick(random_, {0.0, 0.1, 0.5})),
        troubles_(pick(random_, {0.0, 0.0, 0.02, 0.1})),
        answers_(pick(random_, {Answers::at_once, Answers::at_once, Answers::late, Answers::ported})),
        recovers_(config.channel.vcs > 1 && random_.below(3) == 0),
        fast_(sparse(config), seed, answers_, recovers_),
        full_(with_full_driver(config, seed % 2 == 0), seed, answers_, recovers_),
        streams_(std::size_t{config.ports} * config.channel.vcs) {}

  /// Returns the first cycle in which the routers differ, or `never`.
  Cycle run(Cycle cycles) {
    for (Cycle end = fast_.rig.now + cycles; fast_.rig.now < end;) {
      send();
      if (random_.unit() < troubles_) trouble();
      for (unsigned p = 0; p < config_.ports; ++p)
        fast_.rig.stopped[p] = full_.rig.stopped[p] = random_.unit() < stalls_;
      for (const PacketIndex packet : fast_.run_cycle()) stop(packet);
      full_.run_cycle();
      one = fast_.seen();
      other = full_.seen();
      if (one != other) return fast_.rig.now - 1;
    }
    return never;
  }
  RouterCounters counters() const { return full_.rig.state->counters(); }
  bool recovers() const { return recovers_; }
  std::uint64_t hits() const {
    return full_.rig.state->prediction_counters().visits[static_cast<std::size_t>(PredictionOutcome::hit)];
  }
  std::uint64_t timed_out() const { return full_.timed_out; }
  std::uint64_t occupied_buffers() const { return fast_.routing.occupied_buffers; }
  std::uint64_t waiting_outputs() const { return fast_.routing.waiting_outputs; }
  std::uint64_t table_reads() const { return full_.ported.reads(); }
  std::string one, other;

 private:
  struct Stream {
    PacketIndex packet = 0;
    unsigned sequence = 0, flits = 0;
  };
  static RigConfig sparse(RigConfig config) {
    config.sparse = true;
    return config;
  }
  static RigConfig with_full_driver(RigConfig config, bool sparse_too) {
    config.full = true;
    config.sparse = sparse_too;
    return config;
  }
  /// Sends at most one flit a port.
  void send() {
    for (unsigned p = 0; p < config_.ports; ++p) {
      const auto vc = static_cast<unsigned>(random_.below(config_.channel.vcs));
      if (random_.unit() >= load_ || fast_.rig.in[p]->ring(vc).credit_at() > fast_.rig.now) continue;
      Stream& stream = streams_[p * config_.channel.vcs + vc];
      if (stream.sequence == stream.flits) {
        const bool whole = config_.router.switching != Switching::wormhole;
        const auto flits = static_cast<unsigned>(1 + random_.below(whole ? config_.channel.depth_flits : 6));
        const auto destination = static_cast<unsigned>(random_.below(config_.ports));
        stream = {fast_.rig.packet(destination, flits, ++serial_), 0, flits};
        full_.rig.packet(destination, flits, serial_);
        const bool recovering = recovers_ && vc + 1 == config_.channel.vcs;
        const auto hops = static_cast<std::uint16_t>(random_.below(5));
        for (Side* side : {&fast_, &full_}) {
          Packet& packet = side->rig.pool.at(stream.packet);
          packet.hops = hops;
          if (recovering) packet.packet_class = PacketClass::recovery;
        }
      }
      for (Side* side : {&fast_, &full_})
        side->rig.arrive(side->rig.now + side->rig.in[p]->ready_after() + 1, p, vc, stream.packet,
                         stream.sequence);
      ++stream.sequence;
    }
  }
  /// Stops a packet: no more of its flits come.
  void stop(PacketIndex packet) {
    for (Stream& stream : streams_) {
      if (stream.packet == packet) stream.sequence = stream.flits;
    }
  }
  /// Applies one random disturbance between two cycles.
  void trouble() {
    const Cycle last = fast_.rig.now - 1;
    const auto port = static_cast<unsigned>(random_.below(config_.ports));
    const auto vc = static_cast<unsigned>(random_.below(config_.channel.vcs));
    // Suspension is left out where heads route without a look-up: such heads cannot be suspended.
    const auto kind = random_.below(answers_ == Answers::at_once ? 7 : 9);
    if (kind > 6) suspended_ = !suspended_;
    const bool down = random_.below(2) == 0;
    const auto drawn = static_cast<PacketIndex>(random_.below(serial_ + 1));
    const VcView view = fast_.rig.state->view(port, vc);
    const PacketIndex packet = view.state == VcState::idle ? drawn : view.packet;
    if (kind < 3) stop(packet);
    for (Side* side : {&fast_, &full_}) {
      Rig& rig = side->rig;
      rig.woken = true;
      if (kind < 3) {
        if (packet < serial_) side->purge(packet);
      } else if (kind == 3) {
        rig.state->route_again(port, vc, last);
      } else if (kind == 4) {
        side->exchange_routing();
      } else if (kind > 6) {
        rig.state->suspend(suspended_, last);
      } else {
        rig.out[port]->set_down(down, last);
        rig.state->route_all_again(last);
      }
    }
  }

  CounterRandom random_;
  const RigConfig config_;
  const double load_, stalls_, troubles_;
  const Answers answers_;
  const bool recovers_;
  Side fast_, full_;
  std::vector<Stream> streams_;
  std::uint32_t serial_ = 0;
  bool suspended_ = false;
};

void compare(unsigned first, unsigned last) {
  std::uint64_t flits = 0, recoveries = 0, by_hops = 0, reads = 0, occupied_buffers = 0, waiting_outputs = 0;
  std::uint64_t recoveries_of_predicting = 0, hits_of_recovering = 0;
  for (unsigned seed = first; seed < last; ++seed) {
    CounterRandom random(seed, 1);
    const RigConfig config = draw_config(random);
    Pair pair(config, seed);
    const Cycle differ = pair.run(400);
    CAPTURE(seed, pair.one, pair.other);
    REQUIRE(differ == never);
    flits += pair.counters().flits;
    recoveries += pair.counters().recoveries;
    REQUIRE(pair.timed_out() == pair.counters().recoveries);
    by_hops += pair.counters().recoveries_by_hops;
    reads += pair.table_reads();
    occupied_buffers += pair.occupied_buffers();
    waiting_outputs += pair.waiting_outputs();
    if (config.router.prediction.on()) recoveries_of_predicting += pair.counters().recoveries;
    if (pair.recovers()) hits_of_recovering += pair.hits();
  }
  CHECK(flits > 40 * (last - first));  // they have been busy
  CHECK(recoveries > (last - first) / 2);
  CHECK(by_hops > (last - first) / 2);
  CHECK(reads > 2 * (last - first));
  CHECK(occupied_buffers > 10 * (last - first));
  CHECK(waiting_outputs > 10 * (last - first));
  CHECK(recoveries_of_predicting > (last - first) / 4);
  CHECK(hits_of_recovering > (last - first) / 15);  // none in kill with an answer that comes late
}

}  // namespace

TEST_CASE("both drivers do the same in every cycle") {
  compare(1, 250);
}

TEST_CASE("both drivers do the same over tens of thousands of configurations", "[.][long]") {
  compare(250, 40000);
}

TEST_CASE("the fast driver is chosen for routers without rare options") {
  const auto takes = [](const auto& change) {
    RigConfig config;
    change(config);
    const Rig rig(config);
    return dynamic_cast<const FullVcRouter*>(rig.state.get()) == nullptr;
  };
  CHECK(takes([](RigConfig&) {}));
  CHECK(takes([](RigConfig& c) { c.router.switching = Switching::virtual_cut_through; }));
  CHECK(takes([](RigConfig& c) { c.router.atomic_vcs = true; }));
  CHECK(takes([](RigConfig& c) { c.router.va_cycles = 3; }));
  CHECK(takes([](RigConfig& c) { c.router.va_allocator = "matrix"; }));
  CHECK_FALSE(takes([](RigConfig& c) { c.router.va_input_arbiter = VaInputArbiter::ports_and_vcs; }));
  CHECK(takes([](RigConfig& c) { c.ports = 63, c.channel.vcs = 1; }));
  // A router with its own times has a driver of another type than one without.
  const auto timed = [](const auto& change) {
    RigConfig config;
    const Rig without(config);
    change(config.router);
    const Rig with(config);
    const VcRouter &one = *without.state, &other = *with.state;
    return dynamic_cast<const FullVcRouter*>(&other) == nullptr && typeid(one) != typeid(other);
  };
  CHECK_FALSE(timed([](VcRouterConfig&) {}));
  CHECK(timed([](VcRouterConfig& c) { c.vc_change_cycles = 1; }));
  CHECK(timed([](VcRouterConfig& c) { c.block_timeout_cycles = 64; }));
  CHECK(timed([](VcRouterConfig& c) { c.hop_limit = 64; }));
  const auto takes_for = [](bool reads_waiting) {
    const Drawn drawn(3, 1, false, 1, reads_waiting);
    lookup::LocalLookup lookup(drawn, 1);
    const Rig rig({}, &lookup);
    return dynamic_cast<const FullVcRouter*>(rig.state.get()) == nullptr;
  };
  CHECK(takes_for(false));
  CHECK_FALSE(takes_for(true));
  CHECK(takes([](RigConfig& c) {
    c.router.prediction.kind = "straight";
    c.router.block_timeout_cycles = 64;
  }));
  const auto predicts = [&](const std::string& kind, const auto& change) {
    return takes([&](RigConfig& c) {
      c.router.prediction.kind = kind;
      change(c.router.prediction);
    });
  };
  CHECK(predicts("straight", [](PredictionConfig&) {}));
  CHECK(predicts("last_destination", [](PredictionConfig&) {}));
  CHECK_FALSE(predicts("oracle", [](PredictionConfig&) {}));
  CHECK_FALSE(predicts("up", [](PredictionConfig& p) { p.check = PredictionCheck::hint; }));
  CHECK_FALSE(predicts("straight", [](PredictionConfig& p) { p.check = PredictionCheck::wait; }));
  CHECK_FALSE(predicts("straight", [](PredictionConfig& p) { p.check = PredictionCheck::leak; }));
  // One index of the word is for the credits of parked heads.
  CHECK_FALSE(takes([](RigConfig& c) { c.ports = 4, c.channel.vcs = 16; }));
  CHECK_FALSE(takes([](RigConfig& c) { c.router.switching = Switching::store_and_forward; }));
  CHECK_FALSE(takes([](RigConfig& c) { c.router.va_cycles = 0; }));
  CHECK_FALSE(takes([](RigConfig& c) { c.router.sa_allocator = "matrix"; }));
  CHECK(takes([](RigConfig& c) { c.router.va_allocators.of<IslipConfig>().islip_iterations = 2; }));
  CHECK_FALSE(takes([](RigConfig& c) { c.router.sa_allocators.of<IslipConfig>().islip_iterations = 2; }));
  CHECK_FALSE(takes([](RigConfig& c) { c.router.input_speedup = 2; }));
  CHECK_FALSE(takes([](RigConfig& c) { c.router.switch_hold = SwitchHold::packet; }));
  CHECK_FALSE(takes([](RigConfig& c) { c.router.route_at = RouteAt::arrival; }));
  CHECK_FALSE(takes([](RigConfig& c) { c.channel.flit_cycles = 2; }));
}
