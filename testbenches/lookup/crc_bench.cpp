// SPDX-License-Identifier: Apache-2.0
#include "lookup/crc_bench.h"

namespace tsuji::bench {

CrcStimulus::CrcStimulus(const Drive& pins, std::uint64_t seed, const lookup::CrcSpec&)
    : random_(seed, 1),
      reset_(pins.input("reset")),
      valid_(pins.input("in_valid")),
      key_(pins.input("in_key")),
      ready_(pins.input("out_ready")) {}

std::uint64_t CrcStimulus::key() {
  switch (random_.below(4)) {
    case 0:
      return std::uint64_t{1} << random_.below(64);
    case 1:
      return ~std::uint64_t{0} >> random_.below(64) << random_.below(64);
    case 2:
      return dense_++;
    default:
      return random_.next();
  }
}

void CrcStimulus::drive(Cycle cycle, Drive& pins) {
  const Cycle phase = cycle / 512 % 4;  // back to back; gaps; stalls; both
  pins.set(reset_, cycle < 2 || random_.below(1024) == 0);
  pins.set(valid_, (phase & 1) == 0 || random_.below(3) == 0);
  pins.set(ready_, (phase & 2) == 0 || random_.below(4) == 0);
  pins.set(key_, key());
}

}  // namespace tsuji::bench
