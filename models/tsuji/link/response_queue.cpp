// SPDX-License-Identifier: Apache-2.0
#include "tsuji/link/response_queue.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tsuji/core/error.h"

namespace tsuji {

using sc_core::sc_time;
using tlm::tlm_generic_payload;

ResponseQueue::ResponseQueue(sc_core::sc_module_name name, Serve serve, Answer answer)
    : sc_module(name), serve_(std::move(serve)), answer_(std::move(answer)), due_("due") {
  SC_METHOD(respond);
  sensitive << due_;
  dont_initialize();
}

void ResponseQueue::protocol_error(const char* what) const {
  // Without a clock the time is part of the text.
  const sc_core::sc_object* const target = get_parent_object();
  throw ModelError(target == nullptr ? name() : target->name(), 0, "",
                   what + (" (at " + sc_core::sc_time_stamp().to_string() + ")"));
}

tlm::tlm_sync_enum ResponseQueue::take_phase(tlm_generic_payload& transaction, const tlm::tlm_phase& phase) {
  if (phase == tlm::END_RESP) {
    if (responding_ != &transaction)
      protocol_error("END_RESP for a transaction whose response did not begin");
    finish(transaction);
    return tlm::TLM_COMPLETED;
  }
  if (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP)
    protocol_error("a target's phase came from the initiator");
  return tlm::TLM_ACCEPTED;  // extended phases that a target does not know may be ignored
}

void ResponseQueue::check_request(const tlm_generic_payload& transaction) const {
  if (!transaction.has_mm() || transaction.get_ref_count() < 1) {
    protocol_error("non-blocking transport without a memory manager or a reference");
  }
}

tlm::tlm_sync_enum ResponseQueue::take_request(tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                               const sc_time& due) {
  check_request(transaction);
  transaction.acquire();
  const auto behind =
      std::upper_bound(pending_.begin(), pending_.end(), due,
                       [](const sc_time& time, const Pending& other) { return time < other.due; });
  const bool first = behind == pending_.begin();
  pending_.insert(behind, {&transaction, due});
  if (first && responding_ == nullptr) arm();
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void ResponseQueue::arm() {
  if (pending_.empty()) return;
  const sc_time& now = sc_core::sc_time_stamp();
  due_.cancel();
  due_.notify(std::max(pending_.front().due, now) - now);
}

void ResponseQueue::respond() {
  if (pending_.empty() || responding_ != nullptr) return;
  tlm_generic_payload& transaction = *pending_.front().transaction;
  const sc_time later = serve_(transaction);
  if (later != sc_core::SC_ZERO_TIME) {
    due_.notify(later);
    return;
  }
  pending_.pop_front();
  responding_ = &transaction;
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_time delay = sc_core::SC_ZERO_TIME;
  const auto answer = answer_(transaction, phase, delay);
  const bool ended = answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && phase == tlm::END_RESP);
  if (ended && responding_ == &transaction) finish(transaction);
}

void ResponseQueue::finish(tlm_generic_payload& transaction) {
  responding_ = nullptr;
  transaction.release();
  arm();
}

}  // namespace tsuji
