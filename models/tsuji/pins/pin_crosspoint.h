// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/core/flit.h"
#include "tsuji/crosspoint/crosspoint_state.h"

namespace tsuji::crosspoint {

/// The crosspoint switch with the pins and times of crosspoint_switch.v, without a simulation kernel. The
/// class that decides (CrosspointState) knows a packet's length when its head arrives; here bits 42:34 of the
/// first header word state the number of flits after the header.
///
/// Contract: restart() and place() first; then for each cycle set_room() of every output and take() of every
/// flit that arrives, and step(), after which `outputs` holds the pins of the next cycle.
class PinCrosspoint final : private SyncProbe {
 public:
  static constexpr unsigned most_flits = 64;  ///< longest packet
  /// Flits of a packet up to the end of its header.
  static constexpr unsigned header_flits(PacketKind kind) { return kind == PacketKind::single_cast ? 7 : 10; }

  /// `name` comes first in the text of a ModelError.
  PinCrosspoint(const CrosspointConfig& config, const std::string& name);

  /// Values at the outputs.
  struct Outputs {
    std::uint32_t valid = 0;
    std::vector<std::uint32_t> flit, from, sid, room, freed;
    bool sync_done = false, sync_complete = false;
    std::uint32_t sync_input = 0, sync_output = 0, sync_arrived = 0, sync_early = 0;
  };

  /// Empties the switch, which has no place from then on.
  void restart();
  /// Puts the switch at its place, after a reset.
  void place(const graph::SwitchRoute& route) {
    state_ = std::make_unique<CrosspointState>(config_, route, name_);
    state_->set_sync_probe(this);
  }
  bool placed() const { return state_ != nullptr; }

  /// A flit that arrives. ModelError for a head or a length that no packet of this switch has.
  void take(unsigned input, FlitBits flit);
  /// Room wires at an output: a bit for each FIFO of the receiver.
  void set_room(unsigned output, std::uint32_t room) { room_[output] = room; }
  /// The edge at the end of a cycle.
  void step();

  // Ports of CrosspointState.
  bool receive(unsigned input, Cycle now, PacketTransfer& transfer, Cycle& arrival);
  std::uint32_t room(unsigned output, Cycle) const { return room_[output]; }
  void send(unsigned output, Cycle now, PacketTransfer&& transfer);
  void release(unsigned input, unsigned fifo, Cycle at);
  void wait_room(unsigned, Cycle, std::uint32_t) {}

  Outputs outputs;

 private:
  struct Arriving {
    PacketRef packet;
    unsigned flits = 0;  ///< that have come
    Cycle arrival = 0;
    std::uint32_t port_bits = 0;
    bool known = false;  ///< the header has come; the packet is not handed over
  };
  struct Leaving {
    PacketRef packet;
    std::uint32_t port_bits = 0;
    unsigned next = 0;
  };
  struct Release {
    Cycle at;
    unsigned input, fifo;
  };
  void clear_outputs();
  void take_head(unsigned input, std::uint32_t data);
  void read_header(Arriving& arriving, std::uint32_t data) const;
  void show_slots();
  void show_flits();
  void on_entry(Cycle at, unsigned, std::uint32_t arrived, std::uint32_t early, std::uint32_t) override {
    if (at != now_) return;
    outputs.sync_arrived = arrived;
    outputs.sync_early = early;
  }

  const CrosspointConfig config_;
  const std::string name_;
  PacketPool pool_;
  std::unique_ptr<CrosspointState> state_;
  std::vector<Arriving> arriving_;
  std::vector<Leaving> leaving_;
  std::vector<std::uint32_t> room_;
  std::vector<unsigned> count_;
  std::deque<Release> releases_;
  std::uint32_t serial_ = 0;
  unsigned copies_ = 0;  ///< of multicasts, in this cycle
  Cycle now_ = 1;
};

}  // namespace tsuji::crosspoint
