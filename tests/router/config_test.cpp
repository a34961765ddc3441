// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "support/catch.h"
#include "support/refusals.h"
#include "tsuji/config/key_table.h"
#include "tsuji/router/allocators/kinds.h"
#include "tsuji/router/config.h"

using namespace tsuji;
using namespace tsuji::router;

TEST_CASE("a router without switch allocation, input paths or iterations is refused") {
  VcRouterConfig config;
  constexpr auto most = std::numeric_limits<unsigned>::max();
  tsuji::test::check_bounds("router.sa_cycles", config, config.sa_cycles, 1, never);
  tsuji::test::check_bounds("router.input_speedup", config, config.input_speedup, 1, most);
  const char* const iterations = "router.islip_iterations";
  tsuji::test::check_bounds(iterations, config, config.va_allocators.of<IslipConfig>().islip_iterations, 1,
                            most);
  tsuji::test::check_bounds(iterations, config, config.sa_allocators.of<IslipConfig>().islip_iterations, 1,
                            most);
}

TEST_CASE("a head requests channels of several ports only where the input arbiter ranges over them") {
  VcRouterConfig config;
  config.va_requests = VaRequests::all;
  CHECK_THROWS_WITH(config.validate(), Catch::Contains("router.va_requests") &&
                                           Catch::Contains("router.va_input_arbiter ports_and_vcs"));
  config.va_input_arbiter = VaInputArbiter::ports_and_vcs;
  CHECK_NOTHROW(config.validate());
}

TEST_CASE("a flit is on the wires after its switch allocation, traversal and serialization") {
  VcRouterConfig config;
  config.des_cycles = 1;
  config.va_cycles = 2;
  config.sa_cycles = 4;
  config.st_cycles = 8;
  config.ser_cycles = 16;
  CHECK(config.depart_after() == 4 + 8 + 16);
  CHECK(config.allocate_and_traverse() == 1 + 2 + 4 + 8 + 16);
}

TEST_CASE("a key of several allocators sets the parameter of each") {
  VcRouterConfig config;
  config::KeyTable keys;
  config.add_keys(keys);
  keys.set_from_command_line("router.islip_iterations=3");
  keys.set_from_command_line("router.matrix_first=highest");
  CHECK(config.va_allocators.of<IslipConfig>().islip_iterations == 3);
  CHECK(config.sa_allocators.of<IslipConfig>().islip_iterations == 3);
  CHECK(config.va_allocators.of<MatrixVcConfig>().matrix_first == FirstLine::highest);
  CHECK(config.sa_allocators.of<SeparableSwitchConfig>().matrix_first == FirstLine::highest);
}
