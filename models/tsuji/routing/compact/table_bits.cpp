// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/compact/table_bits.h"

namespace tsuji::routing {

unsigned bits_below(std::uint64_t count) {
  unsigned bits = 0;
  while (bits < 64 && std::uint64_t{1} << bits < count) ++bits;
  return bits;
}

TableBitsOf::TableBitsOf(const CoordinateSpace& space, unsigned degree)
    : routers_(space.routers()),
      degree_(degree),
      number_(bits_below(routers_)),
      port_(bits_below(degree)),
      place_(0),
      distance_(bits_below(space.farthest() + 1)) {
  for (unsigned d = 0; d < space.dimensions(); ++d) place_ += bits_below(space.span(d) + 1ULL);
  if (!space.box_by_rows()) place_ += number_;
}

TableBits TableBitsOf::compact(unsigned entries) const {
  TableBits bits;
  bits.table = std::uint64_t{entries} * compact_entry();
  // For each entry the distance to the destination; the order of the entries decides ties.
  bits.comparators = std::uint64_t{entries} * distance_;
  bits.header = place_;
  return bits;
}

TableBits TableBitsOf::compact_with_layers(unsigned entries, unsigned layers) const {
  TableBits bits = compact(entries);
  bits.state = layers * turns();
  return bits;
}

TableBits TableBitsOf::compact_with_tree(unsigned entries) const {
  TableBits bits = compact(entries);
  bits.state = std::uint64_t{2} * degree_ * number_ + port_;
  bits.comparators += std::uint64_t{2} * degree_ * number_;
  bits.header += number_;  // number in the tree
  return bits;
}

TableBits TableBitsOf::full() const {
  TableBits bits;
  bits.table = std::uint64_t{routers_} * port_;
  bits.header = number_;
  return bits;
}

TableBits TableBitsOf::source_table(unsigned layers) const {
  TableBits bits = full();
  bits.state = std::uint64_t{routers_} * layers + layers * turns();
  return bits;
}

TableBits TableBitsOf::up_down() const {
  TableBits bits = full();
  bits.table *= 2;
  bits.state = degree_;
  return bits;
}

TableBits TableBitsOf::lash(unsigned layers) const {
  TableBits bits = full();
  bits.state = std::uint64_t{routers_} * bits_below(layers);
  return bits;
}

}  // namespace tsuji::routing
