// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/library/protocols_program.h"

#include <string>

#include "tsuji/nic/registers.h"
#include "tsuji/nic/tables.h"

namespace tsuji::host {
namespace {

constexpr std::uint64_t first_number = 40, addend = 2, swapped = 77, compared_in = 99;
constexpr std::int32_t tag = 5;
constexpr unsigned read_rrid = 7, unequal_rrid = 8, equal_rrid = 63;

std::uint64_t word_of(std::uint64_t number, std::uint64_t word) {
  return (number + 1) << 32U | (word * 2654435761 + 1);
}

nic::Protocol protocol_of_block(unsigned n) {
  const auto first = static_cast<unsigned>(nic::Protocol::remote_dma_register0);
  return n == 0 ? nic::Protocol::remote_dma : static_cast<nic::Protocol>(first + n - 1);
}

}  // namespace

void ProtocolsProgram::note(Found& found, bool right) {
  if (found != Found::wrong) found = right ? Found::right : Found::wrong;
}

void ProtocolsProgram::fill(std::uint64_t at, std::uint64_t number, std::uint64_t words) {
  for (std::uint64_t w = 0; w < words; ++w) runtime_.cpu.store(at + 8 * w, word_of(number, w));
}

bool ProtocolsProgram::holds(std::uint64_t at, std::uint64_t number, std::uint64_t words) {
  bool right = true;
  for (std::uint64_t w = 0; w < words; ++w)
    right = runtime_.cpu.load(at + 8 * w) == word_of(number, w) && right;
  return right;
}

void ProtocolsProgram::await(std::uint64_t address, std::uint64_t value, const char* what) {
  const std::string text = what;
  runtime_.waiter.until([&] { return runtime_.cpu.load(address) == value; }, text, address);
}

std::uint64_t ProtocolsProgram::pointer(unsigned word) {
  return runtime_.cpu.load(runtime_.layout.buffer_entry + std::uint64_t{8} * word);
}

void ProtocolsProgram::expect_log(nic::Protocol protocol, std::uint64_t address, std::uint64_t bytes) {
  logged_[logs_++] = {protocol, address, bytes};
}

void ProtocolsProgram::play() {
  const HeapBlock out(runtime_.heap, block_bytes * blocks), in(runtime_.heap, block_bytes * blocks);
  const HeapBlock words(runtime_.heap, 4 * 8);
  areas_ = {out.address(), in.address(), words.address()};
  prepare();
  enter("protocols: barrier before them");
  barrier();
  enter("protocols");
  // Messages are sent after the blocks, so no message has moved a pointer yet.
  for (unsigned buffer = 0; buffer < 2; ++buffer)
    before_[buffer] = pointer(nic::BufferEntry::message_word + buffer);
  if (sends()) put_blocks();
  if (receives()) take_blocks();
  add();
  message();
  broadcast();
  // The sum has been seen before it is swapped.
  enter("protocols: barrier before the requests");
  barrier();
  enter("protocols: requests");
  if (sends()) ask();
  enter("protocols: barrier behind them");
  barrier();
  if (!receives()) return;
  check_number();
  check_log();
}

void ProtocolsProgram::prepare() {
  for (const std::uint64_t word : {areas_.sent(), areas_.arrived(), areas_.old()})
    runtime_.cpu.store(word, 0);
  runtime_.cpu.store(areas_.number(), first_number);
  log_ = pointer(nic::BufferEntry::log_word);
  if (receives())
    for (unsigned n = 1; n < blocks; ++n)
      runtime_.paralib.set_address_register(n - 1, areas_.block(n) - nic::line_bytes);
}

/// Blocks to address registers use an offset, one cache line past the address in the register.
void ProtocolsProgram::put_blocks() {
  const Target to = Target::pe(1);
  for (unsigned n = 0; n < blocks; ++n) {
    const std::uint64_t from = areas_.out + n * block_bytes;
    fill(from, n, block_words);
    runtime_.cpu.store(areas_.sent(), 0);
    runtime_.paralib.set_log(true);
    if (n == 0)
      runtime_.paralib.put(to, from, areas_.block(n), block_bytes, areas_.sent());
    else
      runtime_.paralib.put_to_register(to, n - 1, from, nic::line_bytes, block_bytes, areas_.sent());
    runtime_.paralib.set_log(false);
    await(areas_.sent(), nic::sent_pattern, "a notification");
    note(of(protocol_of_block(n)).notification, true);
  }
  runtime_.paralib.put_word(to, areas_.arrived(), 1);
}

void ProtocolsProgram::take_blocks() {
  await(areas_.arrived(), 1, "the blocks of remote DMA");
  for (unsigned n = 0; n < blocks; ++n) {
    note(of(protocol_of_block(n)).memory, holds(areas_.block(n), n, block_words));
    expect_log(protocol_of_block(n), areas_.block(n), block_bytes);
  }
}

void ProtocolsProgram::add() {
  if (sends()) {
    runtime_.paralib.set_log(true);
    runtime_.paralib.atomic_add(Target::pe(1), areas_.number(), addend);
    runtime_.paralib.set_log(false);
  }
  if (!receives()) return;
  await(areas_.number(), first_number + addend, "an atomic add");
  note(of(nic::Protocol::atomic_add).memory, true);
  expect_log(nic::Protocol::atomic_add, areas_.number(), 8);
}

void ProtocolsProgram::message() {
  constexpr unsigned number = 100;
  if (sends()) {
    fill(areas_.out, number, message_bytes / 8);
    runtime_.paralib.set_log(true);
    runtime_.messages.send(1, tag, areas_.out, message_bytes);
    runtime_.paralib.set_log(false);
  }
  if (!receives()) return;
  runtime_.messages.receive({0, tag, Context::user}, areas_.in, message_bytes);
  note(of(nic::Protocol::message0).memory, holds(areas_.in, number, message_bytes / 8));
  expect_log(nic::Protocol::message0, before_[0], 0);
}

/// The library's short broadcast is a multicast message into buffer 1.
void ProtocolsProgram::broadcast() {
  constexpr unsigned number = 200;
  const std::uint64_t at = sends() ? areas_.out : areas_.in;
  if (sends()) {
    fill(at, number, message_bytes / 8);
    runtime_.paralib.set_log(true);
  }
  runtime_.collectives.broadcast({at, message_bytes}, 0);
  runtime_.paralib.set_log(false);
  if (!receives()) return;
  note(of(nic::Protocol::message1).memory, holds(at, number, message_bytes / 8));
  expect_log(nic::Protocol::message1, before_[1], 0);
}

void ProtocolsProgram::ask() {
  Seen& read = of(nic::Protocol::remote_read);
  Paralib::Reply reply;
  runtime_.paralib.get(1, areas_.block(1), areas_.in, static_cast<std::uint32_t>(block_bytes), read_rrid);
  const std::string what = "a remote read";
  runtime_.waiter.until([&] { return (reply = runtime_.paralib.reply(read_rrid)).arrived; }, what,
                        runtime_.paralib.reply_address(read_rrid));
  note(read.notification, !reply.refused);
  note(read.memory, holds(areas_.in, 1, block_words));
  runtime_.paralib.swap(1, areas_.number(), swapped, areas_.old());
  await(areas_.old(), first_number + addend, "a swap");
  note(of(nic::Protocol::swap).memory, true);
  compare_swap(swapped + 1, compared_in - 1, false, swapped, unequal_rrid);
  compare_swap(swapped, compared_in, true, swapped, equal_rrid);
}

void ProtocolsProgram::compare_swap(std::uint64_t compared, std::uint64_t value, bool equal,
                                    std::uint64_t old, unsigned rrid) {
  Paralib::Reply reply;
  runtime_.paralib.compare_swap(1, areas_.number(), compared, value, rrid);
  const std::string what = "a compare & swap";
  runtime_.waiter.until([&] { return (reply = runtime_.paralib.reply(rrid)).arrived; }, what,
                        runtime_.paralib.reply_address(rrid));
  note(of(nic::Protocol::compare_swap).notification, reply.equal == equal && reply.old == old);
}

void ProtocolsProgram::check_number() {
  const bool right = runtime_.cpu.load(areas_.number()) == compared_in;
  note(of(nic::Protocol::compare_swap).memory, right);
  note(of(nic::Protocol::swap).memory, right);
}

void ProtocolsProgram::check_log() {
  const TaskLayout& layout = runtime_.layout;
  for (unsigned n = 0; n < logs_; ++n) {
    const Logged& wanted = logged_[n];
    const std::uint64_t word = runtime_.cpu.load(log_), address = runtime_.cpu.load(log_ + 8);
    const bool right = (word & 0xf) == static_cast<std::uint64_t>(wanted.protocol) &&
                       (word >> 4U & 0xfff) == 0 && (wanted.bytes == 0 || word >> 32U == wanted.bytes) &&
                       address == wanted.address;
    note(of(wanted.protocol).log, right);
    log_ = layout.log_buffer + (log_ + nic::LogEntry::bytes - layout.log_buffer) % layout.log_buffer_bytes;
  }
  note(of(logged_[0].protocol).log, log_ == pointer(nic::BufferEntry::log_word));
  runtime_.cpu.register_write(nic::receiver_task_base + nic::log_read_pointer, log_);
}

}  // namespace tsuji::host
