#include "lookup/cache_bench.h"

namespace tsuji::bench {

CacheStimulus::CacheStimulus(const Drive& pins, std::uint64_t seed,
                             const lookup::RoutingTableCacheConfig& config)
    : random_(seed, 3),
      sets_(config.sets()),
      ways_(config.ways),
      reset_(pins.input("reset")),
      lookup_valid_(pins.input("lookup_valid")),
      lookup_key_(pins.input("lookup_key")),
      lookup_set_(pins.input("lookup_set")),
      fill_valid_(pins.input("fill_valid")),
      fill_key_(pins.input("fill_key")),
      fill_set_(pins.input("fill_set")),
      fill_entry_(pins.input("fill_entry")),
      flush_(pins.input("flush")) {}

/// A key's number is its low half, and its remainder by the number of sets its set.
std::uint64_t CacheStimulus::key(Cycle phase) {
  const std::uint64_t of_set = random_.below(phase % 2 == 0 ? ways_ + 1 : 3 * ways_);
  const std::uint64_t set = phase < 2 ? phase % sets_ : random_.below(sets_);
  const std::uint64_t number = of_set * sets_ + set;
  return number * 0x100000001 ^ (random_.below(64) == 0 ? std::uint64_t{1} << 63 : 0);
}

void CacheStimulus::drive(Cycle cycle, Drive& pins) {
  const Cycle phase = cycle / 2048 % 4;  // one set, tight or wide; all sets, tight or wide
  const Cycle part = cycle / 512 % 4;    // back to back; mostly look-ups; mostly fills; with gaps
  pins.set(reset_, cycle < 2 || random_.below(4096) == 0);
  pins.set(flush_, random_.below(part == 0 ? 1024 : 128) == 0);
  pins.set(lookup_valid_, part < 2 || random_.below(4) == 0);
  pins.set(fill_valid_, part == 0 || part == 2 || random_.below(8) == 0);
  const std::uint64_t fill = key(phase);
  const std::uint64_t look = random_.below(8) == 0 ? fill : key(phase);
  pins.set(fill_key_, fill);
  pins.set(fill_set_, (fill & 0xffffffff) % sets_);
  pins.set(lookup_key_, look);
  pins.set(lookup_set_, (look & 0xffffffff) % sets_);
  pins.set(fill_entry_, random_.next() & 0xffffffff);
}

}  // namespace tsuji::bench
