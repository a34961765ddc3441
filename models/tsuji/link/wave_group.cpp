// SPDX-License-Identifier: Apache-2.0
#include "tsuji/link/wave_group.h"

#include <utility>

namespace tsuji {

WaveGroup::WaveGroup(observe::Wave& wave, const ClockDomain& domain, std::string scope,
                     std::unique_ptr<WaveGroup> before)
    : wave_(wave), domain_(domain), scope_(std::move(scope)), before_(std::move(before)) {}

void WaveGroup::add(const std::string& name, unsigned width_bits, observe::WaveFormat format,
                    const std::vector<std::string>& value_names) {
  const observe::SignalId id = wave_.add(scope_ + "." + name, width_bits, format, scope_);
  for (std::size_t value = 0; value < value_names.size(); ++value)
    wave_.name_value(id, value, value_names[value]);
  signals_.push_back({id, 0, false});
}

void WaveGroup::show(Cycle now, unsigned signal, std::uint64_t value) {
  if (before_) before_->show(now, signal, value);
  Signal& own = signals_[signal];
  if (own.shown && own.last == value) return;
  own.shown = true;
  own.last = value;
  wave_.change(own.id, domain_.time_of(now).value(), value);
}

}  // namespace tsuji
