// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/router/vc_allocator.h"

namespace tsuji::router {

/// Virtual-channel allocators whose input arbiters range over the virtual channels of all output ports. A
/// head may request channels of several ports in a cycle; it gets one of them.
template <class Bank>
class PortVcAllocator : public VcAllocator {
 public:
  PortVcAllocator(Arena& arena, const VcAllocatorShape& shape)
      : VcAllocator(arena, shape),
        at_vc_(arena, shape.ports * shape.vcs, shape.input_vcs),
        at_input_(arena, shape.input_vcs, shape.ports * shape.vcs),
        winners_(arena.array<VcRequest*>(std::size_t{shape.ports} * shape.vcs)) {}

 protected:
  void settle_alone(VcRequest& /*request*/) final { settle_all(); }

  /// visit(requests) for each head, with all requests of the head.
  template <class Visit>
  void for_each_head(const Visit& visit) {
    VcRequest* const end = requests().end();
    for (VcRequest *first = requests().begin(), *last = first; first != end; first = last) {
      while (last != end && last->input_vc == first->input_vc) ++last;
      visit(Requests{first, last});
    }
  }
  /// The request competes for an output virtual channel with those that have done so before.
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
  /// Whether the request has won the virtual channel. The next competition for that channel begins.
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
  VcRequest** winners_;  ///< [output virtual channel]; null: nobody competes for it
};

/// Input first: each head chooses a virtual channel among those of its best rank, then each virtual channel a
/// head.
template <class Bank>
class SeparablePortVcAllocator final : public PortVcAllocator<Bank> {
 public:
  using PortVcAllocator<Bank>::PortVcAllocator;

 private:
  using Requests = VcAllocator::Requests;

  void settle_all() override {
    this->for_each_head([this](const Requests& requests) { choose(requests); });
    for (VcRequest& request : this->requests()) {
      for_each_bit(request.offers, [&](unsigned vc) {
        if (this->takes_win(request, vc)) this->grant(request, vc, true);
      });
    }
  }
  void choose(const Requests& requests) {
    unsigned best_rank = ~0U;
    for (const VcRequest& request : requests) best_rank = std::min<unsigned>(best_rank, request.offers);
    VcRequest* chosen = nullptr;
    unsigned chosen_vc = 0;
    for (VcRequest& request : requests) {
      const bool best = std::exchange(request.offers, std::uint16_t{0}) == best_rank;
      if (!best) continue;
      for_each_bit(request.vcs, [&](unsigned vc) {
        if (chosen != nullptr && this->input_rank(request, vc) >= this->input_rank(*chosen, chosen_vc))
          return;
        chosen = &request;
        chosen_vc = vc;
      });
    }
    chosen->offers = static_cast<std::uint16_t>(1U << chosen_vc);
    this->compete(*chosen, chosen_vc);
  }
};

/// iSLIP: virtual channels grant, heads accept, whatever the ranks of their requests.
class IslipPortVcAllocator final : public PortVcAllocator<RoundRobinBank> {
 public:
  IslipPortVcAllocator(Arena& arena, const VcAllocatorShape& shape)
      : PortVcAllocator(arena, shape), taken_(arena.array<std::uint16_t>(shape.ports)) {}

 private:
  void settle_all() override {
    for (const VcRequest& request : requests()) taken_[request.port] = 0;
    for (unsigned i = 0; i < shape_.iterations; ++i) iterate(i == 0);
  }
  void iterate(bool first) {
    for_each_head([this](const Requests& head) {
      if (is_served(head)) return;
      for (VcRequest& request : head)
        for_each_bit(request.vcs & ~taken_[request.port], [&](unsigned vc) { compete(request, vc); });
    });
    for_each_head([this, first](const Requests& head) {
      if (!is_served(head)) accept(head, first);
    });
  }
  static bool is_served(const Requests& head) {
    return std::any_of(head.begin(), head.end(),
                       [](const VcRequest& request) { return request.granted != VcRequest::nothing; });
  }
  void accept(const Requests& head, bool first) {
    VcRequest* accepted = nullptr;
    unsigned accepted_vc = 0;
    for (VcRequest& request : head) {
      for_each_bit(request.vcs & ~taken_[request.port], [&](unsigned vc) {
        if (!takes_win(request, vc)) return;
        if (accepted != nullptr && input_rank(request, vc) >= input_rank(*accepted, accepted_vc)) return;
        accepted = &request;
        accepted_vc = vc;
      });
    }
    if (accepted == nullptr) return;
    taken_[accepted->port] = static_cast<std::uint16_t>(taken_[accepted->port] | 1U << accepted_vc);
    grant(*accepted, accepted_vc, first);
  }

  std::uint16_t* taken_;  ///< [port]: virtual channels that have been granted and accepted
};

}  // namespace tsuji::router
