// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/router/switch_allocator_kinds.h"
#include "tsuji/router/vc_allocator_kinds.h"

// Parameters of allocators. Those of one name in both tables are one key.

namespace tsuji::router {

/// Outputs grant, inputs accept, and the pointers move only with what the first iteration accepts (McKeown,
/// "The iSLIP scheduling algorithm", 1999).
struct IslipConfig {
  unsigned islip_iterations = 1;

  void add_keys(config::KeyTable& keys);
  void validate() const;  ///< throws ConfigError
  ArenaPtr<VcAllocator> make(Arena& arena, const VcAllocatorShape& shape) const;
  ArenaPtr<SwitchAllocator> make(Arena& arena, const SwitchShape& shape) const;
};

/// Input first, with least-recently-served arbiters at inputs, then at outputs.
struct MatrixVcConfig {
  FirstLine matrix_first = FirstLine::lowest;

  void add_keys(config::KeyTable& keys);
  ArenaPtr<VcAllocator> make(Arena& arena, const VcAllocatorShape& shape) const;
};

/// Lines of a separable switch allocator's input arbiters: the virtual channels of the input, or the outputs,
/// for each of which a round robin of the input has chosen a channel. iSLIP's inputs accept among outputs.
enum class SaInputArbiter : std::uint8_t { vcs, outputs };

/// Input first: arbiters at inputs, then at outputs, which go round robin (separable) or are those of a
/// matrix.
struct SeparableSwitchConfig {
  SaInputArbiter sa_input_arbiter = SaInputArbiter::vcs;
  FirstLine matrix_first = FirstLine::lowest;

  void add_keys(config::KeyTable& keys);
  ArenaPtr<SwitchAllocator> make_separable(Arena& arena, const SwitchShape& shape) const;
  ArenaPtr<SwitchAllocator> make_matrix(Arena& arena, const SwitchShape& shape) const;
};

}  // namespace tsuji::router
