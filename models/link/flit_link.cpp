#include "link/flit_link.h"

namespace tsuji {

FlitLink::FlitLink(const char* link_name, const FlitChannelConfig* from_a_to_b,
                   const FlitChannelConfig* from_b_to_a)
    : sc_object(link_name) {
  if (from_a_to_b != nullptr) {
    forward_ = std::make_unique<FlitChannel>(*from_a_to_b);
    forward_->set_name(*this, "->");
  }
  if (from_b_to_a != nullptr) {
    backward_ = std::make_unique<FlitChannel>(*from_b_to_a);
    backward_->set_name(*this, "<-");
  }
  a_.out_ = b_.in_ = forward_.get();
  b_.out_ = a_.in_ = backward_.get();
}

}  // namespace tsuji
