// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "tsuji/interconnect/address_map.h"
#include "tsuji/interconnect/interconnect_config.h"
#include "tsuji/interconnect/phases.h"
#include "tsuji/interconnect/port_calendar.h"
#include "tsuji/interconnect/socket_wave.h"
#include "tsuji/interconnect/station.h"
#include "tsuji/traffic/flit_node_state.h"

namespace tsuji::interconnect {

class TargetPort;

/// Parts that all ports of a TlmNetwork share.
struct PortParts {
  PortCalendar& calendar;
  const AddressMap& addresses;
  const std::vector<std::unique_ptr<TargetPort>>& targets;
  WireConfig wire;
};

/// Transactions of an initiator.
struct InitiatorCounts {
  std::uint64_t begun = 0,       ///< Transactions that the initiator has begun.
      answered = 0,              ///< Transactions whose response it has ended.
      errors = 0;                ///< Answered ones with an error.
  std::uint64_t data_bytes = 0;  ///< Data of those that were answered without an error.
  /// Time from the beginning of a transaction, after its annotation, to the end of its response: sum over the
  /// answered ones, and the longest.
  Picoseconds ps_sum = 0, most_ps = 0;
};

/// Side of a TlmNetwork towards an initiator: a TLM-2.0 target socket of the base protocol.
///
/// A transaction gets a tag when one is free and fewer than `requests` requests have packets that have not
/// left. Until then its END_REQ is held back, or its b_transport waits. A blocking call first waits for the
/// time that it is annotated with, so an initiator with a quantum is synchronized.
class InitiatorPort final : public Port, public StationSide, private tlm::tlm_fw_transport_if<> {
 public:
  InitiatorPort(const InitiatorConfig& config, const PortParts& parts, Station& station);
  ~InitiatorPort() override;

  tlm::tlm_target_socket<> socket;  ///< The initiator binds to it.

  /// The node whose source is the station.
  void join(traffic::FlitNodeState& node) { node_ = &node; }
  NodeId node() const { return config_.node; }
  unsigned outstanding() const { return config_.outstanding; }
  const std::string& initiator() const { return config_.name; }
  const InitiatorCounts& counts() const { return counts_; }
  /// The transaction with a tag; null: the tag is free.
  tlm::tlm_generic_payload* transaction(std::uint16_t tag) const { return open_.at(tag).payload; }
  /// Shows the transactions of the socket in a waveform.
  void add_wave(observe::Wave& wave) {
    wave_ = std::make_unique<SocketWave>(wave, "initiator", config_.name);
  }
  /// Passes an invalidation of direct pointers on.
  void invalidate(std::uint64_t first, std::uint64_t last) { socket->invalidate_direct_mem_ptr(first, last); }

  void act(PortEvent event, std::uint32_t item) override;
  void take(Cycle now, const MessagePart& part, const Packet& packet) override;
  void left(Cycle now, NodeId to, std::uint16_t tag) override;

 private:
  /// A caller of b_transport.
  struct Caller {
    sc_core::sc_event answered;
    bool done = false;
  };
  struct Waiting {
    tlm::tlm_generic_payload* payload;
    Caller* caller;  ///< null: non-blocking
    Picoseconds begun_ps;
  };
  /// A transaction with a tag.
  struct Open {
    tlm::tlm_generic_payload* payload = nullptr;
    Caller* caller = nullptr;
    Picoseconds begun_ps = 0;
    DataView view;
    Reassembly response;
    Status status = Status::incomplete;
    bool dmi_allowed = false;
  };

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& time) override;
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& time) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;

  void submit(tlm::tlm_generic_payload& payload, Caller* caller);
  void accept_next();
  void accept(const Waiting& request, std::uint16_t tag);
  void send(Open& open, std::uint16_t tag, const AddressMap::Place& place, Cycle at);
  void answer(std::uint16_t tag);
  void respond();
  void finish(std::uint16_t tag);
  void begin_request(tlm::tlm_generic_payload& payload, const sc_core::sc_time& time);
  void end_response(tlm::tlm_generic_payload& payload, const sc_core::sc_time& time);
  Caller* take_caller();
  void show() {
    if (wave_ != nullptr)
      wave_->show(!waiting_.empty() || phases_.requesting(), phases_.responds(),
                  counts_.begun - counts_.answered);
  }
  [[noreturn]] void fail(const std::string& what) const;

  const InitiatorConfig config_;
  const PortParts parts_;
  Station& station_;
  const unsigned port_;
  traffic::FlitNodeState* node_ = nullptr;
  InitiatorPhases phases_;
  std::deque<Waiting> waiting_;
  tlm::tlm_generic_payload* annotated_ = nullptr;  ///< a request that is due later
  std::vector<Open> open_;                         ///< [tag]
  std::vector<std::uint16_t> free_;                ///< free tags
  std::vector<std::uint32_t> order_to_;            ///< [target]: number of the next request
  unsigned not_left_ = 0;                          ///< requests that have packets that have not left
  std::vector<std::uint16_t> arrived_;             ///< responses that have arrived as a whole
  std::vector<std::unique_ptr<Caller>> callers_;
  std::vector<Caller*> idle_callers_;
  InitiatorCounts counts_;
  std::unique_ptr<SocketWave> wave_;  ///< null: no waveform
};

}  // namespace tsuji::interconnect
