// SPDX-License-Identifier: Apache-2.0
#include "common/bench_main.h"
#include "crosspoint/devices.h"

using namespace tsuji;
using namespace tsuji::bench;

namespace {

using Row = std::vector<std::uint64_t>;

Device with_errors(const char* name, const char* bug, const AlterPins& inputs, const AlterPins& outputs) {
  return bench::with_errors(rows::crosspoint_2<NoTwin>(), name, bug, inputs, outputs);
}

/// The device has one configuration, the rules another one.
Device other_times(const char* name, const char* bug, unsigned crosspoint::CrosspointConfig::*field,
                   unsigned value) {
  crosspoint::CrosspointConfig rules;
  crosspoint::CrosspointConfig device_has = rules;
  device_has.*field = value;
  return judged<CrosspointJudge>(crosspoint_device<NoTwin>(name, bug, device_has), rules);
}

std::vector<Device> devices() {
  return {
      with_errors("flit_bit", "a bit of a data flit changes", {},
                  [](const Drive& pins, Row& row) {
                    if (row[pins.output("out_flit")] >> 25 == 2) row[pins.output("out_flit")] ^= 0x100;
                  }),
      with_errors("port_bits", "port bits of the next switch are exchanged", {},
                  [](const Drive& pins, Row& row) {
                    std::uint64_t& flit = row[pins.output("out_flit")];
                    if (row[pins.output("out_sid")] == 0 && row[pins.output("out_from")] == 1 &&
                        (flit & 3U) == 0)
                      flit ^= 0xc;
                  }),
      with_errors("lost_flit", "a flit is lost", {},
                  [](const Drive& pins, Row& row) {
                    if (row[pins.output("out_flit")] % 64 == 42) row[pins.output("out_valid")] = 0;
                  }),
      with_errors("kept_slot", "a slot is not freed", {},
                  [](const Drive& pins, Row& row) { row[pins.output("in_freed")] &= 1; }),
      with_errors("room_wire", "the room wire of a FIFO is always high", {},
                  [](const Drive& pins, Row& row) { row[pins.output("in_room")] |= 2; }),
      with_errors("other_room", "the room wires of an output are exchanged",
                  [](const Drive& pins, Row& row) {
                    row[pins.input("out_room")] = row[pins.input("out_room")] * 5 >> 1 & 3;
                  },
                  {}),
      with_errors("hidden_round", "a complete round is not shown", {},
                  [](const Drive& pins, Row& row) { row[pins.output("sync_complete")] = 0; }),
      other_times("early_single_cast", "single casts take a cycle less",
                  &crosspoint::CrosspointConfig::single_cast_cycles, 9),
      other_times("late_multicast", "multicasts take a cycle more",
                  &crosspoint::CrosspointConfig::multicast_cycles, 16),
      other_times("early_table", "synchronizations take a cycle less",
                  &crosspoint::CrosspointConfig::synchronization_cycles, 15),
      other_times("slow_table", "the table takes longer for a packet",
                  &crosspoint::CrosspointConfig::table_access_cycles, 4),
      other_times("deep_fifo", "FIFOs take a packet more", &crosspoint::CrosspointConfig::fifo_packets, 3),
  };
}

}  // namespace

int sc_main(int argc, char** argv) {
  return bench_main(argc, argv, devices());
}
