// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tsuji/core/packet.h"
#include "tsuji/link/memory_access.h"
#include "tsuji/nic/nic_events.h"
#include "tsuji/nic/parcel.h"
#include "tsuji/nic/receiver/message_ring.h"
#include "tsuji/nic/tables/buffer_cache.h"

namespace tsuji::nic {

/// One write of the Receiver; it never crosses a line.
struct DeliveryWrite {
  enum class Data : std::uint8_t { payload, words };
  MemoryAccessKind kind = MemoryAccessKind::coherent_write;
  bool logical = true;
  Data data = Data::payload;
  bool ends_body = false;  ///< The packet's entry in the FIFO is free after this write.
  std::uint16_t bytes = 0;
  std::uint16_t payload = 0;  ///< Offset of the bytes in the payload.
  std::uint64_t address = 0;
  std::array<std::uint64_t, 4> words{};
};

/// Converts a packet into an ordered list of writes: data, then the pointer that the task polls, then the log
/// entry and its pointer. The cached pointers advance while the list is made.
class DeliveryPlan {
 public:
  std::string stands_for() const { return "writes that a packet asks for (Kanoh 2000, section 4.3)"; }
  /// True if the Receiver needs the resources of the packet's cid.
  static bool needs_resources(const Packet& packet, const PacketHeader& header);

  /// Problem of a header that no Sender makes; empty if there is none: a length other than the packet's, or a
  /// protocol that does not exist or does not fit the packet.
  static std::string header_problem(const Packet& packet, const PacketHeader& header);

  /// Makes the list. Returns the problem (a buffer overrun, a misaligned address); empty if there is none.
  /// `resources` may be null if they are not needed. `buffer_table` is a physical address.
  std::string make(const Packet& packet, const PacketHeader& header, std::uint64_t buffer_table,
                   BufferResources* resources);
  /// Makes the list for a request: an access to memory for swap and compare & swap, then the reply's header
  /// at `queue`, a physical address. Resources are not needed. Returns the problem, as make() does.
  std::string make_reply(const Packet& packet, const PacketHeader& header, std::uint64_t queue);
  /// Cause of the last problem.
  Violation violation() const { return violation_; }
  unsigned buffer() const { return buffer_; }
  /// Makes the list for a refused request: its reply's header, marked as refused, at `queue`.
  void make_refused_reply(const Packet& packet, const PacketHeader& header, std::uint64_t queue);
  /// Makes the list for any other refused packet: the status of its cid. `in_fifo`: the packet still occupies
  /// its entry.
  void make_status(unsigned cid, Violation cause, std::uint64_t buffer_table, bool in_fifo);
  /// One bit for each buffer (0, 1: message; 2: log) whose pointer enters another quarter.
  unsigned quarters() const { return quarters_; }
  /// Sets the value that the first access of swap or compare & swap has read.
  void set_old_value(std::uint64_t old);

  unsigned size() const { return count_; }
  const DeliveryWrite& operator[](unsigned index) const { return writes_[index]; }

 private:
  // Three lines of data, the message pointer, a log entry, its pointer. A reply's last packet: three lines,
  // the notification.
  static constexpr unsigned max_writes = 8;

  std::string problem(Violation cause, std::string text) {
    violation_ = cause;
    return text;
  }
  std::string ring_problem(unsigned buffer, const MessageRing& ring, std::uint64_t pointer,
                           const BufferResources& resources, unsigned bytes);
  void add_reply(const ParcelHeader& reply, std::uint64_t queue);
  std::string add_data(const Packet& packet, const PacketHeader& header, std::uint64_t address,
                       const BufferResources* resources);
  void advance(unsigned buffer, const MessageRing& ring, std::uint64_t& pointer, unsigned bytes);
  void add_lines(std::uint64_t address, unsigned bytes, bool logical);
  void add_words(MemoryAccessKind kind, bool logical, std::uint64_t address, std::uint64_t word);
  void add_pointer(std::uint64_t buffer_table, const BufferResources& resources, unsigned word);
  std::string add_notification(const PacketHeader& header, const BufferResources& resources,
                               const std::array<std::uint64_t, 2>& words);
  std::string message(unsigned buffer, unsigned bytes, std::uint64_t buffer_table, BufferResources& resources,
                      std::uint64_t& address);
  std::string log(const PacketHeader& header, std::uint64_t address, std::uint64_t buffer_table,
                  BufferResources& resources);

  std::array<DeliveryWrite, max_writes> writes_{};
  unsigned count_ = 0;
  Violation violation_ = Violation::none;
  unsigned buffer_ = 0;
  unsigned quarters_ = 0;
};

}  // namespace tsuji::nic
