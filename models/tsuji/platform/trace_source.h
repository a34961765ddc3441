// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tsuji/config/key_table.h"
#include "tsuji/workload/npb/npb.h"
#include "tsuji/workload/trace.h"

namespace tsuji::platform {

/// Binds workload.npb, workload.npb_steps and workload.npb_gflops, which are listed after workload.trace.
void add_npb_keys(config::KeyTable& keys, workload::NpbConfig& npb);

/// Names of the traces of 64 ranks that come with Tsuji (platforms/traces).
inline constexpr const char* conjugate_gradient = "cg64.ti.zst";
inline constexpr const char* transpose = "transpose64.ti.zst";
/// Path of a trace that comes with Tsuji.
std::string shipped_trace(const std::string& name);

/// Returns the skeleton that `npb` selects, generated in memory; else the trace in the file `path`, or the
/// `shipped` trace if `path` is empty. Throws ConfigError for everything that the reader refuses, and for
/// ranks that disagree.
workload::Trace load_trace(const std::string& path, const workload::NpbConfig& npb,
                           const workload::TraceLimits& limits,
                           const std::string& shipped = conjugate_gradient);

}  // namespace tsuji::platform
