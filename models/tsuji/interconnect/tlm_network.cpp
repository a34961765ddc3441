// SPDX-License-Identifier: Apache-2.0
#include "tsuji/interconnect/tlm_network.h"

#include <algorithm>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/traffic/traffic_kinds.h"

namespace tsuji::interconnect {
namespace {

/// The classes of messages of requests and responses.
StationClasses classes_of(const MessageClasses& classes) {
  StationClasses found;
  for (std::uint8_t c = 0; c < classes.all.size(); ++c) {
    if (classes.all[c].name == InterconnectConfig::request) found.request = c;
    if (classes.all[c].name == InterconnectConfig::response) found.response = c;
  }
  return found;
}

template <class Ports, class Name>
auto& port_named(Ports& ports, const std::string& name, const char* key, const Name& name_of) {
  std::string names;
  for (auto& port : ports) {
    if (name_of(*port) == name) return *port;
    names += (names.empty() ? "" : ", ") + name_of(*port);
  }
  throw ConfigError(key, name, "there is no such name", names);
}

const auto initiator_name = [](const InitiatorPort& port) { return port.initiator(); };
const auto target_name = [](const TargetPort& port) { return port.target(); };

}  // namespace

TlmNetwork::TlmNetwork(sc_core::sc_module_name name, const TlmNetworkConfig& config, const MakeClient& client)
    : TlmNetwork(name, std::make_unique<const TlmNetworkConfig>(config), client) {}

TlmNetwork::TlmNetwork(sc_core::sc_module_name name, std::unique_ptr<const TlmNetworkConfig> config,
                       const MakeClient& client)
    : sc_module(name), own_config_(std::move(config)) {
  own_config_->validate();
  own_plan_ = std::make_unique<const network::NetworkPlan>(own_config_->machine);
  network::LoadedParts parts{own_config_->machine, own_plan_->topology, *own_plan_->routing};
  parts.seed = own_config_->seed;
  construct(parts, own_config_->tlm, client);
}

TlmNetwork::TlmNetwork(sc_core::sc_module_name name, const network::LoadedParts& parts,
                       const InterconnectConfig& tlm, const MakeClient& client)
    : sc_module(name) {
  construct(parts, tlm, client);
}

TlmNetwork::~TlmNetwork() = default;

void TlmNetwork::construct(const network::LoadedParts& given, const InterconnectConfig& tlm,
                           const MakeClient& client) {
  tlm.validate(given.config);
  tlm.check_nodes(given.topology.nodes());
  const StationClasses classes = classes_of(given.config.message_classes());
  station_at_.resize(given.topology.nodes());
  stations_.resize(given.topology.nodes());
  const auto add_station = [&](NodeId node) {
    if (station_at_[node] != nullptr) return;
    stations_[node] = std::make_unique<Station>(node, tlm.wire, classes);
    station_at_[node] = stations_[node].get();
  };
  for (const InitiatorConfig& one : tlm.read_initiators()) add_station(one.node);
  for (const TargetConfig& one : tlm.read_targets()) add_station(one.node);
  network::LoadedParts parts = given;
  parts.make_source = [&](NodeId node) -> std::unique_ptr<traffic::EmissionSource> {
    if (stations_[node]) return std::move(stations_[node]);
    std::unique_ptr<traffic::EmissionSource> own = client ? client(node) : nullptr;
    return own ? std::move(own) : traffic::no_packets();
  };
  loaded_ = std::make_unique<network::LoadedNetwork>(parts);
  add_ports(parts, tlm);
  SC_METHOD(run_ports);
  sensitive << calendar_->wake();
  dont_initialize();
}

void TlmNetwork::add_ports(const network::LoadedParts& parts, const InterconnectConfig& tlm) {
  std::vector<Region> regions;
  for (const TargetConfig& one : tlm.read_targets()) regions.push_back(one.region);
  addresses_ = AddressMap(std::move(regions), tlm.addresses);
  calendar_ = std::make_unique<PortCalendar>(loaded_->domain());
  const PortParts shared{*calendar_, addresses_, targets_, tlm.wire};
  constexpr unsigned no_initiator = ~0U;
  std::vector<unsigned> initiator_at(parts.topology.nodes(), no_initiator);
  for (const InitiatorConfig& one : tlm.read_initiators()) {
    initiator_at[one.node] = static_cast<unsigned>(initiators_.size());
    initiators_.push_back(std::make_unique<InitiatorPort>(one, shared, *station_at_[one.node]));
    initiators_.back()->join(loaded_->node(one.node).state());
  }
  for (const TargetConfig& one : tlm.read_targets()) {
    targets_.push_back(std::make_unique<TargetPort>(one, shared, initiators_, *station_at_[one.node]));
    targets_.back()->join(loaded_->node(one.node).state(), initiator_at);
  }
  for (Station* const station : station_at_)
    if (station != nullptr) station->join(loaded_->pool());
}

/// A failure keeps its type, which an exception loses that leaves a process.
void TlmNetwork::run_ports() {
  try {
    calendar_->run();
  } catch (...) {
    loaded_->domain().fail(std::current_exception());
  }
}

tlm::tlm_target_socket<>& TlmNetwork::for_initiator(const std::string& name) {
  return port_named(initiators_, name, "tlm.initiators", initiator_name).socket;
}

tlm::tlm_initiator_socket<>& TlmNetwork::for_target(const std::string& name) {
  return port_named(targets_, name, "tlm.targets", target_name).socket;
}

void TlmNetwork::run_for(const sc_core::sc_time& time) {
  tsuji::run_for(time);
  loaded_->domain().rethrow_failure();
}

const InitiatorCounts& TlmNetwork::counts(const std::string& initiator) const {
  return port_named(initiators_, initiator, "tlm.initiators", initiator_name).counts();
}

InitiatorCounts TlmNetwork::counts() const {
  InitiatorCounts all;
  for (const auto& initiator : initiators_) {
    all.begun += initiator->counts().begun;
    all.answered += initiator->counts().answered;
    all.errors += initiator->counts().errors;
    all.data_bytes += initiator->counts().data_bytes;
    all.ps_sum += initiator->counts().ps_sum;
    all.most_ps = std::max(all.most_ps, initiator->counts().most_ps);
  }
  return all;
}

unsigned TlmNetwork::held(const std::string& target) const {
  return port_named(targets_, target, "tlm.targets", target_name).held();
}

void TlmNetwork::check_end() {
  loaded_->domain().rethrow_failure();
  for (const auto& initiator : initiators_) {
    const InitiatorCounts& counts = initiator->counts();
    if (counts.begun != counts.answered)
      throw ModelError(initiator->socket.name(), loaded_->domain().now(), "",
                       std::to_string(counts.begun - counts.answered) + " of " +
                           std::to_string(counts.begun) + " transactions are not answered");
  }
  const network::NetworkAccounts& accounts = loaded_->accounts();
  if (accounts.packets_not_ended() != 0 || loaded_->pool().in_use() != 0)
    throw ModelError(name(), loaded_->domain().now(), "",
                     std::to_string(accounts.packets_not_ended()) + " packets have not arrived, and " +
                         std::to_string(loaded_->pool().in_use()) + " are in memory");
}

void TlmNetwork::add_wave(observe::Wave& wave) {
  for (const auto& port : initiators_) port->add_wave(wave);
  for (const auto& port : targets_) port->add_wave(wave);
}

}  // namespace tsuji::interconnect
