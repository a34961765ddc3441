// SPDX-License-Identifier: Apache-2.0
#include "tsuji/link/flit_link.h"

namespace tsuji {

FlitLink::FlitLink(const sc_core::sc_object& owner, char letter, std::uint32_t number,
                   const FlitChannelConfig* from_a_to_b, const FlitChannelConfig* from_b_to_a)
    : owner_(owner), number_(number), letter_(letter) {
  if (from_a_to_b != nullptr) a_.out_ = b_.in_ = &forward_.emplace(*from_a_to_b, this);
  if (from_b_to_a != nullptr) b_.out_ = a_.in_ = &backward_.emplace(*from_b_to_a, this);
}

std::string FlitLink::name() const {
  return std::string(owner_.name()) + "." + basename();
}

std::string FlitChannel::name() const {
  if (link_ == nullptr) return "channel";
  return link_->name() + (link_->forward() == this ? "->" : "<-");
}

}  // namespace tsuji
