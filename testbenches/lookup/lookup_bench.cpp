#include <systemc>
#include <vector>

#include "Vcache_fifo.h"
#include "Vcache_lru.h"
#include "Vcache_pseudo_lru.h"
#include "Vcam.h"
#include "Vcam_ternary.h"
#include "Vcrc16_ccitt.h"
#include "Vcrc32.h"
#include "Vcrc32c.h"
#include "Vpipeline.h"
#include "common/bench_main.h"
#include "lookup/devices.h"

using namespace tsuji;
using namespace tsuji::bench;

namespace {

// The parameters of the twins are in CMakeLists.txt, where they are made.
std::vector<Device> devices() {
  const lookup::PipelineConfig pipeline;
  return {
      crc_device<Vcrc16_ccitt>("crc16_ccitt", "CRC-16-CCITT of a key, a stage with handshake"),
      crc_device<Vcrc32>("crc32", "CRC-32 likewise"),
      crc_device<Vcrc32c>("crc32c", "CRC-32C likewise"),
      cam_device<Vcam>("cam", "64 rows of 64 bits, 25 cycles, pipelined",
                       {lookup::CamKind::binary, 64, 64, 25, true}),
      cam_device<Vcam_ternary>("cam_ternary", "16 rows of 12 bits with masks, 3 cycles, one after the other",
                               {lookup::CamKind::ternary, 16, 12, 3, false}),
      cache_device<Vcache_lru>("cache_lru", "16 sets of 4 ways, least recently used goes", {64, 4, "lru"}),
      cache_device<Vcache_fifo>("cache_fifo", "2 sets of 3 ways, first in first out", {6, 3, "fifo"}),
      cache_device<Vcache_pseudo_lru>("cache_pseudo_lru", "4 sets of 8 ways, a tree of bits each",
                                      {32, 8, "pseudo_lru"}),
      pipeline_device<Vpipeline>(
          "pipeline", "4 ports of 4 virtual channels, 8 sets of 2 ways, a memory of 25 cycles", pipeline),
  };
}

}  // namespace

int sc_main(int argc, char** argv) {
  return bench_main(argc, argv, devices());
}
