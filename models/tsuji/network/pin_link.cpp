// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/pin_link.h"

#include <optional>

namespace tsuji::network {
namespace {

std::optional<FlitChannelConfig> to_pins(const FlitChannelConfig* direct) {
  if (direct == nullptr) return std::nullopt;
  return channel_to_pins(*direct);
}

template <class T>
const T* pointer(const std::optional<T>& value) {
  return value ? &*value : nullptr;
}

}  // namespace

std::unique_ptr<FlitLink> PinLink::near(const Plan& plan) {
  const auto forward = to_pins(plan.forward);
  return std::make_unique<FlitLink>(plan.owner, plan.letter, plan.number, pointer(forward), plan.backward);
}

PinLink::PinLink(const Plan& plan, FlitLink& near, ClockDomain& domain, Arena& arena) {
  const auto backward = to_pins(plan.backward);
  far_ = std::make_unique<FlitLink>(plan.owner, plan.letter, plan.number, plan.forward, pointer(backward));
  const std::string name = plan.letter + std::to_string(plan.number);
  if (plan.forward != nullptr)
    forward_ =
        std::make_unique<Direction>(name + "_forward", domain, arena, *near.forward(), *far_->forward());
  if (plan.backward != nullptr)
    backward_ =
        std::make_unique<Direction>(name + "_backward", domain, arena, *far_->backward(), *near.backward());
}

PinLink::Direction::Direction(const std::string& name, ClockDomain& domain, Arena& arena, FlitChannel& from,
                              FlitChannel& to)
    : wires(name),
      to_pins((name + "_to_pins").c_str(), domain, from, arena),
      from_pins((name + "_from_pins").c_str(), domain, to, arena) {
  to_pins.bind(wires);
  from_pins.bind(wires);
}

}  // namespace tsuji::network
