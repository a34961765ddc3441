// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/end.h"

#include <array>
#include <charconv>

#include "tsuji/core/error.h"

namespace tsuji {

std::string End::name() const {
  std::array<char, longest_name> text;
  return {text.data(), put_name(text.data())};
}

char* End::put_name(char* at) const {
  if (is_router()) *at++ = 'r';
  return std::to_chars(at, at + 10, number_ & ~first_router).ptr;
}

void End::refuse(End end, const char* expected) {
  throw ModelError((end.is_router() ? "router " : "node ") + std::to_string(end.number_ & ~first_router),
                   std::string("is not a valid end of a packet: ") + expected + " is expected");
}

}  // namespace tsuji
