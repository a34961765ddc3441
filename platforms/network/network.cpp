// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/network_main.h"

int sc_main(int argc, char** argv) {
  return tsuji::session::network_main(argc, argv);
}
