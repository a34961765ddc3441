#pragma once

#include "tsuji/fabric/flit_network/loaded_network.h"
#include "tsuji/platform/command_line.h"

namespace tsuji::platform {

/// Runs a loaded network in slices of a fraction of a second, however large it is, so that a signal ends the
/// run soon. Where a slice ends shows in no result.
class NetworkSlices {
 public:
  NetworkSlices(fabric::LoadedNetwork& loaded, const RunOptions& options, observe::Results& results)
      : loaded_(loaded), options_(options), results_(results) {}
  /// The cycles before `end`. Throws Interrupted between two slices.
  void run_to(Cycle end);

 private:
  fabric::LoadedNetwork& loaded_;
  const RunOptions& options_;
  observe::Results& results_;
  Cycle slice_cycles_ = 64;
};

}  // namespace tsuji::platform
