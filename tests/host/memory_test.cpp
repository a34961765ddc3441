// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/memory.h"

#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstring>
#include <functional>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"

using namespace tsuji;
using namespace tsuji::host;
using sc_core::sc_time;

namespace {

/// Counts references and releases, as a pool would.
class Manager final : public tlm::tlm_mm_interface {
 public:
  void free(tlm::tlm_generic_payload*) override { ++freed; }
  int freed = 0;
};

/// An initiator of the base protocol that records its answers, and can answer in each allowed form.
class Initiator final : public sc_core::sc_module {
 public:
  enum class Answer { completed, updated, accepted };
  explicit Initiator(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
    socket.register_nb_transport_bw(this, &Initiator::nb_transport_bw);
    socket.register_invalidate_direct_mem_ptr(this, &Initiator::invalidate);
  }
  tlm_utils::simple_initiator_socket<Initiator> socket;
  Answer answer = Answer::completed;
  struct Seen {
    tlm::tlm_generic_payload* transaction;
    sc_time at;
  };
  std::vector<Seen> responses;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> invalidated;

 private:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                     sc_time& delay) {
    CHECK(phase == tlm::BEGIN_RESP);
    CHECK(transaction.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE);
    responses.push_back({&transaction, sc_core::sc_time_stamp() + delay});
    if (answer == Answer::completed) return tlm::TLM_COMPLETED;
    if (answer == Answer::accepted) return tlm::TLM_ACCEPTED;
    phase = tlm::END_RESP;
    return tlm::TLM_UPDATED;
  }
  void invalidate(sc_dt::uint64 start, sc_dt::uint64 end) { invalidated.emplace_back(start, end); }
};

struct Bench {
  explicit Bench(MemoryConfig config = {}) : memory("memory", config), initiator("initiator") {
    initiator.socket.bind(memory.socket);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  Memory memory;
  Initiator initiator;
};

void fill(tlm::tlm_generic_payload& payload, tlm::tlm_command command, std::uint64_t address, void* data,
          unsigned bytes) {
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  payload.set_byte_enable_ptr(nullptr);
  payload.set_dmi_allowed(false);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

sc_time ns(double value) {
  return sc_time(value, sc_core::SC_NS);
}

}  // namespace

TEST_CASE("sparse memory: unwritten bytes read as 0, pages appear when written") {
  SparseMemory memory(1 << 20);
  std::vector<unsigned char> bytes(10000, 0xee);
  memory.read(4000, bytes.data(), bytes.size());
  REQUIRE(bytes == std::vector<unsigned char>(10000, 0));
  REQUIRE(memory.pages_allocated() == 0);
  REQUIRE(memory.find_page(5000) == nullptr);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i * 7);
  memory.write(4000, bytes.data(), bytes.size());
  REQUIRE(memory.pages_allocated() == 4);
  std::vector<unsigned char> back(10000);
  memory.read(4000, back.data(), back.size());
  REQUIRE(back == bytes);
  REQUIRE((*memory.find_page(5000))[5000 % 4096] == bytes[1000]);
}

TEST_CASE("sparse memory: its limits") {
  SparseMemory memory(8192);
  std::uint64_t word = 0;
  memory.read(8184, &word, 8);
  REQUIRE_THROWS_AS(memory.read(8185, &word, 8), std::out_of_range);
  REQUIRE_THROWS_AS(memory.write(~std::uint64_t{0} - 3, &word, 8), std::out_of_range);
  REQUIRE(memory.find_page(8191) == nullptr);
  memory.page(8191)[4095] = 9;
  REQUIRE((*memory.find_page(4096))[4095] == 9);
  REQUIRE_THROWS_AS(memory.page(8192), std::out_of_range);
  REQUIRE_THROWS_AS(SparseMemory(0), ConfigError);
  REQUIRE_THROWS_AS(SparseMemory(4097), ConfigError);
}

TEST_CASE("memory: blocking transport moves bytes and adds its time to the annotation") {
  Bench bench;
  std::array<std::uint64_t, 16> words;
  for (unsigned i = 0; i < 16; ++i) words[i] = 0x0101010101010101ULL * i;
  tlm::tlm_generic_payload payload;
  fill(payload, tlm::TLM_WRITE_COMMAND, 4096 - 64, words.data(), 128);  // crosses a page
  sc_time delay = ns(5);
  bench.initiator.socket->b_transport(payload, delay);
  REQUIRE(payload.is_response_ok());
  REQUIRE(payload.is_dmi_allowed());
  REQUIRE(delay == ns(5 + 100 + 15 * 12.5));
  std::array<std::uint64_t, 16> back{};
  fill(payload, tlm::TLM_READ_COMMAND, 4096 - 64, back.data(), 128);
  bench.initiator.socket->b_transport(payload, delay = sc_core::SC_ZERO_TIME);
  REQUIRE(back == words);
  for (const unsigned bytes : {1U, 3U, 8U, 9U, 16U, 17U}) {
    CAPTURE(bytes);
    fill(payload, tlm::TLM_READ_COMMAND, 4096, back.data(), bytes);
    bench.initiator.socket->b_transport(payload, delay = sc_core::SC_ZERO_TIME);
    REQUIRE(delay == ns(bytes <= 8 ? 100 : bytes <= 16 ? 112.5 : 125));
  }
}

TEST_CASE("memory: requests that it cannot serve get the protocol's errors and change nothing") {
  Bench bench;
  const std::uint64_t size = bench.memory.storage().bytes();
  std::uint64_t word = 42;
  unsigned char enables[8] = {0xff};
  const auto status = [&](const std::function<void(tlm::tlm_generic_payload&)>& spoil) {
    tlm::tlm_generic_payload payload;
    fill(payload, tlm::TLM_WRITE_COMMAND, 64, &word, 8);
    spoil(payload);
    sc_time delay = sc_core::SC_ZERO_TIME;
    bench.initiator.socket->b_transport(payload, delay);
    return payload.get_response_status();
  };
  using Payload = tlm::tlm_generic_payload;
  REQUIRE(status([&](Payload& p) { p.set_address(size); }) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  REQUIRE(status([&](Payload& p) { p.set_address(size - 4); }) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  REQUIRE(status([&](Payload& p) { p.set_address(~0ULL - 3); }) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  REQUIRE(status([&](Payload& p) { p.set_byte_enable_ptr(enables); }) == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  REQUIRE(status([&](Payload& p) { p.set_streaming_width(0); }) == tlm::TLM_BURST_ERROR_RESPONSE);
  REQUIRE(status([&](Payload& p) { p.set_data_length(0); }) == tlm::TLM_GENERIC_ERROR_RESPONSE);
  REQUIRE(status([&](Payload& p) { p.set_data_ptr(nullptr); }) == tlm::TLM_GENERIC_ERROR_RESPONSE);
  REQUIRE(status([&](Payload& p) { p.set_command(tlm::TLM_IGNORE_COMMAND); }) == tlm::TLM_OK_RESPONSE);
  REQUIRE(bench.memory.storage().pages_allocated() == 0);
}

TEST_CASE("memory: byte enables and streaming width move the bytes that a plain loop moves") {
  Bench bench;
  CounterRandom random(3, 7);
  constexpr unsigned room = 300;
  std::vector<unsigned char> model(3 * room);  // the memory from `base` on, which a page's border divides
  constexpr std::uint64_t base = 4096 - room;
  for (int turn = 0; turn < 4000; ++turn) {
    const auto length = static_cast<unsigned>(1 + random.below(64));
    const auto width = static_cast<unsigned>(1 + random.below(80));
    const auto at = static_cast<unsigned>(random.below(2 * room));
    std::vector<unsigned char> data(length), enables(random.below(10));
    for (auto& byte : data) byte = static_cast<unsigned char>(random.below(256));
    for (auto& enable : enables) enable = random.below(2) != 0 ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
    const bool write = random.below(2) != 0;
    std::vector<unsigned char> expected = data;
    for (unsigned i = 0; i < length; ++i) {
      if (!enables.empty() && enables[i % enables.size()] != TLM_BYTE_ENABLED) continue;
      (write ? model[at + i % width] : expected[i]) = write ? data[i] : model[at + i % width];
    }
    tlm::tlm_generic_payload payload;
    fill(payload, write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, base + at, data.data(), length);
    payload.set_streaming_width(width);
    payload.set_byte_enable_ptr(enables.empty() ? nullptr : enables.data());
    payload.set_byte_enable_length(static_cast<unsigned>(enables.size()));
    sc_time delay = sc_core::SC_ZERO_TIME;
    bench.initiator.socket->b_transport(payload, delay);
    REQUIRE(payload.is_response_ok());
    REQUIRE(data == expected);
    std::vector<unsigned char> stored(model.size());
    bench.memory.storage().read(base, stored.data(), stored.size());
    REQUIRE(stored == model);
  }
}

TEST_CASE("memory: a stream at the end of memory touches its width only") {
  Bench bench;
  const std::uint64_t size = bench.memory.storage().bytes();
  std::uint64_t word = 0x0807060504030201;
  tlm::tlm_generic_payload payload;
  fill(payload, tlm::TLM_WRITE_COMMAND, size - 4, &word, 8);
  payload.set_streaming_width(4);
  sc_time delay = sc_core::SC_ZERO_TIME;
  bench.initiator.socket->b_transport(payload, delay);
  REQUIRE(payload.is_response_ok());
  std::uint32_t last = 0;
  bench.memory.storage().read(size - 4, &last, 4);
  REQUIRE(last == 0x08070605);
}

TEST_CASE("memory: debug transport takes no time, clips at the end and knows nothing beyond it") {
  Bench bench;
  const std::uint64_t size = bench.memory.storage().bytes();
  std::array<unsigned char, 16> bytes;
  bytes.fill(0x5a);
  tlm::tlm_generic_payload payload;
  fill(payload, tlm::TLM_WRITE_COMMAND, size - 8, bytes.data(), 16);
  REQUIRE(bench.initiator.socket->transport_dbg(payload) == 8);
  std::array<unsigned char, 16> back{};
  fill(payload, tlm::TLM_READ_COMMAND, size - 8, back.data(), 8);
  REQUIRE(bench.initiator.socket->transport_dbg(payload) == 8);
  REQUIRE(std::memcmp(back.data(), bytes.data(), 8) == 0);
  payload.set_address(size);
  REQUIRE(bench.initiator.socket->transport_dbg(payload) == 0);
  REQUIRE(sc_core::sc_time_stamp() == sc_core::SC_ZERO_TIME);
}

namespace {

/// Three overlapping requests; the responses come one after another, each with the bytes at its time.
void four_phases(Initiator::Answer answer) {
  Bench bench;
  bench.initiator.answer = answer;
  Manager manager;
  std::array<tlm::tlm_generic_payload, 3> payloads;
  std::uint64_t written = 77, read = 0, unknown = 0;
  fill(payloads[0], tlm::TLM_WRITE_COMMAND, 128, &written, 8);
  fill(payloads[1], tlm::TLM_READ_COMMAND, 128, &read, 8);
  fill(payloads[2], tlm::TLM_READ_COMMAND, ~0ULL, &unknown, 8);
  for (auto& payload : payloads) {
    payload.set_mm(&manager);
    payload.acquire();
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_time delay = ns(10);
    REQUIRE(bench.initiator.socket->nb_transport_fw(payload, phase, delay) == tlm::TLM_UPDATED);
    REQUIRE(phase == tlm::END_REQ);
    REQUIRE(delay >= ns(10));
    REQUIRE(payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE);
    REQUIRE(payload.get_ref_count() == 2);
  }
  const auto end = [&](unsigned i) {  // END_RESP on the forward path, later
    if (answer != Initiator::Answer::accepted) return;
    REQUIRE(bench.initiator.responses.size() == i + 1);
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_time delay = sc_core::SC_ZERO_TIME;
    bench.initiator.socket->nb_transport_fw(payloads[i], phase, delay);
  };
  for (unsigned i = 0; i < 3; ++i) {
    sc_core::sc_start(ns(1000));
    end(i);
  }
  auto& responses = bench.initiator.responses;
  REQUIRE(responses.size() == 3);
  for (unsigned i = 0; i < 3; ++i) {
    REQUIRE(responses[i].transaction == &payloads[i]);
    if (answer == Initiator::Answer::accepted) {
      REQUIRE(responses[i].at == (i == 0 ? ns(110) : ns(1000 * i)));  // each waits for the previous END_RESP
    } else {
      REQUIRE(responses[i].at == ns(10 + 100 * (i + 1)));
    }
    REQUIRE(payloads[i].get_ref_count() == 1);
    payloads[i].release();
  }
  REQUIRE(manager.freed == 3);
  REQUIRE(read == 77);
  REQUIRE(payloads[2].get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

}  // namespace

TEST_CASE("memory: four phases, ended by TLM_COMPLETED") {
  four_phases(Initiator::Answer::completed);
}
TEST_CASE("memory: four phases, ended by TLM_UPDATED") {
  four_phases(Initiator::Answer::updated);
}
TEST_CASE("memory: four phases, ended by END_RESP later") {
  four_phases(Initiator::Answer::accepted);
}

TEST_CASE("memory: early completion annotates the time and keeps requests apart") {
  MemoryConfig config;
  config.early_completion = true;
  Bench bench(config);
  Manager manager;
  std::uint64_t word = 5;
  tlm::tlm_generic_payload first(&manager), second(&manager);
  sc_time expected = sc_core::SC_ZERO_TIME;
  for (auto* payload : {&first, &second}) {
    payload->acquire();
    fill(*payload, tlm::TLM_WRITE_COMMAND, 0, &word, 8);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_time delay = sc_core::SC_ZERO_TIME;
    REQUIRE(bench.initiator.socket->nb_transport_fw(*payload, phase, delay) == tlm::TLM_COMPLETED);
    REQUIRE(payload->is_response_ok());
    REQUIRE(delay == (expected += ns(100)));
    REQUIRE(payload->get_ref_count() == 1);
    payload->release();
  }
  sc_core::sc_start(ns(1000));
  REQUIRE(bench.initiator.responses.empty());
}

TEST_CASE("memory: violations of the base protocol are model errors") {
  Bench bench;
  Manager manager;
  std::uint64_t word = 0;
  sc_time delay = sc_core::SC_ZERO_TIME;
  tlm::tlm_generic_payload bare;
  fill(bare, tlm::TLM_READ_COMMAND, 0, &word, 8);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  REQUIRE_THROWS_AS(bench.initiator.socket->nb_transport_fw(bare, phase, delay), ModelError);
  tlm::tlm_generic_payload unreferenced(&manager);
  fill(unreferenced, tlm::TLM_READ_COMMAND, 0, &word, 8);
  REQUIRE_THROWS_AS(bench.initiator.socket->nb_transport_fw(unreferenced, phase = tlm::BEGIN_REQ, delay),
                    ModelError);
  REQUIRE_THROWS_AS(bench.initiator.socket->nb_transport_fw(bare, phase = tlm::END_RESP, delay), ModelError);
  REQUIRE_THROWS_AS(bench.initiator.socket->nb_transport_fw(bare, phase = tlm::BEGIN_RESP, delay),
                    ModelError);
}

namespace {
DECLARE_EXTENDED_PHASE(a_phase_of_somebody_else);
}  // namespace

TEST_CASE("memory: an unknown phase is ignored, a phase of a target is a model error") {
  Bench bench;
  Manager manager;
  std::uint64_t word = 0;
  sc_time delay = sc_core::SC_ZERO_TIME;
  tlm::tlm_generic_payload payload(&manager);
  payload.acquire();
  fill(payload, tlm::TLM_READ_COMMAND, 0, &word, 8);
  tlm::tlm_phase phase = a_phase_of_somebody_else;
  REQUIRE(bench.initiator.socket->nb_transport_fw(payload, phase, delay) == tlm::TLM_ACCEPTED);
  REQUIRE(payload.get_ref_count() == 1);
  for (const tlm::tlm_phase& own : {tlm::tlm_phase(tlm::END_REQ), tlm::tlm_phase(tlm::BEGIN_RESP)}) {
    phase = own;
    REQUIRE_THROWS_AS(bench.initiator.socket->nb_transport_fw(payload, phase, delay), ModelError);
  }
}

TEST_CASE("memory: direct pointers cover a page, reads allocate nothing, and pointers are invalidated") {
  Bench bench;
  tlm::tlm_generic_payload request;
  tlm::tlm_dmi dmi;
  std::uint64_t word = 0;
  fill(request, tlm::TLM_READ_COMMAND, 5000, &word, 8);
  REQUIRE(bench.initiator.socket->get_direct_mem_ptr(request, dmi));
  REQUIRE(dmi.get_start_address() == 4096);
  REQUIRE(dmi.get_end_address() == 8191);
  REQUIRE_FALSE(dmi.is_write_allowed());
  REQUIRE(dmi.get_dmi_ptr()[904] == 0);
  REQUIRE(bench.memory.storage().pages_allocated() == 0);
  request.set_command(tlm::TLM_WRITE_COMMAND);
  REQUIRE(bench.initiator.socket->get_direct_mem_ptr(request, dmi));
  REQUIRE((dmi.get_start_address() == 4096 && dmi.get_end_address() == 8191));
  dmi.get_dmi_ptr()[904] = 0x77;
  bench.memory.storage().read(5000, &word, 1);
  REQUIRE(word == 0x77);
  request.set_command(tlm::TLM_READ_COMMAND);
  REQUIRE(bench.initiator.socket->get_direct_mem_ptr(request, dmi));
  request.set_address(bench.memory.storage().bytes());
  REQUIRE_FALSE(bench.initiator.socket->get_direct_mem_ptr(request, dmi));

  // The pointer to zeros was invalidated when the page was allocated.
  REQUIRE(bench.initiator.invalidated.size() == 1);
  REQUIRE(bench.initiator.invalidated[0] == std::pair<std::uint64_t, std::uint64_t>{4096, 8191});
  bench.memory.allow_dmi(false);
  REQUIRE(bench.initiator.invalidated.size() == 2);
  REQUIRE(bench.initiator.invalidated[1].second == bench.memory.storage().bytes() - 1);
  request.set_address(5000);
  REQUIRE_FALSE(bench.initiator.socket->get_direct_mem_ptr(request, dmi));
  bench.memory.clear();
  REQUIRE(bench.initiator.invalidated.size() == 3);
}
