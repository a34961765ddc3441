// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <systemc>

#include "tsuji/core/described.h"

namespace tsuji::network {

/// Hierarchical scope for a few hundred objects. The kernel searches all children of a parent when one of
/// them is destroyed, which takes long in a flat network of 10^5 routers.
class ObjectBlock final : public sc_core::sc_module, public Described {
 public:
  std::string stands_for() const override { return "scope of the names of some objects; no hardware"; }
  static constexpr std::size_t objects = 256;

  /// Makes every object constructed during its lifetime a child of `module`.
  class Inside {
   public:
#if SC_VERSION_MAJOR >= 3
    explicit Inside(sc_core::sc_module& module) : scope_(Opener::scope_of(module)) {}
#else
    explicit Inside(sc_core::sc_module& module) {
      sc_core::sc_get_curr_simcontext()->hierarchy_push(&module);
    }
    ~Inside() {
      sc_core::sc_get_curr_simcontext()->hierarchy_pop();
    }
#endif
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

#if SC_VERSION_MAJOR >= 3
   private:
    // get_hierarchy_scope() is protected: its address may be taken in a derived class.
    struct Opener : sc_core::sc_module {
      static sc_core::sc_hierarchy_scope scope_of(sc_core::sc_module& module) {
        return (module.*&Opener::get_hierarchy_scope)();
      }
    };
    sc_core::sc_hierarchy_scope scope_;
#endif
  };

  explicit ObjectBlock(sc_core::sc_module_name name) : sc_module(name) {}
};

}  // namespace tsuji::network
