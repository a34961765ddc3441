// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/core/error.h"
#include "tsuji/link/flit_channel.h"

namespace tsuji {

/// Observer of a channel in addition to the probe that the channel already has, which sees each flit and
/// credit first. Constructed between two cycles; outlives the use of the channel, or is detached from it.
class FlitWatch : private FlitProbe {
 public:
  using FlitProbe::Scope;

  /// Becomes the channel's probe; the probe that it had is called before this one, and its scope may add
  /// calls beyond `scope`. ModelError for a channel between modules of two threads (FlitChannel::set_probe).
  explicit FlitWatch(FlitChannel& channel, Scope scope = Scope::all)
      : channel_(channel), before_(channel.probe()), scope_(scope) {
    channel.set_probe(this);
  }
  FlitWatch(const FlitWatch&) = delete;
  FlitWatch& operator=(const FlitWatch&) = delete;
  /// Gives the channel the probe that it had, between two cycles. ModelError if another one was set
  /// meanwhile.
  void detach() {
    if (channel_.probe() != this) throw ModelError(channel_.name(), "its probe is not the one to detach");
    channel_.set_probe(before_);
  }

 protected:
  /// A flit was sent; arguments of FlitProbe::on_flit().
  virtual void sees_flit(const FlitChannel& channel, unsigned vc, const Flit& flit, Cycle departure,
                         Cycle ready) = 0;
  /// A buffer slot was freed; arguments of FlitProbe::on_credit().
  virtual void sees_credit(const FlitChannel& /*channel*/, unsigned /*vc*/, Cycle /*now*/, Cycle /*usable*/) {
  }

 private:
  void on_flit(const FlitChannel& channel, unsigned vc, const Flit& flit, Cycle departure,
               Cycle ready) final {
    if (before_ != nullptr) before_->on_flit(channel, vc, flit, departure, ready);
    sees_flit(channel, vc, flit, departure, ready);
  }
  Scope scope() const final {
    return before_ != nullptr && before_->scope() == Scope::all ? Scope::all : scope_;
  }
  void on_credit(const FlitChannel& channel, unsigned vc, Cycle now, Cycle usable) final {
    if (before_ != nullptr) before_->on_credit(channel, vc, now, usable);
    sees_credit(channel, vc, now, usable);
  }

  FlitChannel& channel_;
  FlitProbe* const before_;
  const Scope scope_;
};

}  // namespace tsuji
