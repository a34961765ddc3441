// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <vector>

#include "host/plain_bench.h"
#include "support/catch.h"
#include "tsuji/core/error.h"

using namespace tsuji;
using namespace tsuji::host;
using namespace tsuji::host::test;
using sc_core::sc_time;
using tlm::TLM_READ_COMMAND;
using Kind = MemoryAccessKind;

TEST_CASE("plain access: blocking requests take part in arbitration, in the order of sockets") {
  PlainBench bench;
  std::vector<std::pair<char, Cycle>> order;
  const auto read = [&](char who, PlainInitiator<>& initiator, double at) {
    bench.thread([&, who, at] {
      sc_core::wait(cycles(at));
      std::uint64_t word = 0;
      const sc_time end = initiator.transport(TLM_READ_COMMAND, 0, &word, 8);
      order.emplace_back(who, end / cycles(1));
    });
  };
  // All requests come while the Sender's line is read (granted in 1, 23 cycles); the processor's two keep
  // their order.
  read('2', bench.second, 4.25);
  read('1', bench.first, 3);
  read('p', bench.processor, 6.5);
  read('q', bench.processor, 2.5);
  read('r', bench.receiver, 20);
  bench.sender.plan({{0, Kind::noncoherent_read, 0, 128, 0}, {5, Kind::noncoherent_read, 0, 8, 0}});
  bench.run();
  // The Sender's second request is registered in cycle 24, with the last word of its first.
  using Order = std::vector<std::pair<char, Cycle>>;
  CHECK(order == Order{{'r', 24 + 8}, {'q', 40 + 8}, {'p', 48 + 8}, {'1', 56 + 8}, {'2', 64 + 8}});
  REQUIRE(bench.sender.answers.size() == 2);
  CHECK(bench.sender.answers[1].granted == 32);
}

TEST_CASE("plain access: the first edge after a request's time counts, annotations included") {
  PlainBench bench;
  bench.thread([&] {
    std::uint64_t word = 0;
    const auto end_of = [&](double at, double ahead) {
      sc_core::wait(cycles(at) - sc_core::sc_time_stamp());
      return bench.first.transport(TLM_READ_COMMAND, 0, &word, 8, cycles(ahead)) / cycles(1);
    };
    CHECK(end_of(100, 0) == 101 + 8);  // at an edge
    CHECK(end_of(200.01, 0) == 201 + 8);
    CHECK(end_of(300.99, 0) == 301 + 8);
    CHECK(end_of(400, 50) == 451 + 8);  // an initiator that has run ahead
    CHECK(end_of(500, 50.5) == 551 + 8);
  });
  bench.run();
}

TEST_CASE("plain access: a request at an edge counts from the next edge on, whichever process runs first") {
  // The thread's event and the controller's fall into one delta cycle in both orders.
  PlainBench bench;
  bench.sender.plan({{10, Kind::noncoherent_read, 0, 8, 0}, {30, Kind::noncoherent_read, 0, 8, 0}});
  for (unsigned k = 0; k < 2; ++k) {
    bench.thread([&, k] {
      sc_core::wait(cycles(11 + 20 * k));
      if (k == 1) sc_core::wait(sc_core::SC_ZERO_TIME);
      std::uint64_t word = 0;
      const sc_time end = bench.receiver.transport(TLM_READ_COMMAND, 0, &word, 8);
      CHECK(end == cycles(11 + 20 * k + 8 + 8));
    });
  }
  bench.run();
  CHECK(bench.sender.answers[0].granted == 11);
  CHECK(bench.sender.answers[1].granted == 31);
}

namespace {
void ends_responses(EndForm form) {
  PlainBench bench;
  bench.first.form = form;
  std::uint64_t words[3] = {};
  bench.thread([&] {
    auto& one = bench.first.make();
    bench.first.fill(one, TLM_READ_COMMAND, 0, &words[0], 8);
    auto& two = bench.first.make();
    bench.first.fill(two, TLM_READ_COMMAND, 8, &words[1], 8);
    sc_core::wait(cycles(10.5));
    CHECK(bench.first.request(one) == tlm::TLM_ACCEPTED);
    sc_core::wait(cycles(2));
    CHECK(bench.first.request(two) == tlm::TLM_ACCEPTED);  // BEGIN_RESP has ended the first request
    if (form == EndForm::called_later) {
      CHECK(one.get_ref_count() == 2);
      sc_core::wait(cycles(100) - sc_core::sc_time_stamp());
      CHECK(bench.first.answers.size() == 1);
      CHECK(bench.first.end(one) == tlm::TLM_COMPLETED);
    }
    sc_core::wait(cycles(200) - sc_core::sc_time_stamp());
    if (form == EndForm::called_later) CHECK(bench.first.end(two) == tlm::TLM_COMPLETED);
    CHECK(one.get_ref_count() == 1);
    CHECK(two.get_ref_count() == 1);
    one.release();
    two.release();
  });
  // Only this initiator's socket is blocked.
  bench.sender.plan({{50, Kind::noncoherent_read, 0, 8, 0}});
  bench.run();
  REQUIRE(bench.first.answers.size() == 2);
  CHECK(bench.first.answers[0].at == cycles(11));
  CHECK(bench.first.answers[0].data_at == cycles(11 + 8));
  // END_RESP at an edge counts from the next one on.
  CHECK(bench.first.answers[1].at == cycles(form == EndForm::called_later ? 101 : 19));
  CHECK(bench.sender.answers[0].granted == 51);
  CHECK(bench.first.freed == 2);
}
}  // namespace

TEST_CASE("plain access: a form of END_RESP, and requests in between, completed") {
  ends_responses(EndForm::completed);
}

TEST_CASE("plain access: a form of END_RESP, and requests in between, updated") {
  ends_responses(EndForm::updated);
}

TEST_CASE("plain access: a form of END_RESP, and requests in between, called") {
  ends_responses(EndForm::called_later);
}

TEST_CASE("plain access: both kinds of requests of one initiator are served in the order of their times") {
  PlainBench bench;
  std::uint64_t word = 0;
  std::vector<Cycle> ends;
  for (const double at : {3.5, 60.5}) {
    bench.thread([&, at] {
      sc_core::wait(cycles(at));
      std::uint64_t read = 0;
      ends.push_back(bench.first.transport(TLM_READ_COMMAND, 0, &read, 8) / cycles(1));
    });
  }
  bench.thread([&] {
    auto& payload = bench.first.make();
    bench.first.fill(payload, TLM_READ_COMMAND, 0, &word, 8);
    sc_core::wait(cycles(5.5));
    CHECK(bench.first.request(payload) == tlm::TLM_ACCEPTED);
  });
  bench.sender.plan({{0, Kind::noncoherent_read, 0, 128, 0}});  // granted in 1, 23 cycles
  bench.run();
  CHECK(ends == std::vector<Cycle>{24 + 8, 61 + 8});
  REQUIRE(bench.first.answers.size() == 1);
  CHECK(bench.first.answers[0].at == cycles(32));
}

TEST_CASE("plain access: a request from within a response is the next to be served") {
  PlainBench bench;
  std::uint64_t word = 0;
  tlm::tlm_generic_payload* next = nullptr;
  bench.first.on_response = [&](tlm::tlm_generic_payload&) {
    if (next == nullptr) return;
    CHECK(bench.first.request(*std::exchange(next, nullptr)) == tlm::TLM_ACCEPTED);
  };
  bench.thread([&] {
    auto& one = bench.first.make();
    auto& two = bench.first.make();
    bench.first.fill(one, TLM_READ_COMMAND, 0, &word, 8);
    bench.first.fill(two, TLM_READ_COMMAND, 0, &word, 8);
    next = &two;
    sc_core::wait(cycles(10.5));
    bench.first.request(one);
  });
  bench.run();
  REQUIRE(bench.first.answers.size() == 2);
  CHECK(bench.first.answers[1].at == cycles(19));
}

namespace {
DECLARE_EXTENDED_PHASE(foreign_phase);
}

TEST_CASE("plain access: unknown phases are ignored, a target's phase and a stray END_RESP are errors") {
  PlainBench bench;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::uint64_t word = 0;
  auto& payload = bench.first.make();
  bench.first.fill(payload, TLM_READ_COMMAND, 0, &word, 8);
  sc_time delay = sc_core::SC_ZERO_TIME;
  tlm::tlm_phase phase = foreign_phase;
  CHECK(bench.first.socket->nb_transport_fw(payload, phase, delay) == tlm::TLM_ACCEPTED);
  for (const tlm::tlm_phase& wrong :
       {tlm::tlm_phase(tlm::END_REQ), tlm::tlm_phase(tlm::BEGIN_RESP), tlm::tlm_phase(tlm::END_RESP)}) {
    phase = wrong;
    CHECK_THROWS_AS(bench.first.socket->nb_transport_fw(payload, phase, delay), ModelError);
  }
  CHECK_THROWS_WITH(bench.first.socket->b_transport(payload, delay),
                    Catch::Contains("b_transport was called by a process that cannot wait"));
}

TEST_CASE("plain access: an initiator with a quantum contends at its own time") {
  PlainBench bench;
  std::vector<double> ends;
  bench.thread([&] {
    // The initiator runs 40 cycles ahead between accesses; the quantum is 100.
    sc_time local = sc_core::SC_ZERO_TIME;
    std::uint64_t word = 0;
    for (unsigned i = 0; i < 3; ++i) {
      local += cycles(40);
      const sc_time end = bench.first.transport(TLM_READ_COMMAND, 0, &word, 8, local);
      ends.push_back(end / cycles(1));
      local = end - sc_core::sc_time_stamp();
    }
  });
  bench.sender.plan(
      {{40, Kind::noncoherent_read, 0, 128, 0}});  // granted in 41, which delays the first access
  bench.run();
  CHECK(ends == std::vector<double>{64 + 8, 72 + 41 + 8, 121 + 41 + 8});
}
