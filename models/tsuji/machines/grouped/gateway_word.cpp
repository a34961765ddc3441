// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/grouped/gateway_word.h"

#include <string>

#include "tsuji/core/error.h"

namespace tsuji::machines {
namespace {

std::uint32_t place(std::uint32_t value, unsigned first, unsigned bits, const char* what) {
  if (value >> bits != 0)
    throw ModelError("gateway",
                     std::string(what) + " " + std::to_string(value) + " has no place in its word");
  return value << first;
}

std::uint32_t field(std::uint32_t word, unsigned first, unsigned bits) {
  return word >> first & ((std::uint32_t{1} << bits) - 1);
}

}  // namespace

std::uint32_t GatewayWord::encode() const {
  return place(static_cast<std::uint32_t>(kind), 0, 2, "kind") | place(source, 2, 10, "source") |
         place(destination, 12, 10, "destination") | place(group, 22, 4, "node group") |
         place(hops, 26, 6, "number of switches");
}

GatewayWord GatewayWord::decode(std::uint32_t word) {
  return {static_cast<PacketKind>(field(word, 0, 2)), field(word, 2, 10), field(word, 12, 10),
          field(word, 22, 4), field(word, 26, 6)};
}

}  // namespace tsuji::machines
