#include "lookup/pipeline_bench.h"

namespace tsuji::bench {

PipelineStimulus::PipelineStimulus(const Drive& pins, std::uint64_t seed,
                                   const lookup::PipelineConfig& config)
    : random_(seed, 4),
      keys_(config.nodes, lookup::Identifiers::random, config.seed),
      reset_(pins.input("reset")),
      flush_(pins.input("flush")),
      table_valid_(pins.input("table_valid")),
      table_erase_(pins.input("table_erase")),
      table_row_(pins.input("table_row")),
      table_key_(pins.input("table_key")),
      table_entry_(pins.input("table_entry")),
      request_valid_(pins.input("request_valid")),
      request_vc_(pins.input("request_vc")),
      request_key_(pins.input("request_key")),
      request_ticket_(pins.input("request_ticket")),
      answer_select_(pins.input("answer_select")),
      answer_take_(pins.input("answer_take")) {}

void PipelineStimulus::change_table(Drive& pins) {
  const bool filling = rows_written_ < keys_.nodes();
  const NodeId row = filling ? rows_written_++ : static_cast<NodeId>(random_.below(keys_.nodes()));
  pins.set(table_valid_, 1);
  pins.set(table_erase_, !filling && random_.below(4) == 0);
  pins.set(table_row_, row);
  pins.set(table_key_, keys_.key(row));
  // Now and then without virtual channels: no way.
  pins.set(table_entry_, random_.next() & (random_.below(16) == 0 ? 0xffff : 0xffffffff));
}

NodeId PipelineStimulus::destination(Cycle phase) {
  const NodeId few = 12;
  return static_cast<NodeId>(random_.below(phase % 3 == 0 ? few : phase % 3 == 1 ? 2 * few : keys_.nodes()));
}

void PipelineStimulus::drive(Cycle cycle, Drive& pins) {
  const Cycle phase = cycle / 1024;
  const bool restart = cycle < 2 || random_.below(16384) == 0;
  if (restart) rows_written_ = 0;
  pins.set(reset_, restart);
  pins.set(table_valid_, 0);
  const bool quiet = phase % 4 == 1;  // nothing changes
  if (rows_written_ < keys_.nodes() ? random_.below(2) == 0 : !quiet && random_.below(256) == 0)
    change_table(pins);
  pins.set(flush_, !quiet && random_.below(128) == 0);
  const std::uint64_t ask_each[] = {1, 1, 4, 30}, take_each[] = {1, 3, 1, 6, 1000};
  for (unsigned port = 0; port < lookup::PipelineModule::ports; ++port) {
    const bool asks = random_.below(ask_each[(phase + port) % 4]) == 0;
    pins.set(request_valid_, port, asks);
    pins.set(request_vc_, port, random_.below(lookup::PipelineModule::vcs));
    pins.set(request_key_, port, keys_.key(destination(phase)));
    pins.set(request_ticket_, port, ticket_++ & 0xff);
    pins.set(answer_select_, port, random_.below(lookup::PipelineModule::vcs));
    pins.set(answer_take_, port, random_.below(take_each[(cycle / 512 + port) % 5]) == 0);
  }
}

}  // namespace tsuji::bench
