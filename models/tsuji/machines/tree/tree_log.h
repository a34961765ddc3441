// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/machines/tree/tree_port.h"
#include "tsuji/observe/run_log.h"

namespace tsuji::machines {

/// Log of the packets of one unit. Made before the simulation starts; unit and log outlive the run.
class TreeLog final : public TreeProbe {
 public:
  TreeLog(TreePort& unit, observe::RunLog& log, observe::RunLog::Module module);
  TreeLog(const TreeLog&) = delete;
  TreeLog& operator=(const TreeLog&) = delete;

  void on_take(graph::RouterId unit, End from, const Packet& packet, Cycle at) override;
  void on_send(graph::RouterId unit, End to, const Packet& packet, Cycle now) override;

 private:
  observe::RunLog& log_;
  const observe::RunLog::Module module_;
  TreeProbe* const before_;
};

}  // namespace tsuji::machines
