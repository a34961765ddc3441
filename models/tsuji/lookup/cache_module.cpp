// SPDX-License-Identifier: Apache-2.0
#include "tsuji/lookup/cache_module.h"

namespace tsuji::lookup {

CacheModule::CacheModule(sc_core::sc_module_name module_name, const RoutingTableCacheConfig& config)
    : sc_module(module_name), own_shape_(std::make_unique<CacheShape>(config)), state_(*own_shape_) {
  begin();
}

CacheModule::CacheModule(sc_core::sc_module_name module_name, const CacheShape& shape, std::uint64_t seed,
                         std::uint64_t component, Cycle access_cycles)
    : sc_module(module_name), state_(shape, seed, component, access_cycles) {
  begin();
}

void CacheModule::begin() {
  SC_METHOD(on_edge);
  sensitive << clock.pos();
  dont_initialize();
}

void CacheModule::on_edge() {
  CacheInputs in;
  in.reset = reset.read();
  in.flush = flush.read();
  in.lookup_valid = lookup_valid.read();
  in.lookup_key = lookup_key.read();
  in.lookup_set = lookup_set.read();
  in.fill_valid = fill_valid.read();
  in.fill_key = fill_key.read();
  in.fill_set = fill_set.read();
  in.fill_entry = fill_entry.read();
  const CacheOutputs out = state_.step(in);
  answer_valid.write(out.answer_valid);
  answer_hit.write(out.answer_hit);
  answer_entry.write(out.answer_entry);
  fill_replaced.write(out.fill_replaced);
  entries_held.write(out.entries_held);
}

}  // namespace tsuji::lookup
