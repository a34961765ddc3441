// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "common/stimulus.h"
#include "nic/packet_builder_module.h"
#include "tsuji/core/random.h"

namespace tsuji::bench {

/// Handles of the pins, for driver and scoreboard.
struct PacketBuilderHandles {
  explicit PacketBuilderHandles(const Drive& pins)
      : reset(pins.input("reset")),
        node(pins.input("node")),
        choose(pins.input("choose")),
        choose_place(pins.input("choose_place")),
        parcel_kind(pins.input("parcel_kind")),
        parcel_protocol(pins.input("parcel_protocol")),
        parcel_inline(pins.input("parcel_inline")),
        parcel_log(pins.input("parcel_log")),
        parcel_physical(pins.input("parcel_physical")),
        parcel_interrupt(pins.input("parcel_interrupt")),
        parcel_refused(pins.input("parcel_refused")),
        parcel_length(pins.input("parcel_length")),
        parcel_rrid(pins.input("parcel_rrid")),
        parcel_source(pins.input("parcel_source")),
        parcel_destination(pins.input("parcel_destination")),
        parcel_notification(pins.input("parcel_notification")),
        parcel_cid(pins.input("parcel_cid")),
        parcel_source_pe(pins.input("parcel_source_pe")),
        parcel_destination_cid(pins.input("parcel_destination_cid")),
        parcel_number(pins.input("parcel_number")),
        parcel_map(pins.input("parcel_map")),
        parcel_offset(pins.input("parcel_offset")),
        parcel_kept(pins.input("parcel_kept")),
        build(pins.input("build")),
        line_valid(pins.input("line_valid")),
        line_start(pins.input("line_start")),
        line_place(pins.input("line_place")),
        line_word(pins.input("line_word")),
        send(pins.input("send")),
        send_place(pins.input("send_place")),
        send_ports(pins.input("send_ports")),
        cut_valid(pins.output("cut_valid")),
        cut_bytes(pins.output("cut_bytes")),
        cut_first(pins.output("cut_first")),
        cut_last(pins.output("cut_last")),
        cut_reads(pins.output("cut_reads")),
        cut_line(pins.output("cut_line")),
        cut_skip(pins.output("cut_skip")),
        cut_again(pins.output("cut_again")),
        built(pins.output("built")),
        built_header(pins.output("built_header")),
        built_address(pins.output("built_address")),
        out_valid(pins.output("out_valid")),
        out_flit(pins.output("out_flit")) {}
  std::size_t reset, node, choose, choose_place, parcel_kind, parcel_protocol, parcel_inline, parcel_log,
      parcel_physical, parcel_interrupt, parcel_refused, parcel_length, parcel_rrid, parcel_source,
      parcel_destination, parcel_notification, parcel_cid, parcel_source_pe, parcel_destination_cid,
      parcel_number, parcel_map, parcel_offset, parcel_kept, build, line_valid, line_start, line_place,
      line_word, send, send_place, send_ports;
  std::size_t cut_valid, cut_bytes, cut_first, cut_last, cut_reads, cut_line, cut_skip, cut_again, built,
      built_header, built_address, out_valid, out_flit;
};

struct PacketBuilderPins {
  unsigned place_bits;
  template <class Module>
  void list(Module& module, PinList& pins) const {
    pins.clock(module.clock);
    pins.in("reset", 1, module.reset);
    pins.in("node", 10, module.node);
    pins.in("choose", 1, module.choose);
    pins.in("choose_place", place_bits, module.choose_place);
    pins.in("parcel_kind", 2, module.parcel_kind);
    pins.in("parcel_protocol", 4, module.parcel_protocol);
    pins.in("parcel_inline", 1, module.parcel_inline);
    pins.in("parcel_log", 1, module.parcel_log);
    pins.in("parcel_physical", 1, module.parcel_physical);
    pins.in("parcel_interrupt", 1, module.parcel_interrupt);
    pins.in("parcel_refused", 1, module.parcel_refused);
    pins.in("parcel_length", 20, module.parcel_length);
    pins.in("parcel_rrid", 6, module.parcel_rrid);
    pins.in("parcel_source", 64, module.parcel_source);
    pins.in("parcel_destination", 64, module.parcel_destination);
    pins.in("parcel_notification", 64, module.parcel_notification);
    pins.in("parcel_cid", 8, module.parcel_cid);
    pins.in("parcel_source_pe", 12, module.parcel_source_pe);
    pins.in("parcel_destination_cid", 8, module.parcel_destination_cid);
    pins.in("parcel_number", 10, module.parcel_number);
    pins.in("parcel_map", 64, module.parcel_map);
    pins.in("parcel_offset", 20, module.parcel_offset);
    pins.in("parcel_kept", 1, module.parcel_kept);
    pins.out("cut_valid", 1, module.cut_valid);
    pins.out("cut_bytes", 9, module.cut_bytes);
    pins.out("cut_first", 1, module.cut_first);
    pins.out("cut_last", 1, module.cut_last);
    pins.out("cut_reads", 2, module.cut_reads);
    pins.out("cut_line", 57, module.cut_line);
    pins.out("cut_skip", 7, module.cut_skip);
    pins.out("cut_again", 1, module.cut_again);
    pins.out("cut_keeps", 1, module.cut_keeps);
    pins.in("build", 1, module.build);
    pins.out("built", 1, module.built);
    pins.out("built_header", 64, module.built_header);
    pins.out("built_address", 64, module.built_address);
    pins.in("line_valid", 1, module.line_valid);
    pins.in("line_start", 1, module.line_start);
    pins.in("line_place", place_bits, module.line_place);
    pins.in("line_word", 64, module.line_word);
    pins.in("send", 1, module.send);
    pins.in("send_place", place_bits, module.send_place);
    pins.in("send_ports", 16, module.send_ports);
    pins.out("out_valid", 1, module.out_valid);
    pins.out("out_flit", 28, module.out_flit);
  }
};

/// Stimulus: a Sender with four parcels of all protocols, lengths from 0 to the largest, any alignment, near
/// page borders, some of which are refused when their page is looked up; a memory whose doublewords come in
/// order, soon or late; packets that leave in the first cycle without bubbles, one right after the other, or
/// are blocked until all places are full; resets at any time.
class PacketBuilderStimulus final : public Stimulus {
 public:
  PacketBuilderStimulus(const Drive& pins, std::uint64_t seed, const nic::PacketBuilderConfig& config);
  void drive(Cycle cycle, Drive& pins) override;

 private:
  enum class Stage : std::uint8_t { idle, chosen, reading };
  struct Place {
    bool used = false;
    Cycle ready_at = never;  ///< earliest cycle of `send`
    Cycle free_at = never;   ///< cycle after its last flit is read
    unsigned flits = 0;
  };
  struct LineWord {
    Cycle cycle = 0;
    unsigned place = 0;
    bool starts = false;
  };

  void restart(Drive& pins);
  nic::ParcelState any_parcel();
  void any_lengths(nic::ParcelState& parcel);
  void show(const nic::ParcelState& parcel, Drive& pins);
  void choose(Cycle cycle, Drive& pins);
  void build(Cycle cycle, Drive& pins);
  void schedule_lines(Cycle cycle);
  void drive_sender(Cycle cycle, Drive& pins);
  void drive_line(Cycle cycle, Drive& pins);
  void drive_channel(Cycle cycle, Drive& pins);
  unsigned below(unsigned count) { return static_cast<unsigned>(random_.below(count)); }

  const nic::PacketBuilderConfig config_;
  CounterRandom random_;
  const PacketBuilderHandles at_;
  nic::PacketBuilder builder_;
  std::array<nic::ParcelState, 4> parcels_;
  nic::ParcelState noise_;  ///< at the pins while no parcel is chosen
  std::vector<Place> places_;
  Stage stage_ = Stage::idle;
  Cycle due_ = 0;
  unsigned parcel_ = 0, place_ = 0;
  nic::PacketCut cut_;
  std::deque<LineWord> words_;
  Cycle bus_free_at_ = 0, channel_free_at_ = 0;
};

}  // namespace tsuji::bench
