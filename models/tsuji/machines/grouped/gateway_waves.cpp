// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/grouped/gateway_waves.h"

#include <algorithm>
#include <deque>

namespace tsuji::machines {

/// A direction's state, written ahead up to the last known event; of two changes for one time the later one
/// counts.
class GatewayWaves::Direction {
 public:
  Direction(const Parts& parts, const std::string& name, const std::string& heading)
      : wave_(parts.wave), period_(parts.machine.config().period()), place_(parts.scope + "." + name) {
    state_ = wave_.add(place_ + ".state", 2, observe::WaveFormat::decimal, heading);
    static constexpr const char* names[] = {"-", "store", "wait", "send"};
    for (std::uint64_t value = 0; value < std::size(names); ++value)
      wave_.name_value(state_, value, names[value]);
    packet_ = wave_.add(place_ + ".packet", 0, observe::WaveFormat::text, heading);
  }
  const std::string& place() const { return place_; }

  /// In cycle `now` it is known that a head comes in `arrival`.
  void comes(const Packet& packet, Cycle now, Cycle arrival, Cycle ready) {
    held_.push_back({packet_name(packet.id), arrival, ready});
    if (held_.size() == 1) show_first(std::max(now, busy_until_));
  }
  void leaves(const Packet& packet, Cycle now, bool over) {
    busy_until_ = now + packet.flits;
    show(now, GatewayState::send, packet_name(packet.id));
    if (over) {
      held_.pop_front();
    } else if (!held_.empty()) {  // a release passes it
      for (const Cycle known : {held_.front().arrival, held_.front().ready})
        if (known > now && known < busy_until_) show(known, GatewayState::send, packet_name(packet.id));
    }
    show_first(busy_until_);
  }
  void ends(Cycle now) {
    held_.pop_front();
    show_first(std::max(now, busy_until_));
  }

 private:
  struct Held {
    std::string name;
    Cycle arrival, ready;
  };
  /// From cycle `from` on the first packet decides.
  void show_first(Cycle from) {
    if (held_.empty()) return show(from, GatewayState::idle, "");
    const Held& first = held_.front();
    if (first.arrival > from) show(from, GatewayState::idle, "");
    const Cycle stored = std::max(from, first.arrival);
    if (first.ready > stored) show(stored, GatewayState::store, first.name);
    show(std::max(stored, first.ready), GatewayState::wait, first.name);
  }
  void show(Cycle at, GatewayState state, const std::string& packet) {
    wave_.change(state_, period_.ps_at(at), static_cast<std::uint64_t>(state));
    wave_.change(packet_, period_.ps_at(at), packet);
  }

  observe::Wave& wave_;
  const ClockPeriod period_;
  const std::string place_;
  observe::SignalId state_ = 0, packet_ = 0;
  std::deque<Held> held_;  ///< on the channel, too
  Cycle busy_until_ = 0;
};

/// Heads on a channel to the gateway.
class GatewayWaves::Arrivals final : public PacketLinkProbe {
 public:
  Arrivals(const Parts& parts, PacketLink& link, Direction& direction)
      : comes_(parts.comes),
        cycles_(parts.machine.gateway_module(parts.group).config().cycles),
        latency_(link.latency_cycles()),
        direction_(direction),
        behind_(link.probe()) {
    link.set_probe(this);
  }
  bool on_send(Cycle now, PacketTransfer& transfer) override {
    const bool enters = behind_ == nullptr || behind_->on_send(now, transfer);
    const Packet& packet = *transfer.packet;
    const Cycle arrival = now + latency_;
    direction_.comes(packet, now, arrival, arrival + packet.flits + cycles_ - 1);
    if (comes_) comes_(packet, direction_.place(), arrival);
    return enters;
  }
  void on_room(unsigned fifo, Cycle at) override {
    if (behind_ != nullptr) behind_->on_room(fifo, at);
  }

 private:
  const std::function<void(const Packet&, const std::string&, Cycle)> comes_;
  const Cycle cycles_, latency_;
  Direction& direction_;
  PacketLinkProbe* const behind_;
};

class GatewayWaves::Departures final : public GatewayProbe {
 public:
  Departures(const Parts& parts, Direction& out, Direction& in)
      : wave_(parts.wave),
        period_(parts.machine.config().period()),
        out_(out),
        in_(in),
        behind_(parts.machine.gateway(parts.group).probe()) {
    round_ = wave_.add(parts.scope + ".round", 0, observe::WaveFormat::text, parts.heading + " barriers");
    parts.machine.gateway_module(parts.group).set_probe(this);
  }
  void on_head(GatewaySide to, const Packet& packet, Cycle now, bool over) override {
    if (behind_ != nullptr) behind_->on_head(to, packet, now, over);
    (to == GatewaySide::others ? out_ : in_).leaves(packet, now, over);
  }
  void on_end(const Packet& packet, unsigned from, Cycle now) override {
    if (behind_ != nullptr) behind_->on_end(packet, from, now);
    in_.ends(now);
  }
  void on_round(const Packet& packet, Cycle now) override {
    if (behind_ != nullptr) behind_->on_round(packet, now);
    wave_.change(round_, period_.ps_at(now), "sync " + std::to_string(packet.sid));
    wave_.change(round_, period_.ps_at(now + 1), std::string());
  }

 private:
  observe::Wave& wave_;
  const ClockPeriod period_;
  Direction &out_, &in_;
  GatewayProbe* const behind_;
  observe::SignalId round_ = 0;
};

GatewayWaves::GatewayWaves(const Parts& parts)
    : out_(std::make_unique<Direction>(parts, "to_others", parts.heading + " to others")),
      in_(std::make_unique<Direction>(parts, "from_others", parts.heading + " from others")) {
  network::CrosspointNetwork& group = parts.machine.group(parts.group);
  from_group_ = std::make_unique<Arrivals>(parts, group.to_node(group.topology().gateway_line()), *out_);
  from_others_ = std::make_unique<Arrivals>(parts, parts.machine.link_from_others(parts.group), *in_);
  departures_ = std::make_unique<Departures>(parts, *out_, *in_);
}

GatewayWaves::~GatewayWaves() = default;

}  // namespace tsuji::machines
