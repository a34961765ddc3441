// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/library/collective_program.h"

#include "tsuji/host/library/payload.h"

namespace tsuji::host {
namespace {

PayloadKey key_of(std::uint64_t number) {
  PayloadKey key;
  key.serial = static_cast<std::uint32_t>(number);
  return key;
}

}  // namespace

void CollectiveProgram::play() {
  const HeapBlock data(runtime_.heap, config_.bytes), sum(runtime_.heap, config_.bytes);
  Collectives& collectives = runtime_.collectives;
  const Block block{data.address(), config_.bytes};
  const bool adds = config_.collective == Collective::all_reduce;
  const bool sends = config_.collective == Collective::broadcast;
  Payload payload(runtime_.cpu);
  play_rounds(
      config_.rounds,
      [&](std::uint64_t number) {
        const auto serial = static_cast<std::uint32_t>(number);
        if (adds) payload.write_part(serial, runtime_.rank(), block.address, block.bytes);
        if (sends && runtime_.rank() == 0) payload.write(key_of(number), block.address, block.bytes);
      },
      [&](std::uint64_t) {
        if (adds) {
          collectives.all_reduce(block, sum.address());
        } else if (sends) {
          collectives.broadcast(block, 0);
        } else {
          barrier();
        }
      },
      [&](std::uint64_t number) {
        const auto serial = static_cast<std::uint32_t>(number);
        if (adds) payload.check_sum(serial, runtime_.ranks(), sum.address(), block.bytes);
        if (sends) payload.check(key_of(number), block.address, block.bytes);
      });
}

}  // namespace tsuji::host
