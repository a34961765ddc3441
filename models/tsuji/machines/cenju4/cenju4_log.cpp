// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/cenju4/cenju4_log.h"

#include <string>

namespace tsuji::machines {

using observe::LogLevel;

/// Packets of one node's Receiver.
class Cenju4Log::Deliveries final : public nic::NicObserver {
 public:
  Deliveries(nic::NetworkInterface& interface, observe::RunLog& log, observe::RunLog::Module module)
      : log_(log), module_(module), behind_(interface.observer()) {
    interface.set_observer(this);
  }

  void on_delivered(const Packet& packet, Cycle now, unsigned hops) override {
    if (behind_ != nullptr) behind_->on_delivered(packet, now, hops);
    log_.write(module_, LogLevel::debug, now, {"delivered", 52}, packet.id,
               "in memory: " + what(packet) + " from node " + packet.source.name() + ", " +
                   std::to_string(now - packet.created) + " cycles after its parcel's header was read");
  }

 private:
  static std::string what(const Packet& packet) {
    if (packet.kind == PacketKind::synchronization) return "synchronization " + std::to_string(packet.sid);
    return std::to_string(packet.payload_bytes) + " B";
  }

  observe::RunLog& log_;
  const observe::RunLog::Module module_;
  nic::NicObserver* const behind_;
};

Cenju4Log::Cenju4Log(Cenju4Nodes& nodes, observe::RunLog& log) : wave_(log, nodes.config().period()) {
  for (NodeId id = 0; id < nodes.nodes(); ++id) {
    Cenju4Node& node = nodes.node(id);
    const observe::RunLog::Module nic = log.add("nic." + std::to_string(id));
    if (nic.logs(LogLevel::debug)) {
      node.interface().add_wave(wave_);
      deliveries_.push_back(std::make_unique<Deliveries>(node.interface(), log, nic));
    }
    if (node.own_processor() != nullptr && log.add("processor." + std::to_string(id)).logs(LogLevel::debug))
      node.processor().add_wave(wave_);
  }
}

Cenju4Log::~Cenju4Log() = default;

std::vector<observe::LogModules> Cenju4Log::modules(unsigned nodes) {
  return {{"nic", {nodes}}, {"processor", {nodes}}};
}

}  // namespace tsuji::machines
