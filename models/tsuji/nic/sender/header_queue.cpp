// SPDX-License-Identifier: Apache-2.0
#include "tsuji/nic/sender/header_queue.h"

#include "tsuji/nic/registers.h"

namespace tsuji::nic {

std::string HeaderQueue::set_base(std::uint64_t base) {
  if (!empty()) return "queue base changed while the queue holds headers";
  if (base % 4096 != 0) return "queue base " + std::to_string(base) + " is not aligned";
  base_ = base;
  return {};
}

std::string HeaderQueue::set_bytes(std::uint64_t bytes) {
  if (bytes == 0) {
    bytes_ = 0;
    ++generation_;
    return {};
  }
  if (!empty()) return "queue size changed while the queue holds headers";
  const bool power = (bytes & (bytes - 1)) == 0;
  if (!power || bytes < 4096 || bytes > 65536) {
    return "queue size " + std::to_string(bytes) + " is not 0 or a power of two from 4096 to 65536";
  }
  bytes_ = bytes;
  write_ = read_ = 0;
  ++generation_;
  return {};
}

std::string HeaderQueue::set_pointers(std::uint64_t write, std::uint64_t read) {
  if (!empty()) return "queue pointers changed while the queue holds headers";
  read_ = write_ = 0;
  std::string problem = set_write_pointer(read);
  if (problem.empty()) {
    read_ = read;
    problem = set_write_pointer(write);
  }
  return problem;
}

std::string HeaderQueue::set_write_pointer(std::uint64_t offset) {
  if (bytes_ == 0) return "write pointer of a disabled queue";
  if (base_ % bytes_ != 0)
    return "queue base " + std::to_string(base_) + " is not aligned to the queue's size";
  if (offset % ParcelHeader::bytes != 0)
    return "write pointer " + std::to_string(offset) + " is not a multiple of 32";
  if (offset >= bytes_) return "write pointer " + std::to_string(offset) + " lies outside the queue";
  const std::uint64_t held = (write_ - read_) & (bytes_ - 1);
  const std::uint64_t added = (offset - write_) & (bytes_ - 1);
  if (held + added >= bytes_) {
    return "write pointer " + std::to_string(offset) + " overruns the read pointer " + std::to_string(read_);
  }
  write_ = offset;
  return {};
}

int QueueScheduler::next(std::uint32_t ready) {
  if (ready == 0) return -1;
  const std::uint32_t after = ready & ~std::uint32_t{0} << 1U << last_;
  last_ = static_cast<unsigned>(__builtin_ctz(after != 0 ? after : ready));
  return static_cast<int>(last_);
}

namespace {

/// Problems of addresses in main memory. Only a single word may go to an odd word address (5.1.3).
std::string source_problem(const ParcelHeader& header) {
  return header.source % 4 != 0 ? "source address is not a multiple of 4" : "";
}

std::string destination_problem(const ParcelHeader& header) {
  if (header.destination % 4 != 0) return "destination address is not a multiple of 4";
  return header.destination % 8 != 0 && header.length > 4
             ? "more than one word for a destination at an odd word"
             : "";
}

/// Problems of a synchronization, which has an operand or is a barrier's.
std::string operand_problem(const ParcelHeader& header) {
  if (header.length == 0) return {};
  if (header.length % 8 != 0 || header.length > line_bytes)
    return "an operand of " + std::to_string(header.length) + " bytes";
  if (header.rrid > static_cast<unsigned>(Combine::max))
    return "operation " + std::to_string(header.rrid) + " on operands does not exist";
  if (header.destination % 8 != 0) return "destination address is not a multiple of 8";
  if (header.inline_data)
    return header.length == ParcelHeader::inline_bytes ? "" : "more than 8 bytes of inline data";
  if (header.source % 8 != 0) return "source address is not a multiple of 8";
  return header.source % line_bytes + header.length > line_bytes ? "an operand across a line" : "";
}

/// Problems of a parcel that the other node answers.
std::string request_problem(const ParcelHeader& header) {
  if (header.kind != PacketKind::single_cast) return "a request goes to one node";
  if (header.inline_data || header.log || header.interrupt)
    return "a request must not carry data, write to a log or raise an interrupt";
  if (header.protocol == Protocol::remote_read) {
    const std::string problem = source_problem(header);
    return problem.empty() ? destination_problem(header) : problem;
  }
  if (header.source % 8 != 0) return "source address is not a multiple of 8";
  if (header.length != 8) return "swap and compare & swap work on 8 bytes";
  if (header.notify) return "swap and compare & swap have no send notification";
  if (header.protocol == Protocol::swap && header.notification % 8 != 0)
    return "destination address is not a multiple of 8";
  return {};
}

}  // namespace

std::string parcel_problem(const ParcelHeader& header, unsigned set) {
  const bool synchronization = header.protocol == Protocol::synchronization;
  const bool atomic = header.protocol == Protocol::atomic_add;
  if (header.protocol > Protocol::compare_swap_reply && !synchronization) {
    return "protocol " + std::to_string(static_cast<unsigned>(header.protocol)) + " does not exist";
  }
  if (is_reply(header.protocol) != (set == reply_set))
    return "replies, and nothing else, are in the queue of set " + std::to_string(reply_set);
  if (header.kind > PacketKind::synchronization) return "packet kind 3 does not exist";
  if (synchronization != (header.kind == PacketKind::synchronization)) {
    return "the synchronization protocol and the synchronization packet kind go together";
  }
  if (header.physical && set != os_set && set != reply_set)
    return "physical addresses outside the operating system's queue";
  if (header.notify && header.notification % 8 != 0) return "notification address is not a multiple of 8";
  if (synchronization) return operand_problem(header);
  if (header.length == 0) return "data length is 0";
  if (header.length % 4 != 0)
    return "data length " + std::to_string(header.length) + " is not a multiple of 4";
  if (header.length > ParcelHeader::max_data_bytes) {
    return "data length " + std::to_string(header.length) + " exceeds 512 KB";
  }
  if (is_request(header.protocol)) return request_problem(header);
  if (atomic && header.length != 8) return "atomic add works on 8 bytes";
  if (header.inline_data && header.length > ParcelHeader::inline_bytes)
    return "more than 8 bytes of inline data";
  if (atomic) return header.destination % 8 != 0 ? "destination address is not a multiple of 8" : "";
  if (!header.inline_data) {
    std::string problem = source_problem(header);
    if (!problem.empty()) return problem;
  }
  return is_message(header.protocol) ? std::string() : destination_problem(header);
}

}  // namespace tsuji::nic
