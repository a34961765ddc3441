// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>

namespace tsuji::interconnect {

/// Phases of the non-blocking base protocol of TLM-2.0 at a socket towards an initiator, without SystemC: at
/// most one request that is not ended (request exclusion rule), and at most one response that is not ended
/// (response exclusion rule).
///
/// Contract: each function is called with the phase of its name; response_over() at the time that END_RESP is
/// annotated with. Functions return null, or the rule that the initiator has broken.
class InitiatorPhases {
 public:
  /// BEGIN_REQ has arrived.
  const char* begin_request() {
    if (requesting_) return "BEGIN_REQ before END_REQ of the request before it";
    requesting_ = true;
    return nullptr;
  }
  /// True between BEGIN_REQ and END_REQ.
  bool requesting() const { return requesting_; }
  /// True between BEGIN_RESP and the end of the response.
  bool responds() const { return responding_; }
  /// END_REQ goes to the initiator.
  void end_request() { requesting_ = false; }
  /// Queues the response of transaction `tag`.
  void respond(std::uint16_t tag) { ready_.push_back(tag); }
  /// True if BEGIN_RESP may go to the initiator.
  bool may_respond() const { return !responding_ && !ready_.empty(); }
  /// BEGIN_RESP goes to the initiator; returns the transaction.
  std::uint16_t begin_response() {
    responding_ = true;
    current_ = ready_.front();
    ready_.pop_front();
    return current_;
  }
  /// The transaction whose response has begun last.
  std::uint16_t responding() const { return current_; }
  /// END_RESP has arrived, of the transaction responding() if `is_current`.
  const char* end_response(bool is_current) {
    if (!responding_ || ending_ || !is_current)
      return "END_RESP of a transaction whose response has not begun";
    ending_ = true;
    return nullptr;
  }
  /// The response is over; the next one may begin.
  void response_over() { responding_ = ending_ = false; }

 private:
  bool requesting_ = false, responding_ = false, ending_ = false;
  std::uint16_t current_ = 0;
  std::deque<std::uint16_t> ready_;
};

/// Phase of a transaction at its target.
enum class TargetPhase : std::uint8_t { none, requested, accepted, responding, completed, answered };

/// Phases of the non-blocking base protocol of TLM-2.0 at a socket towards a target, without SystemC.
///
/// Contract: accept(), begin_response() and complete() in the call that brings the phase, request_over(),
/// end_response() and end_complete() at the time that the phase is annotated with. `phase` is the
/// transaction's, which the functions change. They return null, or the rule that the target has broken.
class TargetPhases {
 public:
  /// True if BEGIN_REQ may go to the target.
  bool may_request() const { return !requesting_; }
  /// True from BEGIN_RESP to the time that END_RESP is due.
  bool responds() const { return responding_; }
  /// BEGIN_REQ goes to the target.
  void request(TargetPhase& phase) {
    requesting_ = true;
    phase = TargetPhase::requested;
  }
  /// END_REQ has arrived.
  const char* accept(TargetPhase& phase) {
    if (phase != TargetPhase::requested) return "END_REQ of a transaction that is not requested";
    phase = TargetPhase::accepted;
    return nullptr;
  }
  /// The request is over; the next one may begin.
  void request_over() { requesting_ = false; }
  /// BEGIN_RESP has arrived; it ends the request, too.
  const char* begin_response(TargetPhase& phase) {
    if (phase != TargetPhase::requested && phase != TargetPhase::accepted)
      return "BEGIN_RESP of a transaction that is not requested, or is answered";
    if (responding_) return "BEGIN_RESP before END_RESP of the response before it";
    ends_request_ = phase == TargetPhase::requested;
    responding_ = true;
    phase = TargetPhase::responding;
    return nullptr;
  }
  /// END_RESP goes to the target, or has the form of TLM_COMPLETED.
  void end_response(TargetPhase& phase) {
    responding_ = false;
    if (ends_request_) requesting_ = false;
    ends_request_ = false;
    phase = TargetPhase::answered;
  }
  /// The target has returned TLM_COMPLETED for BEGIN_REQ.
  static void complete(TargetPhase& phase) { phase = TargetPhase::completed; }
  /// The transaction ends without a phase of a response.
  void end_complete(TargetPhase& phase) {
    requesting_ = false;
    phase = TargetPhase::answered;
  }

 private:
  bool requesting_ = false, responding_ = false, ends_request_ = false;
};

}  // namespace tsuji::interconnect
