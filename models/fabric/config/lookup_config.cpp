#include "tsuji/fabric/config/lookup_config.h"

#include "tsuji/core/error.h"

namespace tsuji::fabric {
namespace {

using config::KeyTable;

constexpr Cycle most_cycles = 65535;

/// Names as words of KeyTable::add_choice.
std::vector<std::pair<std::string, std::string>> words_of(const std::vector<std::string>& names) {
  std::vector<std::pair<std::string, std::string>> words;
  for (const std::string& name : names) words.emplace_back(name, name);
  return words;
}

void add_stage_keys(KeyTable& keys, LookupConfig& c) {
  keys.add_choice("lookup.kind", c.kind,
                  {{"plain", LookupKind::plain},
                   {"cam", LookupKind::cam},
                   {"cached", LookupKind::cached},
                   {"ideal", LookupKind::ideal}},
                  "route look-up: a table in each router (router.rc_cycles), an off-chip memory, that memory "
                  "behind a cache at each input port, caches that hold everything");
  keys.add("lookup.hash_cycles", c.timing.hash_cycles, {1, most_cycles}, "cycles", "hash of the destination");
  keys.add("lookup.cache_cycles", c.timing.cache_cycles, {1, most_cycles}, "cycles",
           "access of a cache, one at a time");
  keys.add("lookup.blocking", c.timing.blocking,
           "later look-ups of a port wait for the answer to a miss; else they pass");
  keys.add("lookup.cam_cycles", c.timing.cam_cycles, {1, most_cycles}, "cycles",
           "access of the memory, request to answer");
  keys.add("lookup.cam_pipelined", c.timing.cam_pipelined,
           "memory free of contention; else one access at a time, first come first served");
  keys.add("lookup.cam_entries", c.cam_entries, {1, 1U << 30}, "entries",
           "entries of the memory; one for each node");
  keys.add("lookup.cam_key_bits", c.cam_key_bits, {1, 64}, "bits", "width of the memory's keys");
}

void add_cache_keys(KeyTable& keys, LookupConfig& c) {
  keys.add("lookup.entries", c.cache.entries, {0, 1U << 30}, "entries",
           "entries of each port's cache, 12 bytes each, at most 65535");
  keys.add("lookup.ways", c.cache.ways, {0, 1U << 30}, "entries",
           "associativity; lookup.entries: fully associative");
  keys.add_choice("lookup.replacement", c.cache.replacement,
                  words_of(lookup::replacement_names(c.cache.policies)),
                  "policy that chooses the entry of a full set which makes room");
  keys.add_choice("lookup.hash", c.hash, words_of(lookup::hash_names()),
                  "hash of the destination; its low bits, or its remainder, choose the set");
  keys.add("lookup.classify_misses", c.cache.classify_misses,
           "classification of misses as compulsory, conflict and capacity; takes time and memory");
  keys.add_choice("lookup.identifiers", c.identifiers,
                  {{"random", lookup::Identifiers::random}, {"dense", lookup::Identifiers::dense}},
                  "identifiers of nodes in packets: 64 random bits, or the node's number");
  keys.add("lookup.identifier_seed", c.identifier_seed, {0, ~0ULL}, "", "seed of random identifiers");
  keys.add_choice(
      "lookup.warm", c.warm, {{"none", WarmCaches::none}, {"all", WarmCaches::all}},
      "contents of caches at the start: nothing, or the entries that an exchange of all with all leaves");
}

void add_energy_keys(KeyTable& keys, lookup::LookupEnergy& energy) {
  constexpr config::Range<double> any{0, 1e9};
  keys.add("lookup.energy.cache_nj", energy.cache_nj, any, "nJ", "energy of an access of a port's cache");
  keys.add("lookup.energy.cam_nj", energy.cam_nj, any, "nJ", "energy of an access of the memory");
  keys.add("lookup.energy.cache_static_mw", energy.cache_static_mw, any, "mW",
           "static power of a port's cache");
  keys.add("lookup.energy.cam_static_mw", energy.cam_static_mw, any, "mW", "static power of the memory");
}

}  // namespace

void add_lookup_keys(KeyTable& keys, LookupConfig& config) {
  add_stage_keys(keys, config);
  add_cache_keys(keys, config);
  add_energy_keys(keys, config.energy);
}

void LookupConfig::validate() const {
  (void)lookup::KeyHash(hash);
  cache.validate();
}

void LookupConfig::validate_with(const graph::Topology& topology, const routing::Routing& routing,
                                 const std::string& routing_kind) const {
  if (kind == LookupKind::plain) return;
  if (routing.table_form() == routing::TableForm::none)
    throw ConfigError(
        "routing.kind", routing_kind,
        "does not give one candidate for each input port and destination, as tables that are looked "
        "up by destination hold it",
        "lookup.kind plain; dimension_order with routing.ties fixed (on even rings) and "
        "routing.dateline crossing, switching or none; up_down with routing.paths one; "
        "least_common_ancestor with routing.up_port one_to_one; destination_digits; source_table");
  if (topology.nodes() > cam_entries)
    throw ConfigError("lookup.cam_entries", std::to_string(cam_entries),
                      "the memory is too small for " + std::to_string(topology.nodes()) + " nodes",
                      "at least " + std::to_string(topology.nodes()));
  const lookup::NodeKeys keys(topology.nodes(), identifiers, identifier_seed);
  if (keys.bits() > cam_key_bits)
    throw ConfigError(
        "lookup.cam_key_bits", std::to_string(cam_key_bits),
        "the nodes' identifiers have " + std::to_string(keys.bits()) + " bits",
        "at least " + std::to_string(keys.bits()) +
            (identifiers == lookup::Identifiers::random ? ", or lookup.identifiers dense" : ""));
}

}  // namespace tsuji::fabric
