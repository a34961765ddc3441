// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "tsuji/traffic/emission.h"
#include "tsuji/traffic/rails.h"
#include "tsuji/traffic/replay_source.h"

namespace tsuji::traffic {

/// Packets of one network port of a node whose source does not listen: those of the node's packets that the
/// port carries, addressed to the port of that number at the destination. Each port of the node reads a
/// separate source, so that ports share nothing.
class RailEmissions final : public EmissionSource {
 public:
  /// `node`: the packets of the whole node; no events are reported to it.
  RailEmissions(std::unique_ptr<EmissionSource> node, const Rails& rails, unsigned rail)
      : node_(std::move(node)), rails_(rails), rail_(rail) {}
  bool next(Emission& emission) override;
  Cycle lookahead_cycles() const override { return never; }
  Cycle next_event() const override { return waits_ ? read_until_ : never; }
  void advance(Cycle now) override { read_until_ = now + most_ahead; }

 private:
  /// Cycles that the source is read ahead of the last packet or look: a port that carries no packet does not
  /// read without end.
  static constexpr Cycle most_ahead = 1024;

  const std::unique_ptr<EmissionSource> node_;
  const Rails rails_;
  const unsigned rail_;
  std::uint64_t number_ = 0;  ///< Packets of the node before `ahead_`.
  Emission ahead_;
  bool has_ahead_ = false;  ///< `ahead_` is born after `read_until_`.
  bool waits_ = false;      ///< next() returned false because of `ahead_`.
  Cycle read_until_ = most_ahead;
};

/// A node with ranks and several network ports.
struct ReplayNode {
  ReplaySource source;          ///< Ranks and messages of the node.
  std::vector<Clocked*> ports;  ///< [network port]: its module, once bound.

  /// Node of these parts.
  ReplayNode(const ReplaySource::Parts& parts, NodeId node)
      : source(parts, node), ports(parts.rails.count(), nullptr) {}
};

/// One network port of a ReplayNode, which the ports share. All run in the cycles in which the ranks have an
/// event: an arrival or departure at one of them wakes the others.
class ReplayPort final : public EmissionSource {
 public:
  ReplayPort(std::shared_ptr<ReplayNode> node, unsigned rail) : node_(std::move(node)), rail_(rail) {}
  bool next(Emission& emission) override { return node_->source.next(rail_, emission); }
  bool births_may_wait() const override { return true; }
  /// One cycle: ports share their node.
  Cycle lookahead_cycles() const override { return 1; }
  void bind(Clocked& port) override { node_->ports[rail_] = &port; }
  void arrived(Cycle now, const Packet& packet) override;
  void departed(Cycle now, const Packet& packet) override;
  void dropped(Cycle now, const Packet& packet, const char* cause) override {
    node_->source.dropped(now, packet, cause);
  }
  Cycle next_event() const override { return node_->source.next_event(); }
  void advance(Cycle now) override;

 private:
  void wake_others(Cycle now);

  const std::shared_ptr<ReplayNode> node_;
  const unsigned rail_;
};

}  // namespace tsuji::traffic
