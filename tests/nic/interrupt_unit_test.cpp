// SPDX-License-Identifier: Apache-2.0
// Interrupts as a wire and as registers of 32 bits.

#include "tsuji/nic/interface/interrupt_unit.h"

#include <utility>
#include <vector>

#include "host/plain_initiator.h"
#include "nic/rig.h"
#include "support/base_protocol_checker.h"
#include "support/catch.h"

using namespace tsuji;
using namespace tsuji::nic;
using namespace tsuji::test;

namespace {

constexpr unsigned cid = 1;
constexpr std::uint32_t empty_bit = 1U << static_cast<unsigned>(NicEvent::sender_empty);
constexpr std::uint64_t set2_empty = sender_os_base + 2 * sender_set_stride + empty_interrupt;

/// Node a of a pair with a unit whose wire is recorded.
struct UnitRig {
  UnitRig() : pair("pair"), unit("unit"), software("software"), checker("checker") {
    unit.registers.bind(pair.a.nic.add_registers("unit_registers"));
    pair.a.nic.set_interrupt_line(&unit);
    unit.irq.bind(wire);
    software.socket.bind(checker.from_initiator);
    checker.to_target.bind(unit.socket);
    elaborate();
    pair.a.open_set(2, cid);
  }
  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t offset, std::uint32_t& value,
                                  unsigned length = 4) {
    software.transport(command, offset, &value, length);
    return software.status;
  }
  std::uint32_t read(std::uint64_t offset) {
    std::uint32_t value = 0xdeadbeef;
    CHECK(access(tlm::TLM_READ_COMMAND, offset, value) == tlm::TLM_OK_RESPONSE);
    return value;
  }
  void write(std::uint64_t offset, std::uint32_t value) {
    CHECK(access(tlm::TLM_WRITE_COMMAND, offset, value) == tlm::TLM_OK_RESPONSE);
  }
  /// Level of the wire in the next cycle.
  void expect(Cycle cycle, bool up) {
    pair.at(cycle, [this, cycle, up] {
      CAPTURE(cycle);
      CHECK(wire.read() == up);
      ++levels_seen;
    });
  }
  Pair pair;
  InterruptUnit unit;
  host::test::PlainInitiator<> software;
  BaseProtocolChecker checker;
  sc_core::sc_signal<bool> wire{"wire"};
  unsigned levels_seen = 0;
};

}  // namespace

TEST_CASE("interrupt unit: the wire follows the events that are pending and enabled") {
  UnitRig rig;
  rig.pair.at(10, [&] { rig.pair.a.write(set2_empty, 1); });  // the empty queue is an event at once
  rig.expect(20, false);                                      // pending, not enabled
  rig.pair.at(21, [&] {
    CHECK(rig.read(interrupt_raw) == empty_bit);
    CHECK(rig.read(interrupt_status) == 0);
    CHECK(rig.read(interrupt_enable) == 0);
    rig.write(interrupt_enable, empty_bit);
    CHECK(rig.read(interrupt_enable) == empty_bit);
    CHECK(rig.read(interrupt_status) == empty_bit);
  });
  rig.expect(22, true);
  rig.pair.at(30, [&] { rig.write(interrupt_clear, ~empty_bit); });  // another event's bits
  rig.expect(31, true);
  rig.pair.at(40, [&] {
    rig.write(interrupt_clear, empty_bit);
    CHECK(rig.read(interrupt_raw) == 0);
    CHECK(rig.read(interrupt_clear) == 0);
  });
  rig.expect(41, false);
  rig.pair.run();
  CHECK(rig.levels_seen == 4);
}

TEST_CASE("interrupt unit: disabling a pending event lowers the wire, and enabling it raises it again") {
  UnitRig rig;
  rig.pair.at(5, [&] { rig.write(interrupt_enable, 0xff); });
  rig.pair.at(10, [&] { rig.pair.a.write(set2_empty, 1); });
  rig.expect(20, true);
  rig.pair.at(21, [&] { rig.write(interrupt_enable, 0xff & ~empty_bit); });
  rig.expect(22, false);
  rig.pair.at(23, [&] { rig.write(interrupt_enable, empty_bit); });
  rig.expect(24, true);
  // The interface's own registers are the same events.
  rig.pair.at(25, [&] { rig.pair.a.write(event_os_base + event_pending, empty_bit); });
  rig.expect(26, false);
  rig.pair.run();
  CHECK(rig.levels_seen == 4);
}

TEST_CASE("interrupt unit: accesses that are not of one register get errors") {
  UnitRig rig;
  rig.pair.at(5, [&] {
    std::uint32_t value = 1;
    CHECK(rig.access(tlm::TLM_WRITE_COMMAND, interrupt_status, value) == tlm::TLM_COMMAND_ERROR_RESPONSE);
    CHECK(rig.access(tlm::TLM_WRITE_COMMAND, interrupt_raw, value) == tlm::TLM_COMMAND_ERROR_RESPONSE);
    CHECK(rig.access(tlm::TLM_READ_COMMAND, interrupt_unit_bytes, value) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(rig.access(tlm::TLM_READ_COMMAND, 2, value) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(rig.access(tlm::TLM_READ_COMMAND, 0, value, 2) == tlm::TLM_BURST_ERROR_RESPONSE);
    const auto spoiled = [&](const std::function<void(tlm::tlm_generic_payload&)>& spoil) {
      rig.software.transport(tlm::TLM_READ_COMMAND, interrupt_raw, &value, 4, sc_core::SC_ZERO_TIME, spoil);
      return rig.software.status;
    };
    unsigned char enable = TLM_BYTE_ENABLED;
    CHECK(spoiled([](tlm::tlm_generic_payload& payload) { payload.set_streaming_width(2); }) ==
          tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(spoiled([&](tlm::tlm_generic_payload& payload) {
            payload.set_byte_enable_ptr(&enable);
            payload.set_byte_enable_length(1);
          }) == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    CHECK(spoiled([](tlm::tlm_generic_payload& payload) { payload.set_command(tlm::TLM_IGNORE_COMMAND); }) ==
          tlm::TLM_COMMAND_ERROR_RESPONSE);
    CHECK(rig.read(interrupt_enable) == 0);
  });
  rig.pair.run();
}

TEST_CASE("interrupt unit: non-blocking requests are served one after the other, at edges of the interface") {
  UnitRig rig;
  rig.software.form = host::test::EndForm::called_later;
  std::uint32_t enabled = empty_bit, raw = 0, status = 0, refused = 1;
  std::vector<std::pair<tlm::tlm_command, std::pair<std::uint64_t, std::uint32_t*>>> accesses{
      {tlm::TLM_WRITE_COMMAND, {interrupt_enable, &enabled}},
      {tlm::TLM_READ_COMMAND, {interrupt_raw, &raw}},
      {tlm::TLM_WRITE_COMMAND, {interrupt_raw, &refused}},
      {tlm::TLM_READ_COMMAND, {interrupt_status, &status}}};
  const sc_core::sc_time half = rig.pair.domain.time_of(1) / 2;
  std::vector<tlm::tlm_generic_payload*> payloads;
  rig.software.on_response = [&](tlm::tlm_generic_payload& payload) {
    rig.pair.at(40 + 4 * rig.software.answers.size(),
                [&] { CHECK(rig.software.end(payload) == tlm::TLM_COMPLETED); });
  };
  rig.pair.at(10, [&] { rig.pair.a.write(set2_empty, 1); });
  rig.pair.at(20, [&] {
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      auto& payload = rig.software.make();
      payloads.push_back(&payload);
      rig.software.fill(payload, accesses[i].first, accesses[i].second.first, accesses[i].second.second, 4);
      CHECK(rig.software.request(payload, i == 3 ? 3 * half : half) == tlm::TLM_UPDATED);  // at edges
    }
  });
  rig.pair.run();
  const auto& answers = rig.software.answers;
  REQUIRE(answers.size() == 4);
  for (unsigned i = 0; i < 4; ++i) {
    CAPTURE(i);
    CHECK(answers[i].payload == payloads[i]);
    CHECK(answers[i].status == (i == 2 ? tlm::TLM_COMMAND_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE));
  }
  CHECK(answers[0].at >= rig.pair.domain.time_of(21));
  CHECK(answers[0].at < rig.pair.domain.time_of(21) + half);
  CHECK(answers[3].at >= rig.pair.domain.time_of(22));
  CHECK(raw == empty_bit);
  CHECK(status == empty_bit);
  CHECK(rig.wire.read());
  CHECK(rig.checker.violations.empty());
  CHECK(rig.checker.at_rest());
  for (tlm::tlm_generic_payload* const payload : payloads) payload->release();
  CHECK(rig.software.freed == 4);
}

TEST_CASE("interrupt unit: phases that break the base protocol are refused") {
  UnitRig rig;
  std::uint32_t value = 0;
  tlm::tlm_generic_payload unmanaged;
  rig.software.fill(unmanaged, tlm::TLM_READ_COMMAND, interrupt_raw, &value, 4);
  rig.pair.at(5, [&] {
    CHECK_THROWS_AS(rig.software.request(unmanaged), ModelError);
    CHECK_THROWS_AS(rig.software.end(rig.software.make()), ModelError);
  });
  rig.pair.run();
}

TEST_CASE("interrupt unit: debug access reads registers and writes none") {
  UnitRig rig;
  rig.pair.at(5, [&] { rig.write(interrupt_enable, empty_bit); });
  rig.pair.at(6, [&] {
    std::uint32_t value = 0;
    tlm::tlm_generic_payload payload;
    rig.software.fill(payload, tlm::TLM_READ_COMMAND, interrupt_enable, &value, 4);
    CHECK(rig.software.socket->transport_dbg(payload) == 4);
    CHECK(value == empty_bit);
    value = 0;
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    CHECK(rig.software.socket->transport_dbg(payload) == 0);
    CHECK(rig.read(interrupt_enable) == empty_bit);
  });
  rig.pair.run();
}

TEST_CASE("interrupt unit: the wire may stay unbound") {
  Pair pair("pair");
  InterruptUnit unit("unit");
  host::test::PlainInitiator<> software("software");
  unit.registers.bind(pair.a.nic.add_registers("unit_registers"));
  pair.a.nic.set_interrupt_line(&unit);
  software.socket.bind(unit.socket);
  elaborate();
  pair.a.open_set(2, cid);
  std::uint32_t enabled = empty_bit, status = 0;
  pair.at(5, [&] { software.transport(tlm::TLM_WRITE_COMMAND, interrupt_enable, &enabled, 4); });
  pair.at(10, [&] { pair.a.write(set2_empty, 1); });
  pair.at(20, [&] { software.transport(tlm::TLM_READ_COMMAND, interrupt_status, &status, 4); });
  pair.run();
  CHECK(status == empty_bit);
}
