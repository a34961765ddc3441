// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tsuji::fuzz {

/// Registers `say`, which is called when a damaged input ends the process: after a sanitizer's report
/// (sanitizer_words.cpp), or before a signal ends the process (signal_words.cpp).
void call_before_death(void (*say)());

}  // namespace tsuji::fuzz
