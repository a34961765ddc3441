// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "host/plain_initiator.h"
#include "nic/rig.h"
#include "support/catch.h"
#include "tsuji/core/error.h"

using namespace tsuji;
using namespace tsuji::nic;
using namespace tsuji::test;
using host::test::EndForm;
using sc_core::sc_time;
using tlm::TLM_READ_COMMAND;
using tlm::TLM_WRITE_COMMAND;

// Registers accessed by initiators of the base protocol without Tsuji's extension.

namespace {

constexpr unsigned cid = 1;
constexpr auto ok = tlm::TLM_OK_RESPONSE;
constexpr std::uint64_t set2 = 2 * sender_set_stride;
constexpr std::uint64_t free_word = receiver_task_base + log_read_pointer;

struct PlainRig {
  PlainRig() : pair("pair"), plain("plain") { plain.socket.bind(pair.a.nic.add_registers("place")); }
  static void thread(const std::function<void()>& body) { sc_core::sc_spawn(body); }
  /// Waits until `cycle`, between two edges or at one.
  static void until(double cycle) {
    sc_core::wait(sc_time(12.5 * cycle, sc_core::SC_NS) - sc_core::sc_time_stamp());
  }
  tlm::tlm_response_status write(std::uint64_t offset, std::uint64_t value, unsigned length) {
    plain.transport(TLM_WRITE_COMMAND, offset, &value, length);
    return plain.status;
  }
  std::uint64_t read(std::uint64_t offset, unsigned length) {
    std::uint64_t value = 0;
    plain.transport(TLM_READ_COMMAND, offset, &value, length);
    CHECK(plain.status == ok);
    return value;
  }
  Pair pair;
  host::test::PlainInitiator<> plain;
};

}  // namespace

TEST_CASE("plain registers: accesses of 1 to 8 bytes within one register leave its other bytes unchanged") {
  PlainRig rig;
  rig.thread([&] {
    rig.until(3.5);
    CHECK(rig.write(free_word, 0x1122334455667788, 8) == ok);
    CHECK(rig.read(free_word, 4) == 0x55667788);
    CHECK(rig.read(free_word + 4, 4) == 0x11223344);
    CHECK(rig.read(free_word + 3, 2) == 0x4455);
    CHECK(rig.write(free_word + 4, 0xaabbccdd, 4) == ok);
    CHECK(rig.write(free_word + 1, 0xee, 1) == ok);
    CHECK(rig.read(free_word, 8) == 0xaabbccdd5566ee88);
    CHECK(rig.write(free_word + 6, 1, 4) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
  rig.pair.run();
}

TEST_CASE("plain registers: byte enables and streaming widths") {
  PlainRig rig;
  rig.thread([&] {
    rig.until(3.5);
    rig.write(free_word, 0x1122334455667788, 8);
    std::array<unsigned char, 2> enables{TLM_BYTE_DISABLED, TLM_BYTE_ENABLED};
    const auto odd_bytes = [&](tlm::tlm_generic_payload& payload) {
      payload.set_byte_enable_ptr(enables.data());
      payload.set_byte_enable_length(2);
    };
    std::uint64_t value = 0;
    rig.plain.transport(TLM_WRITE_COMMAND, free_word, &value, 8, sc_core::SC_ZERO_TIME, odd_bytes);
    CHECK(rig.plain.status == ok);
    CHECK(rig.read(free_word, 8) == 0x0022004400660088);
    value = ~std::uint64_t{0};
    rig.plain.transport(TLM_READ_COMMAND, free_word, &value, 8, sc_core::SC_ZERO_TIME, odd_bytes);
    CHECK(value == 0x00ff00ff00ff00ff);
    // Two beats of 4 bytes to the lower half: the second one's value remains.
    value = 0x5555666677778888;
    rig.plain.transport(TLM_WRITE_COMMAND, free_word, &value, 8, sc_core::SC_ZERO_TIME,
                        [](auto& payload) { payload.set_streaming_width(4); });
    CHECK(rig.read(free_word, 8) == 0x0022004455556666);
    std::array<std::uint32_t, 3> beats{};
    rig.plain.transport(TLM_READ_COMMAND, free_word + 4, beats.data(), 12, sc_core::SC_ZERO_TIME,
                        [](auto& payload) { payload.set_streaming_width(4); });
    CHECK(beats == std::array<std::uint32_t, 3>{0x00220044, 0x00220044, 0x00220044});
    // Without enabled bytes nothing is written.
    enables[1] = TLM_BYTE_DISABLED;
    rig.plain.transport(TLM_WRITE_COMMAND, common_os_base + flush_tlbs, &value, 8, sc_core::SC_ZERO_TIME,
                        odd_bytes);
    CHECK(rig.plain.status == ok);
  });
  rig.pair.run();
}

TEST_CASE(
    "plain registers: halves of a pointer send a parcel, halves of write-1-to-clear registers clear their "
    "own bits") {
  PlainRig rig;
  elaborate();
  rig.pair.a.open_set(2, cid);
  rig.pair.b.open_set(2, cid);
  rig.pair.b.map(cid, 0x10000, 1);
  ParcelHeader header = inline_word(77, 0x10000);
  header.interrupt = true;
  rig.pair.a.push(2, header);
  rig.thread([&] {
    rig.until(10.5);
    CHECK(rig.write(set2 + queue_write_pointer + 4, 0, 4) == ok);
    CHECK(rig.write(set2 + queue_write_pointer, 32, 4) == ok);
    rig.until(5000.5);
    CHECK(rig.read(set2 + queue_read_pointer, 4) == 32);
  });
  rig.pair.run();
  CHECK(rig.pair.b.word(cid, 0x10000) == 77);
}

TEST_CASE("plain registers: a part of a write-1-to-clear register clears only its own bits") {
  PlainRig rig;
  elaborate();
  for (Node* node : {&rig.pair.a, &rig.pair.b}) {
    node->open_set(2, cid);
    node->map(cid, 0x10000, 1);
    node->memory.poke_word(limits_at + std::uint64_t{128} * cid + 56, BufferLimits::receive_interrupt);
  }
  ParcelHeader header = dma(77, 0x10000, 8, 0);
  header.inline_data = header.interrupt = true;
  rig.pair.b.push(2, header);
  rig.pair.b.ring_at_start(2);
  constexpr std::uint64_t pending = event_os_base + event_pending;
  constexpr std::uint64_t received = std::uint64_t{1} << static_cast<unsigned>(NicEvent::received);
  rig.thread([&] {
    rig.until(5000.5);
    CHECK(rig.read(pending, 8) == received);
    rig.write(pending + 4, 0xffffffff, 4);
    CHECK(rig.read(pending, 8) == received);
    rig.write(pending, received, 4);
    CHECK(rig.read(pending, 8) == 0);
  });
  rig.pair.run();
}

TEST_CASE("plain registers: an access at an edge takes effect right after it, in any order of processes") {
  PlainRig rig;
  elaborate();
  rig.pair.a.open_set(2, cid);
  rig.pair.b.open_set(2, cid);
  rig.pair.b.map(cid, 0x10000, 1);
  for (unsigned i = 0; i < 3; ++i) {
    rig.pair.a.push(2, inline_word(77 + i, 0x10000 + 8 * i));
  }
  rig.thread([&] {
    rig.until(1000);
    rig.write(set2 + queue_write_pointer, 32, 8);
    CHECK(sc_core::sc_time_stamp() == sc_time(12500.0 * 1000 + 1, sc_core::SC_PS));
    rig.until(2000);
    sc_core::wait(sc_core::SC_ZERO_TIME);
    rig.write(set2 + queue_write_pointer, 64, 8);
    rig.until(3000.5);
    rig.write(set2 + queue_write_pointer, 96, 8);
  });
  rig.pair.run();
  REQUIRE(rig.pair.b.deliveries.size() == 3);
  CHECK(rig.pair.b.deliveries[1].created - rig.pair.b.deliveries[0].created == 1000);
  CHECK(rig.pair.b.deliveries[2].created - rig.pair.b.deliveries[1].created == 1000);
}

TEST_CASE("plain registers: a method that has run ahead cannot wait, and one between two edges need not") {
  PlainRig rig;
  unsigned calls = 0;
  sc_core::sc_spawn_options method;
  method.spawn_method();
  const auto body = [&] {
    if (sc_core::sc_time_stamp() == sc_core::SC_ZERO_TIME)
      return sc_core::next_trigger(sc_time(12.5 * 3.5, sc_core::SC_NS));
    std::uint64_t word = 5;
    CHECK_THROWS_WITH(rig.plain.transport(TLM_WRITE_COMMAND, free_word, &word, 8, sc_time(1, sc_core::SC_NS)),
                      Catch::Contains("b_transport was called by a process that cannot wait"));
    rig.plain.transport(TLM_WRITE_COMMAND, free_word, &word, 8);
    CHECK(rig.plain.status == ok);
    ++calls;
  };
  sc_core::sc_spawn(body, "ahead", &method);
  rig.pair.run();
  CHECK(calls == 1);
}

namespace {

void speaks_in_phases(EndForm form) {
  PlainRig rig;
  rig.plain.form = form;
  std::array<std::uint64_t, 3> values{0x55, 0, 0x66};
  std::array<tlm::tlm_generic_payload*, 3> payloads{};
  rig.thread([&] {
    rig.until(10);
    const auto cycles = [](double count) { return sc_time(12.5 * count, sc_core::SC_NS); };
    for (unsigned i = 0; i < 3; ++i) {
      auto& payload = rig.plain.make();
      payloads[i] = &payload;
      rig.plain.fill(payload, i == 1 ? TLM_READ_COMMAND : TLM_WRITE_COMMAND, free_word, &values[i], 8);
    }
    // The last request is the first by its annotation; the second is at an edge.
    CHECK(rig.plain.request(*payloads[0], cycles(4.5)) == tlm::TLM_UPDATED);
    CHECK(rig.plain.request(*payloads[1], cycles(6)) == tlm::TLM_UPDATED);
    CHECK(rig.plain.request(*payloads[2], cycles(2.5)) == tlm::TLM_UPDATED);
    if (form != EndForm::called_later) return;
    for (const unsigned i : {2, 0, 1}) {
      rig.until(100.0 * (1 + (i + 1) % 3));
      CHECK(rig.plain.answers.size() == 1 + (i + 1) % 3);
      CHECK(rig.plain.answers.back().payload == payloads[i]);
      CHECK(rig.plain.end(*payloads[i]) == tlm::TLM_COMPLETED);
    }
  });
  rig.pair.run();
  REQUIRE(rig.plain.answers.size() == 3);
  CHECK(values[1] == 0x55);
  const auto ps = [](double count) { return sc_time(count, sc_core::SC_PS); };
  const std::array<double, 3> at = form == EndForm::called_later
                                       ? std::array<double, 3>{12.5 * 12500, 100 * 12500 + 1, 200 * 12500 + 1}
                                       : std::array<double, 3>{12.5 * 12500, 14.5 * 12500, 16 * 12500 + 1};
  for (unsigned i = 0; i < 3; ++i) {
    CHECK(rig.plain.answers[i].at == ps(at[i]));
    CHECK(rig.plain.answers[i].status == ok);
    CHECK(payloads[i]->get_ref_count() == 1);
  }
}

DECLARE_EXTENDED_PHASE(register_phase_of_somebody_else);

}  // namespace

TEST_CASE("plain registers: non-blocking, in the order of annotations, completed") {
  speaks_in_phases(EndForm::completed);
}

TEST_CASE("plain registers: non-blocking, in the order of annotations, updated") {
  speaks_in_phases(EndForm::updated);
}

TEST_CASE("plain registers: non-blocking, in the order of annotations, END_RESP called") {
  speaks_in_phases(EndForm::called_later);
}

TEST_CASE("plain registers: unknown phases are ignored, wrong ones are errors") {
  PlainRig rig;
  elaborate();
  std::uint64_t word = 0;
  auto& payload = rig.plain.make();
  rig.plain.fill(payload, TLM_READ_COMMAND, free_word, &word, 8);
  sc_time delay = sc_core::SC_ZERO_TIME;
  tlm::tlm_phase phase = register_phase_of_somebody_else;
  CHECK(rig.plain.socket->nb_transport_fw(payload, phase, delay) == tlm::TLM_ACCEPTED);
  for (const tlm::tlm_phase& wrong :
       {tlm::tlm_phase(tlm::END_REQ), tlm::tlm_phase(tlm::BEGIN_RESP), tlm::tlm_phase(tlm::END_RESP)}) {
    phase = wrong;
    CHECK_THROWS_AS(rig.plain.socket->nb_transport_fw(payload, phase, delay), ModelError);
  }
  tlm::tlm_generic_payload bare;
  CHECK_THROWS_AS(rig.plain.socket->nb_transport_fw(bare, phase = tlm::BEGIN_REQ, delay), ModelError);
}

TEST_CASE("plain registers: a debugger reads all registers and writes only those without side effects") {
  PlainRig rig;
  elaborate();
  rig.pair.a.open_set(2, cid);
  rig.pair.a.push(2, dma(77, 0x10000, 8));
  rig.pair.at(3, [] {});
  const std::uint64_t os2 = sender_os_base + set2;
  CHECK(rig.pair.a.debug_write(os2 + node_table_base, 0x3000) == 8);
  CHECK(rig.pair.a.get(os2 + node_table_base) == 0x3000);
  for (const std::uint64_t offset :
       {set2 + queue_write_pointer, set2 + queue_read_pointer, set2 + queue_status, os2 + queue_bytes,
        os2 + queue_state, os2 + empty_interrupt, common_os_base + flush_tlbs, free_word,
        receiver_task_base + address_register0, event_os_base + event_enable, event_os_base + event_pending,
        event_os_base + sender_fault_state, event_os_base + cid_list0, std::uint64_t{0x4000},
        register_space_bytes}) {
    CAPTURE(offset);
    CHECK(rig.pair.a.debug_write(offset, 32) == 0);
  }
  CHECK(rig.pair.a.get(set2 + queue_write_pointer) == 0);
  // Reads all registers up to their end, in pieces of any size.
  std::array<unsigned char, 32> bytes{};
  tlm::tlm_generic_payload payload;
  rig.plain.fill(payload, TLM_READ_COMMAND, os2 + synchronization_table_entries - 4, bytes.data(), 32);
  CHECK(rig.plain.socket->transport_dbg(payload) == 28);
  rig.plain.fill(payload, TLM_READ_COMMAND, os2 + node_table_base + 1, bytes.data(), 3);
  CHECK(rig.plain.socket->transport_dbg(payload) == 3);
  CHECK(bytes[0] == 0x30);
  rig.plain.fill(payload, TLM_WRITE_COMMAND, os2 + node_table_base + 1, bytes.data(), 0);
  bytes[0] = 0x40;
  payload.set_data_length(1);
  CHECK(rig.plain.socket->transport_dbg(payload) == 1);
  CHECK(rig.pair.a.get(os2 + node_table_base) == 0x4000);
  payload.set_command(tlm::TLM_IGNORE_COMMAND);
  CHECK(rig.plain.socket->transport_dbg(payload) == 0);
  rig.pair.run();
  CHECK(rig.pair.b.deliveries.empty());
}
