// SPDX-License-Identifier: Apache-2.0
#include "support/committed_keys.h"
#include "tsuji/machines/cenju4/cenju4_keys.h"

using namespace tsuji;
using namespace tsuji::machines;

TEST_CASE("the keys of a Cenju-4 machine have the committed facts") {
  Cenju4Config config;
  const std::string sections =
      " clock_period_ps network switch sizes sender receiver memory cache processor library software os "
      "faults "
      "run ";
  tsuji::test::check_committed_keys("cenju4", sections,
                                    [&](config::KeyTable& keys) { add_cenju4_keys(keys, config); });
}
