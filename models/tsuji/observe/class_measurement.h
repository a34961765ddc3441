// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/observe/latency_histogram.h"
#include "tsuji/results/results.h"

namespace tsuji::observe {

/// Latency, throughput and starvation of each class of messages. A class is starved at a source for as long
/// as packets of it are in flight from that source (or wait there) and none of them arrives.
///
/// Contract: born() and delivered() in the order of cycles; close() once, then add_to().
class ClassMeasurement {
 public:
  /// Classes by name, of a network with this number of nodes.
  ClassMeasurement(std::vector<std::string> names, unsigned nodes);

  /// Records a birth in cycle `created`; `measured`: it is in the measured interval.
  void born(unsigned message_class, NodeId source, Cycle created, unsigned flits, bool measured);
  /// Records an arrival in cycle `now`. `in_sample`: the packet belongs to the sample, `in_interval`: it
  /// arrives in the measured interval.
  void delivered(unsigned message_class, NodeId source, Cycle now, unsigned flits, bool in_interval);
  /// Records the latency of a packet of the sample that arrives in cycle `now`, and the time from the birth
  /// of its request (DeliveredPacket::request).
  void measured(unsigned message_class, Cycle latency, std::uint64_t request, Cycle now) {
    classes_[message_class].latency.record(latency);
    if (request != 0) classes_[message_class].round_trip.record(now - (request - 1));
  }
  /// Records a packet that ends without arriving.
  void dropped(unsigned message_class, NodeId source, Cycle now);
  /// Ends the measurement: classes that still wait are starved up to cycle `now`.
  void close(Cycle now);
  /// Adds the table `classes`; rates refer to `nodes` times `rate_cycles` (null for 0), and classes starved
  /// for `starvation_cycles` or more are warned of.
  void add_to(Results& results, double node_cycles, Cycle starvation_cycles) const;

 private:
  struct OfClass {
    std::string name;
    std::uint64_t packets_born = 0, packets_delivered = 0;
    std::uint64_t flits_offered = 0, flits_accepted = 0;
    LatencyHistogram latency;
    LatencyHistogram round_trip;                 ///< from a request's birth to the arrival of the answer
    Cycle starved_cycles = 0, starved_from = 0;  ///< longest time without an arrival, and its first cycle
    NodeId starved_source = 0;
  };
  struct AtSource {
    std::uint32_t in_flight = 0;
    Cycle since = 0;  ///< last arrival, or the birth of the first packet in flight
  };
  AtSource& at(unsigned message_class, NodeId source) {
    return sources_[source * classes_.size() + message_class];
  }
  void note(unsigned message_class, NodeId source, const AtSource& waits, Cycle now);

  std::vector<OfClass> classes_;
  std::vector<AtSource> sources_;  ///< [source][class]
};

}  // namespace tsuji::observe
