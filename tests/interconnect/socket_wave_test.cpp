// SPDX-License-Identifier: Apache-2.0
#include "tsuji/interconnect/socket_wave.h"

#include <map>

#include "interconnect/clients.h"
#include "support/catch.h"
#include "support/recorded_wave.h"
#include "support/sc_reports.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "tsuji/graph/cube.h"
#include "tsuji/interconnect/thread_initiator.h"
#include "tsuji/interconnect/tlm_network.h"

using namespace tsuji;
using namespace tsuji::interconnect;
using namespace tsuji::interconnect::test;

namespace {

/// Times and values of a row.
using Steps = std::vector<std::pair<sc_time, std::uint64_t>>;

Steps steps(const tsuji::test::RecordedWave& wave, const std::string& path) {
  Steps found;
  for (const auto& change : wave.changes)
    if (change[0] == wave.signal(path)) found.emplace_back(sc_time::from_value(change[1]), change[2]);
  return found;
}

/// An initiator whose response lasts for 5 ns.
class Slow final : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Slow);
  explicit Slow(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
    socket.register_nb_transport_bw(this, &Slow::nb_transport_bw);
    SC_THREAD(run);
  }
  tlm_utils::simple_initiator_socket<Slow> socket;
  sc_time begun, request_ended, responded;

 private:
  void run() {
    wait(ns(20));
    Transaction& read = pool_.take();
    read.set(tlm::TLM_READ_COMMAND, 0x1010, 12);
    begun = sc_core::sc_time_stamp();
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_time time;
    socket->nb_transport_fw(read, phase, time);
    wait(response_);
    wait(ns(5));
    phase = tlm::END_RESP;
    socket->nb_transport_fw(read, phase, time);
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase& phase, sc_time&) {
    (phase == tlm::END_REQ ? request_ended : responded) = sc_core::sc_time_stamp();
    if (phase == tlm::BEGIN_RESP) response_.notify();
    return tlm::TLM_ACCEPTED;
  }
  Transactions pool_;
  sc_core::sc_event response_;
};

TlmNetworkConfig two_nodes(const char* initiators) {
  TlmNetworkConfig config;
  config.machine.topology.of<graph::CubeConfig>().radices = {2, 2};
  config.tlm.initiators = initiators;
  config.tlm.targets = "ram node 3 base 0x1000 bytes 4096";
  config.resolve();
  return config;
}

}  // namespace

TEST_CASE("a waveform shows a transaction at both sockets, with its phases", "[interconnect]") {
  TlmNetwork network("noc", two_nodes("cpu node 0"));
  Slow cpu("cpu");
  LtTarget ram("ram", 4096, ns(10));
  cpu.socket.bind(network.for_initiator("cpu"));
  network.for_target("ram").bind(ram.socket);
  tsuji::test::RecordedWave wave;
  network.add_wave(wave);
  network.run_for(ns(1000));
  network.check_end();
  const sc_time over = cpu.responded + ns(5), arrived = ram.times.at(0);
  REQUIRE(cpu.request_ended > cpu.begun);
  REQUIRE(cpu.responded > arrived + ns(10));
  CHECK(steps(wave, "tlm.cpu.command") == Steps{{cpu.begun, 1}, {over, 0}});
  CHECK(steps(wave, "tlm.cpu.address") == Steps{{cpu.begun, 0x1010}});
  CHECK(steps(wave, "tlm.cpu.bytes") == Steps{{cpu.begun, 12}});
  CHECK(steps(wave, "tlm.cpu.request") == Steps{{cpu.begun, 1}, {cpu.request_ended, 0}});
  CHECK(steps(wave, "tlm.cpu.response") == Steps{{cpu.responded, 1}, {over, 0}});
  CHECK(steps(wave, "tlm.cpu.outstanding") == Steps{{cpu.begun, 1}, {over, 0}});
  CHECK(wave.states("tlm.cpu.command") == std::vector<std::string>{"read", "-"});
  // The target's own addresses begin at 0.
  CHECK(steps(wave, "tlm.ram.address") == Steps{{arrived, 0x10}});
  CHECK(steps(wave, "tlm.ram.command").at(0) == std::make_pair(arrived, std::uint64_t{1}));
  CHECK(steps(wave, "tlm.ram.request").at(0) == std::make_pair(arrived, std::uint64_t{1}));
  const Steps responses = steps(wave, "tlm.ram.response"), held = steps(wave, "tlm.ram.outstanding");
  REQUIRE(responses.size() == 2);
  CHECK(responses[0] == std::make_pair(arrived + ns(10), std::uint64_t{1}));
  CHECK(responses[1].second == 0);
  REQUIRE(held.size() == 2);
  CHECK(held[0] == std::make_pair(arrived, std::uint64_t{1}));
  CHECK(held[1].second == 0);
  CHECK(held[1].first > arrived + ns(10));  // its packet has left
  CHECK(held[1].first < cpu.responded);
}

TEST_CASE("a waveform shows blocking calls that wait for room as requests", "[interconnect]") {
  TlmNetwork network("noc", two_nodes("cpu node 0 outstanding 2"));
  ThreadInitiator cpu("cpu");
  LtTarget ram("ram", 4096, ns(10));
  cpu.socket.bind(network.for_initiator("cpu"));
  network.for_target("ram").bind(ram.socket);
  tsuji::test::RecordedWave wave;
  network.add_wave(wave);
  unsigned long long words[3] = {1, 2, 3};
  sc_time ended;
  for (auto& word : words)
    cpu.start([&] {
      cpu.write(0x1000, &word, 8);
      if (ended == SC_ZERO_TIME) ended = sc_core::sc_time_stamp();
    });
  CHECK(cpu.running() == 3);
  network.run_for(ns(1000));
  network.check_end();
  CHECK(cpu.running() == 0);
  CHECK(steps(wave, "tlm.cpu.request") == Steps{{SC_ZERO_TIME, 1}, {ended, 0}});
  CHECK(wave.values("tlm.cpu.outstanding") == std::vector<std::uint64_t>{1, 2, 3, 2, 1, 0});
  CHECK(wave.states("tlm.cpu.command") == std::vector<std::string>{"write", "-"});
}

TEST_CASE("an initiator's threads read and write, and fail with the access that gets an error",
          "[interconnect]") {
  TlmNetwork network("noc", two_nodes("cpu node 0"));
  ThreadInitiator cpu("cpu");
  LtTarget ram("ram", 4096);
  cpu.socket.bind(network.for_initiator("cpu"));
  network.for_target("ram").bind(ram.socket);
  std::uint32_t back[2] = {};
  cpu.start([&] {
    const std::uint32_t word = 0x12345678;
    cpu.write(0x1004, &word, 4);
    cpu.read(0x1000, back, 8);
    cpu.read(0x9000, back, 8);
  });
  const tsuji::test::ExpectedReport uncaught(sc_core::SC_ID_SIMULATION_UNCAUGHT_EXCEPTION_);
  const std::string text = tsuji::test::text_of<sc_core::sc_report>([&] { network.run_for(ns(1000)); });
  CHECK(back[0] == 0);
  CHECK(back[1] == 0x12345678);
  CHECK_THAT(text, Catch::Contains("read of 8 bytes at 0x9000: TLM_ADDRESS_ERROR_RESPONSE"));
}

TEST_CASE("an initiator's threads wait for the time of a target that is bound directly", "[interconnect]") {
  ThreadInitiator cpu("cpu");
  LtTarget ram("ram", 64, ns(10));
  cpu.socket.bind(ram.socket);
  std::vector<sc_time> ends;
  cpu.start([&] {
    for (std::uint32_t word = 0; word < 3; ++word) {
      cpu.write(4 * word, &word, 4);
      ends.push_back(sc_core::sc_time_stamp());
    }
  });
  sc_core::sc_start(ns(100));
  CHECK(ends == std::vector<sc_time>{ns(10), ns(20), ns(30)});
}
