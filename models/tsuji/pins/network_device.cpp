// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <memory>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/network/config/network_plan.h"
#include "tsuji/network/loaded_network.h"
#include "tsuji/pins/device_kinds.h"

namespace tsuji::pins {
namespace {

constexpr unsigned flit_bits_of_length = 12, tag_bits = 32;

struct NetworkDeviceConfig {
  network::NetworkConfig machine;
  std::uint64_t seed = 1;

  void add_keys(config::KeyTable& keys) {
    network::add_network_keys(keys, machine);
    keys.add("seed", seed, {0, ~std::uint64_t{0}}, "", "seed of random choices in the routing");
  }
  void resolve() { machine.resolve(); }
  void validate() const { machine.validate(); }
};

/// Packets between the pins of a node and the network.
class PinNode final : public traffic::EmissionSource {
 public:
  explicit PinNode(NodeId node) : node_(node) {}

  void post(const traffic::Emission& packet) { outgoing_.push_back(packet); }
  bool next(traffic::Emission& emission) override {
    if (outgoing_.empty()) return false;
    emission = outgoing_.front();
    outgoing_.pop_front();
    return true;
  }
  void arrived(Cycle now, const Packet& packet) override {
    arrived_.push_back({packet.source.node(), packet.header[0], now - packet.created});
  }
  void dropped(Cycle now, const Packet& packet, const char* cause) override {
    throw ModelError("node " + std::to_string(node_), now, packet_name(packet.id),
                     std::string("a packet is dropped: ") + cause);
  }

  struct Arrival {
    NodeId source;
    std::uint64_t tag;
    Cycle latency;
  };
  std::deque<Arrival> arrived_;  ///< not shown yet

 private:
  const NodeId node_;
  std::deque<traffic::Emission> outgoing_;
};

/// SystemC's kernel has one simulation in a process, which cannot grow once it has begun.
void refuse_second_simulation() {
  if (sc_core::sc_get_status() != sc_core::SC_ELABORATION || sc_core::sc_start_of_simulation_invoked())
    throw ConfigError("kind", "network", "SystemC's kernel has had its one simulation of this process",
                      "one network in a process, and none beside another SystemC model that runs");
}

/// LoadedNetwork on rows of values, a lane for each node: packets that are born in a cycle, and packets whose
/// last flit has arrived, at most one of each at a node in a cycle. Cycle c of the device is cycle c + 1 of
/// the network.
class NetworkDevice final : public Device {
 public:
  explicit NetworkDevice(const NetworkDeviceConfig& config)
      : config_(config),
        plan_((refuse_second_simulation(), config_.machine)),
        nodes_(plan_.topology.nodes()),
        node_bits_(bits_of(nodes_ - 1)),
        in_valid_(add_input("in_valid", 1, nodes_)),
        in_destination_(add_input("in_destination", node_bits_, nodes_)),
        in_flits_(add_input("in_flits", flit_bits_of_length, nodes_)),
        in_tag_(add_input("in_tag", tag_bits, nodes_)),
        out_valid_(add_output("out_valid", 1, nodes_)),
        out_source_(add_output("out_source", node_bits_, nodes_)),
        out_tag_(add_output("out_tag", tag_bits, nodes_)),
        out_latency_(add_output("out_latency", 32, nodes_)) {
    network::LoadedParts parts{config_.machine, plan_.topology, *plan_.routing};
    parts.seed = config_.seed;
    parts.make_source = [this](NodeId node) {
      auto source = std::make_unique<PinNode>(node);
      sources_.push_back(source.get());
      return source;
    };
    network_ = std::make_unique<network::LoadedNetwork>(parts);
    network_->run_to(1);
  }

  void step() override {
    const Cycle now = network_->now();
    for (unsigned node = 0; node < nodes_; ++node)
      if (inputs()[in_valid_ + node] != 0) post(node, now);
    network_->run_to(now + 1);
    for (unsigned node = 0; node < nodes_; ++node) show(node);
    next_cycle();
  }

 private:
  void post(unsigned node, Cycle now) {
    const std::uint64_t* const in = inputs();
    const std::uint64_t destination = in[in_destination_ + node], flits = in[in_flits_ + node];
    if (in[in_valid_ + node] > 1 || (flits & bits_above(flit_bits_of_length)) != 0 ||
        (in[in_tag_ + node] & bits_above(tag_bits)) != 0)
      refuse_wide();
    const std::string place = "[" + std::to_string(node) + "]";
    if (destination >= nodes_)
      throw ModelError("pin in_destination" + place, cycle(), "",
                       "there is no node " + std::to_string(destination) + " of " + std::to_string(nodes_));
    if (flits == 0) throw ModelError("pin in_flits" + place, cycle(), "", "a packet without a flit");
    traffic::Emission packet;
    packet.created = now;
    packet.destination = static_cast<NodeId>(destination);
    packet.flits = static_cast<std::uint16_t>(flits);
    packet.header[0] = in[in_tag_ + node];
    sources_[node]->post(packet);
    network_->node(node).state().source_changed(now - 1);
  }
  void show(unsigned node) {
    std::deque<PinNode::Arrival>& arrived = sources_[node]->arrived_;
    std::uint64_t* const out = shown();
    const bool valid = !arrived.empty();
    const PinNode::Arrival first = valid ? arrived.front() : PinNode::Arrival{};
    out[out_valid_ + node] = valid;
    out[out_source_ + node] = first.source;
    out[out_tag_ + node] = first.tag;
    out[out_latency_ + node] = first.latency;
    if (valid) arrived.pop_front();
  }

  const NetworkDeviceConfig config_;
  const network::NetworkPlan plan_;
  const unsigned nodes_, node_bits_;
  const std::size_t in_valid_, in_destination_, in_flits_, in_tag_;
  const std::size_t out_valid_, out_source_, out_tag_, out_latency_;
  std::vector<PinNode*> sources_;  ///< [node], owned by the network
  std::unique_ptr<network::LoadedNetwork> network_;
};

}  // namespace

void add_network_device(DeviceKinds& kinds) {
  kinds.push_back(device_kind<NetworkDeviceConfig, NetworkDevice>("network"));
}

}  // namespace tsuji::pins
