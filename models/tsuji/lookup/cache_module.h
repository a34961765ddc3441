// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>

#include "tsuji/core/described.h"
#include "tsuji/core/units.h"
#include "tsuji/lookup/cache_state.h"

namespace tsuji::lookup {

/// CacheState as a module with pins.
class CacheModule final : public sc_core::sc_module, public Described {
 public:
  std::string stands_for() const override {
    return "routing-table cache of an input port (Hirasawa 2020, section 3.2)";
  }
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
  sc_core::sc_out<std::uint32_t> answer_entry{
      "answer_entry"};  ///< entry of the answer as on_wires() encodes it
  sc_core::sc_out<bool> fill_replaced{"fill_replaced"};
  sc_core::sc_out<std::uint32_t> entries_held{"entries_held"};

  CacheModule(sc_core::sc_module_name name, const RoutingTableCacheConfig& config);
  /// Arguments of CacheState.
  CacheModule(sc_core::sc_module_name name, const CacheShape& shape, std::uint64_t seed,
              std::uint64_t component, Cycle access_cycles);
  SC_HAS_PROCESS(CacheModule);

  /// Hit or miss of the look-up at the last edge, known before the answer is at the pins.
  bool found() const { return state_.found(); }
  CacheCounters counters() const { return state_.cache().counters(); }
  /// RoutingTableCache::warm(), before the simulation starts.
  void warm(std::uint64_t key, std::uint32_t set, RouteEntry entry) { state_.cache().warm(key, set, entry); }

 private:
  void begin();
  void on_edge();

  std::unique_ptr<const CacheShape> own_shape_;  ///< null: the constructor's shape is used
  CacheState state_;
};

}  // namespace tsuji::lookup
