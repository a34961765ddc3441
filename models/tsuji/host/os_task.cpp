// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/os_task.h"

#include <algorithm>
#include <map>

#include "tsuji/core/error.h"
#include "tsuji/nic/parcel.h"

namespace tsuji::host {
namespace {

// Logical addresses of a task, the same on every node, so that a put's destination address means the same
// everywhere.
constexpr std::uint64_t heap_address = OsTask::heap_base;
constexpr std::uint64_t buffers_address = heap_address + OsTask::max_heap_bytes;
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
  if (heap_bytes == 0 || heap_bytes % page != 0 || heap_bytes > OsTask::max_heap_bytes) {
    refuse("heap_bytes", heap_bytes, "not a heap size", "a multiple of 4096, up to 256 MB");
  }
  if (multicast_entries < 1 || multicast_entries > 4096) {
    refuse("multicast_entries", multicast_entries, "out of range", "1..4096");
  }
  if (synchronization_entries < 1 || synchronization_entries > 4096) {
    refuse("synchronization_entries", synchronization_entries, "out of range", "1..4096");
  }
}

OsTask::OsTask(const OsConfig& config, std::uint16_t logical_pe, std::vector<NodeId> nodes_of_pes)
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
}

void OsTask::fail(const std::string& what) const {
  throw ModelError("os agent of PE " + std::to_string(task_.logical_pe), 0, "", what);
}

/// Places each area on separate pages, one after the other.
void OsTask::lay_out(const NodeTables& tables, std::uint64_t& next) {
  const auto take = [&](std::uint64_t bytes) {
    const std::uint64_t start = next;
    next += pages_of(bytes) * page;
    return start;
  };
  const std::uint64_t buffer_pages = pages_of(config_.message_buffer0_bytes) +
                                     pages_of(config_.message_buffer1_bytes) +
                                     pages_of(config_.log_buffer_bytes);
  tables_ = tables;
  PhysicalLayout& p = physical_;
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
  map_memory();
  name_registers();
}

void OsTask::map_memory() {
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
  space_.map(buffer_table_address / page, 1, (tables_.buffer_table + entry) / page, false, contiguous);
}

void OsTask::name_registers() {
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

void OsTask::write_page_table(const NodeAccess& node, std::uint64_t table,
                              const AddressSpace::Segment& segment) const {
  std::vector<std::uint64_t> words;
  words.reserve(segment.pages);
  for (std::uint64_t i = 0; i < segment.pages; ++i) {
    nic::PageEntry entry;
    entry.valid = config_.paging == Paging::present;
    entry.writable = segment.writable;
    entry.physical = segment.physical_of(i) * page;
    words.push_back(entry.encode());
  }
  node.write_words(table, words.data(), words.size());
}

/// The network interface translates only what it may move data in: the heap, the buffers if there are any,
/// and the notifications of replies.
bool OsTask::translates(const AddressSpace::Segment& segment, std::uint64_t& page_table) const {
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

void OsTask::write_tables(const NodeAccess& node) const {
  std::vector<std::uint64_t> node_table;
  for (const NodeId id : nodes_of_pes_) {
    nic::NodeEntry entry;
    entry.valid = true;
    entry.node = static_cast<std::uint16_t>(id);
    entry.cid = config_.cid;
    node_table.push_back(entry.encode());
  }
  node.write_words(physical_.node_table, node_table.data(), node_table.size());
  write_segments(node);
  write_buffer_tables(node);
}

void OsTask::write_segments(const NodeAccess& node) const {
  std::uint64_t place =
      tables_.segment_table + std::uint64_t{config_.cid} * nic::segments_per_cid * nic::SegmentEntry::bytes;
  for (const auto& segment : space_.segments()) {
    nic::SegmentEntry entry;
    if (!translates(segment, entry.page_table)) continue;
    entry.valid = true;
    entry.lowest_page = segment.lowest_page;
    entry.highest_page = segment.lowest_page + segment.pages - 1;
    node.write_words(place, entry.encode().data(), 3);
    write_page_table(node, entry.page_table, segment);
    place += nic::SegmentEntry::bytes;
  }
}

void OsTask::write_buffer_tables(const NodeAccess& node) const {
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
  node.write_words(tables_.buffer_table + config_.cid * std::uint64_t{sizeof entry}, entry, std::size(entry));
  node.write_words(tables_.buffer_limit_table + config_.cid * std::uint64_t{sizeof limits}, limits,
                   std::size(limits));
}

OsTask::RegisterWrites OsTask::set_registers() const {
  const std::uint64_t os = os_page();
  return {{os + nic::queue_cid, config_.cid},
          {os + nic::source_pe, task_.logical_pe},
          {os + nic::node_table_base, physical_.node_table},
          {os + nic::node_table_entries, nodes_of_pes_.size()},
          {os + nic::multicast_table_base, physical_.multicast_table},
          {os + nic::multicast_table_entries, config_.multicast_entries},
          {os + nic::synchronization_table_base, physical_.synchronization_table},
          {os + nic::synchronization_table_entries, config_.synchronization_entries},
          {os + nic::queue_base, physical_.queue},
          {os + nic::queue_bytes, config_.queue_bytes}};
}

bool OsTask::map_page(const NodeAccess& node, std::uint64_t address) const {
  for (const AddressSpace::Segment& segment : space_.segments()) {
    const std::uint64_t index = address / nic::page_bytes - segment.lowest_page;
    std::uint64_t table = 0;
    if (index >= segment.pages || !translates(segment, table)) continue;
    nic::PageEntry entry;
    entry.valid = true;
    entry.writable = segment.writable;
    entry.physical = segment.physical_of(index) * nic::page_bytes;
    node.write_word(table + index * nic::PageEntry::bytes, entry.encode());
    return true;
  }
  return false;
}

NodeId OsTask::node_of(std::uint16_t pe) const {
  if (pe >= nodes_of_pes_.size()) fail("there is no logical PE " + std::to_string(pe));
  return nodes_of_pes_[pe];
}

void OsTask::write_multicast(const NodeAccess& node, std::size_t offset) const {
  node.write_words(physical_.multicast_table + offset * nic::MulticastEntry::bytes,
                   multicasts_[offset].entry.encode().data(), 2);
}

std::vector<OsTask::MulticastPart> OsTask::register_multicast(const NodeAccess& node,
                                                              const std::vector<std::uint16_t>& pes) {
  std::map<std::uint32_t, std::uint64_t> maps;
  for (const std::uint16_t pe : pes) maps[node_of(pe) / 64] |= std::uint64_t{1} << (node_of(pe) % 64);
  std::vector<MulticastPart> parts;
  for (const auto& [group, map] : maps) {
    const auto same = [g = group, m = map](const Multicast& e) {
      return e.entry.valid && e.entry.group == g && e.entry.map == m;
    };
    auto found = std::find_if(multicasts_.begin(), multicasts_.end(), same);
    if (found == multicasts_.end()) {
      found = std::find_if(multicasts_.begin(), multicasts_.end(),
                           [](const Multicast& e) { return !e.entry.valid; });
      if (found == multicasts_.end()) {
        if (multicasts_.size() == config_.multicast_entries) fail("the multicast header table is full");
        found = multicasts_.insert(multicasts_.end(), Multicast{});
      }
      found->entry.valid = true;
      found->entry.map = map;
      found->entry.group = group;
      found->entry.cid = config_.cid;
      write_multicast(node, static_cast<std::size_t>(found - multicasts_.begin()));
    }
    ++found->registrations;
    parts.push_back({static_cast<std::uint16_t>(found - multicasts_.begin()), group, map});
  }
  return parts;
}

void OsTask::release_multicast(const NodeAccess& node, const std::vector<std::uint16_t>& offsets) {
  for (const std::uint16_t offset : offsets) {
    if (offset >= multicasts_.size() || !multicasts_[offset].entry.valid)
      fail("multicast header " + std::to_string(offset) + " is not registered");
    if (--multicasts_[offset].registrations != 0) continue;
    multicasts_[offset].entry = {};
    write_multicast(node, offset);
  }
}

std::uint64_t OsTask::synchronization_map(const std::vector<std::uint16_t>& pes) const {
  for (const NodeId node : nodes_of_pes_) {
    if (node >= most_synchronizing_nodes) fail("synchronization exists in systems of at most 64 nodes only");
  }
  std::uint64_t map = 0;
  for (const std::uint16_t pe : pes) map |= std::uint64_t{1} << node_of(pe);
  return map;
}

void OsTask::write_synchronization(const NodeAccess& node, std::size_t offset) const {
  node.write_words(physical_.synchronization_table + offset * nic::SynchronizationEntry::bytes,
                   synchronizations_[offset].encode().data(), 2);
}

std::uint16_t OsTask::register_synchronization(const NodeAccess& node, const std::vector<std::uint16_t>& pes,
                                               std::uint8_t sid) {
  nic::SynchronizationEntry entry;
  entry.valid = true;
  entry.map = synchronization_map(pes);
  entry.sid = sid;
  entry.cid = config_.cid;
  if (sid >= nic::sids) fail("there is no synchronization identifier " + std::to_string(sid));
  auto place = std::find_if(synchronizations_.begin(), synchronizations_.end(),
                            [](const nic::SynchronizationEntry& e) { return !e.valid; });
  if (place == synchronizations_.end()) {
    if (synchronizations_.size() == config_.synchronization_entries)
      fail("the synchronization header table is full");
    place = synchronizations_.insert(synchronizations_.end(), entry);
  }
  *place = entry;
  const auto offset = static_cast<std::uint16_t>(place - synchronizations_.begin());
  write_synchronization(node, offset);
  return offset;
}

void OsTask::release_synchronization(const NodeAccess& node, std::uint16_t offset) {
  if (offset >= synchronizations_.size() || !synchronizations_[offset].valid)
    fail("synchronization header " + std::to_string(offset) + " is not registered");
  synchronizations_[offset] = {};
  write_synchronization(node, offset);
}

}  // namespace tsuji::host
