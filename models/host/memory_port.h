#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstdint>
#include <systemc>
#include <tlm>

#include "tsuji/host/memory_service.h"

namespace tsuji::host {

/// How the memory controller reaches main memory: an initiator socket, by direct pointers where the target
/// grants them and by b_transport where it does not. Its time annotations are not used, because the
/// controller's own times hold the memory's. A memory that answers with an error is a ModelError: the
/// controller has checked the address.
class MemoryPort final : public MemoryStore {
 public:
  /// `bytes`: size of the memory behind the socket.
  MemoryPort(const char* socket_name, std::uint64_t bytes);

  tlm_utils::simple_initiator_socket<MemoryPort> socket;

  bool contains(std::uint64_t address, std::uint64_t count) const override {
    return address < bytes_ && count <= bytes_ - address;
  }
  void read(std::uint64_t address, void* to, unsigned count) override;
  void write(std::uint64_t address, const void* from, unsigned count) override;
  /// Accesses that went by a direct pointer, and those that did not.
  std::uint64_t direct() const { return direct_; }
  std::uint64_t transported() const { return transported_; }

 private:
  static constexpr unsigned page_bytes = 4096;
  struct Direct {
    std::uint64_t page = ~std::uint64_t{0};
    unsigned char* bytes = nullptr;
    bool writable = false;
  };
  unsigned char* direct(std::uint64_t address, unsigned count, bool write);
  void transport(tlm::tlm_command command, std::uint64_t address, unsigned char* data, unsigned count);
  void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end);

  const std::uint64_t bytes_;
  std::array<Direct, 64> pages_;  ///< direct-mapped by page number
  std::uint64_t direct_ = 0, transported_ = 0;
};

}  // namespace tsuji::host
