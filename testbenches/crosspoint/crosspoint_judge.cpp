// SPDX-License-Identifier: Apache-2.0
#include "crosspoint/crosspoint_judge.h"

#include <algorithm>
#include <sstream>

namespace tsuji::bench {
namespace {

constexpr unsigned sids = 128;
constexpr std::uint32_t last_position = 4;

std::string output_text(unsigned output) {
  return "output " + std::to_string(output);
}

std::string fifo_text(unsigned input, unsigned output) {
  return "FIFO (" + std::to_string(input) + ", " + std::to_string(output) + ")";
}

std::uint32_t with_parity(std::uint32_t position, std::uint32_t data) {
  return position << 25 | static_cast<std::uint32_t>(__builtin_popcount(data) & 1) << 24 | data;
}

}  // namespace

CrosspointJudge::CrosspointJudge(const Drive& pins, const crosspoint::CrosspointConfig& config)
    : config_(config), ports_(config.ports), at_(pins) {
  restart();
}

void CrosspointJudge::restart() {
  fixed_.assign(ports_, 0);
  room_.assign(ports_, 0);
  first_.assign(std::size_t{ports_} * ports_, 0);
  last_ = first_;
  from_.assign(ports_, 0);
  to_.assign(ports_, 0);
  fifos_.assign(std::size_t{ports_} * ports_, {});
  arriving_.assign(ports_, {});
  outputs_.assign(ports_, {});
  for (Output& output : outputs_) output.passed.assign(ports_ + 1, 0);
  rounds_.assign(sids, {std::vector<unsigned>(ports_, 0)});
  used_.assign(std::size_t{ports_} * ports_, 0);
  freed_.assign(ports_, 0);
  last_access_ = waits_since_ = 0;
}

void CrosspointJudge::read_place(const Sample& pins) {
  for (unsigned port = 0; port < ports_; ++port) {
    fixed_[port] = static_cast<std::uint32_t>(pins.input(at_.route_fixed, port));
    from_[port] = pins.input(at_.sync_from, port);
    to_[port] = pins.input(at_.sync_to, port);
  }
  for (unsigned pair = 0; pair < ports_ * ports_; ++pair) {
    first_[pair] = pins.input(at_.route_first, pair);
    last_[pair] = pins.input(at_.route_last, pair);
  }
}

void CrosspointJudge::judge(Cycle cycle, const Sample& pins, std::vector<std::string>& broken) {
  if (started_) {
    judge_table(cycle, pins, broken);
    judge_slots(pins, broken);
    for (unsigned output = 0; output < ports_; ++output) judge_output(cycle, output, pins, broken);
  }
  if (pins.input(at_.reset) != 0) {
    restart();
    started_ = true;
    return;
  }
  if (started_) {
    read_place(pins);
    take(cycle, pins);
  }
}

Cycle CrosspointJudge::least(const Packet& packet) const {
  return packet.kind == single_cast ? config_.single_cast_cycles
         : packet.kind == multicast ? config_.multicast_cycles
                                    : config_.synchronization_cycles;
}

std::uint32_t CrosspointJudge::next_ports(unsigned output, const Packet& packet) const {
  if (fixed_[output] != 0) return fixed_[output];
  std::uint32_t ports = 0;
  const auto goes_to = [&](std::uint64_t node) {
    for (unsigned q = 0; q < ports_; ++q)
      if (node >= first_[output * ports_ + q] && node < last_[output * ports_ + q]) ports |= 1U << q;
  };
  if (packet.kind == single_cast) {
    goes_to(packet.number);
    return ports;
  }
  for (unsigned member = 0; member < 64; ++member)
    if ((packet.members >> member & 1U) != 0)
      goes_to((packet.kind == multicast ? packet.number * 64 : 0) + member);
  if (packet.kind == synchronization)
    for (unsigned q = 0; q < ports_; ++q)
      if ((ports >> q & 1U) != 0) return 1U << q;
  return ports;
}

void CrosspointJudge::take(Cycle cycle, const Sample& pins) {
  for (unsigned port = 0; port < ports_; ++port) {
    room_[port] = static_cast<std::uint32_t>(pins.input(at_.out_room, port));
    if (pins.input(at_.in_valid, port) == 0) continue;
    const auto flit = static_cast<std::uint32_t>(pins.input(at_.in_flit, port));
    const std::uint32_t data = flit & 0xffffffU;
    PacketPtr& packet = arriving_[port];
    if (!packet) {
      packet = std::make_shared<Packet>();
      packet->kind = data & 3U;
      packet->arrival = cycle;
      packet->input = port;
      for (unsigned output = 0; output < ports_; ++output) {
        if ((data >> (2 + output) & 1U) == 0) continue;
        fifo(port, output).push_back(packet);
        ++used_[port * ports_ + output];
      }
    }
    const std::size_t index = packet->flits.size();
    if (packet->kind != single_cast && index >= 1 && index <= 3)
      packet->members |= std::uint64_t{index == 3 ? data & 0xffffU : data} << 24 * (index - 1);
    if (index == (packet->kind == single_cast ? 1 : 4)) {
      packet->number = data & (packet->kind == single_cast ? 0x3ffU : packet->kind == multicast ? 15U : 127U);
      packet->sid = packet->number;
    }
    packet->flits.push_back(flit);
    packet->open = flit >> 25 != last_position;
    if (!packet->open) packet.reset();
  }
}

void CrosspointJudge::judge_slots(const Sample& pins, std::vector<std::string>& broken) {
  if (pins.output(at_.sync_done) != 0)
    freed_[pins.output(at_.sync_input)] |= 1U << pins.output(at_.sync_output);
  for (unsigned input = 0; input < ports_; ++input) {
    const auto freed = static_cast<std::uint32_t>(pins.output(at_.in_freed, input));
    const auto room = static_cast<std::uint32_t>(pins.output(at_.in_room, input));
    const std::uint32_t wrong = freed_[input] ^ freed;
    for (unsigned output = 0; output < ports_; ++output) {
      const std::uint32_t bit = 1U << output;
      if ((wrong & bit) != 0)
        broken.push_back(fifo_text(input, output) + ((freed & bit) != 0
                                                         ? " frees a slot in use"
                                                         : " keeps a slot whose packet has left"));
      unsigned& used = used_[input * ports_ + output];
      if ((freed_[input] & bit) != 0 && used > 0) --used;
      const bool has_room = (room & bit) != 0;
      if (has_room != (used < config_.fifo_packets))
        broken.push_back(fifo_text(input, output) + " has " + std::to_string(used) +
                         " packets, and its room wire is " + (has_room ? "1" : "0"));
    }
    freed_[input] = 0;
  }
}

void CrosspointJudge::judge_table(Cycle cycle, const Sample& pins, std::vector<std::string>& broken) {
  bool waits = false;
  for (const auto& packets : fifos_)
    waits = waits || (!packets.empty() && packets.front()->kind == synchronization &&
                      packets.front()->arrival + config_.synchronization_cycles < cycle);
  if (!waits) waits_since_ = cycle;
  // One cycle more after the tail of the packet in front.
  if (cycle - waits_since_ > config_.table_access_cycles + 1)
    broken.push_back("the synchronization table is idle, and a packet waits for it");
  if (pins.output(at_.sync_done) == 0) return;
  waits_since_ = cycle;
  const auto input = static_cast<unsigned>(pins.output(at_.sync_input)),
             output = static_cast<unsigned>(pins.output(at_.sync_output));
  if (last_access_ != 0 && cycle < last_access_ + config_.table_access_cycles)
    broken.push_back("two packets access the table at once");
  last_access_ = cycle;
  auto& packets = fifo(input, output);
  if (packets.empty() || packets.front()->kind != synchronization) {
    broken.push_back("the table absorbs no synchronization of " + fifo_text(input, output));
    return;
  }
  const PacketPtr packet = packets.front();
  packets.pop_front();
  if (cycle < packet->arrival + least(*packet)) broken.push_back("the table absorbs a packet too early");
  ++rounds_[packet->sid].arrived[input];
  complete(packet, pins, broken);
}

void CrosspointJudge::complete(const PacketPtr& packet, const Sample& pins,
                               std::vector<std::string>& broken) {
  auto& arrived = rounds_[packet->sid].arrived;
  bool all = true;
  for (unsigned port = 0; port < ports_; ++port)
    all = all && ((from_[port] & packet->members) == 0 || arrived[port] > 0);
  if (all != (pins.output(at_.sync_complete) != 0))
    broken.push_back("synchronization " + std::to_string(packet->sid) +
                     (all ? " is complete" : " is not complete"));
  if (!all) return;
  for (unsigned port = 0; port < ports_; ++port) {
    if (arrived[port] > 0) --arrived[port];
    if ((to_[port] & packet->members) != 0) outputs_[port].owed[packet->sid].push_back(packet);
  }
}

void CrosspointJudge::judge_output(Cycle cycle, unsigned output, const Sample& pins,
                                   std::vector<std::string>& broken) {
  Output& out = outputs_[output];
  const bool valid = (pins.output(at_.out_valid, output)) != 0;
  const auto flit = static_cast<std::uint32_t>(pins.output(at_.out_flit, output));
  if (!valid) {
    if (out.sends) broken.push_back(output_text(output) + " has a gap in a packet");
    if (flit != 0) broken.push_back(output_text(output) + " has a flit that is not valid");
    if (!out.sends) {
      for (unsigned requester = 0; requester <= ports_; ++requester)
        if (!other_multicast_waits(cycle, output, requester) && can_leave(cycle, output, requester))
          broken.push_back(output_text(output) + " is idle, and requester " + std::to_string(requester) +
                           " can leave");
    }
    return;
  }
  if (!out.sends) judge_head(cycle, output, pins, broken);
  if (!out.sends) return;
  if (out.next >= out.sends->flits.size()) {
    broken.push_back(output_text(output) + " sends a flit that has not come");
    return;
  }
  std::uint32_t expected = out.sends->flits[out.next];
  if (out.next == 0)
    expected = with_parity(expected >> 25, next_ports(output, *out.sends) << 2 | out.sends->kind);
  if (flit != expected) {
    std::ostringstream text;
    text << output_text(output) << " sends flit " << out.next << " as 0x" << std::hex << flit << ", not 0x"
         << expected;
    broken.push_back(text.str());
  }
  if (expected >> 25 == last_position) {
    if (out.from < static_cast<int>(ports_)) {
      fifo(static_cast<unsigned>(out.from), output).pop_front();
      freed_[static_cast<unsigned>(out.from)] |= 1U << output;
    }
    out.sends.reset();
  }
  ++out.next;
}

void CrosspointJudge::judge_head(Cycle cycle, unsigned output, const Sample& pins,
                                 std::vector<std::string>& broken) {
  Output& out = outputs_[output];
  const auto from = static_cast<unsigned>(pins.output(at_.out_from, output));
  const auto sid = static_cast<unsigned>(pins.output(at_.out_sid, output));
  out.next = 0;
  out.from = static_cast<int>(from);
  if (from == ports_ ? out.owed[sid].empty() : fifo(from, output).empty()) {
    broken.push_back(output_text(output) + " sends a packet that nobody sent");
    return;
  }
  judge_turns(cycle, output, broken);
  out.passed[from] = 0;
  if (from == ports_) {
    out.sends = out.owed[sid].front();
    out.owed[sid].pop_front();
  } else {
    out.sends = fifo(from, output).front();
    if (out.sends->kind == synchronization)
      broken.push_back(output_text(output) + " sends a synchronization of a FIFO");
    if (cycle < out.sends->arrival + least(*out.sends))
      broken.push_back(output_text(output) + " sends a packet too early");
  }
  if ((next_ports(output, *out.sends) & ~room_[output]) != 0)
    broken.push_back(output_text(output) + " sends a packet into a FIFO without room");
}

/// A requester that can leave, beside no other multicast, waits for each other requester once at most.
void CrosspointJudge::judge_turns(Cycle cycle, unsigned output, std::vector<std::string>& broken) {
  Output& out = outputs_[output];
  for (unsigned requester = 0; requester <= ports_; ++requester) {
    if (other_multicast_waits(cycle, output, requester) || !can_leave(cycle, output, requester))
      out.passed[requester] = 0;
    else if (++out.passed[requester] > ports_ + 1)
      broken.push_back(output_text(output) + " passes over requester " + std::to_string(requester));
  }
}

/// Whether the requester's packet could leave in the cycle before, so that its head is at the pins in this
/// one.
bool CrosspointJudge::can_leave(Cycle cycle, unsigned output, unsigned requester) const {
  const auto fits = [&](const Packet& packet) { return (next_ports(output, packet) & ~room_[output]) == 0; };
  if (requester == ports_) {
    const auto& owed = outputs_[output].owed;
    return std::any_of(owed.begin(), owed.end(),
                       [&](const auto& of) { return !of.second.empty() && fits(*of.second.front()); });
  }
  const auto& packets = fifo(requester, output);
  return !packets.empty() && packets.front()->kind != synchronization &&
         cycle >= packets.front()->arrival + least(*packets.front()) && fits(*packets.front());
}

/// Whether a multicast waits to which the FIFOs may be reserved that the requester needs.
bool CrosspointJudge::other_multicast_waits(Cycle cycle, unsigned output, unsigned requester) const {
  for (unsigned input = 0; input < ports_; ++input) {
    if (input == requester) continue;
    const auto& packets = fifo(input, output);
    if (!packets.empty() && packets.front()->kind == multicast &&
        cycle >= packets.front()->arrival + least(*packets.front()))
      return true;
  }
  return false;
}

}  // namespace tsuji::bench
