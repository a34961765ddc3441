// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/router/vc_allocator.h"

namespace tsuji::router {

/// Base of virtual-channel allocators whose input arbiters range over the virtual channels of all output
/// ports. A head may request channels of several ports in a cycle, and gets at most one.
template <class Bank>
class PortVcAllocator : public VcAllocator {
 public:
  PortVcAllocator(Arena& arena, const VcAllocatorShape& shape)
      : VcAllocator(arena, shape),
        at_vc_(arena, shape.ports * shape.vcs, shape.input_vcs),
        at_input_(arena, shape.input_vcs, shape.ports * shape.vcs),
        winners_(arena.array<VcRequest*>(std::size_t{shape.ports} * shape.vcs)) {}

 protected:
  void allocate_alone(VcRequest& /*request*/) final { allocate_all(); }

  /// Calls visit(requests) for each head, with all requests of the head.
  template <class Visit>
  void for_each_head(const Visit& visit) {
    VcRequest* const end = requests().end();
    for (VcRequest *first = requests().begin(), *last = first; first != end; first = last) {
      while (last != end && last->input_vc == first->input_vc) ++last;
      visit(Requests{first, last});
    }
  }
  /// Enters the request into the competition for an output virtual channel.
  void compete(VcRequest& request, unsigned vc) {
    VcRequest*& winner = winners_[output_vc(request, vc)];
    if (winner == nullptr || output_rank(request, vc) < output_rank(*winner, vc)) winner = &request;
  }
  unsigned output_rank(const VcRequest& request, unsigned vc) const {
    return at_vc_.rank(output_vc(request, vc), request.input_vc);
  }
  unsigned input_rank(const VcRequest& request, unsigned vc) const {
    return at_input_.rank(request.input_vc, output_vc(request, vc));
  }
  /// Returns true if the request has won the virtual channel, and then starts a new competition for the
  /// channel.
  bool takes_win(const VcRequest& request, unsigned vc) {
    VcRequest*& winner = winners_[output_vc(request, vc)];
    if (winner != &request) return false;
    winner = nullptr;
    return true;
  }
  void grant(VcRequest& request, unsigned vc, bool move_pointers) {
    request.granted = static_cast<std::uint8_t>(vc);
    if (!move_pointers) return;
    at_input_.served(request.input_vc, output_vc(request, vc));
    at_vc_.served(output_vc(request, vc), request.input_vc);
  }

 private:
  Bank at_vc_, at_input_;
  VcRequest** winners_;  ///< [output virtual channel]: best request so far; null: none
};

}  // namespace tsuji::router
