// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/network/loaded_network.h"
#include "tsuji/observe/load_measurement.h"
#include "tsuji/results/results.h"

namespace tsuji::instruments {

/// Packets that were taken into deadlock recovery, by timeout and by hop limit, and reads of routing tables.
void add_recovery(observe::Results& results, const network::VcNetwork& network);
/// Those among the measured packets, and their share.
void add_recovered(observe::Results& results, const observe::LoadMeasurement& measurement);

/// Classes of all timeouts of the run, and the knots of those that detected one; nothing where timeouts are
/// not classified. ModelError where they are not all that the routers have counted.
void add_timeout_classes(observe::Results& results, const network::LoadedNetwork& loaded);

}  // namespace tsuji::instruments
