// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>
#include <functional>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/graph/all_hops.h"
#include "tsuji/graph/living_network.h"
#include "tsuji/network/config/topology_config.h"
#include "tsuji/platform/command_line.h"
#include "tsuji/routing/compact/compact.h"
#include "tsuji/routing/compact/compact_check.h"
#include "tsuji/routing/compact/table_bits.h"

namespace tsuji::platform {

struct CompactStudy;

/// The answer to a question, which adds its tables and metrics to the results.
using CompactAnswer = void (*)(const CompactStudy&, const RunOptions&, observe::Results&);

/// Hops, stretch and bits for each graph and number of entries: table `hops` (Compact Tables, figures 1 and
/// 2). Each line is a proof against livelock, too.
void run_compact_hops(const CompactStudy& study, const RunOptions& options, observe::Results& results);

/// Follows a packet for every pair of routers of each graph, and proves its layers free of deadlock: table
/// `proof`.
void run_compact_proof(const CompactStudy& study, const RunOptions& options, observe::Results& results);

/// Layers and bits of all schemes against deadlock: tables `layers` and `bits`.
void run_compact_layers(const CompactStudy& study, const RunOptions& options, observe::Results& results);

/// Entries with which the mean path is no more than some percent longer than shortest paths: table `growth`.
void run_compact_growth(const CompactStudy& study, const RunOptions& options, observe::Results& results);

/// Questions about compact routing tables that need no simulation. Each kind is one file, compact_KIND.cpp,
/// and reads the keys that it needs.
struct CompactStudy {
  CompactAnswer kind = run_compact_hops;
  network::TopologyConfig topology;
  routing::CompactRoutingConfig routing;

  unsigned seeds = 1;       ///< number of graphs
  unsigned first_seed = 1;  ///< seed of the first graph, instead of topology.seed
  std::vector<unsigned> entries{
      0};  ///< hops: entries of a router's table, a line of results each; 0: the mandatory ones
  unsigned stretch_percent =
      10;  ///< growth: accepted excess of the mean route over the mean shortest path, in percent
  unsigned margin_percent = 0;  ///< growth: entries above the fewest
  unsigned destinations = 0;    ///< growth: number of destinations, drawn at random; 0: all
  bool times = false;           ///< proof: processor times, which differ from run to run

  CompactStudy();
  void validate() const;  ///< throws ConfigError
};

/// A graph of a study with its distances.
struct StudyGraph {
  StudyGraph(const CompactStudy& study, unsigned seed);
  graph::Topology topology;
  graph::LivingNetwork network;
  graph::AllHops hops;
};

/// The graph's topology.
graph::Topology make_study_topology(const CompactStudy& study, unsigned seed);
/// Largest number of links of a router to other routers.
unsigned degree_of(const graph::Topology& topology);
/// Mandatory entries of the router with the largest number of them.
routing::MandatoryEntries needed_entries(const StudyGraph& graph, const CompactStudy& study);
/// Tables with at most `entries` entries.
routing::CompactTables tables_with(const StudyGraph& graph, const CompactStudy& study, unsigned entries);

/// Seconds of this process's processor time.
inline double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Calls `visit` with the seed of each graph, and a function to report the completed share of the graph's
/// work. Throws Interrupted between two graphs. Adds the metric `graphs`.
void for_each_graph(const CompactStudy& study, const RunOptions& options, observe::Results& results,
                    const std::function<void(unsigned seed, const std::function<void(double)>& done)>& visit);

}  // namespace tsuji::platform
