#include <systemc>
#include <vector>

#include "Vcache_planted.h"
#include "Vcam_planted.h"
#include "Vcrc_planted.h"
#include "Vpipeline_planted.h"
#include "common/bench_main.h"
#include "lookup/devices.h"

using namespace tsuji;
using namespace tsuji::bench;

namespace {

/// The devices of lookup_bench, each with a bug in its twin (CMakeLists.txt).
std::vector<Device> devices() {
  const lookup::PipelineConfig pipeline;
  return {
      crc_device<Vcrc_planted>("crc32c", "a stalled output is overwritten"),
      cam_device<Vcam_planted>("cam", "of two rows that match, the second is given",
                               {lookup::CamKind::binary, 64, 64, 25, true}),
      cache_device<Vcache_planted>("cache_lru", "a look-up beside a fill of its set does not count as a use",
                                   {64, 4, "lru"}),
      pipeline_device<Vpipeline_planted>("pipeline", "an answer read before a flush comes into the cache",
                                         pipeline),
  };
}

}  // namespace

int sc_main(int argc, char** argv) {
  return bench_main(argc, argv, devices());
}
