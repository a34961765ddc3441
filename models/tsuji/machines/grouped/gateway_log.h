// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tsuji/machines/grouped/grouped_machine.h"
#include "tsuji/observe/run_log.h"

namespace tsuji::machines {

/// Log of one gateway's packets from and to other groups, and of its barriers; CrosspointLog covers packets
/// from and to its group. Made after elaboration and before the first cycle; machine and log outlive the run.
class GatewayLog {
 public:
  GatewayLog(GroupedMachine& machine, unsigned group, observe::RunLog& log, observe::RunLog::Module module);
  ~GatewayLog();
  GatewayLog(const GatewayLog&) = delete;
  GatewayLog& operator=(const GatewayLog&) = delete;

 private:
  class Arrivals;
  class Departures;
  std::unique_ptr<Arrivals> arrivals_;
  std::unique_ptr<Departures> departures_;
};

}  // namespace tsuji::machines
