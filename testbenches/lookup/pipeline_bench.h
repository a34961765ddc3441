#pragma once

#include <array>
#include <cstdint>

#include "common/stimulus.h"
#include "core/random.h"
#include "lookup/key_hash.h"
#include "lookup/pipeline_module.h"

namespace tsuji::bench {

struct PipelinePins {
  template <class Module>
  void list(Module& module, PinList& pins) const {
    constexpr unsigned ports = lookup::PipelineModule::ports, vcs = lookup::PipelineModule::vcs;
    pins.clock(module.clock);
    pins.in("reset", 1, module.reset);
    pins.in("flush", 1, module.flush);
    pins.in("table_valid", 1, module.table_valid);
    pins.in("table_erase", 1, module.table_erase);
    pins.in("table_row", 6, module.table_row);
    pins.in("table_key", 64, module.table_key);
    pins.in("table_entry", 32, module.table_entry);
    pins.in("request_valid", 1, module.request_valid, ports);
    pins.in("request_vc", 2, module.request_vc, ports);
    pins.in("request_key", 64, module.request_key, ports);
    pins.in("request_ticket", 8, module.request_ticket, ports);
    pins.out("request_ready", vcs, module.request_ready, ports);
    pins.out("answer_valid", vcs, module.answer_valid, ports);
    pins.in("answer_select", 2, module.answer_select, ports);
    pins.in("answer_take", 1, module.answer_take, ports);
    pins.out("answer_ticket", 8, module.answer_ticket, ports);
    pins.out("answer_entry", 32, module.answer_entry, ports);
  }
};

/// After a reset the table is written, row by row. Then requests back to back or with gaps, of few
/// destinations that hit, of a set's more than its ways, or of all; answers taken at once, now and then, or
/// not at all until every queue is full; flushes, changed and erased rows in between.
class PipelineStimulus final : public Stimulus {
 public:
  PipelineStimulus(const Drive& pins, std::uint64_t seed, const lookup::PipelineConfig& config);
  void drive(Cycle cycle, Drive& pins) override;

 private:
  void change_table(Drive& pins);
  NodeId destination(Cycle phase);
  CounterRandom random_;
  const lookup::NodeKeys keys_;
  std::size_t reset_, flush_, table_valid_, table_erase_, table_row_, table_key_, table_entry_;
  std::size_t request_valid_, request_vc_, request_key_, request_ticket_, answer_select_, answer_take_;
  NodeId rows_written_ = 0;
  std::uint64_t ticket_ = 0;
};

}  // namespace tsuji::bench
