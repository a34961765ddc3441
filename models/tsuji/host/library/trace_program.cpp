// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/library/trace_program.h"

#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/core/run_time.h"
#include "tsuji/host/library/trace_heap.h"
#include "tsuji/nic/tables.h"

namespace tsuji::host {

using workload::TraceOp;
using workload::TraceOpKind;

namespace {

// Tags of the payloads of collectives; a trace's own are never negative.
constexpr std::int32_t broadcast_payload = -2;
constexpr std::int32_t all_to_all_payload = -3;

const workload::Trace& checked(const workload::Trace& trace, std::uint32_t ranks) {
  if (trace.size() != ranks) {
    throw ConfigError(trace.key, std::to_string(trace.size()) + " ranks",
                      "the trace does not fit the machine",
                      std::to_string(ranks) + " ranks, one on each node");
  }
  return trace;
}

}  // namespace

TraceProgram::TraceProgram(RankRuntime& runtime, const workload::Trace& trace, double compute_scale)
    : runtime_(runtime),
      trace_(checked(trace, runtime.ranks())),
      ops_(trace.ranks[runtime.rank()]),
      compute_scale_(compute_scale),
      payload_(runtime.cpu),
      sent_before_(runtime.messages.sent()) {
  check_heap(trace, runtime.rank(), runtime.layout.heap_bytes);
}

workload::MessageCount TraceProgram::sent() const {
  const workload::MessageCount& all = runtime_.messages.sent();
  return {all.messages - sent_before_.messages, all.bytes - sent_before_.bytes};
}

void TraceProgram::run() {
  const Cycle start = runtime_.cpu.now();
  const Cycle waited_before = runtime_.waiter.waiting_cycles();
  for (at_ = 0; at_ < ops_.size(); ++at_) play(ops_[at_]);
  times_.total = runtime_.cpu.now() - start;
  times_.waiting = runtime_.waiter.waiting_cycles() - waited_before;
  finished_ = true;
}

void TraceProgram::play(const TraceOp& op) {
  switch (op.kind) {
    case TraceOpKind::init:
      runtime_.collectives.start();
      break;
    case TraceOpKind::finalize:
      finalize();
      break;
    case TraceOpKind::compute:
      compute(op.value);
      break;
    case TraceOpKind::send:
      finish(start_send(op));
      break;
    case TraceOpKind::recv:
      finish(start_receive(op));
      break;
    case TraceOpKind::isend:
      open_.push_back(start_send(op));
      break;
    case TraceOpKind::irecv:
      open_.push_back(start_receive(op));
      break;
    case TraceOpKind::wait:
      wait(op);
      break;
    case TraceOpKind::waitall:
      wait_all();
      break;
    case TraceOpKind::barrier:
      runtime_.collectives.barrier();
      break;
    case TraceOpKind::bcast:
      broadcast(op.value, op.peer);
      break;
    case TraceOpKind::reduce:
    case TraceOpKind::allreduce:
      reduce(op);
      break;
    case TraceOpKind::alltoall:
    case TraceOpKind::alltoallv:
      all_to_all(op);
      break;
    case TraceOpKind::roi_begin:
      times_.roi_begin = runtime_.cpu.now();
      break;
    case TraceOpKind::roi_end:
      times_.roi_end = runtime_.cpu.now();
      break;
  }
}

void TraceProgram::compute(std::uint64_t flops) {
  const double ns = static_cast<double>(flops) * compute_scale_;
  if (!(ns >= 0 && ns <= static_cast<double>(last_run_ps(runtime_.times.period)) / 1000.0)) {
    throw ModelError("program of rank " + std::to_string(runtime_.rank()), runtime_.cpu.now(), "",
                     std::to_string(flops) + " flops at a scale of " + std::to_string(compute_scale_) +
                         " take longer than a run may last");
  }
  const Cycle cycles = runtime_.times.period.cycles_from_ns(ns);
  if (cycles == 0) return;
  const Cycle before = runtime_.cpu.now();
  runtime_.cpu.compute(cycles);
  times_.compute += runtime_.cpu.now() - before;
}

TraceProgram::Open TraceProgram::start_send(const TraceOp& op) {
  Open open;
  open.key = PayloadKey::between(runtime_.rank(), op.peer);
  open.key.tag = op.tag;
  open.key.serial = numbers_sent_.next(op.peer, op.tag);
  open.bytes = op.value;
  open.address = runtime_.heap.take(open.bytes);
  payload_.write(open.key, open.address, open.bytes);
  open.request = runtime_.messages.isend(op.peer, op.tag, open.address, open.bytes);
  return open;
}

TraceProgram::Open TraceProgram::start_receive(const TraceOp& op) {
  Open open;
  open.receives = true;
  open.key = PayloadKey::between(op.peer, runtime_.rank());
  open.key.tag = op.tag;
  open.key.serial = numbers_received_.next(op.peer, op.tag);
  open.bytes = op.value;
  open.address = runtime_.heap.take(open.bytes);
  open.request = runtime_.messages.irecv({op.peer, op.tag, Context::user}, open.address, open.bytes);
  return open;
}

void TraceProgram::finish(const Open& open) {
  const MessageStatus status = runtime_.messages.wait(open.request);
  if (open.receives) {
    payload_.check(open.key, open.address, status.bytes);
    received_.add(status.bytes);
  }
  runtime_.heap.give_back(open.address, open.bytes);
}

void TraceProgram::wait(const TraceOp& op) {
  const bool to_itself = op.peer == runtime_.rank();
  const auto found = std::find_if(open_.begin(), open_.end(), [&](const Open& open) {
    const std::uint32_t peer = open.receives ? open.key.source : open.key.destination;
    return peer == op.peer && open.key.tag == op.tag && (to_itself || open.receives == op.receives);
  });
  if (found == open_.end()) {
    throw ModelError("rank " + std::to_string(runtime_.rank()), runtime_.cpu.now(), "",
                     "no request for " + text_of(op));
  }
  finish(*found);
  open_.erase(found);
}

void TraceProgram::wait_all() {
  for (const Open& open : open_) finish(open);
  open_.clear();
}

void TraceProgram::broadcast(std::uint64_t bytes, std::uint32_t root) {
  PayloadKey key;
  key.source = root;
  key.tag = broadcast_payload;
  key.serial = collective_++;
  const HeapBlock data(runtime_.heap, bytes);
  if (runtime_.rank() == root) payload_.write(key, data.address(), bytes);
  runtime_.collectives.broadcast({data.address(), bytes}, root);
  payload_.check(key, data.address(), bytes);
}

void TraceProgram::reduce(const TraceOp& op) {
  const std::uint32_t serial = collective_++;
  const bool everywhere = op.kind == TraceOpKind::allreduce;
  const HeapBlock part(runtime_.heap, op.value), sum(runtime_.heap, op.value);
  payload_.write_part(serial, runtime_.rank(), part.address(), op.value);
  if (everywhere) {
    runtime_.collectives.all_reduce({part.address(), op.value}, sum.address());
  } else {
    runtime_.collectives.reduce({part.address(), op.value}, sum.address(), op.peer);
  }
  if (everywhere || runtime_.rank() == op.peer) {
    payload_.check_sum(serial, runtime_.ranks(), sum.address(), op.value);
  }
}

std::uint64_t TraceProgram::lay_out(std::vector<Block>& blocks, const std::uint32_t* sizes,
                                    std::uint64_t each) {
  constexpr std::uint64_t line = nic::line_bytes;
  blocks.resize(runtime_.ranks());
  std::uint64_t total = 0;
  for (std::size_t rank = 0; rank < blocks.size(); ++rank) {
    blocks[rank] = {total, sizes == nullptr ? each : sizes[rank]};
    total += (blocks[rank].bytes + line - 1) / line * line;
  }
  const std::uint64_t base = runtime_.heap.take(total);
  for (Block& block : blocks) block.address += base;
  return total;
}

void TraceProgram::all_to_all(const TraceOp& op) {
  const bool counted = op.kind == TraceOpKind::alltoallv;
  PayloadKey key;
  key.tag = all_to_all_payload;
  key.serial = collective_++;
  const std::uint64_t out_bytes = lay_out(out_, counted ? trace_.bytes_to(op) : nullptr, op.value);
  const std::uint64_t in_bytes = lay_out(in_, counted ? trace_.bytes_from(op) : nullptr, op.value);
  const std::uint32_t self = runtime_.rank();
  key.source = self;
  for (std::uint32_t rank = 0; rank < out_.size(); ++rank) {
    key.destination = rank;
    payload_.write(key, out_[rank].address, out_[rank].bytes);
  }
  runtime_.collectives.all_to_all(out_, in_);
  key.destination = self;
  for (std::uint32_t rank = 0; rank < in_.size(); ++rank) {
    key.source = rank;
    payload_.check(key, in_[rank].address, in_[rank].bytes);
  }
  runtime_.heap.give_back(in_.front().address, in_bytes);
  runtime_.heap.give_back(out_.front().address, out_bytes);
}

void TraceProgram::finalize() {
  runtime_.collectives.barrier();
  runtime_.waiter.progress();
  runtime_.messages.check_idle();
  runtime_.collectives.check_idle();
}

workload::RankState TraceProgram::state() const {
  workload::RankState state;
  state.rank = runtime_.rank();
  state.finished = finished_;
  state.collectives = runtime_.collectives.entered();
  state.requests = runtime_.messages.open_requests();
  state.unreceived = runtime_.messages.unreceived();
  if (at_ < ops_.size()) {
    state.doing = trace_.doing(runtime_.rank(), at_);
    state.in_collective = is_collective(ops_[at_].kind);
  }
  return state;
}

}  // namespace tsuji::host
