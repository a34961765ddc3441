// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <type_traits>
#include <utility>

#include "network/network_rtl.h"
#include "tsuji/lookup/switch_modules.h"

namespace tsuji::bench {

/// RTL of a cache for the look-up modules of a network's switches, with its configuration.
struct CacheRtl {
  std::string name, what;
  lookup::RoutingTableCacheConfig cache;
  std::function<std::unique_ptr<sc_core::sc_module>(const char* name, lookup::CacheWires& wires)> make;
};

std::unique_ptr<NetworkRtl> network_rtl(CacheRtl rtl);

/// A wire of a set's number for a pin of another type: RTL of two sets has a pin of one bit.
template <class Pin>
class SetWire final : public sc_core::sc_module {
 public:
  SetWire(sc_core::sc_module_name module_name, sc_core::sc_signal<std::uint32_t>& wide, Pin& pin)
      : sc_module(module_name), wide_(wide) {
    pin(narrow_);
    SC_METHOD(pass);
    sensitive << wide;
  }
  SC_HAS_PROCESS(SetWire);

 private:
  using Value = std::decay_t<decltype(std::declval<const Pin&>().read())>;
  void pass() { narrow_.write(static_cast<Value>(wide_.read())); }
  const sc_core::sc_signal<std::uint32_t>& wide_;
  sc_core::sc_signal<Value> narrow_;
};

/// A Verilated cache with the pins of lookup::CacheModule.
template <class Rtl>
class CacheOfRtl final : public sc_core::sc_module {
 public:
  CacheOfRtl(sc_core::sc_module_name module_name, lookup::CacheWires& wires)
      : sc_module(module_name),
        rtl_("rtl"),
        lookup_set_("lookup_set", wires.lookup_set, rtl_.lookup_set),
        fill_set_("fill_set", wires.fill_set, rtl_.fill_set) {
    rtl_.clock(wires.clock);
    rtl_.reset(wires.reset);
    rtl_.lookup_valid(wires.lookup_valid);
    rtl_.lookup_key(wires.lookup_key);
    rtl_.fill_valid(wires.fill_valid);
    rtl_.fill_key(wires.fill_key);
    rtl_.fill_entry(wires.fill_entry);
    rtl_.flush(wires.flush);
    rtl_.answer_valid(wires.answer_valid);
    rtl_.answer_hit(wires.answer_hit);
    rtl_.answer_entry(wires.answer_entry);
    rtl_.fill_replaced(wires.fill_replaced);
    rtl_.entries_held(wires.entries_held);
  }

 private:
  Rtl rtl_;
  SetWire<decltype(Rtl::lookup_set)> lookup_set_;
  SetWire<decltype(Rtl::fill_set)> fill_set_;
};

/// A row of network_bench's table: Rtl is a Verilated class with the pins of lookup::CacheModule.
template <class Rtl>
std::unique_ptr<NetworkRtl> cache_rtl(const char* name, const char* what,
                                      const lookup::RoutingTableCacheConfig& cache) {
  return network_rtl(CacheRtl{name, what, cache, [](const char* module_name, lookup::CacheWires& wires) {
                                return std::make_unique<CacheOfRtl<Rtl>>(module_name, wires);
                              }});
}

}  // namespace tsuji::bench
