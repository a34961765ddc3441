#pragma once

#include <memory>
#include <systemc>
#include <variant>
#include <vector>

#include "tsuji/crosspoint/config.h"
#include "tsuji/crosspoint/crosspoint_state.h"
#include "tsuji/crosspoint/flit_crosspoint.h"
#include "tsuji/graph/multistage.h"
#include "tsuji/link/clock_domain.h"
#include "tsuji/link/packet_link.h"

namespace tsuji::crosspoint {

/// N x N crosspoint-buffered switch with multicast and synchronization (Kanoh 2000, section 3, fig. 2): the
/// wiring and the time around CrosspointState or FlitCrosspoint. A packet is accepted only where its whole
/// length fits. Invariant: packets received + replicated - merged - dropped = sent + held.
class CrosspointSwitch final : public sc_core::sc_module, public Clocked {
 public:
  sc_core::sc_vector<sc_core::sc_port<PacketInIf>> in;
  sc_core::sc_vector<sc_core::sc_port<PacketOutIf>> out;

  CrosspointSwitch(sc_core::sc_module_name name, ClockDomain& domain, const CrosspointConfig& config,
                   graph::SwitchRoute route);

  void step(Cycle now) override;
  const SwitchCounters& counters() const;
  /// Packets in FIFO (input, output).
  unsigned held(unsigned input, unsigned output) const;
  const PacketTransfer* head(unsigned input, unsigned output) const;
  const CrosspointConfig& config() const { return config_; }
  void set_sync_probe(SyncProbe* probe) {
    std::visit([probe](auto& state) { state.set_sync_probe(probe); }, state_);
  }

 private:
  /// The wires as the state sees them. Ports resolve their interface once: to the channel itself where one is
  /// bound, so that its calls are direct, or to the interface where an adapter is.
  template <class In, class Out>
  struct Wires {
    CrosspointSwitch& owner;
    std::vector<In*> in;
    std::vector<Out*> out;

    bool receive(unsigned input, Cycle now, PacketTransfer& transfer, Cycle& arrival) {
      return in[input]->receive(now, transfer, arrival);
    }
    std::uint32_t room(unsigned output, Cycle now) { return out[output]->room(now); }
    void send(unsigned output, Cycle now, PacketTransfer&& transfer) {
      out[output]->watch_room(0);
      out[output]->send(now, std::move(transfer));
    }
    void release(unsigned input, unsigned fifo, Cycle at) { in[input]->release(fifo, at); }
    void wait_room(unsigned output, Cycle now, std::uint32_t fifos);
  };
  using DirectWires = Wires<PacketLink, PacketLink>;
  using VirtualWires = Wires<PacketInIf, PacketOutIf>;

  void end_of_elaboration() override;

  const CrosspointConfig config_;
  const graph::SwitchRoute route_;
  std::variant<CrosspointState, FlitCrosspoint> state_;
  std::variant<VirtualWires, DirectWires> wires_;
};

}  // namespace tsuji::crosspoint
