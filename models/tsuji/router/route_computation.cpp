// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/route_computation.h"

#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/routing/decision_checks.h"

namespace tsuji::router {

RouteComputation::RouteComputation(const Config& config, RouteLookup& lookup, Arena& arena)
    : lookup_(lookup),
      behind_(config.routing),
      seed_(config.seed),
      router_(config.router),
      inputs_(config.inputs),
      max_candidates_(config.max_candidates),
      arena_(arena) {
  if (inputs_ > most_inputs) throw ModelError("router", "too many virtual channels");
  if (config.at_arrival) early_.resize(inputs_);
  const routing::Routing* const direct = lookup_.direct_routing(direct_cycles_);
  if (direct != nullptr) ask_directly(*direct);
  runs_lookup_ = lookup_.is_run_by_router();
}

void RouteComputation::ask_directly(const routing::Routing& routing) {
  const bool decides = routing.decisions() != nullptr;
  direct_ = decides ? nullptr : &routing;
  decider_ = decides ? &routing : nullptr;
}

void RouteComputation::foresee(const routing::RouteQuery& query, routing::RouteSet& candidates,
                               Cycle now) const {
  if (behind() == nullptr)
    throw ModelError("router " + std::to_string(router_), now, packet_name(query.packet),
                     "no table predicts the route that its look-up will return");
  candidates.clear();
  behind()->route(query, candidates);
}

Cycle RouteComputation::decide_and_ask(routing::RouteQuery& query, Packet& packet,
                                       routing::RouteSet& candidates, Cycle now) {
  buffers_->ask_in(now);
  query.decision = packet.decision;
  const routing::RouteDecisions& decisions = *decider_->decisions();
  const routing::Decision decision = decisions.decide(query, *buffers_);
  routing::check_sample(decisions, query, decision, decided_++, now);
  query.decision = packet.decision = decision;
  decider_->route(query, candidates);
  check(candidates, packet, now);
  return now + direct_cycles_;
}

Cycle RouteComputation::ask_lookup(unsigned input, const routing::RouteQuery& query, const Packet& packet,
                                   std::uint32_t& ticket, routing::RouteSet& candidates, Cycle now) {
  ticket = no_ticket;
  if (holds_ && packet.packet_class == PacketClass::normal) return never;
  ticket = next_ticket(input);
  const Cycle ready = lookup_.request(now, query, ticket, candidates);
  if (ready != never) check(candidates, packet, now);
  return ready;
}

void RouteComputation::too_many_candidates(const Packet& packet, Cycle now) const {
  throw ModelError("router " + std::to_string(router_), now, packet_name(packet.id),
                   "a look-up returned too many candidates");
}

void RouteComputation::exchange(const routing::RoutingView& view, Cycle now) {
  if (view.routing->max_candidates() > max_candidates_)
    throw ModelError("router " + std::to_string(router_), now, "",
                     "a routing of generation " + std::to_string(view.generation) + " may give " +
                         std::to_string(view.routing->max_candidates()) +
                         " candidates, and there is room for " + std::to_string(max_candidates_));
  if (direct_ != nullptr || decider_ != nullptr)
    ask_directly(*view.routing);
  else
    lookup_.exchange_routing(*view.routing, now);
  if (behind_ != nullptr) behind_ = view.routing;
  generation_ = view.generation;
}

void RouteComputation::hold(bool holds, Cycle now) {
  if (direct_ != nullptr || decider_ != nullptr)
    throw ModelError("router " + std::to_string(router_), now, "",
                     "heads that query a routing function directly cannot be held");
  holds_ = holds;
}

void RouteComputation::remember(unsigned input, std::uint32_t ticket) {
  // Allocated on first use: most look-ups need no tickets.
  if (tickets_ == nullptr) tickets_ = arena_.array<std::uint32_t>(inputs_);
  tickets_[input] = ticket;
}

RouteComputation::Asker RouteComputation::answer(std::uint32_t ticket, Cycle at,
                                                 const routing::RouteSet& candidates) {
  const unsigned input = input_of(ticket);
  if (input >= inputs_ || ticket == no_ticket) return Asker::nobody;
  if (tickets_ != nullptr && tickets_[input] == ticket) {
    tickets_[input] = no_ticket;
    return Asker::front;
  }
  if (early_.empty()) return Asker::nobody;
  for (Question& question : early_[input].questions) {
    if (question.ticket != ticket || question.ready != never) continue;
    question.ready = at;
    question.candidates = candidates;
    return Asker::behind;
  }
  return Asker::nobody;
}

void RouteComputation::cancel(unsigned input, Cycle now) {
  lookup_.cancel(now, tickets_[input]);
  tickets_[input] = no_ticket;
}

Cycle RouteComputation::scan(const Input& input, const FlitRing& ring, PacketPool& pool, Cycle now) {
  if (early_.empty()) return never;
  Early& early = early_[input.number];
  while (early.scanned < ring.depth()) {
    const FlitSlot& slot = ring.behind_front(early.scanned);
    if (!slot.holds_flit()) return never;
    if (slot.cycle() > now) return slot.cycle();
    ++early.scanned;
    const Flit flit = slot.flit();
    // The head at the front makes its own request.
    if (!flit.is_head() || flit.is_killed() || early.scanned == 1) continue;
    early.questions.emplace_back();
    Question& question = early.questions.back();
    question.packet = flit.packet;
    question.ready = ask_for(input, pool.at(flit.packet), question.ticket, question.candidates, now);
  }
  return never;
}

bool RouteComputation::take_early(unsigned input, PacketIndex packet, Cycle& ready,
                                  routing::RouteSet& candidates) {
  if (early_.empty()) return false;
  std::vector<Question>& questions = early_[input].questions;
  const auto own = std::find_if(questions.begin(), questions.end(),
                                [&](const Question& question) { return question.packet == packet; });
  if (own == questions.end()) return false;
  ready = own->ready;
  if (ready == never) {
    remember(input, own->ticket);
  } else {
    candidates = own->candidates;
  }
  questions.erase(own);
  return true;
}

void RouteComputation::drop_early(unsigned input, PacketIndex packet, Cycle now) {
  if (early_.empty()) return;
  std::vector<Question>& questions = early_[input].questions;
  for (std::size_t q = questions.size(); q-- > 0;) {
    if (questions[q].packet != packet) continue;
    if (questions[q].ready == never) lookup_.cancel(now, questions[q].ticket);
    questions.erase(questions.begin() + static_cast<std::ptrdiff_t>(q));
  }
}

bool RouteComputation::drop_all_early(unsigned input, Cycle now) {
  if (early_.empty()) return false;
  Early& early = early_[input];
  for (std::size_t q = early.questions.size(); q-- > 0;) {
    if (early.questions[q].ready == never) lookup_.cancel(now, early.questions[q].ticket);
  }
  const bool any = !early.questions.empty();
  early = {};
  return any;
}

}  // namespace tsuji::router
