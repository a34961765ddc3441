// SPDX-License-Identifier: Apache-2.0
#include "Vany_credit.h"
#include "Vheld_by_two.h"
#include "Vroute_late.h"
#include "Vwrong_passes.h"
#include "common/bench_main.h"
#include "router/devices.h"

using namespace tsuji::bench;

namespace {

/// Devices of router_bench, each with a bug in its twin (CMakeLists.txt).
std::vector<Device> devices() {
  return {
      planted(rows::router_matrix<Vany_credit>(), "any_credit", "flits leave without a place at the far end"),
      planted(rows::router_matrix<Vheld_by_two>(), "held_by_two", "a head does not take its virtual channel"),
      planted(rows::router_iterations<Vroute_late>(), "route_late", "route computation takes a cycle more"),
      planted(rows::router_straight<Vwrong_passes>(), "wrong_passes",
              "a head is not killed whose guess is wrong"),
  };
}

}  // namespace

int sc_main(int argc, char** argv) {
  return bench_main(argc, argv, devices());
}
