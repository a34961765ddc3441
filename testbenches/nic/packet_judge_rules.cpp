// SPDX-License-Identifier: Apache-2.0
#include "nic/packet_judge_rules.h"

namespace tsuji::bench {
namespace {

/// Verdicts at the pins.
constexpr unsigned accepted = 0, corrected = 1, double_bit = 2, parity = 3, position = 4, elsewhere = 5;
constexpr const char* verdict_names[] = {"accepted",        "accepted after correction",
                                         "a double error",  "wrong parity",
                                         "wrong positions", "a packet for another node"};

std::string name_of(unsigned verdict) {
  return verdict < 6 ? verdict_names[verdict] : "verdict " + std::to_string(verdict);
}

}  // namespace

PacketJudgeRules::PacketJudgeRules(const Drive& pins, const nic::PacketJudgeConfig& config)
    : config_(config), at_(pins) {}

unsigned PacketJudgeRules::header_flits(unsigned kind) const {
  const nic::PacketSizes& sizes = config_.sizes;
  const unsigned flits[] = {sizes.header_flits, sizes.multicast_header_flits,
                            sizes.synchronization_header_flits};
  return flits[kind];
}

bool PacketJudgeRules::ordered(const Packet& packet) const {
  for (unsigned at = 0; at < packet.flits.size(); ++at) {
    const unsigned code = at + 1 == packet.length ? 4 : 1 + at % 2;
    if (packet.flits[at] >> 25 != code) return false;
  }
  return !packet.lost;
}

bool PacketJudgeRules::named(const Packet& packet, unsigned node) const {
  if (packet.kind == 0) return (read(packet, 1).bits & 0x3ffU) == node;
  const unsigned group = packet.kind == 1 ? static_cast<unsigned>(read(packet, 4).bits & 0x3ffU) : 0;
  return group == node / 64 && (read(packet, 1).bits >> node % 64 & 1U) != 0;
}

PacketJudgeRules::Verdict PacketJudgeRules::verdict_of(const Packet& packet, unsigned node) const {
  if (!ordered(packet)) return {position, 0};
  if (CheckedWords::is_odd(packet.flits[0] & 0x1ffffffU)) return {parity, 0};
  const unsigned header = header_flits(packet.kind);
  unsigned count = 0;
  bool wrong = false;
  const auto check = [&](unsigned first) {
    const CheckedWord word = read(packet, first);
    wrong = wrong || word.wrong;
    count += word.corrected ? 1 : 0;
  };
  for (unsigned first = 1; first + 2 <= header; first += 3) check(first);
  for (unsigned first = 1 + header; first < packet.length; first += config_.sizes.flits_per_word)
    check(first);
  if (wrong) return {double_bit, 0};
  if (!named(packet, node)) return {elsewhere, 0};
  return {count == 0 ? accepted : corrected, count};
}

/// A word that is shown has come in the cycle before, and is the corrected one.
void PacketJudgeRules::judge_word(const Sample& pins, Lines& broken) {
  if (pins.output(at_.word_valid) == 0) return;
  if (!shows_) broken.push_back("shows a word that has not come");
  if (shows_ && shown_.wrong) broken.push_back("shows a word with a double error");
  if (shows_ && !shown_.wrong && pins.output(at_.word) != shown_.bits)
    broken.push_back(shown_.corrected ? "shows a word without its correction" : "shows another word");
}

void PacketJudgeRules::judge(Cycle, const Sample& pins, Lines& broken) {
  const bool valid = pins.output(at_.verdict_valid) != 0;
  judge_word(pins, broken);
  if (valid && waiting_.empty()) broken.push_back("judges a packet whose last flit has not come");
  if (!valid && !waiting_.empty()) broken.push_back("does not judge a packet with its last flit");
  if (valid && !waiting_.empty()) {
    const Verdict& rule = waiting_.front();
    const auto got = static_cast<unsigned>(pins.output(at_.verdict));
    const auto count = static_cast<unsigned>(pins.output(at_.verdict_corrected));
    if (got != rule.code)
      broken.push_back("judges " + name_of(got) + ", and the flits say " + name_of(rule.code));
    else if (count != rule.corrected)
      broken.push_back("has corrected " + std::to_string(count) + " words, not " +
                       std::to_string(rule.corrected));
  }
  take(pins);
}

void PacketJudgeRules::take(const Sample& pins) {
  shows_ = false;
  if (pins.input(at_.reset) != 0) {
    waiting_.clear();
    cycles_ = 0;
    return;
  }
  if (pins.input(at_.verdict_take) != 0 && !waiting_.empty()) waiting_.pop_front();
  if (pins.input(at_.in_head) != 0) {
    packet_ = {static_cast<unsigned>(pins.input(at_.in_kind)),
               static_cast<unsigned>(pins.input(at_.in_flits)),
               {},
               false};
    cycles_ = 0;
  } else if (cycles_ == 0) {
    return;
  }
  ++cycles_;
  packet_.lost = packet_.lost || pins.input(at_.in_valid) == 0;
  if (!packet_.lost) packet_.flits.push_back(static_cast<std::uint32_t>(pins.input(at_.in_flit)));
  const unsigned header = header_flits(packet_.kind), word_flits = config_.sizes.flits_per_word;
  const bool in_header = cycles_ <= header + 1;
  const unsigned place = in_header ? cycles_ - 1 : cycles_ - 1 - header;  // of the flit, from 1 on
  shows_ = !packet_.lost && place >= 3 && (in_header ? place % 3 == 0 : place % word_flits == 3 % word_flits);
  if (shows_) shown_ = read(packet_, cycles_ - 3);
  if (cycles_ < packet_.length) return;
  waiting_.push_back(verdict_of(packet_, static_cast<unsigned>(pins.input(at_.node))));
  cycles_ = 0;
}

}  // namespace tsuji::bench
