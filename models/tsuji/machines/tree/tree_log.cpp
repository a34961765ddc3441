// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/tree/tree_log.h"

#include <string>

namespace tsuji::machines {
namespace {

constexpr observe::LogEvent arrives{"arrives", 1}, leaves{"leaves", 2};

std::string neighbour_name(End end) {
  return (end.is_router() ? "unit " + std::to_string(end.router()) : "node " + end.name());
}

std::string contents(const Packet& packet) {
  if (packet.kind == PacketKind::multicast) return "a multicast of node " + packet.source.name();
  return "synchronization " + std::to_string(packet.sid);
}

}  // namespace

TreeLog::TreeLog(TreePort& unit, observe::RunLog& log, observe::RunLog::Module module)
    : log_(log), module_(module), before_(unit.probe()) {
  unit.set_probe(this);
}

void TreeLog::on_take(graph::RouterId unit, End from, const Packet& packet, Cycle at) {
  if (before_ != nullptr) before_->on_take(unit, from, packet, at);
  log_.write(module_, observe::LogLevel::debug, at, arrives, packet.id,
             (from.is_router() ? "is whole from " : "head arrives from ") + neighbour_name(from) + ": " +
                 contents(packet));
}

void TreeLog::on_send(graph::RouterId unit, End to, const Packet& packet, Cycle now) {
  if (before_ != nullptr) before_->on_send(unit, to, packet, now);
  log_.write(module_, observe::LogLevel::debug, now, leaves, packet.id,
             "leaves for " + neighbour_name(to) + ": " + contents(packet));
}

}  // namespace tsuji::machines
