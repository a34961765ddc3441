// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "common/scoreboard.h"
#include "detour/table_port_pins.h"
#include "tsuji/lookup/ported_table.h"

namespace tsuji::bench {

/// Rules of the table's read ports (Yoshinaga 2004, 4.1 and 4.3). A head that arrives in cycle a requests
/// from cycle a + address decode on. A free port reads for the first requesting input VC after the
/// input VC that it served last (round robin), and answers with the entry after the time of a table read.
/// Channels 0 and 1 of a network port and 0 of the processor interface have port 0, the others port 1.
class TablePortJudge final : public Scoreboard {
 public:
  TablePortJudge(const Drive& pins, const lookup::PortedTableTiming& timing);
  void judge(Cycle cycle, const Sample& pins, std::vector<std::string>& broken) override;

 private:
  static constexpr unsigned ports = 2, network_lines = 16, lines = 18;
  struct Line {
    bool open = false;
    Cycle asks = 0;
    std::uint64_t address = 0;
  };
  struct Due {
    Cycle cycle;
    unsigned line;
    std::uint64_t address, word;
  };
  struct Port {
    Cycle free = 0;
    unsigned next = 0;                ///< input VC with the highest priority
    std::optional<unsigned> granted;  ///< input VC granted in the previous cycle
    bool was_busy = false;
    std::deque<Due> due;
  };
  static unsigned port_of(unsigned line) {
    return line < network_lines ? line % 4 / 2 : line - network_lines;
  }
  void judge_grants(unsigned port, const Sample& pins, std::vector<std::string>& broken) const;
  std::string wrong_grant(unsigned port, unsigned line) const;
  void judge_answers(Cycle cycle, unsigned port, const Sample& pins, std::vector<std::string>& broken);
  void take_inputs(Cycle cycle, const Sample& pins);
  void take_back(unsigned line);
  void grant(Cycle cycle, unsigned port);

  const Cycle decode_cycles_, table_cycles_, busy_cycles_;
  const TablePortHandles at_;
  std::array<Line, lines> lines_, before_;  ///< before_: at the grants of the previous cycle
  std::array<Port, ports> ports_;
  std::array<std::uint64_t, 16> words_ = {};
  Cycle decided_ = 0;  ///< the previous cycle
};

}  // namespace tsuji::bench
