// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tsuji::fuzz {

/// Calls `say` when a damaged input ends the process: by a sanitizer's report (sanitizer_words.cpp) or by a
/// signal (signal_words.cpp), which ends it afterwards.
void call_before_death(void (*say)());

}  // namespace tsuji::fuzz
