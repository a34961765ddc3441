// SPDX-License-Identifier: Apache-2.0
#include "tsuji/lookup/lookup_config.h"

#include "tsuji/core/error.h"
#include "tsuji/routing/compact/compact.h"

namespace tsuji::lookup {
namespace {

using config::KeyTable;

constexpr Cycle most_lookup_cycles = 65535;

/// The look-ups that search compact routing tables.
config::KeyTable::Uses searching(const LookupKinds& kinds) {
  std::vector<std::string> words;
  for (const std::string& word : kinds.names())
    if (kinds.traits(word).searches) words.push_back(word);
  return {{"lookup.kind", words}};
}

/// The look-ups that have a form of modules.
config::KeyTable::Uses with_modules(const LookupKinds& kinds) {
  std::vector<std::string> words;
  for (const std::string& word : kinds.names())
    if (kinds.traits(word).modules) words.push_back(word);
  return {{"lookup.kind", words}};
}

/// Names as words of KeyTable::add_choice.
std::vector<std::pair<std::string, std::string>> words_of(const std::vector<std::string>& names) {
  std::vector<std::pair<std::string, std::string>> words;
  for (const std::string& name : names) words.emplace_back(name, name);
  return words;
}

void add_stage_keys(KeyTable& keys, LookupConfig& c) {
  keys.add_choice(
      "lookup.kind", c.kind, c.kinds.words(),
      "route look-up hardware; local: a table or function in each router, which answers in router.rc_cycles; "
      "cam: an off-chip "
      "CAM; cached: that CAM with a cache at each input port; ideal: caches that hold every entry; compact: "
      "searches of compact routing tables; compact_cached: such searches with a cache at each input port");
  keys.add_choice("lookup.model", c.model, {{"fast", LookupModel::fast}, {"modules", LookupModel::modules}},
                  "model of the look-up hardware; fast: cycles computed when a head requests a look-up; "
                  "modules: SystemC modules with pins that take equal cycles");
  keys.only_with("lookup.model", with_modules(c.kinds));
  keys.add("lookup.hash_cycles", c.timing.hash_cycles, {1, most_lookup_cycles}, "cycles",
           "time to hash a destination");
  keys.add("lookup.cache_cycles", c.timing.cache_cycles, {1, most_lookup_cycles}, "cycles",
           "access time of a cache, which serves one access at a time");
  keys.add("lookup.blocking", c.timing.blocking,
           "true: later look-ups of a port wait for the answer to a miss (blocking cache); false: they pass "
           "the miss");
  keys.add("lookup.cam_cycles", c.timing.cam_cycles, {1, most_lookup_cycles}, "cycles",
           "access time of the off-chip CAM, from request to answer");
  keys.add("lookup.cam_pipelined", c.timing.cam_pipelined,
           "true: accesses to the CAM overlap; false: it serves one at a time, first come first served");
  keys.add_choice("lookup.cam_sharing", c.timing.cam_of_switch, {{"none", false}, {"switch", true}},
                  "contention for a pipelined CAM; none: any number of accesses begin in a cycle; switch: "
                  "one access of all ports of a switch begins in a cycle, first come first served");
  keys.only_with("lookup.cam_sharing", {{"lookup.cam_pipelined", {"true"}}});
  keys.add("lookup.cam_chip_cycles", c.cam_chip_cycles, {1, most_lookup_cycles}, "cycles",
           "access time of the CAM chip alone; the transfer to the chip and back takes the rest of "
           "lookup.cam_cycles");
  keys.only_with("lookup.cam_chip_cycles", {{"lookup.model", {"modules"}}});
  keys.add("lookup.cam_entries", c.cam_entries, {1, 1U << 30}, "entries",
           "entries of the CAM, at least one for each node");
  keys.add("lookup.cam_key_bits", c.cam_key_bits, {1, 64}, "bits", "width of the CAM's keys");
}

void add_cache_keys(KeyTable& keys, LookupConfig& c) {
  c.cache.add_keys(keys);
  keys.add_choice(
      "lookup.hash", c.hash, words_of(hash_names()),
      "hash function of the destination; the hash's low bits, or its remainder, select the cache set");
  keys.add("lookup.classify_misses", c.cache.classify_misses,
           "classify misses as compulsory, conflict or capacity; costs simulation time and memory");
  keys.add_choice("lookup.identifiers", c.identifiers,
                  {{"random", Identifiers::random}, {"dense", Identifiers::dense}},
                  "node identifiers in packets; random: 64 random bits; dense: the node's number");
  keys.add("lookup.identifier_seed", c.identifier_seed, {0, ~0ULL}, "", "seed of random node identifiers");
  keys.add_choice("lookup.warm", c.warm, {{"none", WarmCaches::none}, {"all", WarmCaches::all}},
                  "contents of caches at the start of the run; none: empty; all: the entries that remain "
                  "after an exchange of all nodes with all nodes");
}

void add_energy_keys(KeyTable& keys, LookupConfig& c) {
  LookupEnergy& energy = c.energy;
  constexpr config::Range<double> any{0, 1e9};
  keys.add("lookup.energy.cache_nj", energy.cache_nj, any, "nJ", "energy of one access to a port's cache");
  keys.add("lookup.energy.cam_nj", energy.cam_nj, any, "nJ", "energy of one access to the CAM");
  keys.add("lookup.energy.compared_entry_nj", energy.compared_entry_nj, any, "nJ",
           "energy of comparing one entry of a compact routing table");
  keys.only_with("lookup.energy.compared_entry_nj", searching(c.kinds));
  keys.add("lookup.energy.cache_static_mw", energy.cache_static_mw, any, "mW",
           "static power of a port's cache");
  keys.add("lookup.energy.cam_static_mw", energy.cam_static_mw, any, "mW", "static power of the CAM");
}

void add_search_keys(KeyTable& keys, LookupConfig& c) {
  CompactSearchTiming& search = c.timing.search;
  keys.add("lookup.search_width", search.entries_per_cycle, {1, 65535}, "entries",
           "entries of a compact routing table that are compared in each cycle; the choice of the best takes "
           "one cycle more");
  keys.add("lookup.search_ends_early", search.ends_early,
           "true: a search of a compact routing table stops once an exact match is found");
  keys.add_choice("lookup.search_unit", search.of_switch, {{"port", false}, {"switch", true}},
                  "unit that searches compact routing tables, one search at a time; port: one at each input "
                  "port; switch: one for all ports");
  for (const char* key : {"lookup.search_width", "lookup.search_ends_early", "lookup.search_unit"})
    keys.only_with(key, searching(c.kinds));
}

}  // namespace

void add_lookup_keys(KeyTable& keys, LookupConfig& config) {
  add_stage_keys(keys, config);
  add_cache_keys(keys, config);
  add_search_keys(keys, config);
  add_energy_keys(keys, config);
  config.kinds.add_keys(keys);
}

void LookupConfig::validate() const {
  (void)KeyHash(hash);
  cache.validate();
  kinds.validate(kind);
  if (has_caches() && searches() && timing.search.of_switch)
    throw ConfigError("lookup.search_unit", "switch",
                      "misses of several ports' caches would wait for each other",
                      "port, or lookup.kind compact");
  validate_modules();
}

void LookupConfig::validate_modules() const {
  constexpr Cycle least_way = 3;
  if (!as_modules()) return;
  if (!kinds.traits(kind).modules)
    throw ConfigError("lookup.model", "modules", "lookup.kind " + kind + " has no model as modules",
                      "fast, or lookup.kind cached");
  if (timing.cam_cycles < cam_chip_cycles + least_way)
    throw ConfigError("lookup.cam_chip_cycles", std::to_string(cam_chip_cycles),
                      "no time for the transfer to the CAM chip and back remains of lookup.cam_cycles " +
                          std::to_string(timing.cam_cycles),
                      "at least " + std::to_string(least_way) + " cycles less than lookup.cam_cycles");
}

namespace {

void require_compact_tables(const LookupConfig& config, const routing::Routing& routing,
                            const std::string& routing_kind) {
  if (dynamic_cast<const routing::Compact*>(&routing) == nullptr)
    throw ConfigError("lookup.kind", config.kind,
                      "routing.kind " + routing_kind + " has no compact tables to search",
                      "routing.kind compact, or lookup.kind local, cam, cached or ideal");
  if (config.has_caches() && routing.table_image() == nullptr)
    throw ConfigError("lookup.kind", config.kind,
                      "with routing.escape tree heads have several candidates, and a cache holds one",
                      "lookup.kind compact, or routing.escape layers");
}

}  // namespace

void LookupConfig::validate_with(const graph::Topology& topology, const routing::Routing& routing,
                                 const std::string& routing_kind) const {
  if (!in_switch()) return;
  if (searches()) return require_compact_tables(*this, routing, routing_kind);
  if (routing.table_image() == nullptr || routing.decisions() != nullptr)
    throw ConfigError(
        "routing.kind", routing_kind,
        "does not give exactly one candidate for each input port and destination, and has no table image of "
        "another form: a table looked up by destination cannot hold its routes",
        "lookup.kind local; dimension_order with routing.ties auto or fixed (on even rings) and "
        "routing.dateline crossing, switching or none; up_down with routing.paths one; "
        "least_common_ancestor with routing.up_port one_to_one; destination_digits; source_table; "
        "minimal with one link to a destination or its group; "
        "compact with routing.escape layers; detour_ud");
  if (topology.nodes() > cam_entries)
    throw ConfigError("lookup.cam_entries", std::to_string(cam_entries),
                      "the memory is too small for " + std::to_string(topology.nodes()) + " nodes",
                      "at least " + std::to_string(topology.nodes()));
  const NodeKeys keys(topology.nodes(), identifiers, identifier_seed);
  if (keys.bits() > cam_key_bits)
    throw ConfigError("lookup.cam_key_bits", std::to_string(cam_key_bits),
                      "the nodes' identifiers have " + std::to_string(keys.bits()) + " bits",
                      "at least " + std::to_string(keys.bits()) +
                          (identifiers == Identifiers::random ? ", or lookup.identifiers dense" : ""));
}

}  // namespace tsuji::lookup
