// SPDX-License-Identifier: Apache-2.0
#include "lookup/cam_bench.h"

namespace tsuji::bench {

using lookup::CamOperation;

CamStimulus::CamStimulus(const Drive& pins, std::uint64_t seed, const lookup::CamConfig& config)
    : random_(seed, 2),
      config_(config),
      all_bits_(~std::uint64_t{0} >> (64 - config.key_bits)),
      reset_(pins.input("reset")),
      valid_(pins.input("request_valid")),
      operation_(pins.input("request_operation")),
      index_(pins.input("request_index")),
      key_(pins.input("request_key")),
      mask_(pins.input("request_mask")),
      value_(pins.input("request_value")) {
  for (unsigned i = 0; i < config.entries; ++i) pool_.push_back(random_.next() & all_bits_);
}

std::uint64_t CamStimulus::key() {
  const std::uint64_t known = pool_[random_.below(pool_.size())];
  return random_.below(4) != 0 ? known : known ^ (std::uint64_t{1} << random_.below(config_.key_bits));
}

/// All bits count, or none, or some of the highest or any ones.
std::uint64_t CamStimulus::mask() {
  switch (random_.below(4)) {
    case 0:
      return random_.below(8) == 0 ? 0 : all_bits_;
    case 1:
      return all_bits_ & ~(all_bits_ >> random_.below(config_.key_bits));
    default:
      return all_bits_ & (random_.next() | random_.next());
  }
}

void CamStimulus::drive(Cycle cycle, Drive& pins) {
  const Cycle phase = cycle / 1024 % 4;  // mostly searches; mixed; rows one after the other; erasing
  pins.set(reset_, cycle < 2 || random_.below(8192) == 0);
  pins.set(valid_, phase == 2 || random_.below(4) != 0);
  const std::uint64_t kind = random_.below(16);
  const std::uint64_t searches[] = {14, 8, 4, 10};
  CamOperation operation = phase == 3 ? CamOperation::erase : CamOperation::insert;
  if (kind < searches[phase])
    operation = CamOperation::search;
  else if (kind == 15 && phase != 2)
    operation = phase == 3 ? CamOperation::insert : CamOperation::erase;
  if (random_.below(32) == 0) operation = CamOperation::none;
  pins.set(operation_, static_cast<std::uint64_t>(operation));
  next_row_ = phase == 2 ? (next_row_ + 1) % config_.entries
                         : static_cast<std::uint32_t>(random_.below(config_.entries));
  pins.set(index_, next_row_);
  pins.set(key_, key());
  pins.set(mask_, mask());
  pins.set(value_, random_.next() & 0xffffffff);
}

}  // namespace tsuji::bench
