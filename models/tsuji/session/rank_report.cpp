// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/rank_report.h"

#include <string>

#include "tsuji/observe/busiest_rows.h"

namespace tsuji::session {
namespace {

using machines::RankTimeline;

void write_timeline(const RankTimeline& timeline, const platform::RunOptions& options,
                    observe::Results& results) {
  observe::RowFile file(options.file("rank_timeline.csv"),
                        "rank,operation,first_cycle,cycles,waits,source,destination");
  for (std::size_t rank = 0; rank < timeline.ranks(); ++rank) {
    for (const RankTimeline::Span& span : timeline.spans(rank)) {
      const auto end = [&](std::uint16_t one) {
        return span.waits ? observe::Value(one) : observe::Value(nullptr);
      };
      file.add({rank, workload::name_of(span.operation), span.first, span.end - span.first,
                span.waits ? 1 : 0, end(span.ended_by.source), end(span.ended_by.destination)});
    }
  }
  file.close();
  results.file("rank_timeline.csv",
               "computing and waits of every rank, with the message that ended each wait");
}

void write_messages(const RankTimeline& timeline, const platform::RunOptions& options,
                    observe::Results& results) {
  observe::RowFile file(options.file("rank_messages.csv"), "from,to,messages,bytes");
  for (const auto& [ends, count] : timeline.matrix())
    file.add({ends.first, ends.second, count.messages, count.bytes});
  file.close();
  results.file("rank_messages.csv", "messages and bytes from rank to rank");
}

}  // namespace

void add_rank_report(const RankTimeline& timeline, bool tables, const platform::RunOptions& options,
                     observe::Results& results) {
  write_timeline(timeline, options, results);
  write_messages(timeline, options, results);
  observe::RowFile file(options.file("critical_path.csv"), "part,rank,from,operation,first_cycle,cycles");
  Cycle computing = 0, messages = 0;
  std::uint64_t computations = 0, waits = 0;
  for (const RankTimeline::Step& step : timeline.critical_path()) {
    const Cycle cycles = step.end - step.first;
    (step.message ? messages : computing) += cycles;
    ++(step.message ? waits : computations);
    file.add({step.message ? "message" : "computing", step.rank, step.from, workload::name_of(step.operation),
              step.first, cycles});
  }
  file.close();
  results.file("critical_path.csv", "computing and messages that decide the time of the last rank");
  if (!tables) return;
  const Cycle all = computing + messages;
  const auto share = [all](Cycle cycles) {
    return all == 0 ? observe::Value(nullptr)
                    : observe::Value(static_cast<double>(cycles) / static_cast<double>(all));
  };
  observe::ResultTable& table =
      results.table("critical_path", {{"part", ""}, {"steps", ""}, {"cycles", "cycles"}, {"share", ""}});
  table.row({"computing", computations, computing, share(computing)});
  table.row({"messages", waits, messages, share(messages)});
  results.show_rows("critical_path", 2, "critical path through ranks and messages");
}

}  // namespace tsuji::session
