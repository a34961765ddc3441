// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tsuji/core/units.h"

namespace tsuji::session {

// Places of a followed packet at nodes that are members of groups, and therefore no ends of the network.

inline std::string member_sends(NodeId node) {
  return "member " + std::to_string(node) + " sends";
}
inline std::string member_receives(NodeId node) {
  return "member " + std::to_string(node) + " receives";
}

}  // namespace tsuji::session
