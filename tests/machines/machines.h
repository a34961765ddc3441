// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/link/packet_link.h"
#include "tsuji/machines/cenju4/cenju4_machine.h"
#include "tsuji/platform/cenju4_job.h"

namespace tsuji::test {

/// A rank's program as a function.
class Script final : public host::RankProgram {
 public:
  using Body = std::function<void(host::RankRuntime&)>;
  Script(host::RankRuntime& runtime, Body body) : runtime_(runtime), body_(std::move(body)) {}
  void run() override {
    runtime_.collectives.start();
    body_(runtime_);
    finished_ = true;
  }
  workload::RankState state() const override {
    workload::RankState state;
    state.rank = runtime_.rank();
    state.finished = finished_;
    state.doing = "a script";
    return state;
  }

 private:
  host::RankRuntime& runtime_;
  Body body_;
  bool finished_ = false;
};

/// A configuration with everything small, so that queues, TLBs and buffers reach their limits.
machines::Cenju4Config small_machine(unsigned nodes);

/// One configuration as four machines that must not differ: events, a process a module, modules in random
/// order, flit by flit. All of them run in one simulation.
struct Variants {
  explicit Variants(const machines::Cenju4Config& config);
  struct One {
    std::string name;
    std::unique_ptr<machines::Cenju4Machine> machine;
    std::unique_ptr<platform::Cenju4Job> job;
  };
  std::vector<One> all;
};

/// Runs `body` on all ranks of a job, with the rank's runtime.
void run_script(platform::Cenju4Job& job, const Script::Body& body);

/// Runs a script on all ranks of a job in slices of many lengths, each of which ends with the check of
/// packets (Cenju4Nodes::run_for), and then to its end. Returns the number of slices that ended with flits in
/// the network.
template <class Machine>
unsigned run_in_slices(Machine& machine, platform::Cenju4Job& job, const Script::Body& body,
                       unsigned slices = 4000) {
  job.load([&](host::RankRuntime& runtime) { return std::make_unique<Script>(runtime, body); });
  unsigned busy = 0;
  for (unsigned stop = 0; stop < slices; ++stop) {
    machine.run_for(sc_core::sc_time(6.25 * (1 + stop % 97), sc_core::SC_NS));
    if (machine.metrics().flits_in_flight_at_end != 0) ++busy;
  }
  job.run([](Cycle) {});
  return busy;
}

/// Runs the kernel in slices of a microsecond until a check of packets fails. Returns its text; empty: none
/// fails in `slices`.
template <class Machine>
std::string failure_in_slices(Machine& machine, unsigned slices) {
  try {
    for (unsigned stop = 0; stop < slices; ++stop) machine.run_for(sc_core::sc_time(1, sc_core::SC_US));
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

/// A channel that loses the n-th packet, and counts it nowhere.
class LosesOne final : public PacketLinkProbe {
 public:
  explicit LosesOne(unsigned lost) : lost_(lost) {}
  bool on_send(Cycle, PacketTransfer&) override { return ++seen_ != lost_; }
  void on_room(unsigned, Cycle) override {}

 private:
  const unsigned lost_;
  unsigned seen_ = 0;
};

/// Makes the channel of this name lose its n-th packet.
inline void lose_one_on(const char* channel, LosesOne& loses) {
  auto* const link = dynamic_cast<PacketLink*>(sc_core::sc_find_object(channel));
  REQUIRE(link != nullptr);
  link->set_probe(&loses);
}

/// Checks that sent + replicated - merged - dropped = delivered, and switches and channels are empty.
void check_accounts(const machines::Cenju4Machine& machine);

/// Runs a rank's part on all variants of a machine, which must end in the same cycle. Each variant has one
/// log, made before the run and examined after it.
template <class Log>
void on_all_variants(const machines::Cenju4Config& config,
                     const std::function<void(host::RankRuntime&, Log&)>& part,
                     const std::function<void(const Log&)>& look) {
  Variants variants(config);
  std::vector<Log> logs(variants.all.size());
  for (std::size_t v = 0; v < logs.size(); ++v)
    variants.all[v].job->load([&part, log = &logs[v]](host::RankRuntime& runtime) {
      return std::make_unique<Script>(runtime, [&part, log](host::RankRuntime& own) { part(own, *log); });
    });
  for (std::size_t v = 0; v < logs.size(); ++v) {
    INFO(variants.all[v].name);
    REQUIRE_NOTHROW(variants.all[v].job->run([](Cycle) {}));
    CHECK(variants.all[v].job->end_cycle() == variants.all[0].job->end_cycle());
    check_accounts(*variants.all[v].machine);
    look(logs[v]);
  }
}

}  // namespace tsuji::test
