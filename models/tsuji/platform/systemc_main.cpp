// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <systemc>

// Replaces the main() of libsystemc, which prints its banner before sc_main is called.
int main(int argc, char** argv) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  return sc_core::sc_elab_and_sim(argc, argv);
}
