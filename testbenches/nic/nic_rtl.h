// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "tsuji/core/flit.h"
#include "tsuji/nic/sender/packet_builder.h"

namespace tsuji::bench {

/// Outputs of packet_builder.v after an edge.
struct BuilderPins {
  bool cut_valid = false, cut_first = false, cut_last = false, cut_again = false, cut_keeps = false;
  std::uint32_t cut_bytes = 0, cut_reads = 0, cut_skip = 0;
  std::uint64_t cut_line = 0;
  bool built = false;
  std::uint64_t header = 0, address = 0;
  bool out_valid = false;
  FlitBits out_flit = 0;
};

/// A builder of packets in RTL, of which one place is used. Each function is one cycle of the clock.
class BuilderRtl {
 public:
  virtual ~BuilderRtl() = default;
  /// Resets it as that of a node.
  virtual BuilderPins start(unsigned node) = 0;
  virtual BuilderPins choose(const nic::ParcelState& parcel) = 0;
  virtual BuilderPins build() = 0;
  virtual BuilderPins line_word(bool starts, std::uint64_t word) = 0;
  virtual BuilderPins send(std::uint32_t port_bits) = 0;
  virtual BuilderPins idle() = 0;
};

/// Pins of packet_judge.v: inputs of a cycle, outputs after its edge.
struct JudgePins {
  bool head = false, valid = false, take = false;
  std::uint32_t kind = 0, flits = 0;
  FlitBits flit = 0;
  bool word_valid = false, verdict_valid = false;
  std::uint32_t word_number = 0, verdict = 0, corrected = 0;
  std::uint64_t word = 0;
};

/// A judge of packets in RTL.
class JudgeRtl {
 public:
  virtual ~JudgeRtl() = default;
  /// Resets it as that of a node.
  virtual void start(unsigned node) = 0;
  /// Takes the inputs, runs one edge of the clock, and fills in the outputs.
  virtual void cycle(JudgePins& pins) = 0;
};

/// RTL of network interfaces, with the parameters that it was made with.
struct NicRtlKind {
  std::string name;
  nic::PacketSizes sizes;
  unsigned places = 2;  ///< packet buffers of the Sender
  unsigned slots = 2;   ///< packets that the Receiver has not judged
  std::function<std::unique_ptr<BuilderRtl>(const std::string& name)> make_builder;
  std::function<std::unique_ptr<JudgeRtl>(const std::string& name)> make_judge;
};

}  // namespace tsuji::bench
