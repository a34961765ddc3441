// SPDX-License-Identifier: Apache-2.0
#include <systemc>

/// Entry of a SystemC program, which a process that loads this library is not.
extern "C" [[gnu::visibility("default")]] int sc_main(int, char**) {
  return 1;
}
