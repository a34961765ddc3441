// SPDX-License-Identifier: Apache-2.0
#include "support/base_protocol_checker.h"
#include "support/catch.h"

#include <functional>
#include <memory>
#include <vector>

using namespace tsuji::test;
using sc_core::sc_time;

namespace {

sc_time ns(double count) {
  return {count, sc_core::SC_NS};
}

/// An initiator and a target that the test scripts, with a checker in between.
struct Rig final : sc_core::sc_module,
                   tlm::tlm_fw_transport_if<>,
                   tlm::tlm_bw_transport_if<>,
                   tlm::tlm_mm_interface {
  explicit Rig(sc_core::sc_module_name name)
      : sc_module(name), initiator("initiator"), target("target"), checker("checker") {
    initiator.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    target.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    initiator.bind(checker.from_initiator);
    checker.to_target.bind(target);
    for (auto* payload : {&one, &two}) {
      payload->set_mm(this);
      payload->acquire();
      fill(*payload);
    }
    fill(bare);
    loose.set_mm(this);
    fill(loose);
  }
  ~Rig() override {
    for (auto* payload : {&one, &two, &loose}) payload->set_mm(nullptr);
  }
  void fill(tlm::tlm_generic_payload& payload) {
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_data_ptr(data);
    payload.set_data_length(8);
    payload.set_streaming_width(8);
  }
  tlm::tlm_sync_enum forth(tlm::tlm_generic_payload& payload, tlm::tlm_phase phase, double time = 0) {
    sc_time delay = ns(time);
    return initiator->nb_transport_fw(payload, phase, delay);
  }
  tlm::tlm_sync_enum back(tlm::tlm_generic_payload& payload, tlm::tlm_phase phase, double time = 0) {
    if (phase == tlm::BEGIN_RESP) payload.set_response_status(status);
    sc_time delay = ns(time);
    return target->nb_transport_bw(payload, phase, delay);
  }
  void block(tlm::tlm_generic_payload& payload) {
    sc_time delay = ns(5);
    initiator->b_transport(payload, delay);
  }

  tlm::tlm_initiator_socket<> initiator;
  tlm::tlm_target_socket<> target;
  BaseProtocolChecker checker;
  unsigned char data[8] = {};
  tlm::tlm_generic_payload one, two, bare, loose;  ///< loose: no reference
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
  // The answers of both sides to calls.
  std::function<void(tlm::tlm_generic_payload&, sc_time&)> on_block = [this](auto& payload, sc_time& time) {
    payload.set_response_status(status);
    time += ns(1);
  };
  std::function<tlm::tlm_sync_enum(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_time&)> on_forth, on_back;
  std::function<unsigned()> on_debug = [] { return 8; };
  std::function<bool(tlm::tlm_dmi&)> on_direct;

 private:
  void free(tlm::tlm_generic_payload*) override {}
  void b_transport(tlm::tlm_generic_payload& payload, sc_time& time) override { on_block(payload, time); }
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_time& time) override {
    return on_forth ? on_forth(payload, phase, time) : tlm::TLM_ACCEPTED;
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_time& time) override {
    return on_back ? on_back(payload, phase, time) : tlm::TLM_ACCEPTED;
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) override { return on_direct(dmi); }
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return on_debug(); }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

DECLARE_EXTENDED_PHASE(phase_of_nobody);

struct Planted {
  Rule rule;
  std::function<void(Rig&)> plant;
};

const std::vector<Planted> all_planted{
    {Rule::blocking_in_flight, [](Rig& rig) { rig.forth(rig.one, tlm::BEGIN_REQ), rig.block(rig.one); }},
    {Rule::bad_reference_count, [](Rig& rig) { rig.block(rig.loose); }},
    {Rule::bad_reference_count, [](Rig& rig) { rig.forth(rig.loose, tlm::BEGIN_REQ); }},
    {Rule::no_manager, [](Rig& rig) { rig.forth(rig.bare, tlm::BEGIN_REQ); }},
    {Rule::no_data, [](Rig& rig) { rig.bare.set_data_ptr(nullptr), rig.block(rig.bare); }},
    {Rule::no_data, [](Rig& rig) { rig.one.set_data_length(0), rig.forth(rig.one, tlm::BEGIN_REQ); }},
    {Rule::no_enable_length, [](Rig& rig) { rig.bare.set_byte_enable_ptr(rig.data), rig.block(rig.bare); }},
    {Rule::no_streaming_width, [](Rig& rig) { rig.bare.set_streaming_width(0), rig.block(rig.bare); }},
    {Rule::hint_not_cleared, [](Rig& rig) { rig.bare.set_dmi_allowed(true), rig.block(rig.bare); }},
    {Rule::status_not_reset, [](Rig& rig) { rig.block(rig.bare), rig.block(rig.bare); }},
    {Rule::status_missing, [](Rig& rig) { rig.status = tlm::TLM_INCOMPLETE_RESPONSE, rig.block(rig.bare); }},
    {Rule::status_missing,
     [](Rig& rig) {
       rig.status = tlm::TLM_INCOMPLETE_RESPONSE;
       rig.forth(rig.one, tlm::BEGIN_REQ), rig.back(rig.one, tlm::BEGIN_RESP);
     }},
    {Rule::status_missing,
     [](Rig& rig) {
       rig.on_forth = [](auto&, auto&, auto&) { return tlm::TLM_COMPLETED; };
       rig.forth(rig.one, tlm::BEGIN_REQ);
     }},
    {Rule::attributes_changed,
     [](Rig& rig) {
       rig.forth(rig.one, tlm::BEGIN_REQ);
       rig.one.set_address(8);
       rig.back(rig.one, tlm::END_REQ);
     }},
    {Rule::attributes_changed,
     [](Rig& rig) {
       rig.on_block = [](auto& payload, auto&) {
         payload.set_response_status(tlm::TLM_OK_RESPONSE);
         payload.set_streaming_width(4);
       };
       rig.block(rig.bare);
     }},
    {Rule::write_data_changed,
     [](Rig& rig) {
       rig.forth(rig.one, tlm::BEGIN_REQ);
       rig.data[3] = 1;
       rig.back(rig.one, tlm::BEGIN_RESP);
     }},
    {Rule::read_data_changed,
     [](Rig& rig) {
       rig.one.set_command(tlm::TLM_READ_COMMAND);
       rig.forth(rig.one, tlm::BEGIN_REQ), rig.back(rig.one, tlm::BEGIN_RESP);
       rig.data[7] = 1;
       rig.forth(rig.one, tlm::END_RESP);
     }},
    {Rule::time_goes_back,
     [](Rig& rig) {
       rig.on_block = [](auto& payload, sc_time& time) {
         payload.set_response_status(tlm::TLM_OK_RESPONSE);
         time = ns(4);
       };
       rig.block(rig.bare);
     }},
    {Rule::time_goes_back,
     [](Rig& rig) { rig.forth(rig.one, tlm::BEGIN_REQ, 5), rig.back(rig.one, tlm::BEGIN_RESP, 4); }},
    {Rule::request_exclusion,
     [](Rig& rig) { rig.forth(rig.one, tlm::BEGIN_REQ), rig.forth(rig.two, tlm::BEGIN_REQ); }},
    {Rule::response_exclusion,
     [](Rig& rig) {
       for (auto* payload : {&rig.one, &rig.two})
         rig.forth(*payload, tlm::BEGIN_REQ), rig.back(*payload, tlm::BEGIN_RESP);
     }},
    {Rule::transaction_reused,
     [](Rig& rig) {
       rig.forth(rig.one, tlm::BEGIN_REQ), rig.back(rig.one, tlm::END_REQ),
           rig.forth(rig.one, tlm::BEGIN_REQ);
     }},
    {Rule::out_of_sequence, [](Rig& rig) { rig.back(rig.one, tlm::BEGIN_RESP); }},
    {Rule::out_of_sequence,
     [](Rig& rig) { rig.forth(rig.one, tlm::BEGIN_REQ), rig.forth(rig.one, tlm::END_RESP); }},
    {Rule::out_of_sequence,
     [](Rig& rig) {
       rig.forth(rig.one, tlm::BEGIN_REQ), rig.back(rig.one, tlm::BEGIN_RESP),
           rig.back(rig.one, tlm::END_REQ);
     }},
    {Rule::wrong_direction, [](Rig& rig) { rig.back(rig.one, tlm::BEGIN_REQ); }},
    {Rule::wrong_direction,
     [](Rig& rig) { rig.forth(rig.one, tlm::BEGIN_REQ), rig.forth(rig.one, tlm::END_REQ); }},
    {Rule::phase_changed,
     [](Rig& rig) {
       rig.on_forth = [](auto&, tlm::tlm_phase& phase, auto&) {
         phase = tlm::END_REQ;
         return tlm::TLM_ACCEPTED;
       };
       rig.forth(rig.one, tlm::BEGIN_REQ);
     }},
    {Rule::bad_update,
     [](Rig& rig) {
       rig.on_forth = [](auto&, auto&, auto&) { return tlm::TLM_UPDATED; };
       rig.forth(rig.one, tlm::BEGIN_REQ);
     }},
    {Rule::debug_took_time,
     [](Rig& rig) {
       rig.on_debug = [] {
         sc_core::wait(ns(1));
         return 8;
       };
       rig.initiator->transport_dbg(rig.bare);
     }},
    {Rule::debug_count,
     [](Rig& rig) {
       rig.on_debug = [] { return 9; };
       rig.initiator->transport_dbg(rig.bare);
     }},
    {Rule::direct_region,
     [](Rig& rig) {
       rig.on_direct = [&](tlm::tlm_dmi& dmi) {
         dmi.set_dmi_ptr(rig.data);
         dmi.allow_read();  // but a write was requested
         return true;
       };
       tlm::tlm_dmi dmi;
       rig.initiator->get_direct_mem_ptr(rig.bare, dmi);
     }},
};

/// All that is allowed, with errors among the responses.
void behave(Rig& rig) {
  rig.status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  rig.block(rig.bare);
  rig.forth(rig.one, phase_of_nobody);
  rig.forth(rig.one, tlm::BEGIN_REQ, 3), rig.back(rig.one, tlm::END_REQ, 3);
  rig.forth(rig.two, tlm::BEGIN_REQ, 4), rig.back(rig.one, tlm::BEGIN_RESP, 5);
  rig.forth(rig.one, tlm::END_RESP, 5), rig.back(rig.two, tlm::BEGIN_RESP, 6);
  rig.forth(rig.two, tlm::END_RESP, 6);
  rig.one.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  rig.on_forth = [](auto& payload, tlm::tlm_phase& phase, sc_time& time) {
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    phase = tlm::BEGIN_RESP;
    time += ns(1);
    return tlm::TLM_UPDATED;
  };
  rig.forth(rig.one, tlm::BEGIN_REQ);
  rig.on_forth = nullptr;
  rig.forth(rig.one, tlm::END_RESP, 1);
}

}  // namespace

TEST_CASE("the base protocol's checker reports each planted violation, and is silent otherwise") {
  std::vector<std::unique_ptr<Rig>> rigs;
  for (std::size_t i = 0; i <= all_planted.size() + 1; ++i)
    rigs.push_back(std::make_unique<Rig>(sc_core::sc_gen_unique_name("rig")));
  Rig& good = *rigs[all_planted.size()];
  Rig& method = *rigs.back();
  bool ended = false;
  sc_core::sc_spawn([&] {
    for (std::size_t i = 0; i < all_planted.size(); ++i) all_planted[i].plant(*rigs[i]);
    behave(good);
    ended = true;
  });
  sc_core::sc_spawn_options options;
  options.spawn_method();
  sc_core::sc_spawn([&] { method.block(method.bare); }, "method", &options);
  sc_core::sc_start();
  CHECK(ended);
  std::vector<bool> planted(static_cast<std::size_t>(Rule::direct_region) + 1);
  for (std::size_t i = 0; i < all_planted.size(); ++i) {
    INFO(i << ", " << name_of(all_planted[i].rule));
    const auto& violations = rigs[i]->checker.violations;
    REQUIRE(violations.size() == 1);
    CHECK(name_of(violations[0].rule) == std::string(name_of(all_planted[i].rule)));
    planted[static_cast<std::size_t>(all_planted[i].rule)] = true;
  }
  REQUIRE(method.checker.violations.size() == 1);
  CHECK(method.checker.violations[0].rule == Rule::blocking_from_method);
  planted[static_cast<std::size_t>(Rule::blocking_from_method)] = true;
  CHECK(std::count(planted.begin(), planted.end(), false) == 0);
  CHECK(good.checker.violations.empty());
  CHECK(good.checker.errors == 4);
  CHECK(good.checker.at_rest());
}
