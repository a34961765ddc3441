// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/error.h"
#include "tsuji/lookup/cache_state.h"
#include "tsuji/pins/device_kinds.h"

namespace tsuji::pins {
namespace {

struct CacheDeviceConfig {
  lookup::RoutingTableCacheConfig cache;
  Cycle access_cycles = 1;
  std::uint64_t seed = 1;

  void add_keys(config::KeyTable& keys) {
    cache.add_keys(keys);
    keys.add("lookup.cache_cycles", access_cycles, {1, 65535}, "cycles",
             "time from a look-up to its answer; one begins in every cycle");
    keys.add("seed", seed, {0, ~std::uint64_t{0}}, "", "seed of random replacement");
  }
  void resolve() {}
  void validate() const { cache.validate(); }
};

/// CacheState on rows of values.
class CacheDevice final : public Device {
 public:
  explicit CacheDevice(const CacheDeviceConfig& config)
      : shape_(config.cache),
        cache_(shape_, config.seed, 0, config.access_cycles),
        set_bits_(bits_of(shape_.sets() - 1)),
        reset_(add_input("reset", 1)),
        lookup_valid_(add_input("lookup_valid", 1)),
        lookup_key_(add_input("lookup_key", 64)),
        lookup_set_(add_input("lookup_set", set_bits_)),
        fill_valid_(add_input("fill_valid", 1)),
        fill_key_(add_input("fill_key", 64)),
        fill_set_(add_input("fill_set", set_bits_)),
        fill_entry_(add_input("fill_entry", 32)),
        flush_(add_input("flush", 1)),
        answer_valid_(add_output("answer_valid", 1)),
        answer_hit_(add_output("answer_hit", 1)),
        answer_entry_(add_output("answer_entry", 32)),
        fill_replaced_(add_output("fill_replaced", 1)),
        entries_held_(add_output("entries_held", 16)) {}

  void step() override {
    const std::uint64_t* const in = inputs();
    if ((in[reset_] | in[flush_] | in[lookup_valid_] | in[fill_valid_]) > 1) refuse_wide();
    lookup::CacheInputs taken;
    taken.reset = in[reset_] != 0;
    taken.flush = in[flush_] != 0;
    taken.lookup_valid = in[lookup_valid_] != 0;
    taken.fill_valid = in[fill_valid_] != 0;
    taken.lookup_key = in[lookup_key_];
    taken.fill_key = in[fill_key_];
    if (taken.lookup_valid) taken.lookup_set = set(in[lookup_set_]);
    if (taken.fill_valid) {
      taken.fill_set = set(in[fill_set_]);
      if (in[fill_entry_] >> 32 != 0) refuse_wide();
      taken.fill_entry = static_cast<std::uint32_t>(in[fill_entry_]);
    }
    show(cache_.step(taken));
    next_cycle();
  }

 private:
  std::uint32_t set(std::uint64_t number) const {
    if (number >= shape_.sets())
      throw ModelError("cache", cycle(), "",
                       "there is no set " + std::to_string(number) + " of " + std::to_string(shape_.sets()));
    return static_cast<std::uint32_t>(number);
  }
  void show(const lookup::CacheOutputs& values) {
    std::uint64_t* const out = shown();
    out[answer_valid_] = values.answer_valid;
    out[answer_hit_] = values.answer_hit;
    out[answer_entry_] = values.answer_entry;
    out[fill_replaced_] = values.fill_replaced;
    out[entries_held_] = values.entries_held;
  }

  const lookup::CacheShape shape_;
  lookup::CacheState cache_;
  const unsigned set_bits_;
  const std::size_t reset_, lookup_valid_, lookup_key_, lookup_set_, fill_valid_, fill_key_, fill_set_,
      fill_entry_, flush_;
  const std::size_t answer_valid_, answer_hit_, answer_entry_, fill_replaced_, entries_held_;
};

}  // namespace

void add_cache_device(DeviceKinds& kinds) {
  kinds.push_back(device_kind<CacheDeviceConfig, CacheDevice>("cache"));
}

}  // namespace tsuji::pins
