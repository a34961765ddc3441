// SPDX-License-Identifier: Apache-2.0
#include "tsuji/interconnect/interconnect_config.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "tsuji/config/word_list.h"
#include "tsuji/core/error.h"
#include "tsuji/core/refusals.h"
#include "tsuji/network/config/deadlock_config.h"
#include "tsuji/network/config/network_plan.h"

namespace tsuji::interconnect {
namespace {

constexpr const char *initiators_key = "tlm.initiators", *targets_key = "tlm.targets";
constexpr std::uint64_t most_address = ~std::uint64_t{0};

/// Reader of lists "NAME word value word value ..., ..." of a key.
class ListReader {
 public:
  ListReader(const char* key, const char* form) : key_(key), form_(form) {}

  /// Calls take(item) with each item's name, and then take(item, word, value) for its values.
  template <class Item, class Take>
  std::vector<Item> read(const std::string& list, const std::set<std::string>& needed, const Take& take) {
    std::vector<Item> items;
    std::set<std::string> names;
    std::string one_line = list;  // a block of YAML has several
    std::replace_if(
        one_line.begin(), one_line.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
    for (const std::string& text : config::items_of(one_line)) {
      const std::vector<std::string> words = config::words_of(text);
      if (words.size() % 2 == 0) refuse(text, "not an item of the list", form_);
      if (words.front().find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos)
        refuse(words.front(), "not a name", "small letters, digits and _");
      if (!names.insert(words.front()).second)
        refuse(words.front(), "the name is given twice", "other names");
      Item item;
      item.name = words.front();
      std::set<std::string> missing = needed, given;
      for (std::size_t at = 1; at < words.size(); at += 2) {
        item_ = item.name + " " + words[at] + " " + words[at + 1];
        if (!given.insert(words[at]).second) refuse(item_, "given twice", form_);
        if (!take(item, words[at], words[at + 1])) refuse(item_, "not a value of the list", form_);
        missing.erase(words[at]);
      }
      if (!missing.empty()) refuse(text, "without " + *missing.begin(), form_);
      items.push_back(std::move(item));
    }
    return items;
  }
  /// A decimal number, or a hexadecimal one with 0x.
  std::uint64_t number(const std::string& value, std::uint64_t least, std::uint64_t most) const {
    const bool is_hex = value.compare(0, 2, "0x") == 0;
    std::uint64_t number = 0;
    const char* const end = value.data() + value.size();
    const auto [stop, error] =
        std::from_chars(value.data() + (is_hex ? 2 : 0), end, number, is_hex ? 16 : 10);
    if (error != std::errc() || stop != end || number < least || number > most)
      refuse(item_, "not a number in range", std::to_string(least) + ".." + std::to_string(most));
    return number;
  }
  unsigned small(const std::string& value, unsigned least, unsigned most) const {
    return static_cast<unsigned>(number(value, least, most));
  }
  bool on_or_off(const std::string& value) const {
    if (value != "on" && value != "off") refuse(item_, "not a switch", "on, off");
    return value == "on";
  }

 private:
  [[noreturn]] void refuse(const std::string& value, const std::string& problem,
                           const std::string& accepted) const {
    throw ConfigError(key_, value, problem, accepted);
  }

  const char *key_, *form_;
  std::string item_;
};

constexpr NodeId most_node = 0x7fff'ffff;

/// Refuses a node that does not exist or that is taken.
template <class Items>
void check_nodes_of(const char* key, const Items& items, unsigned nodes) {
  std::set<NodeId> taken;
  for (const auto& item : items) {
    const std::string value = item.name + " node " + std::to_string(item.node);
    if (item.node >= nodes)
      throw ConfigError(key, value, "there is no such node", "0.." + std::to_string(nodes - 1));
    if (!taken.insert(item.node).second)
      throw ConfigError(key, value, "the node has another one already", "a node for each");
  }
}

/// Refuses a class that is missing or that a TlmNetwork does not use so.
void check_classes(const network::NetworkConfig& network) {
  const std::string& list = network.classes.list;
  const std::string accepted =
      "request vcs A-B answer response, response vcs C-D, or no classes.list for such ones";
  const MessageClasses classes = network.message_classes();
  bool answered = false;
  for (const MessageClass& one : classes.all)
    answered = answered || (one.name == InterconnectConfig::request && one.answer &&
                            classes.all[*one.answer].name == InterconnectConfig::response);
  if (!answered)
    throw ConfigError("classes.list", list, "TLM-2.0 sockets need a class request with the answer response",
                      accepted);
  const MessageClass defaults;
  for (const MessageClass& one : classes.all) {
    if (one.name != InterconnectConfig::response) continue;
    if (one.delay_cycles != 0)
      throw ConfigError("classes.list", one.name + " delay " + std::to_string(one.delay_cycles),
                        "a target's own module delays its responses", "no delay");
    if (one.queue != defaults.queue)
      throw ConfigError("classes.list", one.name + " queue " + std::to_string(one.queue),
                        "each target has a separate queue", "no queue, and queue in tlm.targets");
  }
}

/// A list of classes with a length for responses, which a transaction's data decide here.
std::string with_lengths(const std::string& list) {
  if (list.find(std::string("answer ") + InterconnectConfig::response) == std::string::npos) return list;
  std::string complete;
  for (const std::string& item : config::items_of(list)) {
    const std::vector<std::string> words = config::words_of(item);
    const bool lacks = !words.empty() && words.front() == InterconnectConfig::response &&
                       std::find(words.begin(), words.end(), "flits") == words.end();
    complete += (complete.empty() ? "" : ",") + item + (lacks ? " flits 1" : "");
  }
  return complete;
}

}  // namespace

void InterconnectConfig::add_keys(config::KeyTable& keys) {
  keys.add(
      "tlm.initiators", initiators,
      "initiators of TLM-2.0 sockets, as \"cpu node 0, dma node 3 outstanding 4\"; node: node of the "
      "network; outstanding: transactions that may be without an answer (8); requests: requests that are "
      "accepted while packets of them have not left (2)");
  keys.add("tlm.targets", targets,
           "targets and their addresses, as \"ram node 5 base 0x0 bytes 0x10000, uart node 6 base 0x10000 "
           "bytes 0x1000\"; offset: the target's own address of its first byte (0); queue: requests without "
           "an answer at which no further one is taken from the network (8); dmi: on or off (off): direct "
           "pointers, whose accesses use no network");
  keys.add("tlm.align_bytes", addresses.align_bytes, {1, std::uint64_t{1} << 32}, "bytes",
           "base and size of a target's addresses are multiples of it; a power of two");
  keys.add("tlm.gaps", addresses.gaps,
           "addresses between those of two targets may belong to none; an access gets an address error");
  keys.add("tlm.packet_bytes", wire.packet_bytes, {8, WireConfig::most_packet_bytes}, "bytes",
           "most data of a packet, a multiple of 8; longer transactions are cut");
  keys.add("tlm.flit_bytes", wire.flit_bytes, {1, 256}, "bytes", "data and byte enables in a flit");
  keys.add("tlm.header_flits", wire.header_flits, {1, 255}, "flits", "flits of a packet before its data");
}

void InterconnectConfig::resolve(network::NetworkConfig& network) const {
  if (network.classes.on()) {
    network.classes.list = with_lengths(network.classes.list);
    return;
  }
  const unsigned vcs = network.network.vcs, half = vcs / 2;
  if (half == 0)
    throw ConfigError("router.vcs", std::to_string(vcs),
                      "requests and responses on one virtual channel can wait for each other forever",
                      "at least 2, or a classes.list of your own");
  const auto range = [](unsigned first, unsigned last) {
    return std::to_string(first) + "-" + std::to_string(last);
  };
  network.classes.list = std::string(request) + " vcs " + range(0, half - 1) + " answer " + response + ", " +
                         response + " vcs " + range(half, vcs - 1) + " flits 1";
}

std::vector<InitiatorConfig> InterconnectConfig::read_initiators() const {
  ListReader reader(initiators_key,
                    "NAME node N [outstanding N] [requests N], with commas between initiators");
  return reader.read<InitiatorConfig>(
      initiators, {"node"}, [&](InitiatorConfig& item, const std::string& word, const std::string& value) {
        if (word == "node") {
          item.node = reader.small(value, 0, most_node);
        } else if (word == "outstanding") {
          item.outstanding = reader.small(value, 1, MessagePart::tags);
        } else if (word == "requests") {
          item.requests = reader.small(value, 1, MessagePart::tags);
        } else {
          return false;
        }
        return true;
      });
}

std::vector<TargetConfig> InterconnectConfig::read_targets() const {
  ListReader reader(targets_key,
                    "NAME node N base N bytes N [offset N] [queue N] [dmi on], with commas between targets");
  auto items =
      reader.read<TargetConfig>(targets, {"base", "bytes", "node"},
                                [&](TargetConfig& item, const std::string& word, const std::string& value) {
                                  if (word == "node") {
                                    item.node = reader.small(value, 0, most_node);
                                  } else if (word == "base") {
                                    item.region.base = reader.number(value, 0, most_address);
                                  } else if (word == "bytes") {
                                    item.region.bytes = reader.number(value, 1, most_address);
                                  } else if (word == "offset") {
                                    item.region.offset = reader.number(value, 0, most_address);
                                  } else if (word == "queue") {
                                    item.queue = reader.small(value, 1, 65'535);
                                  } else if (word == "dmi") {
                                    item.dmi = reader.on_or_off(value);
                                  } else {
                                    return false;
                                  }
                                  return true;
                                });
  for (TargetConfig& item : items) item.region.target = item.name;
  return items;
}

void InterconnectConfig::check_nodes(unsigned nodes) const {
  check_nodes_of(initiators_key, read_initiators(), nodes);
  check_nodes_of(targets_key, read_targets(), nodes);
}

namespace {

void check_wire(const WireConfig& wire, const network::NetworkConfig& network) {
  if (wire.packet_bytes % 8 != 0)
    throw ConfigError("tlm.packet_bytes", std::to_string(wire.packet_bytes), "not a whole number of words",
                      "a multiple of 8");
  const unsigned longest = wire.flits(wire.packet_bytes + wire.packet_bytes / 8);
  if (network.network.router.switching == router::Switching::wormhole ||
      longest <= network.network.buffer_flits)
    return;
  throw ConfigError("tlm.packet_bytes", std::to_string(wire.packet_bytes),
                    "a packet of " + std::to_string(longest) +
                        " flits with byte enables does not fit into a virtual channel's buffer, as this "
                        "switching requires",
                    "up to router.buffer_flits (" + std::to_string(network.network.buffer_flits) +
                        ") flits with tlm.flit_bytes and tlm.header_flits");
}

/// Refuses an initiator and a target at one node whose router does not let packets turn back.
void check_turns(const InterconnectConfig& tlm, const network::NetworkConfig& network) {
  if (network.network.router.uturn_node) return;
  for (const InitiatorConfig& initiator : tlm.read_initiators())
    for (const TargetConfig& target : tlm.read_targets())
      if (initiator.node == target.node)
        throw ConfigError("router.uturn_node", "false",
                          "packets from " + initiator.name + " to " + target.name +
                              " turn back at the router of node " + std::to_string(target.node),
                          "true, or nodes of their own in tlm.initiators and tlm.targets");
}

}  // namespace

void InterconnectConfig::validate(const network::NetworkConfig& network) const {
  Refusals refusals;
  refusals.take([&] {
    if (read_initiators().empty())
      throw ConfigError(initiators_key, initiators, "no initiator", "at least one");
  });
  refusals.take([&] {
    if ((addresses.align_bytes & (addresses.align_bytes - 1)) != 0)
      throw ConfigError("tlm.align_bytes", std::to_string(addresses.align_bytes), "not a power of two",
                        "1, 2, 4, ...");
    std::vector<Region> regions;
    for (const TargetConfig& one : read_targets()) regions.push_back(one.region);
    if (regions.empty()) throw ConfigError(targets_key, targets, "no target", "at least one");
    (void)AddressMap(std::move(regions), addresses);
  });
  refusals.take([&] { check_wire(wire, network); });
  refusals.take([&] { check_classes(network); });
  refusals.take([&] { check_turns(*this, network); });
  refusals.refuse();
}

TlmNetworkConfig TlmNetworkConfig::read(const std::string& path,
                                        const std::vector<std::string>& assignments) {
  TlmNetworkConfig config;
  config::KeyTable keys;
  network::add_network_keys(keys, config.machine);
  network::add_network_fault_keys(keys, config.machine);
  config.machine.classes.add_keys(keys);
  config.tlm.add_keys(keys);
  if (!path.empty()) config::read_yaml_file(keys, path);
  for (const std::string& assignment : assignments) keys.set_from_command_line(assignment);
  keys.settle_defaults();
  keys.refuse_idle();
  keys.check([&] {
    config.resolve();
    config.validate();
    config.tlm.check_nodes(network::NetworkPlan(config.machine).topology.nodes());
  });
  return config;
}

void TlmNetworkConfig::resolve() {
  tlm.resolve(machine);
  machine.resolve();
}

void TlmNetworkConfig::validate() const {
  machine.validate();
  tlm.validate(machine);
}

routing::DeadlockReport TlmNetworkConfig::check_deadlock() const {
  const network::NetworkPlan plan(machine);
  return routing::check_deadlock(plan.topology, *plan.routing,
                                 network::deadlock_config(machine, plan.topology, true));
}

}  // namespace tsuji::interconnect
