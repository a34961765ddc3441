// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/end.h"

#include "tsuji/core/error.h"

namespace tsuji {

std::string End::name() const {
  return (is_router() ? "r" : "") + std::to_string(number_ & ~first_router);
}

void End::refuse(End end, const char* expected) {
  throw ModelError((end.is_router() ? "router " : "node ") + std::to_string(end.number_ & ~first_router),
                   std::string("is not a valid end of a packet: ") + expected + " is expected");
}

}  // namespace tsuji
