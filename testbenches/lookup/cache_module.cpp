// SPDX-License-Identifier: Apache-2.0
#include "lookup/cache_module.h"

namespace tsuji::lookup {

CacheModule::CacheModule(sc_core::sc_module_name module_name, const RoutingTableCacheConfig& config)
    : sc_module(module_name), shape_(config), cache_(shape_) {
  SC_METHOD(on_edge);
  sensitive << clock.pos();
  dont_initialize();
}

void CacheModule::on_edge() {
  bool replaced = false;
  const RouteEntry* found = nullptr;
  const bool looks = lookup_valid.read() && !reset.read();
  if (fill_valid.read() && !reset.read()) {
    const RouteEntry entry{static_cast<std::uint16_t>(fill_entry.read()),
                           static_cast<std::uint16_t>(fill_entry.read() >> 16)};
    replaced = cache_.fill(fill_key.read(), fill_set.read(), entry);
  }
  if (looks) found = cache_.find(lookup_key.read(), lookup_set.read());
  answer_valid.write(looks);
  answer_hit.write(found != nullptr);
  answer_entry.write(found == nullptr ? 0U : std::uint32_t{found->vcs} << 16 | found->port);
  fill_replaced.write(replaced);
  if (flush.read() || reset.read()) cache_.flush();
  entries_held.write(cache_.entries_held());
}

}  // namespace tsuji::lookup
