// SPDX-License-Identifier: Apache-2.0
#include "crosspoint/crosspoint_module.h"

#include <cstring>
#include <deque>
#include <utility>

#include "crosspoint/switch_scenes.h"
#include "tsuji/core/error.h"
#include "tsuji/core/flit.h"
#include "tsuji/crosspoint/crosspoint_state.h"

namespace tsuji::crosspoint {
namespace {

std::uint32_t data_of(FlitBits flit) {
  return flit & ((1U << flit_data_bits) - 1);
}

/// Flits as they came, in the payload of their packet.
void keep_flit(PacketRef& packet, unsigned index, FlitBits flit) {
  std::memcpy(packet.edit().payload.data() + 4 * index, &flit, 4);
}
FlitBits kept_flit(const PacketRef& packet, unsigned index) {
  FlitBits flit = 0;
  std::memcpy(&flit, packet->payload.data() + 4 * index, 4);
  return flit;
}

}  // namespace

/// The decisions of the switch between its pins, an edge a call.
class CrosspointModule::Device final : private SyncProbe {
 public:
  Device(const CrosspointConfig& config, const std::string& name)
      : config_(config), name_(name), scenes_(config.ports) {
    static_assert(4 * most_flits == Packet::max_payload_bytes);
    restart();
  }

  /// Values at the outputs.
  struct Outputs {
    std::uint32_t valid = 0;
    std::vector<std::uint32_t> flit, from, sid, room, freed;
    bool sync_done = false, sync_complete = false;
    std::uint32_t sync_input = 0, sync_output = 0, sync_arrived = 0, sync_early = 0;
  };

  void restart() {
    state_.reset();
    arriving_.assign(config_.ports, {});
    leaving_.assign(config_.ports, {});
    room_.assign(config_.ports, 0);
    count_.assign(std::size_t{config_.ports} * config_.ports, 0);
    releases_.clear();
    clear_outputs();
    for (auto& room : outputs.room) room = (1U << config_.ports) - 1;
  }
  /// Puts the switch at its place, after a reset.
  void place(const bench::SwitchStraps& straps) {
    const bench::SwitchScenes::Scene* scene = scenes_.find(straps);
    if (scene == nullptr)
      throw ModelError(name_, now_, "", "pins route_* and sync_* of no place in a network");
    state_ = std::make_unique<CrosspointState>(config_, scene->route, name_);
    state_->set_sync_probe(this);
  }
  bool placed() const { return state_ != nullptr; }

  void take(unsigned input, FlitBits flit);
  void set_room(unsigned output, std::uint32_t room) { room_[output] = room; }
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
  void clear_outputs() {
    const std::size_t ports = config_.ports;
    outputs = {};
    outputs.flit.assign(ports, 0);
    outputs.from.assign(ports, 0);
    outputs.sid.assign(ports, 0);
    outputs.room.assign(ports, 0);
    outputs.freed.assign(ports, 0);
  }
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
  const bench::SwitchScenes scenes_;
  PacketPool pool_;
  std::unique_ptr<CrosspointState> state_;
  std::vector<Arriving> arriving_;
  std::vector<Leaving> leaving_;
  std::vector<std::uint32_t> room_;
  std::vector<unsigned> count_;
  std::deque<Release> releases_;
  std::uint32_t serial_ = 0;
  unsigned copies_ = 0;  ///< of multicasts, in this cycle
  std::uint32_t heads_ = 0;
  Cycle now_ = 1;
};

void CrosspointModule::Device::take(unsigned input, FlitBits flit) {
  Arriving& arriving = arriving_[input];
  const std::uint32_t data = data_of(flit);
  if (arriving.flits == 0) {
    arriving.packet = pool_.make();
    arriving.arrival = now_;
    arriving.port_bits = data >> 2;
    Packet& packet = arriving.packet.edit();
    packet.kind = static_cast<PacketKind>(data & 3U);
    packet.id = packet_id(NodeId{input}, serial_++);
    packet.source = NodeId{input};
    for (unsigned fifo = 0; fifo < config_.ports; ++fifo)
      if ((arriving.port_bits >> fifo & 1U) != 0) ++count_[input * config_.ports + fifo];
  }
  if (arriving.flits == most_flits)
    throw ModelError(name_, now_, packet_name(arriving.packet->id), "a packet is too long");
  keep_flit(arriving.packet, arriving.flits, flit);
  read_header(arriving, data);
  ++arriving.flits;
  if (position_of(flit) == FlitPosition::last) arriving.flits = 0;
}

void CrosspointModule::Device::read_header(Arriving& arriving, std::uint32_t data) const {
  Packet& packet = arriving.packet.edit();
  const bool single = packet.kind == PacketKind::single_cast;
  if (!single && arriving.flits >= 1 && arriving.flits <= 3)
    packet.map |= std::uint64_t{arriving.flits == 3 ? data & 0xffffU : data} << 24 * (arriving.flits - 1);
  const unsigned number_flit = single ? 1 : 4;
  if (arriving.flits == number_flit) {
    packet.destination = NodeId{data & 0x3ffU};
    packet.group = packet.kind == PacketKind::multicast ? data & 15U : 0;
    packet.sid = static_cast<std::uint8_t>(packet.kind == PacketKind::synchronization ? data & 127U : 0);
  }
  if (arriving.flits != number_flit + 1) return;
  packet.flits = static_cast<std::uint16_t>(header_flits(packet.kind) + (data >> 10 & 0x1ffU));
  arriving.known = true;
}

bool CrosspointModule::Device::receive(unsigned input, Cycle, PacketTransfer& transfer, Cycle& arrival) {
  Arriving& arriving = arriving_[input];
  if (!std::exchange(arriving.known, false)) return false;
  transfer = {arriving.packet, arriving.port_bits, 0};
  arrival = arriving.arrival;
  copies_ += static_cast<unsigned>(__builtin_popcount(arriving.port_bits)) - 1;
  return true;
}

void CrosspointModule::Device::send(unsigned output, Cycle, PacketTransfer&& transfer) {
  heads_ |= 1U << output;
  const bool owed = transfer.packet->kind == PacketKind::synchronization;
  outputs.from[output] = owed ? config_.ports : static_cast<std::uint32_t>(transfer.packet->source.number());
  outputs.sid[output] = owed ? transfer.packet->sid : 0;
  const std::uint32_t bits = transfer.port_bits;
  leaving_[output] = {std::move(transfer.packet), bits, 0};
}

void CrosspointModule::Device::release(unsigned input, unsigned fifo, Cycle at) {
  releases_.push_back({at, input, fifo});
  if (at != now_) return;
  outputs.sync_done = true;
  outputs.sync_input = input;
  outputs.sync_output = fifo;
}

void CrosspointModule::Device::step() {
  clear_outputs();
  copies_ = heads_ = 0;
  const std::uint64_t replicated = state_->counters().replicated;
  state_->step(now_, *this);
  outputs.sync_complete = state_->counters().replicated - replicated != copies_;
  show_slots();
  show_flits();
  ++now_;
}

void CrosspointModule::Device::show_slots() {
  for (auto release = releases_.begin(); release != releases_.end();) {
    if (release->at > now_) {
      ++release;
      continue;
    }
    --count_[release->input * config_.ports + release->fifo];
    outputs.freed[release->input] |= 1U << release->fifo;
    release = releases_.erase(release);
  }
  for (unsigned input = 0; input < config_.ports; ++input)
    for (unsigned fifo = 0; fifo < config_.ports; ++fifo)
      if (count_[input * config_.ports + fifo] < config_.fifo_packets) outputs.room[input] |= 1U << fifo;
}

void CrosspointModule::Device::show_flits() {
  for (unsigned output = 0; output < config_.ports; ++output) {
    Leaving& leaving = leaving_[output];
    if (!leaving.packet) continue;
    FlitBits flit = kept_flit(leaving.packet, leaving.next);
    if (leaving.next == 0)
      flit = make_flit(port_flit_data(leaving.packet->kind, leaving.port_bits), position_of(flit));
    outputs.valid |= 1U << output;
    outputs.flit[output] = flit;
    if (++leaving.next == leaving.packet->flits) leaving.packet.reset();
  }
}

CrosspointModule::CrosspointModule(sc_core::sc_module_name module_name, const CrosspointConfig& config)
    : sc_module(module_name),
      route_fixed("route_fixed", config.ports),
      route_first("route_first", std::size_t{config.ports} * config.ports),
      route_last("route_last", std::size_t{config.ports} * config.ports),
      sync_from("sync_from", config.ports),
      sync_to("sync_to", config.ports),
      in_flit("in_flit", config.ports),
      in_room("in_room", config.ports),
      in_freed("in_freed", config.ports),
      out_flit("out_flit", config.ports),
      out_room("out_room", config.ports),
      out_from("out_from", config.ports),
      out_sid("out_sid", config.ports),
      config_(config),
      device_(std::make_unique<Device>(config, name())) {
  SC_METHOD(on_edge);
  sensitive << clock.pos();
  dont_initialize();
}

CrosspointModule::~CrosspointModule() = default;

void CrosspointModule::on_edge() {
  if (reset.read()) {
    device_->restart();
    return show();
  }
  const unsigned ports = config_.ports;
  if (!device_->placed()) {
    bench::SwitchStraps straps(ports);
    for (unsigned port = 0; port < ports; ++port) {
      straps.fixed[port] = route_fixed[port].read();
      straps.from[port] = sync_from[port].read();
      straps.to[port] = sync_to[port].read();
    }
    for (unsigned pair = 0; pair < ports * ports; ++pair) {
      straps.first[pair] = route_first[pair].read();
      straps.last[pair] = route_last[pair].read();
    }
    device_->place(straps);
  }
  for (unsigned port = 0; port < ports; ++port) {
    device_->set_room(port, out_room[port].read());
    if ((in_valid.read() >> port & 1U) != 0) device_->take(port, in_flit[port].read());
  }
  device_->step();
  show();
}

void CrosspointModule::show() {
  const Device::Outputs& outputs = device_->outputs;
  for (unsigned port = 0; port < config_.ports; ++port) {
    in_room[port].write(outputs.room[port]);
    in_freed[port].write(outputs.freed[port]);
    out_flit[port].write(outputs.flit[port]);
    out_from[port].write(outputs.from[port]);
    out_sid[port].write(outputs.sid[port]);
  }
  out_valid.write(outputs.valid);
  sync_done.write(outputs.sync_done);
  sync_input.write(outputs.sync_input);
  sync_output.write(outputs.sync_output);
  sync_complete.write(outputs.sync_complete);
  sync_arrived.write(outputs.sync_arrived);
  sync_early.write(outputs.sync_early);
}

}  // namespace tsuji::crosspoint
