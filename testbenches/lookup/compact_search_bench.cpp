// SPDX-License-Identifier: Apache-2.0
#include "lookup/compact_search_bench.h"

namespace tsuji::bench {

using lookup::CamOperation;
using lookup::GridPlace;

CompactSearchStimulus::CompactSearchStimulus(const Drive& pins, std::uint64_t seed,
                                             const lookup::CompactSearchConfig& config)
    : random_(seed, 5), config_(config), at_(pins), written_(config.entries) {}

/// Mostly searches of a filled table without changes; a table that changes; a table that shrinks.
void CompactSearchStimulus::begin_phase(Cycle cycle) {
  const unsigned most = config_.coordinate_bits;
  phase_.end = cycle + 64 + random_.below(512);
  phase_.rows = static_cast<std::uint32_t>(1 + random_.below(config_.entries));
  phase_.filled = 0;
  phase_.spread_bits = random_.below(2) == 0 ? most : static_cast<unsigned>(1 + random_.below(most));
  const std::uint64_t places = std::uint64_t{1} << (most - phase_.spread_bits);
  phase_.corner_x = static_cast<std::uint32_t>(random_.below(places) << phase_.spread_bits);
  phase_.corner_y = static_cast<std::uint32_t>(random_.below(places) << phase_.spread_bits);
  constexpr unsigned shares[][3] = {{62, 1, 0}, {56, 4, 2}, {40, 12, 8}, {32, 2, 28}};
  const auto& share = shares[random_.below(4)];
  phase_.searches = share[0], phase_.changes = share[1], phase_.erasures = share[2];
  phase_.gaps = random_.below(2) == 0 ? 0 : static_cast<unsigned>(random_.below(48));
}

CamOperation CompactSearchStimulus::operation() {
  const std::uint64_t kind = random_.below(64);
  if (kind < phase_.searches) return CamOperation::search;
  if (kind < phase_.searches + phase_.changes) return CamOperation::insert;
  if (kind < phase_.searches + phase_.changes + phase_.erasures) return CamOperation::erase;
  return CamOperation::none;
}

/// In the phase's corner, and its own corners more often than elsewhere.
GridPlace CompactSearchStimulus::place() {
  const std::uint32_t most = (1U << phase_.spread_bits) - 1;
  const auto coordinate = [&] {
    const std::uint64_t kind = random_.below(8);
    return kind == 0 ? 0 : kind == 1 ? most : static_cast<std::uint32_t>(random_.below(most + 1));
  };
  const std::uint32_t x = coordinate();
  return {phase_.corner_x + x, phase_.corner_y + coordinate()};
}

std::uint32_t CompactSearchStimulus::near(std::uint32_t coordinate) {
  return coordinate ^ (1U << random_.below(config_.coordinate_bits));
}

GridPlace CompactSearchStimulus::destination() {
  const GridPlace row = written_[random_.below(phase_.rows)];
  switch (random_.below(6)) {
    case 0:
      return row;
    case 1:
      return {near(row.x), row.y};
    case 2:
      return {row.x, near(row.y)};
    default:
      return place();
  }
}

void CompactSearchStimulus::drive(Cycle cycle, Drive& pins) {
  const bool fresh = cycle >= phase_.end;
  if (fresh) begin_phase(cycle);
  const bool reset = cycle < 2 || (fresh && random_.below(2) == 0) || random_.below(4096) == 0;
  pins.set(at_.reset, reset);
  const bool fills = phase_.filled < phase_.rows;
  pins.set(at_.request_valid, fills || random_.below(64) >= phase_.gaps);
  const CamOperation kind = fills && random_.below(8) != 0 ? CamOperation::insert : operation();
  std::uint32_t row = static_cast<std::uint32_t>(random_.below(phase_.rows));
  if (kind == CamOperation::insert && fills) row = phase_.filled;
  const GridPlace at = kind == CamOperation::search ? destination() : place();
  if (kind == CamOperation::insert && !reset && pins.seen(at_.ready) != 0) {
    written_[row] = at;
    if (row == phase_.filled) ++phase_.filled;
  }
  pins.set(at_.operation, static_cast<std::uint64_t>(kind));
  pins.set(at_.row, row);
  pins.set(at_.x, at.x);
  pins.set(at_.y, at.y);
  pins.set(at_.port, random_.next() & ((std::uint64_t{1} << config_.port_bits) - 1));
}

}  // namespace tsuji::bench
