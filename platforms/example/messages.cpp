// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <sstream>

#include "own_kinds.h"
#include "tsuji/core/error.h"

namespace example {
namespace {

using namespace tsuji;
using workload::TraceOp;
using workload::TraceOpKind;

TraceOp op_of(TraceOpKind kind) {
  TraceOp op;
  op.kind = kind;
  return op;
}

/// Messages without computation: lines "RANK send PEER" and "RANK recv PEER", in the order of each rank.
struct Messages {
  std::uint64_t bytes = 64;  ///< of each message

  void add_keys(config::KeyTable& keys) {
    keys.add("workload.message_bytes", bytes, {4, 65536}, "bytes", "messages: length of each");
  }
  void validate() const {
    if (bytes % 4 == 0) return;
    throw ConfigError("workload.message_bytes", std::to_string(bytes), "not a whole number of words",
                      "a multiple of 4");
  }
  workload::Trace make(const workload::TraceFile& file) const {
    std::ifstream in(file.path);
    if (!in) throw ConfigError("workload.trace", file.path, "it cannot be read", "a file of messages");
    workload::Trace trace;
    std::string line;
    for (unsigned number = 1; std::getline(in, line); ++number) {
      unsigned rank = 0, peer = 0;
      std::string word;
      std::istringstream words(line);
      if (!(words >> rank >> word >> peer) || rank >= most_ranks || peer >= most_ranks ||
          (word != "send" && word != "recv"))
        throw ConfigError("workload.trace", line, "no message", "RANK send PEER, or RANK recv PEER")
            .at(file.path + ":" + std::to_string(number));
      TraceOp op = op_of(word == "send" ? TraceOpKind::send : TraceOpKind::recv);
      op.value = bytes;
      op.peer = static_cast<std::uint16_t>(peer);
      if (rank >= trace.size()) trace.ranks.resize(rank + 1U, workload::RankOps({op_of(TraceOpKind::init)}));
      trace.ranks[rank].push_back(op);
    }
    for (workload::RankOps& ops : trace.ranks) ops.push_back(op_of(TraceOpKind::finalize));
    return trace;
  }

 private:
  static constexpr unsigned most_ranks = 65535;
};

}  // namespace

void add_messages(workload::TraceFormats& formats) {
  formats.add<Messages>("messages");
}

}  // namespace example
