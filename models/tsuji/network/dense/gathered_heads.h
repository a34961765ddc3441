// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/mpi/message.h"
#include "tsuji/network/dense/head_watch.h"

namespace tsuji::network::dense {

/// Departures of the heads of a thread or a rank, kept until the window is over.
class HeadLog final : public HeadWatch {
 public:
  struct Event {
    PacketId packet = 0;
    HeadDeparture head;
    HeadStages stages;
    std::uint16_t flits = 0;
    enum class Kind : std::uint8_t { source, router, crossing } kind = Kind::source;
  };

  explicit HeadLog(const PacketPool& pool) : pool_(pool) {}
  void leaves_source(const HeadDeparture& head) override { keep(head, {}, Event::Kind::source); }
  void leaves_router(const HeadDeparture& head, const HeadStages& stages) override {
    keep(head, stages, Event::Kind::router);
  }
  void crosses_router(const HeadDeparture& head, Cycle began) override {
    HeadStages stages;
    stages.route_computation = began;
    keep(head, stages, Event::Kind::crossing);
  }
  const std::vector<Event>& events() const { return events_; }
  void clear() { events_.clear(); }

 private:
  void keep(const HeadDeparture& head, const HeadStages& stages, Event::Kind kind);

  const PacketPool& pool_;
  std::vector<Event> events_;
};

/// Departures of heads of all threads or ranks, for an observer that sees those of the whole network. The
/// observer's packets are in a pool of their own: those of other ranks are in no pool here, and an index of a
/// thread's pool may have another packet before its departures are shown.
class GatheredHeads {
 public:
  /// `pool`: packets of this rank; `threads`: number of logs.
  GatheredHeads(const PacketPool& pool, unsigned threads) : logs_(threads, HeadLog(pool)) {}
  /// Sets the observer; null: none.
  void show_to(HeadWatch* watch) { watch_ = watch; }
  HeadLog& log(std::size_t thread) { return logs_[thread]; }
  /// Packets to which the observer's departures refer: identity and length.
  const PacketPool& pool() const { return shown_; }

  /// Appends the departures of the window to a message for another rank.
  void put(mpi::Bytes& message) const;
  /// Shows the departures that put() has appended on another rank.
  void show(mpi::Reader& message);
  /// Shows the departures of this rank, and forgets them.
  void show_own();
  /// A packet has been delivered, after its last departure was shown.
  void forget(PacketId packet);

 private:
  void show(HeadLog::Event event);

  std::vector<HeadLog> logs_;  ///< [thread]
  HeadWatch* watch_ = nullptr;
  PacketPool shown_;
  std::unordered_map<PacketId, PacketIndex> places_;  ///< in `shown_`
};

}  // namespace tsuji::network::dense
