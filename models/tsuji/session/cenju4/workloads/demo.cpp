// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/cenju4/cenju4_phases.h"
#include "tsuji/session/cenju4/workloads/workloads.h"

namespace tsuji::session {

namespace {

struct Boot final : Cenju4Workload {
  void play(Cenju4Phases& phases) override { phases.run_boot(); }
};

struct Demo final : Cenju4Workload {
  WholeTrace trace;
  DmaWorkload dma;
  PingPongWorkload ping_pong;
  MulticastWorkload multicast;
  BarrierWorkload barrier;

  void add_keys(config::KeyTable& keys) override {
    each(*this, [&](auto& part) { part.add_keys(keys); });
  }
  void validate_with(const machines::Cenju4Config& machine) const override {
    each(*this, [&](const auto& part) { part.validate_with(machine); });
  }
  void place(machines::Cenju4Config& machine) override { trace.place(machine); }
  void play(Cenju4Phases& phases) override {
    trace.play(phases);
    dma.play(phases);
    ping_pong.play(phases);
    // The machine is empty here, so the waveform begins with the multicast.
    phases.record_from_here("barrier_multicast");
    multicast.play(phases);
    barrier.play(phases);
  }

 private:
  template <class Self, class Function>
  static void each(Self& self, Function function) {
    function(self.trace);
    function(self.dma);
    function(self.ping_pong);
    function(self.multicast);
    function(self.barrier);
  }
};

}  // namespace

void add_demo(Cenju4Workloads& kinds) {
  add_workload<Boot>(kinds, "boot", {"no program", {}});
  add_workload<Demo>(kinds, "demo",
                     {"trace, dma, ping_pong, multicast and barrier", {"library.realignment"}});
}

}  // namespace tsuji::session
