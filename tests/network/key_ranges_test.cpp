// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tsuji/config/key_table.h"
#include "tsuji/core/error.h"
#include "tsuji/machines/cenju4/cenju4_keys.h"
#include "tsuji/machines/replay/trace_replay.h"
#include "tsuji/network/config/network_config.h"
#include "tsuji/network/config/traffic_config.h"

// Ranges and defaults of all keys but those of kinds. Configurations of users rest on them: a range that
// becomes narrower refuses them, a default that moves changes their results. Who means to do that changes the
// line here, too.

using namespace tsuji;
using namespace tsuji::fabric;

namespace {

using Json = nlohmann::ordered_json;

std::string bounds_of(const Json& schema) {
  if (schema.contains("anyOf")) {
    std::string text;
    for (const Json& one : schema["anyOf"]) text += (text.empty() ? "" : " or ") + bounds_of(one);
    return text;
  }
  if (schema.contains("enum")) return "word";
  if (schema.contains("items")) {
    const auto length = [&](const char* of) { return schema.contains(of) ? schema[of].dump() : ""; };
    return length("minItems") + ".." + length("maxItems") + " of " + bounds_of(schema["items"]);
  }
  if (!schema["type"].is_string()) return "text";
  auto type = schema["type"].get<std::string>();
  if (type != "integer" && type != "number") return type;
  const auto bound = [&](const char* of) { return schema.contains(of) ? schema[of].dump() : ""; };
  return bound("minimum") + ".." + bound("maximum");
}

/// "key: range = default", a line a key.
void add_lines(const Json& schema, const std::string& key, std::vector<std::string>& lines) {
  if (!schema.contains("properties")) {
    lines.push_back(key + ": " + bounds_of(schema) + " = " + schema["default"].dump());
    return;
  }
  for (const auto& [name, below] : schema["properties"].items())
    add_lines(below, key.empty() ? name : key + "." + name, lines);
}

template <class Config>
void check_ranges(const std::string& expected, const std::function<void(config::KeyTable&, Config&)>& bind) {
  Config config;
  config::KeyTable keys;
  bind(keys, config);
  std::vector<std::string> lines;
  add_lines(keys.json_schema("keys"), "", lines);
  std::istringstream text(expected);
  std::string line;
  for (const std::string& own : lines) {
    if (keys.is_of_kinds(own.substr(0, own.find(':')))) continue;
    while (std::getline(text, line) && line.empty()) {
    }
    CHECK(own == line);
  }
  CHECK_FALSE(std::getline(text, line));
}

}  // namespace

TEST_CASE("ranges of the keys of a Cenju-4 machine") {
  check_ranges<Cenju4Config>(R"(
clock_period_ps: 100..1000000 = 12500
network.nodes: 2..1024 = 64
network.radix: 2..16 = 4
network.stages: 0..12 = 0
network.stages_per_board: 1..12 = 2
network.cable_cycles: 0..1000 = 0
network.room_signal: word = "wire"
switch.fifo_packets: 1..4 = 2
switch.single_cast_cycles: 2..1000 = 10
switch.multicast_cycles: 2..1000 = 15
switch.synchronization_cycles: 3..1000 = 16
switch.table_access_cycles: 1..1000 = 2
switch.reserve_after: 1..255 = 4
switch.mode: word = "event_per_packet"
sizes.header_flits: 6..64 = 18
sizes.multicast_header_flits: 9..64 = 18
sizes.synchronization_header_flits: 9..64 = 9
sizes.flits_per_word: 3..8 = 3
sender.header_registers: 1..8 = 4
sender.tlb_entries: 1..64 = 4
sender.fifo_packets: 1..8 = 2
sender.read_ahead_packets: 1..8 = 1
sender.optimized_first_read: boolean = true
sender.select_queue_cycles: 1..1000 = 1
sender.check_header_cycles: 1..1000 = 1
sender.set_port_cycles: 1..1000 = 1
sender.choose_cycles: 1..1000 = 1
sender.translate_cycles: 1..1000 = 1
sender.build_header_cycles: 1..1000 = 1
sender.release_cycles: 1..1000 = 1
receiver.tlb_entries: 1..64 = 4
receiver.fifo_packets: 1..8 = 2
receiver.buffer_entries: 1..64 = 4
receiver.check_cycles: 1..1000 = 1
receiver.place_cycles: 1..1000 = 1
receiver.translate_cycles: 1..1000 = 1
memory.bytes: 1048576..4294967296 = 536870912
memory.first_word_ns: 0.001..1000000.0 = 100.0
memory.word_ns: 0.001..1000000.0 = 12.5
memory.clean_answer_ns: 0.0..1000000.0 = 160.0
memory.dirty_answer_ns: 0.0..1000000.0 = 410.0
memory.dirty_word_ns: 0.001..1000000.0 = 12.5
memory.write_ns: 0.0..1000000.0 = 25.0
memory.read_modify_ns: 0.0..1000000.0 = 100.0
cache.bytes: 4096..1073741824 = 1048576
cache.ways: 1..16 = 2
cache.replacement: word = "lru"
processor.hit_ns: 0.0..1000000.0 = 12.5
processor.store_ns: 0.0..1000000.0 = 12.5
processor.block_word_ns: 0.0..1000000.0 = 12.5
processor.register_write_ns: 0.0..1000000.0 = 100.0
processor.register_read_ns: 0.0..1000000.0 = 200.0
processor.interrupt_ns: 0.0..1000000.0 = 5000.0
library.header_queue_bytes: 4096..65536 = 16384
library.credits: 1..64 = 4
library.send_slots: 1..1024 = 32
library.rendezvous_slots: 1..1024 = 64
library.collective_messages: 1..1024 = 32
library.heap_bytes: 4096..268435456 = 33554432
library.barrier: word = "hardware"
library.barrier_fan_in: 2..64 = 8
library.realignment: word = "hardware"
library.broadcast: word = "hardware"
software.paralib_send_ns: 0.0..1000000.0 = 1220.0
software.paralib_receive_ns: 0.0..1000000.0 = 1220.0
software.mpi_send_ns: 0.0..1000000.0 = 780.0
software.mpi_receive_ns: 0.0..1000000.0 = 780.0
software.mpi_control_ns: 0.0..1000000.0 = 500.0
software.copy_ns_per_word: 0.0..1000000.0 = 10.0
software.reduce_ns_per_word: 0.0..1000000.0 = 20.0
software.poll_loop_ns: 0.001..1000000.0 = 100.0
software.system_call_ns: 0.001..1000000.0 = 13000.0
os.placement: word = "scattered"
os.log_buffer_bytes: 128..1048576 = 16384
os.paging: word = "present"
os.page_fault_ns: 0.0..1000000.0 = 20000.0
os.time_slice_us: 0.0..1000000.0 = 1000.0
os.task_switch_ns: 0.0..1000000.0 = 10000.0
faults.single_bit_per_flit: 0.0..1.0 = 0.0
faults.double_bit_per_flit: 0.0..1.0 = 0.0
faults.lost_per_flit: 0.0..1.0 = 0.0
faults.data_words_only: boolean = false
faults.channels: word = "last"
run.processes: word = "one_for_all"
run.shuffle_seed: 0.. = 0
)",
                             add_cenju4_keys);
}

TEST_CASE("ranges of the keys of a network") {
  check_ranges<NetworkConfig>(R"(
clock_period_ps: 2..1000000000 = 1000
topology.kind: word = "mesh"
link.latency_cycles: 1..1000000 = 1
link.inject_latency_cycles: 1..1000000 = 1
link.eject_latency_cycles: 1..1000000 = 1
link.flit_cycles: 1..65535 = 1
link.whole_flit: boolean = false
link.credit_latency_cycles: 0..1000000 = 0
link.credit_process_cycles: 0..1000000 = 1
link.node_credit_process_cycles: 0..1000000 or word = "as_links"
link.faults: text = ""
router.vcs: 1..16 = 4
router.node_vcs: 0..16 = 0
router.first_injection_vc: 0..1 = 1
router.buffer_flits: 1..21845 = 8
router.switching: word = "wormhole"
router.rc_cycles: 0..65535 = 1
router.va_cycles: 0..65535 = 1
router.sa_cycles: 1..65535 = 1
router.st_cycles: 0..65535 = 1
router.des_cycles: 0..65535 = 0
router.ser_cycles: 0..65535 = 0
router.vc_change_cycles: 0..65535 = 0
router.block_timeout_cycles: 0..65535 or word = "auto"
router.hop_limit: 0..65535 or word = "auto"
router.va_allocator: word = "islip"
router.sa_allocator: word = "islip"
router.islip_iterations: 1..64 = 1
router.va_input_arbiter: word = "vcs"
router.va_requests: word = "one"
router.sa_input_arbiter: word = "vcs"
router.matrix_first: word = "lowest"
router.input_speedup: 1..16 = 1
router.atomic_vcs: boolean = false
router.uturn_network: boolean or word = "auto"
router.uturn_node: boolean = true
router.route_at: word = "front"
router.selection: word = "most_credits"
router.dead_way: word = "drop"
router.table_cycles: 1..65535 = 5
router.table_ports: 1..64 = 2
router.table_pipelined: boolean = true
prediction.kind: word = "none"
prediction.top: word = "next"
prediction.check: word = "auto"
prediction.serial: boolean = false
routing.kind: word = "auto"
lookup.kind: word = "plain"
lookup.hash_cycles: 1..65535 = 1
lookup.cache_cycles: 1..65535 = 1
lookup.blocking: boolean = false
lookup.cam_cycles: 1..65535 = 25
lookup.cam_pipelined: boolean = true
lookup.cam_entries: 1..1073741824 = 65536
lookup.cam_key_bits: 1..64 = 64
lookup.entries: 0..1073741824 = 2048
lookup.ways: 0..1073741824 = 4
lookup.replacement: word = "lru"
lookup.hash: word = "crc32c"
lookup.classify_misses: boolean = false
lookup.identifiers: word = "random"
lookup.identifier_seed: 0.. = 1
lookup.warm: word = "none"
lookup.search_width: 1..65535 = 8
lookup.search_ends_early: boolean = true
lookup.search_unit: word = "port"
lookup.energy.cache_nj: 0.0..1000000000.0 = 0.039
lookup.energy.cam_nj: 0.0..1000000000.0 = 42.0
lookup.energy.compared_entry_nj: 0.0..1000000000.0 = 0.0016
lookup.energy.cache_static_mw: 0.0..1000000000.0 = 13.0
lookup.energy.cam_static_mw: 0.0..1000000000.0 = 36.0
run.watchdog_cycles: 100..1000000000 = 10000
run.processes: word = "one_for_all"
run.shuffle_seed: 0.. = 0
faults.links: 0..1000000 of 0..4294967294 = []
faults.routers: 0..1000000 of 0..4294967294 = []
faults.random_links: 0..1000000 = 0
faults.random_routers: 0..1000000 = 0
faults.seed: 0.. = 1
faults.events: text = ""
faults.campaign.deaths: 0..1000000 = 0
faults.campaign.link_mean_cycles: 0.0..1e+15 = 0.0
faults.campaign.router_mean_cycles: 0.0..1e+15 = 0.0
faults.campaign.repair_cycles: 0..1000000000 = 0
faults.campaign.first_cycle: 1..1000000000 = 1
faults.campaign.seed: 0.. = 1
faults.detection_cycles: 1..1000000 = 1
faults.table_cycles: 0..1000000000 = 100
faults.resume: word = "reduced"
faults.losses: word = "recovering"
deadlock.classify_timeouts: boolean = false
)",
                              [](config::KeyTable& keys, NetworkConfig& config) {
                                add_network_keys(keys, config);
                                add_network_fault_keys(keys, config);
                                add_network_deadlock_keys(keys, config);
                              });
}

TEST_CASE("ranges of the keys of synthetic traffic and of its measurement") {
  check_ranges<TrafficConfig>(R"(
traffic.kind: word = "open_loop"
traffic.pattern: word = "uniform"
traffic.to_self: boolean = true
traffic.load_flits_per_node_cycle: 0.0..1.0 = 0.1
traffic.injection: word = "bernoulli"
traffic.burst_load_flits_per_node_cycle: 0.0..1.0 = 1.0
traffic.burst_cycles: 1.0..1000000.0 = 100.0
traffic.length: word = "fixed"
traffic.packet_flits: 1..65535 = 4
traffic.largest_packet_flits: 1..65535 = 16
traffic.lengths: 0..64 of 1..65535 = []
traffic.weights: 0..64 of 0..1000000000 = []
traffic.list: text = ""
traffic.window: 0..1000000 = 1
traffic.gap_cycles: 0..1000000000 = 0
traffic.last_cycle: 0..1000000000000 = 0
)",
                              add_traffic_keys);
  check_ranges<observe::MeasureConfig>(R"(
measure.mode: word = "cycles"
measure.warmup_cycles: 0..1000000000000 or word = 5000
measure.longest_warmup_cycles: 1..1000000000000 = 100000
measure.cycles: 1..1000000000000 = 10000
measure.drain_cycles: 0..1000000000000 = 50000
measure.first_arrival: 1..1000000000000 = 3001
measure.last_arrival: 1..1000000000000 = 7000
measure.most_cycles: 1..1000000000000 = 10000000
measure.batches: 2..1000 = 20
)",
                                       add_measure_keys);
  check_ranges<traffic::RetryConfig>(R"(
retry.timeout_cycles: 0..1000000000 = 0
retry.ack_flits: 1..65535 = 1
retry.most_tries: 1..20 = 8
)",
                                     add_retry_keys);
}

TEST_CASE("ranges of the keys of ranks behind plain network interfaces") {
  check_ranges<TraceReplayConfig>(R"(
workload.ranks_per_node: 1..65535 = 1
workload.placement: word = "block"
nic.packet_bytes: 1..1048576 = 256
nic.flit_bytes: 1..65535 = 16
nic.header_flits: 0..64 = 1
nic.eager_bytes: 0..4294967295 = 4096
nic.local_cycles: 1..1000000000 = 100
node.gflops: 1e-06..1000000.0 = 1.0
collectives.barrier: word = "dissemination"
collectives.broadcast: word = "binomial"
collectives.reduce: word = "binomial"
collectives.all_reduce: word = "recursive_doubling"
collectives.all_to_all: word = "staggered"
)",
                                  [](config::KeyTable& keys, TraceReplayConfig& config) {
                                    add_placement_keys(keys, config);
                                    add_packetizer_keys(keys, config);
                                    add_replay_keys(keys, config);
                                  });
}
