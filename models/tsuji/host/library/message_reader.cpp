// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/library/message_reader.h"

#include <algorithm>
#include <array>

#include "tsuji/core/error.h"
#include "tsuji/nic/registers.h"
#include "tsuji/nic/tables.h"

namespace tsuji::host {

MessageReader::MessageReader(Cpu& cpu, const TaskLayout& layout, unsigned buffer)
    : cpu_(cpu),
      base_(layout.message_buffer[buffer]),
      size_(layout.message_buffer_bytes[buffer]),
      quarter_(size_ / 4),
      pointer_address_(layout.buffer_entry + std::uint64_t{8} * (nic::BufferEntry::message_word + buffer)),
      read_register_(nic::receiver_task_base + nic::message_read_pointer0 + std::uint64_t{8} * buffer) {}

bool MessageReader::open(Envelope& envelope) {
  // Polled again only when all messages seen so far have been read: one load covers a burst of messages.
  if (read_ == write_) {
    write_ = (cpu_.load(pointer_address_) - base_) % size_;
    if (read_ == write_) return false;
  }
  std::array<std::uint64_t, 4> words{};
  read(read_, words.data(), Envelope::bytes);
  envelope = Envelope::decode(words);
  return true;
}

void MessageReader::payload(void* to, std::uint64_t bytes) {
  read((read_ + Envelope::bytes) % size_, to, bytes);
}

void MessageReader::close(std::uint64_t payload_bytes) {
  const std::uint64_t before = read_ / quarter_;
  constexpr std::uint64_t line = nic::line_bytes;
  read_ = (read_ + (Envelope::bytes + payload_bytes + line - 1) / line * line) % size_;
  ++messages_;
  if (read_ / quarter_ != before) cpu_.register_write(read_register_, base_ + read_);
}

void MessageReader::read(std::uint64_t offset, void* to, std::uint64_t bytes) {
  const std::uint64_t first = std::min(bytes, size_ - offset);
  cpu_.load_block(base_ + offset, to, first);
  if (first < bytes) cpu_.load_block(base_, static_cast<unsigned char*>(to) + first, bytes - first);
}

}  // namespace tsuji::host
