#include "tsuji/router/prediction/prediction.h"

#include <algorithm>
#include <utility>

namespace tsuji::router {

Prediction::Prediction(Parts parts)
    : crossbar_(static_cast<unsigned>(parts.ports.size()), parts.arena),
      quiet_(parts.arena.array<std::uint64_t>(parts.ports.size() / 64 + 1)),
      look_(parts.arena.array<std::uint64_t>(parts.ports.size() / 64 + 1)),
      predictors_(std::move(parts.predictors)),
      va_(parts.va),
      config_(parts.config),
      flit_cycles_(parts.arena.array<std::uint16_t>(parts.ports.size())),
      kept_for_(parts.arena.array<std::uint16_t>(parts.ports.size())),
      last_vc_(parts.arena.array<std::uint8_t>(parts.ports.size())),
      sa_cycles_(parts.config.sa_cycles),
      ports_(static_cast<unsigned>(parts.ports.size())),
      reads_coming_(config_.prediction.kinds.traits(config_.prediction.kind).reads_coming) {
  for (unsigned port = 0; port < ports_; ++port) {
    if (parts.ports[port].in != nullptr) look_[port / 64] |= std::uint64_t{1} << (port % 64);
    if (parts.ports[port].out != nullptr)
      flit_cycles_[port] = static_cast<std::uint16_t>(parts.ports[port].out->flit_cycles());
  }
  tries_.reserve(ports_);
}

void Prediction::begin(Cycle now) {
  for (unsigned word = 0; word * 64 < ports_; ++word) {
    for (std::uint64_t rest = std::exchange(look_[word], 0); rest != 0; rest &= rest - 1) {
      const unsigned port = word * 64 + static_cast<unsigned>(__builtin_ctzll(rest));
      if (!quiet(port, now)) continue;  // its next tail has it looked at again
      quiet_[word] |= rest & -rest;
      crossbar_.want(port, predictors_->predict(port, nullptr));
    }
  }
  crossbar_.begin(now);
}

/// No packet and no flit was at the input in the cycle before.
bool Prediction::quiet(unsigned port, Cycle now) const {
  const OutputPort& own = outputs_[port];
  for (unsigned v = 0; v < own.in_vcs; ++v) {
    const InputVc& vc = vcs_[own.first_in + v];
    if (vc.state != VcState::idle || (vc.front().holds_flit() && vc.front().cycle() < now)) return false;
  }
  return true;
}

/// A virtual channel of the output that a packet could take now, with a credit: that of the input's last head
/// if it can, else the next one. `no_port`: none.
unsigned Prediction::usable_vc(unsigned input, unsigned output, unsigned flits, Cycle now) const {
  const OutputPort& out = outputs_[output];
  if (out.all_vcs == 0 || out.sender.down()) return no_port;
  const auto vcs = static_cast<unsigned>(__builtin_popcount(out.all_vcs));
  for (unsigned i = 0; i < vcs; ++i) {
    const unsigned v = (last_vc_[input] + i) % vcs;
    // A tail that won the switch has freed its virtual channel before it comes to the output.
    if ((out.free_vcs >> v & 1U) != 0 && va_.takes_packet_from(out, v, flits) <= now &&
        out.sender.leaves_last(out.sender.ring(v), now - sa_cycles_))
      return v;
  }
  return no_port;
}

bool Prediction::try_head(const InputVc& vc, unsigned flits, Cycle now) {
  if (!is_quiet(vc.port)) {
    count(PredictionOutcome::not_idle);
    return false;
  }
  quiet_[vc.port / 64] &= ~(std::uint64_t{1} << (vc.port % 64));
  if (reads_coming_) {
    routing::RouteSet coming;
    for (unsigned c = 0; c < vc.candidates; ++c)
      coming.add(va_.candidates(vc)[c].port, va_.candidates(vc)[c].vcs);
    crossbar_.want(vc.port, predictors_->predict(vc.port, &coming));
    crossbar_.begin(now);
  }
  const unsigned output = crossbar_.wanted(vc.port);
  const unsigned out_vc = output == no_port ? no_port : usable_vc(vc.port, output, flits, now);
  if (out_vc == no_port) {
    count(output == no_port ? PredictionOutcome::not_predicted : PredictionOutcome::no_room);
    crossbar_.want(vc.port, no_port);
    return false;
  }
  Try one;
  one.head = true;
  one.line = vc.number;
  one.port = vc.port;
  one.out_port = static_cast<std::uint16_t>(output);
  one.out_vc = static_cast<std::uint8_t>(out_vc);
  tries_.push_back(one);
  return true;
}

bool Prediction::try_kept(const InputVc& vc) {
  if (!keeps(vc)) return false;
  Try one;
  one.line = vc.number;
  one.port = vc.port;
  one.out_port = vc.out_port;
  one.out_vc = vc.out_vc;
  tries_.push_back(one);
  return true;
}

/// A route is looked at only where the output is held: else nothing was tried.
Prediction::Try::Fate Prediction::judge(const Try& one, bool first, Cycle now) const {
  if (crossbar_.held(one.port, now, flit_cycles_[one.out_port]) != one.out_port) return Try::Fate::lost;
  return first && one.head && !right(one) ? Try::Fate::wrong : Try::Fate::open;
}

bool Prediction::right(const Try& one) const {
  const InputVc& vc = vcs_[one.line];
  if (one.out_port == vc.port && !(outputs_[vc.port].to_node ? config_.uturn_node : config_.uturn_network))
    return false;
  const routing::RouteCandidate* const candidates = va_.candidates(vc);
  return std::any_of(candidates, candidates + vc.candidates, [&](const routing::RouteCandidate& candidate) {
    return candidate.port == one.out_port && (candidate.vcs >> one.out_vc & 1U) != 0;
  });
}

void Prediction::fail(const Try& one) {
  give_up(one.port);
  if (one.head) count(one.fate == Try::Fate::wrong ? PredictionOutcome::wrong : PredictionOutcome::lost);
}

void Prediction::take(const Try& one, Cycle now) {
  if (one.head) {
    count(PredictionOutcome::hit);
    crossbar_.keep(one.port);
    kept_for_[one.port] = static_cast<std::uint16_t>(one.line + 1);
    last_vc_[one.port] = one.out_vc;
  } else {
    ++counters_.kept_flits;
  }
  crossbar_.cross(one.port, one.out_port, now, now, flit_cycles_[one.out_port]);
}

}  // namespace tsuji::router
