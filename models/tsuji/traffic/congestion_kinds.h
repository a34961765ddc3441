// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tsuji/config/kinds.h"
#include "tsuji/core/end.h"
#include "tsuji/core/units.h"

namespace tsuji::traffic {

/// Congestion control at the source: decides when a node may start its packets.
///
/// Contract: in each cycle in which the link is free, may_start() for waiting packets until one may start,
/// and started() for that one. acknowledged() for each acknowledgement, before may_start() of later cycles.
/// Cycles never decrease.
class CongestionControl {
 public:
  virtual ~CongestionControl() = default;
  /// Cycle from which a packet to `destination` may start, `now` or later; `never`: after an acknowledgement.
  virtual Cycle may_start(End destination, unsigned flits, Cycle now) = 0;
  /// A packet starts.
  virtual void started(End destination, unsigned flits, Cycle now) = 0;
  /// The acknowledgement of a packet to `destination` has arrived. `marked`: a router has marked the packet.
  virtual void acknowledged(End /*destination*/, bool /*marked*/, Cycle /*now*/) {}
  /// Times that a window was halved.
  virtual std::uint64_t halvings() const { return 0; }
};

struct CongestionTraits;

/// Every kind of congestion control by its word in `congestion.kind`. The product serves one node of a
/// network with the given number of nodes; null for `none`.
using CongestionKinds = config::Kinds<CongestionTraits, std::unique_ptr<CongestionControl>, unsigned>;

/// Longest packet that a kind of congestion control lets start.
struct LengthLimit {
  unsigned flits;       ///< Length of that packet.
  const char* key;      ///< Key that sets it.
  const char* meaning;  ///< What it is, in the plural: "tokens of a full bucket".
};

/// Properties of a word of `congestion.kind`.
struct CongestionTraits {
  static constexpr const char* selector = "congestion.kind";            ///< Key that selects the kind.
  static constexpr const char* unknown = "no such congestion control";  ///< Refusal of an unknown word.
  /// Receivers acknowledge each packet, and routers mark packets.
  bool acknowledges = false;
  /// Limit of the packets' length by the kind's parameters; null: packets of any length start.
  LengthLimit (*longest_packet)(const CongestionKinds& kinds) = nullptr;
};

/// The kinds listed in CMakeLists.txt.
CongestionKinds congestion_kinds();

/// Keys of congestion.kind ecn.
struct EcnConfig {
  static constexpr unsigned most_nodes = 4096;  ///< Nodes to which a node keeps windows.

  unsigned mark_flits = 8;        ///< Routers mark heads that wait for an output with more waiting flits.
  unsigned window_packets = 16;   ///< Largest and first window of a destination.
  double growth_packets = 0.125;  ///< Growth of a window in one round trip.

  /// Binds the keys.
  void add_keys(config::KeyTable& keys);
  /// Control of one node.
  std::unique_ptr<CongestionControl> make(unsigned nodes) const;
};

/// Keys of congestion.kind token_bucket.
struct TokenBucketConfig {
  double rate_flits_per_cycle = 1.0;  ///< Tokens that a node gets in a cycle, one for a flit.
  unsigned burst_flits = 64;          ///< Tokens that a node holds at most.

  /// Binds the keys.
  void add_keys(config::KeyTable& keys);
  /// Control of one node.
  std::unique_ptr<CongestionControl> make(unsigned nodes) const;
};

}  // namespace tsuji::traffic
