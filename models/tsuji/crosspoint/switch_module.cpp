// SPDX-License-Identifier: Apache-2.0
#include "tsuji/crosspoint/switch_module.h"

#include <string>
#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::crosspoint {

/// Input of a switch that does not accept all kinds of packets.
class SwitchModule::Gate final : public PacketInIf {
 public:
  Gate(const SwitchModule& owner, PacketInIf& channel) : owner_(owner), channel_(channel) {}

  bool receive(Cycle now, PacketTransfer& transfer, Cycle& arrival) override {
    if (!channel_.receive(now, transfer, arrival)) return false;
    const PacketKind kind = transfer.packet->kind;
    if (kind == PacketKind::multicast && !owner_.kind_.multicasts) refuse(now, transfer, "multicast");
    if (kind == PacketKind::synchronization && !owner_.kind_.synchronizes)
      refuse(now, transfer, "synchronize");
    if (kind == PacketKind::synchronization && transfer.packet->payload_bytes > 0 && !owner_.kind_.combines)
      refuse(now, transfer, "combine operands");
    return true;
  }
  void release(unsigned fifo, Cycle at) override { channel_.release(fifo, at); }
  void bind_receiver(Clocked& receiver, unsigned fifos, unsigned slots_per_fifo, Cycle lag) override {
    channel_.bind_receiver(receiver, fifos, slots_per_fifo, lag);
  }

 private:
  [[noreturn]] void refuse(Cycle now, const PacketTransfer& transfer, const char* what) const {
    throw ModelError(owner_.name(), now, packet_name(transfer.packet->id),
                     std::string("a ") + owner_.kind_.name + " cannot " + what);
  }

  const SwitchModule& owner_;
  PacketInIf& channel_;
};

SwitchModule::SwitchModule(sc_core::sc_module_name module_name, ClockDomain& domain, const SwitchKind& kind,
                           const SwitchPlace& place, unsigned ports, graph::SwitchRoute route)
    : sc_module(module_name),
      Clocked(domain),
      in("in", ports),
      out("out", ports),
      kind_(kind),
      place_(place),
      route_(std::move(route)) {}

SwitchModule::~SwitchModule() = default;

void SwitchModule::set_sync_probe(SyncProbe* probe) {
  if (!kind_.tells_synchronizations)
    throw ModelError(name(), std::string("a ") + kind_.name + " does not report its synchronizations");
  switch_->set_sync_probe(probe);
  sync_probe_ = probe;
}

void SwitchModule::end_of_elaboration() {
  const bool takes_all = kind_.multicasts && kind_.synchronizes && kind_.combines;
  SwitchParts parts{place_, {}, route_, name(), pool_};
  for (unsigned port = 0; port < ports(); ++port) {
    PacketInIf* input = in[port].operator->();
    if (!takes_all) {
      gates_.push_back(std::make_unique<Gate>(*this, *input));
      input = gates_.back().get();
    }
    parts.ports.push_back({input, out[port].operator->()});
  }
  switch_ = kind_.make(parts);
  switch_->bind(*this);
  hand_steps_to(*switch_);
}

}  // namespace tsuji::crosspoint
