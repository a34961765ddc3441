// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/error.h"
#include "tsuji/observe/wave_file.h"
#include "tsuji/observe/wave_sink.h"

namespace tsuji::observe {

bool writes_fst() {
  return false;
}

std::unique_ptr<WaveSink> open_fst(const std::string& path) {
  throw ConfigError("", path, "this build has no FST writer (fstapi.c, of Debian's package verilator)",
                    "a waveform in VCD");
}

}  // namespace tsuji::observe
