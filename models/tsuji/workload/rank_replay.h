// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/workload/collectives.h"
#include "tsuji/workload/message_numbers.h"
#include "tsuji/workload/rank_wait.h"
#include "tsuji/workload/rank_watch.h"
#include "tsuji/workload/trace.h"

namespace tsuji::workload {

/// Identity of a message, which both ends compute. Messages of one source, destination and tag are numbered
/// in program order at both ends, so that the n-th receive matches the n-th message, whatever the order of
/// their arrival; a trace has no wildcards.
struct MessageKey {
  std::uint16_t source = 0, destination = 0;
  std::int32_t tag = 0;      ///< Tag; for a collective, the lower bits of the collective's number.
  std::uint32_t number = 0;  ///< Number among the messages of one source, destination and tag.
  bool collective = false;

  static MessageKey point_to_point(std::uint16_t from, std::uint16_t to, std::int32_t tag,
                                   std::uint32_t number) {
    MessageKey key = of_collective(from, to, tag);
    key.number = number;
    key.collective = false;
    return key;
  }
  static MessageKey of_collective(std::uint16_t from, std::uint16_t to, std::int32_t tag) {
    MessageKey key;
    key.source = from;
    key.destination = to;
    key.tag = tag;
    key.collective = true;
    return key;
  }
  bool operator==(const MessageKey& other) const {
    return source == other.source && destination == other.destination && tag == other.tag &&
           number == other.number && collective == other.collective;
  }
};

/// A transfer between two ranks that is part of a message.
struct RankMessage {
  enum class Part : std::uint8_t {
    eager,          ///< The whole message, sent without a request.
    request,        ///< Announcement of a message and its size (request to send).
    clear_to_send,  ///< Answer of the receiver to a request; it goes to the source of the message.
    data,           ///< The bytes of a requested message.
  };
  MessageKey key;
  Part part = Part::eager;
  std::uint64_t bytes = 0;  ///< Size of the message; a request and its answer carry none of these bytes.
  std::uint16_t receiver() const { return part == Part::clear_to_send ? key.source : key.destination; }
  std::uint64_t payload_bytes() const { return part == Part::eager || part == Part::data ? bytes : 0; }
};

/// Transport of a rank's messages.
class RankOutlet {
 public:
  virtual ~RankOutlet() = default;
  virtual void send(const RankMessage& message) = 0;
  /// True if the other rank is on this node; messages to it are always sent without a request.
  virtual bool is_local(std::uint16_t rank) const = 0;
};

struct ReplayConfig {
  double ns_per_flop = 1.0;
  ClockPeriod period{1000};
  std::uint64_t eager_bytes = 4096;  ///< Largest message that is sent without a request.
  /// Names of algorithms in the tables of collectives.h.
  std::string barrier = "dissemination", broadcast = "binomial", reduce = "binomial",
              all_reduce = "recursive_doubling", all_to_all = "staggered";
};

/// Breakdown of a rank's time in cycles.
struct ReplayTimes {
  Cycle end = 0;  ///< Cycle in which the rank finished.
  Cycle compute = 0;
  Cycle waiting = 0;
  /// Begin and end of the benchmark's own timed section; `never` if the trace marks none.
  Cycle roi_begin = never, roi_end = never;
};

/// Replays one rank of a trace without software overhead (rooms/workload.md, Where the paper is silent, 1).
/// Computing takes flops x ns_per_flop; all other operations take no time except for waiting. A send of up to
/// eager_bytes is buffered and completes immediately. A larger send uses a rendezvous: it sends a request,
/// receives clear-to-send once its receive is posted, sends the data, and completes when the last byte has
/// left. Collectives are the messages of a named algorithm, one after the other; the arithmetic of reductions
/// takes no time. Init and finalize do nothing.
///
/// Independent of a simulation kernel.
///
/// Contract: the caller reports messages with arrived() and departed(), and then calls play() in that cycle;
/// it also calls play() in cycle 0 and in the cycle wakes_at(). Between these calls nothing changes.
class RankReplay {
 public:
  /// Keeps references to the trace and the outlet. Throws ConfigError for an unknown algorithm.
  RankReplay(const Trace& trace, std::uint16_t rank, const ReplayConfig& config, RankOutlet& outlet);

  /// Executes operations in cycle `now` until the rank has to wait or computes, and sends the messages that
  /// are due.
  void play(Cycle now);
  /// End of the present computing; `never` if the rank does not compute.
  Cycle wakes_at() const { return stage_ == Stage::computing ? until_ : never; }
  bool finished() const { return stage_ == Stage::finished; }

  /// Reports that a message for this rank has arrived completely. Throws ModelError for a message that is
  /// longer than its receive, or that no rank can have sent.
  void arrived(Cycle now, const RankMessage& message);
  /// Reports that the last byte of a message's data has left this node.
  void departed(Cycle now, const MessageKey& key);

  /// Sets an observer before the first cycle; null: none.
  void set_watch(RankWatch* watch) { watch_ = watch; }

  std::uint16_t rank() const { return rank_; }
  const ReplayTimes& times() const { return times_; }
  std::size_t operations_done() const { return at_ - (inside_operation() ? 1 : 0); }
  std::size_t operations() const { return ops_.size(); }
  /// Point-to-point messages that have left or have been delivered locally, and those that have been
  /// received.
  const MessageCount& sent() const { return sent_count_; }
  const MessageCount& received() const { return received_count_; }
  /// State for the report of ranks that wait for each other forever.
  RankState state() const;

 private:
  enum class Stage : std::uint8_t { ready, computing, waiting, finished };
  using RequestId = std::uint32_t;
  struct Request {
    MessageKey key;
    bool receives = false;
    std::uint64_t bytes = 0;
    const char* state = "";
    bool done = false;
    bool awaited = false;
  };

  /// True if the operation before `at_` is in progress. A collective is in progress while `at_` still refers
  /// to it.
  bool inside_operation() const {
    return (stage_ == Stage::waiting || stage_ == Stage::computing) && !in_collective_;
  }
  void resume();
  void emit(const RankMessage& message);
  TraceOpKind present_operation() const { return ops_[at_ - (inside_operation() ? 1 : 0)].kind; }
  void step();
  void play_operation(const TraceOp& op);
  void compute(std::uint64_t flops);
  void begin_collective(const TraceOp& op);
  void play_collective(const TraceOp& op);
  RequestId take_slot(const MessageKey& key, bool receives, std::uint64_t bytes);
  RequestId begin_send(std::uint16_t peer, std::int32_t tag, std::uint64_t bytes);
  RequestId begin_receive(std::uint16_t peer, std::int32_t tag, std::uint64_t bytes);
  RequestId send(const MessageKey& key, std::uint64_t bytes);
  RequestId receive(const MessageKey& key, std::uint64_t bytes);
  void collective_send(const TraceOp& op, std::uint32_t peer);
  void collective_receive(const TraceOp& op, std::uint32_t peer);
  void await(RequestId id);
  void complete(RequestId id);
  void wait_for_one(const TraceOp& op);
  void answer(RequestId id);
  void check_size(const RankMessage& message, RequestId id) const;
  RequestId take_posted(const RankMessage& message, std::vector<RequestId>& list);
  [[noreturn]] void fail(const std::string& what) const;

  const Trace& trace_;
  const RankOps& ops_;
  const std::uint16_t rank_;
  const ReplayConfig& config_;
  RankOutlet& outlet_;
  const CollectiveAlgorithm &barrier_, &broadcast_, &reduce_, &all_reduce_, &all_to_all_;

  Stage stage_ = Stage::ready;
  std::size_t at_ = 0;
  Cycle now_ = 0;
  Cycle until_ = 0;            ///< End of computing, in stage `computing`.
  Cycle since_ = 0;            ///< Begin of waiting or computing, in these stages.
  std::uint32_t pending_ = 0;  ///< Number of requests that are awaited.

  std::uint64_t collectives_ = 0;
  MessageCount sent_count_, received_count_;
  bool in_collective_ = false;
  MessageSteps steps_;
  std::size_t step_ = 0;
  const CollectiveAlgorithm* algorithm_ = nullptr;

  MessageNumbers sent_, received_;
  std::vector<Request> requests_;
  std::vector<RequestId> free_;
  std::vector<RequestId> open_;  ///< Requests of isend and irecv that have not been waited for, oldest first.
  std::vector<RequestId> sending_;  ///< Sends that have been requested or are leaving.
  std::vector<RequestId> posted_;   ///< Receives whose message has not arrived.
  std::vector<RankMessage> unexpected_;
  ReplayTimes times_;
  RankWatch* watch_ = nullptr;  ///< null: none
  MessageKey last_done_;        ///< message of the awaited request that was complete last
};

}  // namespace tsuji::workload
