// SPDX-License-Identifier: Apache-2.0
#include "lookup/cache_bench.h"

namespace tsuji::bench {

CacheStimulus::CacheStimulus(const Drive& pins, std::uint64_t seed,
                             const lookup::RoutingTableCacheConfig& config)
    : random_(seed, 3),
      sets_(config.sets()),
      ways_(config.ways),
      keys_(3 * config.ways),
      reset_(pins.input("reset")),
      lookup_valid_(pins.input("lookup_valid")),
      lookup_key_(pins.input("lookup_key")),
      lookup_set_(pins.input("lookup_set")),
      fill_valid_(pins.input("fill_valid")),
      fill_key_(pins.input("fill_key")),
      fill_set_(pins.input("fill_set")),
      fill_entry_(pins.input("fill_entry")),
      flush_(pins.input("flush")) {}

void CacheStimulus::draw_keys() {
  for (std::uint64_t& key : keys_) {
    const std::uint64_t other = keys_[random_.below(keys_.size())];
    key = random_.below(4) == 0 ? other ^ (std::uint64_t{1} << random_.below(64)) : random_.next();
  }
}

std::uint64_t CacheStimulus::key(Cycle phase) {
  return keys_[random_.below(phase % 2 == 0 ? ways_ + 1 : keys_.size())];
}

std::uint64_t CacheStimulus::near_miss(std::uint64_t key, unsigned one_in) {
  return random_.below(one_in) == 0 ? key ^ (std::uint64_t{1} << random_.below(64)) : key;
}

void CacheStimulus::drive(Cycle cycle, Drive& pins) {
  const Cycle phase = cycle / 2048 % 4;  // one set, tight or wide; all sets, tight or wide
  const Cycle part = cycle / 512 % 4;    // back to back; mostly look-ups; mostly fills; with gaps
  pins.set(reset_, cycle < 2 || random_.below(4096) == 0);
  pins.set(flush_, random_.below(part == 0 ? 1024 : 128) == 0);
  pins.set(lookup_valid_, part < 2 || random_.below(4) == 0);
  pins.set(fill_valid_, part == 0 || part == 2 || random_.below(8) == 0);
  if (cycle % 512 == 0) draw_keys();
  const std::uint64_t fill = near_miss(key(phase), 16);
  const std::uint64_t look = near_miss(random_.below(8) == 0 ? fill : key(phase), 4);
  const std::uint64_t fill_set = phase < 2 ? cycle / 8192 % sets_ : random_.below(sets_);
  const std::uint64_t look_set = phase < 2 || random_.below(4) == 0 ? fill_set : random_.below(sets_);
  pins.set(fill_key_, fill);
  pins.set(fill_set_, fill_set);
  pins.set(lookup_key_, look);
  pins.set(lookup_set_, look_set);
  pins.set(fill_entry_, random_.next() & 0xffffffff);
}

}  // namespace tsuji::bench
