#include "Vcache_fill_41.h"
#include "Vcache_look_41.h"
#include "Vcache_planted.h"
#include "Vcam_operation_3.h"
#include "Vcam_planted.h"
#include "Vcrc_planted.h"
#include "Vpipeline_41.h"
#include "Vpipeline_first_key.h"
#include "Vpipeline_planted.h"
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
  };
}

}  // namespace

int sc_main(int argc, char** argv) {
  return bench_main(argc, argv, devices());
}
