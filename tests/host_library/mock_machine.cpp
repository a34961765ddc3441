// SPDX-License-Identifier: Apache-2.0
#include "host_library/mock_machine.h"

#include <algorithm>
#include <cstring>

#include "tsuji/core/error.h"
#include "tsuji/nic/registers.h"
#include "tsuji/nic/tables.h"

namespace tsuji::test {
namespace {

constexpr std::uint64_t base_address = 0x10000;
constexpr std::uint64_t buffer_entry = 0x8000;

std::uint8_t sid_of(std::uint16_t synchronization) {
  return static_cast<std::uint8_t>(5 + synchronization);
}

std::uint64_t line_of(std::uint64_t address) {
  return address - address % nic::line_bytes;
}

}  // namespace

// ---- the machine

MockMachine::MockMachine(const MockConfig& config)
    : config_(config),
      random_(config.seed, 0),
      entered_(nic::sids, std::vector<std::uint64_t>(config.ranks, 0)),
      completed_(entered_) {
  config_.library.validate();
  const auto times = config_.software.in_cycles(ClockPeriod(12500));
  for (std::uint32_t rank = 0; rank < config_.ranks; ++rank) {
    nodes_.push_back(std::make_unique<MockNode>(*this, rank, config_.library));
    MockNode& node = *nodes_.back();
    runtimes_.push_back(
        std::make_unique<host::RankRuntime>(node, node.layout(), config_.library, times, node));
  }
}

MockMachine::~MockMachine() = default;

void MockMachine::fail(const std::string& what) {
  throw ModelError("mock machine", time_, "", what);
}

void MockMachine::thread_of(MockNode& node, const std::function<void(host::RankRuntime&)>& program) {
  {
    std::unique_lock lock(mutex_);
    node.wake_.wait(lock, [&] { return node.running_; });
  }
  try {
    if (!stopping_) program(*runtimes_[node.rank_]);
  } catch (const Stop&) {
  } catch (...) {
    if (!failure_) failure_ = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  node.done_ = true;
  node.running_ = false;
  back_.notify_one();
}

/// Lets a rank run until it pauses.
void MockMachine::resume(MockNode& node) {
  std::unique_lock lock(mutex_);
  node.time_ = std::max(node.time_, time_);
  node.running_ = true;
  node.wake_.notify_one();
  back_.wait(lock, [&] { return !node.running_; });
}

void MockNode::pause() {
  std::unique_lock lock(machine_.mutex_);
  running_ = false;
  machine_.back_.notify_one();
  wake_.wait(lock, [&] { return running_; });
  if (machine_.stopping_) throw MockMachine::Stop{};
}

bool MockMachine::step() {
  if (events_.empty() || failure_) return false;
  const Event event = events_.top();
  events_.pop();
  time_ = event.time;
  try {
    event.action();
  } catch (...) {
    if (!failure_) failure_ = std::current_exception();
  }
  return true;
}

void MockMachine::stop_all() {
  stopping_ = true;
  for (auto& node : nodes_) {
    if (!node->done_) resume(*node);
  }
  for (auto& node : nodes_) node->thread_.join();
  stopping_ = false;
}

bool MockMachine::run(const std::function<void(host::RankRuntime&)>& program,
                      const std::function<void()>& on_stuck) {
  for (auto& node : nodes_) {
    node->done_ = node->running_ = false;
    node->thread_ = std::thread([this, &node, &program] { thread_of(*node, program); });
    at(time_ + delay(50), [this, &node] { resume(*node); });
  }
  while (step()) {
  }
  const bool finished =
      std::all_of(nodes_.begin(), nodes_.end(), [](const auto& node) { return node->done_; });
  if (!finished && !failure_ && on_stuck) on_stuck();
  stop_all();
  if (failure_) std::rethrow_exception(failure_);
  return finished;
}

void MockMachine::synchronize(std::uint32_t rank, std::uint8_t sid) {
  auto& entered = entered_[sid];
  ++entered[rank];
  const std::uint64_t rounds = *std::min_element(entered.begin(), entered.end());
  for (auto& node : nodes_) {
    auto& completed = completed_[sid][node->rank_];
    while (completed < rounds) {
      ++completed;
      MockNode* const to = node.get();
      at(time_ + delay(config_.delays.piece), [to, sid] {
        const std::uint64_t counter = to->layout_.synchronization_counters + std::uint64_t{8} * sid;
        const std::uint64_t value = to->word(counter) + 1;
        to->write_from_outside(counter, &value, 8);
      });
    }
  }
}

// ---- a node's processor

MockNode::MockNode(MockMachine& machine, std::uint32_t rank, const host::LibraryConfig& config)
    : machine_(machine),
      rank_(rank),
      layout_(host::plan_task_layout(config, rank, machine.config_.ranks, 2, base_address, buffer_entry)),
      memory_(layout_.end),
      last_arrival_(machine.config_.ranks, 0) {
  for (unsigned buffer = 0; buffer < 2; ++buffer) {
    message_read_[buffer] = layout_.message_buffer[buffer];
    std::memcpy(&memory_[buffer_entry + std::size_t{8} * buffer], &layout_.message_buffer[buffer], 8);
  }
}

void MockNode::check(std::uint64_t address, std::uint64_t bytes) const {
  if (address < buffer_entry || address + bytes > memory_.size()) {
    machine_.fail("rank " + std::to_string(rank_) + " has no memory at " + std::to_string(address));
  }
}

std::uint64_t MockNode::word(std::uint64_t address) const {
  check(address, 8);
  std::uint64_t value = 0;
  std::memcpy(&value, &memory_[address], 8);
  return value;
}

void MockNode::touch(std::uint64_t address, std::uint64_t bytes) {
  check(address, bytes);
  if (!polling_) return;
  for (std::uint64_t line = line_of(address); line < address + bytes; line += nic::line_bytes)
    loaded_.insert(line);
}

void MockNode::compute(Cycle cycles) {
  ++computed_[cycles];
  time_ += cycles;
  // No other event comes earlier: acts as a pause would, without a change of threads.
  if (machine_.events_.empty() || machine_.events_.top().time > time_) {
    machine_.time_ = std::max(machine_.time_, time_);
    return;
  }
  machine_.at(std::max(time_, machine_.time_), [this] { machine_.resume(*this); });
  pause();
}

std::uint64_t MockNode::load(std::uint64_t address) {
  if (address % 8 != 0) machine_.fail("load from an odd address");
  touch(address, 8);
  time_ += 1;
  return word(address);
}

void MockNode::store(std::uint64_t address, std::uint64_t value) {
  if (address % 8 != 0) machine_.fail("store to an odd address");
  check(address, 8);
  time_ += 1;
  std::memcpy(&memory_[address], &value, 8);
}

std::uint32_t MockNode::load_word(std::uint64_t address) {
  if (address % 4 != 0) machine_.fail("load of a word from an odd address");
  touch(address, 4);
  time_ += 1;
  std::uint32_t value = 0;
  std::memcpy(&value, &memory_[address], 4);
  return value;
}

void MockNode::store_word(std::uint64_t address, std::uint32_t value) {
  if (address % 4 != 0) machine_.fail("store of a word to an odd address");
  check(address, 4);
  time_ += 1;
  std::memcpy(&memory_[address], &value, 4);
}

void MockNode::load_block(std::uint64_t address, void* to, std::size_t bytes) {
  if (bytes == 0) return;
  touch(address, bytes);
  time_ += (bytes + 7) / 8;
  std::memcpy(to, &memory_[address], bytes);
}

void MockNode::store_block(std::uint64_t address, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  check(address, bytes);
  time_ += (bytes + 7) / 8;
  std::memcpy(&memory_[address], from, bytes);
}

void MockNode::app_write(std::uint64_t address, const void* from, std::size_t bytes) {
  check(address, bytes);
  if (bytes > 0) std::memcpy(&memory_[address], from, bytes);
}

void MockNode::app_read(std::uint64_t address, void* to, std::size_t bytes) {
  check(address, bytes);
  if (bytes > 0) std::memcpy(to, &memory_[address], bytes);
}

void MockNode::flush(std::uint64_t address, std::size_t bytes) {
  check(address, bytes);
  time_ += bytes / nic::line_bytes;
}

void MockNode::system_call(const std::function<void()>& service) {
  compute(1040);
  service();
}

host::GroupHandle MockNode::register_group(std::uint32_t pe, const std::vector<std::uint32_t>& members) {
  if (pe != rank_ || members.size() != machine_.config_.ranks)
    machine_.fail("the mock knows the group of all ranks only");
  host::GroupHandle group;
  for (std::uint32_t first = 0; first < members.size(); first += 64)
    group.multicast.push_back(static_cast<std::uint16_t>(first / 64));
  group.synchronizes = machine_.config_.synchronization;
  group.synchronization = groups_++;
  group.sid = sid_of(group.synchronization);
  return group;
}

void MockNode::release_group(std::uint32_t pe, const std::vector<std::uint32_t>& members,
                             const host::GroupHandle& group, Cycle) {
  if (pe != rank_ || members.size() != machine_.config_.ranks || group.sid != sid_of(group.synchronization) ||
      group.synchronization >= groups_)
    machine_.fail("a group is given back that was not registered");
}

void MockNode::poll_until(const std::uint64_t* addresses, std::size_t count,
                          const std::function<bool()>& condition, const std::string& what) {
  if (what.empty() || polling_) machine_.fail("a poll without a name, or within another");
  polling_ = true;
  watched_.clear();
  for (std::size_t i = 0; i < count; ++i) watched_.insert(line_of(addresses[i]));
  for (;;) {
    lost_ = false;
    loaded_.clear();
    if (condition()) break;
    // A watched line that is not loaded would keep a processor awake; a loaded line that is not watched is
    // missed.
    if (!std::includes(loaded_.begin(), loaded_.end(), watched_.begin(), watched_.end())) {
      machine_.fail("a poll for " + what + " watches a line that its condition does not load");
    }
    time_ += 8;
    if (lost_) continue;
    asleep_ = true;
    pause();
  }
  polling_ = false;
}

// ---- its network interface

void MockNode::register_write(std::uint64_t offset, std::uint64_t value) {
  const std::uint64_t set = nic::sender_set_base + layout_.register_set * nic::sender_set_stride;
  compute(8);
  if (offset == set + nic::queue_write_pointer) {
    const std::uint64_t bytes = layout_.header_queue_bytes;
    if (value % 32 != 0 || value >= bytes) machine_.fail("a write pointer outside the queue");
    const std::uint64_t held = (queue_write_ + bytes - queue_read_) % bytes;
    const std::uint64_t added = (value + bytes - queue_write_) % bytes;
    if (added == 0 || held + added >= bytes) machine_.fail("the header queue overruns");
    queue_write_ = value;
    if (!sending_) {
      sending_ = true;
      machine_.at(machine_.time_ + machine_.delay(40), [this] { send_some(); });
    }
    return;
  }
  if (offset >= nic::receiver_task_base + nic::address_register0 &&
      offset < nic::receiver_task_base + nic::message_read_pointer0) {
    address_register_[(offset - nic::receiver_task_base - nic::address_register0) / 8] = value;
    return;
  }
  const std::uint64_t buffer = (offset - nic::receiver_task_base - nic::message_read_pointer0) / 8;
  if (buffer > 1) machine_.fail("a write to an unknown register");
  message_read_[buffer] = value;
}

std::uint64_t MockNode::register_read(std::uint64_t offset) {
  compute(16);
  if (offset !=
      nic::sender_set_base + layout_.register_set * nic::sender_set_stride + nic::queue_read_pointer) {
    machine_.fail("a read of an unknown register");
  }
  return queue_read_;
}

MockNode::Ranks MockNode::targets(const nic::ParcelHeader& header) const {
  Ranks to;
  const std::uint32_t ranks = machine_.config_.ranks;
  if (header.kind == PacketKind::single_cast) {
    if (header.logical_pe >= ranks) machine_.fail("a parcel to a PE that does not exist");
    to.set(header.logical_pe);
  } else {
    const std::uint32_t first = header.kind == PacketKind::multicast ? header.logical_pe * 64U : 0;
    for (std::uint32_t rank = first; rank < std::min(first + 64, ranks); ++rank) to.set(rank);
  }
  return to;
}

void MockNode::read_headers() {
  while (header_registers_.size() < 4 && queue_read_ != queue_write_) {
    std::array<std::uint64_t, 4> words{};
    std::memcpy(words.data(), &memory_[layout_.header_queue + queue_read_], 32);
    const auto header = nic::ParcelHeader::decode(words);
    header_registers_.push_back({header, 0, targets(header)});
    queue_read_ = (queue_read_ + 32) % layout_.header_queue_bytes;
  }
}

/// One piece of one parcel; a parcel may pass an older one only if they share no destination.
void MockNode::send_some() {
  read_headers();
  if (header_registers_.empty()) {
    sending_ = false;
    return;
  }
  std::size_t chosen = machine_.random_.below(header_registers_.size());
  for (std::size_t older = 0; older < chosen; ++older) {
    if ((header_registers_[older].to & header_registers_[chosen].to).any()) chosen = older;
  }
  Parcel& parcel = header_registers_[chosen];
  send_piece(parcel);
  if (parcel.offset >= parcel.header.length) {
    if (parcel.header.notify) write_from_outside(parcel.header.notification, &nic::sent_pattern, 8);
    header_registers_.erase(header_registers_.begin() + static_cast<std::ptrdiff_t>(chosen));
  }
  machine_.at(machine_.time_ + machine_.delay(40), [this] { send_some(); });
}

void MockNode::send_piece(Parcel& parcel) {
  const nic::ParcelHeader& header = parcel.header;
  ++machine_.pieces_;
  if (header.protocol == nic::Protocol::synchronization) {
    machine_.synchronize(rank_, sid_of(header.logical_pe));
    return;
  }
  if (header.length == 0 || header.length % 4 != 0) machine_.fail("a parcel of an odd length");
  if (header.destination % 8 != 0 && header.length > 4) machine_.fail("words to an odd word");
  const bool message =
      header.protocol == nic::Protocol::message0 || header.protocol == nic::Protocol::message1;
  const std::uint32_t longest = message ? 256 : 2048;
  if (message && header.length > longest) machine_.fail("a message of more than one packet");
  const std::uint32_t bytes = std::min(longest, header.length - parcel.offset);
  std::vector<unsigned char> data(bytes);
  if (header.inline_data || header.protocol == nic::Protocol::atomic_add) {
    std::memcpy(data.data(), &header.source, bytes);
  } else {
    check(header.source + parcel.offset, bytes);
    std::memcpy(data.data(), &memory_[header.source + parcel.offset], bytes);
    if (header.source % 8 != 0) spoil_page_borders(header.source, parcel.offset, data);
  }
  for (std::uint32_t rank = 0; rank < machine_.config_.ranks; ++rank) {
    if (!parcel.to.test(rank)) continue;
    Cycle& last = last_arrival_[rank];
    last = std::max(last + 1, machine_.time_ + machine_.delay(machine_.config_.delays.piece));
    MockNode* const to = machine_.nodes_[rank].get();
    machine_.at(last, [to, header, offset = parcel.offset, data] { to->receive(header, offset, data); });
  }
  parcel.offset += bytes;
}

/// A shifted parcel carries a wrong word instead of the first word of each page but its first.
void MockNode::spoil_page_borders(std::uint64_t source, std::uint64_t offset,
                                  std::vector<unsigned char>& data) {
  for (std::uint64_t at = 0; at < data.size(); at += 4) {
    if (offset + at > 0 && (source + offset + at) % nic::page_bytes == 0) data[at] ^= 0x55;
  }
}

/// Whether the bytes lie in one area of the layout. Most areas are followed by unusable room.
bool MockNode::in_an_area(std::uint64_t address, std::uint64_t bytes) const {
  const host::LibraryConfig& config = machine_.config_.library;
  const std::uint64_t slots = std::uint64_t{8} * config.rendezvous_slots;
  const std::pair<std::uint64_t, std::uint64_t> areas[] = {
      {buffer_entry, nic::BufferEntry::bytes},
      {layout_.message_buffer[0], layout_.message_buffer_bytes[0]},
      {layout_.message_buffer[1], layout_.message_buffer_bytes[1]},
      {layout_.synchronization_counters, std::uint64_t{8} * nic::sids},
      {layout_.barrier_counter, 8},
      {layout_.release_counter, 8},
      {layout_.send_notifications, std::uint64_t{8} * config.send_slots},
      {layout_.credit_table, std::uint64_t{8} * layout_.pes},
      {layout_.clear_to_send, slots},
      {layout_.data_sent, slots},
      {layout_.data_arrived, slots},
      {layout_.group_notifications, std::uint64_t{8} * layout_.multicast_groups},
      {layout_.copy_sent, layout_.copy == 0 ? 0U : 8U},
      {layout_.heap, layout_.heap_bytes}};
  return std::any_of(std::begin(areas), std::end(areas), [&](const auto& area) {
    return address >= area.first && address + bytes <= area.first + area.second;
  });
}

void MockNode::write_from_outside(std::uint64_t address, const void* from, std::size_t bytes) {
  check(address, bytes);
  if (!in_an_area(address, bytes))
    machine_.fail("a write between the areas of rank " + std::to_string(rank_));
  std::memcpy(&memory_[address], from, bytes);
  bool mine = false;
  for (std::uint64_t line = line_of(address); line < address + bytes; line += nic::line_bytes) {
    mine = mine || watched_.count(line) > 0;
  }
  if (!polling_ || !mine) return;
  lost_ = true;
  if (!asleep_) return;
  asleep_ = false;
  machine_.at(machine_.time_ + machine_.delay(machine_.config_.delays.poll),
              [this] { machine_.resume(*this); });
}

void MockNode::receive(const nic::ParcelHeader& header, std::uint32_t offset,
                       const std::vector<unsigned char>& data) {
  switch (header.protocol) {
    case nic::Protocol::message0:
      receive_message(0, data);
      break;
    case nic::Protocol::message1:
      receive_message(1, data);
      break;
    case nic::Protocol::atomic_add: {
      const std::uint64_t sum = word(header.destination) + header.source;
      write_from_outside(header.destination, &sum, 8);
      break;
    }
    case nic::Protocol::remote_dma:
      write_data(header.destination + offset, data);
      break;
    default: {
      const auto number =
          static_cast<unsigned>(header.protocol) - static_cast<unsigned>(nic::Protocol::remote_dma_register0);
      write_data(address_register_[number] + header.destination + offset, data);
    }
  }
}

void MockNode::write_data(std::uint64_t address, std::vector<unsigned char> data) {
  if (rank_ == machine_.config_.damaged_rank && data.size() >= 1024) data[data.size() / 2] ^= 1;
  write_from_outside(address, data.data(), data.size());
}

void MockNode::receive_message(unsigned buffer, const std::vector<unsigned char>& data) {
  const std::uint64_t base = layout_.message_buffer[buffer], size = layout_.message_buffer_bytes[buffer];
  const std::uint64_t pointer_address = buffer_entry + std::uint64_t{8} * buffer;
  const std::uint64_t write = word(pointer_address);
  const std::uint64_t room = (data.size() + nic::line_bytes - 1) / nic::line_bytes * nic::line_bytes;
  const std::uint64_t held = (write + size - message_read_[buffer]) % size;
  if (held + room >= size) machine_.fail("message buffer " + std::to_string(buffer) + " overruns");
  machine_.fullest_ =
      std::max(machine_.fullest_, static_cast<double>(held + room) / static_cast<double>(size));
  for (std::size_t byte = 0; byte < data.size(); ++byte) {
    memory_[base + (write - base + byte) % size] = data[byte];
  }
  const std::uint64_t next = base + (write - base + room) % size;
  write_from_outside(pointer_address, &next, 8);
}

}  // namespace tsuji::test
