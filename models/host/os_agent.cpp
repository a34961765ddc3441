#include "tsuji/host/os_agent.h"

#include <algorithm>
#include <map>

#include "tsuji/core/error.h"
#include "tsuji/nic/parcel.h"

namespace tsuji::host {
namespace {

// Logical addresses of a task, the same on every node, so that a put's destination address means the same
// everywhere.
constexpr std::uint64_t heap_address = OsAgent::heap_base;
constexpr std::uint64_t buffers_address = heap_address + OsAgent::max_heap_bytes;
constexpr std::uint64_t queue_address = 0x30000000;
constexpr std::uint64_t counters_address = 0x30100000;
constexpr std::uint64_t buffer_table_address = 0x30200000;
constexpr std::uint64_t reply_notifications_address = 0x30300000;

constexpr std::uint64_t page = nic::page_bytes;
constexpr std::uint64_t pages_of(std::uint64_t bytes) {
  return (bytes + page - 1) / page;
}

void refuse(const char* key, std::uint64_t value, const char* problem, const char* accepted) {
  throw ConfigError(std::string("os.") + key, std::to_string(value), problem, accepted);
}

void check_buffer(const char* key, std::uint64_t bytes) {
  if (bytes % nic::line_bytes != 0 || bytes > (64ULL << 20)) {
    refuse(key, bytes, "not a buffer size", "a multiple of 128, up to 64 MB");
  }
}

}  // namespace

void OsConfig::validate() const {
  if (sender_set < nic::first_user_set || sender_set >= nic::sender_sets) {
    refuse("sender_set", sender_set, "not a user's control-register set", "2 or 3");
  }
  if (queue_bytes < 4096 || queue_bytes > 65536 || (queue_bytes & (queue_bytes - 1)) != 0) {
    refuse("queue_bytes", queue_bytes, "not a header queue size", "4096, 8192, 16384, 32768 or 65536");
  }
  check_buffer("message_buffer0_bytes", message_buffer0_bytes);
  check_buffer("message_buffer1_bytes", message_buffer1_bytes);
  check_buffer("log_buffer_bytes", log_buffer_bytes);
  if (heap_bytes == 0 || heap_bytes % page != 0 || heap_bytes > OsAgent::max_heap_bytes) {
    refuse("heap_bytes", heap_bytes, "not a heap size", "a multiple of 4096, up to 256 MB");
  }
  if (multicast_entries < 1 || multicast_entries > 4096) {
    refuse("multicast_entries", multicast_entries, "out of range", "1..4096");
  }
  if (synchronization_entries < 1 || synchronization_entries > 4096) {
    refuse("synchronization_entries", synchronization_entries, "out of range", "1..4096");
  }
}

OsAgent::OsAgent(const OsConfig& config, std::uint16_t logical_pe, std::vector<NodeId> nodes_of_pes,
                 std::uint64_t memory_bytes)
    : config_((config.validate(), config)), nodes_of_pes_(std::move(nodes_of_pes)) {
  if (nodes_of_pes_.empty() || nodes_of_pes_.size() > 4096) {
    refuse("pes", nodes_of_pes_.size(), "not a number of logical processors", "1..4096");
  }
  if (logical_pe >= nodes_of_pes_.size())
    refuse("logical_pe", logical_pe, "not in the task", "below the number of PEs");
  for (const NodeId node : nodes_of_pes_) {
    if (node >= 1024) refuse("nodes", node, "not a node", "0..1023");
  }
  task_.cid = config_.cid;
  task_.logical_pe = logical_pe;
  task_.pes = static_cast<std::uint16_t>(nodes_of_pes_.size());
  lay_out(memory_bytes);
  map_task();
}

unsigned OsAgent::outstanding_requests(unsigned nodes, unsigned wanted) {
  constexpr auto headers = static_cast<unsigned>(reply_queue_bytes / nic::ParcelHeader::bytes - 1);
  return std::max(1U, std::min(wanted, headers / nodes));
}

void OsAgent::fail(const std::string& what) const {
  throw ModelError("os agent of PE " + std::to_string(task_.logical_pe), 0, "", what);
}

/// Everything on pages of its own, one after the other; page 0 stays free, so that address 0 is nobody's.
void OsAgent::lay_out(std::uint64_t memory_bytes) {
  std::uint64_t next = page;
  const auto take = [&](std::uint64_t bytes) {
    const std::uint64_t start = next;
    next += pages_of(bytes) * page;
    return start;
  };
  const std::uint64_t buffer_pages = pages_of(config_.message_buffer0_bytes) +
                                     pages_of(config_.message_buffer1_bytes) +
                                     pages_of(config_.log_buffer_bytes);
  PhysicalLayout& p = physical_;
  p.segment_table = take(std::uint64_t{nic::cids} * nic::segments_per_cid * nic::SegmentEntry::bytes);
  p.buffer_table = take(std::uint64_t{nic::cids} * nic::BufferEntry::bytes);
  p.buffer_limit_table = take(std::uint64_t{nic::cids} * nic::BufferLimits::bytes);
  p.node_table = take(nodes_of_pes_.size() * nic::NodeEntry::bytes);
  p.multicast_table = take(std::uint64_t{config_.multicast_entries} * nic::MulticastEntry::bytes);
  p.synchronization_table =
      take(std::uint64_t{config_.synchronization_entries} * nic::SynchronizationEntry::bytes);
  p.heap_page_table = take(config_.heap_bytes / page * nic::PageEntry::bytes);
  p.buffer_page_table = take(buffer_pages * nic::PageEntry::bytes);
  p.synchronization_counters = take(std::uint64_t{nic::sids} * 8);
  next = (next + config_.queue_bytes - 1) / config_.queue_bytes * config_.queue_bytes;
  p.queue = take(config_.queue_bytes);
  p.buffers = take(buffer_pages * page);
  p.heap = take(config_.heap_bytes);
  p.reply_notifications =
      take(std::uint64_t{nic::ReplyNotification::entries} * nic::ReplyNotification::bytes);
  p.reply_page_table = take(nic::PageEntry::bytes);
  next = (next + reply_queue_bytes - 1) / reply_queue_bytes * reply_queue_bytes;
  p.reply_queue = take(reply_queue_bytes);
  p.end = next;
  if (p.end > memory_bytes) {
    throw ConfigError("memory.bytes", std::to_string(memory_bytes), "too small for the task and its tables",
                      std::to_string(p.end) + " or more");
  }
}

void OsAgent::map_task() {
  task_.heap = {heap_address, config_.heap_bytes};
  space_.map(heap_address / page, config_.heap_bytes / page, physical_.heap / page, true, config_.placement);
  std::uint64_t next = buffers_address;
  const auto take = [&](std::uint64_t bytes) {
    const TaskMemory::Buffer buffer{bytes == 0 ? 0 : next, bytes};
    next += pages_of(bytes) * page;
    return buffer;
  };
  task_.message[0] = take(config_.message_buffer0_bytes);
  task_.message[1] = take(config_.message_buffer1_bytes);
  task_.log = take(config_.log_buffer_bytes);
  if (next != buffers_address) {
    const std::uint64_t buffer_pages = (next - buffers_address) / page;
    space_.map(buffers_address / page, buffer_pages, physical_.buffers / page, true, config_.placement);
  }
  const auto contiguous = PagePlacement::contiguous;
  task_.queue = {queue_address, config_.queue_bytes};
  space_.map(queue_address / page, config_.queue_bytes / page, physical_.queue / page, true, contiguous);
  task_.synchronization_counters = counters_address;
  space_.map(counters_address / page, 1, physical_.synchronization_counters / page, false, contiguous);
  // Other tasks' entries lie on the same page, so a task may only read it (5.2).
  const std::uint64_t entry = std::uint64_t{config_.cid} * nic::BufferEntry::bytes;
  task_.reply_notifications = reply_notifications_address;
  space_.map(reply_notifications_address / page, 1, physical_.reply_notifications / page, true, contiguous);
  task_.buffer_entry = buffer_table_address + entry % page;
  space_.map(buffer_table_address / page, 1, (physical_.buffer_table + entry) / page, false, contiguous);

  const std::uint64_t set = nic::sender_set_base + config_.sender_set * nic::sender_set_stride;
  task_.queue_write_register = set + nic::queue_write_pointer;
  task_.queue_read_register = set + nic::queue_read_pointer;
  for (std::size_t b = 0; b < 2; ++b) {
    task_.message_read_register[b] = nic::receiver_task_base + nic::message_read_pointer0 + 8 * b;
  }
  task_.log_read_register = nic::receiver_task_base + nic::log_read_pointer;
  for (std::size_t r = 0; r < 3; ++r) {
    task_.address_register[r] = nic::receiver_task_base + nic::address_register0 + 8 * r;
  }
}

void OsAgent::boot(tlm::tlm_fw_transport_if<>& memory, tlm::tlm_fw_transport_if<>& registers) {
  memory_ = &memory;
  registers_ = &registers;
  write_tables();
  write_buffer_tables();
  program_registers();
}

void OsAgent::access_memory(tlm::tlm_command command, std::uint64_t address, std::uint64_t* words,
                            std::size_t count) const {
  if (memory_ == nullptr) fail("used before boot");
  tlm::tlm_generic_payload payload;
  const auto bytes = static_cast<unsigned>(count * 8);
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(words));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  if (memory_->transport_dbg(payload) != bytes) fail("no memory at address " + std::to_string(address));
}

void OsAgent::write_words(std::uint64_t address, const std::uint64_t* words, std::size_t count) {
  std::vector<std::uint64_t> copy(words, words + count);  // a payload's data pointer is not const
  access_memory(tlm::TLM_WRITE_COMMAND, address, copy.data(), count);
}

void OsAgent::write_register(std::uint64_t offset, std::uint64_t value) {
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_WRITE_COMMAND);
  payload.set_address(offset);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(8);
  payload.set_streaming_width(8);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  registers_->b_transport(payload, delay);
  if (payload.is_response_error()) {
    fail("register " + std::to_string(offset) + " answered " + payload.get_response_string());
  }
}

void OsAgent::write_page_table(std::uint64_t table, const AddressSpace::Segment& segment) {
  std::vector<std::uint64_t> words;
  words.reserve(segment.pages);
  for (std::uint64_t i = 0; i < segment.pages; ++i) {
    nic::PageEntry entry;
    entry.valid = config_.paging == Paging::present;
    entry.writable = segment.writable;
    entry.physical = segment.physical_of(i) * page;
    words.push_back(entry.encode());
  }
  write_words(table, words.data(), words.size());
}

/// The network interface translates only what it may move data in: the heap, the buffers if there are any,
/// and the notifications of replies.
bool OsAgent::translates(const AddressSpace::Segment& segment, std::uint64_t& page_table) const {
  if (segment.lowest_page == heap_address / page)
    page_table = physical_.heap_page_table;
  else if (segment.lowest_page == buffers_address / page)
    page_table = physical_.buffer_page_table;
  else if (segment.lowest_page == reply_notifications_address / page)
    page_table = physical_.reply_page_table;
  else
    return false;
  return true;
}

void OsAgent::write_tables() {
  std::vector<std::uint64_t> node_table;
  for (const NodeId node : nodes_of_pes_) {
    nic::NodeEntry entry;
    entry.valid = true;
    entry.node = static_cast<std::uint16_t>(node);
    entry.cid = config_.cid;
    node_table.push_back(entry.encode());
  }
  write_words(physical_.node_table, node_table.data(), node_table.size());

  std::uint64_t place =
      physical_.segment_table + std::uint64_t{config_.cid} * nic::segments_per_cid * nic::SegmentEntry::bytes;
  for (const auto& segment : space_.segments()) {
    nic::SegmentEntry entry;
    if (!translates(segment, entry.page_table)) continue;
    entry.valid = true;
    entry.lowest_page = segment.lowest_page;
    entry.highest_page = segment.lowest_page + segment.pages - 1;
    write_words(place, entry.encode().data(), 3);
    write_page_table(entry.page_table, segment);
    place += nic::SegmentEntry::bytes;
  }
}

void OsAgent::write_buffer_tables() {
  std::uint64_t entry[nic::BufferEntry::bytes / 8] = {};
  std::uint64_t limits[nic::BufferLimits::bytes / 8] = {};
  const TaskMemory::Buffer* buffers[] = {&task_.message[0], &task_.message[1], &task_.log};
  for (std::size_t b = 0; b < 3; ++b) {
    limits[2 * b] = buffers[b]->address;
    limits[2 * b + 1] = buffers[b]->bytes;
  }
  limits[nic::BufferLimits::synchronization_word] = physical_.synchronization_counters;
  entry[nic::BufferEntry::message_word] = task_.message[0].address;
  entry[nic::BufferEntry::message_word + 1] = task_.message[1].address;
  entry[nic::BufferEntry::reply_notification_word] = task_.reply_notifications;
  entry[nic::BufferEntry::log_word] = task_.log.address;
  write_words(physical_.buffer_table + config_.cid * std::uint64_t{sizeof entry}, entry, std::size(entry));
  write_words(physical_.buffer_limit_table + config_.cid * std::uint64_t{sizeof limits}, limits,
              std::size(limits));
}

void OsAgent::program_registers() {
  const std::uint64_t common = nic::common_os_base;
  write_register(common + nic::segment_table_base, physical_.segment_table);
  write_register(common + nic::buffer_table_base, physical_.buffer_table);
  write_register(common + nic::buffer_limit_table_base, physical_.buffer_limit_table);
  write_register(common + nic::flush_tlbs, 1);

  write_register(common + nic::receiver_cid, config_.cid);
  for (unsigned b = 0; b < 2; ++b) write_register(task_.message_read_register[b], task_.message[b].address);
  write_register(task_.log_read_register, task_.log.address);

  write_register(nic::event_os_base + nic::event_enable, ~std::uint64_t{0});

  const std::uint64_t os = nic::sender_os_base + config_.sender_set * nic::sender_set_stride;
  write_register(os + nic::queue_cid, config_.cid);
  write_register(os + nic::source_pe, task_.logical_pe);
  write_register(os + nic::node_table_base, physical_.node_table);
  write_register(os + nic::node_table_entries, nodes_of_pes_.size());
  write_register(os + nic::multicast_table_base, physical_.multicast_table);
  write_register(os + nic::multicast_table_entries, config_.multicast_entries);
  write_register(os + nic::synchronization_table_base, physical_.synchronization_table);
  write_register(os + nic::synchronization_table_entries, config_.synchronization_entries);
  write_register(os + nic::queue_base, physical_.queue);
  write_register(os + nic::queue_bytes, config_.queue_bytes);  // last: this switches the set on

  const std::uint64_t replies = nic::sender_os_base + nic::reply_set * nic::sender_set_stride;
  write_register(replies + nic::queue_base, physical_.reply_queue);
  write_register(replies + nic::queue_bytes, reply_queue_bytes);
}

NodeId OsAgent::node_of(std::uint16_t pe) const {
  if (pe >= nodes_of_pes_.size()) fail("there is no logical PE " + std::to_string(pe));
  return nodes_of_pes_[pe];
}

std::vector<OsAgent::MulticastPart> OsAgent::register_multicast(const std::vector<std::uint16_t>& pes) {
  std::map<std::uint32_t, std::uint64_t> maps;
  for (const std::uint16_t pe : pes) maps[node_of(pe) / 64] |= std::uint64_t{1} << (node_of(pe) % 64);
  std::vector<MulticastPart> parts;
  for (const auto& [group, map] : maps) {
    const auto same = [g = group, m = map](const nic::MulticastEntry& e) {
      return e.group == g && e.map == m;
    };
    const auto found = std::find_if(multicasts_.begin(), multicasts_.end(), same);
    const auto offset = static_cast<std::uint16_t>(found - multicasts_.begin());
    if (found == multicasts_.end()) {
      if (multicasts_.size() == config_.multicast_entries) fail("the multicast header table is full");
      nic::MulticastEntry entry;
      entry.valid = true;
      entry.map = map;
      entry.group = group;
      entry.cid = config_.cid;
      multicasts_.push_back(entry);
      write_words(physical_.multicast_table + offset * std::uint64_t{nic::MulticastEntry::bytes},
                  entry.encode().data(), 2);
    }
    parts.push_back({offset, group, map});
  }
  return parts;
}

std::uint64_t OsAgent::synchronization_map(const std::vector<std::uint16_t>& pes) const {
  for (const NodeId node : nodes_of_pes_) {
    if (node >= most_synchronizing_nodes) fail("synchronization exists in systems of at most 64 nodes only");
  }
  std::uint64_t map = 0;
  for (const std::uint16_t pe : pes) map |= std::uint64_t{1} << node_of(pe);
  return map;
}

std::uint16_t OsAgent::register_synchronization(const std::vector<std::uint16_t>& pes, std::uint8_t sid) {
  nic::SynchronizationEntry entry;
  entry.valid = true;
  entry.map = synchronization_map(pes);
  entry.sid = sid;
  entry.cid = config_.cid;
  if (sid >= nic::sids) fail("there is no synchronization identifier " + std::to_string(sid));
  if (synchronizations_.size() == config_.synchronization_entries)
    fail("the synchronization header table is full");
  const auto offset = static_cast<std::uint16_t>(synchronizations_.size());
  synchronizations_.push_back(entry);
  write_words(physical_.synchronization_table + offset * std::uint64_t{nic::SynchronizationEntry::bytes},
              entry.encode().data(), 2);
  return offset;
}

}  // namespace tsuji::host
