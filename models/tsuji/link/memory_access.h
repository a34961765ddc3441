// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tlm>

#include "tsuji/core/units.h"

namespace tsuji {

/// Treatment of the processor's cache by a request to a node's memory controller (Kanoh 2000, 4.2 and 5.1.2).
enum class MemoryAccessKind : std::uint8_t {
  coherent_read,      ///< reads the cache first; dirty data come from the cache and are written back
  noncoherent_read,   ///< reads main memory, without a look into the cache
  coherent_write,     ///< writes main memory and invalidates the line; a partial line merges with dirty data
  noncoherent_write,  ///< writes main memory, without a look into the cache
  /// 64-bit coherent read-modify-write; the data are the addend; MemoryAccess returns the old value.
  atomic_add,
  swap,  ///< 64-bit coherent exchange; the data are the new value
  /// 64-bit coherent compare-and-swap; data: the expected and the new value, which is written on a match.
  compare_swap,
};
inline constexpr unsigned memory_access_kinds = 7;
constexpr bool is_atomic(MemoryAccessKind kind) {
  return kind >= MemoryAccessKind::atomic_add;
}

/// New value of a word that was `old`, after an atomic access with these operands.
std::uint64_t atomic_result(MemoryAccessKind kind, std::uint64_t old, const unsigned char* operands);

/// Ignorable extension of the payloads between a network interface (or the processor) and the memory
/// controller. A payload without it is a generic access (host/memory_controller.h).
///
/// Phases of the TLM-2.0 base protocol, in their shortest form: nb_transport_fw(BEGIN_REQ) returns
/// TLM_ACCEPTED and registers the request, which takes part in arbitration from the next cycle on. The
/// controller answers with one nb_transport_bw(BEGIN_RESP) in the cycle of the grant, annotated with the time
/// until the last word, and the initiator returns TLM_COMPLETED. An initiator has one outstanding request. No
/// request crosses a 128-byte line. The command is TLM_READ_COMMAND for reads and TLM_WRITE_COMMAND for all
/// others, whose data no target changes. The initiators also accept every other form that the base protocol
/// allows, and a target that does not know the extension.
class MemoryAccess final : public tlm::tlm_extension<MemoryAccess> {
 public:
  MemoryAccessKind kind = MemoryAccessKind::coherent_read;
  /// Set by the target: controller cycles in which the first and the last 8 bytes are available (reads), or
  /// in which the write is done. Words in between follow one per cycle. 0: the target does not know the
  /// extension.
  Cycle first_word_cycle = 0;
  Cycle last_word_cycle = 0;
  std::uint64_t old_value = 0;  ///< result of an atomic access: the word before it
  /// Set by a target that takes requests ahead: annotated with the cycles until their registration. Other
  /// targets get each request in its cycle.
  bool takes_delays = false;

  tlm::tlm_extension_base* clone() const override;
  void copy_from(const tlm::tlm_extension_base& other) override;
};

/// One outstanding memory request of an initiator. Payload, extension and buffer are reused, so a transaction
/// allocates no memory. Counts references as the base protocol requires for non-blocking transport.
class MemoryTransaction final : public tlm::tlm_mm_interface {
 public:
  static constexpr unsigned line_bytes = 128;

  MemoryTransaction();
  ~MemoryTransaction() override;
  MemoryTransaction(const MemoryTransaction&) = delete;
  MemoryTransaction& operator=(const MemoryTransaction&) = delete;

  /// Sets up the payload for `bytes` (1..128, within one line) at physical `address`; data to write are
  /// copied from `data`. The previous request must have ended.
  tlm::tlm_generic_payload& begin(MemoryAccessKind kind, std::uint64_t address, unsigned bytes,
                                  const void* data = nullptr);
  bool busy() const { return payload_.get_ref_count() > 0; }
  /// Sets the times of an answer whose target does not know the extension.
  void set_times(Cycle first_word, Cycle last_word) {
    access_.first_word_cycle = first_word;
    access_.last_word_cycle = last_word;
  }
  /// Makes data() return zeros, for an error response. The payload's data do not change, as the transaction
  /// has not ended yet.
  void hide_data();
  /// Called by the initiator when it has read the answer.
  void end() { payload_.release(); }
  const unsigned char* data() const { return seen_; }
  std::uint64_t word(unsigned index) const;
  const MemoryAccess& answer() const { return access_; }
  tlm::tlm_generic_payload& payload() { return payload_; }
  const tlm::tlm_generic_payload& payload() const { return payload_; }

 private:
  void free(tlm::tlm_generic_payload*) override {}
  alignas(8) unsigned char data_[line_bytes] = {};
  const unsigned char* seen_ = data_;
  MemoryAccess access_;
  tlm::tlm_generic_payload payload_;
};

}  // namespace tsuji
