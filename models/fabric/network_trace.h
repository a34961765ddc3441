#pragma once

#include <memory>
#include <vector>

#include "core/units.h"
#include "fabric/crosspoint_network.h"
#include "observe/wave.h"

namespace tsuji::fabric {

enum class TraceDetail : std::uint8_t {
  packets,  ///< on every channel the packet that is on it, as text
  signals,  ///< and its flits, the room wires, the FIFO fill levels and the synchronization tables
};

struct NetworkTraceConfig {
  TraceDetail detail = TraceDetail::signals;
  Cycle first_cycle = 0;  ///< outside this window nothing is recorded
  Cycle last_cycle = never;
  std::vector<unsigned> lines;  ///< only channels and switches of these lines; empty: all
};

/// Hangs probes on the channels and switches of a network that write what happens into a waveform. Made after
/// elaboration (ports know their FIFOs then) and before the start. Fill levels and room wires follow from
/// what the channels carry, so the switches themselves know nothing of it but their synchronization tables.
class NetworkTrace {
 public:
  NetworkTrace(CrosspointNetwork& network, const ClockPeriod& period, observe::Wave& wave,
               const NetworkTraceConfig& config);
  ~NetworkTrace();
  /// The levels from which everything starts, in a cycle in which the network is empty; to be called when all
  /// signals of the waveform have been added.
  void begin(Cycle now = 0);

 private:
  const NetworkTraceConfig config_;
  class LinkTrace;
  class TableTrace;
  std::vector<std::unique_ptr<LinkTrace>> links_;
  std::vector<std::unique_ptr<TableTrace>> tables_;
};

}  // namespace tsuji::fabric
