// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tsuji::interconnect {

/// Addresses of one target: `bytes` from `base` on, which the target sees from `offset` on.
struct Region {
  std::string target;        ///< Name of the target.
  std::uint64_t base = 0,    ///< First address.
      bytes = 0;             ///< Size, at least 1.
  std::uint64_t offset = 0;  ///< The target's own address of the first byte.

  std::uint64_t last() const { return base + (bytes - 1); }  ///< Last address.
};

/// Rules that the regions of a map must keep.
struct AddressRules {
  std::uint64_t align_bytes = 4096;  ///< Base and size of a region are multiples of it; a power of two.
  bool gaps =
      true;  ///< Addresses between two regions may belong to no target; an access is an address error.
};

/// Address map of an interconnect: which target answers an address. Region i belongs to target i.
class AddressMap {
 public:
  /// Map without regions.
  AddressMap() = default;
  /// Throws ConfigError with the key tlm.targets for regions that overlap, are empty, end above the last
  /// address, or break the rules.
  AddressMap(std::vector<Region> regions, const AddressRules& rules);

  /// Target of an address, and the address as the target sees it.
  struct Place {
    unsigned target = 0;        ///< Number of the target.
    std::uint64_t address = 0;  ///< Address as the target sees it.
  };
  /// The target of all `bytes` addresses from `address` on (at least 1); none if one of them is in a gap, or
  /// in the region of another target.
  std::optional<Place> decode(std::uint64_t address, std::uint64_t bytes) const;
  /// Regions, by target.
  const std::vector<Region>& regions() const { return regions_; }

 private:
  void check_alone(const Region& region, const AddressRules& rules) const;
  void check_neighbours(const AddressRules& rules) const;

  std::vector<Region> regions_;
  std::vector<unsigned> by_base_;  ///< Indices of the regions, lowest base first.
};

}  // namespace tsuji::interconnect
