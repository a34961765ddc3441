// SPDX-License-Identifier: Apache-2.0
#include "Vany_room.h"
#include "Vgroup_ignored.h"
#include "Vlowest_first.h"
#include "Vmulticast_early.h"
#include "Vold_parity.h"
#include "Vone_kept_round.h"
#include "Vreservation_lost.h"
#include "Vreservation_taken.h"
#include "Vround_lost.h"
#include "Vtable_turn.h"
#include "common/bench_main.h"
#include "crosspoint/devices.h"

using namespace tsuji::bench;

namespace {

/// More devices of crosspoint_bench, each with a bug in its twin (CMakeLists.txt).
std::vector<Device> devices() {
  return {
      planted(rows::crosspoint_3<Vany_room>(), "any_room", "a packet leaves with room in one of its FIFOs"),
      planted(rows::crosspoint_3<Vreservation_lost>(), "reservation_lost", "a multicast gets no reservation"),
      planted(rows::crosspoint_3<Vreservation_taken>(), "reservation_taken",
              "a reservation ends with the next grant"),
      planted(rows::crosspoint_2<Vround_lost>(), "round_lost",
              "an output forgets a round when the next is complete"),
      planted(rows::crosspoint_2<Vone_kept_round>(), "one_kept_round",
              "a round's packet replaces one that is still owed"),
      planted(rows::crosspoint_3<Vtable_turn>(), "table_turn",
              "the table begins with FIFO 0 of the input in turn"),
      planted(rows::crosspoint_2<Vgroup_ignored>(), "group_ignored", "multicasts go to the nodes of group 0"),
      planted(rows::crosspoint_2<Vold_parity>(), "old_parity",
              "a port flit keeps the parity that it came with"),
      planted(rows::crosspoint_3<Vmulticast_early>(), "multicast_early",
              "a multicast requests as early as a single cast"),
      planted(rows::crosspoint_3<Vlowest_first>(), "lowest_first", "an output serves the lowest requester"),
  };
}

}  // namespace

int sc_main(int argc, char** argv) {
  return bench_main(argc, argv, devices());
}
