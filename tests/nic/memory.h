// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <systemc>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/random.h"
#include "tsuji/link/memory_access.h"

namespace tsuji::test {

/// Cycles from the grant to the first word, or to the end of a write; then 8 bytes a cycle.
struct MemoryTimes {
  Cycle coherent_first = 33;  ///< every line dirty: with 16 words 49 cycles a line
  Cycle noncoherent_first = 8;
  Cycle write = 8;
  Cycle atomic = 20;
  std::uint64_t stall_bound = 0;  ///< largest random delay of a request
  bool takes_delays = false;      ///< takes requests that are annotated with their cycle
  std::uint64_t seed = 1;
};

struct MemoryRequest {
  Cycle granted;
  unsigned initiator;  ///< 0 Receiver, 1 Sender
  MemoryAccessKind kind;
  std::uint64_t address;
  unsigned bytes;
  Cycle last_word;
  bool operator==(const MemoryRequest& o) const {
    return granted == o.granted && initiator == o.initiator && kind == o.kind && address == o.address &&
           bytes == o.bytes && last_word == o.last_word;
  }
};

/// A minimal memory controller: bytes, registered requests, the Receiver before the Sender.
class Memory final : public sc_core::sc_module, public Clocked {
 public:
  tlm_utils::simple_target_socket_tagged<Memory> receiver, sender;

  Memory(sc_core::sc_module_name name, ClockDomain& domain, const MemoryTimes& times,
         std::uint64_t component);
  void step(Cycle now) override;

  void poke(std::uint64_t address, const void* from, std::size_t bytes);
  void peek(std::uint64_t address, void* to, std::size_t bytes) const;
  void poke_word(std::uint64_t address, std::uint64_t value) { poke(address, &value, 8); }
  std::uint64_t peek_word(std::uint64_t address) const;

  std::vector<MemoryRequest> log;
  unsigned delayed = 0;  ///< requests that came before their cycle
  /// Violations of the protocol for the request that holds byte `faulty`.
  enum class Fault : std::uint8_t {
    none,
    refuses,       ///< answers with an address error
    at_once,       ///< answers during the request
    in_the_past,   ///< answers with a last word earlier than the grant
    twice,         ///< answers a second time
    not_accepted,  ///< does not accept the request
  };
  Fault fault = Fault::none;
  /// A target without the extension: its answers have annotations only, a third of a cycle early.
  bool plain = false;
  std::uint64_t faulty = 0;

  /// Logs writes into [watch, watch + 8) by cycle, as a polling task would see them.
  std::uint64_t watch = 0;
  std::vector<Cycle> watched_writes;

 private:
  struct Waiting {
    tlm::tlm_generic_payload* payload = nullptr;
    Cycle registered = 0;
  };
  tlm::tlm_sync_enum request(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& time);
  void grant(Cycle now, int initiator);
  bool breaks(const tlm::tlm_generic_payload& payload, Fault by) const {
    const std::uint64_t address = payload.get_address();
    return fault == by && address <= faulty && faulty < address + payload.get_data_length();
  }
  unsigned char& byte(std::uint64_t address);

  MemoryTimes times_;
  CounterRandom random_;
  std::array<Waiting, 2> waiting_{};
  Cycle busy_until_ = 0;
  mutable std::map<std::uint64_t, std::unique_ptr<std::array<unsigned char, 4096>>> pages_;
};

}  // namespace tsuji::test
