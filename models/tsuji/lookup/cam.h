// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tsuji/core/units.h"

namespace tsuji::lookup {

struct LookupCounters;

enum class CamKind : std::uint8_t {
  binary,  ///< an entry matches one key
  ternary  ///< an entry has a mask; bits that are 0 in it match anything
};

struct CamConfig {
  CamKind kind = CamKind::binary;
  unsigned entries = 65536;
  unsigned key_bits = 64;    ///< width of a key, 1..64
  Cycle access_cycles = 25;  ///< request to answer, including the path to the chip, >= 1
  bool pipelined = true;     ///< otherwise an access starts when the previous one has ended
  void validate() const;     ///< ConfigError of lookup.cam_*
};

/// Contents and search of a content-addressable memory (CAM), without timing: rows of key, mask and value. A
/// search compares all rows; of several matches the one with the lowest index wins.
class Cam {
 public:
  struct Match {
    std::uint32_t index, value;
  };
  explicit Cam(const CamConfig& config);

  std::optional<Match> search(std::uint64_t key) const;
  /// Writes a row and overwrites its contents. `mask` is used in a ternary memory only. ModelError for an
  /// index that does not exist, or a key or mask wider than the memory.
  void insert(std::uint32_t index, std::uint64_t key, std::uint64_t mask, std::uint32_t value);
  /// Empties a row; no effect on an empty one.
  void erase(std::uint32_t index);
  const CamConfig& config() const { return config_; }

 private:
  struct Row {
    std::uint64_t key = 0, mask = 0;
    std::uint32_t value = 0;
    bool valid = false;
  };
  void check(std::uint32_t index, std::uint64_t bits) const;

  CamConfig config_;
  std::uint64_t all_bits_;
  std::vector<Row> rows_;  ///< up to the last row ever written
};

enum class CamOperation : std::uint8_t {
  search,
  insert,
  erase,
  none  ///< reserved: takes the memory as long as the others, changes nothing, gives no answer
};

/// Inputs of a memory in a cycle.
struct CamRequest {
  bool valid = false;
  CamOperation operation = CamOperation::search;
  std::uint32_t index = 0;
  std::uint64_t key = 0, mask = 0;
  std::uint32_t value = 0;
};
struct CamAnswer {
  bool ready = true;   ///< a request is accepted in the next cycle
  bool valid = false;  ///< answer to a search that was requested access_cycles ago
  bool hit = false;
  std::uint32_t index = 0, value = 0;
};

/// CAM with timing, one clock edge per call. A request that is accepted in cycle t (ready was true) reads or
/// writes the contents of that cycle; the answer to a search is valid in cycle t + access_cycles. Writes give
/// no answer and occupy the memory as long as a search.
class CamState {
 public:
  explicit CamState(const CamConfig& config);
  /// Clock edge at the end of a cycle with `request` at the inputs; returns the outputs of the next cycle.
  CamAnswer step(const CamRequest& request);
  /// Writes a row between two edges (Cam::insert), without an access.
  void write(std::uint32_t index, std::uint64_t key, std::uint32_t value) {
    cam_.insert(index, key, ~std::uint64_t{0}, value);
  }
  /// Empties the memory and discards accesses in progress.
  CamAnswer reset();
  std::uint64_t accesses() const { return accesses_; }
  const CamConfig& config() const { return cam_.config(); }

 private:
  Cam cam_;
  std::vector<CamAnswer> line_;  ///< pipeline of answers, one per cycle
  std::size_t place_ = 0;
  Cycle busy_ = 0;  ///< cycles until the next request is accepted
  std::uint64_t accesses_ = 0;
};

/// Start cycles of accesses to a switch's memory, for a model that knows only their order: first come first
/// served, or all at once for a memory without contention.
class CamQueue {
 public:
  /// `interval`: cycles between two starts; 0: any number of accesses start at once.
  CamQueue(Cycle access_cycles, Cycle interval) : cycles_(access_cycles), interval_(interval) {}
  /// Returns the cycle in which an access that arrives in cycle `arrival` (non-decreasing) starts.
  Cycle start(Cycle arrival) {
    ++accesses_;
    if (interval_ == 0) return arrival;
    const Cycle start = arrival > free_at_ ? arrival : free_at_;
    free_at_ = start + interval_;
    wait_sum_ += start - arrival;
    if (start - arrival > wait_most_) wait_most_ = start - arrival;
    return start;
  }
  /// Writes a row by a separate access.
  void write(Cycle arrival) {
    start(arrival);
    ++writes_;
  }
  Cycle access_cycles() const { return cycles_; }
  void add_to(LookupCounters& counters) const;

 private:
  const Cycle cycles_, interval_;
  Cycle free_at_ = 0;
  std::uint64_t accesses_ = 0, writes_ = 0, wait_sum_ = 0, wait_most_ = 0;
};

}  // namespace tsuji::lookup
