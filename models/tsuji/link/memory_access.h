// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tlm>

#include "tsuji/core/units.h"

namespace tsuji {

/// How a request to a node's memory controller treats the processor's cache (Kanoh 2000, 4.2 and 5.1.2).
enum class MemoryAccessKind : std::uint8_t {
  coherent_read,      ///< asks the cache first; dirty data come from the cache and are written back
  noncoherent_read,   ///< main memory as it is, without asking the cache
  coherent_write,     ///< writes main memory and invalidates the line; a partial line merges with dirty data
  noncoherent_write,  ///< main memory as it is
  atomic_add,  ///< 64-bit coherent read-modify-write; the data are the addend, MemoryAccess has the old value
  swap,        ///< the same; the data are the new value
  compare_swap,  ///< the same of one word; the data are two: the value that the old one is compared with, and
                 ///< the new one, written where they are equal
};
inline constexpr unsigned memory_access_kinds = 7;
constexpr bool is_atomic(MemoryAccessKind kind) {
  return kind >= MemoryAccessKind::atomic_add;
}

/// What a word that was `old` is after an atomic access with these operands.
std::uint64_t atomic_result(MemoryAccessKind kind, std::uint64_t old, const unsigned char* operands);

/// Ignorable extension of the payloads between a network interface (or the processor) and the memory
/// controller. A payload without it is a plain access (host/memory_controller.h).
///
/// The phases are those of the base protocol, in its shortest form: nb_transport_fw(BEGIN_REQ) returns
/// TLM_ACCEPTED and registers the request, which takes part in arbitration from the next cycle on; the
/// controller answers by one nb_transport_bw(BEGIN_RESP) in the cycle of the grant, with the time until the
/// last word as its annotation, and the initiator returns TLM_COMPLETED. One request an initiator is
/// outstanding. No request crosses a 128-byte line. Commands are TLM_READ_COMMAND for reads and
/// TLM_WRITE_COMMAND for the others, whose data no target changes. The initiators take every other form that
/// the base protocol allows, and a target that does not know the extension.
class MemoryAccess final : public tlm::tlm_extension<MemoryAccess> {
 public:
  MemoryAccessKind kind = MemoryAccessKind::coherent_read;
  /// Answers: the cycles of the controller's clock in which the first and the last 8 bytes are there (reads),
  /// or in which the write has been done. Words in between follow one a cycle. 0: the target does not know
  /// the extension.
  Cycle first_word_cycle = 0;
  Cycle last_word_cycle = 0;
  std::uint64_t old_value = 0;  ///< answer of an atomic access: the word before it

  tlm::tlm_extension_base* clone() const override;
  void copy_from(const tlm::tlm_extension_base& other) override;
};

/// One outstanding memory request of an initiator: payload, extension and buffer that are reused, so that a
/// transaction allocates nothing. Counts references as the base protocol asks of non-blocking transport.
class MemoryTransaction final : public tlm::tlm_mm_interface {
 public:
  static constexpr unsigned line_bytes = 128;

  MemoryTransaction();
  ~MemoryTransaction() override;
  MemoryTransaction(const MemoryTransaction&) = delete;
  MemoryTransaction& operator=(const MemoryTransaction&) = delete;

  /// Fills the payload for `bytes` (1..128, within one line) at physical `address`; for writes the data are
  /// copied from `data`. The previous request must have ended.
  tlm::tlm_generic_payload& begin(MemoryAccessKind kind, std::uint64_t address, unsigned bytes,
                                  const void* data = nullptr);
  bool busy() const { return payload_.get_ref_count() > 0; }
  /// Times of an answer whose target does not know the extension.
  void set_times(Cycle first_word, Cycle last_word) {
    access_.first_word_cycle = first_word;
    access_.last_word_cycle = last_word;
  }
  /// After an error response the words are 0. The payload's data stay as they are: it has not ended yet.
  void hide_data();
  /// The initiator is done with the answer.
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
