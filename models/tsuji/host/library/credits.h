// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace tsuji::host {

/// Credits between tasks as monotonic counts: a sender counts its messages, a receiver counts the messages
/// that it has consumed; the difference never exceeds `credits`. A receiver returns its count after every
/// half of the credits. Pure arithmetic: the caller transmits the counts.
class CreditLedger {
 public:
  CreditLedger(std::uint32_t peers, std::uint32_t credits)
      : credits_(credits), return_after_(credits < 2 ? 1 : credits / 2), peers_(peers) {}

  bool may_send(std::uint32_t peer) const { return peers_[peer].sent - peers_[peer].taken_there < credits_; }
  void sent(std::uint32_t peer) { ++peers_[peer].sent; }
  /// Records the count that `peer` has sent; counts arrive in order and never decrease.
  void told(std::uint32_t peer, std::uint64_t taken) { peers_[peer].taken_there = taken; }
  /// Records that a message of `peer` was consumed. Returns true if the count must be sent to the peer now.
  bool take(std::uint32_t peer) {
    Peer& from = peers_[peer];
    if (++from.taken_here - from.told_there < return_after_) return false;
    from.told_there = from.taken_here;
    return true;
  }
  std::uint64_t taken(std::uint32_t peer) const { return peers_[peer].taken_here; }

 private:
  struct Peer {
    std::uint64_t sent = 0, taken_there = 0;
    std::uint64_t taken_here = 0, told_there = 0;
  };
  std::uint32_t credits_;
  std::uint32_t return_after_;
  std::vector<Peer> peers_;
};

}  // namespace tsuji::host
