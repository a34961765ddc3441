// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/library/collectives.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "tsuji/core/error.h"
#include "tsuji/host/library/memory_copy.h"
#include "tsuji/workload/collective_plan.h"

namespace tsuji::host {
namespace {

using Kind = workload::MessageStep::Kind;

constexpr std::uint64_t whole_words(std::uint64_t bytes) {
  return bytes / 8 * 8;
}

}  // namespace

Collectives::Collectives(Cpu& cpu, const TaskLayout& layout, const LibraryConfig& config,
                         const SoftwareCycles& times, Paralib& paralib, PointToPoint& messages, Heap& heap,
                         SendSlots& slots, Waiter& waiter)
    : cpu_(cpu),
      layout_(layout),
      config_(config),
      times_(times),
      paralib_(paralib),
      messages_(messages),
      heap_(heap),
      slots_(slots),
      waiter_(waiter),
      inbox_(cpu, layout, times, heap, waiter),
      waits_for_barrier_("a barrier"),
      waits_for_broadcast_("a broadcast"),
      waits_for_slot_("a send slot"),
      waits_for_sending_("the end of a send"),
      waits_for_operands_("an all-reduce in the network") {}

bool Collectives::uses_fabric() const {
  return layout_.pes > 1 &&
         (config_.broadcast == BroadcastMethod::hardware || config_.barrier == BarrierMethod::hardware ||
          config_.barrier == BarrierMethod::hierarchical || config_.barrier == BarrierMethod::multicast_add ||
          config_.all_reduce == AllReduceMethod::in_network);
}

void Collectives::start() {
  if (!uses_fabric() || !group_.multicast.empty()) return;
  std::vector<std::uint32_t> everybody(layout_.pes);
  std::iota(everybody.begin(), everybody.end(), 0U);
  group_ = paralib_.register_group(everybody);
  // Counters only grow, also over programs that ran before.
  if (group_.synchronizes) rounds_ = paralib_.synchronization_count(group_.sid);
  if (config_.all_reduce != AllReduceMethod::in_network) return;
  for (std::uint32_t number = 0; number < config_.all_reduce_packets; ++number) {
    CombiningGroup& own = combining_.emplace_back();
    own.group = paralib_.register_group(everybody);
    own.rounds = paralib_.synchronization_count(own.group.sid);
  }
}

void Collectives::barrier() {
  ++entered_;
  do_barrier();
}

void Collectives::do_barrier() {
  if (layout_.pes == 1) return;
  if (uses_fabric() && group_.multicast.empty()) {
    throw ModelError("collectives of rank " + std::to_string(layout_.pe), cpu_.now(), "",
                     "used before start() registered the group");
  }
  take_all_broadcasts();
  since_barrier_ = 0;
  switch (config_.barrier) {
    case BarrierMethod::hardware:
      group_.synchronizes ? fabric_barrier() : hierarchical_barrier();
      break;
    case BarrierMethod::hierarchical:
      hierarchical_barrier();
      break;
    case BarrierMethod::multicast_add:
      add_barrier();
      break;
    case BarrierMethod::tree:
      play(workload::tree_barrier(layout_.pe, layout_.pes), next_tag());
      break;
    case BarrierMethod::dissemination:
      play(workload::dissemination_barrier(layout_.pe, layout_.pes), next_tag());
      break;
  }
}

void Collectives::fabric_barrier() {
  paralib_.synchronize(group_);
  ++rounds_;
  waiter_.until([&] { return paralib_.synchronization_count(group_.sid) >= rounds_; }, waits_for_barrier_,
                paralib_.synchronization_address(group_.sid));
  cpu_.compute(times_.paralib_receive);
}

void Collectives::add_barrier() {
  // A rank of the next round may have added already, but only because all have entered this one.
  for (const std::uint16_t group : group_.multicast) {
    paralib_.atomic_add(Target::group(group), layout_.barrier_counter, 1);
  }
  expected_count_ += layout_.pes;
  waiter_.until([&] { return cpu_.load(layout_.barrier_counter) >= expected_count_; }, waits_for_barrier_,
                layout_.barrier_counter);
  cpu_.compute(times_.paralib_receive);
}

/// A counter of a rank takes the arrivals of all its children, whichever level they meet it on. None of the
/// next round comes before the root's release, which every counter has been waited for before.
void Collectives::hierarchical_barrier() {
  const workload::FanIn place = workload::fan_in(layout_.pe, layout_.pes, config_.barrier_fan_in);
  ++releases_;
  expected_count_ += place.children;
  if (place.children > 0) {
    waiter_.until([&] { return cpu_.load(layout_.barrier_counter) >= expected_count_; }, waits_for_barrier_,
                  layout_.barrier_counter);
    cpu_.compute(times_.paralib_receive);
  }
  if (layout_.pe != 0) {
    paralib_.atomic_add(Target::pe(place.parent), layout_.barrier_counter, 1);
  } else {
    for (const std::uint16_t group : group_.multicast)
      paralib_.atomic_add(Target::group(group), layout_.release_counter, 1);
  }
  waiter_.until([&] { return cpu_.load(layout_.release_counter) >= releases_; }, waits_for_barrier_,
                layout_.release_counter);
  cpu_.compute(times_.paralib_receive);
}

void Collectives::exchange(std::uint32_t to, std::uint32_t source, std::int32_t tag) {
  const RequestId receive = messages_.irecv(from(source, tag), layout_.heap, 0);
  messages_.send(to, tag, layout_.heap, 0, Context::collective);
  messages_.wait(receive);
}

void Collectives::play(const workload::MessageSteps& steps, std::int32_t tag) {
  for (const workload::MessageStep& step : steps) {
    switch (step.kind) {
      case Kind::send:
        messages_.send(step.peer, tag, layout_.heap, 0, Context::collective);
        break;
      case Kind::receive:
        messages_.receive(from(step.peer, tag), layout_.heap, 0);
        break;
      case Kind::exchange:
        exchange(step.peer, step.source, tag);
        break;
    }
  }
}

void Collectives::take_all_broadcasts() {
  waiter_.until([&] { return inbox_.received_of(broadcasts_) == broadcasts_; }, waits_for_broadcast_);
}

void Collectives::broadcast(Block data, std::uint32_t root) {
  ++entered_;
  if (layout_.pes == 1) return;
  if (config_.broadcast == BroadcastMethod::hardware) {
    fabric_broadcast(data, root);
  } else {
    tree_broadcast(data, root);
  }
}

void Collectives::fabric_broadcast(Block data, std::uint32_t root) {
  const bool is_root = root == layout_.pe;
  cpu_.compute(is_root ? times_.mpi_send : times_.mpi_receive);
  if (data.bytes <= Envelope::eager_limit) {
    if (since_barrier_ == config_.collective_messages) do_barrier();
    ++since_barrier_;
    ++broadcasts_;
    short_broadcast(data, is_root);
  } else {
    long_broadcast(data, is_root);
  }
}

void Collectives::wait_for_slot() {
  while (!slots_.ready()) {
    // Other operations may use the next slot in the meantime; another slot must then be watched.
    const std::uint64_t notification = slots_.next_notification();
    waiter_.until([&] { return slots_.next_notification() != notification || slots_.ready(); },
                  waits_for_slot_, notification);
  }
}

void Collectives::multicast_message(const Envelope& envelope, Block payload) {
  for (const std::uint16_t group : group_.multicast) {
    // One slot a group: parcels to different groups may pass each other, so the arrival of one implies
    // nothing about the others.
    wait_for_slot();
    const std::uint32_t slot = slots_.fill(envelope, payload.address, payload.bytes);
    paralib_.send(Target::group(group), 1, slots_.address(slot), SendSlots::message_bytes(payload.bytes),
                  slots_.notification(slot));
  }
}

BroadcastInbox::Message Collectives::await_broadcast() {
  const auto sequence = static_cast<std::uint32_t>(broadcasts_ - 1);
  BroadcastInbox::Message message;
  waiter_.until([&] { return inbox_.take(sequence, message); }, waits_for_broadcast_);
  return message;
}

void Collectives::short_broadcast(Block data, bool root) {
  if (root) {
    Envelope envelope;
    envelope.kind = EnvelopeKind::broadcast;
    envelope.context = Context::collective;
    envelope.source = layout_.pe;
    envelope.message_bytes = data.bytes;
    envelope.sequence = static_cast<std::uint32_t>(broadcasts_ - 1);
    multicast_message(envelope, data);
    return;
  }
  const BroadcastInbox::Message message = await_broadcast();
  copy_memory(cpu_, times_, data.address, message.copy, data.bytes);
  heap_.give_back(message.copy, message.payload_bytes);
}

void Collectives::long_broadcast(Block data, bool root) {
  if (data.address % 8 != 0) {
    throw ModelError("collectives of rank " + std::to_string(layout_.pe), cpu_.now(), "",
                     "a multicast's buffer does not begin on a word");
  }
  const std::uint64_t whole = whole_words(data.bytes);
  const auto tail_bytes = static_cast<unsigned>(data.bytes - whole);
  // The root is a member of its group: its data return to the buffer that they were sent from.
  paralib_.set_address_register(0, data.address);
  do_barrier();
  ++since_barrier_;
  ++broadcasts_;
  if (!root) {
    const BroadcastInbox::Message message = await_broadcast();
    if (tail_bytes > 0) cpu_.store_block(data.address + whole, &message.envelope.tail, tail_bytes);
    heap_.give_back(message.copy, message.payload_bytes);
    return;
  }
  Envelope envelope;
  envelope.kind = EnvelopeKind::broadcast;
  envelope.context = Context::collective;
  envelope.source = layout_.pe;
  envelope.message_bytes = data.bytes;
  envelope.sequence = static_cast<std::uint32_t>(broadcasts_ - 1);
  if (tail_bytes > 0) cpu_.load_block(data.address + whole, &envelope.tail, tail_bytes);
  std::uint64_t notification = layout_.group_notifications;
  for (const std::uint16_t group : group_.multicast) {
    cpu_.store(notification, 0);
    paralib_.put_to_register(Target::group(group), 0, data.address, 0, whole, notification);
    notification += 8;
  }
  multicast_message(envelope, {});
  // The buffer is in use until every group's data have left and the root's own have come back.
  for (notification = layout_.group_notifications;
       notification < layout_.group_notifications + 8 * group_.multicast.size(); notification += 8) {
    waiter_.until([&] { return cpu_.load(notification) == nic::sent_pattern; }, waits_for_sending_,
                  notification);
  }
  take_all_broadcasts();
}

void Collectives::tree_broadcast(Block data, std::uint32_t root) {
  const std::int32_t tag = next_tag();
  std::vector<RequestId> sends;
  for (const auto& step : workload::binomial_broadcast(layout_.pe, layout_.pes, root)) {
    if (step.kind == Kind::receive) {
      messages_.receive(from(step.peer, tag), data.address, data.bytes);
    } else {
      sends.push_back(messages_.isend(step.peer, tag, data.address, data.bytes, Context::collective));
    }
  }
  for (const RequestId send : sends) messages_.wait(send);
}

void Collectives::reduce(Block in, std::uint64_t out, std::uint32_t root) {
  ++entered_;
  const std::int32_t tag = next_tag();
  const auto steps = workload::binomial_reduce(layout_.pe, layout_.pes, root);
  // A leaf has nothing to add: it sends what it has.
  if (steps.size() == 1 && steps.front().kind == Kind::send) {
    messages_.send(steps.front().peer, tag, in.address, in.bytes, Context::collective);
    return;
  }
  const HeapBlock part(heap_, in.bytes), own_sum(heap_, in.bytes);
  const std::uint64_t sum = layout_.pe == root ? out : own_sum.address();
  copy_memory(cpu_, times_, sum, in.address, in.bytes);
  for (const auto& step : steps) {
    if (step.kind == Kind::receive) {
      messages_.receive(from(step.peer, tag), part.address(), in.bytes);
      add_memory(cpu_, times_, sum, part.address(), in.bytes);
    } else {
      messages_.send(step.peer, tag, sum, in.bytes, Context::collective);
    }
  }
}

void Collectives::all_reduce(Block in, std::uint64_t out) {
  switch (config_.all_reduce) {
    case AllReduceMethod::tree:
      reduce(in, out, 0);
      return broadcast({out, in.bytes}, 0);
    case AllReduceMethod::ring:
      ++entered_;
      return ring_all_reduce(in, out);
    case AllReduceMethod::in_network:
      ++entered_;
      return combine_in_network(in, out);
  }
}

/// Chunks are whole words; bytes after the last word belong to the last chunk.
void Collectives::ring_all_reduce(Block in, std::uint64_t out) {
  copy_memory(cpu_, times_, out, in.address, in.bytes);
  if (layout_.pes == 1) return;
  workload::CollectiveLoad load;
  load.algorithm = "ring";
  const std::uint64_t words = in.bytes / 8;
  const auto begin_of = [&](std::uint32_t chunk) {
    return chunk == layout_.pes ? in.bytes : 8 * workload::range_bytes(words, layout_.pes, {0, chunk});
  };
  const auto part_of = [&](const workload::ChunkRange& range) {
    const std::uint64_t begin = begin_of(range.first);
    return Block{out + begin, begin_of(range.first + range.count) - begin};
  };
  const HeapBlock received(heap_, 8 * (words / layout_.pes + 2));
  const std::int32_t tag = next_tag();
  for (const workload::ChunkStep& step : load.planned(layout_.pes).steps(layout_.pe, layout_.pes)) {
    const Block own = part_of(step.sent), other = part_of(step.received);
    const std::uint64_t to = step.combines ? received.address() : other.address;
    std::vector<RequestId> requests;
    if (other.bytes > 0) requests.push_back(messages_.irecv(from(step.from, tag), to, other.bytes));
    if (own.bytes > 0)
      requests.push_back(messages_.isend(step.to, tag, own.address, own.bytes, Context::collective));
    for (const RequestId request : requests) messages_.wait(request);
    if (step.combines) add_memory(cpu_, times_, other.address, to, other.bytes);
  }
}

/// The network combines whole words within cache lines: other data are copied, bytes after the last word
/// into a word of their own.
void Collectives::combine_in_network(Block in, std::uint64_t out) {
  if (layout_.pes == 1) return copy_memory(cpu_, times_, out, in.address, in.bytes);
  if (out % 8 != 0)
    throw ModelError("collectives of rank " + std::to_string(layout_.pe), cpu_.now(), "",
                     "the result of an all-reduce in the network does not begin on a word");
  const std::uint64_t whole = whole_words(in.bytes), tail = in.bytes - whole;
  if (whole > 0) {
    std::optional<HeapBlock> copy;
    if (in.address % nic::line_bytes != 0) {
      copy.emplace(heap_, whole);
      copy_memory(cpu_, times_, copy->address(), in.address, whole);
    }
    combine_words({copy ? copy->address() : in.address, whole}, out);
  }
  if (tail == 0) return;
  const HeapBlock last(heap_, 8), sum(heap_, 8);
  cpu_.store(last.address(), 0);
  copy_memory(cpu_, times_, last.address(), in.address + whole, tail);
  combine_words({last.address(), 8}, sum.address());
  copy_memory(cpu_, times_, out + whole, sum.address(), tail);
}

void Collectives::combine_words(Block in, std::uint64_t out) {
  // A result needs an operand of this rank, which is sent after the register is set.
  paralib_.set_address_register(nic::combine_register, out);
  std::size_t number = 0;
  for (std::uint64_t done = 0; done < in.bytes; done += nic::line_bytes) {
    await_combined(number);
    CombiningGroup& own = combining_[number];
    const auto bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(nic::line_bytes, in.bytes - done));
    paralib_.combine(own.group, Combine::sum, in.address + done, bytes, done);
    ++own.rounds;
    number = (number + 1) % combining_.size();
  }
  for (std::size_t each = 0; each < combining_.size(); ++each) await_combined(each);
  cpu_.compute(times_.paralib_receive);
}

void Collectives::await_combined(std::size_t number) {
  const CombiningGroup& own = combining_[number];
  waiter_.until([&] { return paralib_.synchronization_count(own.group.sid) >= own.rounds; },
                waits_for_operands_, paralib_.synchronization_address(own.group.sid));
}

void Collectives::all_to_all(const std::vector<Block>& out, const std::vector<Block>& in) {
  ++entered_;
  const std::int32_t tag = next_tag();
  copy_memory(cpu_, times_, in[layout_.pe].address, out[layout_.pe].address, out[layout_.pe].bytes);
  const auto steps = workload::staggered_all_to_all(layout_.pe, layout_.pes);
  std::vector<RequestId> requests;
  requests.reserve(2 * steps.size());
  for (const auto& step : steps) {
    const Block& block = in[step.source];
    if (block.bytes > 0)
      requests.push_back(messages_.irecv(from(step.source, tag), block.address, block.bytes));
  }
  for (const auto& step : steps) {
    const Block& block = out[step.peer];
    if (block.bytes > 0) {
      requests.push_back(messages_.isend(step.peer, tag, block.address, block.bytes, Context::collective));
    }
  }
  for (const RequestId request : requests) messages_.wait(request);
}

void Collectives::check_idle() const {
  if (inbox_.empty() && inbox_.received_of(broadcasts_) == broadcasts_) return;
  throw ModelError("collectives of rank " + std::to_string(layout_.pe), cpu_.now(), "",
                   std::to_string(inbox_.received_of(broadcasts_)) + " multicast messages where " +
                       std::to_string(broadcasts_) + " were sent");
}

}  // namespace tsuji::host
