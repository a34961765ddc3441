// SPDX-License-Identifier: Apache-2.0
#include "tsuji/pins/pin_router.h"

#include <algorithm>
#include <array>
#include <deque>
#include <fstream>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/link/flit_pins.h"
#include "tsuji/lookup/local_lookup.h"
#include "tsuji/lookup/ported_table.h"
#include "tsuji/pins/cube_routes.h"
#include "tsuji/router/vc/vc_router.h"

namespace tsuji::router {
namespace {

constexpr bool bit(std::uint64_t vector, unsigned lane) {
  return (vector >> lane & 1U) != 0;
}

/// Bits for numbers below `count`, at least `least`.
unsigned bits_for(unsigned count, unsigned least) {
  unsigned bits = least;
  while ((count - 1U) >> bits != 0) ++bits;
  return bits;
}

}  // namespace

unsigned PinRouterConfig::vc_bits() const {
  return bits_for(vcs, 1);
}

unsigned PinRouterConfig::row_bits() const {
  return node_bits + (by_coordinates() ? 1 : bits_for(candidates, 0)) + (predicts_by_table() ? 1 : 0);
}

bool PinRouterConfig::predicts_by_table() const {
  return config.prediction.kinds.traits(config.prediction.kind).table != PredictorTable::none;
}

std::size_t PinRouterConfig::row_index(std::uint64_t row) const {
  const std::uint64_t of_inputs = std::uint64_t{1} << (row_bits() - 1);
  if (predicts_by_table() && row >= of_inputs)
    return std::min<std::size_t>(route_rows() + (row - of_inputs), rows());
  if (by_coordinates()) return row >= nodes() ? nodes() : static_cast<std::size_t>(row);
  return row < route_rows() ? static_cast<std::size_t>(row) : rows();
}

unsigned PinRouterConfig::output_vcs(unsigned in_port, unsigned node, unsigned candidate) const {
  const unsigned port = output(node, candidate), all = (1U << vcs) - 1U;
  if (port >= ports) return 0;
  const bool to_node = (node_ports >> port & 1U) != 0;
  if (port == in_port && !(to_node ? config.uturn_node : config.uturn_network)) return 0;
  return to_node ? all : row(node, candidate) >> 16 & all;
}

bool PinRouterConfig::has_route(unsigned in_port, unsigned node) const {
  unsigned vcs_of_all = 0;
  for (unsigned c = 0; c < candidates; ++c) vcs_of_all |= output_vcs(in_port, node, c);
  return vcs_of_all != 0;
}

std::vector<std::uint32_t> read_routes(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; file >> std::hex >> row;) rows.push_back(row);
  if (!file.eof() || rows.empty())
    throw ConfigError("routes", path, "no file of rows", "hexadecimal numbers");
  return rows;
}

/// Routes of the table's rows. A head without a route has no candidate.
class PinRouter::Table final : public routing::Routing {
 public:
  explicit Table(const PinRouterConfig& config) : config_(config) {}
  void route(const routing::RouteQuery& query, routing::RouteSet& candidates) const override {
    candidates.clear();
    const NodeId node = query.destination.node();
    unsigned rank = 0;
    for (unsigned c = 0; c < config_.candidates; ++c) {
      if (c != 0 && config_.is_lesser(node, c)) ++rank;
      const unsigned vcs = config_.output_vcs(query.in_port, node, c);
      if (vcs != 0) candidates.add(config_.output(node, c), static_cast<routing::VcMask>(vcs), rank);
    }
  }
  routing::VcMask injection_vcs(End, End) const override { return routing::vc_range(0, config_.vcs); }
  unsigned vcs_needed() const override { return 1; }
  unsigned max_candidates() const override { return config_.candidates; }

 private:
  const PinRouterConfig& config_;
};

/// The beginning of an input's channel. A flit at the pins can be acted upon in its cycle, so it was decided
/// upon in the one before; but its place may have been freed in that.
struct PinRouter::Input final : FlitProbe {
  Input(const FlitChannelConfig& config, Arena& arena)
      : channel(config), calendar(arena, config.vcs, 1), sequences(config.vcs) {
    channel.bind_sender({}, calendar, 0, sender);
    channel.set_probe(this);
  }
  void take(Cycle now, unsigned vc, PacketIndex packet, bool head, bool tail) {
    Flit flit;
    flit.packet = packet;
    flit.sequence = head ? std::uint16_t{0} : sequences[vc];
    flit.flags = static_cast<std::uint8_t>(Flit::is_flit | (head ? Flit::head : 0) | (tail ? Flit::tail : 0));
    sequences[vc] = static_cast<std::uint16_t>(flit.sequence + 1);
    FlitSlot slot;
    slot.fill(flit, 0);
    sender.send(now, now - 1, channel.ring(vc), slot.identity(), slot.sequence());
  }
  void on_flit(const FlitChannel&, unsigned, const Flit&, Cycle, Cycle) override {}
  void on_credit(const FlitChannel&, unsigned vc, Cycle, Cycle) override { freed |= std::uint64_t{1} << vc; }

  FlitChannel channel;
  ArrivalCalendar calendar;
  FlitSender sender;
  std::vector<std::uint16_t> sequences;  ///< [vc]: of the next flit
  std::uint64_t freed = 0;               ///< places of virtual channels, in this cycle
};

/// The model's router with its channels.
struct PinRouter::Life final : RouterEvents {
  struct Word {
    std::uint64_t destination, data;
  };

  Life(const PinRouterConfig& config, const routing::Routing& routing)
      : lookup(make_lookup(config, routing)),
        blocked(config.ports),
        packets(config.lines()),
        inside(config.lines()),
        counted(config.ports) {
    FlitChannelConfig channel;
    channel.vcs = config.vcs;
    channel.depth_flits = config.buffer_flits;
    channel.credit_latency_cycles = 0;
    std::vector<RouterPort> ports(config.ports);
    for (unsigned p = 0; p < config.ports; ++p) {
      channel.latency_cycles = 1;
      channel.credit_process_cycles = 0;
      in.push_back(std::make_unique<Input>(channel, arena));
      // The pins are in front of the wires.
      channel.latency_cycles = 0;
      channel.credit_process_cycles = config.credit_cycles;
      out.push_back(std::make_unique<FlitChannel>(channel));
      drivers.push_back(std::make_unique<FlitPinDriver>(*out[p], Waker(), arena));
      ports[p] = {&in[p]->channel, out[p].get(), bit(config.node_ports, p)};
    }
    RouterParts parts{pool, *lookup};
    if (config.recovers()) parts.routing = &routing;
    parts.events = this;
    parts.arena = &arena;
    parts.max_candidates = config.candidates;
    parts.predictor_table = [&config](graph::RouterId, PredictorTable) {
      std::vector<unsigned> outputs;
      for (unsigned p = 0; p < config.ports; ++p)
        outputs.push_back(config.predicted(p) < config.ports ? config.predicted(p) : no_port);
      return outputs;
    };
    router = make_vc_router(config.config, 0, ports, parts);
    router->bind(Waker());
  }

  /// Detour-UD's table has two read ports; other routes are known after route computation.
  static std::unique_ptr<RouteLookup> make_lookup(const PinRouterConfig& config,
                                                  const routing::Routing& routing) {
    if (!config.recovers()) return std::make_unique<lookup::LocalLookup>(routing, config.rc_cycles);
    lookup::PortedTableTiming timing;
    timing.rc_cycles = config.rc_cycles;
    timing.table_cycles = config.table_cycles;
    return std::make_unique<lookup::PortedTable>(routing, timing,
                                                 std::vector<unsigned>(config.ports, config.vcs));
  }
  void on_blocked(graph::RouterId, unsigned port, unsigned vc, PacketIndex, Cycle) override {
    blocked[port] |= std::uint64_t{1} << vc;
  }
  void on_no_route(graph::RouterId, unsigned, unsigned, PacketIndex, Cycle) override { no_route = true; }

  Arena arena;
  PacketPool pool;
  const std::unique_ptr<RouteLookup> lookup;
  std::vector<std::unique_ptr<Input>> in;
  std::vector<std::unique_ptr<FlitChannel>> out;
  std::vector<std::unique_ptr<FlitPinDriver>> drivers;
  ArenaPtr<VcRouter> router;
  /// [packet] contents of its flits, which the model does not carry.
  std::vector<std::deque<Word>> words;
  std::vector<std::uint64_t> blocked;       ///< [port] in this cycle: PinRouterOutputs::blocked
  std::vector<PacketIndex> packets;         ///< [input VC] the packet whose flits arrive
  std::vector<bool> inside;                 ///< [input VC] that packet's tail has not arrived
  std::vector<PredictionCounters> counted;  ///< [port] before this cycle
  bool no_route = false;
};

PinRouter::PinRouter(const PinRouterConfig& config) : config_(config) {
  config_.config.validate();
  config_.routes.resize(config_.rows());
  routing_ = make_routing(config_);
  life_ = std::make_unique<Life>(config_, *routing_);
}

PinRouter::~PinRouter() = default;

std::unique_ptr<const routing::Routing> PinRouter::make_routing(const PinRouterConfig& config) {
  if (config.by_coordinates()) return std::make_unique<CubeRoutes>(config);
  return std::make_unique<Table>(config);
}

void PinRouter::edge(const PinRouterInputs& in, PinRouterOutputs& out) {
  if (in.reset) {
    if (const std::size_t row = config_.row_index(in.table_row);
        in.table_valid && row < config_.routes.size())
      config_.routes[row] = static_cast<std::uint32_t>(in.table_entry);
    life_ = std::make_unique<Life>(config_, *routing_);
    stopped_ = false;
  } else if (!stopped_) {
    stopped_ = breaks_rules(in);
    if (!stopped_) {
      take_inputs(in);
      life_->router->visit_timeouts(
          now_, [this](unsigned port, unsigned vc) { life_->blocked[port] |= std::uint64_t{1} << vc; });
      life_->router->advance(now_);
      stopped_ = life_->no_route;
    }
  }
  ++now_;
  out.error = stopped_;
  for (unsigned p = 0; p < config_.ports; ++p) {
    out.flits[p] = {};
    out.credits[p] = out.blocked[p] = 0;
    out.outcomes[p] = 0;
    out.kept[p] = false;
    if (stopped_) continue;
    show_port(p, out);
    if (config_.predicts()) show_prediction(p, out);
  }
}

bool PinRouter::breaks_rules(const PinRouterInputs& in) const {
  for (unsigned p = 0; p < config_.ports; ++p) {
    if (in.flits[p].valid && flit_breaks_rules(in.flits[p], p)) return true;
    for (unsigned v = 0; v < config_.vcs; ++v)
      if (bit(in.credits[p], v) && !life_->out[p]->ring(v).front().holds_flit()) return true;
  }
  return false;
}

bool PinRouter::flit_breaks_rules(const PinRouterFlit& flit, unsigned port) const {
  return flit.vc >= config_.vcs || life_->in[port]->channel.ring(flit.vc).credit_at() > now_ ||
         flit.head == life_->inside[port * config_.vcs + flit.vc];
}

void PinRouter::take_inputs(const PinRouterInputs& in) {
  Life& life = *life_;
  for (unsigned p = 0; p < config_.ports; ++p) {
    life.drivers[p]->take_credits(now_, static_cast<std::uint32_t>(in.credits[p]));
    const PinRouterFlit& flit = in.flits[p];
    if (!flit.valid) continue;
    const unsigned line = p * config_.vcs + flit.vc;
    life.inside[line] = !flit.tail;
    if (flit.head) {
      PacketRef packet = life.pool.make_bare();
      packet.edit().source = line;
      packet.edit().destination = static_cast<NodeId>(flit.destination & (config_.nodes() - 1U));
      if (config_.recovers()) {
        const std::uint64_t rest = flit.destination >> config_.node_bits;
        if ((rest & 1U) != 0) packet.edit().packet_class = PacketClass::recovery;
        packet.edit().hops = static_cast<std::uint16_t>(rest >> 1);
      }
      life.packets[line] = packet.detach();
      if (life.words.size() <= life.packets[line]) life.words.resize(life.packets[line] + 1);
    }
    life.words[life.packets[line]].push_back({flit.destination, flit.data});
    life.in[p]->take(now_, flit.vc, life.packets[line], flit.head, flit.tail);
  }
}

void PinRouter::show_port(unsigned port, PinRouterOutputs& out) {
  out.credits[port] = std::exchange(life_->in[port]->freed, 0);
  out.blocked[port] = std::exchange(life_->blocked[port], 0);
  const PinFlit flit = life_->drivers[port]->drive(now_);
  if (!flit.valid) return;
  std::deque<Life::Word>& words = life_->words[flit.packet];
  out.flits[port] = {true, flit.head, flit.tail, flit.vc, words.front().destination, words.front().data};
  words.pop_front();
  if (flit.head && config_.recovers()) {
    const Packet& packet = life_->pool.at(flit.packet);
    const std::uint64_t hops = std::min<std::uint64_t>(packet.hops, config_.most_hops());
    const std::uint64_t in_recovery = packet.packet_class == PacketClass::recovery ? 1 : 0;
    out.flits[port].destination = packet.destination.node() | (hops << 1 | in_recovery) << config_.node_bits;
  }
  if (flit.tail) life_->pool.attach(flit.packet).reset();
}

/// Outcomes that prediction has counted in this cycle.
void PinRouter::show_prediction(unsigned port, PinRouterOutputs& out) {
  const PredictionCounters now = life_->router->prediction_counters_at(port);
  PredictionCounters& before = life_->counted[port];
  const auto heads = [&](PredictionOutcome outcome) {
    const auto of = static_cast<std::size_t>(outcome);
    return static_cast<unsigned>(now.visits[of] - before.visits[of]);
  };
  constexpr std::array<std::pair<PredictionOutcome, unsigned>, 6> codes = {
      {{PredictionOutcome::hit, 1},
       {PredictionOutcome::wrong, 2},
       {PredictionOutcome::lost, 3},
       {PredictionOutcome::no_room, 4},
       {PredictionOutcome::not_idle, 5},
       {PredictionOutcome::not_predicted, 7}}};
  for (const auto& [outcome, code] : codes)
    if (heads(outcome) != 0) out.outcomes[port] = code + heads(outcome) - 1;
  out.kept[port] = now.kept_flits != before.kept_flits;
  before = now;
}

}  // namespace tsuji::router
