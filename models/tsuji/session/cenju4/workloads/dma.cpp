// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <tuple>

#include "tsuji/core/error.h"
#include "tsuji/nic/parcel.h"
#include "tsuji/session/cenju4/cenju4_phases.h"
#include "tsuji/session/cenju4/workloads/workloads.h"

namespace tsuji::session {

void DmaWorkload::add_keys(config::KeyTable& keys) {
  keys.add("workload.dma_bytes", bytes, {4, 64ULL << 20}, "bytes",
           "length of the DMA, a multiple of 4 (remote_read: of 8)");
  keys.add("workload.dma_source", source, {0, 1023}, "", "node from which the DMA reads the data");
  keys.add("workload.dma_destination", destination, {0, 1023}, "", "node to which the DMA writes the data");
  keys.add("workload.dma_source_offset", source_offset, {0, 4092}, "bytes",
           "offset of the source data from the start of a cache line, a multiple of 4 (remote_read: of 8)");
  keys.add(
      "workload.dma_destination_offset", destination_offset, {0, 4092}, "bytes",
      "offset of the destination data from the start of a cache line, a multiple of 4 (remote_read: of 8)");
  keys.add("workload.dma_returns", returns,
           "whether a DMA of equal length returns to the source; half of the round trip is measured");
  keys.add_choice(
      "workload.dma_protocol", protocol,
      {{"remote_dma", host::DmaProtocol::remote_dma}, {"remote_read", host::DmaProtocol::remote_read}},
      "protocol of the DMA; remote_dma: the source puts the data; remote_read: the destination reads them");
  keys.only_with("workload.dma_returns", {{"workload.dma_protocol", {"remote_dma"}}});
}

void DmaWorkload::validate_with(const machines::Cenju4Config& machine) const {
  require_node("workload.dma_source", source, machine);
  require_node("workload.dma_destination", destination, machine);
  // Units of 32-bit words; remote reads of the library have two words each.
  const unsigned unit = protocol == host::DmaProtocol::remote_dma ? 4 : 8;
  require_whole_words("workload.dma_bytes", bytes, unit);
  require_whole_words("workload.dma_source_offset", source_offset, unit);
  require_whole_words("workload.dma_destination_offset", destination_offset, unit);
}

host::DmaProgram::Config DmaWorkload::program() const {
  host::DmaProgram::Config config;
  config.source = source;
  config.destination = destination;
  config.bytes = bytes;
  config.source_offset = source_offset;
  config.destination_offset = destination_offset;
  config.returns = returns;
  config.protocol = protocol;
  return config;
}

void DmaWorkload::play(Cenju4Phases& phases) {
  using Program = host::DmaProgram;
  constexpr double mebibyte = 1024.0 * 1024.0;
  const bool puts = protocol == host::DmaProtocol::remote_dma;
  phases.run_programs<Program>("dma", program());
  const Cycle start = phases.program<Program>(puts ? source : destination).start_cycle();
  const Cycle end = returns ? phases.program<Program>(source).return_cycle()
                            : phases.program<Program>(destination).arrival_cycle();
  const double time = phases.us(end - start) / (returns ? 2 : 1);
  const double seconds = time * 1e-6;
  observe::Results& results = phases.results();
  // Last point of the paper's curve.
  const bool aligned = source_offset % nic::line_bytes == 0 && destination_offset % nic::line_bytes == 0;
  const bool measured = puts && aligned && bytes >= std::uint64_t{64} * 1024 &&
                        phases.config().os.paging != host::Paging::on_demand;
  results.metric("dma_bytes", bytes, "B", "parcel DMA, compared byte by byte");
  results.metric("dma_time_us", time, "us",
                 returns ? "parcel DMA: half of there and back" : "parcel DMA: call to last byte seen");
  results.metric("dma_throughput_mib_s", static_cast<double>(bytes) / mebibyte / seconds, "2^20 B/s",
                 "parcel DMA: throughput", measured ? "about 169 (fig. 7, A)" : "");
  results.metric("dma_throughput_mb_s", static_cast<double>(bytes) * 1e-6 / seconds, "10^6 B/s");
}

void add_dma(Cenju4Workloads& kinds) {
  add_workload<DmaWorkload>(kinds, "dma", {"a parcel DMA", {"library.realignment"}});
}

}  // namespace tsuji::session
