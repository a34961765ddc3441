// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/cenju4/cenju4_main.h"

int sc_main(int argc, char** argv) {
  return tsuji::session::cenju4_main(argc, argv);
}
