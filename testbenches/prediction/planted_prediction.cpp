// SPDX-License-Identifier: Apache-2.0
#include "Vasked_is_kept.h"
#include "Vasking_keeps.h"
#include "Vfree_is_taken.h"
#include "Vheld_too_soon.h"
#include "Vkept_again.h"
#include "Vlearned_late.h"
#include "Vno_turn.h"
#include "Vshared_entry.h"
#include "Vshort_context.h"
#include "Vtwo_flits.h"
#include "Vtwo_holders.h"
#include "common/bench_main.h"
#include "prediction/devices.h"

using namespace tsuji::bench;

namespace {

/// Devices of prediction_bench, each with a bug in its twin (CMakeLists.txt).
std::vector<Device> devices() {
  return {
      planted(rows::crossbar<Vasked_is_kept>(), "asked_is_kept",
              "a request for an output leaves it to its holder"),
      planted(rows::crossbar<Vasking_keeps>(), "asking_keeps",
              "a requesting input keeps the output that it holds"),
      planted(rows::crossbar<Vheld_too_soon>(), "held_too_soon",
              "a released output is held again in the next cycle"),
      planted(rows::crossbar<Vtwo_holders>(), "two_holders", "two inputs hold one output"),
      planted(rows::crossbar<Vtwo_flits>(), "two_flits", "two flits cross an input in a cycle"),
      planted(rows::crossbar_slow<Vfree_is_taken>(), "free_is_taken", "a free output counts as taken"),
      planted(rows::crossbar<Vkept_again>(), "kept_again", "a packet whose output was released has it again"),
      planted(rows::crossbar<Vno_turn>(), "no_turn", "a released output goes to the lowest input"),
      planted(rows::latest_port<Vlearned_late>(), "learned_late",
              "a head learned in the cycle of a look counts later"),
      planted(rows::finite_context<Vshort_context>(), "short_context", "a context is the last head alone"),
      planted(rows::last_destination<Vshared_entry>(), "shared_entry",
              "destinations share entries without a bit"),
  };
}

}  // namespace

int sc_main(int argc, char** argv) {
  return bench_main(argc, argv, devices());
}
