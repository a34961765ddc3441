#pragma once

#include <string>

#include "tsuji/config/key_table.h"
#include "tsuji/workload/npb/npb.h"
#include "tsuji/workload/trace.h"

namespace tsuji::platform {

/// Binds workload.npb, workload.npb_steps and workload.npb_gflops, which stand behind workload.trace.
void add_npb_keys(config::KeyTable& keys, workload::NpbConfig& npb);

/// The skeleton that `npb` names, made in memory, or else the trace in the file `path`.
workload::Trace load_trace(const std::string& path, const workload::NpbConfig& npb,
                           const workload::TraceLimits& limits);

}  // namespace tsuji::platform
