// SPDX-License-Identifier: Apache-2.0
#include "tsuji/crosspoint/output_arbiter.h"

#include <algorithm>

namespace tsuji::crosspoint {

std::uint32_t OutputArbiter::ready(const Requests& requests, std::uint32_t room) const {
  std::uint32_t ready = 0;
  const std::uint32_t kept = reserved(requests);
  for (std::uint32_t left = requests.asking; left != 0; left &= left - 1) {
    const int r = __builtin_ctz(left);
    const std::uint32_t free = r == reserved_for_ ? room : room & ~kept;
    if ((requests.targets[static_cast<unsigned>(r)] & ~free) == 0) ready |= std::uint32_t{1} << r;
  }
  return ready;
}

int OutputArbiter::choose(const Requests& requests, std::uint32_t room) const {
  const std::uint32_t asking = requests.asking;
  if (asking == 0) return none;
  if ((asking & (asking - 1)) == 0 && reserved_for_ == none) {  // there is nothing to choose
    const int only = __builtin_ctz(asking);
    return (requests.targets[static_cast<unsigned>(only)] & ~room) == 0 ? only : none;
  }
  const std::uint32_t who = ready(requests, room);
  if (who == 0) return none;
  const std::uint32_t from_next = who >> next_ << next_;
  return __builtin_ctz(from_next != 0 ? from_next : who);
}

void OutputArbiter::served(const Requests& requests, int served) {
  next_ = static_cast<unsigned>(served) + 1 == requesters_ ? 0 : static_cast<unsigned>(served) + 1;
  passed_over_[static_cast<unsigned>(served)] = 0;
  if (reserved_for_ == served) reserved_for_ = none;
  const std::uint32_t others = requests.asking & requests.multicast & ~(std::uint32_t{1} << served);
  if (others == 0) return;
  for (std::uint32_t left = others; left != 0; left &= left - 1) {
    auto& count = passed_over_[static_cast<unsigned>(__builtin_ctz(left))];
    count = static_cast<std::uint8_t>(std::min<unsigned>(count + 1U, reserve_after_));
  }
  if (reserved_for_ != none) return;
  // One reservation at a time: of several heads that have waited long enough, the next in turn gets it.
  for (unsigned step = 0; step < requesters_; ++step) {
    const unsigned r = (next_ + step) % requesters_;
    if ((others >> r & 1U) != 0 && passed_over_[r] >= reserve_after_) {
      reserved_for_ = static_cast<int>(r);
      return;
    }
  }
}

}  // namespace tsuji::crosspoint
