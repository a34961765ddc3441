// SPDX-License-Identifier: Apache-2.0
#include "tsuji/interconnect/address_map.h"

#include <algorithm>
#include <numeric>
#include <sstream>

#include "tsuji/core/error.h"

namespace tsuji::interconnect {
namespace {

std::string hex(std::uint64_t value) {
  std::ostringstream text;
  text << "0x" << std::hex << value;
  return text.str();
}

std::string text_of(const Region& region) {
  return region.target + " base " + hex(region.base) + " bytes " + hex(region.bytes);
}

[[noreturn]] void refuse_region(const Region& region, const std::string& problem,
                                const std::string& accepted) {
  throw ConfigError("tlm.targets", text_of(region), problem, accepted);
}

}  // namespace

AddressMap::AddressMap(std::vector<Region> regions, const AddressRules& rules)
    : regions_(std::move(regions)), by_base_(regions_.size()) {
  for (const Region& region : regions_) check_alone(region, rules);
  std::iota(by_base_.begin(), by_base_.end(), 0U);
  std::sort(by_base_.begin(), by_base_.end(),
            [this](unsigned a, unsigned b) { return regions_[a].base < regions_[b].base; });
  check_neighbours(rules);
}

void AddressMap::check_alone(const Region& region, const AddressRules& rules) const {
  if (region.bytes == 0) refuse_region(region, "a region without addresses", "bytes of at least 1");
  const std::uint64_t most = ~std::uint64_t{0};
  if (region.bytes - 1 > most - region.base)
    refuse_region(region, "it ends above the last address", "a last address of at most " + hex(most));
  if (region.bytes - 1 > most - region.offset)
    refuse_region(region, "with offset " + hex(region.offset) + " it ends above the target's last address",
                  "a smaller offset");
  for (const std::uint64_t value : {region.base, region.bytes})
    if (value % rules.align_bytes != 0)
      refuse_region(region, hex(value) + " is not aligned",
                    "multiples of tlm.align_bytes (" + std::to_string(rules.align_bytes) + ")");
}

void AddressMap::check_neighbours(const AddressRules& rules) const {
  for (std::size_t i = 0; i + 1 < by_base_.size(); ++i) {
    const Region &low = regions_[by_base_[i]], &high = regions_[by_base_[i + 1]];
    if (low.last() >= high.base)
      refuse_region(high, "it overlaps " + text_of(low), "a base above " + hex(low.last()));
    if (!rules.gaps && low.last() + 1 != high.base)
      refuse_region(high, "no target has the addresses " + hex(low.last() + 1) + ".." + hex(high.base - 1),
                    "base " + hex(low.last() + 1) + ", or tlm.gaps true");
  }
}

std::optional<AddressMap::Place> AddressMap::decode(std::uint64_t address, std::uint64_t bytes) const {
  const auto after =
      std::upper_bound(by_base_.begin(), by_base_.end(), address,
                       [this](std::uint64_t value, unsigned i) { return value < regions_[i].base; });
  if (after == by_base_.begin()) return std::nullopt;
  const unsigned target = *(after - 1);
  const Region& region = regions_[target];
  if (address > region.last() || bytes - 1 > region.last() - address) return std::nullopt;
  return Place{target, region.offset + (address - region.base)};
}

}  // namespace tsuji::interconnect
