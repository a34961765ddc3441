// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <systemc>
#include <unordered_map>
#include <vector>

#include "tsuji/lookup/cached_lookup.h"

namespace tsuji::lookup {

struct PipelineConfig {
  Cycle cam_cycles = 25;
  RoutingTableCacheConfig cache{16, 2};
  std::string hash = "crc32c";
  unsigned rows = 64;   ///< rows of the memory
  unsigned depth = 32;  ///< requests of a virtual channel that wait for their answer, or hold it
  unsigned families =
      16;  ///< families of keys: a random key each, and the 64 keys that differ from it in one bit
  std::uint64_t seed = 3;  ///< seed of the random keys
  /// All keys that may be asked for or written, family by family, the random one first.
  std::vector<std::uint64_t> keys() const;
};

/// CachedLookup with pins, four ports of four virtual channels. Answers that it knows ahead show at the pins
/// in their cycle: a queue for each virtual channel holds them from the cycle in which they may be used
/// until they are taken. All rows of the memory are empty after a reset. A row takes any key; of several that
/// hold one key the lowest answers. A request in the cycle of a change of the table is not taken.
class PipelineModule final : public sc_core::sc_module {
 public:
  static constexpr unsigned ports = 4, vcs = 4;

  sc_core::sc_in<bool> clock{"clock"};
  sc_core::sc_in<bool> reset{"reset"};
  sc_core::sc_in<bool> flush{"flush"};
  sc_core::sc_in<bool> table_valid{"table_valid"};
  sc_core::sc_in<bool> table_erase{"table_erase"};
  sc_core::sc_in<std::uint32_t> table_row{"table_row"};
  sc_core::sc_in<std::uint64_t> table_key{"table_key"};  ///< a destination's identifier
  sc_core::sc_in<std::uint32_t> table_entry{"table_entry"};
  // A lane for each port.
  sc_core::sc_in<std::uint32_t> request_valid{"request_valid"};
  sc_core::sc_in<std::uint32_t> request_vc{"request_vc"};
  sc_core::sc_in<sc_dt::sc_bv<64 * ports>> request_key{"request_key"};
  sc_core::sc_in<std::uint32_t> request_ticket{"request_ticket"};
  sc_core::sc_out<std::uint32_t> request_ready{
      "request_ready"};  ///< virtual channels that accept a request, one bit each
  sc_core::sc_out<std::uint32_t> answer_valid{
      "answer_valid"};  ///< virtual channels with an answer, one bit each
  sc_core::sc_in<std::uint32_t> answer_select{"answer_select"};  ///< channel whose oldest answer is shown
  sc_core::sc_in<std::uint32_t> answer_take{"answer_take"};      ///< the shown answer is taken
  sc_core::sc_out<std::uint32_t> answer_ticket{"answer_ticket"};
  sc_core::sc_out<sc_dt::sc_bv<32 * ports>> answer_entry{"answer_entry"};

  PipelineModule(sc_core::sc_module_name name, const PipelineConfig& config);
  ~PipelineModule() override;
  SC_HAS_PROCESS(PipelineModule);

 private:
  class NoRoutes;
  struct Answer {
    Cycle at;
    std::uint32_t ticket, entry;
  };
  struct Row {
    std::optional<NodeId> node;
    std::uint32_t entry = 0;
  };
  void on_edge();
  void on_select();
  void restart();
  void step();
  void take(unsigned port);
  void ask(unsigned port);
  void change_table();
  void update_route(NodeId node);
  NodeId node_of(std::uint64_t key) const;
  /// The oldest answer of a virtual channel, null before its cycle.
  const Answer* front(unsigned port, unsigned vc) const;

  const PipelineConfig config_;
  const std::unique_ptr<const NoRoutes> routing_;
  NodeKeys keys_;
  std::unordered_map<std::uint64_t, NodeId> nodes_;  ///< [key]: the node that has it
  const CacheShape shape_;
  const LookupParts parts_;
  std::vector<Row> rows_;
  std::unique_ptr<CachedLookup> lookup_;
  std::array<std::array<std::deque<Answer>, vcs>, ports> queues_;
  Cycle now_ = 0;
  sc_core::sc_event edge_;
};

}  // namespace tsuji::lookup
