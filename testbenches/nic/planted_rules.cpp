// SPDX-License-Identifier: Apache-2.0
#include "common/bench_main.h"
#include "nic/devices.h"

using namespace tsuji;
using namespace tsuji::bench;

namespace {

/// Devices of nic_bench, each with an error at its pins, which the scoreboard names.
using Row = std::vector<std::uint64_t>;

Device builder(const char* name, const char* bug, const AlterPins& inputs, const AlterPins& outputs) {
  return with_errors(rows::packet_builder<NoTwin>(), name, bug, inputs, outputs);
}

Device judge(const char* name, const char* bug, const AlterPins& inputs, const AlterPins& outputs) {
  return with_errors(rows::packet_judge<NoTwin>(), name, bug, inputs, outputs);
}

/// A pin has this value, whatever comes.
AlterPins stuck_input(const char* pin, std::uint64_t value) {
  return [=](const Drive& pins, Row& row) { row[pins.input(pin)] = value; };
}
AlterPins stuck_output(const char* pin, std::uint64_t value) {
  return [=](const Drive& pins, Row& row) { row[pins.output(pin)] = value; };
}

/// Bits of a flit change in flits whose data end in 42.
AlterPins other_flit(const char* pin, std::uint64_t flip, bool input) {
  return [=](const Drive& pins, Row& row) {
    std::uint64_t& flit = row[input ? pins.input(pin) : pins.output(pin)];
    if (flit % 64 == 42) flit ^= flip;
  };
}

std::vector<Device> devices() {
  return {
      builder("long_packet", "packets begin at any line of the destination",
              stuck_input("parcel_destination", 0), {}),
      builder("never_again", "no line is known to be clean", stuck_input("parcel_kept", 0), {}),
      builder("hidden_cut", "a cut is not shown", {}, stuck_output("cut_valid", 0)),
      builder("no_log", "the log bit is lost", stuck_input("parcel_log", 0), {}),
      builder("wrong_parity", "a parity bit is wrong", {}, other_flit("out_flit", 1U << 24, false)),
      builder("wrong_position", "a flit has two position codes", {}, other_flit("out_flit", 3U << 25, false)),
      builder("wrong_check", "a bit of a word changes, and the parity with it", {},
              other_flit("out_flit", 1U << 24 | 1U << 8, false)),
      builder("other_data", "doublewords change between memory and packet", stuck_input("line_word", 5), {}),
      builder("lost_flit", "a flit is lost", {},
              [](const Drive& pins, Row& row) {
                if (row[pins.output("out_flit")] % 64 == 42) row[pins.output("out_valid")] = 0;
              }),
      judge("lost_accepted", "lost flits are not noticed", stuck_input("in_valid", 1), {}),
      judge("any_position", "position codes are repaired",
            [](const Drive& pins, Row& row) {
              std::uint64_t& flit = row[pins.input("in_flit")];
              if (flit >> 25 == 3) flit ^= 1U << 25;
            },
            {}),
      judge("any_node", "the node is not known", stuck_input("node", 0), {}),
      judge("all_accepted", "every packet is accepted", {}, stuck_output("verdict", 0)),
      judge("no_count", "corrected words are not counted", {}, stuck_output("verdict_corrected", 0)),
      judge("no_verdict", "no packet is judged", {}, stuck_output("verdict_valid", 0)),
      judge("word_bit", "a bit of a word changes", {},
            [](const Drive& pins, Row& row) { row[pins.output("word")] ^= 0x100; }),
  };
}

}  // namespace

int sc_main(int argc, char** argv) {
  return bench_main(argc, argv, devices());
}
