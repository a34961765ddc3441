// SPDX-License-Identifier: Apache-2.0
// Plays packets of a file on the crosspoint network and prints the cycles in which they leave and arrive, for
// independent_test.py:
//
//   played_packets STIMULUS
//
// The file has lines `KEY VALUE` (read_key) and one line for each packet:
//
//   packet ID CYCLE SOURCE FLITS STALL single DESTINATION
//   packet ID CYCLE SOURCE FLITS STALL multicast GROUP MAP
//   packet ID CYCLE SOURCE FLITS STALL synchronization SID MAP GAP
//
// A packet enters its source's queue in CYCLE. Later rounds of a source and sid enter GAP cycles after the
// head of the previous completion or in CYCLE, whichever is later. Packets of one cycle queue by ID. Each
// receiving node keeps a packet in its FIFO for STALL cycles after its last flit, and after earlier packets.
//
// Output: `left ID CYCLE` of each departure by ID, `came ID NODE HEAD TAIL` of each delivery by ID and node.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <queue>
#include <sstream>
#include <stdexcept>
#include <string>
#include <systemc>
#include <tuple>
#include <vector>

#include "tsuji/network/crosspoint/crosspoint_network.h"

using namespace tsuji;
using crosspoint::SwitchMode;

namespace {

struct PlayedPacket {
  PacketId id = 0;
  Cycle cycle = 0, stall = 0, gap = 0;
  NodeId source = 0, destination = 0;
  unsigned flits = 0, sid = 0;
  PacketKind kind = PacketKind::single_cast;
  std::uint32_t group = 0;
  std::uint64_t map = 0;
};

struct Stimulus {
  network::CrosspointNetworkConfig network;
  ClockDomainConfig clock;
  unsigned node_fifo_packets = 2;
  std::vector<PlayedPacket> packets;
};

struct Delivery {
  PacketId id;
  NodeId node;
  Cycle head, tail;
};

/// Departures and deliveries of all nodes.
struct Record {
  std::vector<std::pair<PacketId, Cycle>> departures;
  std::vector<Delivery> deliveries;
};

/// Source queue and receiver of one node.
class Player final : public sc_core::sc_module, public Clocked {
 public:
  sc_core::sc_port<PacketOutIf> out;
  sc_core::sc_port<PacketInIf> in;

  Player(sc_core::sc_module_name name, ClockDomain& domain, PacketPool& pool,
         const graph::Multistage& topology, NodeId node, const Stimulus& stimulus, Record& record)
      : sc_module(name),
        Clocked(domain),
        out("out"),
        in("in"),
        pool_(pool),
        route_(topology, node),
        node_(node),
        stimulus_(stimulus),
        record_(record) {
    for (std::size_t i = 0; i < stimulus.packets.size(); ++i) {
      const PlayedPacket& packet = stimulus.packets[i];
      if (packet.source != node) continue;
      if (packet.kind == PacketKind::synchronization) {
        rounds_[packet.sid].push_back(i);
        if (rounds_[packet.sid].size() > 1) continue;
      }
      enqueue(i, packet.cycle);
    }
    if (!queue_.empty()) wake_at(available());
  }

  void step(Cycle now) override {
    PacketTransfer transfer;
    Cycle arrival = 0;
    while (in_->receive(now, transfer, arrival)) take(*transfer.packet, arrival);
    if (queue_.empty()) return;
    if (available() <= now && now >= free_at_) try_send(now);
    if (queue_.empty()) return;
    const Cycle next = std::max(available(), free_at_);
    if (next > now) wake_at(next);
  }

  bool finished() const { return queue_.empty(); }

 private:
  void end_of_elaboration() override {
    out_ = out.operator->();
    in_ = in.operator->();
    out_->bind_sender(*this);
    in_->bind_receiver(*this, 1, stimulus_.node_fifo_packets, 0);
  }
  Cycle available() const { return queue_.top().available; }
  void enqueue(std::size_t index, Cycle cycle) { queue_.push({cycle, stimulus_.packets[index].id, index}); }

  void take(const Packet& packet, Cycle head) {
    record_.deliveries.push_back({packet.id, node_, head, head + packet.flits - 1});
    // header[0] is the packet's place in the stimulus.
    fifo_free_at_ = std::max(fifo_free_at_, head + packet.flits) + stimulus_.packets[packet.header[0]].stall;
    in_->release(0, fifo_free_at_);
    if (packet.kind == PacketKind::synchronization) complete(packet.sid, head);
  }

  void complete(unsigned sid, Cycle head) {
    auto& rounds = rounds_[sid];
    if (rounds.empty()) throw std::runtime_error("a completion of a round that the node has not entered");
    const Cycle gap = stimulus_.packets[rounds.front()].gap;
    rounds.pop_front();
    if (!rounds.empty())
      enqueue(rounds.front(), std::max(stimulus_.packets[rounds.front()].cycle, head + gap));
  }

  void try_send(Cycle now) {
    const std::size_t index = queue_.top().index;
    PacketRef packet = make(index);
    const std::uint32_t ports = route_.next_ports(*packet);
    const std::uint32_t missing = ports & ~out_->room(now);
    if (missing != 0) {
      for (std::uint32_t left = missing; left != 0; left &= left - 1) {
        const Cycle at = out_->room_at(static_cast<unsigned>(__builtin_ctz(left)));
        if (at != never && at > now) wake_at(at);
      }
      out_->watch_room(missing);
      return;
    }
    queue_.pop();
    free_at_ = now + packet->flits;
    record_.departures.emplace_back(packet->id, now);
    out_->watch_room(0);
    out_->send(now, {std::move(packet), ports, 0});
  }

  PacketRef make(std::size_t index) {
    const PlayedPacket& played = stimulus_.packets[index];
    PacketRef ref = pool_.make();
    Packet& packet = ref.edit();
    packet.id = played.id;
    packet.kind = played.kind;
    packet.source = node_;
    packet.destination = played.destination;
    packet.flits = static_cast<std::uint16_t>(played.flits);
    packet.sid = static_cast<std::uint8_t>(played.sid);
    packet.group = played.group;
    packet.map = played.map;
    packet.header[0] = index;
    return ref;
  }

  PacketPool& pool_;
  const graph::FirstRoute route_;
  const NodeId node_;
  const Stimulus& stimulus_;
  Record& record_;
  struct Queued {
    Cycle available;
    PacketId id;
    std::size_t index;  ///< in the stimulus
    bool operator>(const Queued& o) const { return std::tie(available, id) > std::tie(o.available, o.id); }
  };
  std::priority_queue<Queued, std::vector<Queued>, std::greater<>> queue_;  ///< the least first
  std::map<unsigned, std::deque<std::size_t>> rounds_;  ///< by sid: rounds not completed here
  Cycle free_at_ = 0, fifo_free_at_ = 0;
  PacketOutIf* out_ = nullptr;
  PacketInIf* in_ = nullptr;
};

template <typename T>
T choice(const std::string& word, const std::map<std::string, T>& words) {
  const auto found = words.find(word);
  if (found == words.end()) throw std::runtime_error("unknown word: " + word);
  return found->second;
}

void read_key(Stimulus& stimulus, const std::string& key, const std::string& value) {
  auto& network = stimulus.network;
  auto& crosspoint = network.crosspoint;
  const std::map<std::string, unsigned*> numbers = {
      {"nodes", &network.topology.nodes},
      {"radix", &network.topology.radix},
      {"stages", &network.topology.stages},
      {"cable_cycles", &network.cable_cycles},
      {"fifo_packets", &crosspoint.fifo_packets},
      {"reserve_after", &crosspoint.reserve_after},
      {"single_cast_cycles", &crosspoint.single_cast_cycles},
      {"multicast_cycles", &crosspoint.multicast_cycles},
      {"synchronization_cycles", &crosspoint.synchronization_cycles},
      {"table_access_cycles", &crosspoint.table_access_cycles},
      {"node_fifo_packets", &stimulus.node_fifo_packets}};
  if (const auto number = numbers.find(key); number != numbers.end())
    *number->second = static_cast<unsigned>(std::stoul(value));
  else if (key == "shuffle_seed")
    stimulus.clock.shuffle_seed = std::stoul(value);
  else if (key == "room_signal")
    network.room_signal =
        choice<RoomSignal>(value, {{"wire", RoomSignal::wire}, {"credits", RoomSignal::credits}});
  else if (key == "mode")
    crosspoint.mode = choice<SwitchMode>(value, {{"event_per_packet", SwitchMode::event_per_packet},
                                                 {"flit_by_flit", SwitchMode::flit_by_flit}});
  else
    throw std::runtime_error("unknown key: " + key);
}

PlayedPacket read_packet(std::istringstream& line) {
  PlayedPacket packet;
  std::string kind;
  line >> packet.id >> packet.cycle >> packet.source >> packet.flits >> packet.stall >> kind;
  if (kind == "single") {
    line >> packet.destination;
  } else if (kind == "multicast") {
    packet.kind = PacketKind::multicast;
    line >> packet.group >> std::hex >> packet.map;
  } else {
    packet.kind = PacketKind::synchronization;
    line >> packet.sid >> std::hex >> packet.map >> std::dec >> packet.gap;
  }
  return packet;
}

Stimulus read_stimulus(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  Stimulus stimulus;
  for (std::string text; std::getline(file, text);) {
    std::istringstream line(text);
    std::string word, value;
    line >> word;
    if (word == "packet") {
      stimulus.packets.push_back(read_packet(line));
    } else {
      line >> value;
      read_key(stimulus, word, value);
    }
    if (!line) throw std::runtime_error("incomplete line: " + text);
  }
  return stimulus;
}

void play(const Stimulus& stimulus, Record& record) {
  PacketPool pool;
  ClockDomain domain("clock", stimulus.clock);
  network::CrosspointNetwork network("network", domain, stimulus.network);
  std::vector<std::unique_ptr<Player>> players;
  for (NodeId node = 0; node < network.topology().nodes(); ++node) {
    players.push_back(std::make_unique<Player>(("player" + std::to_string(node)).c_str(), domain, pool,
                                               network.topology(), node, stimulus, record));
    players.back()->out.bind(network.from_node(node));
    players.back()->in.bind(network.to_node(node));
  }
  sc_core::sc_start();
  domain.rethrow_failure();
  for (const auto& player : players) {
    if (!player->finished())
      throw std::runtime_error("packets are left in the queue of " + std::string(player->name()));
  }
  if (network.counters().held != 0) throw std::runtime_error("packets are left in switches");
}

void print(Record& record) {
  std::sort(record.departures.begin(), record.departures.end());
  std::sort(record.deliveries.begin(), record.deliveries.end(), [](const Delivery& a, const Delivery& b) {
    return std::tie(a.id, a.node, a.head) < std::tie(b.id, b.node, b.head);
  });
  for (const auto& [id, cycle] : record.departures) std::cout << "left " << id << ' ' << cycle << '\n';
  for (const Delivery& d : record.deliveries)
    std::cout << "came " << d.id << ' ' << d.node << ' ' << d.head << ' ' << d.tail << '\n';
}

}  // namespace

int sc_main(int count, char** arguments) {
  try {
    if (count != 2) throw std::runtime_error("usage: played_packets STIMULUS");
    const Stimulus stimulus = read_stimulus(arguments[1]);
    Record record;
    play(stimulus, record);
    print(record);
  } catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return 1;
  }
  return 0;
}
