// SPDX-License-Identifier: Apache-2.0
#include "tsuji/link/fault_injector.h"

#include <string>

#include "tsuji/core/error.h"
#include "tsuji/core/flit.h"

namespace tsuji {

void FaultInjectorConfig::validate() const {
  const auto check = [](const char* key, double p) {
    if (!(p >= 0.0 && p <= 1.0))
      throw ConfigError(std::string("faults.") + key, std::to_string(p), "not a probability", "0..1");
  };
  check("single_bit_per_flit", single_bit_per_flit);
  check("double_bit_per_flit", double_bit_per_flit);
  check("lost_per_flit", lost_per_flit);
  if (single_bit_per_flit + double_bit_per_flit + lost_per_flit > 1.0) {
    throw ConfigError("faults.single_bit_per_flit", std::to_string(single_bit_per_flit),
                      "the probabilities of a flit's faults add up to more than one", "a sum of at most 1");
  }
}

FaultInjector::FaultInjector(const FaultInjectorConfig& config, PacketPool& pool, std::uint64_t channel,
                             bool checks_port_flit)
    : config_(config),
      pool_(pool),
      checks_port_flit_(checks_port_flit),
      total_(config.single_bit_per_flit + config.double_bit_per_flit + config.lost_per_flit),
      random_(config.seed, channel),
      gap_(total_),
      flits_until_error_(gap_.draw(random_)) {}

std::uint64_t* FaultInjector::draw_error(unsigned flit, FlitError& error) {
  error = FlitError{};
  error.flit = static_cast<std::uint16_t>(flit);
  if (config_.data_words_only && flit == 0) return nullptr;
  const double kind = random_.unit() * total_;
  if (kind < config_.lost_per_flit) {
    error.lost = true;
    return &counters_.lost;
  }
  if (kind < config_.lost_per_flit + config_.double_bit_per_flit && flit != 0) {
    const auto first = static_cast<unsigned>(random_.below(flit_data_bits));
    const auto second =
        (first + 1 + static_cast<unsigned>(random_.below(flit_data_bits - 1))) % flit_data_bits;
    error.flip = 1U << first | 1U << second;
    return &counters_.double_bit;
  }
  const unsigned bits = config_.data_words_only ? flit_data_bits : flit == 0 ? flit_data_bits + 1 : flit_bits;
  error.flip = 1U << random_.below(bits);
  return &counters_.single_bit;
}

bool FaultInjector::on_send(Cycle, PacketTransfer& transfer) {
  const unsigned flits = transfer.packet->flits;
  if (flits_until_error_ > flits) {
    flits_until_error_ -= flits;
    return true;
  }
  // The branches of a multicast share their packet, so the errors go to a copy.
  PacketRef copy = pool_.clone(*transfer.packet);
  unsigned flit = 0;
  bool port_flit_hit = false;
  while (flits_until_error_ <= flits - flit) {
    flit += static_cast<unsigned>(flits_until_error_);
    FlitError error;
    std::uint64_t* const count = draw_error(flit - 1, error);
    if (count != nullptr && damage(copy.edit(), error)) {
      ++*count;
      port_flit_hit = port_flit_hit || (error.flit == 0 && !error.lost);
    }
    flits_until_error_ = gap_.draw(random_);
  }
  flits_until_error_ -= flits - flit;
  transfer.packet = std::move(copy);
  if (!checks_port_flit_ || !port_flit_hit) return true;
  ++counters_.dropped_port_parity;
  return false;
}

}  // namespace tsuji
