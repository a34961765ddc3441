// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <systemc>
#include <vector>

#include "tsuji/core/flit.h"
#include "tsuji/nic/sender/packet_builder.h"

namespace tsuji::nic {

/// Configuration of the builder of packets.
struct PacketBuilderConfig {
  PacketSizes sizes;
  unsigned places = 2;  ///< Packet buffers, 1..8.
};

/// PacketBuilder with pins: a packet is chosen, built, filled with the doublewords of its lines, and sent
/// flit by flit.
class PacketBuilderModule final : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clock{"clock"};
  sc_core::sc_in<bool> reset{"reset"};
  sc_core::sc_in<std::uint32_t> node{"node"};
  sc_core::sc_in<bool> choose{"choose"};
  sc_core::sc_in<std::uint32_t> choose_place{"choose_place"};
  // Header register of the chosen parcel.
  sc_core::sc_in<std::uint32_t> parcel_kind{"parcel_kind"}, parcel_protocol{"parcel_protocol"};
  sc_core::sc_in<bool> parcel_inline{"parcel_inline"}, parcel_log{"parcel_log"},
      parcel_physical{"parcel_physical"}, parcel_interrupt{"parcel_interrupt"},
      parcel_refused{"parcel_refused"};
  sc_core::sc_in<std::uint32_t> parcel_length{"parcel_length"}, parcel_rrid{"parcel_rrid"};
  sc_core::sc_in<std::uint64_t> parcel_source{"parcel_source"}, parcel_destination{"parcel_destination"},
      parcel_notification{"parcel_notification"};
  sc_core::sc_in<std::uint32_t> parcel_cid{"parcel_cid"}, parcel_source_pe{"parcel_source_pe"},
      parcel_destination_cid{"parcel_destination_cid"}, parcel_number{"parcel_number"};
  sc_core::sc_in<std::uint64_t> parcel_map{"parcel_map"};
  sc_core::sc_in<std::uint32_t> parcel_offset{"parcel_offset"};
  sc_core::sc_in<bool> parcel_kept{"parcel_kept"};
  sc_core::sc_out<bool> cut_valid{"cut_valid"};
  sc_core::sc_out<std::uint32_t> cut_bytes{"cut_bytes"};
  sc_core::sc_out<bool> cut_first{"cut_first"}, cut_last{"cut_last"};
  sc_core::sc_out<std::uint32_t> cut_reads{"cut_reads"};
  sc_core::sc_out<std::uint64_t> cut_line{"cut_line"};
  sc_core::sc_out<std::uint32_t> cut_skip{"cut_skip"};
  sc_core::sc_out<bool> cut_again{"cut_again"}, cut_keeps{"cut_keeps"};
  sc_core::sc_in<bool> build{"build"};
  sc_core::sc_out<bool> built{"built"};
  sc_core::sc_out<std::uint64_t> built_header{"built_header"}, built_address{"built_address"};
  sc_core::sc_in<bool> line_valid{"line_valid"}, line_start{"line_start"};
  sc_core::sc_in<std::uint32_t> line_place{"line_place"};
  sc_core::sc_in<std::uint64_t> line_word{"line_word"};
  sc_core::sc_in<bool> send{"send"};
  sc_core::sc_in<std::uint32_t> send_place{"send_place"}, send_ports{"send_ports"};
  sc_core::sc_out<bool> out_valid{"out_valid"};
  sc_core::sc_out<std::uint32_t> out_flit{"out_flit"};

  PacketBuilderModule(sc_core::sc_module_name name, const PacketBuilderConfig& config);

  SC_HAS_PROCESS(PacketBuilderModule);

 private:
  /// Buffer of a packet, with the lines that its words come from.
  struct Place {
    PacketRef packet;
    PacketCut cut;
    bool started = false;  ///< The first one has come.
    unsigned words = 0;    ///< doublewords of its lines that have come
    std::array<unsigned char, std::size_t{3} * line_bytes> lines{};
  };
  void on_edge();
  void clear();
  ParcelState parcel() const;
  void do_choose();
  void show_cut();
  void do_build();
  void take_word();
  FlitBits next_flit();

  const PacketBuilderConfig config_;
  PacketPool pool_;
  PacketCut cut_;
  unsigned place_ = 0;
  std::vector<Place> places_;
  PacketRef leaving_;
  std::uint32_t ports_ = 0;
  unsigned flit_ = 0;
};

}  // namespace tsuji::nic
