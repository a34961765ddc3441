// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "support/catch.h"
#include "tsuji/config/key_table.h"
#include "tsuji/machines/cenju4/cenju4_keys.h"
#include "tsuji/machines/replay/trace_replay.h"
#include "tsuji/network/config/network_config.h"
#include "tsuji/network/config/traffic_config.h"
#include "tsuji/observe/load_measurement.h"

// The keys of the libraries have the facts that tests/keys/PLATFORM.json has of them. A platform adds
// conditions on its workload and network interface.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::machines;

namespace {

using Json = nlohmann::json;
using Bind = std::function<void(config::KeyTable&)>;

void add_leaves(const Json& schema, const std::string& key, std::map<std::string, Json>& leaves) {
  if (!schema.contains("properties")) {
    leaves[key] = schema;
    return;
  }
  for (const auto& [name, below] : schema["properties"].items())
    add_leaves(below, key.empty() ? name : key + "." + name, leaves);
}

/// `sections`: names between blanks; every committed key of these sections must be bound.
void check_facts(const std::string& platform, const std::string& sections, const Bind& bind) {
  config::KeyTable keys;
  bind(keys);
  std::map<std::string, Json> bound;
  add_leaves(Json::parse(keys.json_schema("keys").dump()), "", bound);
  std::ifstream file(TSUJI_SOURCE_DIR "/tests/keys/" + platform + ".json");
  REQUIRE(file);
  Json committed = Json::parse(file);
  for (auto& [key, facts] : committed.items()) {
    CAPTURE(key);
    const auto own = bound.find(key);
    if (own == bound.end()) {
      CHECK(sections.find(" " + key.substr(0, key.find('.')) + " ") == std::string::npos);
      continue;
    }
    const auto described = facts["description"].get<std::string>();
    const auto here = own->second["description"].get<std::string>();
    CHECK(described.substr(0, here.size()) == here);
    const std::string added = described.substr(std::min(here.size(), described.size()));
    CHECK((added.empty() || added.rfind("; only with workload.", 0) == 0 ||
           added.rfind("; only with nic.", 0) == 0));
    facts.erase("description");
    facts.erase("member");
    own->second.erase("description");
    CHECK(own->second == facts);
    bound.erase(own);
  }
  CHECK(bound.empty());
}

}  // namespace

TEST_CASE("the keys of a network and its traffic have the committed facts") {
  NetworkConfig network;
  TrafficConfig traffic;
  observe::MeasureConfig measure;
  traffic::RetryConfig retry;
  TraceReplayConfig replay;
  const std::string sections =
      " clock_period_ps topology link router prediction routing lookup run faults deadlock traffic measure "
      "retry "
      "node collectives ";
  check_facts("network", sections, [&](config::KeyTable& keys) {
    add_network_keys(keys, network);
    add_network_fault_keys(keys, network);
    add_network_deadlock_keys(keys, network);
    add_traffic_keys(keys, traffic);
    measure.add_keys(keys);
    measure_whole_lists(keys);
    retry.add_keys(keys);
    add_placement_keys(keys, replay);
    add_packetizer_keys(keys, replay);
    add_replay_keys(keys, replay);
  });
}

TEST_CASE("the keys of a Cenju-4 machine have the committed facts") {
  Cenju4Config config;
  const std::string sections =
      " clock_period_ps network switch sizes sender receiver memory cache processor library software os "
      "faults "
      "run ";
  check_facts("cenju4", sections, [&](config::KeyTable& keys) { add_cenju4_keys(keys, config); });
}
