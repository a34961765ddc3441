// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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

enum class MeasureMode { cycles, arrivals };

struct MeasureConfig {
  /// cycles: the packets that are born in an interval after the warm-up; the run goes on, with full load,
  /// until they have arrived. arrivals: the packets that arrive first-th to last-th in the whole network
  /// (Yoshinaga 2004, section 5), and the run ends with the last of them.
  MeasureMode mode = MeasureMode::cycles;
  std::optional<Cycle> warmup_cycles = 5000;  ///< empty: until the network is in its steady state
  Cycle longest_warmup_cycles = 100'000;      ///< ... but no longer
  Cycle cycles = 10000;
  Cycle drain_cycles = 50000;  ///< after the interval at most
  std::uint64_t first_arrival = 3001, last_arrival = 7000;
  Cycle most_cycles = 10'000'000;  ///< arrivals: the run ends then, complete or not
  unsigned batches = 20;           ///< for the confidence in the mean latency at most, 2..1000

  /// Length of the interval; 0: the sample is no interval.
  Cycle interval_cycles() const { return mode == MeasureMode::cycles ? cycles : 0; }
  void add_keys(config::KeyTable& keys);  ///< measure.*
  void validate() const;
};

/// A packet whose last flit has arrived.
struct DeliveredPacket {
  PacketId id = 0;
  End source, destination;
  Cycle created = 0, injected = 0;  ///< birth; the source sends the head
  Cycle head_cycle = 0, tail_cycle = 0;
  unsigned flits = 0, hops = 0;  ///< hops: routers passed
  bool recovered = false;        ///< it came by the channels of deadlock recovery (flit networks)
  PacketArrival arrival = PacketArrival::first;  ///< others do not count

  /// A packet of a flit network, which counts its hops itself.
  static DeliveredPacket of(const Packet& packet, Cycle head, Cycle tail);
};

/// Measurement of a loaded network at its nodes: latency, accepted and offered load, fairness, and
/// whether births and deliveries agree.
///
/// born() is called in the cycle of the birth (a later one will do, before finished() or begins() is called),
/// delivered() in the cycle of the tail, in any order of modules within a cycle: no result depends on that
/// order. Packets of a source are numbered from 0 in order of birth. Costs about 370 instructions a packet
/// and none a flit or a cycle.
class LoadMeasurement {
 public:
  LoadMeasurement(const MeasureConfig& config, unsigned nodes);
  /// Latencies by distance are counted, too: in the table `latency_by_distance`. Before the first packet.
  void count_distances(const graph::NodeDistances& distances) {
    distances_ = &distances;
    groups_ = LatencyGroups(distances.longest());
  }

  void born(Cycle created, NodeId source, unsigned flits);
  /// ModelError for a packet that is not under way or whose birth is not the one that its source reported.
  void delivered(const DeliveredPacket& packet);
  /// A packet that ends without a delivery, with a cause that is counted elsewhere.
  void dropped(PacketId id, Cycle created, Cycle now);

  /// The cycles [from, to) in which sinks count the flits that they take, for flits_ejected(). Empty in the
  /// mode arrivals, where the sample's flits are counted here.
  Cycle ejection_from() const { return config_.mode == MeasureMode::cycles ? little_.from() : 0; }
  Cycle ejection_to() const { return config_.mode == MeasureMode::cycles ? little_.to() : 0; }
  /// The cycle in which the measurement is finished at the latest: with the longest drain, or the most
  /// cycles. `never` as long as the interval is not known.
  Cycle latest_end() const;
  /// The cycle before which the run is to stop and ask begins(), for an automatic warm-up; `never` otherwise.
  Cycle next_warmup_check() const;
  /// All cycles before `now` are simulated, and none after. True once: the interval begins now, and
  /// ejection_from() and ejection_to() are known.
  bool begins(Cycle now);
  /// An automatic warm-up ended by its longest time, with packets in it.
  bool never_stationary() const { return born_in_warmup_ && !stationary_; }
  /// Once for each node (or for several together) before close().
  void flits_ejected(std::uint64_t flits) { share_.accepted_flits += flits; }

  /// Events may be told so much later than others of later cycles: in the mode that counts arrivals, their
  /// order decides what is measured.
  Cycle lookahead_cycles() const { return config_.mode == MeasureMode::arrivals ? 1 : never; }
  /// True when nothing more has to be simulated; all of the cycles before `now` are.
  bool finished(Cycle now) const;
  /// The share of the run that is done, for a progress bar, as far as it can be told.
  double progress(Cycle now) const;
  /// The run ends here, before it was finished: what is measured is the part of the interval that has been
  /// simulated. Before close().
  void cut(Cycle now);
  /// The end of the run: completes the sample and checks Little's law. Before any of the results below.
  void close(Cycle now);

  Cycle interval_cycles() const { return little_.length(); }  ///< 0: the sample never began
  /// The cycles that rates are over: the interval, or 0 (rates are null) where a sample by arrivals is so
  /// short that the flits of its packets, which count whole, do not fit into it.
  Cycle rate_cycles() const;
  /// Everything that all platforms share but packets_sent, flit_hops and flits_in_flight_at_end. Latency and
  /// hops are of the measured packets; rates are over rate_cycles().
  NetworkMetrics metrics() const;
  /// The metrics that only a load has, and the tables `hops`, `latency_by_distance` and `batches`. ModelError
  /// before close().
  void add_to(Results& results) const;
  /// Measured packets that came by way of deadlock recovery.
  std::uint64_t recovered() const { return recovered_measured_; }
  std::uint64_t undelivered() const;  ///< measured packets that are under way at the end, or never came
  /// Why no packet was measured, for a warning; empty where some were. After close().
  std::string why_nothing_measured() const;
  /// Latencies are of survivors, and lower bounds. A dropped packet is not missed: it has no latency.
  bool misses_packets() const { return undelivered() != 0; }
  /// Flits offered and accepted in the interval.
  AcceptedShare share() const;
  /// Verdict on the load, from the measured packets. After close().
  Stability stability() const;

 private:
  bool in_interval(Cycle cycle) const { return cycle >= little_.from() && cycle < little_.to(); }
  void count_arrival(const DeliveredPacket& packet);
  void flush_cycle();
  void measure(const DeliveredPacket& packet, std::size_t cell);
  void mark_lower_bounds(Results& results) const;
  void add_confidence(Results& results) const;
  void add_batches(Results& results) const;
  /// Mean latency above the least one over the same number of routers.
  double mean_wait() const;
  /// Why there is a confidence in the mean latency, or none.
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
  /// Parts of the interval that lie in what has been simulated.
  std::size_t whole_parts() const;

  const MeasureConfig config_;
  LittleCheck little_;
  BirthLedger ledger_;
  bool closed_ = false;
  std::uint64_t births_measured_ = 0, ends_measured_ = 0;  ///< mode cycles
  std::uint64_t arrivals_ = 0, arrivals_in_order_ = 0;     ///< so far; those that flush_cycle() has seen
  std::vector<DeliveredPacket> of_this_cycle_;             ///< mode arrivals
  std::unique_ptr<WarmupWatch> warmup_;                    ///< while it lasts, if it is automatic
  bool stationary_ = false;                                ///< its verdict
  bool born_in_warmup_ = false;                            ///< packets, in an automatic one
  AcceptedShare share_;  ///< without the packets under way, which little_ knows
  std::uint64_t delivered_ = 0, dropped_ = 0, dropped_measured_ = 0;
  std::uint64_t hops_sum_ = 0, recovered_measured_ = 0;
  LatencyHistogram latency_, latency_from_injection_;
  LatencyGroups groups_;
  const graph::NodeDistances* distances_ = nullptr;  ///< may be null
  HopLatencies hops_;                                ///< of the measured packets
  std::vector<SeriesCell> cells_;                    ///< a whole number for each of config_.batches
  std::vector<std::uint64_t> accepted_of_source_;    ///< packets
  std::vector<bool> sends_;
  SourceBacklog backlog_;
  std::vector<NodeId> destination_of_source_;  ///< `nowhere`: no packet yet, `anywhere`: several
};

}  // namespace tsuji::observe
