// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "tsuji/network/dense/mask_router.h"
#include "tsuji/routing/recovery_checks.h"

// Definitions of MaskRouter: heads that have waited too long or made too many hops. They are reported, or use
// the recovery channels up to their destination (Yoshinaga 2004, 2.2), in the cycles of
// router/vc/late_heads.cpp.

namespace tsuji::network::dense {

/// A head starts to wait here and has not requested its route yet.
template <class Mask>
[[gnu::always_inline]] inline void MaskRouter<Mask>::watch_head(unsigned number, Packet& packet, Cycle now) {
  Times<Mask>& times = *times_;
  if (seldom(times.timer.too_many(packet.hops))) report_hops(number, packet, now);
  if (!times.timer.runs()) return;
  if (shared_->recovers && packet.packet_class != PacketClass::normal) {
    times.waiting &= ~vc_bit(number);
    return;
  }
  times.waiting |= vc_bit(number);
  times.timer.start(now);
  times.act_at = std::min(times.act_at, times.timer.next_look());
}

template <class Mask>
[[gnu::noinline]] void MaskRouter<Mask>::report_hops(unsigned number, Packet& packet, Cycle now) {
  if (shared_->recovers && packet.packet_class == PacketClass::recovery) return;
  const InputVc& vc = vcs_[number];
  ++times_->counters.over_hop_limit;
  shared_->events.on_hop_limit(id_, input_of(vc).port, number - input_of(vc).first, vc.packet, now);
  if (!shared_->recovers) return;
  packet.packet_class = PacketClass::recovery;
  ++times_->counters.recoveries_by_hops;
}

/// First in a cycle: heads whose time is over go into recovery, and the table is read.
template <class Mask>
[[gnu::always_inline]] inline void MaskRouter<Mask>::begin_times(const Moment& at) {
  if (seldom(times_->act_at <= at.now)) act_first(at);
}

template <class Mask>
[[gnu::noinline]] void MaskRouter<Mask>::act_first(const Moment& at) {
  Times<Mask>& times = *times_;
  if (shared_->recovers && times.timer.next_look() <= at.now) recover_late_heads(at.now);
  if (times.reading != 0) read_table(at);
  if (times.answers != nullptr) take_answers(at.now);
  times.act_at = 0;
}

/// Last in a cycle: late heads are reported, where they do not go into recovery.
template <class Mask>
[[gnu::always_inline]] inline void MaskRouter<Mask>::end_times(const Moment& at) {
  if (seldom(times_->act_at != times_->planned)) act_last(at);
}

template <class Mask>
[[gnu::noinline]] void MaskRouter<Mask>::act_last(const Moment& at) {
  Times<Mask>& times = *times_;
  if (times.timer.next_look() <= at.now) report_late_heads(at.now);
  times.act_at = times.timer.next_look();
  if (times.reading != 0) times.act_at = std::min(times.act_at, times.table->next_run(at.now));
  if (times.answers != nullptr) times.act_at = std::min(times.act_at, times.answers->next());
  times.planned = times.act_at;
  if (times.act_at != never) home_->wake_at(at, times.act_at, unit_);
}

/// Reads words of the table for heads that wait for them.
template <class Mask>
[[gnu::noinline]] void MaskRouter<Mask>::read_table(const Moment& at) {
  times_->table->run(at.now, [&](const ReadTable::Answer& answer) {
    times_->reading &= ~vc_bit(answer.input_vc);
    keep_routes(answer.input_vc, answer.routes, at.now);
    stages_[answer.at & shared_->slots.mask()].routed |= vc_bit(answer.input_vc);
    home_->wake_at(at, answer.at, unit_);
    if (times_->routed != nullptr) times_->routed[answer.input_vc] = answer.at;
  });
}

/// Routes of the switch's look-up hardware that come in this cycle, long after their request.
template <class Mask>
void MaskRouter<Mask>::take_answers(Cycle now) {
  times_->answers->take(now, [this](unsigned number) {
    routing_ &= ~vc_bit(number);
    pending_ |= vc_bit(number);
  });
}

/// A head leaves that may have read the table, or started again.
template <class Mask>
void MaskRouter<Mask>::tell_times(unsigned number, HeadStages& stages) {
  stages.vc_allocation = std::max(stages.vc_allocation, times_->routed[number]);
  stages.blocked = std::exchange(times_->blocked[number], 0);
}

/// RC of a router with a table. Returns false for a head that reads it.
template <class Mask>
[[gnu::noinline]] bool MaskRouter<Mask>::ask_table(unsigned number, const routing::RouteQuery& query,
                                                   routing::RouteSet& routes, Cycle now) {
  if (times_->table->request(number, query, routes, now)) return true;
  times_->reading |= vc_bit(number);
  times_->act_at = 0;
  routing_ |= vc_bit(number);
  vcs_[number].candidates = 0;
  return false;
}

/// RC of a router with look-up hardware in its switch. Returns the cycle of an answer that is beyond the
/// slots of stages, or `never`.
template <class Mask>
[[gnu::always_inline]] inline Cycle MaskRouter<Mask>::ask_hardware(unsigned number,
                                                                   const routing::RouteQuery& query,
                                                                   const Moment& at) {
  routing::RouteSet routes;
  const Cycle ready = times_->answers->request(number, query, routes, at.now);
  keep_routes(number, routes, at.now);
  if (times_->routed != nullptr) times_->routed[number] = ready;
  routing_ |= vc_bit(number);
  if (ready - at.now > shared_->slots.mask()) {
    times_->answers->add_far(number, ready);
    return ready;
  }
  stages_[ready & shared_->slots.mask()].routed |= vc_bit(number);
  home_->wake_at(at, ready, unit_);
  return never;
}

/// RC of a router with look-up hardware and other times.
template <class Mask>
[[gnu::noinline]] void MaskRouter<Mask>::ask_switch(unsigned number, const routing::RouteQuery& query,
                                                    const Moment& at) {
  if (ask_hardware(number, query, at) != never) times_->act_at = 0;
}

/// Lets a router of RouterShared::looks run in the cycle of an answer.
template <class Mask>
[[gnu::noinline]] void MaskRouter<Mask>::await_answer(Cycle ready, const Moment& at) {
  if (ready >= times_->act_at) return;
  times_->act_at = ready;
  home_->wake_at(at, ready, unit_);
}

/// begin_times() of a router of RouterShared::looks, which acts on answers alone.
template <class Mask>
[[gnu::always_inline]] inline void MaskRouter<Mask>::begin_answers(const Moment& at) {
  if (!seldom(times_->act_at <= at.now)) return;
  take_answers(at.now);
  times_->act_at = never;
  await_answer(times_->answers->next(), at);
}

/// Returns true if the head at the front is here; otherwise nothing has a timeout before it.
template <class Mask>
bool MaskRouter<Mask>::head_waits(unsigned number) {
  const InputVc& vc = vcs_[number];
  const bool waits = (idle_ & vc_bit(number)) == 0 && vc.left == shared_->pool.at(vc.packet).flits;
  if (!waits) times_->waiting &= ~vc_bit(number);
  return waits;
}

template <class Mask>
[[gnu::noinline]] void MaskRouter<Mask>::report_late_heads(Cycle now) {
  Times<Mask>& times = *times_;
  times.timer.begin_look();
  for (Mask rest = times.waiting; rest != 0; rest &= rest - 1) {
    const unsigned number = lowest(rest);
    const InputVc& vc = vcs_[number];
    if (!head_waits(number) || !times.timer.late(vc.since, now)) continue;
    times.waiting &= ~vc_bit(number);
    ++times.counters.timeouts;
    shared_->events.on_blocked(id_, input_of(vc).port, number - input_of(vc).first, vc.packet, now);
  }
}

/// A head that is late releases an output that it has not used, and requests its route again in this cycle.
template <class Mask>
[[gnu::noinline]] void MaskRouter<Mask>::recover_late_heads(Cycle now) {
  Times<Mask>& times = *times_;
  times.timer.begin_look();
  for (Mask rest = times.waiting; rest != 0; rest &= rest - 1) {
    const unsigned number = lowest(rest);
    if (!head_waits(number) || waits_for_node(number) || !times.timer.late(vcs_[number].since, now)) continue;
    times.waiting &= ~vc_bit(number);
    shared_->pool.at(vcs_[number].packet).packet_class = PacketClass::recovery;
    ++times.counters.recoveries;
    forget(number, now);
  }
}

/// Returns true if the head waits for its node or holds a virtual channel there, which is no deadlock.
template <class Mask>
bool MaskRouter<Mask>::waits_for_node(unsigned number) const {
  const InputVc& vc = vcs_[number];
  if ((without_output() & vc_bit(number)) == 0) return output_of(vc).to_node;
  return vc.candidates != 0 && outputs_[candidates_of(number)->port].to_node;
}

/// The head at the front starts again, as if it had just come there.
template <class Mask>
void MaskRouter<Mask>::forget(unsigned number, Cycle now) {
  InputVc& vc = vcs_[number];
  const Mask one = vc_bit(number);
  const bool holds = (without_output() & one) == 0;
  --shared_->pool.at(vc.packet).hops;
  if (times_->blocked != nullptr) {
    times_->blocked[number] = now - vc.since;
    times_->routed[number] = 0;
  }
  if ((times_->reading & one) != 0) {
    times_->table->cancel(number, now);
    times_->reading &= ~one;
  }
  routing_ &= ~one;
  routed_ &= ~one;
  pending_ &= ~one;
  parked_ &= ~one;
  for (Cycle slot = 0; stages_ != nullptr && slot <= shared_->slots.mask(); ++slot) {
    stages_[slot].routed &= ~one;
    stages_[slot].granted &= ~one;
  }
  if (holds) {
    if (times_->crossings == nullptr) {
      shared_->queues[out_vc_of(vc).heads].pull(shared_->pool);
    } else {
      times_->crossings->pull(home_->thread(), out_vc_of(vc).heads);
    }
    active_ |= one;  // VA may not have ended
    release(out_vc_of(vc), one, output_of(vc), vc.next);
  } else {
    idle_ |= one;
  }
  heads_of(number).push_front(vc.packet, shared_->pool);
}

/// ModelError if a head in recovery has been allocated an output virtual channel that violates the routing's
/// proof of freedom from deadlock.
template <class Mask>
[[gnu::noinline]] void MaskRouter<Mask>::check_recovery(unsigned number, unsigned port, unsigned of_port,
                                                        Cycle now) const {
  const InputVc& vc = vcs_[number];
  const Packet& packet = shared_->pool.at(vc.packet);
  if (packet.packet_class != PacketClass::recovery || output_of(vc).to_node) return;
  routing::RouteQuery query = query_of(number, packet);
  query.decision = packet.decision;
  const std::string broken = routing::broken_recovery(shared_->routing, query, port, of_port);
  if (!broken.empty()) fail(now, vc.packet, broken);
}

}  // namespace tsuji::network::dense
