// SPDX-License-Identifier: Apache-2.0
#include "nic/packet_builder_bench.h"

#include <algorithm>

#include "tsuji/nic/sender/release_time.h"

namespace tsuji::bench {

using nic::PacketCutter;
using nic::ParcelHeader;
using nic::ParcelState;
using nic::Protocol;

namespace {

constexpr Cycle builder_phase_cycles = 8192;

}  // namespace

PacketBuilderStimulus::PacketBuilderStimulus(const Drive& pins, std::uint64_t seed,
                                             const nic::PacketBuilderConfig& config)
    : config_(config), random_(seed, 22), at_(pins), builder_(config.sizes, 0), places_(config.places) {}

void PacketBuilderStimulus::restart(Drive& pins) {
  pins.set(at_.node, below(1024));
  for (ParcelState& parcel : parcels_) parcel = any_parcel();
  noise_ = any_parcel();
  std::fill(places_.begin(), places_.end(), Place{});
  words_.clear();
  stage_ = Stage::idle;
}

ParcelState PacketBuilderStimulus::any_parcel() {
  constexpr unsigned protocols = 14;
  ParcelState parcel;
  ParcelHeader& header = parcel.header;
  const unsigned drawn = below(protocols);
  header.protocol = drawn == protocols - 1 ? Protocol::synchronization : static_cast<Protocol>(drawn);
  const bool one_node = nic::is_request(header.protocol) || nic::is_reply(header.protocol) || below(3) != 0;
  header.kind = one_node ? PacketKind::single_cast : PacketKind::multicast;
  if (header.protocol == Protocol::synchronization) header.kind = PacketKind::synchronization;
  header.inline_data = header.protocol == Protocol::remote_dma && below(4) == 0;
  header.log = below(2) == 0;
  header.physical = below(2) == 0;
  header.interrupt = below(2) == 0;
  header.rrid = static_cast<std::uint8_t>(below(64));
  header.source = random_.next();
  header.destination = random_.next();
  header.notification = random_.next();
  parcel.cid = below(256);
  parcel.source_pe = static_cast<std::uint16_t>(below(4096));
  parcel.destination_cid = below(256);
  parcel.node = below(header.kind == PacketKind::synchronization ? 128 : 1024);
  parcel.map = random_.next();
  parcel.refused = nic::is_reply(header.protocol) && below(4) == 0;
  any_lengths(parcel);
  return parcel;
}

/// Addresses are near a page's end half of the time. The progress of long parcels begins anywhere.
void PacketBuilderStimulus::any_lengths(ParcelState& parcel) {
  ParcelHeader& header = parcel.header;
  const unsigned lengths[] = {
      4, 8, 4 + 4 * below(32), 4 + 4 * below(64), 4 + 4 * below(512), nic::max_data_bytes};
  header.length = lengths[below(6)];
  if (nic::is_message(header.protocol))
    header.length = std::min(header.length, config_.sizes.max_payload_bytes);
  if (header.protocol == Protocol::synchronization) header.length = 8 * below(17);
  if (header.protocol == Protocol::atomic_add) header.length = 8;
  if (header.inline_data) header.length = 4 + 4 * below(2);
  if (nic::is_request(header.protocol)) header.length = 4 * below(nic::max_data_bytes / 4 + 1);
  if (!parcel.reads_memory()) return;
  header.source -= header.source % 4;
  header.destination -= header.destination % (header.length == 4 ? 4 : 8);
  const auto to_page_end = [&](std::uint64_t& address, unsigned step) {
    address -= address % nic::page_bytes;
    address += nic::page_bytes - step * (1 + below(64));
  };
  if (below(2) == 0) to_page_end(header.source, 4);
  if (below(2) == 0) to_page_end(header.destination, 8);
  if (below(4) == 0) header.source = header.destination + below(64) * 128 + 4 * below(3);
  if (header.length <= 4096) return;
  const std::uint32_t progress = 1U << (3 + below(16));
  const std::uint32_t offsets[] = {4 * below(header.length / 4), progress,
                                   header.length - progress - 4 * below(64)};
  parcel.offset = offsets[below(3)];
}

void PacketBuilderStimulus::show(const ParcelState& parcel, Drive& pins) {
  const ParcelHeader& header = parcel.header;
  pins.set(at_.parcel_kind, static_cast<unsigned>(header.kind));
  pins.set(at_.parcel_protocol, static_cast<unsigned>(header.protocol));
  pins.set(at_.parcel_inline, header.inline_data);
  pins.set(at_.parcel_log, header.log);
  pins.set(at_.parcel_physical, header.physical);
  pins.set(at_.parcel_interrupt, header.interrupt);
  pins.set(at_.parcel_refused, parcel.refused);
  pins.set(at_.parcel_length, header.length);
  pins.set(at_.parcel_rrid, header.rrid);
  pins.set(at_.parcel_source, header.source);
  pins.set(at_.parcel_destination, header.destination);
  pins.set(at_.parcel_notification, header.notification);
  pins.set(at_.parcel_cid, parcel.cid);
  pins.set(at_.parcel_source_pe, parcel.source_pe);
  pins.set(at_.parcel_destination_cid, parcel.destination_cid);
  pins.set(at_.parcel_number, parcel.node);
  pins.set(at_.parcel_map, parcel.map);
  pins.set(at_.parcel_offset, parcel.offset);
  pins.set(at_.parcel_kept, parcel.last_line != PacketCutter::no_line);
}

void PacketBuilderStimulus::choose(Cycle cycle, Drive& pins) {
  const ParcelState& parcel = parcels_[parcel_];
  show(parcel, pins);
  pins.set(at_.choose, 1);
  pins.set(at_.choose_place, place_);
  cut_ = builder_.cut(parcel);
  stage_ = Stage::chosen;
  due_ = cycle + 1 + (below(2) == 0 ? 0 : below(6));
}

void PacketBuilderStimulus::build(Cycle cycle, Drive& pins) {
  ParcelState& parcel = parcels_[parcel_];
  if (nic::is_reply(parcel.header.protocol) && !parcel.refused && below(16) == 0) {
    parcel.refused = true;  // its page does not exist
    return choose(cycle, pins);
  }
  pins.set(at_.build, 1);
  Place& place = places_[place_];
  place.flits = config_.sizes.flits(parcel.header.kind, cut_.bytes);
  place.ready_at = cycle + 1;
  schedule_lines(cycle);
  if (cut_.reads > 0) parcel.last_line = cut_.last_line;
  parcel.offset += cut_.bytes;
  if (cut_.last || below(100) == 0) parcel = any_parcel();
  stage_ = Stage::idle;
}

/// Lines come one after the other; the next packet may be chosen once the last one is granted.
void PacketBuilderStimulus::schedule_lines(Cycle cycle) {
  const nic::PacketSizes& sizes = config_.sizes;
  nic::ReleaseTime release(sizes.flits(parcels_[parcel_].header.kind, 0), sizes.flits_per_word);
  due_ = cycle + 1;
  const bool slow = cycle / builder_phase_cycles % 2 != 0;
  for (unsigned read = 0; read < cut_.reads; ++read) {
    const Cycle first = std::max(bus_free_at_, cycle + 1) + (below(2) == 0 ? 0 : below(slow ? 60 : 8));
    for (unsigned word = 0; word < nic::line_bytes / 8; ++word)
      words_.push_back({first + word, place_, read + word == 0});
    bus_free_at_ = first + nic::line_bytes / 8;
    release.add_bytes(cut_.read[read].payload, cut_.read[read].bytes, cut_.read[read].skip, first);
    due_ = first;
  }
  places_[place_].ready_at = std::max(cycle + 1, release.earliest());
}

void PacketBuilderStimulus::drive_sender(Cycle cycle, Drive& pins) {
  pins.set(at_.choose, 0);
  pins.set(at_.choose_place, below(config_.places));
  pins.set(at_.build, 0);
  if (stage_ == Stage::idle) show(noise_, pins);
  if (cycle < due_) return;
  if (stage_ == Stage::chosen) return build(cycle, pins);
  const auto free = std::find_if(places_.begin(), places_.end(), [](const Place& one) { return !one.used; });
  if (free == places_.end() || below(4) == 0) return;
  place_ = static_cast<unsigned>(free - places_.begin());
  *free = {true, never, never, 0};
  parcel_ = below(static_cast<unsigned>(parcels_.size()));
  choose(cycle, pins);
}

void PacketBuilderStimulus::drive_line(Cycle cycle, Drive& pins) {
  const bool comes = !words_.empty() && words_.front().cycle == cycle;
  pins.set(at_.line_valid, comes);
  pins.set(at_.line_place, below(config_.places));
  pins.set(at_.line_start, below(2));
  pins.set(at_.line_word, random_.next());
  if (!comes) return;
  pins.set(at_.line_place, words_.front().place);
  pins.set(at_.line_start, words_.front().starts);
  words_.pop_front();
}

/// In turn a channel that is always ready, now and then, and for long times not at all.
void PacketBuilderStimulus::drive_channel(Cycle cycle, Drive& pins) {
  pins.set(at_.send, 0);
  pins.set(at_.send_place, below(config_.places));
  pins.set(at_.send_ports, below(0x10000));
  for (Place& place : places_)
    if (cycle >= place.free_at) place = {};
  const unsigned waits[] = {1, 4, 200};
  if (cycle < channel_free_at_ || below(waits[cycle / builder_phase_cycles % 3]) != 0) return;
  const unsigned first = below(config_.places);
  for (unsigned n = 0; n < config_.places; ++n) {
    const unsigned number = (first + n) % config_.places;
    Place& place = places_[number];
    if (!place.used || place.free_at != never || cycle < place.ready_at) continue;
    pins.set(at_.send, 1);
    pins.set(at_.send_place, number);
    channel_free_at_ = place.free_at = cycle + place.flits;
    return;
  }
}

void PacketBuilderStimulus::drive(Cycle cycle, Drive& pins) {
  const bool restarts = cycle < 2 || below(8000) == 0;
  pins.set(at_.reset, restarts);
  if (restarts) {
    restart(pins);
    due_ = cycle + 1;
    channel_free_at_ = bus_free_at_ = cycle + 1;
  }
  drive_channel(cycle, pins);
  drive_sender(cycle, pins);
  drive_line(cycle, pins);
}

}  // namespace tsuji::bench
