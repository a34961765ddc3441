// SPDX-License-Identifier: Apache-2.0
#include "detour/decision_judge.h"

namespace tsuji::bench {
namespace {

std::string at_text(unsigned x, unsigned y) {
  return "(" + std::to_string(x) + ", " + std::to_string(y) + ")";
}

/// Ports of a word, as "E, N": 0 leads to higher coordinates of dimension 0, 1 to lower ones, and so on.
std::string ports_text(unsigned word) {
  const char* const names[] = {"E", "W", "S", "N"};
  std::string text;
  for (unsigned port = 0; port < 4; ++port)
    if ((word >> port & 1U) != 0) text += (text.empty() ? "" : ", ") + std::string(names[port]);
  return text.empty() ? "none" : text;
}

}  // namespace

DecisionJudge::DecisionJudge(const Drive& pins, const routing::DecisionConfig& config)
    : radices_(config.radices), wraps_(config.wraps), scenes_(config), at_(pins) {
  for (std::size_t s = 0; s < scenes_.count(); ++s)
    tables_.emplace_back(scenes_.topology(), scenes_.scene(s).faults, scenes_.scene(s).region_distance);
}

void DecisionJudge::judge(Cycle cycle, const Sample& pins, Lines& broken) {
  const Decided decided{pins.output(at_.eject) != 0, pins.output(at_.reads_table) != 0,
                        static_cast<unsigned>(pins.output(at_.fa)),
                        static_cast<unsigned>(pins.output(at_.ud))};
  const bool arrived = asked_.x == asked_.to_x && asked_.y == asked_.to_y;
  if (!asked_.head) {
    judge_idle(pins, broken);
  } else {
    if (pins.output(at_.decided) == 0) broken.push_back("a head is not decided on");
    if (decided.eject != arrived)
      broken.push_back(arrived ? "a head at its destination is not ejected" : "a head is ejected elsewhere");
    if (arrived && (decided.fa | decided.ud) != 0) broken.push_back("a head at its destination is led on");
    if (decided.reads != (!arrived && (asked_.recovers || asked_.in_region)))
      broken.push_back(decided.reads ? "a head reads the table, and needs no word"
                                     : "a head does not read the table");
    judge_tables(broken);
    if (!arrived) asked_.recovers ? judge_recovery(decided, broken) : judge_adaptive(decided, broken);
  }
  take(cycle, pins);
}

void DecisionJudge::judge_idle(const Sample& pins, Lines& broken) const {
  if ((pins.output(at_.decided) | pins.output(at_.eject) | pins.output(at_.reads_table) |
       pins.output(at_.fa) | pins.output(at_.ud)) != 0)
    broken.push_back("a decision without a head");
}

void DecisionJudge::judge_tables(Lines& broken) {
  SearchedTables& tables = tables_[asked_.scene];
  const unsigned here = router(asked_.x, asked_.y), to = router(asked_.to_x, asked_.to_y);
  if (tables.in_region(here) != asked_.in_region)
    broken.push_back("router " + at_text(asked_.x, asked_.y) +
                     (asked_.in_region ? " is in no fault region" : " is in a fault region"));
  const auto judge = [&](const char* name, unsigned word, unsigned expected) {
    if (word != expected)
      broken.push_back("a wrong table bit: the " + std::string(name) + " word of router " +
                       at_text(asked_.x, asked_.y) + " for " + at_text(asked_.to_x, asked_.to_y) + " has " +
                       ports_text(word) + ", and the correct word is " + ports_text(expected));
  };
  if (asked_.in_region && here != to) judge("torus", asked_.torus_word, tables.torus_word(here, to));
  if (here != to) judge("up/down", asked_.up_down_word, tables.up_down_word(here, to));
}

void DecisionJudge::judge_recovery(const Decided& decided, Lines& broken) {
  if (decided.fa != 0)
    broken.push_back("a head in recovery gets FA channels as candidates: ports " + ports_text(decided.fa));
  judge_candidates(decided.ud, asked_.up_down_word, broken);
  judge_turns(decided.ud, broken);
}

void DecisionJudge::judge_adaptive(const Decided& decided, Lines& broken) {
  if (decided.ud != 0)
    broken.push_back("a head that is not in recovery gets UD channels as candidates: ports " +
                     ports_text(decided.ud));
  const unsigned candidates = asked_.in_region ? asked_.torus_word : minimal_ports();
  const unsigned back = asked_.in_port < ports ? 1U << asked_.in_port : 0;
  const unsigned others = candidates & ~back;
  if (others != 0 && (decided.fa & back) != 0)
    broken.push_back("a head gets the port that it came from, " + ports_text(back) +
                     ", and has other candidates");
  judge_candidates(decided.fa, others != 0 ? others : candidates, broken);
}

void DecisionJudge::judge_candidates(unsigned got, unsigned expected, Lines& broken) const {
  const char* const rule = asked_.recovers    ? "the up/down word leaves it "
                           : asked_.in_region ? "the torus word leaves it "
                                              : "its minimal ports by coordinates are ";
  if (got != expected)
    broken.push_back("a head gets the candidates " + ports_text(got) + ", and " + rule +
                     ports_text(expected));
}

/// Turns of a head that came on a UD channel.
void DecisionJudge::judge_turns(unsigned candidates, Lines& broken) {
  if (!asked_.on_ud || asked_.in_port >= ports) return;
  SearchedTables& tables = tables_[asked_.scene];
  const unsigned here = router(asked_.x, asked_.y), before = tables.next(here, asked_.in_port);
  if ((candidates >> asked_.in_port & 1U) != 0)
    broken.push_back("a head on a UD channel turns back by " + ports_text(1U << asked_.in_port));
  if (before == graph::none || tables.leads_up(before, here)) return;
  for (unsigned port = 0; port < ports; ++port) {
    const unsigned after = (candidates >> port & 1U) != 0 ? tables.next(here, port) : graph::none;
    if (after != graph::none && tables.leads_up(here, after))
      broken.push_back("a head in recovery goes up after down by " + ports_text(1U << port));
  }
}

unsigned DecisionJudge::minimal_ports() const {
  const unsigned from[] = {asked_.x, asked_.y}, to[] = {asked_.to_x, asked_.to_y};
  unsigned word = 0;
  for (unsigned d = 0; d < 2; ++d) {
    if (from[d] == to[d]) continue;
    const unsigned k = radices_[d], hops_up = (to[d] + k - from[d]) % k, hops_down = k - hops_up;
    const bool up = wraps_ ? hops_up <= hops_down : to[d] > from[d];
    const bool down = wraps_ ? hops_down <= hops_up : to[d] < from[d];
    word |= (up ? 1U : 0U) << 2 * d | (down ? 2U : 0U) << 2 * d;
  }
  return word;
}

void DecisionJudge::take(Cycle cycle, const Sample& pins) {
  const auto number = [&](std::size_t pin, unsigned lane = 0) {
    return static_cast<unsigned>(pins.input(pin, lane));
  };
  asked_ = {number(at_.head) != 0 && number(at_.reset) == 0,
            number(at_.here),
            number(at_.here, 1),
            number(at_.destination),
            number(at_.destination, 1),
            number(at_.in_port),
            number(at_.on_ud) != 0,
            number(at_.in_recovery) != 0,
            number(at_.in_region) != 0,
            number(at_.torus_word),
            number(at_.up_down_word),
            scenes_.number_at(cycle)};
}

}  // namespace tsuji::bench
