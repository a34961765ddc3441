// SPDX-License-Identifier: Apache-2.0
#include <tlm_utils/simple_initiator_socket.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/forked.h"
#include "support/temporary_folder.h"
#include "tsuji/host/memory.h"
#include "tsuji/session/tlm_main.h"

using namespace tsuji;

namespace {

/// After its reads the initiator waits for an event that is never notified, and is done only if `ends`.
struct Reader final : session::TlmClients, sc_core::sc_module {
  Reader(sc_core::sc_module_name name, TlmNetwork& network, unsigned its_reads, bool may_end)
      : sc_module(name), reads(its_reads), ends(may_end) {
    socket.bind(network.for_initiator("cpu"));
    network.for_target("ram").bind(ram.socket);
    sc_core::sc_spawn([this] { read(); });
  }
  void read() {
    for (; made < reads; ++made) {
      unsigned char data[8] = {};
      tlm::tlm_generic_payload payload;
      payload.set_command(tlm::TLM_READ_COMMAND);
      payload.set_address(8);
      payload.set_data_ptr(data);
      payload.set_data_length(8);
      payload.set_streaming_width(8);
      sc_core::sc_time time;
      socket->b_transport(payload, time);
      sc_core::wait(time);
    }
    sc_core::wait(never_comes);
  }
  bool done() const override { return ends && made == reads; }

  const unsigned reads;
  const bool ends;
  unsigned made = 0;
  sc_core::sc_event never_comes;
  tlm_utils::simple_initiator_socket<Reader> socket{"socket"};
  host::Memory ram{"ram", {4096, 20, 1}};
};

/// Results of a run that is at most `most_cycles` long.
nlohmann::json read_in_a_network(unsigned reads, bool ends, unsigned most_cycles = 100'000) {
  const test::TemporaryFolder folder;
  session::TlmProgram program;
  program.make_clients = [&](TlmNetwork& network) {
    return std::make_unique<Reader>("cpu", network, reads, ends);
  };
  const std::string out = folder.file("out"), cycles = "tlm.cycles=" + std::to_string(most_cycles);
  std::vector<const char*> words = {"reader", "--quiet", "--out", out.c_str()};
  for (const char* setting : {"topology.radices=[2]", "tlm.initiators=cpu node 0", cycles.c_str(),
                              "tlm.targets=ram node 1 base 0 bytes 4096"})
    words.insert(words.end(), {"--set", setting});
  REQUIRE(session::tlm_main(static_cast<int>(words.size()), words.data(), program) == 0);
  return nlohmann::json::parse(folder.text("out/result.json"));
}

constexpr unsigned many = 100'000;  // takes longer than the run

}  // namespace

TEST_CASE("TLM-2.0 clients that are done end a run without a warning") {
  const nlohmann::json results = read_in_a_network(3, true);
  CHECK_FALSE(results.contains("warnings"));
  CHECK(results["metrics"]["transactions"]["value"] == 3);
}

TEST_CASE("TLM-2.0 clients that wait for what never comes are warned about") {
  const nlohmann::json results = read_in_a_network(3, false);
  REQUIRE(results["warnings"].size() == 1);
  CHECK_THAT(results["warnings"][0].get<std::string>(), Catch::Contains("wait for what never comes"));
  CHECK(results["metrics"]["transactions"]["value"] == 3);
}

TEST_CASE("TLM-2.0 clients that tlm.cycles interrupts are warned about") {
  const nlohmann::json results = read_in_a_network(many, true);
  REQUIRE(results["warnings"].size() == 1);
  CHECK_THAT(results["warnings"][0].get<std::string>(), Catch::Contains("in cycle tlm.cycles"));
  CHECK(results["metrics"]["transactions"]["value"] > 3);
}

TEST_CASE("TLM-2.0 clients that wait forever are told from those that a short tlm.cycles interrupts") {
  for (const unsigned most_cycles : {300U, 1000U, 2000U, 2500U}) {
    CAPTURE(most_cycles);
    const std::string warning = test::forked(
        [&] { return read_in_a_network(3, false, most_cycles)["warnings"][0].get<std::string>(); });
    CHECK_THAT(warning, Catch::Contains("wait for what never comes"));
    const std::string interrupted = test::forked(
        [&] { return read_in_a_network(many, true, most_cycles)["warnings"][0].get<std::string>(); });
    CHECK_THAT(interrupted, Catch::Contains("in cycle tlm.cycles"));
  }
}
