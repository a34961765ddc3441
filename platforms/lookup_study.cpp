#include "lookup_study.h"

#include <systemc>

#include "observe/results.h"

namespace tsuji::platform {

void LookupStudy::validate() const {
  network.validate();
}

void add_lookup_study_keys(config::KeyTable& keys, LookupStudy& study) {
  keys.add_choice(
      "study.kind", study.kind,
      {{"conflicts", LookupStudyKind::conflicts}, {"destinations", LookupStudyKind::destinations}},
      "conflicts: entries that random keys evict; destinations: how many an input port sees");
  keys.add("study.seeds", study.seeds, {1, 1'000'000}, "",
           "conflicts: caches that are filled, each with keys of its own");
  keys.add("study.inserted", study.inserted, {1, 1'000'000}, {1, 64}, "keys",
           "conflicts: keys inserted, a series each");
  keys.add("study.ways", study.ways, {1, 65535}, {1, 64}, "", "conflicts: associativities");
  keys.add("lookup.entries", study.cache.entries, {1, 65535}, "entries", "x");
  fabric::add_network_keys(keys, study.network);
}

namespace {

void run(const LookupStudy& study, const RunOptions& options, observe::Results& results) {
  switch (study.kind) {
    case LookupStudyKind::conflicts:
      return run_lookup_conflicts(study, options, results);
    case LookupStudyKind::destinations:
      return run_lookup_destinations(study, options, results);
  }
}

}  // namespace
}  // namespace tsuji::platform

int sc_main(int argc, char** argv) {
  using namespace tsuji::platform;
  LookupStudy study;
  Platform platform;
  platform.name = "lookup_study";
  platform.description =
      "Questions about route look-ups, routing-table caches and content-addressable memories";
  platform.add_keys = [&](tsuji::config::KeyTable& keys) { add_lookup_study_keys(keys, study); };
  platform.validate = [&] { study.validate(); };
  platform.run = [&](const RunOptions& options, tsuji::observe::Results& results) {
    run(study, options, results);
  };
  return run_platform(argc, argv, platform);
}
