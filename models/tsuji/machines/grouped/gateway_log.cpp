// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/grouped/gateway_log.h"

#include <string>

namespace tsuji::machines {
namespace {

using observe::LogEvent;
using observe::LogLevel;
using Module = observe::RunLog::Module;

constexpr LogEvent arrives{"arrives", 1}, ends{"synchronization", 2}, completes{"synchronization", 3},
    leaves{"leaves", 4};

/// A packet between two gateways, by its word.
std::string contents(const Packet& packet) {
  const GatewayWord word = GatewayWord::decode(packet.group);
  const std::string from = " of node " + std::to_string(word.source);
  switch (word.kind) {
    case PacketKind::single_cast:
      return "a packet" + from + " for node " + std::to_string(word.destination);
    case PacketKind::multicast:
      return "a multicast" + from;
    case PacketKind::synchronization:
      break;
  }
  return "synchronization " + std::to_string(packet.sid);
}

std::string gateway_name(End group) {
  return "gateway " + group.name();
}

}  // namespace

class GatewayLog::Arrivals final : public PacketLinkProbe {
 public:
  Arrivals(PacketLink& link, observe::RunLog& log, Module module)
      : log_(log), module_(module), latency_(link.latency_cycles()), behind_(link.probe()) {
    link.set_probe(this);
  }
  bool on_send(Cycle now, PacketTransfer& transfer) override {
    const bool enters = behind_ == nullptr || behind_->on_send(now, transfer);
    const Packet& packet = *transfer.packet;
    log_.write(module_, LogLevel::debug, now + latency_, arrives, packet.id,
               "head arrives from " + gateway_name(packet.source) + ": " + contents(packet));
    log_.write(module_, LogLevel::trace, now + latency_ + packet.flits - 1, arrives, packet.id,
               "tail arrives");
    return enters;
  }
  void on_room(unsigned fifo, Cycle at) override {
    if (behind_ != nullptr) behind_->on_room(fifo, at);
  }

 private:
  observe::RunLog& log_;
  const Module module_;
  const Cycle latency_;
  PacketLinkProbe* const behind_;
};

class GatewayLog::Departures final : public GatewayProbe {
 public:
  Departures(GatewayModule& gateway, observe::RunLog& log, Module module)
      : log_(log), module_(module), behind_(gateway.gateway().probe()) {
    gateway.set_probe(this);
  }
  void on_head(GatewaySide to, const Packet& packet, Cycle now, bool over) override {
    if (behind_ != nullptr) behind_->on_head(to, packet, now, over);
    if (to == GatewaySide::group) return;
    log_.write(module_, LogLevel::debug, now, leaves, packet.id,
               "head leaves for " + gateway_name(packet.destination) + ": " + contents(packet) + ", " +
                   std::to_string(packet.flits) + " flits" + (over ? "" : "; copies follow"));
    log_.write(module_, LogLevel::trace, now + packet.flits - 1, leaves, packet.id, "tail leaves");
  }
  void on_end(const Packet& packet, unsigned from, Cycle now) override {
    if (behind_ != nullptr) behind_->on_end(packet, from, now);
    log_.write(
        module_, LogLevel::debug, now, ends, packet.id,
        "synchronization " + std::to_string(packet.sid) + ": group " + std::to_string(from) + " has come");
  }
  void on_round(const Packet& packet, Cycle now) override {
    if (behind_ != nullptr) behind_->on_round(packet, now);
    log_.write(
        module_, LogLevel::debug, now, completes, packet.id,
        "synchronization " + std::to_string(packet.sid) + ": all groups have come, its own is released");
  }

 private:
  observe::RunLog& log_;
  const Module module_;
  GatewayProbe* const behind_;
};

GatewayLog::GatewayLog(GroupedMachine& machine, unsigned group, observe::RunLog& log, Module module)
    : arrivals_(std::make_unique<Arrivals>(machine.link_from_others(group), log, module)),
      departures_(std::make_unique<Departures>(machine.gateway_module(group), log, module)) {}

GatewayLog::~GatewayLog() = default;

}  // namespace tsuji::machines
