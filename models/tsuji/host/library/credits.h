// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace tsuji::host {

/// Credits between tasks, as counts that only grow: a sender counts what it sent, a receiver what it
/// took; the difference is at most `credits`. The receiver tells after every half of them. Arithmetic;
/// the words travel elsewhere.
class CreditLedger {
 public:
  CreditLedger(std::uint32_t peers, std::uint32_t credits)
      : credits_(credits), return_after_(credits < 2 ? 1 : credits / 2), peers_(peers) {}

  bool may_send(std::uint32_t peer) const { return peers_[peer].sent - peers_[peer].taken_there < credits_; }
  void sent(std::uint32_t peer) { ++peers_[peer].sent; }
  /// The count that `peer` has told; counts arrive in order and never shrink.
  void told(std::uint32_t peer, std::uint64_t taken) { peers_[peer].taken_there = taken; }
  /// One of the peer's messages was taken out of the buffer; true if the count is to be told now.
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
