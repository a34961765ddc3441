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
  ternary  ///< an entry has a mask; bits that are 0 there match anything
};

struct CamConfig {
  CamKind kind = CamKind::binary;
  unsigned entries = 65536;
  unsigned key_bits = 64;    ///< 1..64
  Cycle access_cycles = 25;  ///< request to answer, the way to its chip included, >= 1
  bool pipelined = true;     ///< else an access starts when the one before it is over
  void validate() const;     ///< throws ConfigError of lookup.cam_*
};

/// Contents and search of a content-addressable memory, without time: rows of key, mask and value. A search
/// looks at all of them; of several that match, the one with the lowest index is given.
class Cam {
 public:
  struct Match {
    std::uint32_t index, value;
  };
  explicit Cam(const CamConfig& config);

  std::optional<Match> search(std::uint64_t key) const;
  /// Writes a row, whatever it held. `mask` counts in a ternary memory only. ModelError for an index that
  /// does not exist, or a key or mask that is wider than the memory.
  void insert(std::uint32_t index, std::uint64_t key, std::uint64_t mask, std::uint32_t value);
  /// An index that holds nothing holds nothing again.
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
  std::vector<Row> rows_;  ///< to the last one that was ever written
};

enum class CamOperation : std::uint8_t {
  search,
  insert,
  erase,
  none  ///< reserved: takes the memory as long as the others, changes nothing, gives no answer
};

/// Request of a memory in a cycle.
struct CamRequest {
  bool valid = false;
  CamOperation operation = CamOperation::search;
  std::uint32_t index = 0;
  std::uint64_t key = 0, mask = 0;
  std::uint32_t value = 0;
};
struct CamAnswer {
  bool ready = true;   ///< a request is taken in the next cycle
  bool valid = false;  ///< a search asked access_cycles ago
  bool hit = false;
  std::uint32_t index = 0, value = 0;
};

/// The memory with its time, a clock edge a call. A request of cycle t that is taken (ready was true) reads
/// or writes what the memory holds then, and a search's answer is there in cycle t + access_cycles. Writes
/// give no answer and take the memory as long as a search does.
class CamState {
 public:
  explicit CamState(const CamConfig& config);
  /// The edge at the end of a cycle in which `request` stood at the inputs; gives the outputs of the next.
  CamAnswer step(const CamRequest& request);
  /// Writes a row between two edges (Cam::insert), which is no access.
  void write(std::uint32_t index, std::uint64_t key, std::uint32_t value) {
    cam_.insert(index, key, ~std::uint64_t{0}, value);
  }
  /// Empties the memory and forgets what is under way.
  CamAnswer reset();
  std::uint64_t accesses() const { return accesses_; }
  const CamConfig& config() const { return cam_.config(); }

 private:
  Cam cam_;
  std::vector<CamAnswer> line_;  ///< answers on their way, a cycle apart
  std::size_t place_ = 0;
  Cycle busy_ = 0;  ///< cycles before the next request is taken
  std::uint64_t accesses_ = 0;
};

/// When accesses to a switch's memory start, for a model that knows only their order: first come first
/// served, or all at once where the memory is free of contention.
class CamQueue {
 public:
  /// `interval`: cycles from one start to the next; 0: any number of accesses start at once.
  CamQueue(Cycle access_cycles, Cycle interval) : cycles_(access_cycles), interval_(interval) {}
  /// An access that comes in cycle `arrival`, which is not before any earlier one's, starts in the cycle
  /// given.
  Cycle start(Cycle arrival) {
    ++accesses_;
    if (interval_ == 0) return arrival;
    const Cycle start = arrival > free_at_ ? arrival : free_at_;
    free_at_ = start + interval_;
    wait_sum_ += start - arrival;
    if (start - arrival > wait_most_) wait_most_ = start - arrival;
    return start;
  }
  /// A row is written by an access of its own.
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
