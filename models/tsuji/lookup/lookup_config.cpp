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
  keys.add_choice("lookup.kind", c.kind, c.kinds.words(),
                  "route look-up: a table in each router (router.rc_cycles), an off-chip memory, that memory "
                  "behind a cache at each input port, caches that hold everything, searches of compact "
                  "routing tables, the same behind a cache at each input port");
  keys.add_choice(
      "lookup.model", c.model, {{"fast", LookupModel::fast}, {"modules", LookupModel::modules}},
      "form of look-up hardware: cycles computed at a head's request, or modules with pins that take "
      "the same cycles");
  keys.only_with("lookup.model", with_modules(c.kinds));
  keys.add("lookup.hash_cycles", c.timing.hash_cycles, {1, most_lookup_cycles}, "cycles",
           "hash of the destination");
  keys.add("lookup.cache_cycles", c.timing.cache_cycles, {1, most_lookup_cycles}, "cycles",
           "access of a cache, one at a time");
  keys.add("lookup.blocking", c.timing.blocking,
           "later look-ups of a port wait for the answer to a miss; else they pass");
  keys.add("lookup.cam_cycles", c.timing.cam_cycles, {1, most_lookup_cycles}, "cycles",
           "access of the memory, request to answer");
  keys.add("lookup.cam_pipelined", c.timing.cam_pipelined,
           "accesses overlap; else one at a time, first come first served");
  keys.add_choice("lookup.cam_sharing", c.timing.cam_of_switch, {{"none", false}, {"switch", true}},
                  "contention of a pipelined memory: it takes any number of accesses at once, or one a cycle "
                  "from all ports of a switch, first come first served");
  keys.only_with("lookup.cam_sharing", {{"lookup.cam_pipelined", {"true"}}});
  keys.add("lookup.cam_chip_cycles", c.cam_chip_cycles, {1, most_lookup_cycles}, "cycles",
           "access of the CAM chip alone; the path to it and back takes the rest of lookup.cam_cycles");
  keys.only_with("lookup.cam_chip_cycles", {{"lookup.model", {"modules"}}});
  keys.add("lookup.cam_entries", c.cam_entries, {1, 1U << 30}, "entries",
           "entries of the memory; one for each node");
  keys.add("lookup.cam_key_bits", c.cam_key_bits, {1, 64}, "bits", "width of the memory's keys");
}

void add_cache_keys(KeyTable& keys, LookupConfig& c) {
  keys.add("lookup.entries", c.cache.entries, {0, 1U << 30}, "entries",
           "entries of each port's cache, 12 bytes each, at most 65535");
  keys.add("lookup.ways", c.cache.ways, {0, 1U << 30}, "entries",
           "associativity; lookup.entries: fully associative");
  keys.add_choice("lookup.replacement", c.cache.replacement, c.cache.policies.words(),
                  "policy that chooses the entry of a full set which makes room");
  c.cache.policies.add_keys(keys);
  keys.add_choice("lookup.hash", c.hash, words_of(hash_names()),
                  "hash of the destination; its low bits, or its remainder, choose the set");
  keys.add("lookup.classify_misses", c.cache.classify_misses,
           "classification of misses as compulsory, conflict and capacity; takes time and memory");
  keys.add_choice("lookup.identifiers", c.identifiers,
                  {{"random", Identifiers::random}, {"dense", Identifiers::dense}},
                  "identifiers of nodes in packets: 64 random bits, or the node's number");
  keys.add("lookup.identifier_seed", c.identifier_seed, {0, ~0ULL}, "", "seed of random identifiers");
  keys.add_choice(
      "lookup.warm", c.warm, {{"none", WarmCaches::none}, {"all", WarmCaches::all}},
      "contents of caches at the start: nothing, or the entries that an exchange of all with all leaves");
}

void add_energy_keys(KeyTable& keys, LookupConfig& c) {
  LookupEnergy& energy = c.energy;
  constexpr config::Range<double> any{0, 1e9};
  keys.add("lookup.energy.cache_nj", energy.cache_nj, any, "nJ", "energy of an access of a port's cache");
  keys.add("lookup.energy.cam_nj", energy.cam_nj, any, "nJ", "energy of an access of the memory");
  keys.add("lookup.energy.compared_entry_nj", energy.compared_entry_nj, any, "nJ",
           "energy of a comparison with an entry of a compact routing table");
  keys.only_with("lookup.energy.compared_entry_nj", searching(c.kinds));
  keys.add("lookup.energy.cache_static_mw", energy.cache_static_mw, any, "mW",
           "static power of a port's cache");
  keys.add("lookup.energy.cam_static_mw", energy.cam_static_mw, any, "mW", "static power of the memory");
}

void add_search_keys(KeyTable& keys, LookupConfig& c) {
  CompactSearchTiming& search = c.timing.search;
  keys.add("lookup.search_width", search.entries_per_cycle, {1, 65535}, "entries",
           "entries of a compact routing table that are compared in a cycle; a cycle more to choose");
  keys.add("lookup.search_ends_early", search.ends_early,
           "end of a search behind the cycle in which an entry is the destination itself");
  keys.add_choice("lookup.search_unit", search.of_switch, {{"port", false}, {"switch", true}},
                  "searches of compact routing tables: one at a time at each input port, or in the switch");
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
    throw ConfigError("lookup.model", "modules", "lookup.kind " + kind + " has no form of modules",
                      "fast, or lookup.kind cached");
  if (timing.cam_cycles < cam_chip_cycles + least_way)
    throw ConfigError("lookup.cam_chip_cycles", std::to_string(cam_chip_cycles),
                      "no way to the memory's chip and back is left of lookup.cam_cycles " +
                          std::to_string(timing.cam_cycles),
                      "at least " + std::to_string(least_way) + " cycles less than lookup.cam_cycles");
}

namespace {

void require_compact_tables(const LookupConfig& config, const routing::Routing& routing,
                            const std::string& routing_kind) {
  if (dynamic_cast<const routing::Compact*>(&routing) == nullptr)
    throw ConfigError("lookup.kind", config.kind,
                      "routing.kind " + routing_kind + " has no compact tables to be searched",
                      "routing.kind compact, or lookup.kind plain, cam, cached or ideal");
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
        "does not give one candidate for each input port and destination, as tables that are looked "
        "up by destination hold it, and has no words for them",
        "lookup.kind plain; dimension_order with routing.ties auto or fixed (on even rings) and "
        "routing.dateline crossing, switching or none; up_down with routing.paths one; "
        "least_common_ancestor with routing.up_port one_to_one; destination_digits; source_table; "
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
