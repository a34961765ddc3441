// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "router/router_rtl.h"
#include "router/rtl_fit.h"
#include "router/rtl_packet_shadow.h"
#include "router/rtl_record.h"
#include "router/rtl_tags.h"
#include "router/rtl_wave.h"
#include "tsuji/core/random.h"
#include "tsuji/link/flit_pins.h"
#include "tsuji/pins/pin_router.h"
#include "tsuji/router/flit_router.h"

// A router in RTL that replaces a model: channels of flits on one side, pins on the other.

namespace tsuji::bench {

/// Counts at the pins of a router.
struct RtlCounters {
  std::uint64_t clocks = 0;  ///< rising edges after reset
  std::uint64_t waiting_credits =
      0;  ///< credits that waited a cycle because the port's pins carried another credit
  std::uint64_t flits_in = 0, flits_out = 0;
};

/// A router whose flits go through RTL, clocked once a cycle in its own step. A flit is driven at the pins in
/// the first cycle in which the RTL can use it. Every output is checked against the inputs: order, head,
/// tail, virtual channel, credits, and the route by the routing algorithm (ModelError with cycle, port,
/// virtual channel and flit).
///
/// It declares no lookahead and cannot purge, so failing links and changing routes are refused. A probe
/// learns only that a head is inside.
class RtlRouter final : public router::FlitRouter,
                        public router::TellingRouter,
                        public router::PredictingRouter {
 public:
  RtlRouter(graph::RouterId id, const std::vector<router::RouterPort>& ports,
            const router::RouterParts& parts, const RtlSurroundings& around, std::unique_ptr<RouterRtl> rtl);
  ~RtlRouter() override;

  void bind(const Waker& self) override;
  void step(Cycle now) override;
  graph::RouterId id() const override { return id_; }
  unsigned ports() const override { return static_cast<unsigned>(ends_.size()); }
  const router::RouterPort& port(unsigned p) const override { return ends_[p]; }
  router::RouterCounters counters() const override { return counters_; }
  Cycle last_event(Cycle) const override { return last_move_; }
  router::TellingRouter* telling() override { return this; }
  void set_probe(router::RouterProbe* probe) override { probe_ = probe; }
  bool hides_stages() const override { return true; }
  const router::PredictingRouter* predicting() const override { return rtl_->prediction ? this : nullptr; }
  router::PredictionCounters prediction_counters() const override;
  router::PredictionCounters prediction_counters_at(unsigned port) const override;
  std::uint64_t predictor_bits() const override { return rtl_->prediction->state_bits; }
  void visit_inside(const std::function<void(PacketIndex)>& visit) const override;
  void visit_held_twice(const std::function<void(PacketIndex)>& visit) const override;
  const RtlCounters& rtl_counters() const { return rtl_counters_; }
  RouterRtl& rtl() { return *rtl_; }
  const RouterRtl& rtl() const { return *rtl_; }

  /// Before bind(): the RTL's own signals go into this file, in cycles from `first` to `last`.
  void open_wave(const std::string& path, Cycle first = 0, Cycle last = never);
  /// Before bind(): the RTL's pins go into a waveform, with those of other routers.
  void show_pins(std::shared_ptr<RtlWave> wave);
  /// Before bind(): the network's model runs beside the RTL, and packets are compared.
  void shadow_packets(const PacketShadowConfig& config) {
    packet_shadow_ = std::make_unique<RtlPacketShadow>(config, id_, ends_, parts_);
  }
  /// The model beside the RTL; null: there is none.
  RtlPacketShadow* packet_shadow() const { return packet_shadow_.get(); }
  /// Before bind(): the RTL's pins go into this file (RtlRecord).
  void open_record(const std::string& path) { record_ = std::make_unique<RtlRecord>(*rtl_, path); }
  /// ModelError if the file could not be written to its end.
  void close_record() const {
    if (record_) record_->close();
  }
  /// Before bind(): reports failed checks of the RTL to `warn` instead of throwing a ModelError.
  void set_warner(std::function<void(const std::string&)> warn) { warn_ = std::move(warn); }
  /// Before bind(): in this share of cycles, drawn for each port and direction, links without credits carry
  /// no flit, and outputs see neither credits nor ready.
  void set_stall(double share) { stall_ = share; }
  /// Before bind(): each flit and each credit, ready or on comes to the RTL's inputs by 0 to `most` cycles
  /// later, drawn for each, in their order.
  void set_delay(Cycle most);
  /// Runs the RTL's final blocks, after the last cycle. ModelError for their failed checks.
  void finish() const;
  /// Called in each cycle after the clock edge, with the current values of the RTL's pins.
  void set_observer(std::function<void(Cycle)> observer) { observer_ = std::move(observer); }

 private:
  struct Inside;
  struct Lane;
  struct Port;
  struct OutFlit;
  class OpenPlaces;
  struct DeadEnd;

  void make_lanes(Port& port) const;
  void find_dead_ends();
  void reset();
  void clock_missed(Cycle now);
  void clock_cycle(Cycle now);
  void edge(Cycle now);
  void settle(Cycle now);
  void rise(Cycle now);
  void evaluate(Cycle now, Picoseconds part);
  void hear_messages(Cycle now, const char* when) const;
  void write_table();
  void write_routes();
  void write_predictions();
  void write_entry(std::uint64_t row, std::uint64_t output, std::uint64_t vcs);
  void write_route(NodeId node, unsigned candidate, const routing::RouteSet& routes);
  void put_entry(std::uint64_t row, std::uint64_t output, std::uint64_t vcs);

  void drive_inputs(Cycle now);
  std::uint64_t enter(Port& port, const PinFlit& flit, Cycle now);
  void show_flit(Port& port, const PinFlit& flit, std::uint64_t payload);
  void drive_head(const Lane& lane, const Packet& packet, const Inside& own);
  std::uint64_t payload_for(const Packet& packet, std::uint64_t identity, Cycle now);
  std::uint64_t length_of(const Packet& packet, const RtlBits& bits) const;
  bool stalls() { return stall_ > 0 && random_.unit() < stall_; }
  Cycle draw_delay() { return delay_ == 0 ? 0 : delay_random_.below(delay_ + 1); }
  PinFlit delayed(Port& port, const PinFlit& flit, Cycle now);
  Cycle place_at(const Port& port, unsigned vc) const;
  std::uint64_t open_vcs(Port& port, Lane& lane, Cycle now) const;
  static const FlitSlot* waiting(const Port& port, unsigned vc, Cycle now);
  static std::uint64_t waiting_vcs(const Port& port, Cycle now);
  void offer(Port& port, Lane& lane, Cycle now);
  void take_offer(Port& port, Lane& lane, Cycle now);
  void end_offer(Port& port, Lane& lane);
  bool passes(const Port& port, unsigned vc) const;
  bool is_open(const Port& port, Cycle now) const;
  void drive_credits(Port& port, const Lane& lane, bool stalled, Cycle now);
  void show_ready(Port& port, const Lane& lane, bool stalled, Cycle now);
  void shadow_places(const Port& port, Cycle now);

  void take_outputs(Cycle now);
  bool name(std::uint64_t payload, OutFlit& flit) const;
  void take_flit(Port& port, const Lane& lane, Cycle now);
  void send(Port& port, unsigned vc, const Flit& flit, Cycle now);
  void send_queued(Port& port, Cycle now);
  void take_credits(Port& port, Cycle now);
  void take_blocked(const Port& port, Cycle now);
  void take_prediction(Port& port) const;
  void begin_recovery(PacketIndex packet, Inside& own);
  void take_recovery(const Port& port, Inside& own, const OutFlit& flit, Cycle now);
  std::pair<PacketIndex, Inside*> head_at(const Port& port, unsigned vc, Cycle now);
  void check_flit(const Port& port, const Inside& inside, const Packet& packet, const OutFlit& flit,
                  Cycle now) const;
  void check_route(const Port& port, const Inside& inside, const Packet& packet, unsigned vc,
                   Cycle now) const;
  void check_head(const Port& port, const Packet& packet, unsigned vc, Cycle now) const;
  void check_next(const Port& port, const Packet& packet, unsigned vc, Cycle now) const;
  void check_credits(Cycle now);
  void check_stands(Cycle now) const;
  [[noreturn]] void unknown_flit(const Port& port, unsigned vc, std::uint64_t payload, Cycle now) const;
  [[noreturn]] void credit_for_nothing(const Port& port, unsigned vc, Cycle now) const;
  [[noreturn]] void leaves_nowhere(const DeadEnd& end, Cycle now) const;
  [[noreturn]] void no_credit(const Port& port, unsigned vc, Cycle now) const;
  bool busy() const;
  Inside& comes(PacketIndex packet);
  Inside& coming(PacketIndex packet, const Port& port, const PinFlit& flit, std::uint16_t sequence);
  Inside& leaving(const OutFlit& flit);
  void gone(PacketIndex packet);
  std::string flit_text(const Port& port, unsigned vc, std::uint64_t sequence) const;
  std::string shown_flit(unsigned port, bool out, unsigned vc) const;
  [[noreturn]] void wrong_length(const Packet& packet, unsigned bits) const;
  [[noreturn]] void fail(Cycle now, const Packet* packet, const std::string& what) const;

  const graph::RouterId id_;
  const std::vector<router::RouterPort> ends_;
  const router::RouterParts parts_;
  const RtlSurroundings around_;
  const std::unique_ptr<RouterRtl> rtl_;
  const std::string name_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::vector<DeadEnd> dead_ends_;
  std::vector<Inside> inside_;   ///< [packet]
  std::optional<RtlTags> tags_;  ///< nothing: payloads are packet and sequence number
  ArrivalCalendar calendar_;
  Alarm alarm_;
  router::RouterCounters counters_;
  RtlCounters rtl_counters_;
  std::uint64_t flits_inside_ = 0, credits_out_ = 0;
  std::uint64_t open_places_ = 0;  ///< number of occupied input slots whose credit has not been sent
  Cycle first_in_ = 0, last_move_ = 0, next_clock_ = 0;
  Cycle credit_due_ = 0;  ///< no credit is missing before this cycle
  std::function<void(Cycle)> observer_;
  router::RouterProbe* probe_ = nullptr;
  std::function<void(const std::string&)> warn_;  ///< or none
  double stall_ = 0;
  CounterRandom random_;
  Cycle delay_ = 0;
  CounterRandom delay_random_;
  std::uint64_t late_flits_ = 0;                    ///< that come to the pins later
  std::uint64_t queued_flits_ = 0;                  ///< that wait for a link
  std::unique_ptr<RtlPacketShadow> packet_shadow_;  ///< or null
  std::shared_ptr<RtlWave> pin_wave_;               ///< or null
  std::size_t pin_wave_number_ = 0;
  bool has_wave_ = false;
  Cycle wave_first_ = 0, wave_last_ = never;
  bool runs_ = false;                  ///< the reset is over, during which the time is 0
  std::unique_ptr<RtlRecord> record_;  ///< or none
};

/// Things beside RTL routers that a run may want.
struct RtlCompany {
  /// RtlShadow of this configuration; null: none.
  std::shared_ptr<const router::PinRouterConfig> shadow = nullptr;
  /// Waveforms of the RTL's own signals, FILE.rN.fst for router N whose RTL has one; empty: none.
  std::string wave = "";
  std::shared_ptr<RtlWave> pin_wave = nullptr;  ///< waveform of the pins; null: none
  /// Records of the RTL's pins, FILE.rN.txt; empty: none.
  std::string record = "";
  /// RtlRouter::set_warner().
  std::function<void(const std::string&)> warn = {};
  double stall = 0;                         ///< RtlRouter::set_stall()
  Cycle wave_first = 0, wave_last = never;  ///< cycles in waveforms
  /// RtlRouter::shadow_packets(); null: no model.
  std::shared_ptr<const PacketShadowConfig> packet_shadow = nullptr;
  Cycle delay = 0;  ///< RtlRouter::set_delay()
};

/// The kind of router whose `with_rtl` are RTL, and all others as `models` says.
router::RouterKind rtl_kind(const router::RouterKind& models, std::function<bool(graph::RouterId)> with_rtl,
                            const RtlSurroundings& around, MakeRouterRtl make, RtlCompany company = {});

}  // namespace tsuji::bench
