// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/mpi/message.h"
#include "tsuji/network/dense/head_watch.h"

namespace tsuji::network::dense {

/// Departures of heads on all ranks, for an observer that sees those of the whole network. They are kept
/// until the window is over. The observer's packets are in a pool of their own, since those of other ranks
/// are in no pool here.
class RankHeads final : public HeadWatch {
 public:
  /// `pool`: packets of this rank.
  explicit RankHeads(const PacketPool& pool) : pool_(pool) {}
  /// Sets the observer; null: none.
  void show_to(HeadWatch* watch) { watch_ = watch; }
  /// Packets to which the observer's departures refer: identity and length.
  const PacketPool& pool() const { return shown_; }

  void leaves_source(const HeadDeparture& head) override { events_.push_back(event(head, {}, true)); }
  void leaves_router(const HeadDeparture& head, const HeadStages& stages) override {
    events_.push_back(event(head, stages, false));
  }

  /// Appends the departures of the window to a message for another rank.
  void put(mpi::Bytes& message) const;
  /// Shows the departures that put() has appended on another rank.
  void show(mpi::Reader& message);
  /// Shows the departures of this rank, and forgets them.
  void show_own();
  /// A packet has been delivered, after its last departure was shown.
  void forget(PacketId packet);

 private:
  struct Event {
    PacketId packet = 0;
    HeadDeparture head;
    HeadStages stages;
    std::uint16_t flits = 0;
    bool from_source = false;
  };
  Event event(const HeadDeparture& head, const HeadStages& stages, bool from_source) const;
  void show(Event event);

  const PacketPool& pool_;
  HeadWatch* watch_ = nullptr;
  std::vector<Event> events_;
  PacketPool shown_;
  std::unordered_map<PacketId, PacketIndex> places_;  ///< in `shown_`
};

}  // namespace tsuji::network::dense
