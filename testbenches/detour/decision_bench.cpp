// SPDX-License-Identifier: Apache-2.0
#include "detour/decision_bench.h"

namespace tsuji::bench {

using routing::DecisionModule;

DecisionStimulus::DecisionStimulus(const Drive& pins, std::uint64_t seed,
                                   const routing::DecisionConfig& config)
    : random_(seed, 8), scenes_(config), at_(pins) {
  for (std::size_t s = 0; s < scenes_.count(); ++s) {
    routing::DetourConfig detour;
    detour.region_distance = scenes_.scene(s).region_distance;
    generations_.push_back(std::make_unique<const routing::DetourGeneration>(
        scenes_.topology(), scenes_.scene(s).faults, detour));
  }
}

unsigned DecisionStimulus::one_of(std::uint64_t word) {
  for (std::uint64_t rest = random_.below(static_cast<std::uint64_t>(__builtin_popcountll(word))); rest > 0;
       --rest)
    word &= word - 1;
  return static_cast<unsigned>(__builtin_ctzll(word));
}

unsigned DecisionStimulus::any_living(const routing::DetourGeneration& generation) {
  for (;;) {
    const auto router = static_cast<unsigned>(random_.below(generation.network().routers()));
    if (generation.network().lives(router)) return router;
  }
}

/// The head that was decided on leaves by one of its candidates.
void DecisionStimulus::go_on(const Drive& pins) {
  if (!head_ || !shown_) return;
  const std::uint64_t word = pins.seen(at_.fa) | pins.seen(at_.ud);
  const unsigned port = word == 0 ? 0 : one_of(word);
  const unsigned next = word == 0 ? graph::none : now_->network().neighbour(head_->here, port);
  // Also where a device that is wrong leads it nowhere.
  if (pins.seen(at_.decided) == 0 || pins.seen(at_.eject) != 0 || next == graph::none ||
      random_.below(200) == 0) {
    head_.reset();
    return;
  }
  head_->on_ud = (pins.seen(at_.ud) >> port & 1U) != 0;
  head_->in_port = scenes_.topology().far(head_->here, port).at.port;
  head_->here = next;
  const unsigned longest = 3 * (scenes_.topology().routers() / 8 + 4);
  if (++head_->hops > longest || random_.below(12) == 0) head_->recovers = true;
}

/// At a node's interface, or by any port that lives.
void DecisionStimulus::start(Cycle cycle) {
  Head head{any_living(*now_), any_living(*now_), DecisionModule::ports};
  head.recovers = random_.below(4) == 0;
  if (cycle / 64 % 2 == 0) {
    const auto port = static_cast<unsigned>(random_.below(DecisionModule::ports + 1));
    if (now_->network().lives_at(head.here, port)) head.in_port = port;
  }
  if (random_.below(30) == 0) head.to = head.here;
  head_ = head;
}

void DecisionStimulus::show(Drive& pins) {
  const auto coordinates = [&](std::size_t pin, unsigned router) {
    for (unsigned d = 0; d < DecisionModule::dimensions; ++d)
      pins.set(pin, d, scenes_.topology().coordinates(router)[d]);
  };
  coordinates(at_.here, head_->here);
  coordinates(at_.destination, head_->to);
  pins.set(at_.in_port, head_->in_port);
  pins.set(at_.on_ud, head_->on_ud);
  pins.set(at_.in_recovery, head_->recovers);
  const routing::DetourTables& tables = now_->tables();
  const bool region = tables.has_torus(head_->here);
  pins.set(at_.in_region, region);
  pins.set(at_.torus_word,
           region ? tables.torus(head_->here, head_->to) : random_.below(1U << DecisionModule::ports));
  pins.set(at_.up_down_word, tables.up_down(head_->here, head_->to));
}

void DecisionStimulus::drive(Cycle cycle, Drive& pins) {
  const routing::DetourGeneration* const before = now_;
  now_ = generations_[scenes_.number_at(cycle)].get();
  if (now_ != before) head_.reset();
  go_on(pins);
  const bool restart = cycle < 2 || random_.below(2048) == 0;
  pins.set(at_.reset, restart);
  if (!head_) start(cycle);
  shown_ = head_ && random_.below(10) != 0;
  pins.set(at_.head, shown_);
  if (head_) show(pins);
}

}  // namespace tsuji::bench
