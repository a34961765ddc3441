// SPDX-License-Identifier: Apache-2.0
// Runs that stop in the middle of things, and their account of packets.

#include <algorithm>

#include "machines/machines.h"
#include "support/catch.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "tsuji/host/library/barrier_program.h"
#include "tsuji/host/library/heap.h"
#include "tsuji/host/library/library_program.h"
#include "tsuji/host/library/multicast_program.h"

using namespace tsuji;
using namespace tsuji::test;
using host::RankRuntime;
using sc_core::sc_time;

namespace {

/// Rank 0 puts data to rank 1 and does not wait until they are there.
class LeavesEarly final : public host::LibraryProgram {
 public:
  explicit LeavesEarly(RankRuntime& runtime) : LibraryProgram(runtime) {}

 private:
  void play() override {
    const host::HeapBlock block(runtime_.heap, 128);
    if (runtime_.rank() == 0)
      runtime_.paralib.put(host::Target::pe(1), block.address(), block.address(), 128);
  }
};

/// Records the kernel's time of a delivery beside the clock's.
class KernelTime final : public nic::NicObserver {
 public:
  KernelTime(const ClockDomain& clock, nic::NetworkInterface& interface)
      : clock_(clock), others_(*interface.observer()) {
    interface.set_observer(this);
  }
  void on_delivered(const Packet& packet, Cycle now, unsigned hops) override {
    delivered_at = clock_.time_of(now);
    kernel = sc_core::sc_time_stamp();
    others_.on_delivered(packet, now, hops);
  }
  sc_time delivered_at, kernel;

 private:
  const ClockDomain& clock_;
  nic::NicObserver& others_;
};

}  // namespace

TEST_CASE("run: the clock runs ahead of the kernel's time, which at the end is that of the last cycle") {
  machines::Cenju4Config config = small_machine(4);
  config.resolve();
  machines::Cenju4Machine machine("machine", config);
  platform::Cenju4Job job(machine);
  job.load([&](RankRuntime& runtime) { return std::make_unique<LeavesEarly>(runtime); });
  KernelTime probe(machine.clock(), machine.node(1).interface());
  job.run([](Cycle) {});
  CHECK(probe.kernel < probe.delivered_at);
  const sc_time end = machine.clock().time_of(machine.clock().now());
  CHECK(end >= probe.delivered_at);
  CHECK(sc_core::sc_time_stamp() == end);
}

TEST_CASE("run_for: packets are accounted for whenever a run stops") {
  machines::Cenju4Config config = small_machine(16);
  config.resolve();
  machines::Cenju4Machine machine("machine", config);
  platform::Cenju4Job job(machine);
  host::MulticastProgram::Config multicast;
  multicast.bytes = 3000;
  job.load(
      [&](RankRuntime& runtime) { return std::make_unique<host::MulticastProgram>(runtime, multicast); });
  unsigned busy = 0, replicating = 0;
  for (unsigned stop = 0; stop < 4000; ++stop) {
    const sc_time before = sc_core::sc_time_stamp();
    const sc_time slice(6.25 * (1 + stop % 7),
                        sc_core::SC_NS);  // at edges, between them, and at the processors' edges
    REQUIRE_NOTHROW(machine.run_for(slice));
    REQUIRE(sc_core::sc_time_stamp() == before + slice);
    if (machine.metrics().flits_in_flight_at_end != 0) ++busy;
    if (machine.network().population(machine.clock().now() + 1).replicated != 0) ++replicating;
  }
  CHECK(busy > 100);
  CHECK(replicating > 5);
  job.run([](Cycle) {});
  check_accounts(machine);
}

TEST_CASE("run_until: stops in the slice in which the condition holds, or at its limit") {
  machines::Cenju4Config config = small_machine(4);
  config.resolve();
  machines::Cenju4Machine machine("machine", config);
  platform::Cenju4Job job(machine);
  job.load([&](RankRuntime& runtime) { return std::make_unique<host::BarrierProgram>(runtime, 1000); });
  const sc_time slice(1, sc_core::SC_US);
  CHECK(machine.run_until([] { return true; }, slice, 5 * slice));
  CHECK(sc_core::sc_time_stamp() == sc_core::SC_ZERO_TIME);
  const auto sent = [&] { return machine.node(0).interface().sender_counters().packets[2]; };
  CHECK_FALSE(machine.run_until([&] { return sent() > 100'000; }, slice, sc_time(2500, sc_core::SC_NS)));
  CHECK(sc_core::sc_time_stamp() == sc_time(2500, sc_core::SC_NS));
  CHECK(machine.run_until([&] { return sent() >= 20; }, slice, sc_time(1, sc_core::SC_SEC)));
  CHECK(sent() < 30);
  job.run([](Cycle) {});
  check_accounts(machine);
}

TEST_CASE("run_for: a packet that nobody counts is missed") {
  machines::Cenju4Config config = small_machine(4);
  config.resolve();
  machines::Cenju4Machine machine("machine", config);
  platform::Cenju4Job job(machine);
  LosesOne loses(5);
  machine.network().to_node(2).set_probe(&loses);
  job.load([&](RankRuntime& runtime) { return std::make_unique<host::BarrierProgram>(runtime, 100); });
  const std::string text = text_of<ModelError>([&] {
    for (unsigned stop = 0; stop < 200; ++stop) machine.run_for(sc_time(1, sc_core::SC_US));
  });
  CHECK_THAT(text, Catch::Contains("packets sent or replicated are not the"));
  CHECK_THAT(text, Catch::Contains("that are under way"));
}
