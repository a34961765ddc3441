// SPDX-License-Identifier: Apache-2.0
#include "detour/table_port_bench.h"

namespace tsuji::bench {
namespace {

constexpr Cycle phase_cycles = 256;

}  // namespace

TablePortStimulus::TablePortStimulus(const Drive& pins, std::uint64_t seed, const lookup::PortedTableTiming&)
    : random_(seed, 6), at_(pins) {}

bool TablePortStimulus::comes(Cycle phase, unsigned line) {
  switch (phase % 6) {
    case 0:
      return random_.below(100) == 0;
    case 1:
      return random_.below(12) == 0;
    case 2:
      return true;
    case 3:  // an input port's two halves, which are different groups
      return line / 4 == phase / 6 % 5;
    case 4:  // every other group
      return line % 4 / 2 == phase / 6 % 2;
    default:
      return line == phase / 6 % lines || random_.below(40) == 0;
  }
}

void TablePortStimulus::drive(Cycle cycle, Drive& pins) {
  const Cycle phase = cycle / phase_cycles;
  const bool restart = cycle < 2 || random_.below(4096) == 0;
  pins.set(at_.reset, restart);
  for (unsigned port = 0; port < lookup::TablePortModule::read_ports; ++port)
    if (pins.seen(at_.answer_valid, port) != 0) waits_[pins.seen(at_.answer_line, port)] = false;
  if (restart) waits_ = {};
  const std::uint64_t cancel_each[] = {200, 20, 1'000'000};
  for (unsigned line = 0; line < lines; ++line) {
    const bool cancels = waits_[line] && random_.below(cancel_each[phase % 3]) == 0;
    pins.set(at_.cancel, line, cancels);
    if (cancels) waits_[line] = false;
    const bool asks = !waits_[line] && (cancels ? random_.below(2) == 0 : comes(phase, line));
    pins.set(at_.ask, line, asks);
    if (asks && !restart) waits_[line] = true;
    pins.set(at_.ask_address, line, random_.below(lookup::TablePortModule::words));
  }
  pins.set(at_.write_valid, random_.below(phase % 2 == 0 ? 2 : 50) == 0);
  pins.set(at_.write_address, random_.below(lookup::TablePortModule::words));
  pins.set(at_.write_word, random_.below(1U << lookup::TablePortModule::word_bits));
}

}  // namespace tsuji::bench
