// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/host/cpu.h"
#include "tsuji/host/library/credits.h"
#include "tsuji/host/library/heap.h"
#include "tsuji/host/library/matching.h"
#include "tsuji/host/library/message_reader.h"
#include "tsuji/host/library/paralib.h"
#include "tsuji/host/library/send_slots.h"
#include "tsuji/host/library/waiter.h"
#include "tsuji/workload/rank_wait.h"
#include "tsuji/workload/trace.h"

namespace tsuji::host {

/// Result of a completed receive.
struct MessageStatus {
  std::uint32_t source = 0;
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;
};

/// MPI-like messages between the ranks of a program, which are its logical PEs (Kanoh 2000, section 6.1;
/// rooms/library.md, Where the paper is silent, 1).
///
/// Messages that fit into one packet with their envelope are eager: they are sent to message buffer 0 of the
/// destination under credits for each pair, which are returned by inline puts. Longer messages use a
/// rendezvous:
///
///     sender                                        receiver
///     request to send (eager message)        ->     matches a receive
///     own slot                               <-     address of the buffer (inline put)
///     data, whole words (remote DMA)         ->     buffer
///     last word with trailing bytes (put)    ->     complete; in order after the data, as it goes to one
///     node
///
/// A buffer that does not begin on a word is copied to or from one that does.
///
/// A receive matches messages of one source, tag and context in the order in which they were sent. Progress
/// is made only within calls of the program: while the program waits for one request, the library advances
/// all.
///
/// Contract: isend() and irecv() start requests; each is completed by one wait(), after which its id may be
/// reused.
class PointToPoint final : public ProgressSource {
 public:
  PointToPoint(Cpu& cpu, const TaskLayout& layout, const LibraryConfig& config, const SoftwareCycles& times,
               Paralib& paralib, Heap& heap, SendSlots& slots, Waiter& waiter);

  /// Starts a send; the bytes must not change until the request is done. Never blocks for a receiver.
  RequestId isend(std::uint32_t destination, std::int32_t tag, std::uint64_t address, std::uint64_t bytes,
                  Context context = Context::user);
  /// Starts a receive into `capacity` bytes. Throws ModelError for a longer message.
  RequestId irecv(const MessagePattern& pattern, std::uint64_t address, std::uint64_t capacity);
  bool done(RequestId request) const { return requests_[request].state == State::done; }
  /// Waits until the request is done and releases it.
  MessageStatus wait(RequestId request);
  void send(std::uint32_t destination, std::int32_t tag, std::uint64_t address, std::uint64_t bytes,
            Context context = Context::user) {
    wait(isend(destination, tag, address, bytes, context));
  }
  MessageStatus receive(const MessagePattern& pattern, std::uint64_t address, std::uint64_t capacity) {
    return wait(irecv(pattern, address, capacity));
  }

  bool progress() override;
  void watch(std::vector<std::uint64_t>& addresses) const override;

  /// Messages of Context::user that this rank has sent since the start, including those to itself. An eager
  /// message counts when it is passed to the network interface, a rendezvous with the put of its data.
  const workload::MessageCount& sent() const { return sent_; }

  /// Throws ModelError if a message, a receive or a request has not been consumed.
  void check_idle() const;
  std::vector<workload::OpenRequest> open_requests() const;
  std::vector<workload::UnreceivedMessage> unreceived() const;

 private:
  enum class State : std::uint8_t {
    free,
    queued,    ///< A send without a credit or slot.
    asked,     ///< A send that waits for the receiver's answer.
    sending,   ///< A send whose data are being sent.
    posted,    ///< A receive without a message.
    granting,  ///< A receive with its message, but without a slot to answer with.
    arriving,  ///< A receive that waits for its data.
    done,
  };
  struct Request {
    State state = State::free;
    bool receives = false;
    Context context = Context::user;
    std::uint32_t peer = 0;
    std::int32_t tag = 0;
    std::uint32_t slot = 0;  ///< The request's own rendezvous slot.
    std::uint32_t remote_slot =
        0;               ///< Rendezvous slot of the sender, of a receive that answers its request to send.
    RequestId next = 0;  ///< Next request in the queue of a destination.
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;   ///< Capacity of a receive until its message is known.
    std::uint64_t bounce = 0;  ///< Address of an aligned copy, if the buffer does not begin on a word.
  };
  struct Queue {
    RequestId head = 0, tail = 0;
    bool empty = true;
  };

  static const char* name_of(State state);
  RequestId new_request();
  void finish(Request& request) { request.state = State::done; }
  void count_sent(const Request& request, std::uint64_t bytes) {
    if (request.context == Context::user) sent_.add(bytes);
  }
  Request& request_that_fits(RequestId id, const Envelope& envelope);

  // Sends.
  void send_to_self(RequestId id);
  bool start_send(RequestId id);
  bool start_queued();
  bool send_data();
  bool see_sent();
  // Receives.
  bool take_messages();
  void take_eager(const Envelope& envelope);
  void take_unexpected(RequestId id, const Unexpected& message);
  void return_credit(std::uint32_t source);
  void grant(RequestId id, const Envelope& envelope);
  void answer(RequestId id);
  bool answer_waiting();
  bool see_data();

  std::uint64_t credit_address(std::uint32_t peer) const {
    return layout_.credit_table + std::uint64_t{8} * peer;
  }
  [[noreturn]] void fail(const std::string& what) const;

  Cpu& cpu_;
  const TaskLayout& layout_;
  const SoftwareCycles& times_;
  Paralib& paralib_;
  Heap& heap_;
  SendSlots& slots_;
  Waiter& waiter_;
  MessageReader reader_;
  CreditLedger credits_;
  MatchQueues matching_;
  std::vector<Request> requests_;
  std::vector<RequestId> free_requests_;
  std::vector<Queue> queued_;           ///< Queues by destination.
  std::vector<std::uint32_t> blocked_;  ///< Destinations with a non-empty queue.
  std::vector<RequestId> asked_, sending_, granting_, arriving_;
  std::vector<std::uint32_t> free_send_slots_, free_receive_slots_;
  std::vector<std::uint32_t> sent_to_, came_from_;  ///< Message numbers of each pair.
  workload::MessageCount sent_;
  const std::string waits_for_;
};

}  // namespace tsuji::host
