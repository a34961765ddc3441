// SPDX-License-Identifier: Apache-2.0
#include "Vcache_fill_41.h"
#include "Vcache_look_41.h"
#include "Vcache_planted.h"
#include "Vcam_operation_3.h"
#include "Vcam_planted.h"
#include "Vcrc_planted.h"
#include "Vpipeline_41.h"
#include "Vpipeline_first_key.h"
#include "Vpipeline_planted.h"
#include "Vsearch_first_port.h"
#include "Vsearch_last_rows.h"
#include "Vsearch_late_end.h"
#include "Vsearch_later_comparator.h"
#include "Vsearch_later_row.h"
#include "Vsearch_no_erase.h"
#include "Vsearch_not_held.h"
#include "Vsearch_signless.h"
#include "Vsearch_stale.h"
#include "Vsearch_torn.h"
#include "Vsearch_truncated.h"
#include "common/bench_main.h"
#include "lookup/devices.h"

using namespace tsuji::bench;

namespace {

/// Devices of lookup_bench, each with a bug in its twin (CMakeLists.txt).
std::vector<Device> devices() {
  return {
      planted(rows::crc32c<Vcrc_planted>(), "crc32c", "a stalled output is overwritten"),
      planted(rows::cam<Vcam_planted>(), "cam", "of two rows that match, the second is given"),
      planted(rows::cam_ternary<Vcam_operation_3>(), "cam_operation_3", "operation 3 erases"),
      planted(rows::cache_lru<Vcache_planted>(), "cache_lru",
              "a look-up beside a fill of its set does not count as a use"),
      planted(rows::cache_lru<Vcache_look_41>(), "cache_look_41", "a look-up compares all bits but 41"),
      planted(rows::cache_pseudo_lru<Vcache_fill_41>(), "cache_fill_41", "a fill compares all bits but 41"),
      planted(rows::pipeline<Vpipeline_planted>(), "pipeline",
              "an answer read before a flush comes into the cache"),
      planted(rows::pipeline<Vpipeline_41>(), "pipeline_41", "the memory compares all bits but 41"),
      planted(rows::pipeline<Vpipeline_first_key>(), "pipeline_first_key", "a row keeps its first key"),
      planted(rows::compact_search<Vsearch_later_row>(), "search_later_row",
              "of a comparator's rows at one distance, the last is given"),
      planted(rows::compact_search<Vsearch_later_comparator>(), "search_later_comparator",
              "of two comparators' rows at one distance, the later is given"),
      planted(rows::compact_search_early<Vsearch_late_end>(), "search_late_end",
              "a row at the destination ends the comparing a cycle late"),
      planted(rows::compact_search<Vsearch_last_rows>(), "search_last_rows",
              "the last rows are not compared where they are few"),
      planted(rows::compact_search<Vsearch_truncated>(), "search_truncated",
              "squares of distances lose their highest bit"),
      planted(rows::compact_search<Vsearch_signless>(), "search_signless", "differences of coordinates wrap"),
      planted(rows::compact_search<Vsearch_first_port>(), "search_first_port", "a row keeps its first port"),
      planted(rows::compact_search<Vsearch_no_erase>(), "search_no_erase", "an erased row stays"),
      planted(rows::compact_search<Vsearch_torn>(), "search_torn", "a row changes under a search"),
      planted(rows::compact_search<Vsearch_stale>(), "search_stale",
              "a comparator begins with a row of the search before"),
      planted(rows::compact_search_manhattan<Vsearch_not_held>(), "search_not_held",
              "rows are compared with a destination that is not taken"),
  };
}

}  // namespace

int sc_main(int argc, char** argv) {
  return bench_main(argc, argv, devices());
}
