// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tsuji/core/arena.h"
#include "tsuji/network/dense/wires.h"
#include "tsuji/router/config.h"

namespace tsuji::network::dense {

/// Times of a router without modules beside those of its stages: outputs that pause when their virtual
/// channel changes (VcRouterConfig::vc_change_cycles).
/// Mask: of ports, and of input virtual channels.
template <class Mask>
class Times {
 public:
  Times(const router::VcRouterConfig& config, std::size_t ports, Arena& arena)
      : pause_cycles_(config.vc_change_cycles),
        pauses_(pause_cycles_ == 0 ? nullptr : arena.array<Pause>(ports)),
        ports_(static_cast<unsigned>(ports)) {}

  /// The output virtual channels of a port are those from `first` on. Before its first flit an output is
  /// like one that its first virtual channel has used in the cycle before the first one.
  void add_output(unsigned port, unsigned first) {
    if (pauses_ == nullptr) return;
    pauses_[port] = {pause_cycles_, first};
    pausing_ |= Mask{1} << port;
  }
  /// A flit leaves by an output virtual channel of a port.
  void leaves(unsigned port, unsigned out, Cycle now) {
    if (pauses_ == nullptr) return;
    pauses_[port] = {now + 1 + pause_cycles_, out};
    pausing_ |= Mask{1} << port;
  }
  /// Calls visit(port, output virtual channel) for each output that takes flits of this virtual channel only.
  template <class Visit>
  void visit_pausing(Cycle now, const Visit& visit) {
    for (Mask rest = pausing_; rest != 0; rest &= rest - 1) {
      const Pause& pause = pauses_[lowest(rest)];
      if (pause.until > now) {
        visit(lowest(rest), pause.out);
      } else {
        pausing_ ^= lowest_bit(rest);
      }
    }
  }
  /// Latest cycle to which a pause leads.
  Cycle last_event() const {
    Cycle last = 0;
    for (unsigned port = 0; pauses_ != nullptr && port < ports_; ++port)
      last = std::max(last, pauses_[port].until);
    return last;
  }

 private:
  /// Last use of an output.
  struct Pause {
    Cycle until = 0;   ///< first cycle in which the output takes any flit
    unsigned out = 0;  ///< output virtual channel of the last flit
  };

  const Cycle pause_cycles_;
  Mask pausing_ = 0;  ///< outputs that may pause
  Pause* pauses_;     ///< [port]; null: outputs never pause
  const unsigned ports_;
};

}  // namespace tsuji::network::dense
