// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/library/paralib.h"

#include "tsuji/core/error.h"
#include "tsuji/host/library/memory_copy.h"
#include "tsuji/nic/registers.h"

namespace tsuji::host {
namespace {

bool aligned(std::uint64_t value) {
  return value % 8 == 0;
}

}  // namespace

Paralib::Paralib(Cpu& cpu, const TaskLayout& layout, const SoftwareCycles& times, OsServices& os)
    : cpu_(cpu), layout_(layout), times_(times), os_(os) {}

void Paralib::check(bool fine, const char* what) const {
  if (!fine) throw ModelError("paralib of PE " + std::to_string(layout_.pe), cpu_.now(), "", what);
}

nic::ParcelHeader Paralib::header_to(Target to, nic::Protocol protocol) {
  nic::ParcelHeader header;
  header.protocol = protocol;
  header.kind = to.kind;
  header.logical_pe = to.number;
  return header;
}

void Paralib::wait_for_queue_room() {
  const std::uint32_t next = (write_ + nic::ParcelHeader::bytes) % layout_.header_queue_bytes;
  const std::uint64_t read_pointer =
      nic::sender_set_base + layout_.register_set * nic::sender_set_stride + nic::queue_read_pointer;
  // The Sender continues without the processor, so room becomes free; a full queue is rare enough to poll for
  // it.
  while (next == read_) read_ = static_cast<std::uint32_t>(cpu_.register_read(read_pointer));
}

void Paralib::push(nic::ParcelHeader header) {
  header.log = logs_ && !nic::is_request(header.protocol);
  cpu_.compute(times_.paralib_send);
  wait_for_queue_room();
  const auto words = header.encode();
  const std::uint64_t at = layout_.header_queue + write_;
  cpu_.store_block(at, words.data(), sizeof words);  // within a line, as is every place of the queue
  write_ = (write_ + nic::ParcelHeader::bytes) % layout_.header_queue_bytes;
  cpu_.register_write(
      nic::sender_set_base + layout_.register_set * nic::sender_set_stride + nic::queue_write_pointer,
      write_);
  ++parcels_;
}

void Paralib::send(Target to, unsigned buffer, std::uint64_t source, std::uint32_t bytes,
                   std::uint64_t notification) {
  check(buffer < 2, "message buffers are 0 and 1");
  check(aligned(source) && aligned(bytes) && bytes > 0 && bytes <= Packet::max_payload_bytes,
        "a message is one packet: 8..256 bytes, a multiple of 8, at an 8-byte address");
  auto header = header_to(to, buffer == 0 ? nic::Protocol::message0 : nic::Protocol::message1);
  header.length = bytes;
  header.source = source;
  header.notify = notification != 0;
  header.notification = notification;
  push(header);
}

void Paralib::put_pieces(nic::ParcelHeader header, std::uint64_t bytes, std::uint64_t notification) {
  check(header.source % 4 == 0 && header.destination % 4 == 0 && bytes % 4 == 0 && bytes > 0,
        "remote DMA moves multiples of 4 bytes between 4-byte addresses");
  PutPlan plan(header.source, header.destination, bytes,
               layout_.copy == 0 ? Realignment::hardware : Realignment::software);
  while (!plan.ended()) {
    const PutPiece piece = plan.next();
    header.inline_data = piece.data == PutPiece::Data::word;
    header.source = header.inline_data ? cpu_.load_word(piece.source) : piece.source;
    header.destination = piece.destination;
    header.length = piece.bytes;
    header.notify = notification != 0 && plan.ended();
    header.notification = header.notify ? notification : 0;
    piece.data == PutPiece::Data::copy ? put_copy(header, piece, header.notification) : push(header);
  }
}

/// The copy has half a line of difference to its destination: what an optimized one would avoid (Kanoh 2000,
/// 6.1). The user's data are free when they are copied, so that is when they are notified as sent.
void Paralib::put_copy(nic::ParcelHeader header, const PutPiece& piece, std::uint64_t notification) {
  const std::string what = "the Sender to read the last put's copy";
  if (copied_) {
    cpu_.poll_until(
        &layout_.copy_sent, 1, [&] { return cpu_.load(layout_.copy_sent) == nic::sent_pattern; }, what);
  }
  copied_ = true;
  cpu_.store(layout_.copy_sent, 0);
  header.source = layout_.copy + (piece.destination + nic::line_bytes / 2) % nic::line_bytes;
  copy_memory(cpu_, times_, header.source, piece.source, piece.bytes);
  header.notify = true;
  header.notification = layout_.copy_sent;
  push(header);
  if (notification != 0) cpu_.store(notification, nic::sent_pattern);
}

void Paralib::put(Target to, std::uint64_t source, std::uint64_t destination, std::uint64_t bytes,
                  std::uint64_t notification) {
  auto header = header_to(to, nic::Protocol::remote_dma);
  header.source = source;
  header.destination = destination;
  put_pieces(header, bytes, notification);
}

void Paralib::put_to_register(Target to, unsigned address_register, std::uint64_t source,
                              std::uint64_t offset, std::uint64_t bytes, std::uint64_t notification) {
  check(address_register < 3, "address registers are 0 to 2");
  const auto first = static_cast<unsigned>(nic::Protocol::remote_dma_register0);
  auto header = header_to(to, static_cast<nic::Protocol>(first + address_register));
  header.source = source;
  header.destination = offset;
  put_pieces(header, bytes, notification);
}

void Paralib::put_word(Target to, std::uint64_t destination, std::uint64_t value) {
  check(aligned(destination), "an inline put goes to an 8-byte address");
  auto header = header_to(to, nic::Protocol::remote_dma);
  header.inline_data = true;
  header.length = nic::ParcelHeader::inline_bytes;
  header.source = value;
  header.destination = destination;
  push(header);
}

void Paralib::atomic_add(Target to, std::uint64_t destination, std::uint64_t addend) {
  check(aligned(destination), "atomic add works on an 8-byte address");
  auto header = header_to(to, nic::Protocol::atomic_add);
  header.length = 8;
  header.source = addend;
  header.destination = destination;
  push(header);
}

/// Clears the notification before the request goes.
void Paralib::await_reply(unsigned rrid) {
  check(rrid < nic::ReplyNotification::entries, "remote-read identifiers are 0 to 63");
  check(layout_.reply_notifications != 0, "this task has no notifications of replies");
  cpu_.store(reply_address(rrid), 0);
}

void Paralib::get(std::uint32_t from, std::uint64_t source, std::uint64_t destination, std::uint32_t bytes,
                  unsigned rrid) {
  check(aligned(source) && aligned(destination) && aligned(bytes) && bytes > 0,
        "a remote read moves multiples of 8 bytes between 8-byte addresses");
  check(bytes <= nic::ParcelHeader::max_data_bytes, "a remote read is one parcel of up to 512 KB");
  await_reply(rrid);
  auto header = header_to(Target::pe(from), nic::Protocol::remote_read);
  header.length = bytes;
  header.rrid = static_cast<std::uint8_t>(rrid);
  header.source = source;
  header.destination = destination;
  push(header);
}

void Paralib::swap(std::uint32_t at, std::uint64_t destination, std::uint64_t value, std::uint64_t old_to) {
  check(aligned(destination) && aligned(old_to), "swap works on 8-byte addresses");
  auto header = header_to(Target::pe(at), nic::Protocol::swap);
  header.length = 8;
  header.source = destination;
  header.destination = value;
  header.notification = old_to;
  push(header);
}

void Paralib::compare_swap(std::uint32_t at, std::uint64_t destination, std::uint64_t compared,
                           std::uint64_t value, unsigned rrid) {
  check(aligned(destination), "compare & swap works on an 8-byte address");
  await_reply(rrid);
  auto header = header_to(Target::pe(at), nic::Protocol::compare_swap);
  header.length = 8;
  header.rrid = static_cast<std::uint8_t>(rrid);
  header.source = destination;
  header.destination = compared;
  header.notification = value;
  push(header);
}

Paralib::Reply Paralib::reply(unsigned rrid) {
  const std::uint64_t state = cpu_.load(reply_address(rrid));
  Reply reply;
  reply.arrived = (state & nic::ReplyNotification::arrived) != 0;
  reply.equal = (state & nic::ReplyNotification::equal) != 0;
  reply.refused = (state & nic::ReplyNotification::refused) != 0;
  if (reply.arrived) reply.old = cpu_.load(reply_address(rrid) + 8);
  return reply;
}

void Paralib::synchronize(const GroupHandle& group) {
  check(group.synchronizes, "this system has no synchronization packets");
  auto header =
      header_to({PacketKind::synchronization, group.synchronization}, nic::Protocol::synchronization);
  push(header);
}

void Paralib::combine(const GroupHandle& group, Combine operation, std::uint64_t source, std::uint32_t bytes,
                      std::uint64_t offset) {
  check(group.synchronizes, "this system has no synchronization packets");
  check(aligned(source) && aligned(bytes) && bytes > 0 && source % nic::line_bytes + bytes <= nic::line_bytes,
        "an operand is 8..128 bytes, a multiple of 8, within a line");
  auto header =
      header_to({PacketKind::synchronization, group.synchronization}, nic::Protocol::synchronization);
  header.rrid = static_cast<std::uint8_t>(operation);
  header.length = bytes;
  header.inline_data = bytes == nic::ParcelHeader::inline_bytes;
  header.source = header.inline_data ? cpu_.load(source) : source;
  header.destination = offset;
  push(header);
}

GroupHandle Paralib::register_group(const std::vector<std::uint32_t>& members) {
  GroupHandle handle;
  os_.ask_for_group(layout_.pe, members, cpu_.now());
  cpu_.system_call([&] { handle = os_.register_group(layout_.pe, members); });
  return handle;
}

void Paralib::release_group(const std::vector<std::uint32_t>& members, const GroupHandle& group) {
  cpu_.system_call([&] { os_.release_group(layout_.pe, members, group, cpu_.now()); });
}

void Paralib::set_address_register(unsigned number, std::uint64_t address) {
  check(number < 3 && aligned(address), "address registers 0 to 2 hold 8-byte addresses");
  cpu_.register_write(nic::receiver_task_base + nic::address_register0 + std::uint64_t{8} * number, address);
}

}  // namespace tsuji::host
