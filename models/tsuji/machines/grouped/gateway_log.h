// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tsuji/machines/grouped/grouped_machine.h"
#include "tsuji/observe/run_log.h"

namespace tsuji::machines {

/// Lines about one gateway's packets from and to other groups, and its barriers; CrosspointLog has those from
/// and to its group. Made after elaboration and before the start; the machine and the log outlive its run.
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
