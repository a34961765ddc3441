// SPDX-License-Identifier: Apache-2.0
#include "nic/packet_builder_module.h"

#include <cstring>

namespace tsuji::nic {

PacketBuilderModule::PacketBuilderModule(sc_core::sc_module_name module_name,
                                         const PacketBuilderConfig& config)
    : sc_module(module_name), config_(config), places_(config.places) {
  SC_METHOD(on_edge);
  sensitive << clock.pos();
  dont_initialize();
}

void PacketBuilderModule::on_edge() {
  cut_valid.write(choose.read() && !reset.read());
  built.write(build.read() && !reset.read());
  if (reset.read()) {
    clear();
    return;
  }
  if (build.read()) do_build();
  if (choose.read()) do_choose();
  if (line_valid.read()) take_word();
  if (send.read()) {
    leaving_ = places_[send_place.read()].packet;
    ports_ = send_ports.read();
    flit_ = 0;
  }
  out_valid.write(static_cast<bool>(leaving_));
  out_flit.write(leaving_ ? next_flit() : 0);
}

void PacketBuilderModule::clear() {
  cut_ = {};
  show_cut();
  built_header.write(0);
  built_address.write(0);
  leaving_.reset();
  out_valid.write(false);
  out_flit.write(0);
}

ParcelState PacketBuilderModule::parcel() const {
  ParcelState parcel;
  ParcelHeader& header = parcel.header;
  header.protocol = static_cast<Protocol>(parcel_protocol.read());
  header.kind = static_cast<PacketKind>(parcel_kind.read());
  header.inline_data = parcel_inline.read();
  header.log = parcel_log.read();
  header.physical = parcel_physical.read();
  header.interrupt = parcel_interrupt.read();
  header.length = parcel_length.read();
  header.rrid = static_cast<std::uint8_t>(parcel_rrid.read());
  header.source = parcel_source.read();
  header.destination = parcel_destination.read();
  header.notification = parcel_notification.read();
  parcel.cid = parcel_cid.read();
  parcel.source_pe = static_cast<std::uint16_t>(parcel_source_pe.read());
  parcel.destination_cid = parcel_destination_cid.read();
  parcel.node = parcel_number.read();
  parcel.group = parcel_number.read();
  parcel.sid = static_cast<std::uint8_t>(parcel_number.read());
  parcel.map = parcel_map.read();
  parcel.refused = parcel_refused.read();
  parcel.offset = parcel_offset.read();
  const std::uint64_t last = header.source + parcel.offset - 1;
  if (parcel_kept.read()) parcel.last_line = last - last % line_bytes;
  return parcel;
}

void PacketBuilderModule::do_choose() {
  cut_ = PacketBuilder(config_.sizes, node.read()).cut(parcel());
  place_ = choose_place.read();
  show_cut();
}

void PacketBuilderModule::show_cut() {
  const LineRead& first = cut_.read[0];
  cut_bytes.write(cut_.bytes);
  cut_first.write(cut_.first);
  cut_last.write(cut_.last);
  cut_reads.write(cut_.reads);
  cut_line.write(first.line / line_bytes);
  cut_skip.write(first.skip);
  cut_again.write(first.again);
  cut_keeps.write(cut_.reads > 0 && cut_.last_line != PacketCutter::no_line);
}

void PacketBuilderModule::do_build() {
  Place& place = places_[place_];
  place.packet = pool_.make();
  place.cut = cut_;
  place.started = false;
  place.words = 0;
  Packet& packet = place.packet.edit();
  PacketBuilder(config_.sizes, node.read()).build(packet, parcel(), cut_);
  built_header.write(packet.header[0]);
  built_address.write(packet.header[1]);
}

/// Copies the whole line as far as it has come.
void PacketBuilderModule::take_word() {
  Place& place = places_[line_place.read()];
  if (line_start.read()) place.started = true;
  if (!place.started) return;
  const std::uint64_t word = line_word.read();
  std::memcpy(place.lines.data() + std::size_t{8} * place.words, &word, 8);
  const unsigned line = place.words++ / (line_bytes / 8);
  PacketBuilder(config_.sizes, node.read())
      .take_line(place.packet.edit(), place.cut.read[line], place.lines.data() + line * line_bytes);
}

FlitBits PacketBuilderModule::next_flit() {
  const FlitBits flit = spell_flit(*leaving_, ports_, flit_);
  if (++flit_ == leaving_->flits) leaving_.reset();
  return flit;
}

}  // namespace tsuji::nic
