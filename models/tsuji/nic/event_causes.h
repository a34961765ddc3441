// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/nic/interface_values.h"

namespace tsuji::nic {

/// Text of a violation for messages.
const char* name_of(Violation violation);

}  // namespace tsuji::nic
