// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "support/catch.h"
#include "tsuji/config/key_table.h"

namespace tsuji::test {

/// Adds the keys of a JSON schema, with the facts of each.
inline void add_leaves(const nlohmann::json& schema, const std::string& key,
                       std::map<std::string, nlohmann::json>& leaves) {
  if (!schema.contains("properties")) {
    leaves[key] = schema;
    return;
  }
  for (const auto& [name, below] : schema["properties"].items())
    add_leaves(below, key.empty() ? name : key + "." + name, leaves);
}

/// Checks that the keys added by `bind` have the facts of tests/keys/PLATFORM.json, where a platform adds
/// conditions on its workload and network interface. `sections`: names separated by blanks; every committed
/// key of these sections must be bound.
inline void check_committed_keys(const std::string& platform, const std::string& sections,
                                 const std::function<void(config::KeyTable&)>& bind) {
  using Json = nlohmann::json;
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

}  // namespace tsuji::test
