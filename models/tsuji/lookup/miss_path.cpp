// SPDX-License-Identifier: Apache-2.0
#include "tsuji/lookup/miss_path.h"

#include <algorithm>

namespace tsuji::lookup {

MissPath::MissPath(const LookupTiming& timing, Cycle chip_cycles)
    : out_cycles_((timing.cam_cycles - chip_cycles) / 2),
      back_cycles_(timing.cam_cycles - chip_cycles - out_cycles_),
      // One port requests at most one access a cycle.
      interval_(std::max<Cycle>(timing.cam_interval(), 1)) {}

void MissPath::write(std::uint32_t row, std::uint64_t key, std::uint32_t value, bool edge_is_over) {
  CamRequest request;
  request.valid = true;
  request.operation = CamOperation::insert;
  request.index = row;
  request.key = key;
  request.value = value;
  if (edge_is_over)
    waiting_.push_back({0, edge_, request});
  else
    writes_.push_back(request);
}

MissPath::Drive MissPath::step(const std::vector<Request>& requests, const CamAnswer& answer) {
  for (const Request& request : requests) {
    CamRequest search;
    search.valid = true;
    search.key = request.key;
    waiting_.push_back({request.port, edge_, search});
  }
  grant();
  for (const CamRequest& request : writes_) waiting_.push_back({0, edge_ + 1, request});
  writes_.clear();
  if (answer.valid) {
    back_.push_back({edge_ + back_cycles_, asked_.front(), answer.hit ? answer.value : 0});
    asked_.pop_front();
  }
  ++edge_;
  Drive drive;
  if (!sent_.empty() && sent_.front().at == edge_) {
    drive.cam = sent_.front().request;
    sent_.pop_front();
  }
  if (!back_.empty() && back_.front().at == edge_) {
    drive.returns = true;
    drive.port = back_.front().port;
    drive.value = back_.front().value;
    back_.pop_front();
  }
  lowers_ = drive.cam.valid || drive.returns;
  return drive;
}

/// Grants the oldest request once the interval after the previous grant is over.
void MissPath::grant() {
  if (waiting_.empty() || edge_ < free_at_) return;
  const Waiting& next = waiting_.front();
  ++accesses_;
  wait_sum_ += edge_ - next.came;
  wait_most_ = std::max<std::uint64_t>(wait_most_, edge_ - next.came);
  free_at_ = edge_ + interval_;
  sent_.push_back({edge_ + out_cycles_, next.request});
  if (next.request.operation == CamOperation::search)
    asked_.push_back(next.port);
  else
    ++cam_writes_;
  waiting_.pop_front();
}

std::optional<unsigned> MissPath::returns_next() const {
  if (back_.empty() || back_.front().at != edge_ + 1) return std::nullopt;
  return back_.front().port;
}

void MissPath::add_to(LookupCounters& counters) const {
  counters.cam_accesses += accesses_;
  counters.cam_writes += cam_writes_;
  counters.cam_wait_sum += wait_sum_;
  counters.cam_wait_most = std::max(counters.cam_wait_most, wait_most_);
  counters.cam_busy_cycles += accesses_ * interval_;
}

}  // namespace tsuji::lookup
