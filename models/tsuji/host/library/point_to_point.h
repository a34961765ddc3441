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

/// Result of a finished receive.
struct MessageStatus {
  std::uint32_t source = 0;
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;
};

/// MPI-like messages between the ranks of a program, which are its logical PEs (Kanoh 2000, 6.1;
/// rooms/library.md, Where the paper is silent, 1).
///
/// Short messages (with their envelope at most one packet) are eager: into message buffer 0 of the
/// destination, guarded by credits for each pair, which come back by inline puts. Longer ones are a
/// rendezvous: a request to send as an eager message is sent; the receiver's answer by an inline put into the
/// sender's slot; the data by remote DMA; and an inline put behind them, which stays in order because it goes
/// to the same node. Whole words go by remote DMA, the last bytes with the inline put. A buffer that does not
/// begin on a word is copied to or from one that does.
///
/// Receives match messages of one source, tag and context in the order in which they were sent. Everything is
/// driven by the calls of the program: while it waits, the library goes on for all requests.
class PointToPoint final : public ProgressSource {
 public:
  PointToPoint(Cpu& cpu, const TaskLayout& layout, const LibraryConfig& config, const SoftwareCycles& times,
               Paralib& paralib, Heap& heap, SendSlots& slots, Waiter& waiter);

  /// Starts a message; its bytes must not change before the request is done. Never blocks for a receiver.
  RequestId isend(std::uint32_t destination, std::int32_t tag, std::uint64_t address, std::uint64_t bytes,
                  Context context = Context::user);
  /// Starts a receive into `capacity` bytes; a longer message is a ModelError.
  RequestId irecv(const MessagePattern& pattern, std::uint64_t address, std::uint64_t capacity);
  bool done(RequestId request) const { return requests_[request].state == State::done; }
  /// Returns when the request is done, and forgets it.
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

  /// Messages of Context::user that this rank has handed over, also to itself, since the start: an eager one
  /// to the network interface, a rendezvous with the put of its data. Bytes are those that were handed over.
  const workload::MessageCount& sent() const { return sent_; }

  /// Throws ModelError if a message, a receive or a request is left over.
  void check_idle() const;
  std::vector<workload::OpenRequest> open_requests() const;
  std::vector<workload::UnreceivedMessage> unreceived() const;

 private:
  enum class State : std::uint8_t {
    free,
    queued,    ///< a send without credit or slot
    asked,     ///< a send that waits for the receiver's answer
    sending,   ///< a send whose data are on their way out
    posted,    ///< a receive without message
    granting,  ///< a receive that has its message but no slot to answer with
    arriving,  ///< a receive that waits for its data
    done,
  };
  struct Request {
    State state = State::free;
    bool receives = false;
    Context context = Context::user;
    std::uint32_t peer = 0;
    std::int32_t tag = 0;
    std::uint32_t slot = 0;         ///< own rendezvous slot
    std::uint32_t remote_slot = 0;  ///< the sender's, where a receive answers
    RequestId next = 0;             ///< in the queue of a destination
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;   ///< capacity of a receive until its message is known
    std::uint64_t bounce = 0;  ///< an aligned copy, where the buffer does not begin on a word
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

  // sends
  void send_to_self(RequestId id);
  bool start_send(RequestId id);
  bool start_queued();
  bool send_data();
  bool see_sent();
  // receives
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
  std::vector<Queue> queued_;           ///< by destination
  std::vector<std::uint32_t> blocked_;  ///< destinations with a queue
  std::vector<RequestId> asked_, sending_, granting_, arriving_;
  std::vector<std::uint32_t> free_send_slots_, free_receive_slots_;
  std::vector<std::uint32_t> sent_to_, came_from_;  ///< message numbers of each pair
  workload::MessageCount sent_;
  const std::string waits_for_;
};

}  // namespace tsuji::host
