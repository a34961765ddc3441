// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tsuji/network/dense/mask_router.h"

// Definitions of MaskRouter: what a watch sees of its cycles.

namespace tsuji::network::dense {

template <class Mask>
class MaskRouter<Mask>::Watching final : public WatchedRouter {
 public:
  Watching(const MaskRouter& router, RouterWatch& watch, const RouterWatchPlan& plan)
      : router_(router), watch_(watch), inlets_(router.input_vcs_) {
    for (unsigned port = 0; port < router.port_count_; ++port) {
      const Output& output = router.outputs_[port];
      const auto out_vcs = static_cast<unsigned>(__builtin_popcount(output.all_vcs));
      if (plan.arrivals[port]) arrivals_ |= router.inputs_[port].own;
      if (plan.credits[port]) credits_ |= (vc_bit(out_vcs) - 1) << output.first;
    }
  }

  void before(const Moment& at) override {
    const Mask flits = tell_arrivals(at.slot[0], at.now);
    const MaskRouter& router = router_;
    Mask requesting = router.routed_;
    if (router.stages_ != nullptr) requesting |= router.stages_[at.now & router.shared_->slots.mask()].routed;
    for (; requesting != 0; requesting &= requesting - 1) watch_.requests_vc(lowest(requesting), at.now);
    idle_ = router.idle_;
    without_output_ = router.idle_ | waiting();
    movers_ = ~router.idle_ & (router.flits_ | flits);
  }

  void after(const Moment& at) override {
    const MaskRouter& router = router_;
    for (Mask started = idle_ & ~router.idle_; started != 0; started &= started - 1) {
      --inlets_[lowest(started)].waiting;
      watch_.starts(lowest(started), router.vcs_[lowest(started)].packet, at.now);
      if (router.shared_->rc_cycles == 0) watch_.requests_vc(lowest(started), at.now);
    }
    for (Mask granted = without_output_ & ~(router.idle_ | waiting()); granted != 0; granted &= granted - 1)
      watch_.granted_vc(lowest(granted), at.now + router.shared_->va_cycles);
    for (; movers_ != 0; movers_ &= movers_ - 1)
      if (router.vcs_[lowest(movers_)].since == at.now) tell_passage(lowest(movers_), at.now);
  }

  void end(Cycle now) override {
    const Slots& slots = router_.shared_->slots;
    for (Cycle ahead = 0; ahead <= slots.mask(); ++ahead) tell_arrivals(slots.from(now)[ahead], now + ahead);
  }

 private:
  /// Flits on the way of an input that nobody watches at its far end.
  struct Inlet {
    PacketIndex packet = 0;
    std::uint16_t sequence = 0, left = 0;
    std::uint16_t waiting = 0;  ///< packets of the queue of heads whose first flit has arrived
  };

  Mask waiting() const { return router_.without_output(); }

  /// Returns the flits that arrive in the slot.
  Mask tell_arrivals(std::size_t slot, Cycle now) {
    const Word* const row = &in_slot(router_.row_, slot);
    const Mask flits = MaskWords<Mask>::read(row);
    for (Mask rest = flits & arrivals_; rest != 0; rest &= rest - 1) tell_arrival(lowest(rest), now);
    for (Mask rest = MaskWords<Mask>::read(row + words) & credits_; rest != 0; rest &= rest - 1)
      watch_.gets_credit(lowest(rest), now);
    return flits;
  }
  void tell_arrival(unsigned number, Cycle now) {
    Inlet& inlet = inlets_[number];
    if (inlet.left == 0) {
      inlet.packet = next_packet(number, inlet.waiting++);
      if (inlet.packet == traffic::no_packet)
        router_.fail(now, "a watch sees a flit without the head of its packet");
      inlet.left = router_.shared_->pool.at(inlet.packet).flits;
      inlet.sequence = 0;
    }
    --inlet.left;
    watch_.arrives(number, {inlet.packet, inlet.sequence++, inlet.left == 0}, now);
  }
  /// The packet after the first `waiting` ones of an input virtual channel's queue of heads.
  PacketIndex next_packet(unsigned number, unsigned waiting) const {
    const HeadQueue& heads = router_.heads_of(number);
    PacketIndex packet = heads.first();
    for (; waiting != 0 && packet != traffic::no_packet; --waiting)
      packet = heads.after(packet, router_.shared_->pool);
    return packet;
  }
  void tell_passage(unsigned number, Cycle now) {
    const InputVc& vc = router_.vcs_[number];
    const unsigned sent = router_.shared_->pool.at(vc.packet).flits - vc.left;
    watch_.passes(number, static_cast<unsigned>(&router_.out_vc_of(vc) - router_.out_),
                  {vc.packet, static_cast<std::uint16_t>(sent - 1), vc.left == 0}, now);
  }

  const MaskRouter& router_;
  RouterWatch& watch_;
  Mask arrivals_ = 0, credits_ = 0;  ///< of RouterWatchPlan
  std::vector<Inlet> inlets_;        ///< [input VC]
  // Of the cycle: input virtual channels before it.
  Mask idle_ = 0;
  Mask without_output_ = 0;
  Mask movers_ = 0;  ///< whose flit may leave in it
};

template <class Mask>
std::unique_ptr<WatchedRouter> MaskRouter<Mask>::watch_by(RouterWatch& watch,
                                                          const RouterWatchPlan& plan) const {
  return std::make_unique<Watching>(*this, watch, plan);
}

}  // namespace tsuji::network::dense
