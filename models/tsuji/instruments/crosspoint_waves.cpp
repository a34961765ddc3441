// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/crosspoint_waves.h"

#include <algorithm>
#include <deque>
#include <string>

#include "tsuji/core/flit.h"

namespace tsuji::instruments {
namespace {

std::string describe(const Packet& packet) {
  const std::string what = packet_name(packet.id);
  switch (packet.kind) {
    case PacketKind::single_cast:
      return what + " to " + packet.destination.name() + ", " + std::to_string(packet.payload_bytes) + " B";
    case PacketKind::multicast:
      return what + " multicast, " + std::to_string(packet.payload_bytes) + " B";
    case PacketKind::synchronization:
      break;
  }
  return "sync " + std::to_string(packet.sid);
}

/// Name of the place for synchronizations in the table at the end of a channel.
std::string table_place(const std::string& channel) {
  return channel + " table";
}

/// Fill level and room signal of a FIFO. Arrivals and departures of packets are known in advance and in any
/// order, so levels that were written for later cycles are overwritten; levels of past cycles never change.
class FifoWave {
 public:
  FifoWave(const std::string& path, const std::string& group, unsigned slots, Cycle latency,
           const ClockPeriod& period, observe::Wave& wave)
      : slots_(slots), latency_(latency), period_(period), wave_(wave) {
    room_ = wave.add(path + ".room", 1, observe::WaveFormat::binary, group);
    fill_ = wave.add(path + ".packets", observe::bits_for(slots), observe::WaveFormat::decimal, group);
  }

  void begin(Picoseconds time) {
    wave_.change(room_, time, std::uint64_t{1});
    wave_.change(fill_, time, std::uint64_t{0});
  }

  /// A head leaves the sender; `enters`: the receiver writes the packet into the FIFO and does not drop it.
  void sent(Cycle now, bool enters) {
    forget(now);
    ++owed_;
    unsigned used = owed_;
    for (const Cycle usable : returns_) used += usable > now + 1 ? 1 : 0;
    wave_.change(room_, period_.ps_at(now + 1), std::uint64_t{used < slots_ ? 1U : 0U});
    dropped_ = !enters;
    if (!enters) return;
    arrivals_.push_back(now + latency_);
    show_levels(now + latency_);
  }

  void returned(Cycle usable) {
    --owed_;
    returns_.push_back(usable);
    wave_.change(room_, period_.ps_at(usable), std::uint64_t{1});
    if (dropped_) {
      dropped_ = false;  // its slot is freed at once
      return;
    }
    const Cycle left = usable - 1 - latency_;
    departures_.push_back(left);
    show_levels(left);
  }

 private:
  void forget(Cycle now) {
    while (!returns_.empty() && returns_.front() <= now) returns_.pop_front();
    for (; !arrivals_.empty() && arrivals_.front() <= now; ++level_) arrivals_.pop_front();
    for (; !departures_.empty() && departures_.front() <= now; --level_) departures_.pop_front();
  }
  void show_levels(Cycle from) {
    for (const auto* changes : {&arrivals_, &departures_}) {
      for (const Cycle at : *changes) {
        if (at >= from) wave_.change(fill_, period_.ps_at(at), level(at));
      }
    }
  }
  std::uint64_t level(Cycle at) const {
    const auto until = [at](Cycle change) { return change <= at; };
    return static_cast<std::uint64_t>(level_ + std::count_if(arrivals_.begin(), arrivals_.end(), until) -
                                      std::count_if(departures_.begin(), departures_.end(), until));
  }

  const unsigned slots_;
  const Cycle latency_;
  const ClockPeriod period_;
  observe::Wave& wave_;
  observe::SignalId room_ = 0, fill_ = 0;
  unsigned owed_ = 0;           ///< packets sent whose slot's return is not known yet
  bool dropped_ = false;        ///< the packet sent last was dropped
  std::deque<Cycle> returns_;   ///< known returns, by the cycle in which the sender sees them
  std::ptrdiff_t level_ = 0;    ///< level before the first entry of the following lists
  std::deque<Cycle> arrivals_;  ///< arrivals of heads at the receiver
  std::deque<Cycle> departures_;
};

}  // namespace

/// A channel: the values on its wires at the sender, and the FIFOs that it fills.
class CrosspointWaves::LinkWave final : public PacketLinkProbe {
 public:
  LinkWave(PacketLink& link, const std::string& path, const std::string& group, const ClockPeriod& period,
           observe::Wave& wave, const CrosspointWavesConfig& config)
      : period_(period), wave_(wave), config_(config), behind_(link.probe()), place_(path) {
    packet_ = wave.add(path + ".packet", 0, observe::WaveFormat::text, group);
    if (config.detail == WaveDetail::signals) {
      flit_ = wave.add(path + ".flit", flit_bits, observe::WaveFormat::hex, group);
      for (unsigned fifo = 0; fifo < link.fifos(); ++fifo) {
        fifos_.emplace_back(path + ".fifo" + std::to_string(fifo), group, link.slots_per_fifo(),
                            link.latency_cycles(), period, wave);
      }
    }
    link.set_probe(this);
  }

  void begin(Cycle now) {
    for (FifoWave& fifo : fifos_) fifo.begin(period_.ps_at(now));
  }

  bool on_send(Cycle now, PacketTransfer& transfer) override {
    // A packet that the receiver drops at its input was on the wires anyway.
    const bool enters = behind_ == nullptr || behind_->on_send(now, transfer);
    for (std::uint32_t left = fifos_.empty() ? 0 : transfer.port_bits; left != 0; left &= left - 1) {
      fifos_[static_cast<unsigned>(__builtin_ctz(left))].sent(now, enters);
    }
    show(now, transfer);
    return enters;
  }

  void on_room(unsigned fifo, Cycle at) override {
    if (behind_ != nullptr) behind_->on_room(fifo, at);
    if (!fifos_.empty()) fifos_[fifo].returned(at);
  }

 private:
  void show(Cycle now, const PacketTransfer& transfer) {
    const Packet& packet = *transfer.packet;
    if (now > config_.last_cycle || now + packet.flits < config_.first_cycle) return;
    if (config_.followed != nullptr) {
      config_.followed->comes(packet, place_, now);
      if (packet.kind == PacketKind::synchronization)
        config_.followed->comes(packet, table_place(place_), now);
      config_.followed->goes(packet, now + packet.flits);
    }
    wave_.change(packet_, period_.ps_at(now), describe(packet));
    wave_.change(packet_, period_.ps_at(now + packet.flits), std::string());
    if (config_.detail != WaveDetail::signals) return;
    for (unsigned index = 0; index < packet.flits; ++index) {
      wave_.change(flit_, period_.ps_at(now + index),
                   std::uint64_t{spell_flit(packet, transfer.port_bits, index)});
    }
    wave_.change(flit_, period_.ps_at(now + packet.flits), std::uint64_t{0});
  }

  const ClockPeriod period_;
  observe::Wave& wave_;
  const CrosspointWavesConfig& config_;
  PacketLinkProbe* const behind_;
  const std::string place_;
  observe::SignalId packet_ = 0, flit_ = 0;
  std::vector<FifoWave> fifos_;
};

/// Synchronization table of a switch: the sid last entered, inputs that have arrived, and outputs that are
/// owed.
class CrosspointWaves::TableWave final : public crosspoint::SyncProbe {
 public:
  TableWave(crosspoint::SwitchModule& at, const std::string& path, const std::string& group,
            const ClockPeriod& period, observe::Wave& wave)
      : period_(period), wave_(wave), behind_(at.sync_probe()) {
    const unsigned ports = at.ports();
    sid_ = wave.add(path + ".sid", 7, observe::WaveFormat::decimal, group);
    arrived_ = wave.add(path + ".arrived", ports, observe::WaveFormat::binary, group);
    early_ = wave.add(path + ".early", ports, observe::WaveFormat::binary, group);
    owed_ = wave.add(path + ".owed", ports, observe::WaveFormat::binary, group);
    at.set_sync_probe(this);
  }

  void on_entry(Cycle at, unsigned sid, std::uint32_t arrived, std::uint32_t early,
                std::uint32_t owed) override {
    if (behind_ != nullptr) behind_->on_entry(at, sid, arrived, early, owed);
    wave_.change(sid_, period_.ps_at(at), std::uint64_t{sid});
    wave_.change(arrived_, period_.ps_at(at), std::uint64_t{arrived});
    wave_.change(early_, period_.ps_at(at), std::uint64_t{early});
    wave_.change(owed_, period_.ps_at(at), std::uint64_t{owed});
  }

 private:
  const ClockPeriod period_;
  observe::Wave& wave_;
  crosspoint::SyncProbe* const behind_;
  observe::SignalId sid_ = 0, arrived_ = 0, early_ = 0, owed_ = 0;
};

CrosspointWaves::CrosspointWaves(network::CrosspointNetwork& network, const ClockPeriod& period,
                                 observe::Wave& wave, const CrosspointWavesConfig& config)
    : config_(config) {
  const graph::Multistage& topology = network.topology();
  const auto wanted = [&](unsigned line) {
    return config_.lines.empty() ||
           std::find(config_.lines.begin(), config_.lines.end(), line) != config_.lines.end();
  };
  for (unsigned stage = 0; stage <= topology.stages(); ++stage) {
    const bool to_nodes = stage == topology.stages();
    for (unsigned line = 0; line < topology.lines(); ++line) {
      if (!wanted(line) || ((stage == 0 || to_nodes) && !topology.has_end(line))) continue;
      const std::string text = std::to_string(line);
      const bool at_node = line < topology.nodes();
      const std::string number = at_node ? std::to_string(topology.first_node() + line) : "";
      const std::string end = at_node ? "node" : "gateway", named = at_node ? "node " + number : end;
      const std::string path = stage == 0 ? end + number + ".out"
                               : to_nodes ? end + number + ".in"
                                          : "stage" + std::to_string(stage - 1) + ".line" + text;
      const std::string group = stage == 0 ? named + " to network"
                                : to_nodes ? "network to " + named
                                           : "stage " + std::to_string(stage - 1) + " line " + text;
      links_.push_back(std::make_unique<LinkWave>(network.link(stage, line), config_.scope + "." + path,
                                                  config_.group_prefix + group, period, wave, config_));
      if (config_.followed != nullptr) follow(topology, stage, line, config_.scope + "." + path);
    }
    if (to_nodes || config_.detail != WaveDetail::signals || !network.switch_kind().synchronizes) continue;
    for (unsigned index = 0; index < topology.switches_per_stage(); ++index) {
      bool any = false;
      for (unsigned port = 0; port < topology.radix(); ++port)
        any = any || wanted(topology.line(stage, {index, port}));
      if (!any) continue;
      const std::string name = "stage" + std::to_string(stage) + ".switch" + std::to_string(index);
      const std::string group =
          "stage " + std::to_string(stage) + " switch " + std::to_string(index) + " sync table";
      tables_.push_back(std::make_unique<TableWave>(network.at(stage, index),
                                                    config_.scope + "." + name + ".sync",
                                                    config_.group_prefix + group, period, wave));
    }
  }
}

/// Follows the packet on a channel, and the table of the switch at its end.
void CrosspointWaves::follow(const graph::Multistage& topology, unsigned stage, unsigned line,
                             const std::string& path) const {
  config_.followed->add(path, {config_.group_prefix + "switches", {path + ".packet"}});
  if (stage == topology.stages()) return;
  const std::string at = config_.scope + ".stage" + std::to_string(stage) + ".switch" +
                         std::to_string(topology.place(stage, line).switch_index);
  config_.followed->add(table_place(path), {config_.group_prefix + "synchronization tables",
                                            {at + ".sync.sid", at + ".sync.arrived", at + ".sync.owed"}});
}

CrosspointWaves::~CrosspointWaves() = default;

void CrosspointWaves::begin(Cycle now) {
  for (const auto& link : links_) link->begin(now);
}

}  // namespace tsuji::instruments
