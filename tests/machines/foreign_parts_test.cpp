// SPDX-License-Identifier: Apache-2.0
// Machines with external parts: a foreign processor, and further initiators beside the library's.

#include <map>
#include <vector>

#include "host/plain_initiator.h"
#include "machines/machines.h"
#include "support/catch.h"
#include "tsuji/nic/parcel.h"

using namespace tsuji;
using namespace tsuji::test;
using host::test::PlainInitiator;
using sc_core::sc_time;
using tlm::TLM_READ_COMMAND;
using tlm::TLM_WRITE_COMMAND;

namespace {

sc_time cycles(double count) {
  return sc_time(12.5 * count, sc_core::SC_NS);
}

/// A part with a memory socket of 64 bits and one of registers, driven by a test's thread.
struct Part final : sc_core::sc_module, InterruptLine {
  Part(sc_core::sc_module_name name, machines::NodeSockets& own)
      : sc_module(name), memory("memory"), registers("registers"), sockets(own) {
    sockets.bind_memory(memory.socket);
    sockets.bind_registers(registers.socket);
  }
  void raised(Cycle) override {
    ++interrupts;
    interrupted.notify(sc_core::SC_ZERO_TIME);
  }
  std::uint64_t word(tlm::tlm_command command, std::uint64_t address, std::uint64_t value = 0) {
    end = memory.transport(command, address, &value, 8);
    CHECK(memory.status == tlm::TLM_OK_RESPONSE);
    sc_core::wait(end - sc_core::sc_time_stamp());
    return value;
  }
  std::uint64_t reg(tlm::tlm_command command, std::uint64_t offset, std::uint64_t value = 0) {
    registers.transport(command, offset, &value, 8);
    CHECK(registers.status == tlm::TLM_OK_RESPONSE);
    return value;
  }
  std::uint64_t heap() const {
    const host::OsAgent& os = sockets.os();
    return os.address_space().translate(os.layout().heap.address).physical;
  }
  void put(unsigned slot, std::uint16_t to, std::uint64_t value) {
    const host::OsAgent& os = sockets.os();
    nic::ParcelHeader header;
    header.inline_data = header.interrupt = true;
    header.length = 8;
    header.logical_pe = to;
    header.source = value;
    header.destination = os.layout().heap.address;
    auto words = header.encode();
    memory.transport(TLM_WRITE_COMMAND, os.physical().queue + 32 * slot, words.data(), 32);
    reg(TLM_WRITE_COMMAND, os.layout().queue_write_register, 32 * (slot + 1));
  }
  void let_interrupts_through() {
    const host::OsAgent& os = sockets.os();
    word(TLM_WRITE_COMMAND,
         os.tables_in_memory().buffer_limit_table + os.layout().cid * nic::BufferLimits::bytes +
             8 * nic::BufferLimits::interrupt_word,
         nic::BufferLimits::receive_interrupt);
  }
  PlainInitiator<64> memory;
  PlainInitiator<32> registers;
  machines::NodeSockets& sockets;
  sc_core::sc_event interrupted;
  unsigned interrupts = 0;
  sc_time end;
};

using Parts = std::map<NodeId, Part*>;

machines::NodePart processors(Parts& parts) {
  return [&parts](machines::NodeSockets& sockets) {
    auto part = std::make_unique<Part>("processor", sockets);
    sockets.set_interrupt(*part);
    parts[sockets.node()] = part.get();
    return part;
  };
}

std::unique_ptr<machines::Cenju4Machine> machine_of(machines::Cenju4Config config) {
  config.resolve();
  config.validate();
  return std::make_unique<machines::Cenju4Machine>("machine", config);
}

}  // namespace

TEST_CASE("foreign parts: external processors exchange parcels and take interrupts") {
  machines::Cenju4Config config = small_machine(2);
  Parts parts;
  config.parts.processor = processors(parts);
  const auto machine = machine_of(config);
  REQUIRE(parts.size() == 2);
  std::vector<std::uint64_t> found;
  for (const auto& [id, part] : parts) {
    sc_core::sc_spawn([&, id = id, part = part] {
      part->let_interrupts_through();
      sc_core::wait(cycles(100));
      part->put(0, static_cast<std::uint16_t>(1 - id), 1000 + id);
      sc_core::wait(part->interrupted);
      const std::uint64_t pending = part->reg(TLM_READ_COMMAND, nic::event_os_base + nic::event_pending);
      CHECK(pending == std::uint64_t{1} << static_cast<unsigned>(nic::NicEvent::received));
      part->reg(TLM_WRITE_COMMAND, nic::event_os_base + nic::event_pending, pending);
      found.push_back(part->word(TLM_READ_COMMAND, part->heap()));
      // No cache is bound, so direct pointers give the same word.
      tlm::tlm_generic_payload payload;
      part->memory.fill(payload, TLM_READ_COMMAND, part->heap(), nullptr, 8);
      tlm::tlm_dmi dmi;
      REQUIRE(part->memory.socket->get_direct_mem_ptr(payload, dmi));
      std::uint64_t word = 0;
      std::memcpy(&word, dmi.get_dmi_ptr() + part->heap() - dmi.get_start_address(), 8);
      CHECK(word == found.back());
    });
  }
  machine->run(100'000, [](Cycle) {});
  std::sort(found.begin(), found.end());
  CHECK(found == std::vector<std::uint64_t>{1000, 1001});
  CHECK(parts[0]->interrupts == 1);
  CHECK_THROWS_WITH(machine->node(0).processor(), Catch::Contains("this node has an external processor"));
  CHECK(machine->node(0).own_processor() == nullptr);
  CHECK(machine->node(0).tasks() == 0);
}

TEST_CASE("foreign parts: an accelerator beside the library's processor sees its cache and sends parcels") {
  machines::Cenju4Config config = small_machine(2);
  Parts parts;
  config.parts.initiators.push_back([&](machines::NodeSockets& sockets) {
    auto part = std::make_unique<Part>("accelerator", sockets);
    parts[sockets.node()] = part.get();
    return part;
  });
  const auto machine = machine_of(config);
  platform::Cenju4Job job(*machine);
  std::vector<std::uint64_t> seen;
  bool polled = false;
  sc_core::sc_spawn([&] {
    sc_core::wait(cycles(20'000));
    Part& part = *parts[0];
    seen.push_back(part.word(TLM_READ_COMMAND, part.heap()));  // dirty in the cache
    part.word(TLM_WRITE_COMMAND, part.heap(), 78);             // the processor polls it
    // A parcel by the accelerator from the operating system's control-register set, which is off: refused as
    // data.
    part.reg(TLM_READ_COMMAND, nic::sender_os_base + nic::queue_bytes);
  });
  run_script(job, [&](host::RankRuntime& runtime) {
    if (runtime.rank() != 0) return;
    host::Cpu& cpu = machine->node(0).processor();
    const std::uint64_t address = machine->node(0).os().layout().heap.address;
    cpu.store(address, 77);
    cpu.poll_until(
        &address, 1, [&] { return cpu.load(address) == 78; }, "the accelerator");
    polled = true;
  });
  CHECK(seen == std::vector<std::uint64_t>{77});
  CHECK(polled);
  const auto& counters = machine->node(0).controller().counters();
  const auto others = static_cast<unsigned>(host::MemoryInitiator::other);
  CHECK(counters.requests[static_cast<unsigned>(MemoryAccessKind::coherent_read)][others] == 1);
  CHECK(counters.requests[static_cast<unsigned>(MemoryAccessKind::coherent_write)][others] == 1);
}

TEST_CASE("foreign parts: further initiators come after the processor in the order of their binding") {
  machines::Cenju4Config config = small_machine(2);
  Parts parts, first, second;
  config.parts.processor = processors(parts);
  for (Parts* own : {&first, &second}) {
    config.parts.initiators.push_back([own, &first](machines::NodeSockets& sockets) {
      auto part = std::make_unique<Part>(own == &first ? "first" : "second", sockets);
      (*own)[sockets.node()] = part.get();
      return part;
    });
  }
  const auto machine = machine_of(config);
  std::map<Part*, double> ends;
  for (Part* part : {second[0], first[0], parts[0]}) {
    sc_core::sc_spawn([&, part] {
      sc_core::wait(cycles(10'000.5));
      std::uint64_t word = 0;
      ends[part] = part->memory.transport(TLM_READ_COMMAND, 4096, &word, 8) / cycles(1);
    });
  }
  machine->run(100'000, [](Cycle) {});
  CHECK(ends[parts[0]] == 10'001 + 8);
  CHECK(ends[first[0]] == 10'001 + 16);
  CHECK(ends[second[0]] == 10'001 + 24);
}

TEST_CASE(
    "foreign parts: a part that waits forever is in the report, and boot follows the setup of the tables") {
  machines::Cenju4Config config = small_machine(2);
  unsigned booted = 0;
  Parts parts;
  config.parts.processor = [&](machines::NodeSockets& sockets) {
    auto part = std::make_unique<Part>("processor", sockets);
    sockets.on_boot([&booted, own = part.get(), &sockets] {
      std::uint64_t word = 0;
      tlm::tlm_generic_payload payload;
      own->memory.fill(payload, TLM_READ_COMMAND, sockets.os().tables_in_memory().segment_table + 4 * 24 * 1,
                       &word, 8);
      CHECK(own->memory.socket->transport_dbg(payload) == 8);
      CHECK(word != 0);
      ++booted;
    });
    if (sockets.node() == 1) sockets.set_waiting_report([] { return "a parcel that nobody sends"; });
    return part;
  };
  const auto machine = machine_of(config);
  CHECK_THROWS_WITH(machine->run(100'000, [](Cycle) {}),
                    Catch::Contains("node 1: a parcel that nobody sends"));
  CHECK(booted == 2);
}

TEST_CASE("foreign parts: a processor that leaves its sockets unbound is refused") {
  machines::Cenju4Config config = small_machine(2);
  config.parts.processor = [](machines::NodeSockets&) { return std::unique_ptr<sc_core::sc_module>(); };
  CHECK_THROWS_WITH(machine_of(config), Catch::Contains("the processor has bound no memory socket"));
}
