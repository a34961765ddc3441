// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/library/numbered_block.h"
#include "tsuji/host/library/rounds_program.h"
#include "tsuji/session/cenju4/cenju4_main.h"
#include "tsuji/session/cenju4/cenju4_phases.h"

using namespace tsuji;
namespace {
/// A rank's program: in each round a message to the next rank, and one from the rank before, byte by byte.
class Ring final : public host::RoundsProgram {
 public:
  Ring(host::RankRuntime& runtime, std::uint64_t bytes) : RoundsProgram(runtime), bytes_(bytes) {}

 private:
  void play() override {
    const unsigned rank = runtime_.rank(), ranks = runtime_.ranks(), before = (rank + ranks - 1) % ranks;
    const host::HeapBlock out(runtime_.heap, bytes_), in(runtime_.heap, bytes_);
    const auto block = [&](unsigned source) {
      return host::NumberedBlock{host::PayloadKey::between(source, (source + 1) % ranks), bytes_};
    };
    const auto write = [&](std::uint64_t round) { block(rank).write(runtime_.cpu, out.address(), round); };
    const auto send_and_receive = [&](std::uint64_t) {
      host::MessagePattern from_before;
      from_before.source = before;
      const host::RequestId request = runtime_.messages.irecv(from_before, in.address(), bytes_);
      runtime_.messages.send((rank + 1) % ranks, 0, out.address(), bytes_);
      runtime_.messages.wait(request);
    };
    const auto check = [&](std::uint64_t round) { block(before).check(runtime_.cpu, in.address(), round); };
    play_rounds(10, write, send_and_receive, check);
  }
  const std::uint64_t bytes_;
};

class RingWorkload final : public session::Cenju4Workload {
  void add_keys(config::KeyTable& keys) override {
    keys.add("workload.ring_bytes", bytes_, {8, 65536}, "bytes", "length of a ring's message");
  }
  void validate_with(const machines::Cenju4Config&) const override {
    if (bytes_ % 8 != 0)
      throw ConfigError("workload.ring_bytes", std::to_string(bytes_), "not a whole number of words",
                        "a multiple of 8");
  }
  void play(session::Cenju4Phases& phases) override {
    phases.run_programs<Ring>("ring", bytes_);
    const auto rank = [&](unsigned number) -> const Ring& { return phases.program<Ring>(number); };
    const double cycles = host::mean_round_cycles(phases.job().ranks(), rank);
    phases.results().metric("ring_time_us", phases.us_of(cycles), "us", "a message to the next rank");
  }
  std::uint64_t bytes_ = 64;
};
}  // namespace

int sc_main(int argc, char** argv) {
  session::Cenju4Program program;
  program.description = "A Cenju-4 style machine with a parallel program of a project's own";
  program.add_kinds = [](session::Cenju4RunConfig& config) {
    session::add_workload<RingWorkload>(config.workloads, "ring", {"messages to the next rank", {}});
    config.kind = "ring";
  };
  return session::cenju4_main(argc, argv, program);
}
