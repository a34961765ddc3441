// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "tsuji/config/key_table.h"
#include "tsuji/core/error.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/fat_tree.h"
#include "tsuji/graph/fly.h"
#include "tsuji/graph/random_graphs.h"
#include "tsuji/graph/topology_file.h"
#include "tsuji/machines/cenju4/cenju4_keys.h"
#include "tsuji/machines/replay/trace_replay.h"
#include "tsuji/network/config/network_config.h"
#include "tsuji/network/config/traffic_config.h"
#include "tsuji/router/prediction/kinds.h"
#include "tsuji/routing/detour/detour_ud.h"
#include "tsuji/routing/dimension_order.h"
#include "tsuji/routing/duato.h"
#include "tsuji/routing/least_common_ancestor.h"
#include "tsuji/routing/source_table.h"
#include "tsuji/routing/up_down.h"

// A line a key: the member that its value reaches. Setting the key changes this member and none of the
// others, and the key's default is what the member of a struct holds that nobody has touched.

using namespace tsuji;
using namespace tsuji::fabric;

namespace {

std::string text_of(const std::string& value) {
  return value;
}
template <class T>
std::string text_of(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return std::to_string(static_cast<std::uint64_t>(value));
  } else {
    std::ostringstream text;
    text.precision(17);
    text << value;
    return text.str();
  }
}
template <class T>
std::string text_of(const std::vector<T>& values) {
  std::string text = "[";
  for (const T& value : values) text += text_of(value) + ",";
  return text + "]";
}
template <class T>
std::string text_of(const std::optional<T>& value) {
  return value ? text_of(*value) : "none";
}

template <class Config>
struct Member {
  const char* key;
  std::string (*text)(const Config&);
};
template <class Config>
using Members = std::vector<Member<Config>>;

#define MEMBER(Config, key, member)                        \
  {                                                        \
    key, [](const Config& c) { return text_of(c.member); } \
  }

const Members<Cenju4Config> of_cenju4 = {
    MEMBER(Cenju4Config, "network.nodes", network.topology.nodes),
    MEMBER(Cenju4Config, "network.radix", network.topology.radix),
    MEMBER(Cenju4Config, "network.stages", network.topology.stages),
    MEMBER(Cenju4Config, "network.stages_per_board", network.topology.stages_per_board),
    MEMBER(Cenju4Config, "network.cable_cycles", network.cable_cycles),
    MEMBER(Cenju4Config, "network.room_signal", network.room_signal),
    MEMBER(Cenju4Config, "switch.fifo_packets", network.crosspoint.fifo_packets),
    MEMBER(Cenju4Config, "switch.single_cast_cycles", network.crosspoint.single_cast_cycles),
    MEMBER(Cenju4Config, "switch.multicast_cycles", network.crosspoint.multicast_cycles),
    MEMBER(Cenju4Config, "switch.synchronization_cycles", network.crosspoint.synchronization_cycles),
    MEMBER(Cenju4Config, "switch.table_access_cycles", network.crosspoint.table_access_cycles),
    MEMBER(Cenju4Config, "switch.reserve_after", network.crosspoint.reserve_after),
    MEMBER(Cenju4Config, "switch.mode", network.crosspoint.mode),
    MEMBER(Cenju4Config, "sizes.header_flits", nic.sizes.header_flits),
    MEMBER(Cenju4Config, "sizes.multicast_header_flits", nic.sizes.multicast_header_flits),
    MEMBER(Cenju4Config, "sizes.synchronization_header_flits", nic.sizes.synchronization_header_flits),
    MEMBER(Cenju4Config, "sizes.flits_per_word", nic.sizes.flits_per_word),
    MEMBER(Cenju4Config, "sender.header_registers", nic.sender.header_registers),
    MEMBER(Cenju4Config, "sender.tlb_entries", nic.sender.tlb_entries),
    MEMBER(Cenju4Config, "sender.fifo_packets", nic.sender.fifo_packets),
    MEMBER(Cenju4Config, "sender.read_ahead_packets", nic.sender.read_ahead_packets),
    MEMBER(Cenju4Config, "sender.optimized_first_read", nic.sender.optimized_first_read),
    MEMBER(Cenju4Config, "sender.select_queue_cycles", nic.sender.select_queue_cycles),
    MEMBER(Cenju4Config, "sender.check_header_cycles", nic.sender.check_header_cycles),
    MEMBER(Cenju4Config, "sender.set_port_cycles", nic.sender.set_port_cycles),
    MEMBER(Cenju4Config, "sender.choose_cycles", nic.sender.choose_cycles),
    MEMBER(Cenju4Config, "sender.translate_cycles", nic.sender.translate_cycles),
    MEMBER(Cenju4Config, "sender.build_header_cycles", nic.sender.build_header_cycles),
    MEMBER(Cenju4Config, "sender.release_cycles", nic.sender.release_cycles),
    MEMBER(Cenju4Config, "receiver.tlb_entries", nic.receiver.tlb_entries),
    MEMBER(Cenju4Config, "receiver.fifo_packets", nic.receiver.fifo_packets),
    MEMBER(Cenju4Config, "receiver.buffer_entries", nic.receiver.buffer_entries),
    MEMBER(Cenju4Config, "receiver.check_cycles", nic.receiver.check_cycles),
    MEMBER(Cenju4Config, "receiver.place_cycles", nic.receiver.place_cycles),
    MEMBER(Cenju4Config, "receiver.translate_cycles", nic.receiver.translate_cycles),
    MEMBER(Cenju4Config, "memory.bytes", memory.bytes),
    MEMBER(Cenju4Config, "memory.first_word_ns", memory_controller.memory_first_word_ns),
    MEMBER(Cenju4Config, "memory.word_ns", memory_controller.memory_word_ns),
    MEMBER(Cenju4Config, "memory.clean_answer_ns", memory_controller.clean_answer_ns),
    MEMBER(Cenju4Config, "memory.dirty_answer_ns", memory_controller.dirty_answer_ns),
    MEMBER(Cenju4Config, "memory.dirty_word_ns", memory_controller.dirty_word_ns),
    MEMBER(Cenju4Config, "memory.write_ns", memory_controller.write_ns),
    MEMBER(Cenju4Config, "memory.read_modify_ns", memory_controller.read_modify_ns),
    MEMBER(Cenju4Config, "cache.bytes", processor.cache.bytes),
    MEMBER(Cenju4Config, "cache.ways", processor.cache.ways),
    MEMBER(Cenju4Config, "cache.replacement", processor.cache.replacement),
    MEMBER(Cenju4Config, "processor.hit_ns", processor.hit_ns),
    MEMBER(Cenju4Config, "processor.store_ns", processor.store_ns),
    MEMBER(Cenju4Config, "processor.block_word_ns", processor.block_word_ns),
    MEMBER(Cenju4Config, "processor.register_write_ns", processor.register_write_ns),
    MEMBER(Cenju4Config, "processor.register_read_ns", processor.register_read_ns),
    MEMBER(Cenju4Config, "processor.interrupt_ns", processor.interrupt_ns),
    MEMBER(Cenju4Config, "library.header_queue_bytes", library.header_queue_bytes),
    MEMBER(Cenju4Config, "library.credits", library.credits),
    MEMBER(Cenju4Config, "library.send_slots", library.send_slots),
    MEMBER(Cenju4Config, "library.rendezvous_slots", library.rendezvous_slots),
    MEMBER(Cenju4Config, "library.collective_messages", library.collective_messages),
    MEMBER(Cenju4Config, "library.heap_bytes", library.heap_bytes),
    MEMBER(Cenju4Config, "library.barrier", library.barrier),
    MEMBER(Cenju4Config, "library.barrier_fan_in", library.barrier_fan_in),
    MEMBER(Cenju4Config, "library.realignment", library.realignment),
    MEMBER(Cenju4Config, "library.broadcast", library.broadcast),
    MEMBER(Cenju4Config, "software.paralib_send_ns", software.paralib_send_ns),
    MEMBER(Cenju4Config, "software.paralib_receive_ns", software.paralib_receive_ns),
    MEMBER(Cenju4Config, "software.mpi_send_ns", software.mpi_send_ns),
    MEMBER(Cenju4Config, "software.mpi_receive_ns", software.mpi_receive_ns),
    MEMBER(Cenju4Config, "software.mpi_control_ns", software.mpi_control_ns),
    MEMBER(Cenju4Config, "software.copy_ns_per_word", software.copy_ns_per_word),
    MEMBER(Cenju4Config, "software.reduce_ns_per_word", software.reduce_ns_per_word),
    MEMBER(Cenju4Config, "software.poll_loop_ns", software.poll_loop_ns),
    MEMBER(Cenju4Config, "software.system_call_ns", software.system_call_ns),
    MEMBER(Cenju4Config, "os.placement", os.placement),
    MEMBER(Cenju4Config, "os.log_buffer_bytes", os.log_buffer_bytes),
    MEMBER(Cenju4Config, "os.paging", os.paging),
    MEMBER(Cenju4Config, "os.page_fault_ns", os.page_fault_ns),
    MEMBER(Cenju4Config, "os.time_slice_us", time_slice_us),
    MEMBER(Cenju4Config, "os.task_switch_ns", task_switch_ns),
    MEMBER(Cenju4Config, "clock_period_ps", clock_period_ps),
    MEMBER(Cenju4Config, "faults.single_bit_per_flit", faults.single_bit_per_flit),
    MEMBER(Cenju4Config, "faults.double_bit_per_flit", faults.double_bit_per_flit),
    MEMBER(Cenju4Config, "faults.lost_per_flit", faults.lost_per_flit),
    MEMBER(Cenju4Config, "faults.data_words_only", faults.data_words_only),
    MEMBER(Cenju4Config, "faults.channels", faulty_channels),
    MEMBER(Cenju4Config, "run.processes", process_mode),
    MEMBER(Cenju4Config, "run.shuffle_seed", shuffle_seed),
};

const Members<NetworkConfig> of_network = {
    MEMBER(NetworkConfig, "link.latency_cycles", link_latency_cycles),
    MEMBER(NetworkConfig, "link.inject_latency_cycles", network.inject_latency_cycles),
    MEMBER(NetworkConfig, "link.eject_latency_cycles", network.eject_latency_cycles),
    MEMBER(NetworkConfig, "link.flit_cycles", network.flit_cycles),
    MEMBER(NetworkConfig, "link.whole_flit", network.whole_flit),
    MEMBER(NetworkConfig, "link.credit_latency_cycles", network.credit_latency_cycles),
    MEMBER(NetworkConfig, "link.credit_process_cycles", network.credit_process_cycles),
    MEMBER(NetworkConfig, "link.node_credit_process_cycles", network.node_credit_process_cycles),
    MEMBER(NetworkConfig, "link.faults", link_faults),
    MEMBER(NetworkConfig, "router.rc_cycles", network.rc_cycles),
    MEMBER(NetworkConfig, "router.va_cycles", network.router.va_cycles),
    MEMBER(NetworkConfig, "router.sa_cycles", network.router.sa_cycles),
    MEMBER(NetworkConfig, "router.st_cycles", network.router.st_cycles),
    MEMBER(NetworkConfig, "router.des_cycles", network.router.des_cycles),
    MEMBER(NetworkConfig, "router.ser_cycles", network.router.ser_cycles),
    MEMBER(NetworkConfig, "router.vc_change_cycles", network.router.vc_change_cycles),
    MEMBER(NetworkConfig, "router.block_timeout_cycles", block_timeout_cycles),
    MEMBER(NetworkConfig, "router.hop_limit", hop_limit),
    MEMBER(NetworkConfig, "router.vcs", network.vcs),
    MEMBER(NetworkConfig, "router.node_vcs", network.node_vcs),
    MEMBER(NetworkConfig, "router.first_injection_vc", network.first_injection_vc),
    MEMBER(NetworkConfig, "router.buffer_flits", network.buffer_flits),
    MEMBER(NetworkConfig, "router.switching", network.router.switching),
    MEMBER(NetworkConfig, "router.va_allocator", network.router.va_allocator),
    MEMBER(NetworkConfig, "router.sa_allocator", network.router.sa_allocator),
    MEMBER(NetworkConfig, "router.islip_iterations", network.router.islip_iterations),
    MEMBER(NetworkConfig, "router.va_input_arbiter", network.router.va_input_arbiter),
    MEMBER(NetworkConfig, "router.va_requests", network.router.va_requests),
    MEMBER(NetworkConfig, "router.sa_input_arbiter", network.router.sa_input_arbiter),
    MEMBER(NetworkConfig, "router.matrix_first", network.router.matrix_first),
    MEMBER(NetworkConfig, "router.input_speedup", network.router.input_speedup),
    MEMBER(NetworkConfig, "router.atomic_vcs", network.router.atomic_vcs),
    MEMBER(NetworkConfig, "router.uturn_network", uturn_network),
    MEMBER(NetworkConfig, "router.uturn_node", network.router.uturn_node),
    MEMBER(NetworkConfig, "router.route_at", network.router.route_at),
    MEMBER(NetworkConfig, "router.selection", network.router.selection),
    MEMBER(NetworkConfig, "router.dead_way", network.router.dead_way),
    MEMBER(NetworkConfig, "prediction.kind", network.router.prediction.kind),
    MEMBER(NetworkConfig, "prediction.top", network.router.prediction.top),
    MEMBER(NetworkConfig, "prediction.check", prediction_check),
    MEMBER(NetworkConfig, "prediction.serial", network.router.prediction.serial),
    MEMBER(NetworkConfig, "prediction.context_heads",
           network.router.prediction.kinds.of<router::FiniteContextConfig>().context_heads),
    MEMBER(NetworkConfig, "prediction.entries",
           network.router.prediction.kinds.of<router::LastDestinationConfig>().entries),
    MEMBER(NetworkConfig, "clock_period_ps", clock_period_ps),
    MEMBER(NetworkConfig, "run.watchdog_cycles", watchdog_cycles),
    MEMBER(NetworkConfig, "run.processes", process_mode),
    MEMBER(NetworkConfig, "run.shuffle_seed", shuffle_seed),
    MEMBER(NetworkConfig, "topology.kind", topology.kind),
    MEMBER(NetworkConfig, "topology.radices", topology.of<graph::CubeConfig>().radices),
    MEMBER(NetworkConfig, "topology.wraps", topology.of<graph::CubeConfig>().wraps),
    MEMBER(NetworkConfig, "topology.nodes_per_router", topology.of<graph::CubeConfig>().nodes_per_router),
    MEMBER(NetworkConfig, "topology.up_links", topology.of<graph::FatTreeConfig>().up_links),
    MEMBER(NetworkConfig, "topology.down_links", topology.of<graph::FatTreeConfig>().down_links),
    MEMBER(NetworkConfig, "topology.levels", topology.of<graph::FatTreeConfig>().levels),
    MEMBER(NetworkConfig, "topology.radix", topology.of<graph::FlyConfig>().radix),
    MEMBER(NetworkConfig, "topology.stages", topology.of<graph::FlyConfig>().stages),
    MEMBER(NetworkConfig, "topology.nodes", topology.of<graph::RandomGraphConfig>().nodes),
    MEMBER(NetworkConfig, "topology.degree", topology.of<graph::RandomGraphConfig>().degree),
    MEMBER(NetworkConfig, "topology.wire_length", topology.of<graph::RandomGraphConfig>().wire_length),
    MEMBER(NetworkConfig, "topology.cycles_per_length",
           topology.of<graph::RandomGraphConfig>().cycles_per_length),
    MEMBER(NetworkConfig, "topology.seed", topology.of<graph::RandomGraphConfig>().seed),
    MEMBER(NetworkConfig, "topology.file", topology.of<graph::TopologyFileConfig>().file),
    MEMBER(NetworkConfig, "router.table_cycles", network.table_cycles),
    MEMBER(NetworkConfig, "router.table_ports", network.table_ports),
    MEMBER(NetworkConfig, "router.table_pipelined", network.table_pipelined),
    MEMBER(NetworkConfig, "faults.links", dead.links),
    MEMBER(NetworkConfig, "faults.routers", dead.routers),
    MEMBER(NetworkConfig, "faults.random_links", dead.random_links),
    MEMBER(NetworkConfig, "faults.random_routers", dead.random_routers),
    MEMBER(NetworkConfig, "faults.seed", dead.seed),
    MEMBER(NetworkConfig, "faults.events", dead.events),
    MEMBER(NetworkConfig, "faults.campaign.deaths", dead.campaign.deaths),
    MEMBER(NetworkConfig, "faults.campaign.link_mean_cycles", dead.campaign.link_mean_cycles),
    MEMBER(NetworkConfig, "faults.campaign.router_mean_cycles", dead.campaign.router_mean_cycles),
    MEMBER(NetworkConfig, "faults.campaign.repair_cycles", dead.campaign.repair_cycles),
    MEMBER(NetworkConfig, "faults.campaign.first_cycle", dead.campaign.first_cycle),
    MEMBER(NetworkConfig, "faults.campaign.seed", dead.campaign.seed),
    MEMBER(NetworkConfig, "faults.detection_cycles", dead.detection_cycles),
    MEMBER(NetworkConfig, "faults.table_cycles", dead.reconfiguration.table_cycles),
    MEMBER(NetworkConfig, "faults.resume", dead.reconfiguration.resume),
    MEMBER(NetworkConfig, "faults.losses", dead.losses),
    MEMBER(NetworkConfig, "deadlock.classify_timeouts", classify_timeouts),
    MEMBER(NetworkConfig, "routing.kind", routing.kind),
    MEMBER(NetworkConfig, "routing.ties", routing.of<routing::DimensionOrderConfig>().ties),
    MEMBER(NetworkConfig, "routing.dateline", routing.of<routing::DimensionOrderConfig>().dateline),
    MEMBER(NetworkConfig, "routing.escape_return", routing.of<routing::DuatoConfig>().escape_return),
    MEMBER(NetworkConfig, "routing.up_port", routing.of<routing::LeastCommonAncestorConfig>().up_port),
    MEMBER(NetworkConfig, "routing.root", routing.of<routing::UpDownConfig>().root),
    MEMBER(NetworkConfig, "routing.paths", routing.of<routing::UpDownConfig>().all_paths),
    MEMBER(NetworkConfig, "routing.seed", routing.of<routing::SourceTableConfig>().seed),
    MEMBER(NetworkConfig, "routing.region_distance",
           routing.of<routing::DetourUdConfig>().tables.region_distance),
    MEMBER(NetworkConfig, "routing.ud_vcs", routing.of<routing::DetourUdConfig>().ud_vcs),
    MEMBER(NetworkConfig, "routing.ud_paths", routing.of<routing::DetourUdConfig>().tables.all_paths),
    MEMBER(NetworkConfig, "routing.root_priority",
           routing.of<routing::DetourUdConfig>().tables.root_priority),
    MEMBER(NetworkConfig, "lookup.kind", lookup.kind),
    MEMBER(NetworkConfig, "lookup.hash_cycles", lookup.timing.hash_cycles),
    MEMBER(NetworkConfig, "lookup.cache_cycles", lookup.timing.cache_cycles),
    MEMBER(NetworkConfig, "lookup.blocking", lookup.timing.blocking),
    MEMBER(NetworkConfig, "lookup.cam_cycles", lookup.timing.cam_cycles),
    MEMBER(NetworkConfig, "lookup.cam_pipelined", lookup.timing.cam_pipelined),
    MEMBER(NetworkConfig, "lookup.cam_entries", lookup.cam_entries),
    MEMBER(NetworkConfig, "lookup.cam_key_bits", lookup.cam_key_bits),
    MEMBER(NetworkConfig, "lookup.entries", lookup.cache.entries),
    MEMBER(NetworkConfig, "lookup.ways", lookup.cache.ways),
    MEMBER(NetworkConfig, "lookup.replacement", lookup.cache.replacement),
    MEMBER(NetworkConfig, "lookup.hash", lookup.hash),
    MEMBER(NetworkConfig, "lookup.classify_misses", lookup.cache.classify_misses),
    MEMBER(NetworkConfig, "lookup.identifiers", lookup.identifiers),
    MEMBER(NetworkConfig, "lookup.identifier_seed", lookup.identifier_seed),
    MEMBER(NetworkConfig, "lookup.warm", lookup.warm),
    MEMBER(NetworkConfig, "lookup.search_width", lookup.timing.search.entries_per_cycle),
    MEMBER(NetworkConfig, "lookup.search_ends_early", lookup.timing.search.ends_early),
    MEMBER(NetworkConfig, "lookup.search_unit", lookup.timing.search.of_switch),
    MEMBER(NetworkConfig, "lookup.energy.cache_nj", lookup.energy.cache_nj),
    MEMBER(NetworkConfig, "lookup.energy.cam_nj", lookup.energy.cam_nj),
    MEMBER(NetworkConfig, "lookup.energy.compared_entry_nj", lookup.energy.compared_entry_nj),
    MEMBER(NetworkConfig, "lookup.energy.cache_static_mw", lookup.energy.cache_static_mw),
    MEMBER(NetworkConfig, "lookup.energy.cam_static_mw", lookup.energy.cam_static_mw),
};

const Members<TrafficConfig> of_traffic = {
    MEMBER(TrafficConfig, "traffic.length", length),
    MEMBER(TrafficConfig, "traffic.packet_flits", packet_flits),
    MEMBER(TrafficConfig, "traffic.largest_packet_flits", largest_packet_flits),
    MEMBER(TrafficConfig, "traffic.lengths", lengths),
    MEMBER(TrafficConfig, "traffic.weights", weights),
    MEMBER(TrafficConfig, "traffic.kind", kind),
    MEMBER(TrafficConfig, "traffic.pattern", pattern),
    MEMBER(TrafficConfig, "traffic.to_self", to_self),
    MEMBER(TrafficConfig, "traffic.load_flits_per_node_cycle", load_flits_per_node_cycle),
    MEMBER(TrafficConfig, "traffic.injection", injection),
    MEMBER(TrafficConfig, "traffic.burst_load_flits_per_node_cycle", burst_load_flits_per_node_cycle),
    MEMBER(TrafficConfig, "traffic.burst_cycles", burst_cycles),
    MEMBER(TrafficConfig, "traffic.hotspots", patterns.of<workload::HotspotConfig>().hotspots),
    MEMBER(TrafficConfig, "traffic.hotspot_share", patterns.of<workload::HotspotConfig>().hotspot_share),
    MEMBER(TrafficConfig, "traffic.matrix", patterns.of<workload::MatrixConfig>().matrix),
    MEMBER(TrafficConfig, "traffic.list", list),
    MEMBER(TrafficConfig, "traffic.window", window),
    MEMBER(TrafficConfig, "traffic.gap_cycles", gap_cycles),
    MEMBER(TrafficConfig, "traffic.last_cycle", last_cycle),
};

const Members<observe::MeasureConfig> of_measure = {
    MEMBER(observe::MeasureConfig, "measure.mode", mode),
    {"measure.warmup_cycles",
     [](const observe::MeasureConfig& c) { return text_of(c.automatic_warmup) + text_of(c.warmup_cycles); }},
    MEMBER(observe::MeasureConfig, "measure.longest_warmup_cycles", longest_warmup_cycles),
    MEMBER(observe::MeasureConfig, "measure.cycles", cycles),
    MEMBER(observe::MeasureConfig, "measure.drain_cycles", drain_cycles),
    MEMBER(observe::MeasureConfig, "measure.first_arrival", first_arrival),
    MEMBER(observe::MeasureConfig, "measure.last_arrival", last_arrival),
    MEMBER(observe::MeasureConfig, "measure.most_cycles", most_cycles),
    MEMBER(observe::MeasureConfig, "measure.batches", batches),
};

const Members<traffic::RetryConfig> of_retry = {
    MEMBER(traffic::RetryConfig, "retry.timeout_cycles", timeout_cycles),
    MEMBER(traffic::RetryConfig, "retry.ack_flits", ack_flits),
    MEMBER(traffic::RetryConfig, "retry.most_tries", most_tries),
};

const Members<TraceReplayConfig> of_replay = {
    MEMBER(TraceReplayConfig, "nic.packet_bytes", nic.packet_bytes),
    MEMBER(TraceReplayConfig, "nic.flit_bytes", nic.flit_bytes),
    MEMBER(TraceReplayConfig, "nic.header_flits", nic.header_flits),
    MEMBER(TraceReplayConfig, "nic.eager_bytes", replay.eager_bytes),
    MEMBER(TraceReplayConfig, "nic.local_cycles", nic.local_cycles),
    MEMBER(TraceReplayConfig, "workload.ranks_per_node", ranks_per_node),
    MEMBER(TraceReplayConfig, "workload.placement", placement),
    MEMBER(TraceReplayConfig, "node.gflops", node_gflops),
    MEMBER(TraceReplayConfig, "collectives.barrier", replay.barrier),
    MEMBER(TraceReplayConfig, "collectives.broadcast", replay.broadcast),
    MEMBER(TraceReplayConfig, "collectives.reduce", replay.reduce),
    MEMBER(TraceReplayConfig, "collectives.all_reduce", replay.all_reduce),
    MEMBER(TraceReplayConfig, "collectives.all_to_all", replay.all_to_all),
};

/// A struct with its keys.
template <class Config>
struct Bound {
  explicit Bound(const std::function<void(config::KeyTable&, Config&)>& bind) { bind(keys, config); }
  std::vector<std::string> texts(const Members<Config>& members) const {
    std::vector<std::string> texts;
    for (const Member<Config>& member : members) texts.push_back(member.text(config));
    return texts;
  }
  Config config;
  config::KeyTable keys;
};

using Json = nlohmann::ordered_json;

/// Key to value, in the order of the table.
std::vector<std::pair<std::string, Json>> flat(const Json& tree, const std::string& section = "") {
  std::vector<std::pair<std::string, Json>> all;
  for (const auto& [name, value] : tree.items()) {
    if (!value.is_object()) {
      all.emplace_back(section + name, value);
      continue;
    }
    for (auto& below : flat(value, section + name + ".")) all.push_back(std::move(below));
  }
  return all;
}

std::string as_assigned(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Json value_of(const config::KeyTable& keys, const std::string& key) {
  for (const auto& [name, value] : flat(keys.json()))
    if (name == key) return value;
  return {};
}

/// The words of a choice, from its refusal of another word.
std::vector<std::string> words_in(const std::string& refusal) {
  std::vector<std::string> words;
  const std::size_t at = refusal.rfind("one of ");
  if (at == std::string::npos) return words;
  std::istringstream list(refusal.substr(at + 7));
  for (std::string word; list >> word;) {
    word.erase(std::remove(word.begin(), word.end(), ','), word.end());
    words.push_back(word);
  }
  return words;
}

/// Sets a key to a value that it does not have; false if none is found.
bool change(config::KeyTable& keys, const std::string& key) {
  const Json before = value_of(keys, key);
  std::vector<std::string> candidates = {"17",   "3",       "4", "2",    "1",     "0.25",  "500",
                                         "8192", "2097152", "0", "true", "false", "[9,7]", "no_such_word"};
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    try {
      keys.set_from_command_line(key + "=" + candidates[c]);
      if (value_of(keys, key) != before) return true;
    } catch (const ConfigError& error) {
      for (const std::string& word : words_in(error.what())) {
        if (std::find(candidates.begin(), candidates.end(), word) == candidates.end())
          candidates.push_back(word);
      }
    }
  }
  return false;
}

template <class Config>
void check_members(const Members<Config>& members,
                   const std::function<void(config::KeyTable&, Config&)>& bind) {
  const Bound<Config> fresh(bind);
  const std::vector<std::string> untouched = Bound<Config>([](config::KeyTable&, Config&) {}).texts(members);
  CHECK(fresh.texts(members) == untouched);
  for (const auto& [key, value] : flat(fresh.keys.json())) {
    const auto own = std::find_if(members.begin(), members.end(),
                                  [name = key](const Member<Config>& member) { return member.key == name; });
    // A kind's key reaches the kind's own struct, as its own test shows; it reaches nothing else.
    if (own == members.end() && !fresh.keys.is_of_kinds(key)) {
      FAIL_CHECK("the table in this file has no line for the key "
                 << key << ": add one with the member that it reaches");
      continue;
    }
    CAPTURE(key);
    Bound<Config> one(bind);
    REQUIRE(change(one.keys, key));
    const std::vector<std::string> changed = one.texts(members);
    for (std::size_t m = 0; m < members.size(); ++m) {
      CAPTURE(members[m].key, untouched[m], changed[m]);
      CHECK((changed[m] != untouched[m]) == (members[m].key == key));
    }
    one.keys.set_from_command_line(key + "=" + as_assigned(value));
    CHECK(one.texts(members) == untouched);
  }
  for (const Member<Config>& member : members) {
    CAPTURE(member.key);
    CHECK(fresh.keys.has_key(member.key));
  }
}

}  // namespace

TEST_CASE("each key of a Cenju-4 machine reaches its own member, whose default is the key's") {
  check_members<Cenju4Config>(of_cenju4, add_cenju4_keys);
}

TEST_CASE("each key of a network reaches its own member, whose default is the key's") {
  check_members<NetworkConfig>(of_network, [](config::KeyTable& keys, NetworkConfig& config) {
    add_network_keys(keys, config);
    add_network_fault_keys(keys, config);
    add_network_deadlock_keys(keys, config);
  });
}

TEST_CASE(
    "each key of synthetic traffic and of its measurement reaches its own member, whose default is the "
    "key's") {
  check_members<TrafficConfig>(of_traffic, add_traffic_keys);
  check_members<observe::MeasureConfig>(of_measure, add_measure_keys);
  check_members<traffic::RetryConfig>(of_retry, add_retry_keys);
}

TEST_CASE(
    "each key of ranks behind plain network interfaces reaches its own member, whose default is the key's") {
  check_members<TraceReplayConfig>(of_replay, [](config::KeyTable& keys, TraceReplayConfig& config) {
    add_placement_keys(keys, config);
    add_packetizer_keys(keys, config);
    add_replay_keys(keys, config);
  });
}
