// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/interconnect/address_map.h"
#include "tsuji/interconnect/message.h"
#include "tsuji/network/config/network_config.h"
#include "tsuji/routing/checkers/deadlock.h"

namespace tsuji::interconnect {

/// An initiator of a TlmNetwork, and its interface to the network.
struct InitiatorConfig {
  std::string name;          ///< Name of the initiator.
  NodeId node = 0;           ///< Node of the network.
  unsigned outstanding = 8;  ///< Transactions that may be without an answer, 1..4096.
  unsigned requests = 2;     ///< Requests that are accepted while packets of them have not left, at least 1.
};

/// A target of a TlmNetwork, and its interface to the network.
struct TargetConfig {
  std::string name;    ///< Name of the target.
  NodeId node = 0;     ///< Node of the network.
  Region region;       ///< Its addresses; `region.target` is the name.
  unsigned queue = 8;  ///< Requests that are not answered at which no further packet of a request is ejected.
  bool dmi = false;    ///< Direct pointers of the target are passed on; accesses by them use no network.
};

/// Keys tlm.*: initiators, targets and packets of a TlmNetwork.
struct InterconnectConfig {
  /// Comma-separated list, each "NAME node N [outstanding N] [requests N]".
  std::string initiators;
  /// Comma-separated list, each "NAME node N base N bytes N [offset N] [queue N] [dmi on]".
  std::string targets;
  AddressRules addresses;  ///< Rules of the targets' addresses.
  WireConfig wire;         ///< Form of messages.

  static constexpr const char* request = "request";    ///< Class of requests in classes.list.
  static constexpr const char* response = "response";  ///< Class of responses in classes.list.

  /// Binds the keys tlm.*.
  void add_keys(config::KeyTable& keys);
  /// Gives a network without classes of messages the classes request and response, each with one half of the
  /// virtual channels, and responses of given classes a length if they lack one. ConfigError for a network
  /// with one virtual channel.
  void resolve(network::NetworkConfig& network) const;
  /// Throws ConfigError for values that do not fit each other or the network, which has been validated: a
  /// network with classes of messages loses no packets.
  void validate(const network::NetworkConfig& network) const;
  /// The initiators in the order of the list. Throws ConfigError.
  std::vector<InitiatorConfig> read_initiators() const;
  /// The targets in the order of the list. Throws ConfigError.
  std::vector<TargetConfig> read_targets() const;
  /// Throws ConfigError with the key of a node that the network lacks, or that several initiators or targets
  /// have.
  void check_nodes(unsigned nodes) const;
};

/// Configuration of a TlmNetwork with its network.
struct TlmNetworkConfig {
  network::NetworkConfig machine;  ///< Network.
  InterconnectConfig tlm;          ///< Initiators, targets, packets.
  std::uint64_t seed = 1;          ///< Seed of random choices in the routing.

  /// Reads a YAML file with the keys of a network and tlm.*, then assignments "key=value". Throws ConfigError
  /// with file, line and column.
  static TlmNetworkConfig read(const std::string& path, const std::vector<std::string>& assignments = {});
  /// Computes keys that follow from others, as read() does. Called once, for a configuration in code.
  void resolve();
  void validate() const;  ///< Throws ConfigError.
  /// Follows all requests and responses through the network, as option --check-deadlock does: channels of
  /// requests wait for room for responses at the targets.
  routing::DeadlockReport check_deadlock() const;
};

}  // namespace tsuji::interconnect
