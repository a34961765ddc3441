// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/cenju4/cenju4_keys.h"

namespace tsuji::machines {
namespace {

using config::KeyTable;

constexpr double longest_ns = 1e6;
constexpr double resolution_ns = 0.001;  // the least time that is a cycle

void add_sizes(KeyTable& keys, nic::PacketSizes& sizes) {
  keys.add("sizes.header_flits", sizes.header_flits, {6, 64}, "flits",
           "header length of a single-cast packet, without the port flit");
  keys.add("sizes.multicast_header_flits", sizes.multicast_header_flits, {9, 64}, "flits",
           "header length of a multicast packet, without the port flit");
  keys.add("sizes.synchronization_header_flits", sizes.synchronization_header_flits, {9, 64}, "flits",
           "header length of a synchronization packet, without the port flit; the synchronization table is "
           "read when the whole header has arrived");
  keys.add("sizes.flits_per_word", sizes.flits_per_word, {3, 8}, "flits",
           "flits for each 8 bytes of payload");
}

void add_nic(KeyTable& keys, nic::NicConfig& config) {
  nic::SenderConfig& s = config.sender;
  keys.add("sender.header_registers", s.header_registers, {1, 8}, "parcels",
           "number of header registers, one for each parcel among which SPM chooses");
  keys.add("sender.tlb_entries", s.tlb_entries, {1, 64}, "pages",
           "entries of the Sender's TLB, one for each page");
  keys.add("sender.fifo_packets", s.fifo_packets, {1, 8}, "packets",
           "capacity of the FIFO between SPM and the network, in packets of any size");
  keys.add(
      "sender.read_ahead_packets", s.read_ahead_packets, {1, 8}, "packets",
      "packets that may be read from memory and wait in the FIFO while their target buffers have no room");
  keys.add(
      "sender.optimized_first_read", s.optimized_first_read,
      "true: a cache line that the previous packet has flushed is read without a snoop (noncoherent read)");
  const auto cycles = [&](const char* key, Cycle& field, const char* meaning) {
    keys.add(std::string("sender.") + key, field, {1, 1000}, "cycles", meaning);
  };
  cycles("select_queue_cycles", s.select_queue_cycles, "time in which RHM selects a header queue");
  cycles("check_header_cycles", s.check_header_cycles, "time in which RHM checks the header");
  cycles("set_port_cycles", s.set_port_cycles,
         "time in which RHM writes the port bits to the header register");
  cycles("choose_cycles", s.choose_cycles, "time in which SPM chooses a parcel");
  cycles("translate_cycles", s.translate_cycles, "time of SPM's TLB access");
  cycles("build_header_cycles", s.build_header_cycles,
         "time in which SPM writes the packet header to the FIFO");
  cycles("release_cycles", s.release_cycles,
         "least time from the grant of a packet's last memory read to the packet's head on the channel");
  nic::ReceiverConfig& r = config.receiver;
  keys.add("receiver.tlb_entries", r.tlb_entries, {1, 64}, "pages",
           "entries of the Receiver's TLB, one for each page");
  keys.add("receiver.fifo_packets", r.fifo_packets, {1, 8}, "packets",
           "capacity of the FIFO for received packets that wait for their write to memory");
  keys.add("receiver.buffer_entries", r.buffer_entries, {1, 64}, "entries",
           "capacity of the Receiver's cache of buffer table entries");
  keys.add("receiver.check_cycles", r.check_cycles, {1, 1000}, "cycles",
           "time to check ECC and packet header after the last flit has arrived");
  keys.add("receiver.place_cycles", r.place_cycles, {1, 1000}, "cycles", "time to compute the write address");
  keys.add("receiver.translate_cycles", r.translate_cycles, {1, 1000}, "cycles",
           "time of the Receiver's TLB access");
}

void add_memory(KeyTable& keys, Cenju4Config& config) {
  keys.add("memory.bytes", config.memory.bytes, {1 << 20, 1ULL << 32}, "bytes",
           "capacity of a node's main memory; only pages in use take memory of the simulation");
  host::MemoryControllerConfig& m = config.memory_controller;
  const auto ns = [&](const char* key, double& field, const char* meaning, double least = 0.0) {
    keys.add(std::string("memory.") + key, field, {least, longest_ns}, "ns", meaning);
  };
  ns("first_word_ns", m.memory_first_word_ns, "latency of a memory read, from request to the first 8 bytes",
     resolution_ns);
  ns("word_ns", m.memory_word_ns, "time for each further 8 bytes of a memory read", resolution_ns);
  ns("clean_answer_ns", m.clean_answer_ns,
     "latency of a snoop's answer for a cache line that is clean or absent");
  keys.add("memory.flushed_answer_ns", m.flushed_answer_ns, {0, 1'000'000}, "auto", "ns",
           "latency of a snoop's answer for a clean line while it is the line most recently flushed dirty; "
           "auto: memory.clean_answer_ns, rounded up");
  ns("dirty_answer_ns", m.dirty_answer_ns, "latency of a snoop's answer for a dirty cache line");
  ns("dirty_word_ns", m.dirty_word_ns,
     "time to transfer each 8 bytes of a dirty cache line after the snoop's answer", resolution_ns);
  ns("write_ns", m.write_ns, "overhead of a memory write before its data: command, address and invalidation");
  ns("read_modify_ns", m.read_modify_ns,
     "latency of the memory read in a read-modify-write, for a partial line or an atomic add");
  host::ProcessorConfig& p = config.processor;
  keys.add("cache.bytes", p.cache.bytes, {4096, 1ULL << 30}, "bytes", "capacity of the processor's cache");
  keys.add("cache.ways", p.cache.ways, {1, 16}, "ways", "associativity of the processor's cache");
  keys.add_choice("cache.replacement", p.cache.replacement,
                  {{"lru", host::Replacement::lru}, {"fifo", host::Replacement::fifo}},
                  "replacement policy of the processor's cache");
  const auto processor_ns = [&](const char* key, double& field, const char* meaning) {
    keys.add(std::string("processor.") + key, field, {0.0, longest_ns}, "ns", meaning);
  };
  processor_ns("hit_ns", p.hit_ns, "latency of a load that hits in the cache");
  processor_ns("store_ns", p.store_ns, "latency of a store that hits in the cache");
  processor_ns("block_word_ns", p.block_word_ns, "time for each 8 bytes of a block copy");
  processor_ns("register_write_ns", p.register_write_ns,
               "latency of an uncached write to a register of the network interface");
  processor_ns("register_read_ns", p.register_read_ns,
               "latency of an uncached read from a register of the network interface");
  processor_ns("interrupt_ns", p.interrupt_ns,
               "overhead of an interrupt: entry to the operating system's handler and return");
}

void add_software(KeyTable& keys, Cenju4Config& config) {
  host::LibraryConfig& l = config.library;
  keys.add("library.header_queue_bytes", l.header_queue_bytes, {4096, 65536}, "bytes",
           "capacity of the parcel header queue, a power of two");
  keys.add("library.credits", l.credits, {1, 64}, "messages",
           "eager messages that one source may have in flight to a destination");
  keys.add("library.send_slots", l.send_slots, {1, 1024}, "messages",
           "capacity of the queue of eager messages that are not sent yet");
  keys.add("library.rendezvous_slots", l.rendezvous_slots, {1, 1024}, "messages",
           "rendezvous messages that may be in flight in each direction");
  keys.add("library.collective_messages", l.collective_messages, {1, 1024}, "messages",
           "multicast messages that may be sent between two barriers");
  keys.add("library.heap_bytes", l.heap_bytes, {4096, host::OsTask::max_heap_bytes}, "bytes",
           "capacity of a task's heap");
  keys.add_choice("library.barrier", l.barrier,
                  {{"hardware", host::BarrierMethod::hardware},
                   {"hierarchical", host::BarrierMethod::hierarchical},
                   {"multicast_add", host::BarrierMethod::multicast_add},
                   {"tree", host::BarrierMethod::tree},
                   {"dissemination", host::BarrierMethod::dissemination}},
                  "algorithm of barriers; hardware: synchronization packets, above 64 nodes as hierarchical; "
                  "hierarchical: atomic adds up a tree, multicasts down; multicast_add: multicast atomic "
                  "adds from all nodes to all");
  keys.add("library.barrier_fan_in", l.barrier_fan_in, {2, 64}, "nodes",
           "hierarchical barriers: fan-in of the tree, the nodes of a level that meet at one node");
  keys.only_with("library.barrier_fan_in", {{"library.barrier", {"hardware", "hierarchical"}}});
  keys.add_choice("library.realignment", l.realignment,
                  {{"hardware", host::Realignment::hardware}, {"software", host::Realignment::software}},
                  "realignment of data put to another 4-byte alignment; hardware: the network interface "
                  "shifts the data; software: the processor copies them");
  keys.add_choice("library.broadcast", l.broadcast,
                  {{"hardware", host::BroadcastMethod::hardware}, {"tree", host::BroadcastMethod::tree}},
                  "algorithm of broadcasts; hardware: multicast packets; tree: messages along a tree");
  host::SoftwareTimes& t = config.software;
  const auto ns = [&](const char* key, double& field, const char* meaning, double least = 0.0) {
    keys.add(std::string("software.") + key, field, {least, longest_ns}, "ns", meaning);
  };
  ns("paralib_send_ns", t.paralib_send_ns, "software overhead of sending a parcel with Paralib");
  ns("paralib_receive_ns", t.paralib_receive_ns, "software overhead of receiving a parcel with Paralib");
  ns("mpi_send_ns", t.mpi_send_ns, "software overhead of an MPI send, in addition to Paralib's");
  ns("mpi_receive_ns", t.mpi_receive_ns, "software overhead of an MPI receive, in addition to Paralib's");
  ns("mpi_control_ns", t.mpi_control_ns, "software overhead of each step of an MPI rendezvous");
  ns("copy_ns_per_word", t.copy_ns_per_word,
     "time of a copy loop for each 8-byte word, in addition to its load and store");
  ns("reduce_ns_per_word", t.reduce_ns_per_word,
     "time of a reduction loop for each 8-byte word, in addition to its loads and store");
  ns("poll_loop_ns", t.poll_loop_ns, "time of one iteration of a polling loop", resolution_ns);
  ns("system_call_ns", t.system_call_ns, "overhead of a system call", resolution_ns);
}

constexpr const char* all_reduce_methods =
    "algorithm of all-reduces; tree: a reduction along a tree, then a broadcast; ring: messages around a "
    "ring";

/// Keys of a machine whose switches combine the operands of synchronization packets.
void add_combining(KeyTable& keys, Cenju4Config& config) {
  keys.add_choice("library.all_reduce", config.library.all_reduce,
                  {{"tree", host::AllReduceMethod::tree},
                   {"ring", host::AllReduceMethod::ring},
                   {"in_network", host::AllReduceMethod::in_network}},
                  std::string(all_reduce_methods) +
                      "; in_network: operands in synchronization packets, combined by the switches");
  keys.add("library.all_reduce_packets", config.library.all_reduce_packets, {1, 64}, "packets",
           "packets of an all-reduce in the network that may be in flight, each on an entry of the "
           "synchronization tables");
  keys.add(
      "switch.combine_cycles_per_word", config.network.crosspoint.combine_cycles_per_word, {0, 1000},
      "cycles",
      "additional duration of an access to the synchronization table for each 64-bit word of an operand");
  for (const char* key : {"library.all_reduce_packets", "switch.combine_cycles_per_word"})
    keys.only_with(key, {{"library.all_reduce", {"in_network"}}});
}

void add_node(KeyTable& keys, Cenju4Config& config) {
  add_sizes(keys, config.nic.sizes);
  add_nic(keys, config.nic);
  add_memory(keys, config);
  add_software(keys, config);
  keys.add_choice(
      "os.placement", config.os.placement,
      {{"scattered", host::PagePlacement::scattered}, {"contiguous", host::PagePlacement::contiguous}},
      "placement of a task's pages in physical memory");
  keys.add("os.log_buffer_bytes", config.os.log_buffer_bytes, {128, 1 << 20}, "bytes",
           "capacity of a task's log buffer");
  keys.add_choice("os.paging", config.os.paging,
                  {{"present", host::Paging::present}, {"on_demand", host::Paging::on_demand}},
                  "mapping of heap and buffer pages in the network interface's page tables; present: from "
                  "the start; on_demand: at the first access to each page, by an interrupt");
  keys.add("os.page_fault_ns", config.os.page_fault_ns, {0.0, longest_ns}, "ns",
           "time to find a page and write its page-table entry, in addition to the interrupt");
  keys.only_with("os.page_fault_ns", {{"os.paging", {"on_demand"}}});
}

}  // namespace

void add_crosspoint_keys(KeyTable& keys, network::CrosspointNetworkConfig& network,
                         const std::string& section) {
  graph::MultistageConfig& topology = network.topology;
  keys.add(section + ".radix", topology.radix, {2, 16}, "ports",
           "inputs of each crosspoint switch, equal to its outputs");
  keys.add(section + ".stages", topology.stages, {0, 12}, "",
           "number of switch stages; 0: the least number that fills whole boards");
  keys.add(section + ".stages_per_board", topology.stages_per_board, {1, 12}, "",
           "number of switch stages on a board");
  keys.add(section + ".cable_cycles", network.cable_cycles, {0, 1000}, "cycles",
           "latency of a cable, in addition to the channel's own cycle");
  keys.add_choice(section + ".room_signal", network.room_signal,
                  {{"wire", RoomSignal::wire}, {"credits", RoomSignal::credits}},
                  "flow control of switch FIFOs; wire: a level signal while the FIFO has room; credits: a "
                  "credit for each freed slot");
  network.crosspoint.add_keys(keys);
  network.add_switch_kind_keys(keys);
}

void add_cenju4_node_keys(KeyTable& keys, Cenju4Config& config) {
  add_node(keys, config);
  keys.add_choice("library.all_reduce", config.library.all_reduce,
                  {{"tree", host::AllReduceMethod::tree}, {"ring", host::AllReduceMethod::ring}},
                  all_reduce_methods);
  keys.only_with("processor.interrupt_ns", {{"os.paging", {"on_demand"}}});
}

void add_cenju4_keys(KeyTable& keys, Cenju4Config& config) {
  keys.add("clock_period_ps", config.clock_period_ps, {100, 1'000'000}, "ps",
           "clock period of the network and the network interfaces");
  keys.add("network.nodes", config.network.topology.nodes, {2, 1024}, "", "number of nodes of the machine");
  add_crosspoint_keys(keys, config.network, "network");
  add_node(keys, config);
  add_combining(keys, config);
  keys.add("os.time_slice_us", config.time_slice_us, {0.0, 1e6}, "us",
           "time slice of jobs that share a node, aligned over all nodes; 0: each job runs to its end");
  keys.add("os.task_switch_ns", config.task_switch_ns, {0.0, longest_ns}, "ns",
           "time of a task switch, in addition to the interrupt and to register accesses");
  FaultInjectorConfig& f = config.faults;
  keys.add("faults.single_bit_per_flit", f.single_bit_per_flit, {0.0, 1.0}, "",
           "probability that one bit of a flit is inverted");
  keys.add("faults.double_bit_per_flit", f.double_bit_per_flit, {0.0, 1.0}, "",
           "probability that two data bits of a flit are inverted");
  keys.add("faults.lost_per_flit", f.lost_per_flit, {0.0, 1.0}, "", "probability that a flit is lost");
  keys.add(
      "faults.data_words_only", f.data_words_only,
      "whether faults are limited to data words; false: port flits, parity and position bits are also hit");
  keys.add_choice("faults.channels", config.faulty_channels,
                  {{"last", FaultyChannels::last}, {"all", FaultyChannels::all}},
                  "channels on which faults are injected");
  keys.add_choice("run.processes", config.process_mode,
                  {{"one_for_all", ProcessMode::one_for_all}, {"process_each", ProcessMode::process_each}},
                  "number of SystemC processes; one_for_all: one for each clock; process_each: one for each "
                  "module (slower, equal results)");
  keys.add("run.shuffle_seed", config.shuffle_seed, {0, ~0ULL}, "",
           "seed of the order in which modules run within a cycle; 0: fixed order");
}

}  // namespace tsuji::machines
