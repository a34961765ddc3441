// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/routing/routing_kinds.h"

namespace tsuji::test {

using graph::Topology;

/// The routing with a word of routing.kind.
inline std::unique_ptr<const routing::Routing> made(const std::string& kind, const Topology& topology,
                                                    unsigned vcs, const std::string& threshold = "0",
                                                    const std::string& queue = "port",
                                                    const std::vector<std::string>& settings = {}) {
  routing::RoutingKinds kinds = routing::routing_kinds();
  std::string word = kind;
  config::KeyTable keys;
  keys.add_choice("routing.kind", word, kinds.words(), "routing algorithm");
  kinds.add_keys(keys);
  keys.set_from_command_line("routing.adaptive_threshold=" + threshold);
  keys.set_from_command_line("routing.queue=" + queue);
  for (const std::string& setting : settings) keys.set_from_command_line(setting);
  return kinds.make(word, {topology, vcs});
}

/// Query of a packet at its source's router.
inline routing::RouteQuery at_source(const Topology& topology, NodeId from, NodeId to, PacketId id = 0) {
  routing::RouteQuery query;
  query.source = from;
  query.destination = to;
  query.router = topology.node(from).inject.router;
  query.in_port = topology.node(from).inject.port;
  query.packet = id;
  query.seed = 7;
  return query;
}

/// Buffers of 100 flits, with `held` flits in those of each port, of which `credited` leave in the cycle of
/// the request, and `queued` that wait for it.
struct Held final : routing::OutputBuffers {
  unsigned credits(unsigned port, routing::VcMask vcs) const override {
    return capacity(port, vcs) - held[port];
  }
  unsigned capacity(unsigned, routing::VcMask vcs) const override {
    return 100U * static_cast<unsigned>(__builtin_popcount(vcs & 0xfU));
  }
  unsigned returning(unsigned port, routing::VcMask) const override { return credited[port]; }
  unsigned waiting(unsigned port, routing::VcMask) const override { return queued[port]; }
  mutable std::map<unsigned, unsigned> held, queued, credited;
};

}  // namespace tsuji::test
