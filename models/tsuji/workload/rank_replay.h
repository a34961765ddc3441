// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/workload/collectives.h"
#include "tsuji/workload/message_numbers.h"
#include "tsuji/workload/rank_wait.h"
#include "tsuji/workload/trace.h"

namespace tsuji::workload {

/// Identity of a message at both ends. Messages of one source, destination and tag are numbered in their
/// order at both ends, so that the n-th receive takes the n-th message, in whatever order they arrive;
/// there are no wildcards in a trace.
struct MessageKey {
  std::uint16_t source = 0, destination = 0;
  std::int32_t tag = 0;      ///< of a collective: the lower bits of its number
  std::uint32_t number = 0;  ///< among those of the same source, destination and tag
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

/// A transfer between two ranks for a message.
struct RankMessage {
  enum class Part : std::uint8_t {
    eager,          ///< the whole message, unasked
    request,        ///< the announcement of a message with its bytes
    clear_to_send,  ///< the receiver's answer: goes to the source
    data,           ///< the bytes
  };
  MessageKey key;
  Part part = Part::eager;
  std::uint64_t bytes = 0;  ///< of the message; a request and its answer carry none of them
  std::uint16_t receiver() const { return part == Part::clear_to_send ? key.source : key.destination; }
  std::uint64_t payload_bytes() const { return part == Part::eager || part == Part::data ? bytes : 0; }
};

/// Where a rank's messages go.
class RankOutlet {
 public:
  virtual ~RankOutlet() = default;
  virtual void send(const RankMessage& message) = 0;
  /// The other rank is on this node: messages to it are not worth asking for.
  virtual bool is_local(std::uint16_t rank) const = 0;
};

struct ReplayConfig {
  double ns_per_flop = 1.0;
  ClockPeriod period{1000};
  std::uint64_t eager_bytes = 4096;  ///< largest message that is sent unasked
  /// Names of algorithms in the tables of collectives.h.
  std::string barrier = "dissemination", broadcast = "binomial", reduce = "binomial",
              all_reduce = "recursive_doubling", all_to_all = "staggered";
};

/// Where a rank's time went, in cycles.
struct ReplayTimes {
  Cycle end = 0;  ///< the cycle in which it finished
  Cycle compute = 0;
  Cycle waiting = 0;
  Cycle roi_begin = never, roi_end = never;  ///< the benchmark's own timed section, if its trace marks one
};

/// Plays one rank of a trace without any software (rooms/workload.md, Where the paper is silent, 1):
/// computing takes flops x ns_per_flop, everything else takes no time but for waiting. A send up to
/// eager_bytes is buffered and complete at once; a larger one asks, is told when its receive has been posted,
/// sends, and is complete when its last byte has left. Collectives are the messages of a named algorithm, one
/// after the other; adding up takes no time. Init and finalize are nothing.
///
/// Without a kernel: its caller hands over what has arrived or left and calls play(); nothing runs in
/// between.
class RankReplay {
 public:
  /// Refers to the trace and the outlet. ConfigError for an algorithm that is not known.
  RankReplay(const Trace& trace, std::uint16_t rank, const ReplayConfig& config, RankOutlet& outlet);

  /// Goes on as far as it can in cycle `now`; sends what is to be sent in this cycle.
  void play(Cycle now);
  /// The end of its computing; `never` where it does not compute.
  Cycle wakes_at() const { return stage_ == Stage::computing ? until_ : never; }
  bool finished() const { return stage_ == Stage::finished; }

  /// A message for this rank is here as a whole. ModelError for one that is longer than its receive, or that
  /// nobody can have sent.
  void arrived(Cycle now, const RankMessage& message);
  /// The last byte of a message's data has left this node.
  void departed(Cycle now, const MessageKey& key);

  std::uint16_t rank() const { return rank_; }
  const ReplayTimes& times() const { return times_; }
  std::size_t operations_done() const { return at_ - (inside_operation() ? 1 : 0); }
  std::size_t operations() const { return ops_.size(); }
  /// Point-to-point messages that have left or been handed over, and those that have been received.
  const MessageCount& sent() const { return sent_count_; }
  const MessageCount& received() const { return received_count_; }
  /// For the report of ranks that wait for each other forever.
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

  /// Only a collective is still at hand while it is waited for.
  bool inside_operation() const {
    return (stage_ == Stage::waiting || stage_ == Stage::computing) && !in_collective_;
  }
  void resume();
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
  Cycle until_ = 0;            ///< computing: its end
  Cycle since_ = 0;            ///< waiting: its begin
  std::uint32_t pending_ = 0;  ///< requests that are awaited

  std::uint64_t collectives_ = 0;
  MessageCount sent_count_, received_count_;
  bool in_collective_ = false;
  MessageSteps steps_;
  std::size_t step_ = 0;
  const CollectiveAlgorithm* algorithm_ = nullptr;

  MessageNumbers sent_, received_;
  std::vector<Request> requests_;
  std::vector<RequestId> free_;
  std::vector<RequestId> open_;     ///< of isend and irecv, not waited for yet, oldest first
  std::vector<RequestId> sending_;  ///< asked, or on their way out
  std::vector<RequestId> posted_;   ///< receives without their message
  std::vector<RankMessage> unexpected_;
  ReplayTimes times_;
};

}  // namespace tsuji::workload
