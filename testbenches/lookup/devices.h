#pragma once

#include "common/device.h"
#include "lookup/cache_bench.h"
#include "lookup/cache_module.h"
#include "lookup/cam_bench.h"
#include "lookup/crc_bench.h"
#include "lookup/crc_hash_module.h"
#include "lookup/pipeline_bench.h"
#include "lookup/pipeline_module.h"
#include "tsuji/lookup/cam_module.h"
#include "tsuji/lookup/key_hash.h"

/// Rows of a bench's table, with any RTL that has the pins in the place of a twin: Twin is its Verilated
/// module.
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
Device pipeline_device(const char* name, const char* what, const lookup::PipelineConfig& config) {
  return device<lookup::PipelineModule, Twin, PipelineStimulus>(name, what, PipelinePins{}, config);
}

}  // namespace tsuji::bench
