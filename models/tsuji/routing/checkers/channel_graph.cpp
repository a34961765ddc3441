// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/checkers/channel_graph.h"

#include <algorithm>

namespace tsuji::routing {
namespace {

using graph::none;
using graph::Topology;

std::uint64_t count_bits(const std::vector<std::uint64_t>& words) {
  std::uint64_t bits = 0;
  for (std::uint64_t word : words) bits += static_cast<std::uint64_t>(__builtin_popcountll(word));
  return bits;
}

template <class Visit>
void for_each_bit(const std::uint64_t* words, std::size_t count, const Visit& visit) {
  for (std::size_t w = 0; w < count; ++w) {
    for (std::uint64_t bits = words[w]; bits != 0; bits &= bits - 1)
      visit(static_cast<std::uint32_t>(w * 64 + static_cast<unsigned>(__builtin_ctzll(bits))));
  }
}

}  // namespace

ChannelNumbers::ChannelNumbers(const Topology& topology, unsigned vcs) : vcs_(vcs) {
  for (RouterId router = 0; router < topology.routers(); ++router) {
    first_port_.push_back(static_cast<std::uint32_t>(wire_.size()));
    wire_.resize(wire_.size() + topology.ports(router), none);
  }
  for (const graph::RouterLink& link : topology.links()) {
    for (const bool forward : {true, false}) {
      if (!forward && link.one_way) continue;
      const graph::PortRef from = forward ? link.a : link.b;
      wire_[first_port_[from.router] + from.port] = static_cast<std::uint32_t>(to_.size());
      from_.push_back(from);
      to_.push_back(forward ? link.b : link.a);
    }
  }
}

ChannelGraph::ChannelGraph(const Topology& topology, const ChannelNumbers& numbers) : numbers_(numbers) {
  for (RouterId router = 0; router < topology.routers(); ++router)
    words_.push_back((topology.ports(router) * numbers.vcs() + 63) / 64);
  std::size_t words = 0;
  for (std::uint32_t wire = 0; wire < numbers.wires(); ++wire) {
    first_.push_back(words);
    words += std::size_t{words_[numbers.arrival(numbers.vertex(wire, 0)).router]} * numbers.vcs();
  }
  bits_.resize(words);
}

void ChannelGraph::set(Outputs& outputs, unsigned port, VcMask vcs) const {
  for (unsigned vc = 0; vc < numbers_.vcs(); ++vc) {
    const unsigned bit = port * numbers_.vcs() + vc;
    if ((vcs >> vc & 1) != 0) outputs[bit / 64] |= std::uint64_t{1} << bit % 64;
  }
}

void ChannelGraph::add(Vertex from, const Outputs& outputs) {
  std::uint64_t* row = &bits_[first_[from / numbers_.vcs()] + numbers_.vc(from) * outputs.size()];
  for (std::size_t w = 0; w < outputs.size(); ++w) row[w] |= outputs[w];
}

std::uint64_t ChannelGraph::edges() const {
  return count_bits(bits_);
}

void ChannelGraph::visit(Vertex from, const VisitNext& next) const {
  const RouterId here = numbers_.arrival(from).router;
  const std::size_t words = words_[here];
  for_each_bit(&bits_[first_[from / numbers_.vcs()] + numbers_.vc(from) * words], words,
               [&](std::uint32_t bit) {
                 next(numbers_.vertex(numbers_.wire(here, bit / numbers_.vcs()), bit % numbers_.vcs()));
               });
}

DenseGraph::DenseGraph(const std::vector<bool>& part) : index_(part.size(), none) {
  for (Vertex v = 0; v < part.size(); ++v) {
    if (!part[v]) continue;
    index_[v] = static_cast<std::uint32_t>(channels_.size());
    channels_.push_back(v);
  }
  rows_.resize(channels_.size() * words());
}

void DenseGraph::add(std::uint32_t from, const std::uint64_t* to) {
  std::uint64_t* row = &rows_[from * words()];
  for (std::size_t w = 0; w < words(); ++w) row[w] |= to[w];
}

std::uint64_t DenseGraph::edges() const {
  return count_bits(rows_);
}

void DenseGraph::visit(Vertex from, const VisitNext& next) const {
  if (index_[from] == none) return;
  for_each_bit(&rows_[index_[from] * words()], words(), [&](std::uint32_t bit) { next(channels_[bit]); });
}

}  // namespace tsuji::routing
