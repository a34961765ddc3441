// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/vc/fast_timed_router.h"

namespace tsuji::router {

bool FastTimedRouter::is_needed(const VcRouterConfig& config, const RouterParts& parts) {
  return config.vc_change_cycles != 0 || config.block_timeout_cycles != 0 || config.hop_limit != 0 ||
         recovers(parts) || parts.lookup.is_run_by_router();
}

void FastTimedRouter::step(Cycle now) {
  alarm_.set(now, run_cycle(*this, now));
}

Cycle FastTimedRouter::advance(Cycle now) {
  return run_cycle(*this, now);
}

[[gnu::always_inline]] inline bool FastTimedRouter::begin(InputVc& vc, const FlitSlot& front, Cycle now) {
  return begin_head(*this, vc, front, now);
}

/// Lines that are ready, but for those whose output pauses.
[[gnu::always_inline]] inline std::uint64_t FastTimedRouter::asking(Cycle now) const {
  if (uses_ == nullptr) return ready_;
  std::uint64_t asking = ready_;
  for (std::uint64_t rest = ready_; rest != 0; rest &= rest - 1) {
    const InputVc& vc = vcs_[static_cast<unsigned>(__builtin_ctzll(rest))];
    if (output_takes_at(vc) > now) asking &= ~(rest & (~rest + 1));
  }
  return asking;
}

inline void FastTimedRouter::won(const InputVc& vc, Cycle now) {
  if (uses_ != nullptr) uses_[vc.out_port] = {now + 1, vc.out_vc};
}

}  // namespace tsuji::router
