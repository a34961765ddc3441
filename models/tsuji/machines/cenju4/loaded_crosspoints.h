// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/clock/clocked_run.h"
#include "tsuji/core/described.h"
#include "tsuji/core/packet.h"
#include "tsuji/machines/cenju4/cenju4_config.h"
#include "tsuji/network/crosspoint/crosspoint_network.h"
#include "tsuji/observe/load_measurement.h"
#include "tsuji/observe/network_metrics.h"
#include "tsuji/observe/packet_fates.h"
#include "tsuji/traffic/packet_injector.h"
#include "tsuji/traffic/packet_sink.h"

namespace tsuji::machines {

/// Multistage network of Cenju-4 (Kanoh 2000, section 3) with a source and a sink instead of each node.
///
/// Contract: elaborate() before the first run_to(); set_window() before its first cycle; results after the
/// run.
class LoadedCrosspoints final : public ClockedRun {
 public:
  /// Called for each delivery, also for each copy of a multicast, in the order of cycles.
  using OnDelivered = std::function<void(const observe::DeliveredPacket&)>;
  using MakeSource = std::function<std::unique_ptr<traffic::EmissionSource>(NodeId)>;

  /// Parts of the loaded network.
  struct Parts {
    const Cenju4Config& machine;  ///< configuration; network, network interface and clock are used
    MakeSource make_source;       ///< if it returns null, no nodes are built
    observe::LoadMeasurement* measurement = nullptr;  ///< may be null; a multicast arrives with its last copy
    OnDelivered on_delivered = {};                    ///< may be empty
    crosspoint::SwitchKind switch_kind = {};          ///< kind of the switches, as for CrosspointNetwork
  };
  explicit LoadedCrosspoints(const Parts& parts);

  const ClockDomain& domain() const override { return domain_; }
  ClockDomain& domain() override { return domain_; }
  network::CrosspointNetwork& network() { return network_; }
  const network::CrosspointNetwork& network() const { return network_; }

  /// Elaborates the design, before the first run_to(). `attach` is called when channels know their FIFOs and
  /// no packet has been sent.
  void elaborate(const std::function<void()>& attach = {});

  /// Sets the interval [from, to) of flits_ejected_in_window(); `from` is at least now().
  void set_window(Cycle from, Cycle to) {
    window_from_ = from;
    window_to_ = to;
  }
  std::uint64_t flits_ejected_in_window() const;
  /// Sets the metrics that the network counts: packets_sent, flit_hops, flits_in_flight_at_end.
  void add_counters(observe::NetworkMetrics& metrics) const;
  observe::PacketFates fates() const;
  /// Throws ModelError unless packets sent + replicated = dropped + accepted by sinks + in flight, for the
  /// network and for every switch.
  void check_conservation() const;

 private:
  /// Calls what attaches to the network between its elaboration and cycle 0.
  class Start final : public sc_core::sc_module, public Described {
   public:
    std::string stands_for() const override { return "the start of a run; no hardware"; }
    explicit Start(sc_core::sc_module_name name) : sc_module(name) {}
    std::function<void()> attach;

   private:
    void start_of_simulation() override {
      if (attach) attach();
    }
  };
  /// Copies of a multicast that are still to arrive.
  struct Copies {
    PacketId packet = 0;
    unsigned left = 0;
  };

  void prepare(Cycle end) override { domain_.run_ahead(end); }
  void add_node(NodeId node, std::unique_ptr<traffic::EmissionSource> source);
  void on_born(NodeId node, const traffic::Emission& emission);
  void on_delivered(NodeId node, const Packet& packet, Cycle head, Cycle tail, unsigned hops);
  bool is_last_copy(const Packet& packet);
  std::uint64_t in_window(Cycle head, Cycle end) const;

  observe::LoadMeasurement* const measurement_;
  const OnDelivered on_delivered_;
  PacketPool pool_;
  Start start_{"start"};
  ClockDomain domain_;
  network::CrosspointNetwork network_;
  Cycle window_from_ = 0, window_to_ = never;
  std::uint64_t flits_in_window_ = 0, delivered_ = 0;
  std::vector<std::vector<Copies>> copies_;  ///< [source]: multicasts with copies in flight, in any order
  std::vector<std::unique_ptr<graph::FirstRoute>> routes_;
  std::vector<std::unique_ptr<traffic::PacketInjector>> injectors_;
  std::vector<std::unique_ptr<traffic::PacketSink>> sinks_;
};

}  // namespace tsuji::machines
