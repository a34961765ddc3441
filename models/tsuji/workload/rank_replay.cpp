// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/rank_replay.h"

#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/core/run_time.h"

namespace tsuji::workload {
namespace {

constexpr const char* waits_for_receiver = "is announced, and its receive is not posted yet";
constexpr const char* is_leaving = "is being sent";
constexpr const char* waits_for_message = "waits for its message";
constexpr const char* waits_for_data = "is requested, and its data are in flight";

using Part = RankMessage::Part;

std::string text_of(const MessageKey& key) {
  return "from rank " + std::to_string(key.source) + " to rank " + std::to_string(key.destination) +
         (key.collective ? ", of collective " : ", tag ") + std::to_string(key.tag);
}

}  // namespace

RankReplay::RankReplay(const Trace& trace, std::uint16_t rank, const ReplayConfig& config, RankOutlet& outlet)
    : trace_(trace),
      ops_(trace.ranks[rank]),
      rank_(rank),
      config_(config),
      outlet_(outlet),
      barrier_(find_algorithm(barrier_algorithms(), config.barrier, "collectives.barrier")),
      broadcast_(find_algorithm(broadcast_algorithms(), config.broadcast, "collectives.broadcast")),
      reduce_(find_algorithm(reduce_algorithms(), config.reduce, "collectives.reduce")),
      all_reduce_(find_algorithm(all_reduce_algorithms(), config.all_reduce, "collectives.all_reduce")),
      all_to_all_(find_algorithm(all_to_all_algorithms(), config.all_to_all, "collectives.all_to_all")) {}

void RankReplay::play(Cycle now) {
  now_ = now;
  resume();
  while (stage_ == Stage::ready) step();
}

/// Ends a computation or a wait that is over in this cycle.
void RankReplay::resume() {
  if (stage_ == Stage::computing && now_ >= until_) {
    if (watch_ != nullptr) watch_->spent(rank_, TraceOpKind::compute, since_, until_, nullptr);
    stage_ = Stage::ready;
  }
  if (stage_ == Stage::waiting && pending_ == 0) {
    times_.waiting += now_ - since_;
    if (watch_ != nullptr && now_ != since_)
      watch_->spent(rank_, present_operation(), since_, now_, &last_done_);
    stage_ = Stage::ready;
  }
}

void RankReplay::emit(const RankMessage& message) {
  if (watch_ != nullptr) watch_->sent(rank_, message, now_);
  outlet_.send(message);
}

void RankReplay::step() {
  if (at_ == ops_.size()) {
    stage_ = Stage::finished;
    times_.end = now_;
    return;
  }
  const TraceOp& op = ops_[at_];
  if (in_collective_) {
    play_collective(op);
  } else {
    play_operation(op);
  }
  if (pending_ != 0) {
    stage_ = Stage::waiting;
    since_ = now_;
  }
}

void RankReplay::play_operation(const TraceOp& op) {
  switch (op.kind) {
    case TraceOpKind::init:
    case TraceOpKind::finalize:
      break;
    case TraceOpKind::compute:
      compute(op.value);
      break;
    case TraceOpKind::send:
      await(begin_send(op.peer, op.tag, op.value));
      break;
    case TraceOpKind::isend:
      open_.push_back(begin_send(op.peer, op.tag, op.value));
      break;
    case TraceOpKind::recv:
      await(begin_receive(op.peer, op.tag, op.value));
      break;
    case TraceOpKind::irecv:
      open_.push_back(begin_receive(op.peer, op.tag, op.value));
      break;
    case TraceOpKind::wait:
      wait_for_one(op);
      break;
    case TraceOpKind::waitall:
      for (const RequestId id : open_) await(id);
      open_.clear();
      break;
    case TraceOpKind::roi_begin:
      times_.roi_begin = now_;
      break;
    case TraceOpKind::roi_end:
      times_.roi_end = now_;
      break;
    default:
      begin_collective(op);
      return;
  }
  ++at_;
}

void RankReplay::compute(std::uint64_t flops) {
  const Cycle cycles = config_.period.cycles_from_ns(static_cast<double>(flops) * config_.ns_per_flop);
  if (cycles == 0) return;
  const Cycle longest = last_run_cycle(config_.period);
  if (cycles > longest || now_ > longest - cycles)
    fail("computes for longer than a run may last, " + std::to_string(longest) +
         " cycles: the computing times of ranks that wait for each other add up to more");
  times_.compute += cycles;
  since_ = now_;
  until_ = now_ + cycles;
  stage_ = Stage::computing;
}

void RankReplay::begin_collective(const TraceOp& op) {
  switch (op.kind) {
    case TraceOpKind::bcast:
      algorithm_ = &broadcast_;
      break;
    case TraceOpKind::reduce:
      algorithm_ = &reduce_;
      break;
    case TraceOpKind::allreduce:
      algorithm_ = &all_reduce_;
      break;
    case TraceOpKind::alltoall:
    case TraceOpKind::alltoallv:
      algorithm_ = &all_to_all_;
      break;
    default:
      algorithm_ = &barrier_;
      break;
  }
  ++collectives_;
  steps_ = algorithm_->steps(rank_, static_cast<std::uint32_t>(trace_.size()), op.peer);
  step_ = 0;
  in_collective_ = true;
}

void RankReplay::play_collective(const TraceOp& op) {
  while (step_ < steps_.size() && (algorithm_->at_once || pending_ == 0)) {
    const MessageStep& step = steps_[step_++];
    using Kind = MessageStep::Kind;
    if (step.kind == Kind::receive) collective_receive(op, step.peer);
    if (step.kind == Kind::exchange) collective_receive(op, step.source);
    if (step.kind != Kind::receive) collective_send(op, step.peer);
  }
  if (step_ < steps_.size() || pending_ != 0) return;
  in_collective_ = false;
  ++at_;
}

void RankReplay::collective_send(const TraceOp& op, std::uint32_t peer) {
  const std::uint64_t bytes = op.kind == TraceOpKind::alltoallv ? trace_.bytes_to(op)[peer] : op.value;
  const bool all_to_all = op.kind == TraceOpKind::alltoall || op.kind == TraceOpKind::alltoallv;
  if (all_to_all && bytes == 0) return;
  const auto tag = static_cast<std::int32_t>(collectives_ & 0x7FFFFFFF);
  await(send(MessageKey::of_collective(rank_, static_cast<std::uint16_t>(peer), tag), bytes));
}

void RankReplay::collective_receive(const TraceOp& op, std::uint32_t peer) {
  const std::uint64_t bytes = op.kind == TraceOpKind::alltoallv ? trace_.bytes_from(op)[peer] : op.value;
  const bool all_to_all = op.kind == TraceOpKind::alltoall || op.kind == TraceOpKind::alltoallv;
  if (all_to_all && bytes == 0) return;
  const auto tag = static_cast<std::int32_t>(collectives_ & 0x7FFFFFFF);
  await(receive(MessageKey::of_collective(static_cast<std::uint16_t>(peer), rank_, tag), bytes));
}

RankReplay::RequestId RankReplay::begin_send(std::uint16_t peer, std::int32_t tag, std::uint64_t bytes) {
  return send(MessageKey::point_to_point(rank_, peer, tag, sent_.next(peer, tag)), bytes);
}

RankReplay::RequestId RankReplay::begin_receive(std::uint16_t peer, std::int32_t tag, std::uint64_t bytes) {
  return receive(MessageKey::point_to_point(peer, rank_, tag, received_.next(peer, tag)), bytes);
}

RankReplay::RequestId RankReplay::take_slot(const MessageKey& key, bool receives, std::uint64_t bytes) {
  if (free_.empty()) {
    free_.push_back(static_cast<RequestId>(requests_.size()));
    requests_.emplace_back();
  }
  const RequestId id = free_.back();
  free_.pop_back();
  Request& request = requests_[id] = {};
  request.key = key;
  request.receives = receives;
  request.bytes = bytes;
  return id;
}

RankReplay::RequestId RankReplay::send(const MessageKey& key, std::uint64_t bytes) {
  const RequestId id = take_slot(key, false, bytes);
  if (bytes <= config_.eager_bytes || outlet_.is_local(key.destination)) {
    emit({key, Part::eager, bytes});
    complete(id);
    return id;
  }
  emit({key, Part::request, bytes});
  requests_[id].state = waits_for_receiver;
  sending_.push_back(id);
  return id;
}

RankReplay::RequestId RankReplay::receive(const MessageKey& key, std::uint64_t bytes) {
  const RequestId id = take_slot(key, true, bytes);
  requests_[id].state = waits_for_message;
  const auto came = std::find_if(unexpected_.begin(), unexpected_.end(),
                                 [&](const RankMessage& message) { return message.key == key; });
  if (came == unexpected_.end()) {
    posted_.push_back(id);
    return id;
  }
  const RankMessage message = *came;
  unexpected_.erase(came);
  check_size(message, id);
  requests_[id].bytes = message.bytes;
  if (message.part == Part::eager) {
    complete(id);
  } else {
    posted_.push_back(id);
    answer(id);
  }
  return id;
}

/// Notifies the sender that its data are requested.
void RankReplay::answer(RequestId id) {
  Request& request = requests_[id];
  request.state = waits_for_data;
  emit({request.key, Part::clear_to_send, request.bytes});
}

void RankReplay::await(RequestId id) {
  if (requests_[id].done) {
    free_.push_back(id);
    return;
  }
  requests_[id].awaited = true;
  ++pending_;
}

void RankReplay::complete(RequestId id) {
  requests_[id].done = true;
  const Request& request = requests_[id];
  if (!request.key.collective) (request.receives ? received_count_ : sent_count_).add(request.bytes);
  if (!requests_[id].awaited) return;
  last_done_ = request.key;
  --pending_;
  free_.push_back(id);
}

void RankReplay::wait_for_one(const TraceOp& op) {
  const bool to_itself = op.peer == rank_;
  const auto found = std::find_if(open_.begin(), open_.end(), [&](RequestId id) {
    const Request& request = requests_[id];
    const std::uint16_t peer = request.receives ? request.key.source : request.key.destination;
    return peer == op.peer && request.key.tag == op.tag && (to_itself || request.receives == op.receives);
  });
  if (found == open_.end()) fail("no request for " + workload::text_of(op));
  await(*found);
  open_.erase(found);
}

void RankReplay::check_size(const RankMessage& message, RequestId id) const {
  if (message.bytes <= requests_[id].bytes) return;
  fail("a message " + text_of(message.key) + ", has " + std::to_string(message.bytes) +
       " bytes, and its receive takes " + std::to_string(requests_[id].bytes));
}

/// Takes the request with the message's key out of `list`.
RankReplay::RequestId RankReplay::take_posted(const RankMessage& message, std::vector<RequestId>& list) {
  const auto found =
      std::find_if(list.begin(), list.end(), [&](RequestId id) { return requests_[id].key == message.key; });
  if (found == list.end()) fail("no receive waits for a message " + text_of(message.key));
  const RequestId id = *found;
  list.erase(found);
  return id;
}

void RankReplay::arrived(Cycle now, const RankMessage& message) {
  now_ = now;
  if (message.receiver() != rank_) fail("a message " + text_of(message.key) + " arrived at the wrong rank");
  if (watch_ != nullptr) watch_->came(rank_, message, now);
  if (message.part == Part::data) return complete(take_posted(message, posted_));
  if (message.part == Part::clear_to_send) {
    const auto asked = std::find_if(sending_.begin(), sending_.end(),
                                    [&](RequestId id) { return requests_[id].key == message.key; });
    if (asked == sending_.end()) fail("no rank has announced a message " + text_of(message.key));
    requests_[*asked].state = is_leaving;
    return emit({message.key, Part::data, requests_[*asked].bytes});
  }
  const auto posted = std::find_if(posted_.begin(), posted_.end(),
                                   [&](RequestId id) { return requests_[id].key == message.key; });
  if (posted == posted_.end()) return unexpected_.push_back(message);
  check_size(message, *posted);
  requests_[*posted].bytes = message.bytes;
  if (message.part == Part::request) return answer(*posted);
  const RequestId id = *posted;
  posted_.erase(posted);
  complete(id);
}

void RankReplay::departed(Cycle now, const MessageKey& key) {
  now_ = now;
  RankMessage message;
  message.key = key;
  complete(take_posted(message, sending_));
}

RankState RankReplay::state() const {
  RankState state;
  state.rank = rank_;
  state.finished = finished();
  state.collectives = collectives_;
  if (!finished()) {
    const TraceOp& op = ops_[operations_done()];
    state.in_collective = is_collective(op.kind) && op.kind != TraceOpKind::finalize;
    state.doing = trace_.doing(rank_, operations_done());
  }
  for (const auto* list : {&sending_, &posted_}) {
    for (const RequestId id : *list) {
      const Request& request = requests_[id];
      OpenRequest& open = state.requests.emplace_back();
      open.receives = request.receives;
      open.peer = request.receives ? request.key.source : request.key.destination;
      open.tag = request.key.tag;
      open.bytes = request.bytes;
      open.collective = request.key.collective;
      open.state = request.state;
    }
  }
  for (const RankMessage& message : unexpected_) {
    state.unreceived.push_back({message.key.source, message.key.tag, message.bytes});
  }
  return state;
}

void RankReplay::fail(const std::string& what) const {
  throw ModelError("rank " + std::to_string(rank_), now_, "", what);
}

}  // namespace tsuji::workload
