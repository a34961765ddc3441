// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/crosspoint_log.h"

#include <optional>
#include <string>
#include <utility>

namespace tsuji::instruments {
namespace {

using observe::LogEvent;
using observe::LogLevel;
using Module = observe::RunLog::Module;

constexpr LogEvent arrives{"arrives", 1}, dropped{"dropped", 2}, leaves{"leaves", 4}, ends{"delivered", 5},
    room{"room", 6};
constexpr unsigned first_entry = 10;  ///< rank of the first entry of a cycle in a synchronization table

std::string list(std::uint32_t bits) {
  std::string text;
  for (unsigned i = 0; bits >> i != 0; ++i)
    if ((bits >> i & 1U) != 0) text += (text.empty() ? "" : ",") + std::to_string(i);
  return text.empty() ? "none" : text;
}

std::string packet_text(const Packet& packet) {
  const std::string size =
      ": " + std::to_string(packet.flits) + " flits, " + std::to_string(packet.payload_bytes) + " B";
  switch (packet.kind) {
    case PacketKind::single_cast:
      return " for node " + packet.destination.name() + size;
    case PacketKind::multicast:
      return ", a multicast" + size;
    case PacketKind::synchronization:
      break;
  }
  return ", synchronization " + std::to_string(packet.sid) + size;
}

}  // namespace

/// Packets of a channel, at its sender and at its receiver.
class CrosspointLog::LinkLog final : public PacketLinkProbe {
 public:
  struct Side {
    Module module;
    std::optional<unsigned> port;  ///< of a switch; empty: a node
  };
  LinkLog(observe::RunLog& log, PacketLink& link, const Side& sender, const Side& receiver)
      : log_(log),
        latency_(link.latency_cycles()),
        sender_(sender),
        receiver_(receiver),
        behind_(link.probe()),
        by_(sender.port ? " by output " + std::to_string(*sender.port) : "") {
    link.set_probe(this);
  }

  bool on_send(Cycle now, PacketTransfer& transfer) override {
    const bool enters = behind_ == nullptr || behind_->on_send(now, transfer);
    const Packet& packet = *transfer.packet;
    const Cycle last = now + packet.flits - 1;
    write(sender_, LogLevel::debug, now, leaves, packet, "head leaves" + by_ + about(packet, !sender_.port));
    write(sender_, LogLevel::trace, last, leaves, packet, "tail leaves" + by_);
    write(receiver_, LogLevel::debug, now + latency_, arrives, packet,
          receiver_.port ? "head arrives by input " + std::to_string(*receiver_.port) + " for outputs " +
                               list(transfer.port_bits)
                         : "head arrives");
    write(receiver_, LogLevel::trace, last + latency_, arrives, packet, "tail arrives");
    if (!enters)
      write(receiver_, LogLevel::debug, last + latency_, dropped, packet, "dropped: the check refuses it");
    return enters;
  }

  void on_room(unsigned fifo, Cycle at) override {
    if (behind_ != nullptr) behind_->on_room(fifo, at);
    log_.write(sender_.module, LogLevel::trace, at, room, std::nullopt,
               "room" + by_ + " in FIFO " + std::to_string(fifo) + " of the receiver");
  }

 private:
  void write(const Side& side, LogLevel level, Cycle cycle, const LogEvent& event, const Packet& packet,
             const std::string& text) {
    log_.write(side.module, level, cycle, event, packet.id, text);
  }
  static std::string about(const Packet& packet, bool at_source) {
    return at_source ? packet_text(packet) : "";
  }

  observe::RunLog& log_;
  const Cycle latency_;
  const Side sender_, receiver_;
  PacketLinkProbe* const behind_;
  const std::string by_;
};

/// Events of a switch's synchronization table.
class CrosspointLog::TableLog final : public crosspoint::SyncProbe {
 public:
  TableLog(observe::RunLog& log, crosspoint::SwitchModule& at, const Module& module)
      : log_(log), module_(module), behind_(at.sync_probe()) {
    at.set_sync_probe(this);
  }

  void on_entry(Cycle at, unsigned sid, std::uint32_t arrived, std::uint32_t early,
                std::uint32_t owed) override {
    if (behind_ != nullptr) behind_->on_entry(at, sid, arrived, early, owed);
    entries_ = at == last_ ? entries_ + 1 : 0;
    last_ = at;
    log_.write(module_, LogLevel::debug, at, {"synchronization", first_entry + entries_}, std::nullopt,
               "synchronization " + std::to_string(sid) + ": arrived at inputs " + list(arrived) +
                   (early == 0 ? "" : ", of the next round " + list(early)) + "; pending at outputs " +
                   list(owed));
  }

 private:
  observe::RunLog& log_;
  const Module module_;
  crosspoint::SyncProbe* const behind_;
  Cycle last_ = never;
  unsigned entries_ = 0;  ///< number of entries in that cycle so far
};

std::vector<observe::LogModules> CrosspointLog::modules(const graph::Multistage& topology) {
  return {{"switch", {topology.stages(), topology.switches_per_stage()}}, {"node", {topology.nodes()}}};
}

CrosspointLog::CrosspointLog(network::CrosspointNetwork& network, observe::RunLog& log,
                             CrosspointLogNames names)
    : log_(log), names_(std::move(names)) {
  const graph::Multistage& topology = network.topology();
  const auto switch_at = [&](unsigned stage, unsigned index) {
    return log.add(names_.switches + std::to_string(stage) + "." + std::to_string(index));
  };
  for (unsigned stage = 0; stage < topology.stages(); ++stage) {
    for (unsigned index = 0; index < topology.switches_per_stage(); ++index) {
      const Module module = switch_at(stage, index);
      if (module.logs(LogLevel::debug) && network.switch_kind().tells_synchronizations)
        tables_.push_back(std::make_unique<TableLog>(log, network.at(stage, index), module));
    }
  }
  const auto side = [&](unsigned stage, unsigned line) -> LinkLog::Side {
    const graph::Multistage::Place place = topology.place(stage, line);
    return {switch_at(stage, place.switch_index), place.port};
  };
  const auto end = [&](unsigned line) -> LinkLog::Side {
    const bool is_node = line < topology.nodes();
    return {log.add(is_node ? names_.nodes + std::to_string(topology.first_node() + line) : names_.gateway),
            std::nullopt};
  };
  for (unsigned stage = 0; stage <= topology.stages(); ++stage) {
    for (unsigned line = 0; line < topology.lines(); ++line) {
      const bool from_end = stage == 0, to_end = stage == topology.stages();
      if ((from_end || to_end) && !topology.has_end(line)) continue;
      const LinkLog::Side sender = from_end ? end(line) : side(stage - 1, line);
      const LinkLog::Side receiver = to_end ? end(line) : side(stage, line);
      if (sender.module.logs(LogLevel::debug) || receiver.module.logs(LogLevel::debug))
        links_.push_back(std::make_unique<LinkLog>(log, network.link(stage, line), sender, receiver));
    }
  }
}

CrosspointLog::~CrosspointLog() = default;

void CrosspointLog::delivered(const observe::DeliveredPacket& packet) {
  log_.write(log_.add(names_.nodes + packet.destination.name()), LogLevel::debug, packet.tail_cycle, ends,
             packet.id,
             "delivered: from node " + packet.source.name() + ", " +
                 std::to_string(packet.tail_cycle - packet.created) + " cycles after its birth");
}

}  // namespace tsuji::instruments
