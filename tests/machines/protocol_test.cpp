// SPDX-License-Identifier: Apache-2.0
// A checker of the base protocol on every binding of the nodes of whole machines.

#include <algorithm>
#include <memory>

#include "machines/mixed_protocols.h"
#include "support/answer_forms.h"
#include "support/base_protocol_checker.h"
#include "support/catch.h"
#include "tsuji/nic/parcel.h"

using namespace tsuji;
using namespace tsuji::test;

namespace {

/// Checkers on all bindings of a machine and, on request, a part that answers memory requests in other forms.
struct Monitors {
  Checkers checkers;
  std::vector<std::unique_ptr<AnswerForms>> forms;
  bool other_forms = false;
  std::uint64_t error_every = 0;

  machines::SocketBinder binder() {
    return [this](const std::string& name, tlm::tlm_base_initiator_socket<>& initiator,
                  tlm::tlm_base_target_socket<>& target) {
      std::string module = name;
      std::replace(module.begin(), module.end(), '.', '_');
      BaseProtocolChecker& checker = checkers.add(module + "_checker");
      initiator.bind(checker.from_initiator);
      if (!other_forms || name == "controller.memory" || name == "processor.registers")
        return checker.to_target.bind(target);
      forms.push_back(std::make_unique<AnswerForms>((module + "_forms").c_str()));
      forms.back()->error_every = error_every;
      forms.back()->processors = name == "processor.memory";
      checker.to_target.bind(forms.back()->from_initiator);
      BaseProtocolChecker& behind = checkers.add(module + "_behind_forms");
      forms.back()->to_target.bind(behind.from_initiator);
      behind.to_target.bind(target);
    };
  }
};

struct Run {
  Run(Monitors& monitors, std::uint64_t seed, std::uint64_t operations) {
    machines::Cenju4Config config = small_machine(4);
    config.os.paging = host::Paging::on_demand;
    config.os.page_fault_ns = 2000;
    config.processor.interrupt_ns = 1000;
    config.task_switch_ns = 1000;
    config.time_slice_us = 50;
    config.jobs = {{0, 1, 2, 3}, {3, 1}};
    config.parts.bind = monitors.binder();
    config.resolve();
    config.validate();
    machine = std::make_unique<machines::Cenju4Machine>("machine", config);
    for (unsigned number = 0; number < 2; ++number) {
      jobs.push_back(std::make_unique<platform::Cenju4Job>(*machine, number));
      logs.push_back(std::make_unique<MixedLog>(jobs.back()->ranks()));
      MixedLog* log = logs.back().get();
      jobs.back()->load([=](host::RankRuntime& runtime) {
        return std::make_unique<Script>(runtime, [=](host::RankRuntime& own) {
          MixedProtocols(own, seed + number, operations, *log).play();
        });
      });
    }
    jobs[0]->run([](Cycle) {});
    for (const auto& log : logs) {
      INFO(log->problem());
      CHECK(log->problem().empty());
    }
  }
  std::unique_ptr<machines::Cenju4Machine> machine;
  std::vector<std::unique_ptr<platform::Cenju4Job>> jobs;
  std::vector<std::unique_ptr<MixedLog>> logs;
};

void check_silent(const Monitors& monitors) {
  CHECK(monitors.checkers.report().empty());
  for (const auto& checker : monitors.checkers.all()) {
    INFO(checker->name());
    CHECK(checker->at_rest());
    const bool memory = std::string(checker->name()).find("controller_memory") != std::string::npos;
    CHECK((memory ? checker->direct_calls : checker->transactions) > 50);
  }
  WARN(monitors.checkers.transactions()
       << " transactions on " << monitors.checkers.all().size() << " bindings");
}

void run_millions(bool other_forms) {
  Monitors monitors;
  monitors.other_forms = other_forms;
  const Run run(monitors, 11, 20'000);
  CHECK(monitors.checkers.transactions() > 2'000'000);
  check_silent(monitors);
}

}  // namespace

TEST_CASE("the base protocol's checker is silent on every binding of a machine") {
  Monitors monitors;
  const Run run(monitors, 7, 1000);
  CHECK(monitors.checkers.all().size() == std::size_t{5} * 4);
  CHECK(monitors.checkers.errors() == 0);
  CHECK(monitors.checkers.transactions() > 100'000);
  check_silent(monitors);
}

TEST_CASE("the base protocol's checker is silent over millions of transactions", "[.long]") {
  run_millions(false);
}

TEST_CASE("the base protocol's checker is silent over millions of transactions in other forms", "[.long]") {
  run_millions(true);
}

TEST_CASE("error responses end no run if the operating system and the programs handle them") {
  Monitors monitors;
  monitors.other_forms = true;
  monitors.error_every = 5;
  machines::Cenju4Config config = small_machine(2);
  config.parts.bind = monitors.binder();
  config.resolve();
  machines::Cenju4Machine machine("machine", config);
  std::uint64_t told = 0, refused = 0, caught = 0;
  for (NodeId id = 0; id < 2; ++id) {
    machine.node(id).os().set_memory_error_handler([&](bool, std::uint64_t) { ++told; });
    machine.node(id).os().set_offence_handler([&](const host::OsAgent::Offence&) { ++refused; });
  }
  platform::Cenju4Job job(machine);
  run_script(job, [&](host::RankRuntime& runtime) {
    host::Cpu& cpu = machine.node(runtime.rank()).processor();
    const host::TaskMemory& task = machine.node(runtime.rank()).os().layout();
    for (unsigned i = 0; i < 300; ++i) {
      try {
        nic::ParcelHeader header;
        header.length = 512;
        header.logical_pe = static_cast<std::uint16_t>(1 - runtime.rank());
        header.source = task.heap.address;
        header.destination = task.heap.address + 65536;
        const auto words = header.encode();
        const std::uint64_t slot = i * nic::ParcelHeader::bytes % task.queue.bytes;
        for (unsigned w = 0; w < 4; ++w) cpu.store(task.queue.address + slot + 8 * w, words[w]);
        cpu.register_write(task.queue_write_register, (slot + nic::ParcelHeader::bytes) % task.queue.bytes);
      } catch (const host::BusError&) {
        ++caught;
      }
      cpu.compute(3000);
    }
  });
  CHECK(told > 100);
  CHECK(refused > 20);
  CHECK(caught > 10);
  std::uint64_t errors = 0;
  for (const auto& forms : monitors.forms) errors += forms->errors;
  WARN(errors << " errors, " << told << " told, " << refused << " refused, " << caught << " caught");
  CHECK(monitors.checkers.errors() >= errors);
  CHECK(monitors.checkers.report().empty());
}

TEST_CASE("responses in any form that the base protocol allows end with the same memory") {
  Monitors monitors;
  monitors.other_forms = true;
  const Run run(monitors, 7, 400);
  check_silent(monitors);
  for (const auto& forms : monitors.forms) {
    INFO(forms->name());
    CHECK(forms->early > 20);
    CHECK(forms->in_return > 20);
    CHECK(forms->late > 20);
  }
}
