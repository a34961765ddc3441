#pragma once

#include "tsuji/fabric/flit_network/vc_network.h"
#include "tsuji/observe/load_measurement.h"
#include "tsuji/observe/results.h"

namespace tsuji::fabric {

/// Packets that were taken into deadlock recovery, by timeout and by hop limit, and reads of routing tables.
void add_recovery(observe::Results& results, const VcNetwork& network);
/// Those among the measured packets, and their share.
void add_recovered(observe::Results& results, const observe::LoadMeasurement& measurement);

}  // namespace tsuji::fabric
