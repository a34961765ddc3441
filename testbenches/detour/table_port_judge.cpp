// SPDX-License-Identifier: Apache-2.0
#include "detour/table_port_judge.h"

#include <algorithm>
#include <sstream>

namespace tsuji::bench {
namespace {

std::string line_text(unsigned line) {
  return "line " + std::to_string(line);
}

std::string hex(std::uint64_t value) {
  std::ostringstream text;
  text << "0x" << std::hex << value;
  return text.str();
}

}  // namespace

TablePortJudge::TablePortJudge(const Drive& pins, const lookup::PortedTableTiming& timing)
    : decode_cycles_(timing.rc_cycles),
      table_cycles_(timing.table_cycles),
      busy_cycles_(timing.pipelined ? 1 : timing.table_cycles),
      at_(pins) {}

void TablePortJudge::judge(Cycle cycle, const Sample& pins, std::vector<std::string>& broken) {
  for (unsigned port = 0; port < ports; ++port) {
    judge_grants(port, pins, broken);
    judge_answers(cycle, port, pins, broken);
  }
  take_inputs(cycle, pins);
}

void TablePortJudge::judge_grants(unsigned port, const Sample& pins, std::vector<std::string>& broken) const {
  const std::string name = "read port " + std::to_string(port);
  const std::optional<unsigned> due = ports_[port].granted;
  std::vector<unsigned> got;
  for (unsigned line = 0; line < lines; ++line)
    if (port_of(line) == port && pins.output(at_.granted, line) != 0) got.push_back(line);
  if (got.size() > 1) broken.push_back(name + " is granted to two lines in a cycle");
  if (got.empty() && due) broken.push_back(name + " is idle, and " + line_text(*due) + " has a request");
  for (const unsigned line : got)
    if (line != due) broken.push_back(name + " is granted to " + line_text(line) + wrong_grant(port, line));
}

std::string TablePortJudge::wrong_grant(unsigned port, unsigned line) const {
  if (!before_[line].open) return ", which has no request";
  if (before_[line].asks > decided_) return ", whose address decode is not over";
  if (ports_[port].was_busy) return " while it is busy";
  return ", and it is the turn of " + (ports_[port].granted ? line_text(*ports_[port].granted) : "no line");
}

void TablePortJudge::judge_answers(Cycle cycle, unsigned port, const Sample& pins,
                                   std::vector<std::string>& broken) {
  const std::string name = "read port " + std::to_string(port);
  std::deque<Due>& due = ports_[port].due;
  const bool expected = !due.empty() && due.front().cycle == cycle;
  const auto line = static_cast<unsigned>(pins.output(at_.answer_line, port));
  if (pins.output(at_.answer_valid, port) == 0) {
    if (expected)
      broken.push_back(name + " does not answer " + line_text(due.front().line) + " " +
                       std::to_string(table_cycles_) + " cycles after its grant");
  } else if (!expected) {
    const bool early =
        std::any_of(due.begin(), due.end(), [line](const Due& other) { return other.line == line; });
    broken.push_back(name + " answers " + line_text(line) +
                     (early ? " too soon" : ", which waits for no answer"));
  } else if (line != due.front().line) {
    broken.push_back(name + " answers " + line_text(line) + " in the place of " +
                     line_text(due.front().line));
  } else if (const std::uint64_t word = pins.output(at_.answer_word, port); word != due.front().word) {
    broken.push_back(name + " answers " + line_text(line) + " with a wrong table bit: word " + hex(word) +
                     ", and row " + std::to_string(due.front().address) + " has " + hex(due.front().word));
  }
  if (expected) due.pop_front();
}

void TablePortJudge::take_inputs(Cycle cycle, const Sample& pins) {
  decided_ = cycle;
  if (pins.input(at_.reset) != 0) {
    lines_ = before_ = {};
    ports_ = {};
    words_ = {};
    return;
  }
  for (unsigned line = 0; line < lines; ++line)
    if (pins.input(at_.cancel, line) != 0) take_back(line);
  before_ = lines_;
  for (unsigned port = 0; port < ports; ++port) grant(cycle, port);
  for (unsigned line = 0; line < lines; ++line)
    if (pins.input(at_.ask, line) != 0)
      lines_[line] = {true, cycle + decode_cycles_, pins.input(at_.ask_address, line)};
  if (pins.input(at_.write_valid) != 0) words_[pins.input(at_.write_address)] = pins.input(at_.write_word);
}

void TablePortJudge::take_back(unsigned line) {
  lines_[line].open = false;
  std::deque<Due>& due = ports_[port_of(line)].due;
  due.erase(std::remove_if(due.begin(), due.end(), [line](const Due& one) { return one.line == line; }),
            due.end());
}

void TablePortJudge::grant(Cycle cycle, unsigned port) {
  Port& own = ports_[port];
  own.granted.reset();
  own.was_busy = own.free > cycle;
  for (unsigned step = 0; step < lines && !own.was_busy && !own.granted; ++step) {
    const unsigned line = (own.next + step) % lines;
    if (port_of(line) != port || !lines_[line].open || lines_[line].asks > cycle) continue;
    own.granted = line;
    own.next = (line + 1) % lines;
    own.free = cycle + busy_cycles_;
    own.due.push_back({cycle + table_cycles_, line, lines_[line].address, words_[lines_[line].address]});
    lines_[line].open = false;
  }
}

}  // namespace tsuji::bench
