// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/flit_node.h"

#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::traffic {

FlitNode::FlitNode(sc_core::sc_module_name module_name, ClockDomain& domain,
                   const FlitNodeState::Parts& parts, End end, std::unique_ptr<EmissionSource> source,
                   std::unique_ptr<CongestionControl> control)
    : sc_module(module_name),
      Clocked(domain),
      port("port"),
      state_(make_in<FlitNodeState>(parts.arena, parts, end, std::move(source), std::move(control))) {}

void FlitNode::end_of_elaboration() {
  FlitChannel *out = nullptr, *in = nullptr;
  for (int i = 0; i < port.size(); ++i) {
    if (port[i]->out() != nullptr) out = port[i]->out();
    if (port[i]->in() != nullptr) in = port[i]->in();
  }
  if (out == nullptr || in == nullptr) throw ModelError(name(), "a node needs a channel in each direction");
  state_->bind(waker(), *out, *in);
  hand_steps_to(*state_);
  state_->source().bind(*this);
}

}  // namespace tsuji::traffic
