// SPDX-License-Identifier: Apache-2.0
#include "router/router_judge.h"

#include <algorithm>

namespace tsuji::bench {
namespace {

constexpr std::uint64_t hit = 1;  // of the pin `outcome`

}  // namespace

RouterJudge::RouterJudge(const Drive& pins, const router::PinRouterConfig& config)
    : config_(config), at_(pins), through_(config.config.depart_after()) {
  config_.routes.resize(config_.rows());
  restart(0);
}

void RouterJudge::restart(Cycle cycle) {
  lines_.assign(config_.lines(), {});
  outputs_.assign(config_.lines(), {});
  for (OutputVc& output : outputs_) output.places = config_.buffer_flits;
  due_.clear();
  stopped_ = false;
  for (Line& line : lines_) line.front_since = line.waits_since = cycle;
}

std::string RouterJudge::line_name(unsigned line) const {
  return "input " + std::to_string(line / config_.vcs) + " vc " + std::to_string(line % config_.vcs);
}

std::string RouterJudge::output_name(unsigned port, unsigned vc) const {
  return "output " + std::to_string(port) + " vc " + std::to_string(vc);
}

void RouterJudge::judge(Cycle cycle, const Sample& pins, std::vector<std::string>& broken) {
  if (known_) {  // from the first reset on
    if ((pins.output(at_.error) != 0) != stopped_)
      broken.emplace_back(stopped_ ? "a protocol violation is not reported"
                                   : "an error is reported without a protocol violation");
    if (stopped_) {
      judge_silence(pins, broken);
    } else {
      judge_left(cycle, pins, broken);
      judge_blocked(cycle, pins, broken);
      judge_outputs(cycle, pins, broken);
    }
  }
  if (pins.input(at_.reset) != 0) {
    const std::size_t row = config_.row_index(pins.input(at_.table_row));
    if (pins.input(at_.table_valid) != 0 && row < config_.rows())
      config_.routes[row] = static_cast<std::uint32_t>(pins.input(at_.table_entry));
    restart(cycle + 1);
    known_ = true;
  } else if (known_ && !stopped_ && broken.empty()) {
    stopped_ = take_inputs(cycle, pins);
    judge_waits(cycle, broken);
  }
}

void RouterJudge::judge_silence(const Sample& pins, std::vector<std::string>& broken) const {
  bool any = false;
  for (unsigned port = 0; port < config_.ports; ++port)
    any |= (pins.output(at_.out_valid, port) | pins.output(at_.outcome, port) |
            pins.output(at_.kept, port)) != 0;
  for (unsigned line = 0; line < config_.lines(); ++line)
    any |= (pins.output(at_.in_credit, line) | pins.output(at_.blocked, line)) != 0;
  if (any) broken.emplace_back("a flit, a credit or a report leaves after an error");
}

/// Credits at the inputs: flits that left their buffers in the previous cycle.
void RouterJudge::judge_left(Cycle cycle, const Sample& pins, std::vector<std::string>& broken) {
  for (unsigned port = 0; port < config_.ports; ++port) {
    unsigned left = 0;
    for (unsigned vc = 0; vc < config_.vcs; ++vc) {
      const unsigned line = port * config_.vcs + vc;
      if (pins.output(at_.in_credit, line) == 0) continue;
      ++left;
      leave(cycle - 1, line, pins, broken);
    }
    if (left > 1) broken.push_back("two flits leave input " + std::to_string(port) + " in a cycle");
    judge_outcome(port, left, pins, broken);
  }
}

/// A head at the front of a line.
HeadAt RouterJudge::at(unsigned line, const Flit& head) const {
  const auto node = static_cast<unsigned>(head.destination & (config_.nodes() - 1U));
  return {line / config_.vcs, line % config_.vcs, node, head.recovers};
}

/// When its stages here began.
Cycle RouterJudge::first_start(const Line& line, const Flit& flit) const {
  return std::max({flit.came, line.front_since, flit.restarted});
}

/// Least time of a head from its start to virtual-channel allocation.
Cycle RouterJudge::routed_after(unsigned line, const Flit& head) const {
  return config_.rc_cycles + (reads_table(config_, at(line, head)) ? config_.table_cycles : 0);
}

/// Fields of a head beside its node, as it brings them and as it must leave.
void RouterJudge::take_head(Flit& flit) const {
  if (!config_.recovers()) return;
  const std::uint64_t hops = flit.destination >> (config_.node_bits + 1);
  const std::uint64_t limit = config_.config.hop_limit;
  flit.recovers = (flit.destination >> config_.node_bits & 1U) != 0 || (limit != 0 && hops > limit);
  const std::uint64_t next = std::min<std::uint64_t>(hops + 1, config_.most_hops());
  flit.head_out = (flit.destination & (config_.nodes() - 1U)) | next << (config_.node_bits + 1);
}

/// The head at the front may be late.
bool RouterJudge::times_out(const Line& line) const {
  if (config_.config.block_timeout_cycles == 0 || line.flits.empty() || !line.flits.front().head)
    return false;
  const Flit& head = line.flits.front();
  const auto node = static_cast<unsigned>(head.destination & (config_.nodes() - 1U));
  return !config_.recovers() || (!head.recovers && !is_there(config_, node));
}

/// Heads whose time was over in the previous cycle, and which did not leave in it.
void RouterJudge::judge_blocked(Cycle cycle, const Sample& pins, std::vector<std::string>& broken) {
  const Cycle timeout = config_.config.block_timeout_cycles;
  for (unsigned number = 0; number < config_.lines(); ++number) {
    Line& line = lines_[number];
    const bool late = times_out(line) && first_start(line, line.flits.front()) + timeout + 1 == cycle;
    if (late && config_.recovers()) {
      line.flits.front().recovers = true;
      line.flits.front().restarted = cycle - 1;
    }
    if ((pins.output(at_.blocked, number) != 0) == late) continue;
    broken.push_back(late ? "the head of " + line_name(number) + " is late, and not reported as blocked"
                          : line_name(number) + " is reported as blocked, and its time is not over");
  }
}

/// A head that is said to have hit, and a flit that is said to be kept, have left.
void RouterJudge::judge_outcome(unsigned port, unsigned left, const Sample& pins,
                                std::vector<std::string>& broken) const {
  const bool early = pins.output(at_.outcome, port) == hit || pins.output(at_.kept, port) != 0;
  if (early && left == 0)
    broken.push_back("a flit of input " + std::to_string(port) +
                     " is said to have crossed by prediction, and did not");
}

/// Rules of a flit that leaves by prediction.
void RouterJudge::judge_early(const Flit& flit, const Sample& pins, std::vector<std::string>& broken) const {
  const unsigned port = flit.line / config_.vcs;
  const std::string name = line_name(flit.line);
  if (flit.head != (pins.output(at_.outcome, port) == hit))
    broken.push_back("a flit of " + name + " leaves by prediction as if it were " +
                     (flit.head ? "no head" : "a head"));
  if (!flit.head) {
    if (!flit.passage->hit)
      broken.push_back("a flit of " + name + " leaves by prediction after one that did not");
    return;
  }
  if (flit.came != flit.left) broken.push_back("a head of " + name + " hits after its arrival");
  for (unsigned line = port * config_.vcs; line < (port + 1) * config_.vcs; ++line)
    if (line != flit.line && (!lines_[line].flits.empty() || lines_[line].passage))
      broken.push_back("a head of " + name + " hits, and " + line_name(line) + " is in use");
}

void RouterJudge::leave(Cycle left, unsigned number, const Sample& pins, std::vector<std::string>& broken) {
  Line& line = lines_[number];
  if (line.flits.empty()) {
    broken.push_back("a place of " + line_name(number) + " is freed that no flit was in");
    return;
  }
  Flit flit = line.flits.front();
  line.flits.pop_front();
  flit.line = number;
  flit.left = left;
  const unsigned in_port = number / config_.vcs;
  flit.early = pins.output(at_.outcome, in_port) == hit || pins.output(at_.kept, in_port) != 0;
  flit.due = left + (flit.early ? config_.config.st_cycles : through_);
  flit.earliest = first_start(line, flit) +
                  (flit.head && !flit.early ? routed_after(number, flit) + config_.config.va_cycles : 0);
  if (flit.head || !line.passage) line.passage = std::make_shared<Passage>();
  flit.passage = line.passage;
  if (flit.early) judge_early(flit, pins, broken);
  flit.passage->hit = flit.early;
  if (flit.tail) line.passage = nullptr;
  if (left < flit.earliest)
    broken.push_back("a flit of " + line_name(number) + " leaves " + std::to_string(flit.earliest - left) +
                     " cycles before its stages are over");
  line.front_since = line.waits_since = left + 1;
  if (flit.head && candidates_of(config_, at(number, flit)).empty()) {
    broken.push_back("a flit of " + line_name(number) + " leaves without a route");
    return;
  }
  due_.push_back(flit);
}

void RouterJudge::judge_outputs(Cycle cycle, const Sample& pins, std::vector<std::string>& broken) {
  std::vector<bool> expected(config_.ports);
  for (const Flit& flit : due_) {
    if (flit.due != cycle) continue;
    if (flit.head) flit.passage->port = output_of(flit, pins);
    const unsigned port = flit.passage->port;
    if (flit.early && flit.head && config_.predicts_by_table() &&
        config_.predicted(flit.line / config_.vcs) != port)
      broken.push_back("a head of " + line_name(flit.line) + " hits output " + std::to_string(port) +
                       ", which is not predicted");
    if (expected[port])
      broken.push_back("two flits leave for output " + std::to_string(port) + " in a cycle");
    expected[port] = true;
    if (pins.output(at_.out_valid, port) == 0)
      broken.push_back("a flit of " + line_name(flit.line) + " is lost before output " +
                       std::to_string(port));
    else
      judge_flit(flit, port, pins, broken);
  }
  due_.erase(
      std::remove_if(due_.begin(), due_.end(), [cycle](const Flit& flit) { return flit.due == cycle; }),
      due_.end());
  for (unsigned port = 0; port < config_.ports; ++port)
    if (pins.output(at_.out_valid, port) != 0 && !expected[port])
      broken.push_back("output " + std::to_string(port) + " has a flit that left no buffer");
}

/// A flit's destination pins at the output.
std::uint64_t RouterJudge::leaves_as(const Flit& flit) const {
  const bool in_recovery = flit.head && flit.recovers;
  return flit.head_out | std::uint64_t{in_recovery ? 1U : 0U} << config_.node_bits;
}

/// Output that a head has taken: the one of its candidates that shows it, or else the first one.
unsigned RouterJudge::output_of(const Flit& flit, const Sample& pins) const {
  const std::vector<Candidate> candidates = candidates_of(config_, at(flit.line, flit));
  for (const Candidate& one : candidates)
    if (pins.output(at_.out_valid, one.port) != 0 && pins.output(at_.out_head, one.port) != 0 &&
        pins.output(at_.out_destination, one.port) == leaves_as(flit) &&
        pins.output(at_.out_data, one.port) == flit.data)
      return one.port;
  return candidates.front().port;
}

void RouterJudge::judge_flit(const Flit& flit, unsigned port, const Sample& pins,
                             std::vector<std::string>& broken) {
  const auto vc = static_cast<unsigned>(pins.output(at_.out_vc, port));
  const std::string name = output_name(port, vc), of = line_name(flit.line);
  if (pins.output(at_.out_destination, port) != leaves_as(flit) ||
      pins.output(at_.out_data, port) != flit.data)
    broken.push_back(name + " has another flit than the one that left " + of);
  if ((pins.output(at_.out_head, port) != 0) != flit.head ||
      (pins.output(at_.out_tail, port) != 0) != flit.tail)
    broken.push_back(name + " has a wrong head or tail of a flit of " + of);
  if (vc >= config_.vcs) {
    broken.push_back(name + " does not exist");
    return;
  }
  OutputVc& output = outputs_[port * config_.vcs + vc];
  update_places(output, flit.left);
  if (flit.head)
    judge_head(port, vc, flit, broken);
  else if (!output.held || output.holder != flit.line)
    broken.push_back(name + " has a flit of " + of + ", which does not hold it");
  judge_place(output, flit, name, broken);
  output.held = !flit.tail;
  output.holder = flit.line;
  if (flit.tail) {
    output.was_held = true;
    output.released = flit.left;
  }
  flit.passage->vc = vc;
}

void RouterJudge::judge_head(unsigned port, unsigned vc, const Flit& flit, std::vector<std::string>& broken) {
  const OutputVc& output = outputs_[port * config_.vcs + vc];
  const std::string name = output_name(port, vc), of = line_name(flit.line);
  unsigned vcs = 0;
  for (const Candidate& one : candidates_of(config_, at(flit.line, flit)))
    if (one.port == port) vcs |= one.vcs;
  // Latest possible grant.
  const Cycle granted = flit.early ? flit.left : flit.left - config_.config.va_cycles;
  if ((vcs >> vc & 1U) == 0) broken.push_back(name + " is not on the route of " + of);
  if (output.held)
    broken.push_back(name + " is held by " + line_name(output.holder) + ", and " + of + " takes it");
  if (output.was_held && granted <= output.released)
    broken.push_back(name + " is taken by " + of + " before it can be free");
  if (config_.config.atomic_vcs && (output.places != config_.buffer_flits || output.empty_since > granted))
    broken.push_back(name + " is taken by " + of + ", and not all its credits are back");
}

void RouterJudge::judge_place(OutputVc& output, const Flit& flit, const std::string& name,
                              std::vector<std::string>& broken) {
  if (output.places == 0) {
    broken.push_back(name + " has a flit of " + line_name(flit.line) + " without a credit");
    return;
  }
  --output.places;
  ++output.flits;
}

void RouterJudge::update_places(OutputVc& output, Cycle cycle) const {
  while (!output.credits.empty() && output.credits.front() <= cycle) {
    if (++output.places == config_.buffer_flits) output.empty_since = output.credits.front();
    output.credits.pop_front();
  }
}

/// True: the protocol is broken in this cycle.
bool RouterJudge::take_inputs(Cycle cycle, const Sample& pins) {
  bool wrong = false;
  for (unsigned port = 0; port < config_.ports; ++port)
    if (pins.input(at_.in_valid, port) != 0) wrong |= take_flit(cycle, port, pins);
  for (unsigned output = 0; output < config_.lines(); ++output)
    if (pins.input(at_.out_credit, output) != 0) wrong |= take_credit(cycle, output);
  return wrong || head_has_no_route(cycle);
}

bool RouterJudge::take_flit(Cycle cycle, unsigned port, const Sample& pins) {
  const auto vc = static_cast<unsigned>(pins.input(at_.in_vc, port));
  if (vc >= config_.vcs) return true;
  Line& line = lines_[port * config_.vcs + vc];
  Flit flit;
  flit.head = pins.input(at_.in_head, port) != 0;
  flit.tail = pins.input(at_.in_tail, port) != 0;
  flit.destination = pins.input(at_.in_destination, port);
  flit.data = pins.input(at_.in_data, port);
  flit.came = cycle;
  flit.head_out = flit.destination;
  if (flit.head) take_head(flit);
  const bool wrong = line.flits.size() == config_.buffer_flits || flit.head == line.inside;
  line.inside = !flit.tail;
  if (line.flits.empty()) line.waits_since = cycle;
  line.flits.push_back(flit);
  return wrong;
}

bool RouterJudge::take_credit(Cycle cycle, unsigned number) {
  OutputVc& output = outputs_[number];
  if (output.flits == 0) return true;
  --output.flits;
  output.credits.push_back(cycle + config_.credit_cycles);
  return false;
}

bool RouterJudge::head_has_no_route(Cycle cycle) const {
  for (unsigned number = 0; number < config_.lines(); ++number) {
    const Line& line = lines_[number];
    if (line.flits.empty() || !line.flits.front().head) continue;
    const Flit& head = line.flits.front();
    if (first_start(line, head) + routed_after(number, head) <= cycle &&
        candidates_of(config_, at(number, head)).empty())
      return true;
  }
  return false;
}

/// Whether the pins show that the flit at the front of an input virtual channel can leave.
bool RouterJudge::could_leave(const Line& line, unsigned number) const {
  if (line.flits.empty()) return false;
  const Flit& front = line.flits.front();
  if (!front.head && !line.passage) return false;  // no head was before it: an error
  if (!front.head) return outputs_[line.passage->port * config_.vcs + line.passage->vc].places != 0;
  for (const Candidate& one : candidates_of(config_, at(number, front))) {
    for (unsigned vc = 0; vc < config_.vcs; ++vc) {
      if ((one.vcs >> vc & 1U) == 0) continue;
      const OutputVc& output = outputs_[one.port * config_.vcs + vc];
      if (!output.held && output.places != 0) return true;
    }
  }
  return false;
}

/// Finds flits that the pins show as ready to leave but that have waited too long.
void RouterJudge::judge_waits(Cycle cycle, std::vector<std::string>& broken) {
  for (OutputVc& output : outputs_) update_places(output, cycle > through_ ? cycle - through_ : 0);
  for (unsigned number = 0; number < config_.lines(); ++number) {
    Line& line = lines_[number];
    const bool could = could_leave(line, number);
    if (!could) line.waits_since = cycle;
    if (cycle - line.waits_since > longest_wait && cycle > line.waits_since)
      broken.push_back("a flit of " + line_name(number) + " could leave for " + std::to_string(longest_wait) +
                       " cycles, and does not");
  }
}

}  // namespace tsuji::bench
