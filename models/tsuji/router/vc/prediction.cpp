// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/vc/prediction.h"

#include <algorithm>
#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::router {

namespace {

Cycle longest_flit(const std::vector<RouterPort>& ports) {
  Cycle cycles = 1;
  for (const RouterPort& port : ports)
    if (port.out != nullptr) cycles = std::max(cycles, port.out->flit_cycles());
  return cycles;
}

/// Virtual channels that only packets in recovery use, by the tables of any generation: all but those that
/// packets are injected into.
routing::VcMask spared_vcs(const routing::Routing* routing) {
  if (routing == nullptr || routing->recovery() == nullptr) return 0;
  return static_cast<routing::VcMask>(~routing->injection_vcs({}, {}));
}

}  // namespace

ArenaPtr<Prediction> make_prediction(const VcRouterConfig& config, graph::RouterId id,
                                     const std::vector<RouterPort>& ports, const RouterParts& parts,
                                     const VcAllocation& va) {
  const PredictionConfig& prediction = config.prediction;
  if (!prediction.on()) return nullptr;
  const PredictorTable table = prediction.kinds.traits(prediction.kind).table;
  PredictorParts own{static_cast<unsigned>(ports.size()), {}, *parts.arena};
  if (table != PredictorTable::none) own.table = parts.predictor_table(id, table);
  own.table.resize(ports.size(), no_port);
  const bool hints = prediction.check == PredictionCheck::hint;
  if (hints && (parts.routing == nullptr || parts.routing->hints() == nullptr))
    throw ModelError("router " + std::to_string(id),
                     "mispredicted flits are suppressed by hint bits, and the packet has none");
  return make_in<Prediction>(
      *parts.arena,
      Prediction::Parts{config, va, ports, prediction.kinds.make(prediction.kind, own), id,
                        hints ? parts.routing->hints() : nullptr, spared_vcs(parts.routing), *parts.arena});
}

Prediction::Prediction(Parts parts)
    : crossbar_(static_cast<unsigned>(parts.ports.size()), parts.arena, parts.config.predicted_lead_cycles(),
                longest_flit(parts.ports)),
      predictors_(std::move(parts.predictors)),
      va_(parts.va),
      config_(parts.config),
      flit_cycles_(parts.arena.array<std::uint16_t>(parts.ports.size())),
      kept_for_(parts.arena.array<IndexOrNone<std::uint16_t>>(parts.ports.size())),
      last_vc_(parts.arena.array<std::uint8_t>(parts.ports.size())),
      remembered_(config_.prediction.serial || config_.prediction.check == PredictionCheck::wait
                      ? parts.arena.array<IndexOrNone<std::uint16_t>>(parts.ports.size())
                      : nullptr),
      early_(config_.prediction.serial ? parts.arena.array<std::uint32_t>(parts.ports.size()) : nullptr),
      leaks_(config_.prediction.leaks() ? parts.arena.array<Leak>(parts.ports.size()) : nullptr),
      lead_cycles_(config_.predicted_lead_cycles()),
      hints_(parts.hints),
      spared_vcs_(parts.spared_vcs),
      router_(parts.router),
      ports_(static_cast<unsigned>(parts.ports.size())),
      reads_coming_(config_.prediction.kinds.traits(config_.prediction.kind).reads_coming),
      counters_(parts.arena.array<PredictionCounters>(parts.ports.size())) {
  for (unsigned port = 0; port < ports_; ++port) {
    if (const FlitChannel* const in = parts.ports[port].in; in != nullptr) {
      look_ |= bit(port);
      if (early_ != nullptr) early_[port] = static_cast<std::uint32_t>(config_.early_cycles(*in));
    }
    if (parts.ports[port].out != nullptr)
      flit_cycles_[port] = static_cast<std::uint16_t>(parts.ports[port].out->flit_cycles());
  }
  tries_.reserve(ports_);
}

/// Examines the ports whose tail has left. A port that is not quiet yet is examined again after its next
/// tail.
void Prediction::look(Cycle now) {
  for (std::uint64_t rest = std::exchange(look_, 0); rest != 0; rest &= rest - 1) {
    const auto port = static_cast<unsigned>(__builtin_ctzll(rest));
    if (!quiet(port, now)) continue;
    quiet_ |= bit(port);
    crossbar_.want(port, predicted(port, nullptr));
  }
}

/// Predicted output of a port. With hints, only outputs are predicted that a hint can confirm.
unsigned Prediction::predicted(unsigned port, const routing::RouteSet* coming) const {
  const unsigned output = predictors_->predict(port, coming);
  return output == no_port || hints_ == nullptr || hints_->may_confirm(router_, port, output) ? output
                                                                                              : no_port;
}

/// Returns true if the input had neither packet nor flit in the last cycle.
bool Prediction::quiet(unsigned port, Cycle now) const {
  const OutputPort& own = outputs_[port];
  for (unsigned v = 0; v < own.in_vcs; ++v) {
    const InputVc& vc = vcs_[own.first_in + v];
    if (vc.state != VcState::idle || (vc.front().holds_flit() && vc.front().cycle() - early(port) < now))
      return false;
  }
  return true;
}

/// Virtual channel of the output that a packet can be allocated now, with a credit: that of the input's last
/// head if possible, otherwise the next one in turn. `no_port`: none.
unsigned Prediction::usable_vc(unsigned input, unsigned output, unsigned flits, Cycle now) const {
  const OutputPort& out = outputs_[output];
  if (out.all_vcs == 0 || out.sender.down()) return no_port;
  const auto vcs = static_cast<unsigned>(__builtin_popcount(out.all_vcs));
  const unsigned free = out.to_node ? out.free_vcs : out.free_vcs & ~unsigned{spared_vcs_};
  unsigned v = last_vc_[input];
  for (unsigned i = 0; i < vcs; ++i, ++v) {
    if (v >= vcs) v %= vcs;
    // The tail of a flit that won the switch frees its virtual channel before it reaches the output.
    if ((free >> v & 1U) != 0 && va_.takes_packet_from(out, v, flits) <= now &&
        out.sender.leaves_last(out.sender.ring(v), now - lead_cycles_))
      return v;
  }
  return no_port;
}

bool Prediction::try_head(const InputVc& vc, const Coming& coming, Cycle now) {
  if (reads_coming_) {
    crossbar_.want(vc.port, predicted(vc.port, &coming.routes));
    crossbar_.begin(now);
  }
  const unsigned output = crossbar_.wanted(vc.port);
  const unsigned out_vc = output == no_port ? no_port : usable_vc(vc.port, output, coming.flits, now);
  if (out_vc == no_port) {
    count(vc, output == no_port ? PredictionOutcome::not_predicted : PredictionOutcome::no_room, now);
    crossbar_.want(vc.port, no_port);
    return false;
  }
  try_flit(vc, output, out_vc);
  Try& one = tries_.back();
  one.head = true;
  one.known = coming.known;
  one.right = right(vc, one, coming.routes);
  if (hints_ != nullptr) {
    const bool confirmed = hints_->confirms(coming.query, output);
    if (confirmed && !one.right)
      throw ModelError("router " + std::to_string(router_), now, packet_name(coming.query.packet),
                       "its hint sends it by port " + std::to_string(output) + ", and its route does not");
    one.right = confirmed;
  }
  return true;
}

void Prediction::try_flit(const InputVc& vc, unsigned out_port, unsigned out_vc) {
  Try one;
  one.input_vc = vc.number;
  one.port = vc.port;
  one.out_port = static_cast<std::uint16_t>(out_port);
  one.out_vc = static_cast<std::uint8_t>(out_vc);
  tries_.push_back(one);
}

bool Prediction::try_kept(const InputVc& vc) {
  if (!keeps(vc)) return false;
  try_flit(vc, vc.out_port, vc.out_vc);
  return true;
}

bool Prediction::try_leak(const InputVc& vc, const Leak& leak) {
  if (kept_for_[vc.port] != vc.number || crossbar_.wanted(vc.port) != leak.out_port) return false;
  try_flit(vc, leak.out_port, leak.out_vc);
  return true;
}

Prediction::Leak& Prediction::open_leak(const Try& one) {
  Leak& leak = leaks_[one.port];
  leak.input_vc = one.input_vc;
  leak.crossed = 0;
  leak.out_port = static_cast<std::uint8_t>(one.out_port);
  leak.out_vc = one.out_vc;
  leak.right = one.right;
  leak.goes_on = true;
  ++open_leaks_;
  return leak;
}

/// The route is compared only if the output is still held; otherwise the try is lost anyway.
Prediction::Try::Fate Prediction::judge(const Try& one, bool first, Cycle now) const {
  if (crossbar_.held(one.port, now, flit_cycles_[one.out_port]) != one.out_port) return Try::Fate::lost;
  return first && one.known && !one.right ? Try::Fate::wrong : Try::Fate::open;
}

bool Prediction::right(const InputVc& vc, const Try& one, const routing::RouteSet& routes) const {
  const OutputPort& output = outputs_[one.out_port];
  if (one.out_port == vc.port && !(output.to_node ? config_.uturn_node : config_.uturn_network)) return false;
  for (const routing::RouteCandidate& candidate : routes) {
    if (candidate.port == one.out_port && (output.to_node || (candidate.vcs >> one.out_vc & 1U) != 0))
      return true;
  }
  return false;
}

void Prediction::fail(const Try& one, Cycle now) {
  give_up(one.port);
  if (one.head)
    count(vcs_[one.input_vc],
          one.fate == Try::Fate::wrong ? PredictionOutcome::wrong : PredictionOutcome::lost, now);
}

void Prediction::take(const Try& one, Cycle now) {
  if (one.head) {
    count(vcs_[one.input_vc], one.right ? PredictionOutcome::hit : PredictionOutcome::wrong, now);
    crossbar_.keep(one.port);
    kept_for_[one.port] = one.input_vc;
    last_vc_[one.port] = one.out_vc;
    if (one.right) save(vcs_[one.input_vc], early(one.port) + config_.va_cycles + lead_cycles_);
  } else {
    ++counters_[one.port].kept_flits;
  }
  crossbar_.cross(one.port, one.out_port, now, now, flit_cycles_[one.out_port]);
}

}  // namespace tsuji::router
