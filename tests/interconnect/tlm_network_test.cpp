// SPDX-License-Identifier: Apache-2.0
#include "tsuji/interconnect/tlm_network.h"

#include <array>
#include <memory>
#include <optional>

#include "interconnect/clients.h"
#include "support/catch.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "tsuji/graph/cube.h"
#include "tsuji/network/object_block.h"

using namespace tsuji;
using namespace tsuji::interconnect;
using namespace tsuji::interconnect::test;

namespace {

constexpr auto ok = tlm::TLM_OK_RESPONSE;

/// A mesh of 4x3 with buffers that hold a credit loop, a clock of 1 ns, and these sockets.
TlmNetworkConfig mesh(const char* initiators, const char* targets) {
  TlmNetworkConfig config;
  config.machine.topology.kind = "mesh";
  config.machine.topology.of<graph::CubeConfig>().radices = {4, 3};
  config.machine.network.buffer_flits = 16;
  config.tlm.initiators = initiators;
  config.tlm.targets = targets;
  config.resolve();
  return config;
}

/// Cycles from the birth of packets in one cycle to the last word of the last one, on an otherwise empty mesh
/// of 4 columns: routers and links of the way, and one cycle for each flit.
Cycle way_cycles(const TlmNetworkConfig& config, NodeId from, NodeId to, unsigned flits) {
  const network::VcNetworkConfig& net = config.machine.network;
  const auto apart = [](unsigned a, unsigned b) { return a < b ? b - a : a - b; };
  const unsigned hops = 1 + apart(from % 4, to % 4) + apart(from / 4, to / 4);
  const Cycle router = net.rc_cycles + net.router.va_cycles + net.router.sa_cycles + net.router.st_cycles;
  return hops * router + (hops - 1) * config.machine.link_latency_cycles + net.inject_latency_cycles +
         net.eject_latency_cycles + flits;
}

/// Flits of `bytes` bytes, cut into packets, each with its header.
unsigned flits_of(const WireConfig& wire, unsigned bytes) {
  unsigned flits = 0;
  do {
    const unsigned part = std::min(bytes, wire.packet_bytes);
    flits += wire.header_flits + (part + wire.flit_bytes - 1) / wire.flit_bytes;
    bytes -= part;
  } while (bytes != 0);
  return flits;
}

/// An initiator whose program is a thread of the test, blocking and non-blocking.
class Program final : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Program);
  Program(sc_core::sc_module_name name, std::function<void(Program&)> body)
      : sc_module(name), socket("socket"), body_(std::move(body)) {
    socket.register_nb_transport_bw(this, &Program::nb_transport_bw);
    socket.register_invalidate_direct_mem_ptr(this, &Program::invalidate);
    SC_THREAD(run);
  }
  tlm_utils::simple_initiator_socket<Program> socket;
  Transactions pool;
  std::vector<sc_time> end_reqs, responses;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> invalidated;
  bool accepts_responses = true;
  sc_core::sc_event changed;
  Transaction* held = nullptr;

  /// b_transport; returns the time that it took.
  sc_time call(Transaction& payload, sc_time ahead = SC_ZERO_TIME) {
    const sc_time begin = sc_core::sc_time_stamp();
    socket->b_transport(payload, ahead);
    return sc_core::sc_time_stamp() + ahead - begin;
  }
  tlm::tlm_sync_enum phase(Transaction& payload, tlm::tlm_phase phase, sc_time time = SC_ZERO_TIME) {
    return socket->nb_transport_fw(payload, phase, time);
  }
  /// Waits for the edge of the clock of 1 ns.
  void edge() { wait(ns(1) - sc_time::from_value(sc_core::sc_time_stamp().value() % 1000)); }

 private:
  void run() { body_(*this); }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_time&) {
    changed.notify(SC_ZERO_TIME);
    if (phase == tlm::END_REQ) {
      end_reqs.push_back(sc_core::sc_time_stamp());
      return tlm::TLM_ACCEPTED;
    }
    responses.push_back(sc_core::sc_time_stamp());
    held = &static_cast<Transaction&>(payload);
    if (!accepts_responses) return tlm::TLM_ACCEPTED;
    payload.release();
    return tlm::TLM_COMPLETED;
  }
  void invalidate(sc_dt::uint64 first, sc_dt::uint64 last) { invalidated.emplace_back(first, last); }

  std::function<void(Program&)> body_;
};

void run(TlmNetwork& network, double most_ns = 1e6) {
  network.run_for(ns(most_ns));
}

/// An initiator and a memory at two nodes. One simulation holds several, each in a scope of its own.
class OneToOne {
  static unsigned serial;
  network::ObjectBlock block_;
  std::optional<network::ObjectBlock::Inside> inside_;  ///< until the parts are built

 public:
  OneToOne(const TlmNetworkConfig& config, const std::function<void(Program&)>& body)
      : block_(("pair" + std::to_string(serial++)).c_str()),
        inside_(std::in_place, block_),
        network("noc", config),
        ram("ram", 4096),
        cpu("cpu", body) {
    network.for_target("ram").bind(ram.socket);
    cpu.socket.bind(network.for_initiator("cpu"));
    inside_.reset();
  }
  TlmNetwork network;
  LtTarget ram;
  Program cpu;
};

unsigned OneToOne::serial = 0;

}  // namespace

TEST_CASE("a transaction alone takes the cycles of its packets' ways", "[interconnect]") {
  const TlmNetworkConfig config =
      mesh("cpu node 0", "near node 1 base 0 bytes 4096, far node 11 base 4096 bytes 4096");
  TlmNetwork network("noc", config);
  LtTarget near("near", 4096), far("far", 4096, ns(7));
  network.for_target("near").bind(near.socket);
  network.for_target("far").bind(far.socket);
  std::vector<sc_time> took, expected, arrived;
  const WireConfig& wire = config.tlm.wire;
  Program cpu("cpu", [&](Program& self) {
    Transaction payload;
    for (const bool is_far : {false, true}) {
      for (const unsigned bytes : {1U, 8U, 64U, 65U, 400U}) {
        for (const auto command : {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND}) {
          sc_core::wait(ns(300));
          self.edge();
          payload.set(command, is_far ? 4096 : 0, bytes);
          const bool reads = command == tlm::TLM_READ_COMMAND;
          const NodeId to = is_far ? 11 : 1;
          const Cycle there = 1 + way_cycles(config, 0, to, flits_of(wire, reads ? 0 : bytes)),
                      back = 1 + way_cycles(config, to, 0, flits_of(wire, reads ? bytes : 0));
          arrived.push_back(sc_core::sc_time_stamp() + ns(static_cast<double>(there)));
          expected.push_back(ns(static_cast<double>(there + back + (is_far ? 7 : 0))));
          took.push_back(self.call(payload));
          CHECK(payload.get_response_status() == ok);
        }
      }
    }
  });
  cpu.socket.bind(network.for_initiator("cpu"));
  run(network);
  network.check_end();
  CHECK(took == expected);
  CHECK(near.times.size() == 10);
  near.times.insert(near.times.end(), far.times.begin(), far.times.end());
  CHECK(near.times == arrived);
  CHECK(network.counts("cpu").begun == 20);
  CHECK(network.counts().data_bytes == 4 * (1 + 8 + 64 + 65 + 400));
}

TEST_CASE("between two edges the network sees a transaction at the next one", "[interconnect]") {
  const TlmNetworkConfig config = mesh("cpu node 0", "ram node 1 base 0 bytes 4096");
  TlmNetwork network("noc", config);
  LtTarget ram("ram", 4096);
  network.for_target("ram").bind(ram.socket);
  const double way = static_cast<double>(way_cycles(config, 0, 1, 1));
  Program cpu("cpu", [&](Program& self) {
    Transaction payload;
    for (const double offset : {0.0, 0.001, 0.5, 0.999}) {
      sc_core::wait(ns(300));
      self.edge();
      sc_core::wait(ns(offset));
      payload.set(tlm::TLM_READ_COMMAND, 0, 0 + 8);
      const sc_time edge = sc_core::sc_time_stamp() - ns(offset);
      self.call(payload);
      CHECK(ram.times.back() == edge + ns(1 + way));
    }
    // The time that a call is annotated with passes first.
    self.edge();
    payload.set(tlm::TLM_READ_COMMAND, 0, 8);
    const sc_time edge = sc_core::sc_time_stamp();
    CHECK(self.call(payload, ns(20.5)) ==
          ns(21 + way + 1 + static_cast<double>(way_cycles(config, 1, 0, 2))));
    CHECK(ram.times.back() == edge + ns(21 + way));
  });
  cpu.socket.bind(network.for_initiator("cpu"));
  run(network);
  network.check_end();
}

TEST_CASE("writes fill the initiator's link, and reads the target's", "[interconnect]") {
  const TlmNetworkConfig config = mesh("cpu node 0 outstanding 32", "ram node 11 base 0 bytes 4096 queue 32");
  constexpr unsigned count = 200;
  const auto body = [&](tlm::tlm_command command) {
    return [&, command](Program& self) {
      self.edge();
      for (unsigned i = 0; i < count; ++i) {
        Transaction& payload = self.pool.take();
        payload.set(command, 0, 64);
        self.phase(payload, tlm::BEGIN_REQ);
        while (self.end_reqs.size() <= i) sc_core::wait(self.changed);
      }
    };
  };
  OneToOne writes(config, body(tlm::TLM_WRITE_COMMAND)), reads(config, body(tlm::TLM_READ_COMMAND));
  const unsigned flits = flits_of(config.tlm.wire, 64);
  for (OneToOne* const pair : {&writes, &reads}) {
    run(pair->network);
    pair->network.check_end();
    REQUIRE(pair->cpu.responses.size() == count);
    // A response for the flits of every packet with data.
    CHECK(pair->cpu.responses.back() - pair->cpu.responses[50] == ns(flits * (count - 1 - 50)));
    CHECK(pair->network.counts("cpu").data_bytes == 64 * count);
  }
}

TEST_CASE("END_REQ comes at the next edge until requests are too many", "[interconnect]") {
  std::vector<sc_time> begins[4];
  const auto pair = [&](unsigned requests) {
    const std::string list = "cpu node 0 outstanding 64 requests " + std::to_string(requests);
    const TlmNetworkConfig config = mesh(list.c_str(), "ram node 1 base 0 bytes 4096 queue 64");
    return std::make_unique<OneToOne>(config, [&, requests](Program& self) {
      self.edge();
      for (unsigned i = 0; i < 8; ++i) {
        Transaction& payload = self.pool.take();
        payload.set(tlm::TLM_WRITE_COMMAND, 0, 64);
        begins[requests].push_back(sc_core::sc_time_stamp());
        self.phase(payload, tlm::BEGIN_REQ);
        while (self.end_reqs.size() <= i) sc_core::wait(self.changed);
      }
    });
  };
  const auto one = pair(1), three = pair(3);
  run(one->network);
  one->network.check_end();
  three->network.check_end();
  const unsigned flits = flits_of(WireConfig(), 64);
  for (unsigned i = 0; i < 8; ++i) CHECK(one->cpu.end_reqs[i] == begins[1][0] + ns(1 + flits * i));
  for (unsigned i = 0; i < 3; ++i) CHECK(three->cpu.end_reqs[i] == begins[3][i] + ns(1));
  // Request i is accepted in the cycle after the last flit of request i - 3.
  for (unsigned i = 3; i < 8; ++i) CHECK(three->cpu.end_reqs[i] == begins[3][0] + ns(1 + flits * (i - 2)));
}

TEST_CASE("transactions without a free tag wait for a response", "[interconnect]") {
  const TlmNetworkConfig config = mesh("cpu node 0 outstanding 2 requests 9", "ram node 1 base 0 bytes 4096");
  TlmNetwork network("noc", config);
  LtTarget ram("ram", 4096, ns(1000));
  network.for_target("ram").bind(ram.socket);
  Program cpu("cpu", [&](Program& self) {
    self.edge();
    for (unsigned i = 0; i < 3; ++i) {
      Transaction& payload = self.pool.take();
      payload.set(tlm::TLM_READ_COMMAND, 0, 8);
      self.phase(payload, tlm::BEGIN_REQ);
      if (i < 2)
        while (self.end_reqs.size() <= i) sc_core::wait(self.changed);
    }
  });
  cpu.socket.bind(network.for_initiator("cpu"));
  run(network);
  network.check_end();
  REQUIRE(cpu.end_reqs.size() == 3);
  CHECK(cpu.end_reqs[1] < ns(10));
  CHECK(cpu.end_reqs[2] == cpu.responses[0] + ns(1));
}

TEST_CASE("a response waits until the initiator has ended the one before it", "[interconnect]") {
  const TlmNetworkConfig config = mesh("cpu node 0", "ram node 1 base 0 bytes 4096");
  const auto body = [](double annotated) {
    return [annotated](Program& self) {
      self.accepts_responses = false;
      self.edge();
      for (unsigned i = 0; i < 2; ++i) {
        Transaction& payload = self.pool.take();
        payload.set(tlm::TLM_READ_COMMAND, 0, 8);
        self.phase(payload, tlm::BEGIN_REQ);
        while (self.end_reqs.size() <= i) sc_core::wait(self.changed);
      }
      for (unsigned i = 0; i < 2; ++i) {
        while (self.responses.size() <= i) sc_core::wait(self.changed);
        sc_core::wait(ns(200));
        CHECK(self.responses.size() == i + 1);
        const sc_time end = sc_core::sc_time_stamp() + ns(annotated);
        Transaction& held = *self.held;
        CHECK(self.phase(held, tlm::END_RESP, ns(annotated)) == tlm::TLM_COMPLETED);
        sc_core::wait(ns(100));
        held.release();
        if (i == 0) CHECK(self.responses.back() == end);
      }
    };
  };
  OneToOne at_once(config, body(0)), later(config, body(3.25));
  run(at_once.network);
  for (OneToOne* const pair : {&at_once, &later}) {
    pair->network.check_end();
    CHECK(pair->cpu.responses.size() == 2);
  }
}

TEST_CASE("a target that stalls for long stops its initiators, and the network does not fail",
          "[interconnect]") {
  // Requests fill the target's queue and the network up to the initiators.
  TlmNetworkConfig config = mesh("a node 0 outstanding 64, b node 3 outstanding 64",
                                 "slow node 5 base 0 bytes 4096 queue 2, fast node 6 base 4096 bytes 4096");
  config.machine.network.buffer_flits = 4;
  config.resolve();
  TlmNetwork network("noc", config);
  LtTarget fast("fast", 4096), slow("slow", 4096);
  unsigned most_held = 0;
  slow.on_access = [&](tlm::tlm_generic_payload&) {
    most_held = std::max(most_held, network.held("slow"));
    if (sc_core::sc_time_stamp() < ns(400'000)) sc_core::wait(ns(400'000) - sc_core::sc_time_stamp());
  };
  network.for_target("slow").bind(slow.socket);
  network.for_target("fast").bind(fast.socket);
  constexpr unsigned count = 60;
  const auto body = [&](std::uint64_t base) {
    return [&, base](Program& self) {
      for (unsigned i = 0; i < count; ++i) {
        Transaction& payload = self.pool.take();
        payload.set(tlm::TLM_WRITE_COMMAND, base, 64);
        self.phase(payload, tlm::BEGIN_REQ);
        while (self.end_reqs.size() <= i) sc_core::wait(self.changed);
      }
    };
  };
  Program a("a", body(0)), b("b", body(0));
  a.socket.bind(network.for_initiator("a"));
  b.socket.bind(network.for_initiator("b"));
  run(network, 200'000);  // 20 times the network's watchdog
  CHECK(a.end_reqs.size() < count);
  CHECK(b.end_reqs.size() < count);
  CHECK(a.responses.empty());
  CHECK_THROWS_WITH(network.check_end(), Catch::Contains("are not answered"));
  run(network);
  network.check_end();
  CHECK(a.responses.size() == count);
  CHECK(b.responses.size() == count);
  CHECK(most_held <= 2 + 2);  // the queue, and packets that had begun to arrive
}

TEST_CASE("a target that never answers ends the run, by its node", "[interconnect]") {
  const TlmNetworkConfig config = mesh("cpu node 0 outstanding 64", "ram node 5 base 0 bytes 4096 queue 1");
  sc_core::sc_event never_comes("never_comes");
  OneToOne pair(config, [](Program& self) {
    for (unsigned i = 0; i < 8; ++i) {
      Transaction& payload = self.pool.take();
      payload.set(tlm::TLM_WRITE_COMMAND, 0, 64);
      self.phase(payload, tlm::BEGIN_REQ);
      while (self.end_reqs.size() <= i) sc_core::wait(self.changed);
    }
  });
  pair.ram.on_access = [&](tlm::tlm_generic_payload&) { sc_core::wait(never_comes); };
  CHECK_THROWS_WITH(run(pair.network), Catch::Contains("until the module at the node answers: nodes 5") &&
                                           !Catch::Contains("protocol deadlock"));
}

TEST_CASE("bytes move with byte enables, streaming and over several packets", "[interconnect]") {
  const TlmNetworkConfig config = mesh("cpu node 0", "ram node 7 base 0x8000 bytes 0x1000 offset 0x10");
  TlmNetwork network("noc", config);
  LtTarget ram("ram", 0x1010);
  network.for_target("ram").bind(ram.socket);
  Program cpu("cpu", [&](Program& self) {
    Transaction payload;
    payload.set(tlm::TLM_WRITE_COMMAND, 0x8000, 200);
    for (unsigned i = 0; i < 200; ++i) payload.data[i] = static_cast<unsigned char>(i + 1);
    payload.enable({0xff, 0xff, 0});
    bool before = true;
    ram.on_access = [&](tlm::tlm_generic_payload& arrived) {
      CHECK(arrived.get_address() == 0x10);
      CHECK(arrived.get_data_length() == 200);
      CHECK(arrived.get_data_ptr() != payload.get_data_ptr());
      before = false;
    };
    self.call(payload);
    CHECK_FALSE(before);
    ram.on_access = {};
    CHECK(payload.get_response_status() == ok);
    CHECK(payload.get_address() == 0x8000);
    for (unsigned i = 0; i < 200; ++i) CHECK(ram.memory.data()[0x10 + i] == (i % 3 == 2 ? 0 : i + 1));
    payload.set(tlm::TLM_READ_COMMAND, 0x8000, 100);
    payload.set_streaming_width(5);
    self.call(payload);
    for (unsigned i = 0; i < 100; ++i) CHECK(payload.data[i] == ram.memory.data()[0x10 + i % 5]);
    payload.set(tlm::TLM_READ_COMMAND, 0x8000, 100);
    std::fill(payload.data.begin(), payload.data.end(), 0xaa);
    payload.enable({0, 0xff});
    self.call(payload);
    for (unsigned i = 0; i < 100; ++i)
      CHECK(payload.data[i] == (i % 2 == 0 ? 0xaa : ram.memory.data()[0x10 + i]));
  });
  cpu.socket.bind(network.for_initiator("cpu"));
  run(network);
  network.check_end();
  CHECK(network.counts("cpu").answered == 3);
}

TEST_CASE("errors come back as responses, those of the address map without packets", "[interconnect]") {
  const TlmNetworkConfig config = mesh("cpu node 0", "ram node 7 base 0x1000 bytes 0x1000");
  TlmNetwork network("noc", config);
  LtTarget ram("ram", 0x1000);
  network.for_target("ram").bind(ram.socket);
  Program cpu("cpu", [&](Program& self) {
    Transaction payload;
    const auto status = [&](const std::function<void(Transaction&)>& spoil) {
      payload.set(tlm::TLM_READ_COMMAND, 0x1000, 8);
      spoil(payload);
      self.edge();
      CHECK(self.call(payload) == ns(1));
      return payload.get_response_status();
    };
    CHECK(status([](Transaction& p) { p.set_address(0); }) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(status([](Transaction& p) { p.set_address(0x1ffc); }) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(status([](Transaction& p) { p.set_streaming_width(0); }) == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(status([](Transaction& p) { p.set_data_length(0); }) == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(status([](Transaction& p) { p.set_data_ptr(nullptr); }) == tlm::TLM_GENERIC_ERROR_RESPONSE);
    CHECK(status([](Transaction& p) { p.enable({0x12}); }) == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    CHECK(ram.times.empty());
    CHECK(network.network().accounts().packets_sent() == 0);
    // At the end of the region by streaming.
    payload.set(tlm::TLM_READ_COMMAND, 0x1ff8, 64);
    payload.set_streaming_width(8);
    self.call(payload);
    CHECK(payload.get_response_status() == ok);
    for (const auto one :
         {tlm::TLM_GENERIC_ERROR_RESPONSE, tlm::TLM_ADDRESS_ERROR_RESPONSE, tlm::TLM_COMMAND_ERROR_RESPONSE,
          tlm::TLM_BURST_ERROR_RESPONSE, tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE, tlm::TLM_INCOMPLETE_RESPONSE}) {
      ram.on_access = [&](tlm::tlm_generic_payload& arrived) { arrived.set_response_status(one); };
      payload.set(tlm::TLM_READ_COMMAND, 0x1000, 300);
      self.call(payload);
      CHECK(payload.get_response_status() == one);
    }
  });
  cpu.socket.bind(network.for_initiator("cpu"));
  run(network);
  network.check_end();
  CHECK(network.counts("cpu").errors == 6 + 6);
}

TEST_CASE("direct pointers and debug accesses use the addresses of both sides", "[interconnect]") {
  const TlmNetworkConfig config =
      mesh("cpu node 0, dma node 4",
           "ram node 7 base 0x8000 bytes 0x1000 offset 0x200 dmi on, rom node 8 base 0x9000 bytes 0x1000");
  TlmNetwork network("noc", config);
  LtTarget ram("ram", 0x2000), rom("rom", 0x1000);
  network.for_target("ram").bind(ram.socket);
  network.for_target("rom").bind(rom.socket);
  Program dma("dma", [](Program&) {});
  Program cpu("cpu", [&](Program& self) {
    Transaction payload;
    payload.set(tlm::TLM_WRITE_COMMAND, 0x8004, 4);
    self.call(payload);
    CHECK(payload.is_dmi_allowed());
    tlm::tlm_dmi dmi;
    REQUIRE(self.socket->get_direct_mem_ptr(payload, dmi));
    CHECK(payload.get_address() == 0x8004);
    CHECK(dmi.get_start_address() == 0x8000);
    CHECK(dmi.get_end_address() == 0x8fff);
    CHECK(dmi.get_dmi_ptr() == ram.memory.data() + 0x200);
    ram.socket->invalidate_direct_mem_ptr(0x100, 0x20f);
    ram.socket->invalidate_direct_mem_ptr(0, 0x1ff);        // outside of the region
    ram.socket->invalidate_direct_mem_ptr(0x1200, 0x1fff);  // outside of the region
    payload.set(tlm::TLM_READ_COMMAND, 0x9000, 4);
    self.call(payload);
    CHECK_FALSE(payload.is_dmi_allowed());
    CHECK_FALSE(self.socket->get_direct_mem_ptr(payload, dmi));
    CHECK(dmi.get_start_address() == 0x9000);
    CHECK(dmi.get_end_address() == 0x9fff);
    payload.set_address(0);
    CHECK_FALSE(self.socket->get_direct_mem_ptr(payload, dmi));

    const sc_time now = sc_core::sc_time_stamp();
    payload.set(tlm::TLM_WRITE_COMMAND, 0x8ffc, 8);
    payload.data = {1, 2, 3, 4, 5, 6, 7, 8};
    payload.set_data_ptr(payload.data.data());
    CHECK(self.socket->transport_dbg(payload) == 4);
    CHECK(payload.get_address() == 0x8ffc);
    CHECK(payload.get_data_length() == 8);
    CHECK(ram.memory.data()[0x11ff] == 4);
    CHECK(ram.memory.data()[0x1200] == 0);
    payload.set_address(0x7000);
    CHECK(self.socket->transport_dbg(payload) == 0);
    CHECK(sc_core::sc_time_stamp() == now);
  });
  cpu.socket.bind(network.for_initiator("cpu"));
  dma.socket.bind(network.for_initiator("dma"));
  run(network);
  network.check_end();
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> expected = {{0x8000, 0x800f}};
  CHECK(cpu.invalidated == expected);
  CHECK(dma.invalidated == expected);
}

namespace {

struct Mark final : tlm::tlm_extension<Mark> {
  int value = 0;
  tlm::tlm_extension_base* clone() const override { return new Mark(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    value = static_cast<const Mark&>(other).value;
  }
};

}  // namespace

TEST_CASE("extensions are copied to the target, and back with the response", "[interconnect]") {
  const TlmNetworkConfig config = mesh("cpu node 0", "ram node 7 base 0 bytes 0x1000");
  TlmNetwork network("noc", config);
  LtTarget ram("ram", 0x1000);
  network.for_target("ram").bind(ram.socket);
  Program cpu("cpu", [&](Program& self) {
    Transaction payload;
    Mark mark;
    mark.value = 5;
    payload.set(tlm::TLM_READ_COMMAND, 0, 8);
    payload.set_extension(&mark);
    ram.on_access = [&](tlm::tlm_generic_payload& arrived) {
      auto* const copy = arrived.get_extension<Mark>();
      REQUIRE(copy != nullptr);
      CHECK(copy != &mark);
      CHECK(copy->value == 5);
      copy->value = 6;
    };
    self.call(payload);
    CHECK(mark.value == 6);
    payload.clear_extension<Mark>();
    ram.on_access = [&](tlm::tlm_generic_payload& arrived) {
      CHECK(arrived.get_extension<Mark>() == nullptr);
    };
    payload.set(tlm::TLM_READ_COMMAND, 0, 8);
    self.call(payload);
    // Without data and addresses a command is the extensions' matter.
    payload.set(tlm::TLM_IGNORE_COMMAND, 0x20, 0);
    ram.on_access = [&](tlm::tlm_generic_payload& arrived) {
      CHECK(arrived.get_command() == tlm::TLM_IGNORE_COMMAND);
      CHECK(arrived.get_address() == 0x20);
    };
    self.call(payload);
    CHECK(ram.times.size() == 3);
  });
  cpu.socket.bind(network.for_initiator("cpu"));
  run(network);
  network.check_end();
}

TEST_CASE("a target may keep a transaction that it has answered", "[interconnect]") {
  const TlmNetworkConfig config = mesh("cpu node 0 outstanding 1", "ram node 7 base 0 bytes 0x1000");
  std::vector<tlm::tlm_generic_payload*> kept;
  OneToOne pair(config, [&](Program& self) {
    Transaction payload;
    for (unsigned i = 0; i < 4; ++i) {  // all with the same tag
      payload.set(tlm::TLM_WRITE_COMMAND, 16 * i, 8);
      self.call(payload);
    }
  });
  pair.ram.on_access = [&](tlm::tlm_generic_payload& arrived) {
    arrived.acquire();
    kept.push_back(&arrived);
  };
  run(pair.network);
  pair.network.check_end();
  REQUIRE(kept.size() == 4);
  for (unsigned i = 0; i < 4; ++i) {
    CHECK(kept[i]->get_address() == 16 * i);
    CHECK(kept[i]->get_response_status() == ok);
    kept[i]->release();
  }
}

TEST_CASE("an initiator that breaks the base protocol ends the run with its rule", "[interconnect]") {
  struct Case {
    std::function<void(Program&)> body;
    const char* text;
  };
  const auto request = [](Program& self) -> Transaction& {
    Transaction& payload = self.pool.take();
    payload.set(tlm::TLM_READ_COMMAND, 0, 8);
    return payload;
  };
  const std::array<Case, 4> cases = {
      Case{[&](Program& self) {
             self.phase(request(self), tlm::BEGIN_REQ);
             self.phase(request(self), tlm::BEGIN_REQ);
           },
           "BEGIN_REQ before END_REQ"},
      Case{[&](Program& self) { self.phase(request(self), tlm::END_RESP); }, "whose response has not begun"},
      Case{[&](Program& self) { self.phase(request(self), tlm::BEGIN_RESP); }, "a phase of targets"},
      Case{[&](Program& self) {
             Transaction own;
             own.set(tlm::TLM_READ_COMMAND, 0, 8);
             self.phase(own, tlm::BEGIN_REQ);
           },
           "without a memory manager"}};
  const TlmNetworkConfig config = mesh("cpu node 0", "ram node 7 base 0 bytes 0x1000");
  std::vector<std::unique_ptr<OneToOne>> pairs;
  std::array<std::string, 4> texts;
  for (std::size_t at = 0; at < cases.size(); ++at)
    pairs.push_back(std::make_unique<OneToOne>(config, [&, at](Program& self) {
      texts[at] = tsuji::test::text_of<ModelError>([&] { cases[at].body(self); });
    }));
  run(pairs.front()->network);
  for (std::size_t at = 0; at < cases.size(); ++at)
    CHECK_THAT(texts[at], Catch::Contains(cases[at].text) && Catch::Contains("noc.initiator_cpu"));
}

TEST_CASE("names that the configuration lacks are refused with those that it has", "[interconnect]") {
  const TlmNetworkConfig config = mesh("cpu node 0", "ram node 7 base 0 bytes 0x1000");
  TlmNetwork network("noc", config);
  CHECK_THROWS_WITH(network.for_initiator("gpu"), Catch::Contains("gpu") && Catch::Contains("cpu"));
  CHECK_THROWS_WITH(network.for_target("rom"), Catch::Contains("rom") && Catch::Contains("ram"));
}
