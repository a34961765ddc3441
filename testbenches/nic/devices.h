// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/device.h"
#include "nic/packet_builder_bench.h"
#include "nic/packet_builder_module.h"
#include "nic/packet_builder_rules.h"
#include "nic/packet_judge_bench.h"
#include "nic/packet_judge_module.h"
#include "nic/packet_judge_rules.h"

/// Rows of nic_bench, with any RTL that has the pins of a twin and replaces it: Twin is its Verilated module,
/// or NoTwin.
namespace tsuji::bench {

template <class Twin>
Device packet_builder_device(const char* name, const char* what, const nic::PacketBuilderConfig& config) {
  return judged<PacketBuilderRules>(device<nic::PacketBuilderModule, Twin, PacketBuilderStimulus>(
                                        name, what, PacketBuilderPins{bits_of(config.places - 1)}, config),
                                    config);
}

template <class Twin>
Device packet_judge_device(const char* name, const char* what, const nic::PacketJudgeConfig& config) {
  return judged<PacketJudgeRules>(
      device<nic::PacketJudgeModule, Twin, PacketJudgeStimulus>(name, what, PacketJudgePins{}, config),
      config);
}

namespace rows {

/// Packets with the shortest headers and five flits a word.
inline nic::PacketSizes short_sizes() {
  nic::PacketSizes sizes;
  sizes.header_flits = 8;
  sizes.multicast_header_flits = 10;
  sizes.synchronization_header_flits = 11;
  sizes.flits_per_word = 5;
  sizes.max_payload_bytes = 128;
  return sizes;
}

template <class Twin>
Device packet_builder() {
  return packet_builder_device<Twin>("packet_builder", "2 buffers of 256 bytes, the sizes of Cenju-4", {});
}
template <class Twin>
Device packet_builder_short() {
  return packet_builder_device<Twin>("packet_builder_short",
                                     "3 buffers of 128 bytes, headers of 8 to 11 flits, 5 flits a word",
                                     {short_sizes(), 3});
}
template <class Twin>
Device packet_judge() {
  return packet_judge_device<Twin>("packet_judge", "2 packets that wait, the sizes of Cenju-4", {});
}
template <class Twin>
Device packet_judge_short() {
  return packet_judge_device<Twin>("packet_judge_short",
                                   "1 packet that waits, headers of 8 to 11 flits, 5 flits a word",
                                   {short_sizes(), 1});
}

}  // namespace rows
}  // namespace tsuji::bench
