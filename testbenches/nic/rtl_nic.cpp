// SPDX-License-Identifier: Apache-2.0
#include "nic/rtl_nic.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>

#include "nic/packet_judge_module.h"
#include "tsuji/core/error.h"
#include "tsuji/machines/cenju4/packet_checker.h"

namespace tsuji::bench {

using nic::CheckResult;
using nic::CheckVerdict;
using nic::LineRead;
using nic::PacketCut;
using nic::PacketVerdict;
using nic::ParcelState;
using nic::ReceiverDropCause;

namespace {

std::string nic_name(NodeId node) {
  return "node" + std::to_string(node) + ".nic";
}

class RtlBuilder final : public nic::PacketBuilder {
 public:
  RtlBuilder(const NicRtlKind& kind, NodeId node)
      : PacketBuilder(kind.sizes, node), name_(nic_name(node)), rtl_(kind.make_builder(name_ + ".builder")) {
    rtl_->start(node);
  }

  PacketCut cut(const ParcelState& parcel) override {
    const BuilderPins pins = rtl_->choose(parcel);
    if (!pins.cut_valid) fail(parcel.name(), "shows no cut");
    const PacketCut cut = cut_of(pins, parcel.offset);
    const PacketCut model = PacketBuilder::cut(parcel);
    const auto parts = [](const PacketCut& one) {
      return std::tuple(one.offset, one.bytes, one.first, one.last, one.reads, one.read[0].line,
                        one.read[0].again, one.reads > 0 ? one.last_line : 0);
    };
    if (parts(cut) != parts(model)) fail(parcel.name(), "cuts another packet");
    return cut;
  }

  void build(Packet& packet, const ParcelState& parcel, const PacketCut& cut) override {
    PacketBuilder::build(packet, parcel, cut);
    const BuilderPins pins = rtl_->build();
    const std::array<std::uint64_t, 2> header{pins.header, pins.address};
    if (!pins.built || header != packet.header) fail(packet_name(packet.id), "makes another header");
    packet.header = header;
  }

  void take_line(Packet& packet, const LineRead& read, const unsigned char* line) override {
    PacketBuilder::take_line(packet, read, line);
    for (unsigned at = 0; at < nic::line_bytes; at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, line + at, 8);
      rtl_->line_word(read.payload == 0 && at == 0, word);
    }
  }

  void close(const Packet& packet, std::uint32_t port_bits) override {
    BuilderPins pins = rtl_->send(port_bits);
    for (unsigned index = 0; index < packet.flits; ++index) {
      if (!pins.out_valid || pins.out_flit != spell_flit(packet, port_bits, index))
        fail(packet_name(packet.id), "sends flit " + std::to_string(index) + " as another flit");
      pins = rtl_->idle();
    }
    if (pins.out_valid) fail(packet_name(packet.id), "sends too many flits");
  }

 private:
  [[noreturn]] void fail(const std::string& packet, const std::string& what) const {
    throw ModelError(name_, packet + ": its RTL " + what);
  }

  static PacketCut cut_of(const BuilderPins& pins, std::uint32_t offset) {
    PacketCut cut;
    cut.bytes = static_cast<std::uint16_t>(pins.cut_bytes);
    cut.first = pins.cut_first;
    cut.last = pins.cut_last;
    cut.reads = static_cast<std::uint8_t>(pins.cut_reads);
    if (cut.reads == 0) return cut;
    cut.offset = offset;
    std::uint64_t line = pins.cut_line * nic::line_bytes;
    unsigned skip = pins.cut_skip, done = 0;
    for (unsigned n = 0; n < cut.reads; ++n, skip = 0, line += nic::line_bytes) {
      LineRead& read = cut.read[n];
      read.line = line;
      read.skip = static_cast<std::uint16_t>(skip);
      read.bytes = static_cast<std::uint16_t>(std::min(nic::line_bytes - skip, pins.cut_bytes - done));
      read.payload = static_cast<std::uint16_t>(done);
      read.again = n == 0 && pins.cut_again;
      done += read.bytes;
    }
    cut.last_line = pins.cut_keeps ? line - nic::line_bytes : nic::PacketCutter::no_line;
    return cut;
  }

  const std::string name_;
  const std::unique_ptr<BuilderRtl> rtl_;
};

class RtlCheck final : public nic::PacketCheck {
 public:
  RtlCheck(const NicRtlKind& kind, NodeId node, PacketPool& pool)
      : name_(nic_name(node)), pool_(pool), rtl_(kind.make_judge(name_ + ".judge")) {
    rtl_->start(node);
  }

  CheckResult check(const Packet& packet) override {
    const PacketVerdict verdict = judge(packet);
    if (packet.spelling.error_count == 0) return unchanged(packet, verdict);
    switch (verdict) {
      case PacketVerdict::double_bit:
        return {CheckVerdict::dropped, ReceiverDropCause::uncorrectable, {}};
      case PacketVerdict::parity:
        return {CheckVerdict::dropped, ReceiverDropCause::parity, {}};
      case PacketVerdict::position:
        return {CheckVerdict::dropped, ReceiverDropCause::position, {}};
      case PacketVerdict::elsewhere:
        return {CheckVerdict::dropped, ReceiverDropCause::misrouted, {}};
      case PacketVerdict::accepted:
      case PacketVerdict::corrected:
        break;
    }
    if (words_seen_ != packet_words(packet)) fail(packet, "shows too few words");
    return {verdict == PacketVerdict::corrected ? CheckVerdict::corrected : CheckVerdict::ok,
            {},
            machines::repaired_packet(pool_, packet, words_.data())};
  }

 private:
  [[noreturn]] void fail(const Packet& packet, const std::string& what) const {
    throw ModelError(name_, packet_name(packet.id) + ": its RTL " + what);
  }

  /// Runs the cycles of a packet and the one in which the Receiver takes the verdict.
  PacketVerdict judge(const Packet& packet) {
    const Packet sent = as_sent(packet);
    words_seen_ = 0;
    JudgePins pins;
    pins.kind = static_cast<std::uint32_t>(packet.kind);
    pins.flits = packet.flits;
    for (unsigned index = 0; index < packet.flits; ++index) {
      if (pins.verdict_valid) fail(packet, "judges before the last flit");
      const std::optional<FlitBits> flit = arriving_flit(sent, packet, index);
      pins.head = index == 0;
      pins.valid = flit.has_value();
      pins.flit = flit ? *flit : spell_flit(sent, 1, index);  // on the wires, but not valid
      rtl_->cycle(pins);
      if (pins.word_valid) take_word(packet, pins);
    }
    if (!pins.verdict_valid) fail(packet, "does not judge with the last flit");
    const auto verdict = static_cast<PacketVerdict>(pins.verdict);
    pins = {};
    pins.take = true;
    rtl_->cycle(pins);
    if (pins.verdict_valid) fail(packet, "judges twice");
    return verdict;
  }

  void take_word(const Packet& packet, const JudgePins& pins) {
    if (pins.word_number != words_seen_ || words_seen_ == packet_words(packet))
      fail(packet, "shows word " + std::to_string(pins.word_number) + " out of order");
    words_[words_seen_++] = pins.word;
  }

  /// An undamaged packet for another node is the Receiver's to report.
  CheckResult unchanged(const Packet& packet, PacketVerdict verdict) const {
    if (verdict != PacketVerdict::accepted && verdict != PacketVerdict::elsewhere)
      fail(packet, "finds an error in an undamaged packet");
    for (unsigned number = 0; number < packet_words(packet); ++number)
      if (number >= words_seen_ || words_[number] != packet_word(packet, number))
        fail(packet, "shows word " + std::to_string(number) + " as another word");
    return {};
  }

  const std::string name_;
  PacketPool& pool_;
  const std::unique_ptr<JudgeRtl> rtl_;
  std::array<std::uint64_t, FlitJudgement::max_words> words_{};
  unsigned words_seen_ = 0;
};

}  // namespace

std::unique_ptr<nic::PacketBuilder> rtl_builder(const NicRtlKind& kind, NodeId node) {
  return std::make_unique<RtlBuilder>(kind, node);
}

std::unique_ptr<nic::PacketCheck> rtl_check(const NicRtlKind& kind, NodeId node, PacketPool& pool) {
  return std::make_unique<RtlCheck>(kind, node, pool);
}

}  // namespace tsuji::bench
