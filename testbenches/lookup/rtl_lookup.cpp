// SPDX-License-Identifier: Apache-2.0
#include "lookup/rtl_lookup.h"

#include <algorithm>

#include "network/network_rtl.h"
#include "tsuji/core/error.h"

namespace tsuji::bench {

RtlLookup::RtlLookup(const Parts& parts)
    : SwitchLookup(parts.lookup, parts.router, parts.ports),
      router_(parts.router),
      pins_(parts.pins),
      name_("rtl" + std::to_string(parts.router)),
      driver_(parts.driver),
      clock_((name_ + "_clock").c_str()),
      dut_(parts.make(clock_)),
      drive_(dut_->pins),
      at_(drive_),
      ports_(parts.ports) {
  refuse_what_differs();
  driver_.add(*this, parts.network);
}

void RtlLookup::check(const lookup::LookupTiming& timing) {
  want_number("lookup.hash_cycles", timing.hash_cycles, 1);
  want_number("lookup.cache_cycles", timing.cache_cycles, 1);
  want(timing.cam_pipelined, "lookup.cam_pipelined", "false", "true");
  want(!timing.cam_of_switch, "lookup.cam_sharing", "switch", "none");
  want(!timing.blocking, "lookup.blocking", "true", "false");
}

void RtlLookup::check_size(const PipelinePins& pins, unsigned ports, unsigned vcs, unsigned nodes) {
  if (vcs > pins.vcs)
    throw ConfigError("router.vcs", std::to_string(vcs), "more virtual channels than the RTL has",
                      "1.." + std::to_string(pins.vcs) + ", of nodes, too");
  if (ports > pins.ports || nodes > 1U << pins.row_bits)
    throw ConfigError(
        "topology.kind", "",
        "a switch of " + std::to_string(ports) + " ports and " + std::to_string(nodes) +
            " nodes does not fit into the RTL",
        std::to_string(pins.ports) + " ports, " + std::to_string(1U << pins.row_bits) + " nodes at most");
}

void RtlLookup::refuse_what_differs() const {
  check(parts_.timing);
  check_size(pins_, static_cast<unsigned>(ports_.size()), parts_.vcs, parts_.keys.nodes());
  for (NodeId node = 0; node < parts_.keys.nodes(); ++node) {
    for (unsigned port = 1; port < ports_.size(); ++port) {
      if (table().entry(port, node) == table().entry(0, node)) continue;
      throw ConfigError("routing.kind", "",
                        "ports of switch " + std::to_string(router_) + " have different routes to node " +
                            std::to_string(node) + ", and the RTL has one table for all",
                        "a routing that looks at the destination alone (tori: routing.dateline switching)");
    }
  }
}

void RtlLookup::load(unsigned edge) {
  constexpr unsigned resets = 2;
  const NodeId row = edge - resets;
  const bool writes = edge >= resets && row < parts_.keys.nodes();
  drive_.set(at_.reset, edge < resets);
  drive_.set(at_.table_valid, writes);
  if (writes) {
    const lookup::RouteEntry entry = table().entry(0, row);
    written_.push_back(entry);
    drive_.set(at_.table_row, row);
    drive_.set(at_.table_key, parts_.keys.key(row));
    drive_.set(at_.table_entry, std::uint32_t{entry.vcs} << 16 | entry.port);
  }
  clock_.write(false);
  write_inputs();
}

Cycle RtlLookup::request(Cycle now, const routing::RouteQuery& query, std::uint32_t ticket,
                         routing::RouteSet&) {
  Ask ask;
  ask.query = query;
  ask.ticket = ticket;
  ports_[query.in_port].waiting.push_back(ask);
  ++under_way_;
  driver_.wake(now);
  return never;
}

void RtlLookup::cancel(Cycle, std::uint32_t ticket) {
  const auto cancel_in = [ticket](auto& asks) {
    for (Ask& ask : asks) ask.cancelled |= ask.ticket == ticket;
  };
  for (Port& port : ports_) {
    cancel_in(port.waiting);
    cancel_in(port.asked);
  }
}

void RtlLookup::flush(Cycle now) {
  for (NodeId row = 0; row < written_.size(); ++row) {
    if (table().entry(0, row) == written_[row]) continue;
    throw ModelError(
        name_, now, "",
        "the route to node " + std::to_string(row) + " changed, and the RTL has no input for the change");
  }
  driver_.wake(now);
  flush_ = true;
}

void RtlLookup::warm(unsigned, NodeId) {
  throw ConfigError("lookup.warm", "all", "caches in RTL are empty at the start of the run", "none");
}

void RtlLookup::present(Cycle) {
  clock_.write(false);
  drive_.set(at_.flush, flush_);
  for (unsigned number = 0; number < ports_.size(); ++number) {
    Port& port = ports_[number];
    const bool asks = !port.waiting.empty();
    drive_.set(at_.request_valid, number, asks);
    if (asks) {
      while (port.asked[port.next].live) ++port.next;
      const routing::RouteQuery& query = port.waiting.front().query;
      drive_.set(at_.request_vc, number, query.in_vc);
      drive_.set(at_.request_key, number, parts_.keys.key(query.destination.node()));
      drive_.set(at_.request_ticket, number, port.next);
    }
    drive_.set(at_.answer_take, number, !port.leaves.empty());
    if (port.leaves.empty()) continue;
    if (asks) leave_first(port, port.waiting.front().query.in_vc);
    drive_.set(at_.answer_select, number, port.leaves.front());
  }
  write_inputs();
}

/// Sends an answer that would hide the answer to the request at the pins before the others. There is at most
/// one request per cycle, so the answer has left in time.
void RtlLookup::leave_first(Port& port, unsigned vc) {
  const auto place = std::find(port.leaves.begin(), port.leaves.end(), vc);
  if (place != port.leaves.end()) std::rotate(port.leaves.begin(), place, place + 1);
}

void RtlLookup::rise(Cycle cycle) {
  dut_->pins.read_outputs(drive_.outputs());
  for (unsigned number = 0; number < ports_.size(); ++number) take(ports_[number], number, cycle);
  constexpr unsigned edges_of_flush = 3;
  draining_ = flush_ ? edges_of_flush : draining_ > 0 ? draining_ - 1 : 0;
  flush_ = false;
  looked_ = false;
  clock_.write(true);
}

/// Handshakes of the edge at a port: its request, and the answer that leaves.
void RtlLookup::take(Port& port, unsigned number, Cycle cycle) {
  if (!port.leaves.empty()) {
    port.given &= ~(std::uint64_t{1} << port.leaves.front());
    port.leaves.pop_front();
    --under_way_;
  }
  if (port.waiting.empty()) return;
  Ask& ask = port.waiting.front();
  if ((drive_.seen(at_.request_ready, number) >> ask.query.in_vc & 1) == 0) return;
  ask.taken = cycle;
  ask.live = true;
  port.asked[port.next++] = ask;
  port.waiting.pop_front();
  ++lookups_;
}

void RtlLookup::look() {
  dut_->pins.read_outputs(drive_.outputs());
  for (unsigned number = 0; number < ports_.size(); ++number)
    ports_[number].fresh = drive_.seen(at_.answer_valid, number) & ~ports_[number].given;
}

bool RtlLookup::select(Cycle) {
  if (!looked_) look();
  looked_ = true;
  bool any = false;
  for (unsigned number = 0; number < ports_.size(); ++number) {
    Port& port = ports_[number];
    port.shows = port.fresh != 0;
    if (!port.shows) continue;
    port.shown = static_cast<unsigned>(__builtin_ctzll(port.fresh));
    drive_.set(at_.answer_select, number, port.shown);
    any = true;
  }
  if (any) write_inputs();
  return any;
}

void RtlLookup::hand_over(Cycle from) {
  dut_->pins.read_outputs(drive_.outputs());
  for (unsigned number = 0; number < ports_.size(); ++number)
    if (ports_[number].shows) give_answer(number, from);
}

void RtlLookup::give_answer(unsigned number, Cycle from) {
  Port& port = ports_[number];
  const std::uint64_t bit = std::uint64_t{1} << port.shown;
  Ask& ask = port.asked[drive_.seen(at_.answer_ticket, number)];
  if (!ask.live || ask.query.in_vc != port.shown)
    throw ModelError(name_, from, "",
                     "port " + std::to_string(number) + ", virtual channel " + std::to_string(port.shown) +
                         ": an answer with the ticket of no open request");
  const auto entry = static_cast<std::uint32_t>(drive_.seen(at_.answer_entry, number));
  routing::RouteSet candidates;
  give(ask.query, {static_cast<std::uint16_t>(entry), static_cast<std::uint16_t>(entry >> 16)}, candidates);
  ++(from - ask.taken < 2 + parts_.timing.cam_cycles ? hits_ : misses_);
  ask.live = false;
  port.fresh &= ~bit;
  port.given |= bit;
  port.leaves.push_back(port.shown);
  if (!ask.cancelled) client_->route_answer(ask.ticket, from, candidates);
}

lookup::LookupCounters RtlLookup::counters() const {
  lookup::LookupCounters counters;
  counters.cache.lookups = lookups_;
  counters.cache.hits = hits_;
  counters.cache.misses = counters.cam_accesses = counters.cam_busy_cycles = misses_;
  counters.answers_pending = lookups_ - hits_ - misses_;
  return counters;
}

}  // namespace tsuji::bench
