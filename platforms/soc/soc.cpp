// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/host/memory.h"
#include "tsuji/interconnect/thread_initiator.h"
#include "tsuji/session/tlm_main.h"

using namespace tsuji;

constexpr std::uint64_t sram_base = 0x100000, ram_base = 0x200000, copied_from = 0x80000, copied_to = 0x80000;

struct SocConfig {
  unsigned cpu_words = 256, dma_bytes = 16384, burst_bytes = 256, channels = 4;
  host::MemoryConfig memory{1 << 20, 20, 1};
};

class Soc final : public session::TlmClients {
 public:
  Soc(TlmNetwork& noc, const SocConfig& config) : config_(config) {
    for (host::Memory* const memory : {&rom, &sram, &ram})
      noc.for_target(memory->name()).bind(memory->socket);
    for (ThreadInitiator* const one : {&cpu0, &cpu1, &dma}) one->socket.bind(noc.for_initiator(one->name()));
    for (unsigned at = 0; at < config.dma_bytes; ++at) rom.storage().write(copied_from + at, &at, 1);
    cpu0.start([this] { run_cpu(cpu0, sram_base); });
    cpu1.start([this] { run_cpu(cpu1, ram_base); });
    for (unsigned channel = 0; channel < config.channels; ++channel)
      dma.start([this, channel] { run_dma(channel); });
  }
  bool done() const override { return cpu0.running() + cpu1.running() + dma.running() == 0; }
  void report(observe::Results&) override {
    std::vector<unsigned char> from(config_.dma_bytes), to(config_.dma_bytes);
    rom.storage().read(copied_from, from.data(), from.size());
    ram.storage().read(copied_to, to.data(), to.size());
    if (done() && from != to) throw ModelError("dma", "a copied byte differs");
  }

 private:
  /// Writes words from `base` on and reads each back.
  void run_cpu(ThreadInitiator& cpu, std::uint64_t base) {
    for (std::uint32_t i = 0; i < config_.cpu_words; ++i) {
      const std::uint32_t word = 3 * i;
      std::uint32_t back = 0;
      cpu.write(base + 4 * i, &word, 4);
      cpu.read(base + 4 * i, &back, 4);
      if (word != back) throw ModelError(cpu.name(), "a word has changed");
    }
  }
  /// Copies every `channels`th burst from the first target to the last one.
  void run_dma(unsigned channel) {
    std::vector<unsigned char> burst(config_.burst_bytes);
    for (unsigned at = channel * config_.burst_bytes; at < config_.dma_bytes;
         at += config_.channels * config_.burst_bytes) {
      const unsigned bytes = std::min(config_.burst_bytes, config_.dma_bytes - at);
      dma.read(copied_from + at, burst.data(), bytes);
      dma.write(ram_base + copied_to + at, burst.data(), bytes);
    }
  }

  const SocConfig& config_;
  ThreadInitiator cpu0{"cpu0"}, cpu1{"cpu1"}, dma{"dma"};
  host::Memory rom{"rom", config_.memory}, sram{"sram", config_.memory}, ram{"ram", config_.memory};
};

int sc_main(int argc, char** argv) {
  SocConfig config;
  session::TlmProgram program;
  program.description = "Two processors, a DMA engine and three memories on a mesh";
  program.radices = {3, 2};
  program.initiators = "cpu0 node 0, cpu1 node 2, dma node 4";
  program.targets =
      "rom node 1 base 0x0 bytes 0x100000, sram node 3 base 0x100000 bytes 0x100000, "
      "ram node 5 base 0x200000 bytes 0x100000";
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
