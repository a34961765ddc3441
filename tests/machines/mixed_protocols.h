// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "machines/machines.h"
#include "tsuji/core/random.h"

namespace tsuji::test {

/// Results of a job of random operations, compared with a sequential model of its memory. Each rank writes to
/// a separate area at every rank, so that its writes there arrive in program order, and all ranks write to
/// cells whose final value does not depend on the order.
struct MixedLog {
  using Bytes = std::vector<unsigned char>;
  explicit MixedLog(unsigned ranks);
  /// Empty if memory equals the model.
  std::string problem() const;

  const unsigned ranks;
  std::uint64_t operations = 0;
  std::vector<std::vector<Bytes>> wanted, found;  ///< [at][writer]
  std::vector<std::uint64_t> added, sums;         ///< atomic adds to each rank's cell, and its value
  std::uint64_t swapped_in = 0, swapped_out = 0;  ///< sums of values; final values of cells are out
  std::vector<std::uint64_t> counted, counts;     ///< successful compare & swap, and the cell
  std::vector<std::string> wrong;                 ///< the first few errors
};

/// A rank's part. All ranks of a job have the same seed; `operations` are each rank's.
class MixedProtocols {
 public:
  MixedProtocols(host::RankRuntime& runtime, std::uint64_t seed, std::uint64_t operations, MixedLog& log);
  void play();

  static constexpr std::uint64_t area_bytes = 2048, source_bytes = 1024;

 private:
  using Bytes = MixedLog::Bytes;
  struct Place {
    std::uint64_t source, destination;  ///< offsets
    std::uint64_t bytes;
  };
  enum class Kind : std::uint8_t {
    put,
    odd_put,
    register_put,
    word,
    multicast_put,
    add,
    multicast_add,
    read,
    swap,
    compare_swap,
    message,
    kinds
  };

  void prepare();
  void step();
  Place place(unsigned unit, std::uint64_t most);
  Bytes fresh_source(std::uint64_t offset, std::uint64_t bytes);
  void write(std::uint32_t to, std::uint64_t at, const Bytes& bytes);
  void put(unsigned unit, bool by_register);
  void put_word();
  void multicast_put();
  void multicast_add();
  void read();
  void swap();
  void compare_swap();
  void send_message();
  void await_sent();
  void await_reply(unsigned rrid);
  void drain();
  void receive_messages(const std::vector<std::uint64_t>& counts);
  void compare();
  void complain(const std::string& what);
  std::uint32_t any_rank() { return static_cast<std::uint32_t>(random_.below(log_.ranks)); }
  std::uint64_t area_of(std::uint32_t writer) const { return areas_.address() + area_bytes * writer; }
  /// Words that every rank may read, a function of rank and index.
  static std::uint64_t constant(std::uint32_t rank, std::uint64_t word) {
    return std::uint64_t{rank} << 32 | (word * 2654435761U + 1);
  }

  host::RankRuntime& r_;
  MixedLog& log_;
  CounterRandom random_;
  const std::uint64_t operations_;
  const host::HeapBlock areas_, source_, constants_, cells_, reply_, messages_;
  host::GroupHandle group_;
  bool unsent_ = false;  ///< the source may not be written again yet
  std::uint64_t token_;
  std::vector<std::uint64_t> sent_to_, received_from_;
};

/// Small nodes with the credits and room that these operations need.
machines::Cenju4Config mixed_nodes();

/// Memory after a job of 60 random operations a rank: the put data, and sums of adds. Results of compare &
/// swap depend on timing and are left out.
nlohmann::ordered_json mixed_memory(platform::Cenju4Job& job, std::uint64_t seed);

/// The memory of mixed_memory() for `nodes` nodes on Cenju-4's switches.
std::string mixed_on_stages(unsigned nodes, std::uint64_t seed);

/// Parses the output of a separate process (forked). Throws std::runtime_error with the text if it is no
/// JSON.
nlohmann::ordered_json parsed(const std::string& text);

}  // namespace tsuji::test
