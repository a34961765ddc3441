// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "tsuji/core/error.h"
#include "tsuji/host/library/protocols_program.h"
#include "tsuji/session/cenju4/cenju4_phases.h"
#include "tsuji/session/cenju4/workloads/workloads.h"

namespace tsuji::session {

namespace {

struct ProtocolsWorkload final : Cenju4Workload {
  using Program = host::ProtocolsProgram;

  void validate_with(const machines::Cenju4Config& machine) const override {
    if (machine.library.broadcast != host::BroadcastMethod::hardware)
      throw ConfigError("library.broadcast", "tree",
                        "without hardware broadcasts, message buffer 1 receives nothing",
                        "hardware, or another workload.kind");
  }
  void play(Cenju4Phases& phases) override {
    phases.run_programs<Program>("protocols");
    static constexpr std::array<const char*, Program::protocols> names{
        "remote DMA", "address register 0", "address register 1", "address register 2",
        "message 0",  "message 1",          "atomic add",         "remote read",
        "swap",       "compare & swap"};
    observe::Results& results = phases.results();
    observe::ResultTable& table =
        results.table("protocols", {{"protocol", ""}, {"memory", ""}, {"notification", ""}, {"log", ""}});
    unsigned wrong = 0;
    for (unsigned index = 0; index < Program::protocols; ++index) {
      const auto& sender = phases.program<Program>(0).seen(Program::protocol(index));
      const auto& receiver = phases.program<Program>(1).seen(Program::protocol(index));
      const std::array<std::string, 3> found{word(sender.memory, receiver.memory),
                                             word(sender.notification, receiver.notification),
                                             word(sender.log, receiver.log)};
      for (const std::string& one : found) wrong += one == "wrong" ? 1 : 0;
      table.row({names[index], found[0], found[1], found[2]});
    }
    results.metric("protocol_mismatches", wrong, "", "mismatches of memory, notifications and logs");
  }

 private:
  /// One of the two ranks has looked, or both have.
  static std::string word(Program::Found one, Program::Found other) {
    if (one == Program::Found::wrong || other == Program::Found::wrong) return "wrong";
    return one == Program::Found::right || other == Program::Found::right ? "right" : "-";
  }
};

}  // namespace

void add_protocols(Cenju4Workloads& kinds) {
  add_workload<ProtocolsWorkload>(kinds, "protocols",
                                  {"each protocol of table 1, from node 0 to node 1", {}});
}

}  // namespace tsuji::session
