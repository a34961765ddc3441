// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <systemc>

#include "tsuji/link/flit_channel.h"

namespace tsuji {

/// One end of a link as seen by the port of a router or node. A port reads the channels once, after
/// elaboration, and then works on them directly. An adapter to pins is a module bound to the other end.
class FlitEndIf : public virtual sc_core::sc_interface {
 public:
  /// The channel that this end sends on; null if the link carries flits only towards this end.
  virtual FlitChannel* out() = 0;
  /// The channel that this end receives from; null if the link carries flits only away from this end.
  virtual FlitChannel* in() = 0;
};

/// Link between two ports: one channel in each direction, or a single channel. It is not an sc_object, which
/// would need half as much memory again; its name is its owner's name with a letter and a number.
class FlitLink final {
 public:
  std::string stands_for() const {
    return forward_ && backward_ ? "link, a channel each way" : "link, one channel";
  }
  /// A null configuration means no channel in that direction.
  FlitLink(const sc_core::sc_object& owner, char letter, std::uint32_t number,
           const FlitChannelConfig* from_a_to_b, const FlitChannelConfig* from_b_to_a);
  FlitLink(const FlitLink&) = delete;
  FlitLink& operator=(const FlitLink&) = delete;

  std::string name() const;
  std::string basename() const { return letter_ + std::to_string(number_); }
  FlitEndIf& a() { return a_; }
  FlitEndIf& b() { return b_; }
  FlitChannel* forward() { return a_.out_; }
  FlitChannel* backward() { return b_.out_; }
  const FlitChannel* forward() const { return a_.out_; }
  const FlitChannel* backward() const { return b_.out_; }

 private:
  class End final : public FlitEndIf {
   public:
    FlitChannel* out() override { return out_; }
    FlitChannel* in() override { return in_; }
    FlitChannel* out_ = nullptr;
    FlitChannel* in_ = nullptr;
  };
  const sc_core::sc_object& owner_;
  const std::uint32_t number_;
  const char letter_;
  std::optional<FlitChannel> forward_, backward_;
  End a_, b_;
};

}  // namespace tsuji
