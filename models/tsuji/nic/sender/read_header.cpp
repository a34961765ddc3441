// SPDX-License-Identifier: Apache-2.0
#include "tsuji/nic/sender/read_header.h"

#include "tsuji/core/error.h"
#include "tsuji/nic/tables.h"

namespace tsuji::nic {

ReadHeader::ReadHeader(const SenderConfig& config, const sc_core::sc_object& module,
                       const FirstHop& first_hop, ControlRegisterSets& sets, HeaderRegisters& registers,
                       MemoryPort& port, NicEvents& events)
    : config_(config),
      module_(module),
      first_hop_(first_hop),
      sets_(sets),
      registers_(registers),
      port_(port),
      events_(events) {}

void ReadHeader::fail(Cycle now, const std::string& what) const {
  throw ModelError(module_.name(), now, "", registers_[register_].name() + ": " + what);
}

void ReadHeader::refuse(Cycle now, Violation cause, const std::string& what) {
  if (!events_.handled()) fail(now, what);
  const ParcelState& parcel = registers_[register_];
  if (is_request(parcel.header.protocol)) --outstanding_;
  sets_[parcel.set].refused(cause, parcel.queue_offset, parcel.generation);
  events_.sender_refused(cause, parcel.cid, parcel.set, now);
  registers_.release(register_);
  go_idle(now + 1);
}

bool ReadHeader::collect(Cycle now) {
  if (state_ == State::fetching && port_.complete(now)) {
    take_header(now);
    return state_ == State::look_up && look_up_ahead(now);
  }
  if (state_ == State::looking_up && port_.complete(now)) take_entry(now);
  return false;
}

/// Sends the request of a future cycle if nobody can use the port before: SPM has no parcel until RHM enters
/// this one. The Sender then sleeps until the answer.
bool ReadHeader::look_up_ahead(Cycle now) {
  if (shows_each_step_ || registers_.any_entered() || !port_.takes_delays()) return false;
  port_.issue_later(now, due_ - now, MemoryAccessKind::noncoherent_read, entry_address_, entry_bytes_);
  state_ = State::looking_up;
  return true;
}

void ReadHeader::request(Cycle now) {
  if (state_ == State::fetch && queue_left()) return forget(now);
  if (now < due_ || !port_.idle(now)) return;
  if (state_ == State::fetch) {
    port_.issue(now, MemoryAccessKind::coherent_read, sets_[registers_[register_].set].queue.next_address(),
                ParcelHeader::bytes);
    state_ = State::fetching;
  } else {
    port_.issue(now, MemoryAccessKind::noncoherent_read, entry_address_, entry_bytes_);
    state_ = State::looking_up;
  }
}

Cycle ReadHeader::due(Cycle now) const {
  if (state_ == State::fetching || state_ == State::looking_up) return never;  // the port wakes
  if (state_ == State::store) return due_ + 1;
  if (now < due_) return state_ == State::idle && !may_have_header_ ? never : due_;
  // Idle: a register write or a register released by the SPM wakes the unit. Otherwise the port is in use.
  return state_ == State::idle ? never : port_.idle_at();
}

Cycle ReadHeader::finish_ahead() {
  registers_.enter(register_, due_);
  may_have_header_ = queues_with_headers() != 0;
  go_idle(due_ + 1);
  return due_;
}

/// Sets with a header, one bit each.
inline std::uint32_t ReadHeader::queues_with_headers() const {
  std::uint32_t ready = 0;
  for (unsigned set = 0; set < sender_sets; ++set)
    ready |= static_cast<std::uint32_t>(!sets_[set].queue.empty()) << set;
  return ready;
}

void ReadHeader::select(Cycle now) {
  const std::uint32_t ready = queues_with_headers();
  may_have_header_ = ready != 0;
  if (ready == 0 || now < due_ || !registers_.has_free()) return;
  // Others must be able to pass a request that waits for a reply: replies, above all, lest nodes wait for
  // each other. So it goes back into its queue.
  const std::uint32_t held = outstanding_ < config_.outstanding_requests ? 0 : held_;
  if ((ready & ~held) == 0) return;
  const int set = scheduler_.next(ready & ~held);
  register_ = registers_.claim();
  registers_[register_].set = static_cast<unsigned>(set);
  registers_[register_].generation = sets_[set].queue.generation();
  state_ = State::fetch;
  due_ = now + config_.select_queue_cycles;
}

bool ReadHeader::queue_left() const {
  const ParcelState& parcel = registers_[register_];
  return parcel.generation != sets_[parcel.set].queue.generation();
}

/// The header stays in its queue.
void ReadHeader::forget(Cycle now) {
  registers_.release(register_);
  go_idle(now + 1);
}

void ReadHeader::take_header(Cycle now) {
  ParcelState& parcel = registers_[register_];
  ControlRegisterSet& set = sets_[parcel.set];
  if (queue_left()) {
    port_.finish();
    return forget(now);
  }
  parcel.header = ParcelHeader::decode({port_.word(0), port_.word(1), port_.word(2), port_.word(3)});
  port_.finish();
  parcel.queue_offset = set.queue.read_pointer();
  if (puts_back(parcel.header, parcel.set)) return forget(now);
  parcel.cid = static_cast<unsigned>(set.at(queue_cid));
  parcel.source_pe = static_cast<std::uint16_t>(set.at(source_pe));
  set.queue.advance();
  const std::string problem = parcel_problem(parcel.header, parcel.set);
  if (!problem.empty()) return refuse(now, Violation::header, problem);
  if (is_reply(parcel.header.protocol)) return take_reply_path(now);
  if (parcel.header.physical && parcel.header.kind == PacketKind::single_cast) return take_physical_node(now);
  if (!find_entry(now, parcel)) return;
  state_ = State::look_up;
  due_ = now + config_.check_header_cycles;
}

/// Counts a request that may go.
bool ReadHeader::puts_back(const ParcelHeader& header, unsigned set) {
  held_ &= ~(1U << set);
  if (!is_request(header.protocol)) return false;
  if (outstanding_ < config_.outstanding_requests) {
    ++outstanding_;
    return false;
  }
  held_ |= 1U << set;
  return true;
}

/// A reply names its node directly: the task that serves the request needs no logical PE for that node.
void ReadHeader::take_reply_path(Cycle now) {
  ParcelState& parcel = registers_[register_];
  const ReplyPath path = ReplyPath::decode(parcel.header.notification);
  parcel.cid = path.asked_cid;
  parcel.node = path.node;
  parcel.destination_cid = path.cid;
  parcel.refused = path.refused;
  parcel.port_bits = first_hop_.single_cast(path.node);
  if (parcel.port_bits == 0) fail(now, "no port leads to the requesting node");
  state_ = State::store;
  due_ = now + config_.check_header_cycles + config_.set_port_cycles;
}

/// The operating system addresses nodes directly; its packets carry its cid.
void ReadHeader::take_physical_node(Cycle now) {
  ParcelState& parcel = registers_[register_];
  parcel.node = parcel.header.logical_pe;
  parcel.destination_cid = parcel.cid;
  if (parcel.node < nodes_of_a_header) parcel.port_bits = first_hop_.single_cast(parcel.node);
  if (parcel.port_bits == 0)
    return refuse(now, Violation::destination, "no port leads to node " + std::to_string(parcel.node));
  state_ = State::store;
  due_ = now + config_.check_header_cycles + config_.set_port_cycles;
}

bool ReadHeader::find_entry(Cycle now, const ParcelState& parcel) {
  struct Table {
    const char* name;
    std::uint64_t base, entries;
    unsigned bytes;
  };
  static constexpr std::array<Table, 3> tables{
      Table{"node table", node_table_base, node_table_entries, NodeEntry::bytes},
      Table{"multicast header table", multicast_table_base, multicast_table_entries, MulticastEntry::bytes},
      Table{"synchronization header table", synchronization_table_base, synchronization_table_entries,
            SynchronizationEntry::bytes}};
  const Table& table = tables[static_cast<unsigned>(parcel.header.kind)];
  const ControlRegisterSet& set = sets_[parcel.set];
  const std::uint64_t base = set.at(table.base);
  if (parcel.header.logical_pe >= set.at(table.entries)) {
    refuse(now, Violation::destination,
           std::string(table.name) + ": offset " + std::to_string(parcel.header.logical_pe) +
               " is out of range (entries: " + std::to_string(set.at(table.entries)) + ")");
    return false;
  }
  if (base % table.bytes != 0)
    fail(now, std::string(table.name) + ": its base is not aligned to its entries");
  entry_address_ = base + std::uint64_t{table.bytes} * parcel.header.logical_pe;
  entry_bytes_ = table.bytes;
  return true;
}

void ReadHeader::take_entry(Cycle now) {
  ParcelState& parcel = registers_[register_];
  const std::array<std::uint64_t, 2> words{port_.word(0), port_.word(1)};
  port_.finish();
  bool valid = false;
  if (parcel.header.kind == PacketKind::single_cast) {
    const NodeEntry entry = NodeEntry::decode(words[0]);
    valid = entry.valid;
    parcel.node = entry.node;
    parcel.destination_cid = entry.cid;
    if (valid) parcel.port_bits = first_hop_.single_cast(entry.node);
  } else if (parcel.header.kind == PacketKind::multicast) {
    const MulticastEntry entry = MulticastEntry::decode(words);
    valid = entry.valid && entry.map != 0;
    parcel.map = entry.map;
    parcel.group = entry.group;
    parcel.destination_cid = entry.cid;
    if (valid) parcel.port_bits = first_hop_.multicast(entry.group, entry.map);
  } else {
    const SynchronizationEntry entry = SynchronizationEntry::decode(words);
    valid = entry.valid && entry.map != 0;
    parcel.map = entry.map;
    parcel.sid = entry.sid;
    parcel.destination_cid = entry.cid;
    if (valid) parcel.port_bits = first_hop_.synchronization(entry.map);
  }
  if (!valid) {
    return refuse(now, Violation::destination,
                  "the table entry of logical PE or offset " + std::to_string(parcel.header.logical_pe) +
                      " is invalid or names no node");
  }
  if (parcel.port_bits == 0) fail(now, "no port leads to the destination");
  state_ = State::store;
  due_ = now + config_.set_port_cycles;
}

}  // namespace tsuji::nic
