// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/network/config/network_plan.h"
#include "tsuji/platform/command_line.h"

namespace tsuji::platform {

struct LookupStudy;

/// The answer to a question, which adds its tables and metrics to the results.
using LookupAnswer = void (*)(const LookupStudy&, const RunOptions&, observe::Results&);

/// Number of entries that random identifiers evict from initially empty caches: table `conflicts`, a row for
/// each number of keys and of ways, with the sum and the sum of squares over all seeds (Hirasawa 2020, fig.
/// 5).
void run_lookup_conflicts(const LookupStudy& study, const RunOptions& options, observe::Results& results);

/// Number of destinations of the packets that pass an input port, over all pairs of different nodes: table
/// `ports`, with a row for each port that packets pass (Hirasawa 2020, fig. 10).
void run_lookup_destinations(const LookupStudy& study, const RunOptions& options, observe::Results& results);

/// Look-ups a second of one switch whose ports request whenever they may (Hirasawa 2020, eq. 6 and 7).
void run_lookup_throughput(const LookupStudy& study, const RunOptions& options, observe::Results& results);

/// Latency of single packets between nodes of a torus that are as far apart as possible, through caches that
/// hold what uniform traffic leaves in them (Hirasawa 2020, section 6).
void run_lookup_zero_load(const LookupStudy& study, const RunOptions& options, observe::Results& results);

/// Power of the look-ups of one loaded switch of seven ports (Hirasawa 2020, section 7.1).
void run_lookup_power(const LookupStudy& study, const RunOptions& options, observe::Results& results);

enum class MissPattern : std::uint8_t { regular, random };

/// Questions about route look-ups for which a whole application is too much. Each kind is one file,
/// lookup_KIND.cpp, and reads the keys that it needs.
struct LookupStudy {
  LookupAnswer kind = run_lookup_conflicts;
  network::NetworkConfig network;

  unsigned seeds = 1000;  ///< conflicts: number of caches that are filled
  std::vector<unsigned> inserted{256, 512, 1024,
                                 2048};        ///< conflicts: numbers of inserted keys, one series each
  std::vector<unsigned> ways{1, 2, 4, 8, 16};  ///< conflicts: associativities, one point of each series

  unsigned ports = 1;          ///< throughput: number of requesting ports
  unsigned lookups = 200'000;  ///< throughput: look-ups of each port
  unsigned outstanding = 64;   ///< throughput: largest number of unanswered look-ups of a port
  unsigned miss_every = 0;     ///< throughput: look-ups per miss; 0: no misses
  MissPattern misses = MissPattern::regular;

  unsigned pairs = 100;  ///< zero_load: number of pairs of nodes, with one packet each

  unsigned load_percent = 100;  ///< power: load in percent of the links' capacity
  unsigned packet_flits = 25;   ///< power: length of every packet
  unsigned packets = 20'000;    ///< power: packets of each port; without load a run of equal length
  unsigned flush_every = 0;     ///< power: packets of each port between flushes of the caches; 0: none
};

/// Binds the keys study.* and those of a network.
void add_lookup_study_keys(config::KeyTable& keys, LookupStudy& study);

/// A network whose routing has one route for each pair; ConfigError for others.
struct StudyPlan : network::NetworkPlan {
  explicit StudyPlan(const network::NetworkConfig& network);
};

/// ConfigError for `key` if a run of `things` (`unit`: their name) exceeds the longest run: `before` cycles,
/// and `apart` cycles for each thing.
void require_in_run(const char* key, unsigned things, const char* unit, Cycle apart, ClockPeriod period,
                    Cycle before = 0);

}  // namespace tsuji::platform
