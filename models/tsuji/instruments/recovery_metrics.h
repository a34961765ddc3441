// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/network/loaded_network.h"
#include "tsuji/observe/load_measurement.h"
#include "tsuji/results/results.h"

namespace tsuji::instruments {

/// Adds the number of packets taken into deadlock recovery, by timeout and by hop limit, and of reads of
/// routing tables.
void add_recovery(observe::Results& results, const network::VcNetwork& network);
/// Adds the number of measured packets that recovered, and their share.
void add_recovered(observe::Results& results, const observe::LoadMeasurement& measurement);

/// Adds the classes of all timeouts of the run, and the knots of those that detected one; nothing if timeouts
/// are not classified. ModelError if their sum is not the number of timeouts that the routers have counted.
void add_timeout_classes(observe::Results& results, const network::LoadedNetwork& loaded);

}  // namespace tsuji::instruments
