// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tsuji/config/key_table.h"
#include "tsuji/machines/cenju4/cenju4_config.h"

namespace tsuji::machines {

/// Binds the keys of what is in a node: sender, receiver, memory, cache, processor, library, software, os.
void add_cenju4_node_keys(config::KeyTable& keys, Cenju4Config& config);

/// Binds the keys of a multistage network but for its nodes: SECTION.radix, SECTION.stages, ..., and
/// switch.*.
void add_crosspoint_keys(config::KeyTable& keys, network::CrosspointNetworkConfig& network,
                         const std::string& section);

/// Binds every key of a machine to its field.
void add_cenju4_keys(config::KeyTable& keys, Cenju4Config& config);

}  // namespace tsuji::machines
