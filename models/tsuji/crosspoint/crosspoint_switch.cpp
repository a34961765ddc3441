// SPDX-License-Identifier: Apache-2.0
#include "tsuji/crosspoint/crosspoint_switch.h"

#include <algorithm>
#include <utility>

#include "tsuji/crosspoint/crosspoint_state.h"
#include "tsuji/crosspoint/flit_crosspoint.h"

namespace tsuji::crosspoint {
namespace {

/// Connects a state to its channels. `In` and `Out` are the class of the channels if all are of one class, so
/// that calls are direct; otherwise (with an adapter among them) they are the interfaces.
template <class In, class Out>
struct Wires {
  Clocked* owner = nullptr;
  std::vector<In*> in;
  std::vector<Out*> out;

  explicit Wires(const std::vector<SwitchPort>& ports) {
    for (const SwitchPort& port : ports) {
      in.push_back(dynamic_cast<In*>(port.in));
      out.push_back(dynamic_cast<Out*>(port.out));
    }
  }
  bool complete() const {
    return std::count(in.begin(), in.end(), nullptr) + std::count(out.begin(), out.end(), nullptr) == 0;
  }

  bool receive(unsigned input, Cycle now, PacketTransfer& transfer, Cycle& arrival) {
    return in[input]->receive(now, transfer, arrival);
  }
  std::uint32_t room(unsigned output, Cycle now) { return out[output]->room(now); }
  void send(unsigned output, Cycle now, PacketTransfer&& transfer) {
    out[output]->watch_room(0);
    out[output]->send(now, std::move(transfer));
  }
  void release(unsigned input, unsigned fifo, Cycle at) { in[input]->release(fifo, at); }
  void wait_room(unsigned output, Cycle now, std::uint32_t fifos) {
    // Wakes the switch for a rise of a room signal whose cycle is known, and watches the other signals.
    Cycle earliest = never;
    for (std::uint32_t left = fifos; left != 0; left &= left - 1) {
      const Cycle at = out[output]->room_at(static_cast<unsigned>(__builtin_ctz(left)));
      if (at > now && at < earliest) earliest = at;
    }
    if (earliest != never) owner->wake_at(earliest);
    out[output]->watch_room(fifos);
  }
};
using DirectWires = Wires<PacketLink, PacketLink>;
using VirtualWires = Wires<PacketInIf, PacketOutIf>;

template <class State, class Wires>
class CrosspointSwitch final : public PacketSwitch {
 public:
  CrosspointSwitch(const CrosspointConfig& config, const SwitchParts& parts, Wires&& wires)
      : config_(config), state_(config, parts.route, parts.name), wires_(std::move(wires)) {
    state_.set_pool(parts.pool);
  }

  void bind(Clocked& self) override {
    wires_.owner = &self;
    for (auto* input : wires_.in)
      input->bind_receiver(self, config_.ports, config_.fifo_packets, state_.least_delay());
    for (auto* output : wires_.out) output->bind_sender(self);
  }
  void step(Cycle now) override {
    const Cycle next = state_.step(now, wires_);
    if (next != never) wires_.owner->wake_at(next);
  }
  const SwitchCounters& counters() const override { return state_.counters(); }
  std::string stands_for() const override { return state_.stands_for(); }
  void add_parts(PartList& parts) const override { state_.add_parts(parts); }
  void visit_waiting(const std::function<void(const WaitingPacket&)>& visit) const override {
    for (unsigned input = 0; input < config_.ports; ++input) {
      for (unsigned output = 0; output < config_.ports; ++output) {
        const PacketTransfer* head = state_.head(input, output);
        if (head == nullptr) continue;
        visit({"FIFO (" + std::to_string(input) + ", " + std::to_string(output) + ")", head->packet->id,
               "FIFOs of the next switch, port bits " + std::to_string(head->port_bits)});
      }
    }
  }
  void set_sync_probe(SyncProbe* probe) override { state_.set_sync_probe(probe); }

 private:
  const CrosspointConfig config_;
  State state_;
  Wires wires_;
};

template <class State>
std::unique_ptr<PacketSwitch> make(const CrosspointConfig& config, const SwitchParts& parts) {
  DirectWires direct(parts.ports);
  if (direct.complete())
    return std::make_unique<CrosspointSwitch<State, DirectWires>>(config, parts, std::move(direct));
  return std::make_unique<CrosspointSwitch<State, VirtualWires>>(config, parts, VirtualWires(parts.ports));
}

}  // namespace

SwitchKind crosspoint_switch(const CrosspointConfig& config) {
  config.validate();
  SwitchKind kind;
  kind.name = "crosspoint switch";
  kind.multicasts = true;
  kind.synchronizes = true;
  kind.combines = true;
  kind.tells_synchronizations = true;
  kind.make = [config](const SwitchParts& parts) {
    return config.mode == SwitchMode::flit_by_flit ? make<FlitCrosspoint>(config, parts)
                                                   : make<CrosspointState>(config, parts);
  };
  return kind;
}

}  // namespace tsuji::crosspoint
