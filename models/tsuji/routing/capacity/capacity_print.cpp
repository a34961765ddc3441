// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>

#include "tsuji/routing/capacity/capacity_bound.h"

namespace tsuji::routing {
namespace {

std::string place_text(const graph::Topology& topology, RouterId router) {
  std::string text;
  for (const unsigned axis : topology.coordinates(router))
    text += (text.empty() ? "(" : ",") + std::to_string(axis);
  return text.empty() ? text : text + ")";
}

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4f", value);
  return text;
}

}  // namespace

bool is_fuller(const LoadedChannel& a, const LoadedChannel& b) {
  return std::llround(1e9 * a.use()) > std::llround(1e9 * b.use());
}

const char* capacity_kind_name(CapacityKind kind) {
  switch (kind) {
    case CapacityKind::exact:
      return "exact";
    case CapacityKind::upper_bound:
      return "upper_bound";
    case CapacityKind::none:
      break;
  }
  return "none";
}

std::string channel_text(const LoadedChannel& channel, const graph::Topology& topology) {
  switch (channel.kind) {
    case LoadedChannel::Kind::ejection:
      return "ejection port of node " + std::to_string(channel.node);
    case LoadedChannel::Kind::injection:
      return "injection port of node " + std::to_string(channel.node);
    case LoadedChannel::Kind::link:
      break;
  }
  const RouterId from = channel.from.router, to = topology.far(from, channel.from.port).at.router;
  const std::string places = place_text(topology, from) + "->" + place_text(topology, to);
  return "link " + std::to_string(from) + "->" + std::to_string(to) + (places == "->" ? "" : " " + places);
}

std::string full_text(const CapacityBound& bound, const graph::Topology& topology) {
  if (bound.kind == CapacityKind::none) return bound.reason;
  const std::size_t others = bound.full.size() - 1;
  return channel_text(bound.full.front(), topology) +
         (others == 0 ? "" : " and " + std::to_string(others) + (others == 1 ? " other" : " others"));
}

void print_capacity(const CapacityBound& bound, const graph::Topology& topology, std::size_t rows,
                    std::ostream& out) {
  if (bound.kind == CapacityKind::none) {
    out << "no bound on capacity: " << bound.reason << '\n';
    return;
  }
  out << topology.name() << ": capacity is " << (bound.kind == CapacityKind::exact ? "" : "at most ")
      << number_text(bound.flits_per_node_cycle) << " flits/node/cycle (" << capacity_kind_name(bound.kind)
      << ")\nfull: " << full_text(bound, topology) << '\n'
      << "flits/cycle at a load of 1" << (bound.is_split ? ", links under the most even split found" : "")
      << ":\n";
  std::vector<LoadedChannel> fullest = bound.channels;
  std::stable_sort(fullest.begin(), fullest.end(), is_fuller);
  if (fullest.size() > rows) fullest.resize(rows);
  for (const LoadedChannel& channel : fullest)
    out << "  " << number_text(channel.flits_per_cycle) << "  " << channel_text(channel, topology) << '\n';
}

}  // namespace tsuji::routing
