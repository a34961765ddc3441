// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/vc/fast_predicting_router.h"

namespace tsuji::router {
namespace {

const routing::RouteSet no_routes{};

}  // namespace

void FastPredictingRouter::step(Cycle now) {
  alarm_.set(now, run_cycle(*this, now));
}

Cycle FastPredictingRouter::advance(Cycle now) {
  return run_cycle(*this, now);
}

[[gnu::always_inline]] inline bool FastPredictingRouter::begin(InputVc& vc, const FlitSlot& front,
                                                               Cycle now) {
  return begin_head(*this, vc, front, now);
}

void FastTimedPredictingRouter::step(Cycle now) {
  alarm_.set(now, run_cycle(*this, now));
}

Cycle FastTimedPredictingRouter::advance(Cycle now) {
  return run_cycle(*this, now);
}

[[gnu::always_inline]] inline bool FastTimedPredictingRouter::begin(InputVc& vc, const FlitSlot& front,
                                                                    Cycle now) {
  return begin_head(*this, vc, front, now);
}

/// A guess whose route is not known in time is wrong, as one without a route is.
[[gnu::always_inline]] inline bool FastPredictingRouter::tries(const InputVc& vc, const Packet& packet,
                                                               const routing::RouteSet& routes, Cycle now) {
  if (!may_predict(packet)) {
    prediction_->decline(vc, now);
    return false;
  }
  if (vc.ready != never && vc.candidates == 0) return false;
  if (vc.ready <= now) prediction_->learn(vc, packet.destination, va_.candidates(vc)->port);
  if (prediction_->admits(vc)) {
    const bool in_time = vc.ready <= now + config_.st_cycles;
    return prediction_->try_head(
        vc, {routes_.query(vc.route_input(), packet), in_time ? routes : no_routes, packet.flits, true}, now);
  }
  prediction_->count_not_idle(vc, now);
  return false;
}

/// A head whose guess was of no use has its route at last.
inline bool FastPredictingRouter::await_route(InputVc& vc, Cycle now) {
  if (vc.ready <= now && vc.candidates != 0) {
    const Packet& packet = pool_.at(vc.packet);
    if (packet.packet_class == PacketClass::normal)
      prediction_->learn(vc, packet.destination, va_.candidates(vc)->port);
  }
  return FastVcRouter::await_route(vc, now);
}

/// Flits that cross by prediction, when all requests of the cycle are known.
[[gnu::always_inline]] inline void FastPredictingRouter::settle(Cycle now) {
  ask(now);
  const std::uint64_t lost = lost_lines(now);
  if (lost != 0 || prediction_->any_tries()) hold_back(lost, now);
  if ((ready_ & kept_) != 0) cross_kept(now);
  if (prediction_->any_tries())
    prediction_->cross_all(now, [&](const Prediction::Try& one) { cross_head(one, now); });
}

/// Real requests of the cycle, as far as they are known.
inline void FastPredictingRouter::ask(Cycle now) {
  std::uint64_t inputs = 0, outputs = 0;
  for (std::uint64_t rest = asking(now); rest != 0; rest &= rest - 1) {
    const InputVc& vc = vcs_[static_cast<unsigned>(__builtin_ctzll(rest))];
    inputs |= bit(vc.port);
    outputs |= bit(vc.out_port);
  }
  if (va_.any_requests()) {
    for (const VcRequest& request : va_.requests()) {
      inputs |= bit(vcs_[request.input_vc].port);
      outputs |= bit(request.port);
    }
  }
  if (outputs != 0) prediction_->request_all(inputs, outputs, now);
}

/// Flits that have lost their output ask for it in this cycle, and others may lose theirs by that.
void FastPredictingRouter::hold_back(std::uint64_t lost, Cycle now) {
  for (bool first = true;; first = false) {
    const bool failed = prediction_->hold_back(now, first, [&](unsigned line) {
      if (!FastVcRouter::await_route(vcs_[line], now)) board_.clear_busy(line);
    });
    go_by_switch(lost);
    if (lost == 0 && !failed) break;
    ask(now);
    lost = lost_lines(now);
  }
}

/// Lines whose output is asked for, and those with a flit where one that won the switch crosses.
inline std::uint64_t FastPredictingRouter::lost_lines(Cycle now) {
  std::uint64_t lost = 0;
  if (const std::uint64_t inputs = prediction_->take_dropped(); inputs != 0)
    lost = lines_where(kept_, [&](const InputVc& vc) { return (inputs & bit(vc.port)) != 0; });
  if (prediction_->others_cross(now))
    lost |= lines_where(ready_ & kept_, [&](const InputVc& vc) { return !prediction_->may_cross(vc, now); });
  return lost;
}

/// Their packets go by the switch from now on.
void FastPredictingRouter::go_by_switch(std::uint64_t lines) {
  kept_ &= ~lines;
  for (; lines != 0; lines &= lines - 1) {
    const InputVc& vc = vcs_[static_cast<unsigned>(__builtin_ctzll(lines))];
    prediction_->give_up(vc);
    switch_.hold(vc.number, vc.out_port);
  }
}

/// ST alone.
inline void FastPredictingRouter::cross_kept(Cycle now) {
  const Cycle lead_cycles = prediction_->lead_cycles();
  std::uint64_t served = 0;
  for (std::uint64_t rest = ready_ & kept_; rest != 0; rest &= rest - 1) {
    const auto line = static_cast<unsigned>(__builtin_ctzll(rest));
    InputVc& vc = vcs_[line];
    prediction_->cross_kept(vc, now);
    if (!pass_flit(*this, vc, now, lead_cycles)) served |= bit(line);
  }
  ready_ &= ~served;
}

/// A head takes the output virtual channel that its input held.
void FastPredictingRouter::cross_head(const Prediction::Try& one, Cycle now) {
  InputVc& vc = vcs_[one.line];
  if (vc.ready > now) {
    prediction_->save(vc, vc.ready - now);
    prediction_->learn(vc, pool_.at(vc.packet).destination, one.out_port);
  }
  vc.hold(outputs_[one.out_port].sender.ring(one.out_vc), one.out_port, one.out_vc, now);
  outputs_[one.out_port].take(one.out_vc);
  kept_ |= bit(one.line);
  tell(vc, HeadStage::crossing, now);
  board_.clear_busy(vc.number);
  if (pass_flit(*this, vc, now, prediction_->lead_cycles())) ready_ |= bit(vc.number);
}

inline void FastPredictingRouter::give_up_output(const InputVc& vc) {
  prediction_->may_be_quiet(vc);
  if ((kept_ & bit(vc.number)) == 0) return switch_.release(vc.number);
  kept_ &= ~bit(vc.number);
}

void FastPredictingRouter::drop_requests(InputVc& vc) {
  // The switch allocator is told of every line that is dropped.
  go_by_switch(kept_ & bit(vc.number));
  FastVcRouter::drop_requests(vc);
}

}  // namespace tsuji::router
