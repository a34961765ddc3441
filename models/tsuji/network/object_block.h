// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

namespace tsuji::network {

/// A scope of the hierarchy for a few hundred objects: the kernel looks through all of a parent's children
/// when one of them goes, which a flat network of 10^5 routers would feel.
class ObjectBlock final : public sc_core::sc_module {
 public:
  static constexpr std::size_t objects = 256;

  /// Makes everything that is constructed while it lives a child of this block.
  class Inside {
   public:
#if SC_VERSION_MAJOR >= 3
    explicit Inside(ObjectBlock& block) : scope_(block.get_hierarchy_scope()) {}
#else
    explicit Inside(ObjectBlock& block) {
      sc_core::sc_get_curr_simcontext()->hierarchy_push(&block);
    }
    ~Inside() {
      sc_core::sc_get_curr_simcontext()->hierarchy_pop();
    }
#endif
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

#if SC_VERSION_MAJOR >= 3
   private:
    sc_core::sc_hierarchy_scope scope_;
#endif
  };

  explicit ObjectBlock(sc_core::sc_module_name name) : sc_module(name) {}
};

}  // namespace tsuji::network
