// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tsuji/host/library/library_program.h"
#include "tsuji/nic/parcel.h"

namespace tsuji::host {

/// Uses every protocol of Kanoh 2000, table 1, once from rank 0 to rank 1: 256 bytes by remote DMA and by the
/// three address registers, a message into each buffer, an atomic add, a remote read of 256 bytes, a swap,
/// and a compare & swap with unequal and with equal values. Each rank records the effects on its memory, its
/// notifications and its log.
class ProtocolsProgram final : public LibraryProgram {
 public:
  /// Number of protocols in table 1; nic::Protocol has their order.
  static constexpr unsigned protocols = 10;
  enum class Found : std::uint8_t { nothing_to_see, right, wrong };
  struct Seen {
    Found memory = Found::nothing_to_see;
    Found notification = Found::nothing_to_see;
    Found log = Found::nothing_to_see;
  };
  explicit ProtocolsProgram(RankRuntime& runtime) : LibraryProgram(runtime) {}
  static nic::Protocol protocol(unsigned index) { return static_cast<nic::Protocol>(index); }
  const Seen& seen(nic::Protocol protocol) const { return seen_[static_cast<unsigned>(protocol)]; }

 private:
  static constexpr unsigned blocks = 4;  // One for remote DMA, three for address registers.
  static constexpr std::uint64_t block_words = 32, block_bytes = 8 * block_words, message_bytes = 64;
  struct Areas {
    std::uint64_t out, in, words;
    std::uint64_t block(unsigned n) const { return in + n * block_bytes; }
    std::uint64_t sent() const { return words; }
    std::uint64_t arrived() const { return words + 8; }
    std::uint64_t number() const { return words + 16; }
    std::uint64_t old() const { return words + 24; }
  };

  void play() override;
  void prepare();
  void put_blocks();
  void take_blocks();
  void add();
  void message();
  void broadcast();
  void ask();
  void compare_swap(std::uint64_t compared, std::uint64_t value, bool equal, std::uint64_t old,
                    unsigned rrid);
  void check_number();
  void check_log();

  bool sends() const { return runtime_.rank() == 0; }
  bool receives() const { return runtime_.rank() == 1; }
  Seen& of(nic::Protocol protocol) { return seen_[static_cast<unsigned>(protocol)]; }
  static void note(Found& found, bool right);
  void fill(std::uint64_t at, std::uint64_t number, std::uint64_t words);
  bool holds(std::uint64_t at, std::uint64_t number, std::uint64_t words);
  void await(std::uint64_t address, std::uint64_t value, const char* what);
  std::uint64_t pointer(unsigned word);
  /// Adds the next expected entry of the log; `bytes` 0: any length.
  void expect_log(nic::Protocol protocol, std::uint64_t address, std::uint64_t bytes);
  struct Logged {
    nic::Protocol protocol;
    std::uint64_t address, bytes;
  };

  std::array<Seen, protocols> seen_{};
  Areas areas_{};
  std::uint64_t log_ = 0;                  ///< Address of the log's next entry.
  std::array<std::uint64_t, 2> before_{};  ///< Pointers of the message buffers before the messages.
  std::array<Logged, protocols> logged_{};
  unsigned logs_ = 0;
};

}  // namespace tsuji::host
