// SPDX-License-Identifier: Apache-2.0
#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/express_mesh.h"
#include "tsuji/graph/hyperx.h"
#include "tsuji/host/memory.h"
#include "tsuji/session/tlm_main.h"

using namespace tsuji;
using sc_core::sc_time;

constexpr std::uint64_t sram_base = 0x100000, ram_base = 0x200000, copied_from = 0x80000, copied_to = 0x80000;

struct SocConfig {
  unsigned cpu_words = 256, dma_bytes = 16384, burst_bytes = 256, channels = 4;
  host::MemoryConfig memory{1 << 20, 20, 1};
};

/// An initiator whose threads use b_transport.
struct Initiator : sc_core::sc_module {
  explicit Initiator(sc_core::sc_module_name name) : sc_module(name), socket("socket") {}
  void access(tlm::tlm_command command, std::uint64_t address, unsigned char* data, unsigned bytes) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data);
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    sc_time time;
    socket->b_transport(payload, time);
    sc_core::wait(time);
    if (payload.is_response_error()) throw ModelError(name(), "a transaction has failed");
  }
  tlm_utils::simple_initiator_socket<Initiator> socket;
  unsigned running = 0;  ///< threads that have not ended
};

/// Writes words from `base` on and reads each back.
void run_cpu(Initiator& cpu, std::uint64_t base, const SocConfig& config) {
  for (std::uint32_t i = 0; i < config.cpu_words; ++i) {
    std::uint32_t word = 3 * i, back = 0;
    cpu.access(tlm::TLM_WRITE_COMMAND, base + 4 * i, reinterpret_cast<unsigned char*>(&word), 4);
    cpu.access(tlm::TLM_READ_COMMAND, base + 4 * i, reinterpret_cast<unsigned char*>(&back), 4);
    if (word != back) throw ModelError(cpu.name(), "a word has changed");
  }
  --cpu.running;
}

/// Copies every `channels`th burst from the first target to the last one.
void run_dma(Initiator& dma, unsigned channel, const SocConfig& config) {
  std::vector<unsigned char> burst(config.burst_bytes);
  const std::uint64_t step = std::uint64_t{config.channels} * config.burst_bytes;
  for (std::uint64_t at = channel * config.burst_bytes; at < config.dma_bytes; at += step) {
    const auto bytes =
        static_cast<unsigned>(std::min<std::uint64_t>(config.burst_bytes, config.dma_bytes - at));
    dma.access(tlm::TLM_READ_COMMAND, copied_from + at, burst.data(), bytes);
    dma.access(tlm::TLM_WRITE_COMMAND, ram_base + copied_to + at, burst.data(), bytes);
  }
  --dma.running;
}

class Soc final : public session::TlmClients {
 public:
  Soc(TlmNetwork& noc, const SocConfig& config) : config_(config) {
    for (host::Memory* const memory : {&rom, &sram, &ram})
      noc.for_target(memory->name()).bind(memory->socket);
    for (Initiator* const one : {&cpu0, &cpu1, &dma}) one->socket.bind(noc.for_initiator(one->name()));
    for (unsigned at = 0; at < config.dma_bytes; ++at) rom.storage().write(copied_from + at, &at, 1);
    start(cpu0, [this] { run_cpu(cpu0, sram_base, config_); });
    start(cpu1, [this] { run_cpu(cpu1, ram_base, config_); });
    for (unsigned c = 0; c < config.channels; ++c) start(dma, [this, c] { run_dma(dma, c, config_); });
  }
  bool done() const override { return cpu0.running + cpu1.running + dma.running == 0; }
  void report(observe::Results&) override {
    std::vector<unsigned char> from(config_.dma_bytes), to(config_.dma_bytes);
    rom.storage().read(copied_from, from.data(), from.size());
    ram.storage().read(copied_to, to.data(), to.size());
    if (done() && from != to) throw ModelError("dma", "a copied byte differs");
  }

 private:
  template <class Body>
  void start(Initiator& initiator, const Body& body) {
    ++initiator.running;
    sc_core::sc_spawn(body);
  }
  const SocConfig& config_;
  Initiator cpu0{"cpu0"}, cpu1{"cpu1"}, dma{"dma"};
  host::Memory rom{"rom", config_.memory}, sram{"sram", config_.memory}, ram{"ram", config_.memory};
};

int sc_main(int argc, char** argv) {
  SocConfig config;
  session::TlmProgram program;
  program.description = "Two processors, a DMA engine and three memories on a mesh";
  program.set_defaults = [](session::NetworkRunConfig& network, interconnect::InterconnectConfig& sockets) {
    auto& topology = network.machine.topology;  // kinds share the key and its default
    topology.of<graph::CubeConfig>().radices = {3, 2};
    topology.of<graph::HyperXConfig>().radices = topology.of<graph::ExpressMeshConfig>().radices = {3, 2};
    sockets.initiators = "cpu0 node 0, cpu1 node 2, dma node 4";
    sockets.targets =
        "rom node 1 base 0x0 bytes 0x100000, sram node 3 base 0x100000 bytes 0x100000, ram node 5 base "
        "0x200000 bytes 0x100000";
  };
  program.add_keys = [&config](config::KeyTable& keys) {
    keys.add("soc.cpu_words", config.cpu_words, {0, 0x20000}, "words",
             "words that each processor writes and reads");
    keys.add("soc.dma_bytes", config.dma_bytes, {0, 0x80000}, "bytes", "bytes that the DMA engine copies");
    keys.add("soc.burst_bytes", config.burst_bytes, {1, 4096}, "bytes", "length of its bursts");
    keys.add("soc.channels", config.channels, {1, 64}, "", "bursts that it copies at a time");
    keys.add("soc.first_word_ns", config.memory.first_word_ns, {0.0, 1e6}, "ns", "memory: time of 8 bytes");
    keys.add("soc.word_ns", config.memory.word_ns, {0.0, 1e6}, "ns", "memory: time of every further 8 bytes");
  };
  program.make_clients = [&config](TlmNetwork& noc) { return std::make_unique<Soc>(noc, config); };
  return session::tlm_main(argc, argv, program);
}
