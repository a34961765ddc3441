// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "common/stimulus.h"
#include "lookup/pipeline_module.h"
#include "tsuji/core/random.h"
#include "tsuji/lookup/key_hash.h"

namespace tsuji::bench {

/// The pins of a look-up pipeline with `ports` ports of `vcs` virtual channels.
struct PipelinePins {
  unsigned ports = lookup::PipelineModule::ports, vcs = lookup::PipelineModule::vcs;
  unsigned row_bits = 6;  ///< bits of a row's number

  template <class Module>
  void list(Module& module, PinList& pins) const {
    const unsigned vc_bits = bits_of(vcs - 1);
    pins.clock(module.clock);
    pins.in("reset", 1, module.reset);
    pins.in("flush", 1, module.flush);
    pins.in("table_valid", 1, module.table_valid);
    pins.in("table_erase", 1, module.table_erase);
    pins.in("table_row", row_bits, module.table_row);
    pins.in("table_key", 64, module.table_key);
    pins.in("table_entry", 32, module.table_entry);
    pins.in("request_valid", 1, module.request_valid, ports);
    pins.in("request_vc", vc_bits, module.request_vc, ports);
    pins.in("request_key", 64, module.request_key, ports);
    pins.in("request_ticket", 8, module.request_ticket, ports);
    pins.out("request_ready", vcs, module.request_ready, ports);
    pins.out("answer_valid", vcs, module.answer_valid, ports);
    pins.in("answer_select", vc_bits, module.answer_select, ports);
    pins.in("answer_take", 1, module.answer_take, ports);
    pins.out("answer_ticket", 8, module.answer_ticket, ports);
    pins.out("answer_entry", 32, module.answer_entry, ports);
  }
};

/// Handles of the pins of a look-up pipeline.
struct PipelineHandles {
  explicit PipelineHandles(const Drive& pins)
      : reset(pins.input("reset")),
        flush(pins.input("flush")),
        table_valid(pins.input("table_valid")),
        table_erase(pins.input("table_erase")),
        table_row(pins.input("table_row")),
        table_key(pins.input("table_key")),
        table_entry(pins.input("table_entry")),
        request_valid(pins.input("request_valid")),
        request_vc(pins.input("request_vc")),
        request_key(pins.input("request_key")),
        request_ticket(pins.input("request_ticket")),
        answer_select(pins.input("answer_select")),
        answer_take(pins.input("answer_take")),
        request_ready(pins.output("request_ready")),
        answer_valid(pins.output("answer_valid")),
        answer_ticket(pins.output("answer_ticket")),
        answer_entry(pins.output("answer_entry")) {}
  std::size_t reset, flush, table_valid, table_erase, table_row, table_key, table_entry;
  std::size_t request_valid, request_vc, request_key, request_ticket, answer_select, answer_take;
  std::size_t request_ready, answer_valid, answer_ticket, answer_entry;
};

/// Stimulus of a look-up pipeline. After a reset the table is written, row by row: some keys in several rows,
/// some rows with keys that are one bit away from others. Then requests back to back or with gaps, of few
/// keys that hit, of a set's more than its ways, of all in the table, or one bit away from these; answers
/// taken at once, now and then, or not at all until every queue is full; flushes, changed and erased rows in
/// between.
class PipelineStimulus final : public Stimulus {
 public:
  PipelineStimulus(const Drive& pins, std::uint64_t seed, const lookup::PipelineConfig& config);
  void drive(Cycle cycle, Drive& pins) override;

 private:
  void change_table(Drive& pins);
  std::uint64_t key(Cycle phase);
  std::uint64_t any_key();
  CounterRandom random_;
  const std::vector<std::uint64_t> keys_;  ///< keys in the order of their families
  const unsigned rows_;
  const PipelineHandles at_;
  unsigned rows_written_ = 0;
  std::uint64_t ticket_ = 0;
};

}  // namespace tsuji::bench
