// SPDX-License-Identifier: Apache-2.0
#include "Vcache_fifo.h"
#include "Vcache_lru.h"
#include "Vcache_pseudo_lru.h"
#include "Vcam.h"
#include "Vcam_ternary.h"
#include "Vcompact_search.h"
#include "Vcompact_search_early.h"
#include "Vcompact_search_manhattan.h"
#include "Vcrc16_ccitt.h"
#include "Vcrc32.h"
#include "Vcrc32c.h"
#include "Vpipeline.h"
#include "common/bench_main.h"
#include "lookup/devices.h"

using namespace tsuji::bench;

int sc_main(int argc, char** argv) {
  return bench_main(
      argc, argv,
      {rows::crc16_ccitt<Vcrc16_ccitt>(), rows::crc32<Vcrc32>(), rows::crc32c<Vcrc32c>(), rows::cam<Vcam>(),
       rows::cam_ternary<Vcam_ternary>(), rows::cache_lru<Vcache_lru>(), rows::cache_fifo<Vcache_fifo>(),
       rows::cache_pseudo_lru<Vcache_pseudo_lru>(), rows::compact_search<Vcompact_search>(),
       rows::compact_search_early<Vcompact_search_early>(),
       rows::compact_search_manhattan<Vcompact_search_manhattan>(), rows::pipeline<Vpipeline>()});
}
