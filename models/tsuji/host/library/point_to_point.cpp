// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/library/point_to_point.h"

#include <algorithm>
#include <array>

#include "tsuji/core/error.h"
#include "tsuji/host/library/memory_copy.h"

namespace tsuji::host {
namespace {

constexpr std::uint64_t whole_words(std::uint64_t bytes) {
  return bytes / 8 * 8;
}

/// Calls `step` for each of the list and keeps those for which it returns false; true if any left.
template <typename Step>
bool remove_done(std::vector<RequestId>& list, Step step) {
  const std::size_t before = list.size();
  list.erase(std::remove_if(list.begin(), list.end(), step), list.end());
  return list.size() != before;
}

std::vector<std::uint32_t> numbers_down_from(std::uint32_t count) {
  std::vector<std::uint32_t> numbers(count);
  for (std::uint32_t i = 0; i < count; ++i) numbers[i] = count - 1 - i;
  return numbers;
}

}  // namespace

PointToPoint::PointToPoint(Cpu& cpu, const TaskLayout& layout, const LibraryConfig& config,
                           const SoftwareCycles& times, Paralib& paralib, Heap& heap, SendSlots& slots,
                           Waiter& waiter)
    : cpu_(cpu),
      layout_(layout),
      times_(times),
      paralib_(paralib),
      heap_(heap),
      slots_(slots),
      waiter_(waiter),
      reader_(cpu, layout, 0),
      credits_(layout.pes, config.credits),
      queued_(layout.pes),
      free_send_slots_(numbers_down_from(config.rendezvous_slots)),
      free_receive_slots_(free_send_slots_),
      sent_to_(layout.pes, 0),
      came_from_(layout.pes, 0),
      waits_for_("a message") {
  waiter.add(*this);
}

void PointToPoint::fail(const std::string& what) const {
  throw ModelError("messages of rank " + std::to_string(layout_.pe), cpu_.now(), "", what);
}

RequestId PointToPoint::new_request() {
  if (free_requests_.empty()) {
    requests_.emplace_back();
    return static_cast<RequestId>(requests_.size() - 1);
  }
  const RequestId id = free_requests_.back();
  free_requests_.pop_back();
  requests_[id] = Request{};
  return id;
}

RequestId PointToPoint::isend(std::uint32_t destination, std::int32_t tag, std::uint64_t address,
                              std::uint64_t bytes, Context context) {
  cpu_.compute(times_.mpi_send);
  const RequestId id = new_request();
  Request& request = requests_[id];
  request.context = context;
  request.peer = destination;
  request.tag = tag;
  request.address = address;
  request.bytes = bytes;
  request.state = State::queued;
  if (destination == layout_.pe) {
    send_to_self(id);
    return id;
  }
  Queue& queue = queued_[destination];
  if (queue.empty && start_send(id)) return id;
  // Queued after the messages that already wait for this destination: messages of a pair keep their order.
  if (queue.empty) {
    queue.head = id;
    queue.empty = false;
    blocked_.push_back(destination);
  } else {
    requests_[queue.tail].next = id;
  }
  queue.tail = id;
  return id;
}

void PointToPoint::send_to_self(RequestId id) {
  const Request send = requests_[id];
  Envelope envelope;
  envelope.context = send.context;
  envelope.source = layout_.pe;
  envelope.tag = send.tag;
  envelope.message_bytes = send.bytes;
  RequestId receive = 0;
  if (matching_.match_message(envelope, receive)) {
    Request& request = request_that_fits(receive, envelope);
    copy_memory(cpu_, times_, request.address, send.address, send.bytes);
    cpu_.compute(times_.mpi_receive);
    finish(request);
  } else {
    const std::uint64_t copy = heap_.take(send.bytes);
    copy_memory(cpu_, times_, copy, send.address, send.bytes);
    matching_.keep({envelope, copy});
  }
  count_sent(send, send.bytes);
  finish(requests_[id]);
}

bool PointToPoint::start_send(RequestId id) {
  Request& request = requests_[id];
  const std::uint32_t peer = request.peer;
  if (!credits_.may_send(peer)) {
    credits_.told(peer, cpu_.load(credit_address(peer)));
    if (!credits_.may_send(peer)) return false;
  }
  const bool eager = request.bytes <= Envelope::eager_limit;
  if (!slots_.ready() || (!eager && free_send_slots_.empty())) return false;
  Envelope envelope;
  envelope.kind = eager ? EnvelopeKind::eager : EnvelopeKind::request_to_send;
  envelope.context = request.context;
  envelope.source = layout_.pe;
  envelope.tag = request.tag;
  envelope.message_bytes = request.bytes;
  envelope.sequence = sent_to_[peer]++;
  if (!eager) {
    request.slot = envelope.slot = free_send_slots_.back();
    free_send_slots_.pop_back();
    cpu_.store(layout_.clear_to_send + std::uint64_t{8} * request.slot, 0);
    cpu_.store(layout_.data_sent + std::uint64_t{8} * request.slot, 0);
  }
  const std::uint64_t payload = eager ? request.bytes : 0;
  const std::uint32_t slot = slots_.fill(envelope, request.address, payload);
  paralib_.send(Target::pe(peer), 0, slots_.address(slot), SendSlots::message_bytes(payload),
                slots_.notification(slot));
  credits_.sent(peer);
  if (eager) {
    count_sent(request, payload);
    finish(request);  // its bytes are in the slot
  } else {
    request.state = State::asked;
    asked_.push_back(id);
  }
  return true;
}

bool PointToPoint::start_queued() {
  const bool slot_was_missing = slots_.blocked();
  bool any = false;
  const auto started_all = [&](std::uint32_t destination) {
    const bool credit_was_missing = !credits_.may_send(destination);
    Queue& queue = queued_[destination];
    while (!queue.empty && start_send(queue.head)) {
      any = true;
      queue.empty = queue.head == queue.tail;
      queue.head = requests_[queue.head].next;
    }
    // With a credit but no slot, another word must be watched, which counts as progress.
    any = any || (credit_was_missing && credits_.may_send(destination));
    return queue.empty;
  };
  blocked_.erase(std::remove_if(blocked_.begin(), blocked_.end(), started_all), blocked_.end());
  return any || (slot_was_missing && !slots_.blocked());
}

bool PointToPoint::send_data() {
  return remove_done(asked_, [&](RequestId id) {
    Request& request = requests_[id];
    const std::uint64_t word = cpu_.load(layout_.clear_to_send + std::uint64_t{8} * request.slot);
    if (word == 0) return false;
    cpu_.compute(times_.mpi_control);
    const ClearToSend clear = ClearToSend::decode(word);
    const std::uint64_t whole = whole_words(request.bytes);
    std::uint64_t source = request.address;
    if (source % 8 != 0) {
      source = request.bounce = heap_.take(request.bytes);
      copy_memory(cpu_, times_, source, request.address, whole);
    }
    const Target to = Target::pe(request.peer);
    paralib_.put(to, source, clear.address, whole, layout_.data_sent + std::uint64_t{8} * request.slot);
    DataArrived arrived;
    arrived.tail_bytes = static_cast<unsigned>(request.bytes - whole);
    if (arrived.tail_bytes > 0) cpu_.load_block(request.address + whole, &arrived.tail, arrived.tail_bytes);
    paralib_.put_word(to, layout_.data_arrived + std::uint64_t{8} * clear.slot, arrived.encode());
    count_sent(request, whole + arrived.tail_bytes);
    request.state = State::sending;
    sending_.push_back(id);
    return true;
  });
}

bool PointToPoint::see_sent() {
  return remove_done(sending_, [&](RequestId id) {
    Request& request = requests_[id];
    if (cpu_.load(layout_.data_sent + std::uint64_t{8} * request.slot) != nic::sent_pattern) return false;
    free_send_slots_.push_back(request.slot);
    if (request.bounce != 0) heap_.give_back(request.bounce, request.bytes);
    finish(request);
    return true;
  });
}

RequestId PointToPoint::irecv(const MessagePattern& pattern, std::uint64_t address, std::uint64_t capacity) {
  const RequestId id = new_request();
  Request& request = requests_[id];
  request.receives = true;
  request.context = pattern.context;
  request.peer = pattern.source;
  request.tag = pattern.tag;
  request.address = address;
  request.bytes = capacity;
  Unexpected message;
  if (matching_.match_receive(pattern, message)) {
    take_unexpected(id, message);
  } else {
    request.state = State::posted;
    matching_.post(pattern, id);
  }
  return id;
}

PointToPoint::Request& PointToPoint::request_that_fits(RequestId id, const Envelope& envelope) {
  Request& request = requests_[id];
  if (envelope.message_bytes > request.bytes) {
    fail("a message of " + std::to_string(envelope.message_bytes) + " bytes from rank " +
         std::to_string(envelope.source) + ", tag " + std::to_string(envelope.tag) + ", meets a receive of " +
         std::to_string(request.bytes));
  }
  request.peer = envelope.source;
  request.tag = envelope.tag;
  request.bytes = envelope.message_bytes;
  return request;
}

void PointToPoint::take_unexpected(RequestId id, const Unexpected& message) {
  if (message.envelope.kind == EnvelopeKind::request_to_send) {
    grant(id, message.envelope);
    return;
  }
  Request& request = request_that_fits(id, message.envelope);
  copy_memory(cpu_, times_, request.address, message.copy, request.bytes);
  heap_.give_back(message.copy, request.bytes);
  cpu_.compute(times_.mpi_receive);
  finish(request);
}

bool PointToPoint::take_messages() {
  Envelope envelope;
  bool any = false;
  while (reader_.open(envelope)) {
    any = true;
    cpu_.compute(times_.paralib_receive);
    if (envelope.source >= layout_.pes || envelope.sequence != came_from_[envelope.source]++) {
      fail("message buffer 0 holds message " + std::to_string(envelope.sequence) + " of rank " +
           std::to_string(envelope.source) + " out of order");
    }
    if (envelope.kind == EnvelopeKind::eager) {
      take_eager(envelope);
      reader_.close(envelope.message_bytes);
    } else {
      reader_.close(0);
      RequestId receive = 0;
      if (matching_.match_message(envelope, receive)) {
        grant(receive, envelope);
      } else {
        matching_.keep({envelope, 0});
      }
    }
    return_credit(envelope.source);
  }
  return any;
}

void PointToPoint::take_eager(const Envelope& envelope) {
  std::array<unsigned char, Envelope::eager_limit> payload;
  const std::uint64_t bytes = envelope.message_bytes;
  if (bytes > payload.size()) fail("an eager message of " + std::to_string(bytes) + " bytes");
  RequestId receive = 0;
  const bool expected = matching_.match_message(envelope, receive);
  Request* const request = expected ? &request_that_fits(receive, envelope) : nullptr;
  const std::uint64_t to = expected ? request->address : heap_.take(bytes);
  reader_.payload(payload.data(), bytes);
  cpu_.store_block(to, payload.data(), bytes);
  cpu_.compute(times_.copy((bytes + 7) / 8));
  if (expected) {
    cpu_.compute(times_.mpi_receive);
    finish(*request);
  } else {
    matching_.keep({envelope, to});
  }
}

void PointToPoint::return_credit(std::uint32_t source) {
  // The count is written before the buffer's read pointer says so: that lag is less than a quarter, which
  // message_buffer_bytes leaves free.
  if (credits_.take(source))
    paralib_.put_word(Target::pe(source), credit_address(layout_.pe), credits_.taken(source));
}

void PointToPoint::grant(RequestId id, const Envelope& envelope) {
  Request& request = request_that_fits(id, envelope);
  cpu_.compute(times_.mpi_receive);
  request.remote_slot = envelope.slot;
  if (free_receive_slots_.empty()) {
    request.state = State::granting;
    granting_.push_back(id);
  } else {
    answer(id);
  }
}

void PointToPoint::answer(RequestId id) {
  Request& request = requests_[id];
  request.slot = free_receive_slots_.back();
  free_receive_slots_.pop_back();
  if (request.address % 8 != 0) request.bounce = heap_.take(request.bytes);
  cpu_.store(layout_.data_arrived + std::uint64_t{8} * request.slot, 0);
  const ClearToSend clear{request.bounce != 0 ? request.bounce : request.address, request.slot};
  paralib_.put_word(Target::pe(request.peer), layout_.clear_to_send + std::uint64_t{8} * request.remote_slot,
                    clear.encode());
  request.state = State::arriving;
  arriving_.push_back(id);
}

bool PointToPoint::answer_waiting() {
  const std::size_t number = std::min(granting_.size(), free_receive_slots_.size());
  for (std::size_t i = 0; i < number; ++i) answer(granting_[i]);
  granting_.erase(granting_.begin(), granting_.begin() + static_cast<std::ptrdiff_t>(number));
  return number > 0;
}

bool PointToPoint::see_data() {
  return remove_done(arriving_, [&](RequestId id) {
    Request& request = requests_[id];
    const std::uint64_t word = cpu_.load(layout_.data_arrived + std::uint64_t{8} * request.slot);
    if (word == 0) return false;
    cpu_.compute(times_.mpi_control);
    const DataArrived arrived = DataArrived::decode(word);
    const std::uint64_t whole = whole_words(request.bytes);
    if (request.bounce != 0) {
      copy_memory(cpu_, times_, request.address, request.bounce, whole);
      heap_.give_back(request.bounce, request.bytes);
    }
    if (arrived.tail_bytes > 0) cpu_.store_block(request.address + whole, &arrived.tail, arrived.tail_bytes);
    free_receive_slots_.push_back(request.slot);
    finish(request);
    return true;
  });
}

MessageStatus PointToPoint::wait(RequestId id) {
  waiter_.until([&] { return done(id); }, waits_for_);
  Request& request = requests_[id];
  request.state = State::free;
  free_requests_.push_back(id);
  return {request.peer, request.tag, request.bytes};
}

bool PointToPoint::progress() {
  bool moved = take_messages();
  moved = send_data() || moved;
  moved = see_sent() || moved;
  moved = see_data() || moved;
  moved = answer_waiting() || moved;
  return start_queued() || moved;
}

void PointToPoint::watch(std::vector<std::uint64_t>& addresses) const {
  addresses.push_back(reader_.pointer_address());
  for (const RequestId id : asked_)
    addresses.push_back(layout_.clear_to_send + std::uint64_t{8} * requests_[id].slot);
  for (const RequestId id : sending_)
    addresses.push_back(layout_.data_sent + std::uint64_t{8} * requests_[id].slot);
  for (const RequestId id : arriving_)
    addresses.push_back(layout_.data_arrived + std::uint64_t{8} * requests_[id].slot);
  for (const std::uint32_t peer : blocked_) {
    // Exactly the state that start_send checks.
    if (!credits_.may_send(peer)) {
      addresses.push_back(credit_address(peer));
    } else if (slots_.blocked()) {
      addresses.push_back(slots_.next_notification());
    }
  }
}

const char* PointToPoint::name_of(State state) {
  switch (state) {
    case State::queued:
      return "waits for a credit or a slot";
    case State::asked:
      return "waits for its receive";
    case State::sending:
      return "is being sent";
    case State::posted:
      return "has no message";
    case State::granting:
      return "waits for a slot";
    case State::arriving:
      return "waits for its data";
    case State::free:
    case State::done:
      break;
  }
  return "is done";
}

std::vector<workload::OpenRequest> PointToPoint::open_requests() const {
  std::vector<workload::OpenRequest> all;
  for (const Request& request : requests_) {
    if (request.state == State::free || request.state == State::done) continue;
    workload::OpenRequest& open = all.emplace_back();
    open.receives = request.receives;
    if (request.peer != any_source) open.peer = request.peer;
    if (request.tag != any_tag) open.tag = request.tag;
    open.bytes = request.bytes;
    open.collective = request.context == Context::collective;
    open.state = name_of(request.state);
  }
  return all;
}

std::vector<workload::UnreceivedMessage> PointToPoint::unreceived() const {
  std::vector<workload::UnreceivedMessage> all;
  for (const Unexpected& came : matching_.unexpected()) {
    all.push_back({came.envelope.source, came.envelope.tag, came.envelope.message_bytes});
  }
  return all;
}

void PointToPoint::check_idle() const {
  const auto& unexpected = matching_.unexpected();
  if (!unexpected.empty()) {
    const Envelope& first = unexpected.front().envelope;
    fail(std::to_string(unexpected.size()) + " messages without a receive; the first is from rank " +
         std::to_string(first.source) + ", tag " + std::to_string(first.tag) + ", " +
         std::to_string(first.message_bytes) + " bytes");
  }
  if (requests_.size() != free_requests_.size()) {
    fail(std::to_string(requests_.size() - free_requests_.size()) + " requests without a wait");
  }
}

}  // namespace tsuji::host
