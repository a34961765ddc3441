// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "tsuji/platform/command_line.h"

namespace tsuji::session {

/// Constructs the machine of a configuration and calls look() while it exists.
using BuildMachine = std::function<void(const platform::RunOptions&, const std::function<void()>& look)>;

/// The option --list-modules [all]: prints the hierarchy of the machine's modules (instruments::ModuleList)
/// instead of running.
platform::PlatformOption modules_option(BuildMachine build);

}  // namespace tsuji::session
