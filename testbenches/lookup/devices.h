// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/device.h"
#include "lookup/cache_bench.h"
#include "lookup/cam_bench.h"
#include "lookup/compact_search_bench.h"
#include "lookup/compact_search_judge.h"
#include "lookup/crc_bench.h"
#include "lookup/crc_hash_module.h"
#include "lookup/pipeline_bench.h"
#include "lookup/pipeline_module.h"
#include "tsuji/lookup/cache_module.h"
#include "tsuji/lookup/cam_module.h"
#include "tsuji/lookup/compact_search_module.h"
#include "tsuji/lookup/key_hash.h"

/// Rows of a bench's table, with any RTL that has the pins of a twin and replaces it: Twin is its Verilated
/// module. In `rows` those of lookup_bench, which benches with altered twins share; the parameters of the
/// twins are in CMakeLists.txt, where they are made.
namespace tsuji::bench {

/// `name` is one of lookup::hash_names().
template <class Twin>
Device crc_device(const char* name, const char* what) {
  const lookup::CrcSpec& spec = *lookup::hash_crc(name);
  return device<lookup::CrcHashModule, Twin, CrcStimulus>(name, what, CrcPins{spec.width}, spec);
}

template <class Twin>
Device cam_device(const char* name, const char* what, const lookup::CamConfig& config) {
  const CamPins pins{bits_of(config.entries - 1), config.key_bits};
  Device row = device<lookup::CamModule, Twin, CamStimulus>(name, what, pins, config);
  if (config.pipelined) row.constant = {"request_ready"};
  return row;
}

/// A number of sets that is a power of two.
template <class Twin>
Device cache_device(const char* name, const char* what, const lookup::RoutingTableCacheConfig& config) {
  const CachePins pins{bits_of(config.sets() - 1)};
  return device<lookup::CacheModule, Twin, CacheStimulus>(name, what, pins, config);
}

template <class Twin>
Device compact_search_device(const char* name, const char* what, const lookup::CompactSearchConfig& config) {
  return judged<CompactSearchJudge>(device<lookup::CompactSearchModule, Twin, CompactSearchStimulus>(
                                        name, what, CompactSearchPins{config}, config),
                                    config);
}

template <class Twin>
Device pipeline_device(const char* name, const char* what, const lookup::PipelineConfig& config) {
  return device<lookup::PipelineModule, Twin, PipelineStimulus>(name, what, PipelinePins{}, config);
}

namespace rows {

template <class Twin>
Device crc16_ccitt() {
  return crc_device<Twin>("crc16_ccitt", "CRC-16-CCITT of a key, a stage with handshake");
}
template <class Twin>
Device crc32() {
  return crc_device<Twin>("crc32", "CRC-32 likewise");
}
template <class Twin>
Device crc32c() {
  return crc_device<Twin>("crc32c", "CRC-32C likewise");
}
template <class Twin>
Device cam() {
  lookup::CamConfig config;
  config.entries = 64;
  return cam_device<Twin>("cam", "64 rows of 64 bits, 25 cycles, pipelined", config);
}
template <class Twin>
Device cam_ternary() {
  lookup::CamConfig config;
  config.kind = lookup::CamKind::ternary;
  config.entries = 16;
  config.key_bits = 12;
  config.access_cycles = 3;
  config.pipelined = false;
  return cam_device<Twin>("cam_ternary", "16 rows of 12 bits with masks, 3 cycles, one after the other",
                          config);
}
template <class Twin>
Device cache_lru() {
  return cache_device<Twin>("cache_lru", "16 sets of 4 ways, least recently used goes", {64, 4, "lru"});
}
template <class Twin>
Device cache_fifo() {
  return cache_device<Twin>("cache_fifo", "2 sets of 3 ways, first in first out", {6, 3, "fifo"});
}
template <class Twin>
Device cache_pseudo_lru() {
  return cache_device<Twin>("cache_pseudo_lru", "4 sets of 8 ways, a tree of bits each",
                            {32, 8, "pseudo_lru"});
}
template <class Twin>
Device compact_search() {
  lookup::CompactSearchConfig config;
  config.entries = 25;
  return compact_search_device<Twin>("compact_search", "25 rows, 4 a cycle, squares of Euclidean distances",
                                     config);
}
template <class Twin>
Device compact_search_early() {
  lookup::CompactSearchConfig config;
  config.per_cycle = 5;
  config.ends_early = true;
  return compact_search_device<Twin>("compact_search_early",
                                     "32 rows, 5 a cycle, a row that is there ends it", config);
}
template <class Twin>
Device compact_search_manhattan() {
  lookup::CompactSearchConfig config;
  config.entries = 12;
  config.per_cycle = 1;
  config.coordinate_bits = 5;
  config.port_bits = 3;
  config.distance = routing::CoordinateDistance::manhattan;
  config.ends_early = true;
  return compact_search_device<Twin>("compact_search_manhattan",
                                     "12 rows, one a cycle, Manhattan distances of 5 bits", config);
}
template <class Twin>
Device pipeline() {
  return pipeline_device<Twin>("pipeline",
                               "4 ports of 4 virtual channels, 8 sets of 2 ways, a memory of 25 cycles",
                               lookup::PipelineConfig());
}

}  // namespace rows
}  // namespace tsuji::bench
