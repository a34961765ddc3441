// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/workload/collective_plan.h"

namespace tsuji::workload {

/// Steps of one rank in an all-reduce along a double binary tree (Sanders, Speck and Traeff, Two-tree
/// algorithms for full bandwidth broadcast, reduction and scan, Parallel Computing 2009): two trees, in each
/// of which the ranks that are leaves of the other one are inner nodes, reduce and then broadcast every
/// second chunk each. The trees are those of NCCL (ncclGetDtree). Chunks follow each other two steps apart:
/// the links of a rank have two colours, and in each step those of one colour carry a chunk, so that a rank
/// sends at most one and receives at most one.
ChunkSteps double_tree_all_reduce(std::uint32_t rank, std::uint32_t ranks);

}  // namespace tsuji::workload
