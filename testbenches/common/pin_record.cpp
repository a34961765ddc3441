// SPDX-License-Identifier: Apache-2.0
#include "common/pin_record.h"

#include "tsuji/core/error.h"
#include "tsuji/core/output_file.h"

namespace tsuji::bench {

PinRecord::PinRecord(const std::string& path, const std::vector<Pin>& pins)
    : path_(path), pins_(pins), file_(path) {
  if (!file_) throw ConfigError("--record", path, "cannot be written", "a file in a folder that exists");
  for (const Pin& pin : pins_)
    file_ << (pin.input ? "input " : "output ") << pin.name << ' ' << pin.width_bits * pin.lanes << '\n';
  file_ << "cycles\n";
}

void PinRecord::row(const std::vector<std::uint64_t>& inputs, const std::vector<std::uint64_t>& outputs) {
  write_number(true, inputs);
  file_ << ' ';
  write_number(false, outputs);
  file_ << '\n';
}

void PinRecord::write_number(bool inputs, const std::vector<std::uint64_t>& values) {
  bits_.clear();
  for (const Pin& pin : pins_)
    for (unsigned lane = 0; pin.input == inputs && lane < pin.lanes; ++lane)
      for (unsigned bit = 0; bit < pin.width_bits; ++bit)
        bits_.push_back((values[pin.at + lane] >> bit & 1) != 0);
  while (bits_.size() % 4 != 0) bits_.push_back(false);
  for (std::size_t at = bits_.size(); at != 0; at -= 4) {
    const unsigned digit = (bits_[at - 1] ? 8U : 0U) + (bits_[at - 2] ? 4U : 0U) + (bits_[at - 3] ? 2U : 0U) +
                           (bits_[at - 4] ? 1U : 0U);
    file_ << "0123456789abcdef"[digit];
  }
}

void PinRecord::close() {
  close_output(file_, path_);
}

}  // namespace tsuji::bench
