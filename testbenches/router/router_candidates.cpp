// SPDX-License-Identifier: Apache-2.0
#include "router/router_candidates.h"

namespace tsuji::bench {
namespace {

using router::PinRouterConfig;
using router::PinRouting;

constexpr unsigned node_port = 4;

unsigned all_vcs(const PinRouterConfig& config) {
  return (1U << config.vcs) - 1U;
}

/// Place of this router and of a node in one dimension.
struct Axis {
  unsigned from, to, radix;
  bool wraps;
  unsigned up_hops() const { return (to + radix - from) % radix; }
  bool up() const { return from != to && (wraps ? 2 * up_hops() <= radix : to > from); }
  bool down() const { return from != to && (wraps ? 2 * up_hops() >= radix : to < from); }
  /// The path crosses the link between the ends of the ring.
  bool crosses(bool upward) const { return upward ? to < from : to > from; }
  bool has_classes() const { return wraps && radix > 3; }
};

Axis axis_of(const PinRouterConfig& config, unsigned node, unsigned d) {
  const unsigned bits = config.node_bits / 2, mask = (1U << bits) - 1U;
  const std::uint32_t here = config.routes[config.nodes()];
  return {here >> d * bits & mask, node >> d * bits & mask, config.radices[d], config.wraps};
}

/// A bit for each port of a shortest path.
unsigned shortest_ports(const PinRouterConfig& config, unsigned node) {
  unsigned ports = 0;
  for (unsigned d = 0; d < 2; ++d) {
    const Axis axis = axis_of(config, node, d);
    ports |= ((axis.up() ? 1U : 0U) | (axis.down() ? 2U : 0U)) << 2 * d;
  }
  return ports;
}

/// The port of dimension order.
unsigned first_port(const PinRouterConfig& config, unsigned node) {
  for (unsigned d = 0; d < 2; ++d) {
    const Axis axis = axis_of(config, node, d);
    if (axis.from != axis.to) return 2 * d + (axis.up() ? 0 : 1);
  }
  return node_port;
}

void add(std::vector<Candidate>& candidates, unsigned ports, unsigned vcs) {
  for (unsigned port = 0; port < node_port; ++port)
    if ((ports >> port & 1U) != 0) candidates.push_back({port, vcs});
}

/// Virtual channels of dimension order at a port: one of two classes where a ring has them, `lower` before
/// the dateline's link.
unsigned class_at(const PinRouterConfig& config, unsigned node, unsigned port, unsigned lower,
                  unsigned upper) {
  const Axis axis = axis_of(config, node, port / 2);
  if (!axis.has_classes()) return lower | upper;
  return axis.crosses(port % 2 == 0) ? lower : upper;
}

unsigned escapes_of(const PinRouterConfig& config) {
  return config.wraps && (config.radices[0] > 3 || config.radices[1] > 3) ? 2 : 1;
}

std::vector<Candidate> by_duato(const PinRouterConfig& config, unsigned node) {
  const unsigned escape = (1U << escapes_of(config)) - 1U, port = first_port(config, node);
  std::vector<Candidate> candidates;
  add(candidates, shortest_ports(config, node), all_vcs(config) & ~escape);
  candidates.push_back({port, class_at(config, node, port, 1, escape & ~1U)});
  if (escape == 1) candidates.back().vcs = 1;
  return candidates;
}

std::vector<Candidate> by_plan(const PinRouterConfig& config, const HeadAt& head) {
  const std::uint32_t row = config.routes[head.node], lives = config.routes[config.nodes()] >> 27 & 0xFU;
  const unsigned escape = (1U << escapes_of(config)) - 1U, negative = 1U << (config.vcs - 1);
  const bool from_router = head.in_port < node_port;
  const bool on_escape = from_router && (escape >> head.in_vc & 1U) != 0;
  const bool on_negative = from_router && head.in_vc == config.vcs - 1;
  std::vector<Candidate> candidates;
  if ((row >> 2 & 1U) != 0 || (!on_escape && !on_negative))
    add(candidates, shortest_ports(config, head.node) & lives, all_vcs(config) & ~escape & ~negative);
  const unsigned word = on_escape                              ? 0
                        : on_negative && head.in_port % 2 != 0 ? row >> 7 & 0xFU
                                                               : row >> 3 & 0xFU;
  add(candidates, word, negative);
  if (word == 0) {
    const unsigned port = row & 3U;
    candidates.push_back({port, escape == 1 ? 1 : class_at(config, head.node, port, 1, escape & ~1U)});
  }
  return candidates;
}

std::vector<Candidate> by_detour(const PinRouterConfig& config, const HeadAt& head) {
  const std::uint32_t row = config.routes[head.node];
  const unsigned fa = (1U << (config.vcs - config.ud_vcs)) - 1U;
  std::vector<Candidate> candidates;
  if (head.recovers) {
    add(candidates, row >> 16 & 0xFU, all_vcs(config) & ~fa);
    return candidates;
  }
  const unsigned ports = config.in_region() ? row & 0xFU : shortest_ports(config, head.node);
  const unsigned back = head.in_port < node_port ? 1U << head.in_port : 0;
  add(candidates, (ports & ~back) != 0 ? ports & ~back : ports, fa);
  return candidates;
}

std::vector<Candidate> by_coordinates(const PinRouterConfig& config, const HeadAt& head) {
  if (is_there(config, head.node)) return {{node_port, all_vcs(config)}};
  const unsigned lower = (1U << (config.vcs - config.vcs / 2)) - 1U, port = first_port(config, head.node);
  switch (config.routing) {
    case PinRouting::duato:
      return by_duato(config, head.node);
    case PinRouting::detour_nf:
      return by_plan(config, head);
    case PinRouting::detour_ud:
      return by_detour(config, head);
    default:
      return {{port, class_at(config, head.node, port, lower, all_vcs(config) & ~lower)}};
  }
}

}  // namespace

bool is_there(const PinRouterConfig& config, unsigned node) {
  return node == (config.routes[config.nodes()] & (config.nodes() - 1U));
}

bool reads_table(const PinRouterConfig& config, const HeadAt& head) {
  return config.recovers() && !is_there(config, head.node) && (head.recovers || config.in_region());
}

std::vector<Candidate> candidates_of(const PinRouterConfig& config, const HeadAt& head) {
  std::vector<Candidate> candidates;
  if (!config.by_coordinates()) {
    for (unsigned c = 0; c < config.candidates; ++c)
      if (const unsigned vcs = config.output_vcs(head.in_port, head.node, c); vcs != 0)
        candidates.push_back({config.output(head.node, c), vcs});
    return candidates;
  }
  for (const Candidate& one : by_coordinates(config, head)) {
    const bool turns = one.port == node_port ? config.config.uturn_node : config.config.uturn_network;
    if (one.vcs != 0 && (one.port != head.in_port || turns)) candidates.push_back(one);
  }
  return candidates;
}

}  // namespace tsuji::bench
