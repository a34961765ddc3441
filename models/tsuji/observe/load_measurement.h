// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"
#include "tsuji/graph/node_distances.h"
#include "tsuji/observe/accepted_share.h"
#include "tsuji/observe/batch_means.h"
#include "tsuji/observe/birth_ledger.h"
#include "tsuji/observe/class_measurement.h"
#include "tsuji/observe/hop_latencies.h"
#include "tsuji/observe/latency_groups.h"
#include "tsuji/observe/latency_histogram.h"
#include "tsuji/observe/little_check.h"
#include "tsuji/observe/network_metrics.h"
#include "tsuji/observe/source_backlog.h"
#include "tsuji/observe/stability.h"
#include "tsuji/observe/warmup_watch.h"
#include "tsuji/results/results.h"

namespace tsuji::observe {

/// Definition of the sample of measured packets. cycles: packets born in an interval after the warm-up.
/// arrivals: packets by their order of arrival (Yoshinaga 2004, section 5).
enum class MeasureMode { cycles, arrivals };

/// Parameters of a measurement.
struct MeasureConfig {
  /// Definition of the sample. In mode cycles the run continues, with full load, until the packets of the
  /// sample have arrived. In mode arrivals the run ends with arrival `last_arrival` in the whole network.
  MeasureMode mode = MeasureMode::cycles;
  std::optional<Cycle> warmup_cycles = 5000;  ///< Warm-up; empty: until the network is in its steady state.
  Cycle longest_warmup_cycles = 100'000;      ///< Upper bound on an automatic warm-up.
  Cycle cycles = 10000;                       ///< Length of the measured interval.
  Cycle drain_cycles = 50000;                 ///< Longest time after the interval.
  std::uint64_t first_arrival = 3001,         ///< First measured arrival, counted from 1.
      last_arrival = 7000;                    ///< Last measured arrival.
  Cycle most_cycles = 10'000'000;             ///< Mode arrivals: the run ends in this cycle, complete or not.
  unsigned batches = 20;  ///< Largest number of batches for the batch-means confidence interval, 2..1000.

  /// Length of the interval; 0 in mode arrivals, whose sample is no interval.
  Cycle interval_cycles() const { return mode == MeasureMode::cycles ? cycles : 0; }
  void add_keys(config::KeyTable& keys);  ///< Adds the keys measure.*.
  void validate() const;                  ///< Throws ConfigError for values that contradict each other.
};

/// A packet whose last flit has arrived.
struct DeliveredPacket {
  PacketId id = 0;                               ///< Identity of the packet.
  End source,                                    ///< Sender.
      destination;                               ///< Receiver.
  Cycle created = 0,                             ///< Cycle of birth.
      injected = 0;                              ///< Cycle in which the source sends the head.
  Cycle head_cycle = 0,                          ///< Cycle in which the head arrives.
      tail_cycle = 0;                            ///< Cycle in which the last flit arrives.
  unsigned flits = 0,                            ///< Length of the packet.
      hops = 0;                                  ///< Number of routers that the head has passed.
  bool recovered = false;                        ///< Used the channels of deadlock recovery (flit networks).
  PacketArrival arrival = PacketArrival::first;  ///< Only first arrivals are measured.
  unsigned message_class = 0;                    ///< Class of messages; 0 without classes.
  /// With classes of messages: birth of the request that the packet, or the one that it answers, answers, in
  /// cycles plus 1; 0: it answers none (traffic::ClassedSource).
  std::uint64_t request = 0;

  /// Record of a packet of a flit network, whose hops the packet itself counts.
  static DeliveredPacket of(const Packet& packet, Cycle head, Cycle tail);
};

/// Measurement of a loaded network at its nodes: latency, accepted and offered load, fairness, and a check
/// that births and deliveries agree.
///
/// Contract: count_distances() before the first packet. During the run born() in the cycle of a birth, or
/// later but before finished() or begins() is called; delivered() in the cycle of the tail; dropped().
/// Between cycles begins() and finished(); cut() if the run ends early. Then flits_ejected(), close(), and
/// the results.
///
/// No result depends on the order of calls within a cycle. Packets of a source are numbered from 0 in order
/// of birth. Costs about 370 instructions for each packet, and none for a flit or a cycle.
class LoadMeasurement {
 public:
  /// Measurement of a network with this number of nodes.
  LoadMeasurement(const MeasureConfig& config, unsigned nodes);
  /// Requests the table `latency_by_distance`. Called before the first packet; `distances` must outlive the
  /// measurement.
  void count_distances(const graph::NodeDistances& distances) {
    distances_ = &distances;
    groups_ = LatencyGroups(distances.longest());
  }

  /// Requests the table `classes`, and warnings of classes that are starved for `starvation_cycles`. Called
  /// before the first packet. Events must then be reported in the order of cycles.
  void count_classes(const std::vector<std::string>& names, Cycle starvation_cycles) {
    classes_ = std::make_unique<ClassMeasurement>(names, static_cast<unsigned>(sends_.size()));
    starvation_cycles_ = starvation_cycles;
  }

  /// Records the birth of a packet.
  void born(Cycle created, NodeId source, unsigned flits, unsigned message_class = 0);
  /// Records a delivery. Throws ModelError for a packet that is not in flight, or whose birth differs from
  /// the one that its source reported.
  void delivered(const DeliveredPacket& packet);
  /// Records a packet that ends without delivery; its cause is counted elsewhere.
  void dropped(PacketId id, Cycle created, Cycle now);

  /// First cycle in which sinks count the flits that they accept, for flits_ejected(). In mode arrivals the
  /// interval is empty, because the measurement counts the flits of the sample itself.
  Cycle ejection_from() const { return config_.mode == MeasureMode::cycles ? little_.from() : 0; }
  /// End of the interval that begins with ejection_from(); the first cycle after it.
  Cycle ejection_to() const { return config_.mode == MeasureMode::cycles ? little_.to() : 0; }
  /// Upper bound on the cycle in which the measurement is finished, with the longest drain or most_cycles.
  /// `never` while the interval is unknown.
  Cycle latest_end() const;
  /// Next cycle before which begins() must be called, during an automatic warm-up; otherwise `never`.
  Cycle next_warmup_check() const;
  /// Called when exactly the cycles before `now` are simulated. Returns true once, when the interval begins
  /// with `now`; ejection_from() and ejection_to() are then known.
  bool begins(Cycle now);
  /// True if an automatic warm-up with packets ended by longest_warmup_cycles.
  bool never_stationary() const { return born_in_warmup_ && !stationary_; }
  /// Adds the flits that sinks have accepted in the ejection interval; for every node before close().
  void flits_ejected(std::uint64_t flits) { share_.accepted_flits += flits; }

  /// Number of cycles plus one by which events may be reported out of order; `never`: any order. In mode
  /// arrivals the order decides which packets are measured, with classes how long one is starved.
  Cycle lookahead_cycles() const { return config_.mode == MeasureMode::arrivals || classes_ ? 1 : never; }
  /// True if no further cycle has to be simulated, once all cycles before `now` are.
  bool finished(Cycle now) const;
  /// Estimated share of the run that is complete, 0..1, for a progress bar.
  double progress(Cycle now) const;
  /// Ends the measurement early: the sample is the simulated part of the interval. Called before close().
  void cut(Cycle now);
  /// Completes the sample at the end of the run, and checks Little's law (ModelError). Called before any of
  /// the results below.
  void close(Cycle now);

  Cycle interval_cycles() const { return little_.length(); }  ///< Length; 0: the sample never began.
  /// Length in cycles of the interval to which rates refer. 0 (rates are null) for a sample by arrivals that
  /// is too short for the flits of its packets, which are counted whole.
  Cycle rate_cycles() const;
  /// Metrics that all platforms share, except packets_sent, flit_hops and flits_in_flight_at_end. Latency and
  /// hops are those of the measured packets; rates refer to rate_cycles().
  NetworkMetrics metrics() const;
  /// Adds the metrics of loaded networks, and the tables `hops`, `latency_by_distance` and `batches`. Throws
  /// ModelError before close().
  void add_to(Results& results) const;
  /// Writes a CSV file with a line for each source: its node, the router that `router_of` names, packets
  /// offered and accepted, and the mean latency of its measured packets. Called after close().
  void write_sources(const std::string& path, const std::function<std::string(NodeId)>& router_of) const;
  /// Number of measured packets that used deadlock recovery.
  std::uint64_t recovered() const { return recovered_measured_; }
  std::uint64_t undelivered()
      const;  ///< Measured packets in flight at the end, or arrivals that are missing.
  /// Reason why no packet was measured, for a warning; empty if any was. Called after close().
  std::string why_nothing_measured() const;
  /// True if measured packets are missing, so that latencies are lower bounds. A dropped packet is not
  /// missing: it has no latency.
  bool misses_packets() const { return undelivered() != 0; }
  /// Flits offered and accepted in the interval.
  AcceptedShare share() const;
  /// Verdict on the load, from the measured packets. Called after close().
  Stability stability() const;

 private:
  bool in_interval(Cycle cycle) const { return cycle >= little_.from() && cycle < little_.to(); }
  void count_arrival(const DeliveredPacket& packet);
  void flush_cycle();
  void measure(const DeliveredPacket& packet, std::size_t cell);
  void mark_lower_bounds(Results& results) const;
  void add_confidence(Results& results) const;
  void add_batches(Results& results) const;
  /// Mean over packets of the latency minus the least latency of packets with equal hops.
  double mean_wait() const;
  /// Word for the verdict on the confidence interval.
  const char* confidence_word(const BatchConfidence& confidence) const;
  void add_fairness(Results& results) const;
  /// Part of the interval, of SourceBacklog.
  std::size_t part_of(Cycle cycle) const {
    return backlog_.parts() == 1 ? 0 : (cycle - little_.from()) * backlog_.parts() / config_.cycles;
  }

  static constexpr NodeId nowhere = ~NodeId{0}, anywhere = nowhere - 1;
  void note_destination(NodeId source, NodeId destination) {
    NodeId& known = destination_of_source_[source];
    if (known != destination) known = known == nowhere ? destination : anywhere;
  }
  /// Number of parts of the interval that have been simulated as a whole.
  std::size_t whole_parts() const;

  const MeasureConfig config_;
  LittleCheck little_;
  BirthLedger ledger_;
  bool closed_ = false;
  std::uint64_t births_measured_ = 0,
                ends_measured_ = 0;  ///< births and ends in the interval, with mode cycles
  std::uint64_t arrivals_ = 0,
                arrivals_in_order_ = 0;  ///< arrivals so far, and those that flush_cycle() has put in order
  std::vector<DeliveredPacket> of_this_cycle_;  ///< arrivals of the present cycle, with mode arrivals
  std::unique_ptr<WarmupWatch> warmup_;  ///< detector of the end of an automatic warm-up; null afterwards
  bool stationary_ = false;              ///< the detector has found the steady state
  bool born_in_warmup_ = false;          ///< a packet was born in an automatic warm-up
  AcceptedShare share_;  ///< offered and accepted flits, without packets in flight (little_ has them)
  std::uint64_t delivered_ = 0, dropped_ = 0, dropped_measured_ = 0;
  std::uint64_t hops_sum_ = 0, recovered_measured_ = 0;
  LatencyHistogram latency_, latency_from_injection_;
  LatencyGroups groups_;
  const graph::NodeDistances* distances_ = nullptr;  ///< may be null
  std::unique_ptr<ClassMeasurement> classes_;        ///< null without classes of messages
  Cycle starvation_cycles_ = never;
  HopLatencies hops_;              ///< latencies of the measured packets by hops
  std::vector<SeriesCell> cells_;  ///< latencies in the cells of the interval; every batch has as many cells
  std::vector<std::uint64_t> accepted_of_source_;  ///< [source]: accepted packets
  std::vector<bool> sends_;
  SourceBacklog backlog_;
  std::vector<NodeId> destination_of_source_;  ///< `nowhere`: no packet yet, `anywhere`: several
};

}  // namespace tsuji::observe
