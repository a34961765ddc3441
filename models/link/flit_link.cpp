#include "link/flit_link.h"

namespace tsuji {

FlitLink::FlitLink(const char* link_name, const FlitChannelConfig* from_a_to_b,
                   const FlitChannelConfig* from_b_to_a)
    : sc_object(link_name) {
  if (from_a_to_b != nullptr) {
    a_.out_ = b_.in_ = &forward_.emplace(*from_a_to_b);
    forward_->set_name(*this, "->");
  }
  if (from_b_to_a != nullptr) {
    b_.out_ = a_.in_ = &backward_.emplace(*from_b_to_a);
    backward_->set_name(*this, "<-");
  }
}

}  // namespace tsuji
