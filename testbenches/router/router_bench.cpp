// SPDX-License-Identifier: Apache-2.0
#include "router/router_bench.h"

#include <algorithm>

#include "router/router_candidates.h"

namespace tsuji::bench {

RouterStimulus::RouterStimulus(const Drive& pins, std::uint64_t seed, const router::PinRouterConfig& config)
    : config_(config),
      at_(pins),
      random_(seed, 11),
      nodes_(config.ports),
      lost_(config.ports),
      guessed_(config.ports),
      send_each_(config.ports, 1),
      returns_(config.ports, Returns::at_once) {
  config_.routes.resize(config_.rows());
  reset_until_ = std::max<Cycle>(reset_until_, first_rows());
  begin_life(0);
}

/// Destinations of each input, by the current routes.
void RouterStimulus::sort_nodes() {
  for (unsigned port = 0; port < config_.ports; ++port) {
    nodes_[port].clear();
    lost_[port].clear();
    guessed_[port].clear();
    for (unsigned node = 0; node < config_.nodes(); ++node) {
      (has_route(port, node) ? nodes_ : lost_)[port].push_back(node);
      if (config_.predicts_by_table() && leads(port, node, config_.predicted(port)))
        guessed_[port].push_back(node);
    }
  }
}

/// A head that is not in recovery.
bool RouterStimulus::has_route(unsigned port, unsigned node) const {
  return !candidates_of(config_, {port, 0, node, false}).empty();
}

bool RouterStimulus::leads(unsigned port, unsigned node, unsigned output) const {
  const std::vector<Candidate> candidates = candidates_of(config_, {port, 0, node, false});
  return std::any_of(candidates.begin(), candidates.end(),
                     [output](const Candidate& one) { return one.port == output; });
}

void RouterStimulus::begin_life(Cycle cycle) {
  lines_.assign(config_.lines(), {config_.buffer_flits, 0});
  owed_.assign(config_.lines(), 0);
  inside_ = 0;
  sort_nodes();
  const std::uint64_t longest[] = {100, 500, 1500, 4000};
  // Each input virtual channel checks each bit of a row: covering all bits takes thousands of heads without a
  // route.
  brief_ = !one_in(6);
  life_end_ = cycle + (brief_ ? random_.below(20) : 20 + random_.below(longest[random_.below(4)]));
  breach_ = brief_      ? Breach::no_route
            : one_in(2) ? Breach::none
                        : static_cast<Breach>(1 + random_.below(static_cast<unsigned>(Breach::count) - 1));
  ending_ = broken_ = drains_ = false;
  begin_phase(cycle);
}

void RouterStimulus::begin_phase(Cycle cycle) {
  phase_end_ = cycle + 40 + random_.below(one_in(4) ? 600 : 150);
  const std::uint64_t loads[] = {1, 1, 2, 5, 40};
  const bool alike = one_in(2);
  const std::uint64_t load = loads[random_.below(5)];
  for (std::uint64_t& each : send_each_) each = alike ? load : loads[random_.below(5)];
  const bool free = one_in(3);
  for (Returns& how : returns_) how = free ? Returns::at_once : static_cast<Returns>(random_.below(5));
  const std::uint64_t shortest[] = {1, 1, 2, 8}, longest[] = {1, 4, 6, 40};
  const auto form = random_.below(4);
  shortest_ = shortest[form];
  longest_ = longest[form];
  const unsigned all = (1U << config_.vcs) - 1U;
  vcs_in_use_ = one_in(2) ? all : static_cast<unsigned>(1 + random_.below(all));
  hot_node_ = static_cast<unsigned>(random_.below(config_.nodes()));
  hot_of_8_ = one_in(3) ? 7 : static_cast<unsigned>(random_.below(3));
  if (one_in(4)) crowd();
  guided_ = config_.predicts() && one_in(2);
  if (guided_) guide();
}

/// Few heads, most of them for the output that is predicted: packets of many flits cross by prediction.
void RouterStimulus::guide() {
  const std::uint64_t loads[] = {1, 4, 20, 100};
  for (std::uint64_t& each : send_each_) each = loads[random_.below(4)];
  if (one_in(2)) std::fill(returns_.begin(), returns_.end(), Returns::at_once);
  if (one_in(2)) vcs_in_use_ = 1U << any_vc();
  hot_of_8_ = 0;
}

/// Heads for many outputs fill all virtual channels: an allocator has the largest choice.
void RouterStimulus::crowd() {
  std::fill(send_each_.begin(), send_each_.end(), 1);
  std::fill(returns_.begin(), returns_.end(), Returns::at_once);
  shortest_ = 1;
  longest_ = 2;
  vcs_in_use_ = (1U << config_.vcs) - 1U;
  hot_of_8_ = 0;
}

void RouterStimulus::drive(Cycle cycle, Drive& pins) {
  put_noise(pins);
  if (cycle >= life_end_ + 400 || (ending_ && cycle >= give_up_)) {
    reset_until_ = cycle + 1 + random_.below(one_in(4) ? 20 : 3);
    begin_life(reset_until_);
  }
  pins.set(at_.reset, cycle < reset_until_);
  put_route(cycle, cycle < reset_until_, pins);
  if (cycle < reset_until_) return;
  // After an error the router does not look at its inputs.
  if (pins.seen(at_.error) != 0) return;
  for (unsigned port = 0; port < config_.ports; ++port) pins.set(at_.in_valid, port, 0);
  if (cycle >= phase_end_) begin_phase(cycle);
  if (cycle >= life_end_ && !ending_) prepare(cycle);
  bursting_ = cycle / 32 % 4 == 3;
  look(pins);
  return_credits(pins);
  if (ending_ && !broken_ && breach_ != Breach::none && breach(pins)) {
    broken_ = true;
    give_up_ = cycle + 2 + random_.below(breach_ == Breach::no_route && !brief_ ? 80 : 12);
    return;
  }
  send(pins);
}

/// The life's end comes: what the breach needs, and for how long it is tried.
void RouterStimulus::prepare(Cycle cycle) {
  ending_ = true;
  give_up_ = cycle + (breach_ == Breach::none ? 0 : 300);
  phase_end_ = give_up_ + 1;
  if (breach_ == Breach::full_buffer) {
    std::fill(send_each_.begin(), send_each_.end(), 1);
    std::fill(returns_.begin(), returns_.end(), Returns::never);
    vcs_in_use_ = (1U << config_.vcs) - 1U;
  }
  drains_ = breach_ == Breach::credit_for_nothing;
  if (drains_) std::fill(returns_.begin(), returns_.end(), Returns::at_once);
}

/// Flits that have left, and places that are free.
void RouterStimulus::look(const Drive& pins) {
  for (unsigned l = 0; l < config_.lines(); ++l)
    if (pins.seen(at_.in_credit, l) != 0) ++lines_[l].places;
  for (unsigned port = 0; port < config_.ports; ++port) {
    if (pins.seen(at_.out_valid, port) == 0) continue;
    ++owed_[port * config_.vcs + pins.seen(at_.out_vc, port)];
    --inside_;
  }
}

bool RouterStimulus::returns(Returns how) {
  switch (how) {
    case Returns::at_once:
      return true;
    case Returns::often:
      return one_in(2);
    case Returns::seldom:
      return one_in(12);
    case Returns::never:
      return false;
    case Returns::bursts:
      break;
  }
  return bursting_;
}

void RouterStimulus::return_credits(Drive& pins) {
  for (unsigned l = 0; l < config_.lines(); ++l) {
    const bool credit = owed_[l] != 0 && returns(returns_[l / config_.vcs]);
    if (credit) --owed_[l];
    pins.set(at_.out_credit, l, credit);
  }
}

void RouterStimulus::send(Drive& pins) {
  for (unsigned port = 0; port < config_.ports; ++port) {
    Flit flit;
    if (!one_in(drains_ ? 1 : send_each_[port]) || !next_flit(port, flit)) continue;
    Line& own = line(port, flit.vc);
    --own.places;
    --own.left;
    ++inside_;
    put(pins, port, flit);
  }
}

/// A flit of an open packet or of a new one, on any virtual channel that has a place.
bool RouterStimulus::next_flit(unsigned port, Flit& flit) {
  const unsigned first = any_vc();
  for (unsigned step = 0; step < config_.vcs; ++step) {
    flit.vc = (first + step) % config_.vcs;
    Line& own = line(port, flit.vc);
    if (own.places == 0) continue;
    if (own.left == 0) {
      if (drains_ || (vcs_in_use_ >> flit.vc & 1U) == 0 || nodes_[port].empty()) continue;
      begin_packet(port, flit.vc, flit);
    } else {
      flit.destination = random_.below(std::uint64_t{1} << config_.head_bits());
    }
    flit.tail = own.left == 1;
    return true;
  }
  return false;
}

void RouterStimulus::begin_packet(unsigned port, unsigned vc, Flit& flit) {
  line(port, vc).left = static_cast<unsigned>(shortest_ + random_.below(longest_ - shortest_ + 1));
  flit.head = true;
  const bool guided = guided_ && !guessed_[port].empty() && !one_in(6);
  const std::vector<unsigned>& nodes = guided ? guessed_[port] : nodes_[port];
  const bool hot = random_.below(8) < hot_of_8_ && has_route(port, hot_node_);
  const unsigned node = hot ? hot_node_ : nodes[random_.below(nodes.size())];
  flit.destination = any_head(node);
  // A predictor that learns has the port of the head before.
  if (config_.predicts() && !config_.predicts_by_table()) guessed_[port] = {node};
}

/// A head for a node: some are in recovery already, and some have made too many hops, or nearly.
std::uint64_t RouterStimulus::any_head(std::uint64_t node) {
  if (!config_.recovers()) return node;
  const std::uint64_t limit = config_.config.hop_limit;
  const std::uint64_t hops = one_in(6)   ? limit + random_.below(3) - 1
                             : one_in(6) ? random_.below(config_.most_hops() + 1U)
                                         : random_.below(limit);
  return node | (hops << 1 | (one_in(8) ? 1U : 0U)) << config_.node_bits;
}

/// Rows that are written in the first reset, the last ones: those that no file has.
std::size_t RouterStimulus::first_rows() const {
  return config_.rows() - (config_.by_coordinates() ? 0 : config_.route_rows());
}

/// A table write in a reset. One of four routes has no valid output, in most cases because of one bit. Where
/// heads have several candidates, few nodes have many of them, so that some heads have no route.
void RouterStimulus::put_route(Cycle cycle, bool reset, Drive& pins) {
  const bool first = cycle < first_rows();
  const std::size_t row = first ? config_.rows() - first_rows() + cycle : random_.below(config_.rows());
  const std::uint64_t nowhere =
      one_in(4) ? random_.below(1U << 16) : any_port() | std::uint64_t{1} << random_.below(16);
  const bool bare = config_.candidates > 1 && row < config_.route_rows() && row % 4 == 3 && !one_in(8);
  const std::uint64_t port = bare || one_in(4) ? nowhere : any_port();
  const std::uint64_t entry = config_.by_coordinates() && row < config_.route_rows()
                                  ? any_words(row)
                                  : random_.below(1U << 16) << 16 | port;
  const bool valid = first || one_in(2);
  pins.set(at_.table_valid, valid);
  pins.set(at_.table_row, config_.row_at(row));
  pins.set(at_.table_entry, entry);
  if (!reset || !valid) return;
  config_.routes[row] = static_cast<std::uint32_t>(entry);
  sort_nodes();
}

/// A row with coordinates: words that lead somewhere, and in the last row the router's place.
std::uint64_t RouterStimulus::any_words(std::uint64_t row) {
  const std::uint64_t noise = random_.below(std::uint64_t{1} << 32);
  if (row == config_.nodes() || !config_.recovers()) return noise;
  const auto word = [this] { return 1 + random_.below(15); };
  return (noise & 0xFFF0FFF0) | word() << 16 | word();
}

/// True: the rules are broken in this cycle.
bool RouterStimulus::breach(Drive& pins) {
  const unsigned port = any_port(), vc = any_vc();
  if (breach_ == Breach::credit_for_nothing) {
    if (inside_ != 0 || owed_[port * config_.vcs + vc] != 0) return false;
    pins.set(at_.out_credit, port * config_.vcs + vc, 1);
    return true;
  }
  Flit flit;
  if (!breach_at(port, vc, flit)) return false;
  put(pins, port, flit);
  return true;
}

bool RouterStimulus::breach_at(unsigned port, unsigned vc, Flit& flit) {
  Line& own = line(port, vc);
  flit.vc = vc;
  flit.tail = one_in(2);
  flit.destination = any_head(random_.below(config_.nodes()));
  switch (breach_) {
    case Breach::full_buffer:
      flit.head = own.left == 0;
      return own.places == 0;
    case Breach::no_head:
      return own.left == 0 && own.places != 0;
    case Breach::second_head:
      flit.head = true;
      return own.left != 0 && own.places != 0;
    case Breach::unknown_vc:
      flit.vc = config_.vcs;
      flit.head = true;
      return config_.vcs < 1U << config_.vc_bits();
    case Breach::no_route:
      if (lost_[port].empty() || own.left != 0 || own.places == 0) return false;
      flit.head = flit.tail = true;
      flit.destination = lost_[port][random_.below(lost_[port].size())];
      --own.places;
      ++inside_;
      return true;
    default:
      return false;
  }
}

void RouterStimulus::put(Drive& pins, unsigned port, const Flit& flit) {
  pins.set(at_.in_valid, port, 1);
  pins.set(at_.in_head, port, flit.head);
  pins.set(at_.in_tail, port, flit.tail);
  pins.set(at_.in_vc, port, flit.vc);
  pins.set(at_.in_destination, port, flit.destination);
}

/// Contents of all flits, and values on pins that are ignored in this cycle.
void RouterStimulus::put_noise(Drive& pins) {
  for (unsigned port = 0; port < config_.ports; ++port) {
    const std::uint64_t noise = random_.below(std::uint64_t{1} << 32);
    pins.set(at_.in_valid, port, noise & 1);
    pins.set(at_.in_head, port, noise >> 1 & 1);
    pins.set(at_.in_tail, port, noise >> 2 & 1);
    pins.set(at_.in_vc, port, (noise >> 3) % (std::uint64_t{1} << config_.vc_bits()));
    pins.set(at_.in_destination, port, noise >> 8 & ((1U << config_.head_bits()) - 1U));
    const std::uint64_t data = config_.data_bits <= 16 ? noise >> 16 : random_.next();
    pins.set(at_.in_data, port, data & ((std::uint64_t{1} << config_.data_bits) - 1));
  }
  for (unsigned l = 0; l < config_.lines(); ++l) pins.set(at_.out_credit, l, 0);
}

}  // namespace tsuji::bench
