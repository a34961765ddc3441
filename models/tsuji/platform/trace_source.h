// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tsuji/config/key_table.h"
#include "tsuji/workload/npb/npb.h"
#include "tsuji/workload/trace.h"

namespace tsuji::platform {

/// Binds workload.npb, workload.npb_steps and workload.npb_gflops, which stand behind workload.trace.
void add_npb_keys(config::KeyTable& keys, workload::NpbConfig& npb);

/// Traces of 64 ranks that come with Tsuji (platforms/traces).
inline constexpr const char* conjugate_gradient = "cg64.ti.zst";
inline constexpr const char* transpose = "transpose64.ti.zst";
/// The path of one of them.
std::string shipped_trace(const std::string& name);

/// The skeleton that `npb` names, made in memory, or else the trace in the file `path`, or the `shipped` one
/// where `path` is empty. ConfigError for what the reader refuses, and where ranks disagree.
workload::Trace load_trace(const std::string& path, const workload::NpbConfig& npb,
                           const workload::TraceLimits& limits,
                           const std::string& shipped = conjugate_gradient);

}  // namespace tsuji::platform
