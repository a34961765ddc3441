// SPDX-License-Identifier: Apache-2.0
#include "nic/rig.h"

#include <algorithm>
#include <stdexcept>

namespace tsuji::test {

using namespace tsuji::nic;

Node::Node(sc_core::sc_module_name name, const NicConfig& config, ClockDomain& domain, PacketPool& pool,
           NodeId node, const FirstHop& hops, const MemoryTimes& times)
    : sc_module(name),
      nic("nic", config, domain, pool, node, hops),
      memory("memory", domain, times, node),
      registers("registers") {
  nic.sender_memory.bind(memory.sender);
  nic.receiver_memory.bind(memory.receiver);
  registers.bind(nic.registers);
  nic.set_observer(this);
}

void Node::on_delivered(const Packet& packet, Cycle now, unsigned) {
  deliveries.push_back(
      {packet.id, packet.created, packet.injected, now, PacketHeader::decode(packet.header)});
}

namespace {

void fill_payload(tlm::tlm_generic_payload& payload, tlm::tlm_command command, std::uint64_t offset,
                  std::uint64_t& value) {
  payload.set_command(command);
  payload.set_address(offset);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(8);
  payload.set_streaming_width(8);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

}  // namespace

void Node::set(std::uint64_t offset, std::uint64_t value) {
  tlm::tlm_generic_payload payload;
  fill_payload(payload, tlm::TLM_WRITE_COMMAND, offset, value);
  if (registers->transport_dbg(payload) == 8) return;
  sc_core::sc_time time;  // a register with a side effect
  registers->b_transport(payload, time);
  if (payload.is_response_error()) throw std::logic_error("register write refused");
}

unsigned Node::debug_write(std::uint64_t offset, std::uint64_t value) {
  tlm::tlm_generic_payload payload;
  fill_payload(payload, tlm::TLM_WRITE_COMMAND, offset, value);
  return registers->transport_dbg(payload);
}

std::uint64_t Node::get(std::uint64_t offset) {
  std::uint64_t value = 0;
  tlm::tlm_generic_payload payload;
  fill_payload(payload, tlm::TLM_READ_COMMAND, offset, value);
  if (registers->transport_dbg(payload) != 8) throw std::logic_error("register read refused");
  return value;
}

tlm::tlm_response_status Node::write(std::uint64_t offset, std::uint64_t value) {
  tlm::tlm_generic_payload payload;
  fill_payload(payload, tlm::TLM_WRITE_COMMAND, offset, value);
  sc_core::sc_time time;
  registers->b_transport(payload, time);
  return payload.get_response_status();
}

void Node::CHECK_STATUS(tlm::tlm_response_status status) {
  // GENERIC: a ModelError is stopping the run, which the test checks.
  if (status != tlm::TLM_OK_RESPONSE && status != tlm::TLM_GENERIC_ERROR_RESPONSE)
    throw std::logic_error("refused");
}

void Node::map(unsigned cid, std::uint64_t logical, unsigned pages, bool writable) {
  SegmentEntry segment;
  segment.valid = true;
  segment.page_table = next_page_table_;
  segment.lowest_page = logical / page_bytes;
  segment.highest_page = segment.lowest_page + pages - 1;
  const auto words = segment.encode();
  memory.poke(segments_at + (std::uint64_t{4} * cid + segments_[cid]++) * SegmentEntry::bytes, words.data(),
              SegmentEntry::bytes);
  for (unsigned page = 0; page < pages; ++page) {
    PageEntry entry;
    entry.valid = true;
    entry.writable = writable;
    entry.physical = 0x10000000 + (next_page_++ * 7919 % 65536) * page_bytes;
    memory.poke_word(next_page_table_ + std::uint64_t{8} * page, entry.encode());
    mapped_.push_back({cid, logical + std::uint64_t{page} * page_bytes, entry.physical,
                       next_page_table_ + std::uint64_t{8} * page});
  }
  next_page_table_ += (std::uint64_t{8} * pages + 127) / 128 * 128;
}

Node::Mapped& Node::mapped(unsigned cid, std::uint64_t logical) {
  const auto found = std::find_if(mapped_.begin(), mapped_.end(), [&](const Mapped& page) {
    return page.cid == cid && page.logical == logical / page_bytes * page_bytes;
  });
  if (found == mapped_.end()) throw std::logic_error("not mapped");
  return *found;
}

std::uint64_t Node::physical(unsigned cid, std::uint64_t logical) const {
  return const_cast<Node*>(this)->mapped(cid, logical).page + logical % page_bytes;
}

void Node::unmap(unsigned cid, std::uint64_t logical) {
  Mapped& page = mapped(cid, logical);
  page.taken = memory.peek_word(page.entry);
  memory.poke_word(page.entry, 0);
}

bool Node::map_again(unsigned cid, std::uint64_t logical) {
  for (Mapped& page : mapped_) {
    if (page.cid != cid || page.logical != logical / page_bytes * page_bytes || page.taken == 0) continue;
    memory.poke_word(page.entry, page.taken);
    page.taken = 0;
    return true;
  }
  return false;
}

void Node::fill(unsigned cid, std::uint64_t logical, const std::vector<unsigned char>& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const std::size_t part =
        std::min<std::size_t>(bytes.size() - done, page_bytes - (logical + done) % page_bytes);
    memory.poke(physical(cid, logical + done), bytes.data() + done, part);
    done += part;
  }
}

std::vector<unsigned char> Node::bytes(unsigned cid, std::uint64_t logical, std::size_t count) const {
  std::vector<unsigned char> to(count);
  for (std::size_t done = 0; done < count;) {
    const std::size_t part = std::min<std::size_t>(count - done, page_bytes - (logical + done) % page_bytes);
    memory.peek(physical(cid, logical + done), to.data() + done, part);
    done += part;
  }
  return to;
}

void Node::open_set(unsigned set, unsigned cid, std::uint64_t bytes) {
  const std::uint64_t os = sender_os_base + set * sender_set_stride;
  this->set(os + queue_base, queues_at + std::uint64_t{set} * 0x10000);
  this->set(os + queue_bytes, bytes);
  this->set(os + queue_cid, cid);
  this->set(os + source_pe, 7);
  this->set(os + node_table_base, node_table_at);
  this->set(os + node_table_entries, table_entries);
  this->set(os + multicast_table_base, multicast_table_at);
  this->set(os + multicast_table_entries, table_entries);
  this->set(os + synchronization_table_base, synchronization_table_at);
  this->set(os + synchronization_table_entries, table_entries);
  this->set(common_os_base + segment_table_base, segments_at);
  this->set(common_os_base + buffer_table_base, buffers_at);
  this->set(common_os_base + buffer_limit_table_base, limits_at);
  for (unsigned node = 0; node + 1 < table_entries; ++node) {  // the last one stays invalid
    NodeEntry entry;
    entry.valid = true;
    entry.node = static_cast<std::uint16_t>(node);
    entry.cid = static_cast<std::uint8_t>(cid);
    memory.poke_word(node_table_at + std::uint64_t{8} * node, entry.encode());
  }
  sizes_[set] = bytes;
}

void Node::buffer(unsigned cid, unsigned index, std::uint64_t base, std::uint64_t bytes) {
  memory.poke_word(limits_at + std::uint64_t{128} * cid + std::uint64_t{16} * index, base);
  memory.poke_word(limits_at + std::uint64_t{128} * cid + std::uint64_t{16} * index + 8, bytes);
  memory.poke_word(
      buffers_at + std::uint64_t{64} * cid + std::uint64_t{8} * (index == 2 ? BufferEntry::log_word : index),
      base);
}

void Node::push(unsigned set, const ParcelHeader& header) {
  const auto words = header.encode();
  memory.poke(queues_at + std::uint64_t{set} * 0x10000 + tails_[set], words.data(), ParcelHeader::bytes);
  tails_[set] = (tails_[set] + ParcelHeader::bytes) % sizes_[set];
}

namespace {

const char* named(const std::string& name) {
  return name.c_str();
}

}  // namespace

void Script::step(Cycle now) {
  while (!programs_.empty() && programs_.begin()->first == now) {
    const auto program = std::move(programs_.extract(programs_.begin()).mapped());
    program();
  }
}

namespace {

ClockDomainConfig half_a_period_later(const ClockDomainConfig& clock) {
  ClockDomainConfig config;
  config.period = clock.period;
  config.offset_ps = clock.period.ps() / 2;
  return config;
}

}  // namespace

Clocks::Clocks(const std::string& name, ClockDomainConfig clock)
    : domain(named(name + "_clock"), clock),
      processors(named(name + "_processors"), half_a_period_later(clock)) {}

void Clocks::run() {
  sc_core::sc_start();
  domain.rethrow_failure();
  processors.rethrow_failure();
}

Pair::Pair(const std::string& name, const NicConfig& config, const MemoryTimes& times,
           ClockDomainConfig clock, NodeId second)
    : Clocks(name, clock),
      forth(named(name + "_forth"), 1),
      back(named(name + "_back"), 1),
      a(named(name + "_a"), config, domain, pool, 0, hops, times),
      b(named(name + "_b"), config, domain, pool, second, hops, times) {
  a.nic.network_out(forth);
  b.nic.network_in(forth);
  b.nic.network_out(back);
  a.nic.network_in(back);
}

Sink::Sink(sc_core::sc_module_name name, ClockDomain& domain, PacketLink& link, unsigned fifos, Hold hold,
           unsigned fifo_packets)
    : sc_module(name), Clocked(domain), link_(link), hold_(std::move(hold)) {
  link_.bind_receiver(*this, fifos, fifo_packets, 0);
}

void Sink::step(Cycle now) {
  PacketTransfer transfer;
  Cycle arrival = 0;
  while (link_.receive(now, transfer, arrival)) {
    for (unsigned fifo = 0; fifo < link_.fifos(); ++fifo) {
      if ((transfer.port_bits >> fifo & 1U) == 0) continue;
      const Cycle at = hold_(*transfer.packet, fifo, arrival);
      if (at != never) link_.release(fifo, at);
    }
    seen.push_back(
        {transfer.packet, transfer.port_bits, arrival, PacketHeader::decode(transfer.packet->header)});
    if (on_packet) on_packet(seen.back());
  }
}

Lone::Lone(const NicConfig& config, unsigned fifos, Sink::Hold hold, const MemoryTimes& times,
           unsigned fifo_packets)
    : Clocks("lone", {}),
      out("out", 1),
      in("in", 1),
      node("node", config, domain, pool, 0, hops, times),
      sink("sink", domain, out, fifos, std::move(hold), fifo_packets) {
  node.nic.network_out(out);
  node.nic.network_in(in);
  in.bind_sender(sink);
}

void elaborate() {
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

OpenPair::OpenPair(unsigned cid, const NicConfig& config, const MemoryTimes& times)
    : Pair("pair", config, times) {
  elaborate();
  for (Node* node : {&a, &b}) node->open_set(2, cid);
}

ParcelHeader dma(std::uint64_t source, std::uint64_t destination, std::uint32_t length, std::uint16_t pe) {
  ParcelHeader header;
  header.length = length;
  header.logical_pe = pe;
  header.source = source;
  header.destination = destination;
  return header;
}

ParcelHeader inline_word(std::uint64_t word, std::uint64_t destination, std::uint16_t pe) {
  ParcelHeader header = dma(word, destination, 8, pe);
  header.inline_data = true;
  return header;
}

ParcelHeader word_message(std::uint64_t word, std::uint16_t pe) {
  ParcelHeader header = inline_word(word, 0, pe);
  header.protocol = Protocol::message0;
  return header;
}

std::vector<unsigned char> random_bytes(CounterRandom& random, std::size_t count) {
  std::vector<unsigned char> bytes(count);
  for (auto& byte : bytes) byte = static_cast<unsigned char>(random.next());
  return bytes;
}

}  // namespace tsuji::test
