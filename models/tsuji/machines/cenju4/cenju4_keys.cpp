// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/cenju4/cenju4_keys.h"

namespace tsuji::machines {
namespace {

using config::KeyTable;

constexpr double longest_ns = 1e6;
constexpr double resolution_ns = 0.001;  // the least time that is a cycle

void add_sizes(KeyTable& keys, nic::PacketSizes& sizes) {
  keys.add("sizes.header_flits", sizes.header_flits, {6, 64}, "flits",
           "header of a single cast, after the port flit");
  keys.add("sizes.multicast_header_flits", sizes.multicast_header_flits, {9, 64}, "flits",
           "header of a multicast, after the port flit");
  keys.add("sizes.synchronization_header_flits", sizes.synchronization_header_flits, {9, 64}, "flits",
           "header of a synchronization packet, after the port flit; whole before the table reads it");
  keys.add("sizes.flits_per_word", sizes.flits_per_word, {3, 8}, "flits", "8 bytes of payload");
}

void add_nic(KeyTable& keys, nic::NicConfig& config) {
  nic::SenderConfig& s = config.sender;
  keys.add("sender.header_registers", s.header_registers, {1, 8}, "parcels",
           "header registers: parcels that SPM chooses among");
  keys.add("sender.tlb_entries", s.tlb_entries, {1, 64}, "pages", "entries of the Sender's TLB");
  keys.add("sender.fifo_packets", s.fifo_packets, {1, 8}, "packets",
           "FIFO between SPM and the network, in whole packets");
  keys.add("sender.read_ahead_packets", s.read_ahead_packets, {1, 8}, "packets",
           "packets read ahead that may wait in the FIFO while their targets have no room");
  keys.add("sender.optimized_first_read", s.optimized_first_read,
           "noncoherent read of a line that the previous packet has flushed from the cache");
  const auto cycles = [&](const char* key, Cycle& field, const char* meaning) {
    keys.add(std::string("sender.") + key, field, {1, 1000}, "cycles", meaning);
  };
  cycles("select_queue_cycles", s.select_queue_cycles, "RHM: choice of a header queue");
  cycles("check_header_cycles", s.check_header_cycles, "RHM: check of the header");
  cycles("set_port_cycles", s.set_port_cycles, "RHM: port bits into the header register");
  cycles("choose_cycles", s.choose_cycles, "SPM: choice of a parcel");
  cycles("translate_cycles", s.translate_cycles, "SPM: look into the TLB");
  cycles("build_header_cycles", s.build_header_cycles, "SPM: packet header into the FIFO");
  cycles("release_cycles", s.release_cycles,
         "grant of a packet's last read to its head on the wires, at least");
  nic::ReceiverConfig& r = config.receiver;
  keys.add("receiver.tlb_entries", r.tlb_entries, {1, 64}, "pages", "entries of the Receiver's TLB");
  keys.add("receiver.fifo_packets", r.fifo_packets, {1, 8}, "packets",
           "FIFO of packets that wait to be written to memory");
  keys.add("receiver.buffer_entries", r.buffer_entries, {1, 64}, "entries",
           "buffer table entries in the Receiver's cache");
  keys.add("receiver.check_cycles", r.check_cycles, {1, 1000}, "cycles",
           "check of ECC and packet header, after the last flit");
  keys.add("receiver.place_cycles", r.place_cycles, {1, 1000}, "cycles", "computation of the write address");
  keys.add("receiver.translate_cycles", r.translate_cycles, {1, 1000}, "cycles", "look into the TLB");
}

void add_memory(KeyTable& keys, Cenju4Config& config) {
  keys.add("memory.bytes", config.memory.bytes, {1 << 20, 1ULL << 32}, "bytes",
           "main memory of a node; stored sparsely");
  host::MemoryControllerConfig& m = config.memory_controller;
  const auto ns = [&](const char* key, double& field, const char* meaning, double least = 0.0) {
    keys.add(std::string("memory.") + key, field, {least, longest_ns}, "ns", meaning);
  };
  ns("first_word_ns", m.memory_first_word_ns, "read: request to the first 8 bytes", resolution_ns);
  ns("word_ns", m.memory_word_ns, "read: each further 8 bytes", resolution_ns);
  ns("clean_answer_ns", m.clean_answer_ns, "snoop: answer for a line that is clean or absent");
  keys.add("memory.flushed_answer_ns", m.flushed_answer_ns, {0, 1'000'000}, "auto", "ns",
           "snoop: answer for a clean line that is the last one taken out dirty; auto: clean_answer_ns, "
           "rounded up");
  ns("dirty_answer_ns", m.dirty_answer_ns, "snoop: answer for a dirty line");
  ns("dirty_word_ns", m.dirty_word_ns, "snoop: each 8 bytes of a dirty line", resolution_ns);
  ns("write_ns", m.write_ns, "write: time before its words");
  ns("read_modify_ns", m.read_modify_ns, "read-modify-write of a partial line or an atomic add: the read");
  host::ProcessorConfig& p = config.processor;
  keys.add("cache.bytes", p.cache.bytes, {4096, 1ULL << 30}, "bytes", "capacity of the processor's cache");
  keys.add("cache.ways", p.cache.ways, {1, 16}, "ways", "associativity");
  keys.add_choice("cache.replacement", p.cache.replacement,
                  {{"lru", host::Replacement::lru}, {"fifo", host::Replacement::fifo}}, "replacement policy");
  const auto processor_ns = [&](const char* key, double& field, const char* meaning) {
    keys.add(std::string("processor.") + key, field, {0.0, longest_ns}, "ns", meaning);
  };
  processor_ns("hit_ns", p.hit_ns, "a load that hits");
  processor_ns("store_ns", p.store_ns, "a store that hits");
  processor_ns("block_word_ns", p.block_word_ns, "block copy: each 8 bytes");
  processor_ns("register_write_ns", p.register_write_ns, "an uncached write");
  processor_ns("register_read_ns", p.register_read_ns, "an uncached read");
  processor_ns("interrupt_ns", p.interrupt_ns, "an interrupt: into the operating system and back");
}

void add_software(KeyTable& keys, Cenju4Config& config) {
  host::LibraryConfig& l = config.library;
  keys.add("library.header_queue_bytes", l.header_queue_bytes, {4096, 65536}, "bytes",
           "parcel header queue, a power of two");
  keys.add("library.credits", l.credits, {1, 64}, "messages", "eager messages under way from one source");
  keys.add("library.send_slots", l.send_slots, {1, 1024}, "messages",
           "slots for eager messages that are not sent yet");
  keys.add("library.rendezvous_slots", l.rendezvous_slots, {1, 1024}, "messages",
           "large messages under way in each direction");
  keys.add("library.collective_messages", l.collective_messages, {1, 1024}, "messages",
           "multicast messages between two barriers");
  keys.add("library.heap_bytes", l.heap_bytes, {4096, host::OsTask::max_heap_bytes}, "bytes",
           "heap of a task");
  keys.add_choice("library.barrier", l.barrier,
                  {{"hardware", host::BarrierMethod::hardware},
                   {"hierarchical", host::BarrierMethod::hierarchical},
                   {"multicast_add", host::BarrierMethod::multicast_add},
                   {"tree", host::BarrierMethod::tree},
                   {"dissemination", host::BarrierMethod::dissemination}},
                  "algorithm of barriers; hardware: synchronization packets, above 64 nodes hierarchical: "
                  "atomic adds up a "
                  "tree and multicast ones down; multicast_add: atomic adds of all to all");
  keys.add("library.barrier_fan_in", l.barrier_fan_in, {2, 64}, "nodes",
           "hierarchical barriers: nodes of a level that meet at one of them");
  keys.only_with("library.barrier_fan_in", {{"library.barrier", {"hardware", "hierarchical"}}});
  keys.add_choice("library.realignment", l.realignment,
                  {{"hardware", host::Realignment::hardware}, {"software", host::Realignment::software}},
                  "puts from an odd word of 32 bits: the network interface shifts, or the processor copies");
  keys.add_choice("library.broadcast", l.broadcast,
                  {{"hardware", host::BroadcastMethod::hardware}, {"tree", host::BroadcastMethod::tree}},
                  "algorithm of broadcasts; hardware: multicast");
  host::SoftwareTimes& t = config.software;
  const auto ns = [&](const char* key, double& field, const char* meaning, double least = 0.0) {
    keys.add(std::string("software.") + key, field, {least, longest_ns}, "ns", meaning);
  };
  ns("paralib_send_ns", t.paralib_send_ns, "Paralib: a parcel");
  ns("paralib_receive_ns", t.paralib_receive_ns, "Paralib: a received parcel");
  ns("mpi_send_ns", t.mpi_send_ns, "MPI: a send, above Paralib's");
  ns("mpi_receive_ns", t.mpi_receive_ns, "MPI: a receive");
  ns("mpi_control_ns", t.mpi_control_ns, "MPI: a step of a rendezvous");
  ns("copy_ns_per_word", t.copy_ns_per_word, "copy loop, an 8-byte word");
  ns("reduce_ns_per_word", t.reduce_ns_per_word, "reduction loop, an 8-byte word");
  ns("poll_loop_ns", t.poll_loop_ns, "one turn of a polling loop", resolution_ns);
  ns("system_call_ns", t.system_call_ns, "a system call", resolution_ns);
}

void add_node(KeyTable& keys, Cenju4Config& config) {
  add_sizes(keys, config.nic.sizes);
  add_nic(keys, config.nic);
  add_memory(keys, config);
  add_software(keys, config);
  keys.add_choice(
      "os.placement", config.os.placement,
      {{"scattered", host::PagePlacement::scattered}, {"contiguous", host::PagePlacement::contiguous}},
      "placement of a task's pages in memory");
  keys.add("os.log_buffer_bytes", config.os.log_buffer_bytes, {128, 1 << 20}, "bytes",
           "log buffer of a task");
  keys.add_choice(
      "os.paging", config.os.paging,
      {{"present", host::Paging::present}, {"on_demand", host::Paging::on_demand}},
      "pages of heap and buffers in the interface's tables: from the start, or each when the interface "
      "first asks for it, by an interrupt");
  keys.add("os.page_fault_ns", config.os.page_fault_ns, {0.0, longest_ns}, "ns",
           "to find a page and write its entry, behind the interrupt");
  keys.only_with("os.page_fault_ns", {{"os.paging", {"on_demand"}}});
}

}  // namespace

void add_crosspoint_keys(KeyTable& keys, network::CrosspointNetworkConfig& network,
                         const std::string& section) {
  graph::MultistageConfig& topology = network.topology;
  keys.add(section + ".radix", topology.radix, {2, 16}, "ports", "ports of a switch, N x N");
  keys.add(section + ".stages", topology.stages, {0, 12}, "", "stages of switches; 0: those of whole boards");
  keys.add(section + ".stages_per_board", topology.stages_per_board, {1, 12}, "",
           "stages of switches on a board");
  keys.add(section + ".cable_cycles", network.cable_cycles, {0, 1000}, "cycles",
           "latency of a cable, added to every channel's own cycle");
  keys.add_choice(section + ".room_signal", network.room_signal,
                  {{"wire", RoomSignal::wire}, {"credits", RoomSignal::credits}},
                  "signal of room in a FIFO: a level wire, or a credit for each slot");
  crosspoint::CrosspointConfig& one = network.crosspoint;
  keys.add("switch.fifo_packets", one.fifo_packets, {1, 4}, "packets", "crosspoint FIFO, in largest packets");
  keys.add("switch.single_cast_cycles", one.single_cast_cycles, {2, 1000}, "cycles",
           "single cast: head in to head at the next input");
  keys.add("switch.multicast_cycles", one.multicast_cycles, {2, 1000}, "cycles",
           "multicast: head in to head at the next input");
  keys.add("switch.synchronization_cycles", one.synchronization_cycles, {3, 1000}, "cycles",
           "synchronization without waiting: head in to head at the next input");
  keys.add("switch.table_access_cycles", one.table_access_cycles, {1, 1000}, "cycles",
           "an access to the synchronization table, one at a time");
  keys.add("switch.reserve_after", one.reserve_after, {1, 255}, "packets",
           "packets that may pass a multicast head before its FIFOs are reserved");
  keys.add_choice("switch.mode", one.mode,
                  {{"event_per_packet", crosspoint::SwitchMode::event_per_packet},
                   {"flit_by_flit", crosspoint::SwitchMode::flit_by_flit}},
                  "mode of a switch; both give equal cycles for every packet");
  network.add_switch_kind_keys(keys);
}

void add_cenju4_node_keys(KeyTable& keys, Cenju4Config& config) {
  add_node(keys, config);
  keys.only_with("processor.interrupt_ns", {{"os.paging", {"on_demand"}}});
}

void add_cenju4_keys(KeyTable& keys, Cenju4Config& config) {
  keys.add("clock_period_ps", config.clock_period_ps, {100, 1'000'000}, "ps",
           "clock of network and network interfaces");
  keys.add("network.nodes", config.network.topology.nodes, {2, 1024}, "", "nodes of the machine");
  add_crosspoint_keys(keys, config.network, "network");
  add_node(keys, config);
  keys.add("os.time_slice_us", config.time_slice_us, {0.0, 1e6}, "us",
           "turns of the jobs that share a node, on one grid on all nodes; 0: each runs to its end");
  keys.add("os.task_switch_ns", config.task_switch_ns, {0.0, longest_ns}, "ns",
           "a change of the task, behind the interrupt and beside its register accesses");
  FaultInjectorConfig& f = config.faults;
  keys.add("faults.single_bit_per_flit", f.single_bit_per_flit, {0.0, 1.0}, "",
           "probability that one bit flips");
  keys.add("faults.double_bit_per_flit", f.double_bit_per_flit, {0.0, 1.0}, "",
           "probability that two data bits flip");
  keys.add("faults.lost_per_flit", f.lost_per_flit, {0.0, 1.0}, "", "probability that a flit is lost");
  keys.add("faults.data_words_only", f.data_words_only,
           "faults hit data words only, no port flits, parity and position bits");
  keys.add_choice("faults.channels", config.faulty_channels,
                  {{"last", FaultyChannels::last}, {"all", FaultyChannels::all}}, "channels with faults");
  keys.add_choice("run.processes", config.process_mode,
                  {{"one_for_all", ProcessMode::one_for_all}, {"process_each", ProcessMode::process_each}},
                  "SystemC processes: one for each clock, or one for each module (slower, equal results)");
  keys.add("run.shuffle_seed", config.shuffle_seed, {0, ~0ULL}, "",
           "seed of the order of modules within a cycle; 0: fixed order");
}

}  // namespace tsuji::machines
