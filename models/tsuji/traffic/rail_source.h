// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
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

/// A node with several network ports whose source answers what arrives. The ports share it: packets are given
/// to them in the cycle of their birth, before the events of that cycle are reported. Events of one cycle are
/// reported in the order in which the ports run; the source must not depend on it, as a ClosedLoop does not.
class AnsweringNode {
 public:
  /// `source`: packets of the whole node, to numbers of nodes.
  AnsweringNode(std::unique_ptr<EmissionSource> source, const Rails& rails)
      : source_(std::move(source)),
        rails_(rails),
        queues_(rails.count()),
        ports_(rails.count()),
        made_(rails.count()) {}
  /// True if the port has been made.
  bool has_port(unsigned rail) const { return made_[rail]; }
  /// One of the ports, made once; `node` is this object.
  std::unique_ptr<EmissionSource> port(const std::shared_ptr<AnsweringNode>& node, unsigned rail);

 private:
  class Port;
  bool next(unsigned rail, Emission& emission);
  Cycle next_event() const;
  void advance(Cycle now);
  void heard(Cycle now, unsigned rail);

  const std::unique_ptr<EmissionSource> source_;
  const Rails rails_;
  std::vector<std::deque<Emission>> queues_;  ///< [port]: packets that are born
  std::vector<Clocked*> ports_;               ///< [port]: its module, once bound
  std::vector<bool> made_;
  std::uint64_t number_ = 0;  ///< packets given to ports
  Emission upcoming_;
  bool has_upcoming_ = false;
  Cycle looks_at_ = 0;  ///< cycle in which the source is asked for packets after an event; `never`: none
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
