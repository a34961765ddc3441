// SPDX-License-Identifier: Apache-2.0
#include "lookup/pipeline_bench.h"

namespace tsuji::bench {
namespace {

constexpr std::size_t family = 65;  // keys of one

}  // namespace

PipelineStimulus::PipelineStimulus(const Drive& pins, std::uint64_t seed,
                                   const lookup::PipelineConfig& config)
    : random_(seed, 4), keys_(config.keys()), rows_(config.rows), at_(pins) {}

/// Half of them the families' first.
std::uint64_t PipelineStimulus::any_key() {
  const std::uint64_t key = keys_[random_.below(keys_.size() / family) * family];
  return random_.below(2) == 0 ? key : keys_[random_.below(keys_.size())];
}

void PipelineStimulus::change_table(Drive& pins) {
  const bool filling = rows_written_ < rows_;
  pins.set(at_.table_valid, 1);
  pins.set(at_.table_erase, !filling && random_.below(4) == 0);
  if (filling) pins.set(at_.table_row, rows_written_++);
}

std::uint64_t PipelineStimulus::key(Cycle phase) {
  if (phase % 3 == 2) return any_key();
  const std::uint64_t first = random_.below(phase % 3 == 0 ? 6 : 12) * family;
  return keys_[first + random_.below(2) * (1 + phase % 64)];
}

void PipelineStimulus::drive(Cycle cycle, Drive& pins) {
  const Cycle phase = cycle / 1024;
  const bool restart = cycle < 2 || random_.below(16384) == 0;
  if (restart) rows_written_ = 0;
  pins.set(at_.reset, restart);
  pins.set(at_.table_valid, 0);
  pins.set(at_.table_erase, random_.below(2));
  pins.set(at_.table_row, random_.below(rows_));
  pins.set(at_.table_key, any_key());
  // Now and then without virtual channels: no route.
  pins.set(at_.table_entry, random_.next() & (random_.below(16) == 0 ? 0xffff : 0xffffffff));
  const bool quiet = phase % 4 == 1;  // nothing changes
  if (rows_written_ < rows_ ? random_.below(2) == 0 : !quiet && random_.below(256) == 0) change_table(pins);
  pins.set(at_.flush, !quiet && random_.below(128) == 0);
  const std::uint64_t ask_each[] = {1, 1, 4, 30}, take_each[] = {1, 3, 1, 6, 1000};
  for (unsigned port = 0; port < lookup::PipelineModule::ports; ++port) {
    const bool asks = random_.below(ask_each[(phase + port) % 4]) == 0;
    pins.set(at_.request_valid, port, asks);
    pins.set(at_.request_vc, port, random_.below(lookup::PipelineModule::vcs));
    pins.set(at_.request_key, port, key(phase));
    pins.set(at_.request_ticket, port, ticket_++ & 0xff);
    pins.set(at_.answer_select, port, random_.below(lookup::PipelineModule::vcs));
    pins.set(at_.answer_take, port, random_.below(take_each[(cycle / 512 + port) % 5]) == 0);
  }
}

}  // namespace tsuji::bench
