// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "tsuji/machines/cenju4/cenju4_nodes.h"
#include "tsuji/observe/log_wave.h"
#include "tsuji/observe/run_log.h"

namespace tsuji::machines {

/// Log of network interfaces and processors of Cenju-4 nodes: their states, and packets whose data are
/// written to memory. Made before the simulation starts; nodes and log outlive the run.
class Cenju4Log {
 public:
  Cenju4Log(Cenju4Nodes& nodes, observe::RunLog& log);
  ~Cenju4Log();
  Cenju4Log(const Cenju4Log&) = delete;
  Cenju4Log& operator=(const Cenju4Log&) = delete;

  static std::vector<observe::LogModules> modules(unsigned nodes);

 private:
  class Deliveries;
  observe::LogWave wave_;
  std::vector<std::unique_ptr<Deliveries>> deliveries_;
};

}  // namespace tsuji::machines
