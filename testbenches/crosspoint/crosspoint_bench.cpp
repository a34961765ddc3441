// SPDX-License-Identifier: Apache-2.0
#include "crosspoint/crosspoint_bench.h"

#include <algorithm>
#include <numeric>

#include "crosspoint/crosspoint_module.h"
#include "tsuji/core/flit.h"

namespace tsuji::bench {
namespace {

constexpr Cycle phase_cycles = 256;
constexpr unsigned restart_each = 3000;
/// Phases in which rounds of most sids come to be complete, and those in which outputs release them.
constexpr unsigned blocked_phases = 12, released_phases = 8;

}  // namespace

CrosspointStimulus::CrosspointStimulus(const Drive& pins, std::uint64_t seed,
                                       const crosspoint::CrosspointConfig& config)
    : config_(config),
      scenes_(config.ports),
      random_(seed, 54),
      seldom_(seed, 55),
      at_(pins),
      room_(config.ports) {}

void CrosspointStimulus::drive(Cycle cycle, Drive& pins) {
  const bool resets = cycle < 2 || (random_.below(restart_each) == 0 && phases_left_ == 0);
  pins.set(at_.reset, resets);
  if (resets) restart(pins);
  if (cycle % phase_cycles == 0) go_on();
  see(pins);
  drive_room(pins);
  for (unsigned input = 0; input < config_.ports; ++input) {
    // Flits of a cycle of reset are not taken.
    if (resets) {
      pins.set(at_.in_valid, input, random_.below(2));
      pins.set(at_.in_flit, input, random_.below(1U << flit_bits));
    } else {
      drive_input(input, pins);
    }
  }
}

void CrosspointStimulus::restart(Drive& pins) {
  const unsigned ports = config_.ports;
  // Mostly a network that is small enough for synchronizations.
  const bool any = below(8) == 0;
  do {
    scene_ = &scenes_.all()[below(static_cast<unsigned>(scenes_.all().size()))];
  } while (!any && scene_->nodes > SwitchStraps::group_nodes);
  if (!scenes_.seldom().empty() && seldom_.below(8) == 0)
    scene_ = &scenes_.seldom()[seldom_.below(scenes_.seldom().size())];
  const SwitchStraps& straps = scene_->straps;
  for (unsigned port = 0; port < ports; ++port) {
    pins.set(at_.route_fixed, port, straps.fixed[port]);
    pins.set(at_.sync_from, port, straps.from[port]);
    pins.set(at_.sync_to, port, straps.to[port]);
  }
  for (unsigned pair = 0; pair < ports * ports; ++pair) {
    pins.set(at_.route_first, pair, straps.first[pair]);
    pins.set(at_.route_last, pair, straps.last[pair]);
  }
  senders_.assign(ports, {});
  for (Sender& sender : senders_) sender.used.assign(ports, 0);
  rounds_.assign(sids, {});
  // Few sids with many rounds each, or many, of which outputs owe several at once.
  const unsigned counts[] = {4, 6, 16, 40};
  active_.resize(counts[below(4)]);
  for (unsigned& sid : active_) sid = below(sids);
}

/// The next phase.
void CrosspointStimulus::go_on() {
  if (phases_left_ == 0) return draw_phase();
  if (--phases_left_ == released_phases) phase_.room = 0;
}

void CrosspointStimulus::draw_phase() {
  // Of one kind (synchronizations, which have a table entry for each sid, most often) or of all.
  const unsigned kinds[] = {0, 1, 2, 2, 2, 3, 4, 5};
  phase_.kinds = kinds[below(8)];
  phase_.gap = below(3) == 0 ? 40 : below(3);
  phase_.length = below(4);
  phase_.room = below(5);
  phase_.output = below(3) == 0 ? static_cast<int>(below(config_.ports)) : -1;
  phase_.by_credits = below(2) == 0;
  phase_.joins = below(2) == 0;
  phase_.multicaster = -1;
  const std::uint64_t kind = seldom_.below(80);
  if (kind == 0) draw_all_sids();
  if (kind >= 1 && kind < 9) draw_multicaster();
}

/// An input whose multicasts are passed over by single casts, until one reserves the rooms.
void CrosspointStimulus::draw_multicaster() {
  phase_.multicaster = static_cast<int>(seldom_.below(config_.ports));
  phase_.gap = phase_.length = 0;
  phase_.room = 2;
}

/// Rounds of all sids, while the outputs have no room: they come to owe most of them at once.
void CrosspointStimulus::draw_all_sids() {
  phases_left_ = blocked_phases + released_phases;
  phase_.kinds = 2;
  phase_.room = 5;
  phase_.output = -1;
  phase_.joins = true;
  active_.resize(sids);
  std::iota(active_.begin(), active_.end(), 0U);
}

/// Credits and released rounds at the outputs of this cycle.
void CrosspointStimulus::see(const Drive& pins) {
  for (unsigned port = 0; port < config_.ports; ++port) {
    for (unsigned fifo = 0; fifo < config_.ports; ++fifo)
      if ((pins.seen(at_.in_freed, port) >> fifo & 1U) != 0 && senders_[port].used[fifo] > 0)
        --senders_[port].used[fifo];
    const bool releases = pins.seen(at_.out_from, port) == config_.ports;
    Rounds& rounds = rounds_[pins.seen(at_.out_sid, port)];
    if (releases && !rounds.released.empty()) ++rounds.released[port];
  }
}

void CrosspointStimulus::drive_room(Drive& pins) {
  const unsigned ports = config_.ports;
  for (unsigned output = 0; output < ports; ++output) {
    for (unsigned fifo = 0; fifo < ports; ++fifo) {
      const std::uint32_t bit = 1U << fifo;
      const bool has = (room_[output] & bit) != 0;
      // Mostly free; drains slowly; one FIFO blocked; single slots; all blocked at times, and for long.
      const unsigned rises[] = {2, 30, fifo == output % ports ? 400U : 2U, 12, 60, 4000};
      const unsigned falls[] = {50, 30, fifo == output % ports ? 2U : 60U, 3, 5, 2};
      if (random_.below(has ? falls[phase_.room] : rises[phase_.room]) == 0) room_[output] ^= bit;
    }
    pins.set(at_.out_room, output, room_[output]);
  }
}

void CrosspointStimulus::drive_input(unsigned input, Drive& pins) {
  Sender& sender = senders_[input];
  if (sender.next == sender.flits.size() && (random_.below(phase_.gap + 1U) != 0 || !start(input, pins))) {
    pins.set(at_.in_valid, input, 0);
    pins.set(at_.in_flit, input, random_.below(1U << flit_bits));
    return;
  }
  pins.set(at_.in_valid, input, 1);
  pins.set(at_.in_flit, input, sender.flits[sender.next++]);
}

bool CrosspointStimulus::start(unsigned input, const Drive& pins) {
  if (phase_.multicaster >= 0)
    return static_cast<int>(input) == phase_.multicaster ? multicast(input, pins) : single_cast(input, pins);
  switch (phase_.kinds == 3 || phase_.kinds > 3 ? below(phase_.kinds) % 3 : phase_.kinds) {
    case 0:
      return single_cast(input, pins);
    case 1:
      return multicast(input, pins);
    default:
      return synchronization(input, pins);
  }
}

bool CrosspointStimulus::has_room(unsigned input, std::uint32_t fifos, const Drive& pins) const {
  if (!phase_.by_credits) return (fifos & ~static_cast<std::uint32_t>(pins.seen(at_.in_room, input))) == 0;
  for (unsigned fifo = 0; fifo < config_.ports; ++fifo)
    if ((fifos >> fifo & 1U) != 0 && senders_[input].used[fifo] == config_.fifo_packets) return false;
  return true;
}

bool CrosspointStimulus::single_cast(unsigned input, const Drive& pins) {
  const unsigned output =
      phase_.output >= 0 && below(4) != 0 ? static_cast<unsigned>(phase_.output) : below(config_.ports);
  if (!has_room(input, 1U << output, pins)) return false;
  const int node =
      scene_->straps.fixed[output] != 0 ? static_cast<int>(below(scene_->nodes)) : node_behind(output);
  if (node < 0) return false;
  spell(input, PacketKind::single_cast, 1U << output, 0, static_cast<unsigned>(node), 0);
  return true;
}

/// A node downstream of the output, often the first or last one of an output of the next switch; -1: there is
/// none.
int CrosspointStimulus::node_behind(unsigned output) {
  const unsigned from = below(config_.ports);
  for (unsigned step = 0; step < config_.ports; ++step) {
    const unsigned pair = output * config_.ports + (from + step) % config_.ports;
    const unsigned first = scene_->straps.first[pair], last = scene_->straps.last[pair];
    if (first == last) continue;
    return static_cast<int>(below(3) == 0 ? first : below(2) == 0 ? last - 1 : first + below(last - first));
  }
  return -1;
}

bool CrosspointStimulus::multicast(unsigned input, const Drive& pins) {
  Packet packet;
  packet.kind = PacketKind::multicast;
  packet.group = below((scene_->nodes + SwitchStraps::group_nodes - 1) / SwitchStraps::group_nodes);
  packet.map = random_.next() & random_.next();
  if (below(3) == 0) packet.map &= random_.next() & random_.next();
  // One node or two.
  if (below(6) == 0)
    packet.map = std::uint64_t{1} << below(SwitchStraps::group_nodes) |
                 std::uint64_t{below(2)} << below(SwitchStraps::group_nodes);
  std::uint32_t outputs = 0;
  for (unsigned output = 0; output < config_.ports; ++output)
    if (scene_->route.next_ports(output, packet) != 0) outputs |= 1U << output;
  if (below(2) == 0) outputs &= 1U + below((1U << config_.ports) - 1);
  if (phase_.output >= 0) outputs &= 1U << phase_.output | 1U << below(config_.ports);
  if (outputs == 0 || !has_room(input, outputs, pins)) return false;
  spell(input, packet.kind, outputs, packet.map, packet.group, 0);
  return true;
}

bool CrosspointStimulus::synchronization(unsigned input, const Drive& pins) {
  if (scene_->nodes > SwitchStraps::group_nodes) return false;
  unsigned& sid =
      active_[phase_.joins && below(4) != 0 ? begun(input) : below(static_cast<unsigned>(active_.size()))];
  Rounds& rounds = rounds_[sid];
  if (quiet(rounds)) {
    if (rounds.expected == 0 || below(4) != 0) draw_members(rounds);
    if (below(4) != 0) sid = below(sids);
    return false;
  }
  const unsigned fifo = below(config_.ports);
  if (!may_send(rounds, input) || !has_room(input, 1U << fifo, pins)) return false;
  ++rounds.sent[input];
  const unsigned most = config_.synchronization_cycles - config_.table_access_cycles - 1;
  const unsigned more =
      most > crosspoint::PinCrosspoint::header_flits(PacketKind::synchronization)
          ? below(most - crosspoint::PinCrosspoint::header_flits(PacketKind::synchronization))
          : 0;
  spell(input, PacketKind::synchronization, 1U << fifo, rounds.members, sid, more);
  return true;
}

/// A place in active_: of a round that others have begun and the input has not sent its packet for, if there
/// is one. Rounds are complete soon, so that outputs without room come to owe many.
unsigned CrosspointStimulus::begun(unsigned input) {
  const auto size = static_cast<unsigned>(active_.size());
  const unsigned from = below(size);
  for (unsigned step = 0; step < size; ++step) {
    const unsigned place = (from + step) % size;
    const Rounds& rounds = rounds_[active_[place]];
    if ((rounds.expected >> input & 1U) != 0 &&
        rounds.sent[input] < *std::max_element(rounds.sent.begin(), rounds.sent.end()) &&
        may_send(rounds, input))
      return place;
  }
  return from;
}

/// A set of nodes with members on both sides of the switch, now and then of two to four.
void CrosspointStimulus::draw_members(Rounds& rounds) {
  rounds = {};
  rounds.sent.assign(config_.ports, 0);
  rounds.released.assign(config_.ports, 0);
  std::uint64_t members = random_.next();
  for (unsigned thinner = below(4); thinner > 0; --thinner) members &= random_.next();
  if (below(3) == 0) {
    members = 0;
    for (unsigned member = 2 + below(3); member > 0; --member)
      members |= std::uint64_t{1} << below(scene_->nodes);
  }
  const std::uint32_t expected = scene_->route.expected_inputs(members),
                      served = scene_->route.served_outputs(members);
  if (expected == 0 || served == 0) return;
  rounds.members = members;
  rounds.many = 1 + below(7);
  rounds.expected = expected;
  rounds.served = served;
}

/// Every expected input has sent as many packets as every served output.
bool CrosspointStimulus::quiet(const Rounds& rounds) const {
  unsigned most = 0, least = ~0U;
  for (unsigned port = 0; port < config_.ports; ++port) {
    if ((rounds.expected >> port & 1U) != 0) most = std::max(most, rounds.sent[port]);
    if ((rounds.served >> port & 1U) != 0) least = std::min(least, rounds.released[port]);
  }
  return rounds.expected == 0 || (most == least && most > 0 && most % rounds.many == 0);
}

/// Round r may begin at an input when all members have been released from round r - 2.
bool CrosspointStimulus::may_send(const Rounds& rounds, unsigned input) const {
  if ((rounds.expected >> input & 1U) == 0) return false;
  unsigned least = ~0U;
  for (unsigned port = 0; port < config_.ports; ++port)
    if ((rounds.served >> port & 1U) != 0) least = std::min(least, rounds.released[port]);
  return rounds.sent[input] <= least + 1;
}

void CrosspointStimulus::spell(unsigned input, PacketKind kind, std::uint32_t port_bits,
                               std::uint64_t members, unsigned number, unsigned more) {
  Sender& sender = senders_[input];
  const unsigned header = crosspoint::PinCrosspoint::header_flits(kind);
  const unsigned longest[] = {0, 3, 12, crosspoint::PinCrosspoint::most_flits - header};
  if (kind != PacketKind::synchronization) more = below(longest[phase_.length] + 1);
  std::vector<std::uint64_t> words{random_.next(), random_.next()};
  const std::uint64_t length_field = std::uint64_t{0x1ff} << 34;
  words[0] = (words[0] & ~length_field & ~std::uint64_t{0x3ff}) | std::uint64_t{more} << 34 | number;
  // Bits that the number leaves over.
  if (kind == PacketKind::multicast) words[0] |= std::uint64_t{below(64)} << 4;
  if (kind == PacketKind::synchronization) words[0] |= std::uint64_t{below(8)} << 7;
  if (kind != PacketKind::single_cast) words.insert(words.begin(), members);
  sender.flits.clear();
  sender.next = 0;
  std::vector<std::uint32_t> data{port_flit_data(kind, port_bits)};
  for (const std::uint64_t word : words) {
    data.push_back(static_cast<std::uint32_t>(word & 0xffffffU));
    data.push_back(static_cast<std::uint32_t>(word >> 24 & 0xffffffU));
    data.push_back(static_cast<std::uint32_t>(word >> 48) | below(256) << 16);
  }
  for (; more > 0; --more)
    data.push_back(kind == PacketKind::synchronization ? 0 : below(1U << flit_data_bits));
  for (std::size_t flit = 0; flit < data.size(); ++flit)
    sender.flits.push_back(make_flit(data[flit], flit + 1 == data.size() ? FlitPosition::last
                                                 : flit % 2 == 0         ? FlitPosition::odd
                                                                         : FlitPosition::even));
  for (unsigned fifo = 0; fifo < config_.ports; ++fifo) sender.used[fifo] += port_bits >> fifo & 1U;
}

}  // namespace tsuji::bench
