// SPDX-License-Identifier: Apache-2.0
#include "nic/packet_builder_rules.h"

#include <algorithm>

namespace tsuji::bench {
namespace {

// Protocols (Kanoh 2000, table 1; rooms/nic.md).
constexpr unsigned message0 = 4, message1 = 5, atomic_add = 6, remote_read = 7, compare_swap = 9,
                   compare_swap_reply = 12, synchronization = 15;
constexpr unsigned page = 4096, line = 128;

}  // namespace

PacketBuilderRules::PacketBuilderRules(const Drive& pins, const nic::PacketBuilderConfig& config)
    : config_(config), at_(pins), places_(config.places) {}

bool PacketBuilderRules::is_request(const Sample& pins) const {
  return in(pins, at_.parcel_protocol) >= remote_read && in(pins, at_.parcel_protocol) <= compare_swap;
}

bool PacketBuilderRules::reads_memory(const Sample& pins) const {
  const std::uint64_t protocol = in(pins, at_.parcel_protocol);
  if (in(pins, at_.parcel_inline) != 0 || in(pins, at_.parcel_refused) != 0) return false;
  if (protocol == synchronization) return in(pins, at_.parcel_length) != 0;
  return protocol != atomic_add && !is_request(pins);
}

/// Bytes of the longest packet from the parcel's offset on.
unsigned PacketBuilderRules::longest(const Sample& pins) const {
  const std::uint64_t protocol = in(pins, at_.parcel_protocol), offset = in(pins, at_.parcel_offset);
  const bool whole = protocol == message0 || protocol == message1 || protocol == synchronization;
  const std::uint64_t from = in(pins, at_.parcel_source) + offset;
  const std::uint64_t to = (whole ? 0 : in(pins, at_.parcel_destination)) + offset;
  const unsigned most = config_.sizes.max_payload_bytes;
  unsigned bytes = 0;
  for (unsigned one = 4; one <= most && offset + one <= in(pins, at_.parcel_length); one += 4) {
    const bool pages = to % page + one <= page && from / 8 * 8 % page + one <= page;
    if (pages && to % line + one <= most) bytes = one;
  }
  return bytes;
}

PacketBuilderRules::Cut PacketBuilderRules::cut_of(const Sample& pins) const {
  Cut cut;
  const std::uint64_t length = in(pins, at_.parcel_length), offset = in(pins, at_.parcel_offset);
  cut.first = offset == 0;
  if (!reads_memory(pins)) {
    const unsigned body = in(pins, at_.parcel_protocol) == remote_read ? 16 : 24;
    cut.bytes = is_request(pins) ? body : static_cast<unsigned>(length);
    if (in(pins, at_.parcel_refused) != 0) cut.bytes = 0;
    cut.last = true;
    return cut;
  }
  const std::uint64_t from = in(pins, at_.parcel_source) + offset;
  cut.offset = offset;
  cut.bytes = longest(pins);
  cut.last = offset + cut.bytes == length;
  cut.line = from / line;
  cut.skip = from % line;
  cut.reads = static_cast<unsigned>((from + cut.bytes - 1) / line - cut.line) + 1;
  cut.again = in(pins, at_.parcel_kept) != 0 && cut.skip != 0;
  return cut;
}

std::uint64_t PacketBuilderRules::header_of(const Sample& pins) const {
  const bool equal = in(pins, at_.parcel_protocol) == compare_swap_reply &&
                     (in(pins, at_.parcel_notification) >> 26 & 1U) != 0;
  return in(pins, at_.parcel_number) | in(pins, at_.parcel_destination_cid) << 10 |
         in(pins, at_.parcel_protocol) << 18 | in(pins, at_.parcel_source_pe) << 22 |
         std::uint64_t{cut_.bytes} << 34 | std::uint64_t{cut_.last} << 43 | std::uint64_t{cut_.first} << 44 |
         in(pins, at_.parcel_log) << 45 | in(pins, at_.parcel_rrid) << 46 | std::uint64_t{equal} << 52 |
         in(pins, at_.parcel_interrupt) << 53 | in(pins, at_.parcel_refused) << 54 |
         in(pins, at_.parcel_physical) << 55;
}

std::uint64_t PacketBuilderRules::address_of(const Sample& pins) const {
  const std::uint64_t protocol = in(pins, at_.parcel_protocol);
  if (protocol == message0 || protocol == message1) return cut_.offset;
  return in(pins, is_request(pins) ? at_.parcel_source : at_.parcel_destination) + cut_.offset;
}

std::vector<std::uint64_t> PacketBuilderRules::body_of(const Sample& pins) const {
  if (!is_request(pins)) return {in(pins, at_.parcel_source)};
  const std::uint64_t end = in(pins, at_.parcel_length) | in(pins, at_.parcel_cid) << 20 |
                            in(pins, at_.node) << 28 | in(pins, at_.parcel_physical) << 38;
  if (in(pins, at_.parcel_protocol) == remote_read) return {in(pins, at_.parcel_destination), end};
  return {in(pins, at_.parcel_destination), in(pins, at_.parcel_notification), end};
}

void PacketBuilderRules::judge_cut(const Sample& pins, Lines& broken) const {
  if ((pins.output(at_.cut_valid) != 0) != chosen_.has_value())
    broken.push_back(chosen_ ? "does not show the cut of the chosen parcel" : "shows a cut without a choice");
  if (!chosen_) return;
  const auto differs = [&](std::size_t pin, std::uint64_t rule, const char* what) {
    if (pins.output(pin) != rule)
      broken.push_back("cuts a packet with " + std::string(what) + " " + std::to_string(pins.output(pin)) +
                       ", not " + std::to_string(rule));
  };
  differs(at_.cut_bytes, chosen_->bytes, "bytes");
  differs(at_.cut_first, chosen_->first ? 1 : 0, "first");
  differs(at_.cut_last, chosen_->last ? 1 : 0, "last");
  differs(at_.cut_reads, chosen_->reads, "lines");
  differs(at_.cut_line, chosen_->line, "first line");
  differs(at_.cut_skip, chosen_->skip, "skipped bytes");
  differs(at_.cut_again, chosen_->again ? 1 : 0, "line read again");
}

/// Payload word by bytes: the packet's bytes begin `skip` bytes after its first line.
std::uint64_t PacketBuilderRules::payload(const Place& place, unsigned word) const {
  std::uint64_t bits = 0;
  for (unsigned byte = 0; byte < 8 && 8 * word + byte < place.cut.bytes; ++byte) {
    const unsigned at = place.cut.skip + 8 * word + byte;
    if (at / 8 < place.source.size()) bits |= (place.source[at / 8] >> at % 8 * 8 & 0xffU) << 8 * byte;
  }
  return bits;
}

void PacketBuilderRules::judge_flit(const Sample& pins, Lines& broken) {
  const bool valid = pins.output(at_.out_valid) != 0;
  if (valid != (leaving_ >= 0)) {
    broken.push_back(valid ? "sends a flit of no packet" : "has a gap in a packet");
    leaving_ = -1;
    return;
  }
  if (!valid) return;
  const auto flit = static_cast<std::uint32_t>(pins.output(at_.out_flit));
  const auto index = static_cast<unsigned>(flits_.size());
  const std::string name = "sends flit " + std::to_string(index);
  flits_.push_back(flit);
  if (CheckedWords::is_odd(flit & 0x1ffffffU)) broken.push_back(name + " with wrong parity");
  const unsigned code = index + 1 == length_ ? 4 : 1 + index % 2;
  if (flit >> 25 != code) broken.push_back(name + " with the position of another flit");
  if (index == 0 && (flit & 0xffffffU) != (ports_ << 2 | places_[static_cast<unsigned>(leaving_)].kind))
    broken.push_back("sends a wrong port flit");
  if (index + 1 < length_) return;
  judge_packet(broken);
  leaving_ = -1;
}

void PacketBuilderRules::judge_packet(Lines& broken) const {
  const Place& place = places_[static_cast<unsigned>(leaving_)];
  std::vector<std::uint64_t> head{place.header, place.address};
  if (place.kind != 0) head.insert(head.begin(), place.map);
  const unsigned header = config_.sizes.header(static_cast<PacketKind>(place.kind));
  const auto read = [&](unsigned first, std::uint64_t rule, const char* what, unsigned number) {
    const CheckedWord word = words_.read(&flits_[first]);
    const std::string name = std::string(what) + " " + std::to_string(number);
    if (word.wrong || word.corrected)
      broken.push_back("sends " + name + " with wrong check bits");
    else if (word.bits != rule)
      broken.push_back("sends " + name + " as another word");
  };
  for (unsigned number = 0; 3 * number + 3 <= header; ++number)
    read(1 + 3 * number, number < head.size() ? head[number] : 0, "header word", number);
  for (unsigned number = 0; 8 * number < place.cut.bytes; ++number)
    read(1 + header + config_.sizes.flits_per_word * number, payload(place, number), "payload word", number);
}

void PacketBuilderRules::judge(Cycle, const Sample& pins, Lines& broken) {
  judge_cut(pins, broken);
  if ((pins.output(at_.built) != 0) != built_) broken.push_back("does not build a header in its cycle");
  if (built_ && (pins.output(at_.built_header) != header_ || pins.output(at_.built_address) != address_))
    broken.push_back("builds another header");
  judge_flit(pins, broken);
  take(pins);
}

void PacketBuilderRules::take(const Sample& pins) {
  chosen_.reset();
  built_ = false;
  if (in(pins, at_.reset) != 0) {
    leaving_ = -1;
    return;
  }
  if (in(pins, at_.choose) != 0) {
    chosen_ = cut_ = cut_of(pins);
    place_ = static_cast<unsigned>(in(pins, at_.choose_place));
  }
  if (in(pins, at_.build) != 0) {
    built_ = true;
    header_ = header_of(pins);
    address_ = address_of(pins);
    const auto kind = static_cast<unsigned>(in(pins, at_.parcel_kind));
    places_[place_] = {kind, cut_, in(pins, at_.parcel_map), header_, address_, false, {}};
    if (cut_.reads == 0) places_[place_].source = body_of(pins);
  }
  if (in(pins, at_.line_valid) != 0) {
    Place& place = places_[in(pins, at_.line_place)];
    if (in(pins, at_.line_start) != 0) place.started = true;
    if (place.started) place.source.push_back(in(pins, at_.line_word));
  }
  if (in(pins, at_.send) == 0) return;
  leaving_ = static_cast<int>(in(pins, at_.send_place));
  ports_ = in(pins, at_.send_ports);
  const Place& place = places_[in(pins, at_.send_place)];
  length_ = config_.sizes.flits(static_cast<PacketKind>(place.kind), place.cut.bytes);
  flits_.clear();
}

}  // namespace tsuji::bench
