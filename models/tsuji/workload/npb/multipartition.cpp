// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/npb/multipartition.h"

namespace tsuji::workload::npb {
namespace {

constexpr unsigned least_cell_points = 3;
constexpr unsigned variables = 5;
constexpr unsigned ghost_layers = 2;

}  // namespace

Multipartition::Multipartition(unsigned points, unsigned ranks, unsigned rank) : points_(points) {
  while (side_ * side_ < ranks) ++side_;
  row_ = rank / side_;
  column_ = rank % side_;
  const unsigned back = side_ - 1;  // one less, modulo p
  successor_ = {rank_at(row_, column_ + 1), rank_at(row_ + 1, column_), rank_at(row_ + 1, column_ + back)};
  predecessor_ = {rank_at(row_, column_ + back), rank_at(row_ + back, column_),
                  rank_at(row_ + back, column_ + 1)};
}

Multipartition::Cell Multipartition::cell_in_layer(unsigned along, unsigned layer) const {
  const unsigned c = along == 0   ? (layer + side_ - column_) % side_
                     : along == 1 ? (row_ + side_ - layer) % side_
                                  : layer;
  return {(column_ + c) % side_, (row_ + side_ - c) % side_, c};
}

double Multipartition::share(const Cell& cell) const {
  double part = 1;
  for (const unsigned coordinate : cell) part *= static_cast<double>(cell_points(coordinate)) / points_;
  return part;
}

double Multipartition::share() const {
  double sum = 0;
  for (unsigned layer = 0; layer < side_; ++layer) sum += share(cell_in_layer(2, layer));
  return sum;
}

/// Of the faces across a side of all cells but the one in the layer that has no neighbour there.
std::uint64_t Multipartition::face_bytes(unsigned along, unsigned not_in_layer) const {
  std::uint64_t points = 0;
  for (unsigned layer = 0; layer < side_; ++layer) {
    if (layer == not_in_layer) continue;
    const Cell cell = cell_in_layer(along, layer);
    points += std::uint64_t{cell_points(cell[(along + 1) % 3])} * cell_points(cell[(along + 2) % 3]);
  }
  return points * ghost_layers * variables * double_bytes;
}

void Multipartition::copy_faces(RankWriter& out) const {
  if (side_ == 1) return;
  for (unsigned along = 0; along < 3; ++along) {
    out.irecv(successor(along), to_predecessor_tag[along], face_bytes(along, side_ - 1));
    out.irecv(predecessor(along), to_successor_tag[along], face_bytes(along, 0));
  }
  for (unsigned along = 0; along < 3; ++along) {
    out.isend(successor(along), to_successor_tag[along], face_bytes(along, side_ - 1));
    out.isend(predecessor(along), to_predecessor_tag[along], face_bytes(along, 0));
  }
  out.wait_all();
}

std::vector<unsigned> multipartition_rank_counts(unsigned points) {
  std::vector<unsigned> counts;
  for (unsigned side = 1; points / side >= least_cell_points; ++side) counts.push_back(side * side);
  return counts;
}

}  // namespace tsuji::workload::npb
