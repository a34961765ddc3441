// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "tsuji/interconnect/initiator_port.h"
#include "tsuji/interconnect/phases.h"
#include "tsuji/interconnect/request_order.h"
#include "tsuji/interconnect/socket_wave.h"
#include "tsuji/interconnect/station.h"

namespace tsuji::interconnect {

/// Initiators of a TlmNetwork, as a target sees them.
using InitiatorPorts = std::vector<std::unique_ptr<InitiatorPort>>;

/// Side of a TlmNetwork towards a target: a TLM-2.0 initiator socket of the base protocol. Requests whose
/// packets have all arrived go to the target by nb_transport_fw, those of an initiator in its order. Each is
/// a separate transaction with the initiator's attributes, so data move with the packets; extensions are
/// copied.
///
/// A request has its place from its arrival to the last packet of its response. With `queue` places taken no
/// further packet of a request is ejected; requests that wait for missing packets or for requests before them
/// have places of their own, as many as initiators have outstanding transactions.
class TargetPort final : public Port,
                         public StationSide,
                         private tlm::tlm_bw_transport_if<>,
                         private tlm::tlm_mm_interface {
 public:
  /// `initiators` is complete when the simulation starts.
  TargetPort(const TargetConfig& config, const PortParts& parts, const InitiatorPorts& initiators,
             Station& station);
  ~TargetPort() override;

  tlm::tlm_initiator_socket<> socket;  ///< Binds to the target.

  /// The node whose source is the station; `initiator_at`: the initiators' numbers by node.
  void join(traffic::FlitNodeState& node, const std::vector<unsigned>& initiator_at);
  NodeId node() const { return config_.node; }
  const std::string& target() const { return config_.name; }
  /// Requests that have arrived and are not answered by packets that have left.
  unsigned held() const { return held_; }

  /// Shows the transactions of the socket in a waveform.
  void add_wave(observe::Wave& wave) { wave_ = std::make_unique<SocketWave>(wave, "target", config_.name); }

  /// Direct pointer for `address` of the target, in the addresses of initiators.
  bool direct_pointer(tlm::tlm_generic_payload& payload, std::uint64_t address, tlm::tlm_dmi& dmi);
  /// Debug access at `address` of the target.
  unsigned debug(tlm::tlm_generic_payload& payload, std::uint64_t address);

  void act(PortEvent event, std::uint32_t item) override;
  void take(Cycle now, const MessagePart& part, const Packet& packet) override;
  void left(Cycle now, NodeId to, std::uint16_t tag) override;
  bool is_full() const override { return held_ >= config_.queue; }
  bool is_busy() const override { return is_full() && held_ > answered_; }

 private:
  /// A request at this target, in its place.
  struct Request final : tlm::tlm_generic_payload {
    std::uint32_t place = 0;
    unsigned initiator = 0;
    std::uint16_t tag = 0;
    bool begun = false;  ///< A packet of the request has arrived, and its response has not left.
    MessagePart message;
    Reassembly parts;
    TargetPhase phase = TargetPhase::none;
    std::vector<unsigned char> data, enables;
  };

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& time) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override;
  void free(tlm::tlm_generic_payload* payload) override;

  Request& request_of(NodeId node, std::uint16_t tag, const char* what);
  void begin(Request& request, const MessagePart& part);
  void issue(Request& request);
  void updated(Request& request, const tlm::tlm_phase& phase, const sc_core::sc_time& time);
  void accepted(Request& request, const sc_core::sc_time& time);
  void end(Request& request);
  void answer(Request& request);
  void show() {
    if (wave_ != nullptr) wave_->show(!phases_.may_request(), phases_.responds(), shown_held_);
  }
  /// Shows a change of held_ at the time of its cycle, which the network may run early.
  void show_held(Cycle now, std::uint32_t more) {
    if (wave_ != nullptr) parts_.calendar.at_cycle(now, port_, PortEvent::held, more);
  }
  void check(const char* broken) const {
    if (broken != nullptr) fail(broken);
  }
  [[noreturn]] void fail(const std::string& what) const;

  const TargetConfig config_;
  const PortParts parts_;
  const InitiatorPorts& initiators_;
  Station& station_;
  const unsigned port_;
  traffic::FlitNodeState* node_ = nullptr;
  TargetPhases phases_;
  std::vector<unsigned> initiator_at_;              ///< [node]
  std::vector<std::uint32_t> first_place_;          ///< [initiator]
  std::vector<std::unique_ptr<Request>> requests_;  ///< [place]
  std::vector<std::unique_ptr<Request>> kept_;      ///< answered ones to which a target keeps a reference
  std::unique_ptr<RequestOrder> order_;
  std::deque<Request*> ready_;
  unsigned held_ = 0,  ///< requests that are ready, at the target, or answered by packets that have not left
      answered_ = 0;   ///< the last of these
  std::unique_ptr<SocketWave> wave_;  ///< null: no waveform
  unsigned shown_held_ = 0;
};

}  // namespace tsuji::interconnect
