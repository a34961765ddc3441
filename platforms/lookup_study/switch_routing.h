// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/routing/routing.h"

namespace tsuji::platform {

/// Routing in one switch: packets to node n leave by port n, modulo the number of ports, on any virtual
/// channel.
class SwitchRouting final : public routing::Routing, public routing::TableImage {
 public:
  SwitchRouting(unsigned ports, unsigned vcs) : ports_(ports), vcs_(routing::vc_range(0, vcs)) {}
  void route(const routing::RouteQuery& query, routing::RouteSet& candidates) const override {
    candidates.clear();
    candidates.add(query.destination.node() % ports_, vcs_);
  }
  routing::VcMask injection_vcs(End, End) const override { return vcs_; }
  unsigned vcs_needed() const override { return 1; }
  unsigned max_candidates() const override { return 1; }
  const routing::TableImage* table_image() const override { return this; }
  routing::TableForm table_form() const override { return routing::TableForm::port_and_vcs; }
  routing::RouteCandidate table_entry(graph::RouterId router, std::uint32_t in_port,
                                      NodeId destination) const override {
    return only_candidate(*this, router, in_port, destination);
  }

 private:
  const unsigned ports_;
  const routing::VcMask vcs_;
};

}  // namespace tsuji::platform
