// SPDX-License-Identifier: Apache-2.0
#include <sanitizer/common_interface_defs.h>

#include "last_words.h"

void tsuji::fuzz::call_before_death(void (*say)()) {
  __sanitizer_set_death_callback(say);
}
