// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/library/rounds_program.h"

#include <string>

#include "tsuji/core/error.h"

namespace tsuji::host {

/// A broadcast takes at most the time of the broadcast and the barrier before it, so twice that time is
/// enough for the second broadcast.
Cycle RoundsProgram::agreed_start(std::uint64_t word) {
  Cpu& cpu = runtime_.cpu;
  barrier();
  const Cycle before = cpu.now();
  runtime_.collectives.broadcast({word, 8}, 0);
  barrier();
  if (runtime_.rank() == 0) cpu.store(word, cpu.now() + 2 * (cpu.now() - before) + 1000);
  runtime_.collectives.broadcast({word, 8}, 0);
  const Cycle start = cpu.load(word);
  if (cpu.now() > start) {
    throw ModelError("rank " + std::to_string(runtime_.rank()), cpu.now(), "",
                     "learns of the start of a round only after that cycle, " + std::to_string(start));
  }
  return start;
}

void RoundsProgram::play_rounds(std::uint64_t rounds, const Step& before, const Step& once,
                                const Step& after) {
  const HeapBlock word(runtime_.heap, 8);
  Cpu& cpu = runtime_.cpu;
  for (std::uint64_t number = 1; number <= rounds; ++number) {
    before(number);
    enter("rounds: agreement on a start");
    const Cycle start = agreed_start(word.address());
    cpu.compute(start - cpu.now());
    enter("rounds: a round");
    starts_.push_back(start);
    once(number);
    ends_.push_back(cpu.now());
    enter("rounds: the barrier after a round");
    barrier();
    after(number);
  }
  barrier();
}

}  // namespace tsuji::host
