// SPDX-License-Identifier: Apache-2.0
#include "nic/packet_judge_module.h"

#include "tsuji/nic/packet_check.h"

namespace tsuji::nic {

PacketJudgeModule::PacketJudgeModule(sc_core::sc_module_name module_name, const PacketJudgeConfig& config)
    : sc_module(module_name), config_(config) {
  SC_METHOD(on_edge);
  sensitive << clock.pos();
  dont_initialize();
}

void PacketJudgeModule::on_edge() {
  Shown shown;
  if (reset.read()) {
    arrives_ = false;
    waiting_.clear();
  } else {
    if (verdict_take.read() && !waiting_.empty()) waiting_.pop_front();
    if (in_head.read()) start();
    if (arrives_) {
      shown = take_flit();
      arrives_ = ++cycles_ < packet_.flits;
      if (!arrives_) waiting_.push_back(judge());
    }
  }
  word_valid.write(shown.valid);
  word_number.write(shown.number);
  word.write(shown.word);
  const Judged front = waiting_.empty() ? Judged{} : waiting_.front();
  verdict_valid.write(!waiting_.empty());
  verdict.write(static_cast<std::uint32_t>(front.verdict));
  verdict_corrected.write(front.corrected);
}

/// The payload's length follows from the packet's: the flits carry whole words.
void PacketJudgeModule::start() {
  packet_.kind = static_cast<PacketKind>(in_kind.read());
  packet_.flits = static_cast<std::uint16_t>(in_flits.read());
  const unsigned header = config_.sizes.header(packet_.kind), word_flits = config_.sizes.flits_per_word;
  packet_.payload_bytes =
      static_cast<std::uint16_t>((packet_.flits - PacketSizes::port_flits - header) / word_flits * 8);
  packet_.spelling.header_flits = static_cast<std::uint8_t>(header);
  packet_.spelling.word_flits = static_cast<std::uint8_t>(word_flits);
  arrives_ = true;
  damaged_ = false;
  cycles_ = 0;
  flits_.clear();
}

PacketJudgeModule::Shown PacketJudgeModule::take_flit() {
  const FlitBits flit = in_flit.read();
  if (in_valid.read()) flits_.push_back(flit);
  damaged_ = damaged_ || !in_valid.read() || position_of(flit) != position_for(cycles_, packet_.flits);
  for (unsigned number = 0; !damaged_ && number < checked_words(packet_); ++number)
    if (first_flit(packet_, number) + 2 == cycles_) return check_word(number);
  return {};
}

PacketJudgeModule::Shown PacketJudgeModule::check_word(unsigned number) {
  std::uint8_t check = 0;
  std::uint64_t received = word_of_flits(&flits_[first_flit(packet_, number)], check);
  damaged_ = ecc_correct(received, check) == EccResult::uncorrectable;
  if (damaged_ || number >= packet_words(packet_)) return {};
  return {true, number, received};
}

PacketJudgeModule::Judged PacketJudgeModule::judge() {
  const FlitJudgement judgement = judge_flits(packet_, flits_.data(), static_cast<unsigned>(flits_.size()));
  switch (judgement.cause) {
    case FlitDropCause::flit_lost:
      return {PacketVerdict::position, 0};
    case FlitDropCause::port_parity:
      return {PacketVerdict::parity, 0};
    case FlitDropCause::double_bit:
      return {PacketVerdict::double_bit, 0};
    case FlitDropCause::none:
      break;
  }
  unsigned at = 0;
  if (packet_.kind != PacketKind::single_cast) packet_.map = judgement.words[at++];
  for (std::uint64_t& header : packet_.header) header = judgement.words[at++];
  if (!is_destination(packet_, node.read())) return {PacketVerdict::elsewhere, 0};
  if (judgement.corrected_words == 0) return {};
  return {PacketVerdict::corrected, judgement.corrected_words};
}

}  // namespace tsuji::nic
