// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "tsuji/lookup/routing_table_cache.h"

namespace tsuji::lookup {

/// RoutingTableCache with pins, each access a cycle. In one cycle first the fill, then the look-up, then the
/// flush. An entry is the virtual channels above the port, 16 bits each.
class CacheModule final : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clock{"clock"};
  sc_core::sc_in<bool> reset{"reset"};
  sc_core::sc_in<bool> lookup_valid{"lookup_valid"};
  sc_core::sc_in<std::uint64_t> lookup_key{"lookup_key"};
  sc_core::sc_in<std::uint32_t> lookup_set{"lookup_set"};
  sc_core::sc_in<bool> fill_valid{"fill_valid"};
  sc_core::sc_in<std::uint64_t> fill_key{"fill_key"};
  sc_core::sc_in<std::uint32_t> fill_set{"fill_set"};
  sc_core::sc_in<std::uint32_t> fill_entry{"fill_entry"};
  sc_core::sc_in<bool> flush{"flush"};
  sc_core::sc_out<bool> answer_valid{"answer_valid"};
  sc_core::sc_out<bool> answer_hit{"answer_hit"};
  sc_core::sc_out<std::uint32_t> answer_entry{"answer_entry"};
  sc_core::sc_out<bool> fill_replaced{"fill_replaced"};
  sc_core::sc_out<std::uint32_t> entries_held{"entries_held"};

  CacheModule(sc_core::sc_module_name name, const RoutingTableCacheConfig& config);
  SC_HAS_PROCESS(CacheModule);

 private:
  void on_edge();
  const CacheShape shape_;
  RoutingTableCache cache_;
};

}  // namespace tsuji::lookup
