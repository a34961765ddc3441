// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "tsuji/platform/command_line.h"
#include "tsuji/session/design_facts.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {

/// Options that print a configured network, or a proof about it, instead of running it: --print-topology,
/// --print-vcs, --print-capacity, --print-design, --check-deadlock, --certificate. They refer to `config`;
/// those of several configurations may share `facts`.
std::vector<platform::PlatformOption> network_prints(const NetworkRunConfig& config,
                                                     const std::shared_ptr<DesignFacts>& facts);

}  // namespace tsuji::session
