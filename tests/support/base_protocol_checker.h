// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

namespace tsuji::test {

/// Rules of the TLM-2.0 base protocol (IEEE Std 1666-2011, clauses 11, 14 and 15) that a monitor between an
/// initiator and a target can check.
enum class Rule : std::uint8_t {
  blocking_from_method,  ///< b_transport from a process that cannot wait
  blocking_in_flight,    ///< b_transport of a transaction that is in flight
  bad_reference_count,   ///< a memory manager, and no reference to the transaction
  no_manager,            ///< non-blocking transport without a memory manager
  no_data,               ///< no data pointer, or a length of 0
  no_enable_length,      ///< byte enables of length 0
  no_streaming_width,
  hint_not_cleared,    ///< dmi_allowed at the start
  status_not_reset,    ///< a response status at the start
  status_missing,      ///< no response status at the response
  attributes_changed,  ///< command, address, pointers, lengths between request and response
  write_data_changed,  ///< write data changed by the target
  read_data_changed,   ///< read data changed between a response and its end
  time_goes_back,      ///< an annotation that ends before the previous one
  request_exclusion,   ///< BEGIN_REQ before the socket's last request has ended
  response_exclusion,  ///< BEGIN_RESP before the socket's last response has ended
  transaction_reused,  ///< BEGIN_REQ of a transaction that is in flight
  out_of_sequence,     ///< a phase of no transaction, or not its next one
  wrong_direction,     ///< a phase on the opposite path
  phase_changed,       ///< phase changed although TLM_ACCEPTED was returned
  bad_update,          ///< TLM_UPDATED without a phase that may follow
  debug_took_time,
  debug_count,    ///< more bytes than requested
  direct_region,  ///< a pointer whose region lacks the address, or without a right
};

/// Forwards all calls of a binding and records each violation. Independent of the models: knows the standard
/// only.
class BaseProtocolChecker final : public sc_core::sc_module,
                                  private tlm::tlm_fw_transport_if<>,
                                  private tlm::tlm_bw_transport_if<> {
 public:
  explicit BaseProtocolChecker(sc_core::sc_module_name name);

  tlm::tlm_target_socket<> from_initiator;
  tlm::tlm_initiator_socket<> to_target;

  struct Violation {
    Rule rule;
    sc_core::sc_time at;
  };
  std::vector<Violation> violations;
  /// Number of started transactions, error responses, and calls of debug transport and for direct pointers.
  std::uint64_t transactions = 0, errors = 0, debug_calls = 0, direct_calls = 0;
  /// Returns true if all transactions have ended.
  bool at_rest() const { return in_flight_.empty(); }

 private:
  enum class State : std::uint8_t { requested, accepted, responding };
  struct Attributes {
    explicit Attributes(const tlm::tlm_generic_payload& payload);
    bool operator==(const Attributes& o) const;
    tlm::tlm_command command;
    std::uint64_t address;
    unsigned char *data, *enables;
    unsigned length, enable_length, width;
  };
  struct Flight {
    explicit Flight(const tlm::tlm_generic_payload& payload);
    State state = State::requested;
    Attributes attributes;
    std::vector<unsigned char> written, answered;  ///< data of a write; of a read, from its response on
    sc_core::sc_time latest;
  };

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& time) override;
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& time) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& time) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override;

  void note(Rule rule) { violations.push_back({rule, sc_core::sc_time_stamp()}); }
  void check_start(const tlm::tlm_generic_payload& payload);
  void check_manager(const tlm::tlm_generic_payload& payload);
  void check_flight(const Flight& flight, const tlm::tlm_generic_payload& payload);
  void check_time(Flight& flight, const sc_core::sc_time& time);
  void check_response(const tlm::tlm_generic_payload& payload);
  void advance(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase, const sc_core::sc_time& time,
               bool forward);
  void take_return(tlm::tlm_generic_payload& payload, tlm::tlm_sync_enum answer, const tlm::tlm_phase& sent,
                   const tlm::tlm_phase& phase, const sc_core::sc_time& time, bool forward);
  void begin_request(tlm::tlm_generic_payload& payload, const sc_core::sc_time& time);
  void begin_response(tlm::tlm_generic_payload& payload, Flight& flight);
  void end(tlm::tlm_generic_payload& payload);

  std::map<const tlm::tlm_generic_payload*, Flight> in_flight_;
  const tlm::tlm_generic_payload* requesting_ = nullptr;  ///< BEGIN_REQ and no END_REQ
  const tlm::tlm_generic_payload* responding_ = nullptr;
};

const char* name_of(Rule rule);

/// A checker on each of several bindings.
class Checkers {
 public:
  BaseProtocolChecker& add(const std::string& name) {
    checkers_.push_back(std::make_unique<BaseProtocolChecker>(name.c_str()));
    return *checkers_.back();
  }
  const std::vector<std::unique_ptr<BaseProtocolChecker>>& all() const { return checkers_; }
  /// A line for each violation, for the first few of each checker.
  std::string report() const;
  std::uint64_t transactions() const;
  std::uint64_t errors() const;

 private:
  std::vector<std::unique_ptr<BaseProtocolChecker>> checkers_;
};

}  // namespace tsuji::test
