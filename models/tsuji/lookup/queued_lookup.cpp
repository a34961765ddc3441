// SPDX-License-Identifier: Apache-2.0
#include "tsuji/lookup/queued_lookup.h"

#include <algorithm>
#include <utility>

namespace tsuji::lookup {

QueuedLookup::QueuedLookup(const LookupParts& parts, graph::RouterId router, unsigned ports)
    : SwitchLookup(parts, router, ports),
      last_(std::size_t{ports} * parts.vcs),
      held_(last_.size()),
      cam_(parts.timing.cam_cycles, parts.timing.cam_interval()) {
  ports_.reserve(ports);
  for (unsigned port = 0; port < ports; ++port) ports_.push_back({0, false, PortCache(parts, router, port)});
}

Cycle QueuedLookup::request(Cycle now, const routing::RouteQuery& query, std::uint32_t ticket,
                            routing::RouteSet&) {
  Port& port = ports_[query.in_port];
  questions_.emplace_back();
  Question& question = questions_.back();
  question.query = query;
  question.hashed = now + parts_.timing.hash_cycles;
  question.ticket = ticket;
  if (!port.stalled) {
    enter(port, question);
    if (wake_) wake_(question.at);
  }
  return never;
}

void QueuedLookup::enter(Port& port, Question& question) {
  question.stage = Stage::cache;
  question.at = std::max(question.hashed, port.next_access);
  port.next_access = question.at + parts_.timing.cache_cycles;
}

void QueuedLookup::cancel(Cycle, std::uint32_t ticket) {
  for (Question& question : questions_) {
    if (question.ticket == ticket) question.cancelled = true;
  }
}

void QueuedLookup::step(Cycle now) {
  arrive(now);
  for (Question& question : questions_)
    if (question.stage == Stage::reading && question.at == now) read(question, now);
  bool any_known = false;
  for (Question& question : questions_) {
    if (question.stage == Stage::cache && question.at == now) look(question, now);
    any_known |= question.stage == Stage::known;
  }
  if (any_known) deliver();
  if (wake_) wake_for_next(now);
}

/// Queues the requests that reach the memory in this cycle.
void QueuedLookup::arrive(Cycle now) {
  arrivals_.clear();
  for (Question& question : questions_)
    if (question.stage == Stage::arriving && question.at == now) arrivals_.push_back(&question);
  std::sort(arrivals_.begin(), arrivals_.end(),
            [](const Question* a, const Question* b) { return a->query.in_port < b->query.in_port; });
  for (Question* const question : arrivals_) {
    question->stage = Stage::reading;
    question->entry = table_.entry(question->query.in_port, question->query.destination.node());
    question->at = cam_.start(now);
  }
}

void QueuedLookup::read(Question& question, Cycle now) {
  Port& port = ports_[question.query.in_port];
  question.stage = Stage::known;
  question.at = now + cam_.access_cycles();
  if (question.stale)
    port.cache.leave_out();
  else
    port.cache.expect({question.at, question.query.destination.node(), question.entry});
  if (!parts_.timing.blocking) return;
  port.next_access = question.at;
  release(question.query.in_port);
}

void QueuedLookup::look(Question& question, Cycle now) {
  Port& port = ports_[question.query.in_port];
  const RouteEntry* const entry = port.cache.look(parts_.keys, question.query.destination.node(), now);
  tell(question.query.in_port, question.query.destination.node(), entry != nullptr, now);
  question.at = now + parts_.timing.cache_cycles;
  question.stage = entry == nullptr ? Stage::arriving : Stage::known;
  if (entry != nullptr) {
    question.entry = *entry;
  } else if (parts_.timing.blocking) {
    port.stalled = true;
    stall_behind(question);
  }
  for (; question.flushes_behind > 0; --question.flushes_behind) flush_port(question.query.in_port, now);
}

/// Look-ups that were to read the cache next wait for the miss, together with later ones.
void QueuedLookup::stall_behind(const Question& miss) {
  for (Question& question : questions_) {
    if (question.query.in_port == miss.query.in_port && question.stage == Stage::cache)
      question.stage = Stage::stalled;
  }
}

void QueuedLookup::release(unsigned port) {
  ports_[port].stalled = false;
  for (Question& question : questions_)
    if (question.query.in_port == port && question.stage == Stage::stalled) enter(ports_[port], question);
}

/// Delivers answers that are known and have no older unanswered request of their virtual channel.
void QueuedLookup::deliver() {
  std::fill(held_.begin(), held_.end(), std::uint8_t{0});
  const auto given = std::remove_if(questions_.begin(), questions_.end(), [this](const Question& question) {
    const std::size_t vc = input_vc(question.query);
    if (question.stage != Stage::known || held_[vc] != 0) {
      held_[vc] = 1;
      return false;
    }
    last_[vc] = std::max(last_[vc], question.at);
    if (question.cancelled) return true;
    routing::RouteSet candidates;
    give(question.query, question.entry, candidates);
    client_->route_answer(question.ticket, last_[vc], candidates);
    return true;
  });
  questions_.erase(given, questions_.end());
}

void QueuedLookup::wake_for_next(Cycle now) const {
  Cycle next = never;
  for (const Question& question : questions_) {
    if (question.stage != Stage::stalled && question.stage != Stage::known)
      next = std::min(next, question.at);
  }
  if (next != never && next > now) wake_(next);
}

LookupCounters QueuedLookup::counters() const {
  LookupCounters counters;
  for (const Port& port : ports_) port.cache.add_to(counters);
  cam_.add_to(counters);
  for (const Question& question : questions_)
    counters.answers_pending += question.stage == Stage::arriving || question.stage == Stage::reading ? 1 : 0;
  return counters;
}

/// Flushes each cache after the look-ups requested so far.
void QueuedLookup::flush(Cycle now) {
  for (unsigned port = 0; port < ports_.size(); ++port) {
    const auto last = std::find_if(questions_.rbegin(), questions_.rend(), [port](const Question& question) {
      return question.query.in_port == port &&
             (question.stage == Stage::stalled || question.stage == Stage::cache);
    });
    if (last == questions_.rend())
      flush_port(port, now);
    else
      ++last->flushes_behind;
  }
}

void QueuedLookup::flush_port(unsigned port, Cycle now) {
  ports_[port].cache.flush(parts_.keys, now);
  for (Question& question : questions_) {
    if (question.query.in_port != port) continue;
    question.stale |= question.stage == Stage::arriving || question.stage == Stage::reading;
  }
}

void QueuedLookup::warm(unsigned port, NodeId destination) {
  ports_[port].cache.warm(parts_.keys, destination, table_.entry(port, destination));
}

}  // namespace tsuji::lookup
