// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/library/numbered_block.h"

#include <string>

#include "tsuji/core/error.h"

namespace tsuji::host {

PayloadKey NumberedBlock::numbered(std::uint64_t number) const {
  PayloadKey with_number = key;
  with_number.serial = static_cast<std::uint32_t>(number);
  return with_number;
}

void NumberedBlock::write(Cpu& cpu, std::uint64_t address, std::uint64_t number) const {
  if (bytes > 8) Payload(cpu).write(numbered(number), address, bytes - 8);
  cpu.app_write(last_word(address), &number, sizeof number);
}

void NumberedBlock::check(Cpu& cpu, std::uint64_t address, std::uint64_t number) const {
  if (bytes > 8) Payload(cpu).check(numbered(number), address, bytes - 8);
  std::uint64_t found = 0;
  cpu.app_read(last_word(address), &found, sizeof found);
  if (found == number) return;
  throw ModelError("node " + std::to_string(cpu.node()), cpu.now(), "",
                   "the last word of block " + std::to_string(number) + " from rank " +
                       std::to_string(key.source) + " is " + std::to_string(found));
}

}  // namespace tsuji::host
