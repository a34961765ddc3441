// SPDX-License-Identifier: Apache-2.0
#include "Vcrc_reports.h"
#include "common/bench_main.h"
#include "lookup/devices.h"

using namespace tsuji::bench;

/// A twin with separate reports (CMakeLists.txt).
int sc_main(int argc, char** argv) {
  return bench_main(argc, argv, {planted(rows::crc32c<Vcrc_reports>(), "crc_reports", "it reports keys")});
}
