// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/core/message_class.h"
#include "tsuji/router/switch_allocator_kinds.h"
#include "tsuji/router/vc_allocator_kinds.h"

// Parameters of allocators. A name that is in both tables is one key.

namespace tsuji::router {

/// iSLIP: outputs grant, inputs accept, and pointers move only for grants accepted in the first iteration
/// (McKeown, "The iSLIP scheduling algorithm for input-queued switches", 1999).
struct IslipConfig {
  unsigned islip_iterations = 1;

  void add_keys(config::KeyTable& keys);
  void validate() const;  ///< throws ConfigError
  ArenaPtr<VcAllocator> make(Arena& arena, const VcAllocatorShape& shape) const;
  ArenaPtr<SwitchAllocator> make(Arena& arena, const SwitchShape& shape) const;
};

/// Separable input-first allocation with matrix (least recently served) arbiters.
struct MatrixVcConfig {
  FirstLine matrix_first = FirstLine::lowest;

  void add_keys(config::KeyTable& keys);
  ArenaPtr<VcAllocator> make(Arena& arena, const VcAllocatorShape& shape) const;
};

/// Range of the input arbiters of a separable switch allocator: the input's virtual channels, or the outputs,
/// for each of which a round robin of the input has selected a virtual channel. iSLIP's inputs arbitrate over
/// outputs.
enum class SaInputArbiter : std::uint8_t { vcs, outputs };

/// Separable input-first allocation with round-robin (separable) or matrix arbiters.
struct SeparableSwitchConfig {
  SaInputArbiter sa_input_arbiter = SaInputArbiter::vcs;
  FirstLine matrix_first = FirstLine::lowest;

  void add_keys(config::KeyTable& keys);
  ArenaPtr<SwitchAllocator> make_separable(Arena& arena, const SwitchShape& shape) const;
  ArenaPtr<SwitchAllocator> make_matrix(Arena& arena, const SwitchShape& shape) const;
};

/// Separable output-first allocation between classes of messages: strict priority, or weighted round robin.
struct ClassSwitchConfig {
  /// Sets of virtual channels, given by the classes of the network's configuration.
  ClassPolicy policy = ClassPolicy::one_set();

  ArenaPtr<SwitchAllocator> make(Arena& arena, const SwitchShape& shape) const;
};

}  // namespace tsuji::router
