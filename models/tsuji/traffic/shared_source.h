// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "tsuji/traffic/emission.h"

namespace tsuji::traffic {

/// Packets of one job at one node, at their source and at their destination.
struct JobPackets {
  std::uint64_t sent = 0;     ///< Packets handed to the node; of a job that listens also those held for it.
  std::uint64_t arrived = 0;  ///< Packets whose last flit has arrived here.
  std::uint64_t dropped = 0;  ///< Packets of this node that the network has dropped.
  std::uint64_t flits = 0;    ///< Flits of `arrived`.
  std::uint64_t latency = 0;  ///< Sum over `arrived` of the cycles from birth to the last word.

  /// Adds the counts of another node.
  JobPackets& operator+=(const JobPackets& more) {
    sent += more.sent;
    arrived += more.arrived;
    dropped += more.dropped;
    flits += more.flits;
    latency += more.latency;
    return *this;
  }
};

/// Source of a node on which several jobs run: merges their packets in the order of birth, jobs of one cycle
/// by their number, and gives each job its own arrivals. A packet carries its job's number in bits 59 to 62
/// of its second header word, which the sources of jobs leave clear.
class SharedSource final : public EmissionSource {
 public:
  /// Largest number of jobs that a header can represent.
  static constexpr unsigned most_jobs = 16;

  /// `jobs`: number of all jobs of the machine, at most most_jobs.
  explicit SharedSource(unsigned jobs) : packets_(jobs) {}
  /// Adds the source of job number `job`, which has none at this node. Called before the run.
  void add(unsigned job, std::unique_ptr<EmissionSource> source);
  /// Packets of a job at this node.
  const JobPackets& packets(unsigned job) const { return packets_[job]; }

  bool next(Emission& emission) override;
  bool births_may_wait() const override { return true; }
  Cycle lookahead_cycles() const override;
  void arrived(Cycle now, const Packet& packet) override;
  void departed(Cycle now, const Packet& packet) override;
  void dropped(Cycle now, const Packet& packet, const char* cause) override;
  void bind(Clocked& node) override;
  Cycle next_event() const override;
  void advance(Cycle now) override;

 private:
  struct Member {
    unsigned job = 0;
    std::unique_ptr<EmissionSource> source;
    bool listens = false;
    std::deque<Emission> due;  ///< Packets that are born and that the node has not taken.
    bool has_next = false;     ///< `upcoming` holds the packet after those.
    Emission upcoming;
  };
  void take_births(Member& member);
  Member* member_of(const Packet& packet);

  std::vector<Member> members_;
  std::vector<JobPackets> packets_;  ///< [job]
  Cycle now_ = 0;
};

/// Source that writes other node numbers into the packets of a load: node n of the load is node_of[n].
class MappedSource final : public EmissionSource {
 public:
  /// `source` does not listen; `node_of` must outlive the object.
  MappedSource(std::unique_ptr<EmissionSource> source, const std::vector<NodeId>& node_of)
      : source_(std::move(source)), node_of_(node_of) {}
  bool next(Emission& emission) override;
  bool listens() const override { return false; }
  Cycle lookahead_cycles() const override { return never; }

 private:
  std::unique_ptr<EmissionSource> source_;
  const std::vector<NodeId>& node_of_;
};

}  // namespace tsuji::traffic
