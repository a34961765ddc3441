// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstdint>
#include <functional>
#include <systemc>
#include <tlm>
#include <utility>

#include "tsuji/host/memory_service.h"

namespace tsuji::host {

/// The memory controller's access to main memory: an initiator socket that uses direct pointers if the target
/// grants them and b_transport otherwise. A direct access takes no additional time, because the controller's
/// times include the memory's; b_transport takes the target's time, waited for or annotated.
class MemoryPort final : public MemoryStore {
 public:
  /// `bytes` is the size of the memory bound to the socket.
  MemoryPort(const char* socket_name, std::uint64_t bytes);

  tlm_utils::simple_initiator_socket<MemoryPort> socket;

  bool contains(std::uint64_t address, std::uint64_t count) const override {
    return address < bytes_ && count <= bytes_ - address;
  }
  /// Direct pointer to `count` bytes within a page, for reads and, if `write`, for writes, for processes that
  /// must not wait; null: the target grants no pointer.
  unsigned char* direct(std::uint64_t address, unsigned count, bool write) {
    Direct& entry = pages_[address / page_bytes % pages_.size()];
    const unsigned offset = address % page_bytes;
    const bool there = entry.page == address / page_bytes && (entry.writable || !write);
    return there && offset + count <= page_bytes ? entry.bytes + offset : ask(address, count, write);
  }
  void read(std::uint64_t address, void* to, unsigned count) override;
  void write(std::uint64_t address, const void* from, unsigned count) override;
  unsigned debug(bool write, std::uint64_t address, unsigned char* data, unsigned count) override;
  std::uint64_t bytes() const { return bytes_; }

  /// Starts a sequence of accesses at the present time.
  void begin();
  /// Time taken by the accesses since begin().
  sc_core::sc_time elapsed() const { return sc_core::sc_time_stamp() + ahead_ - begun_; }
  /// First error response of the memory since begin(), after which no access is made; TLM_OK_RESPONSE if
  /// there is none.
  tlm::tlm_response_status status() const { return status_; }

  /// Calls `tell(start, end)` for direct pointers that the memory invalidates.
  void on_invalidation(std::function<void(std::uint64_t, std::uint64_t)> tell) { tell_ = std::move(tell); }
  /// Number of accesses by direct pointer, for tests: direct pointers do not affect results.
  std::uint64_t direct() const { return direct_; }

 private:
  static constexpr unsigned page_bytes = 4096;
  struct Direct {
    std::uint64_t page = ~std::uint64_t{0};
    unsigned char* bytes = nullptr;
    bool writable = false;
  };
  unsigned char* ask(std::uint64_t address, unsigned count, bool write);
  void transport(tlm::tlm_command command, std::uint64_t address, unsigned char* data, unsigned count);
  void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end);

  const std::uint64_t bytes_;
  std::array<Direct, 64> pages_;  ///< direct-mapped by page number
  std::uint64_t direct_ = 0;
  /// `ahead_` is time that the memory annotated and that has not been waited for.
  sc_core::sc_time begun_, ahead_;
  tlm::tlm_response_status status_ = tlm::TLM_OK_RESPONSE;
  std::function<void(std::uint64_t, std::uint64_t)> tell_;
};

}  // namespace tsuji::host
