// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tsuji/session/node_work.h"

namespace tsuji::session {

/// Work of ranks on network interfaces without software: the run ends when all ranks have finished. A
/// subclass owns the ranks.
class RanksWork : public NodeWork {
 public:
  void construct(network::LoadedNetwork::Parts parts) final;
  network::LoadedNetwork& network() final { return *loaded_; }
  void play(const std::function<void(Cycle now)>& advance, observe::Results& results) final;
  observe::NetworkMetrics metrics(const observe::Results& results) final;
  Cycle end_cycle() const final { return end_cycle_; }

 protected:
  explicit RanksWork(const NodeWorkParts& parts)
      : config_(parts.config), plan_(parts.plan), options_(parts.options) {}

  virtual std::unique_ptr<traffic::EmissionSource> source(NodeId node) = 0;
  /// Nodes for which `is_here` is true are simulated by this process, and the others by the other ones
  /// (TraceReplay::divide). ConfigError for work that runs in one process.
  virtual void divide(mpi::Ranks& processes, const std::function<bool(NodeId)>& is_here) = 0;
  /// True if nothing remains to be done although the network is not idle; called between slices of cycles.
  virtual bool ends_at(Cycle now) const {
    (void)now;
    return false;
  }
  virtual bool finished() const = 0;
  virtual double progress() const = 0;
  /// Last cycle of the work, after a complete run.
  virtual Cycle last_cycle() const = 0;
  /// Throws ModelError if messages of the finished ranks are missing.
  virtual void check_finished() const = 0;
  /// Report of ranks that wait for each other, and of lost messages.
  virtual std::string wait_report() const = 0;
  virtual bool lost_messages() const = 0;

  Cycle now() const { return loaded_->now(); }  ///< number of simulated cycles

  const NetworkRunConfig& config_;
  const network::NetworkPlan& plan_;
  const platform::RunOptions& options_;

 private:
  void check() const;

  observe::NetworkMetrics metrics_;
  std::optional<network::LoadedNetwork> loaded_;
  Cycle end_cycle_ = 0, last_delivery_ = 0;
  bool reconfigures_ = false;  ///< routers act after the last delivery
};

}  // namespace tsuji::session
