#include "router/allocator.h"

#include <limits>

namespace tsuji::router {
namespace {

constexpr std::uint32_t speculation_penalty = std::uint32_t{1} << 31;

/// `arbiters` arbiters with `lines` inputs each; the smaller key wins.
class RoundRobinBank {
 public:
  RoundRobinBank(unsigned arbiters, unsigned lines)
      : lines_(static_cast<std::uint16_t>(lines)), next_(arbiters) {}
  std::uint32_t key(unsigned arbiter, unsigned line) const {
    const unsigned next = next_[arbiter];
    return line >= next ? line - next : line + lines_ - next;
  }
  void served(unsigned arbiter, unsigned line) {
    next_[arbiter] = static_cast<std::uint16_t>(line + 1U == lines_ ? 0 : line + 1);
  }

 private:
  std::uint16_t lines_;
  std::vector<std::uint16_t> next_;  ///< the line that is served first
};

/// The order that a matrix of who-goes-before-whom bits keeps is the order of last services.
class MatrixBank {
 public:
  MatrixBank(unsigned arbiters, unsigned lines) : lines_(lines), order_(static_cast<std::size_t>(arbiters) * lines) {
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = static_cast<std::uint16_t>(i % lines);
  }
  std::uint32_t key(unsigned arbiter, unsigned line) const { return order_[arbiter * lines_ + line]; }
  void served(unsigned arbiter, unsigned line) {
    std::uint16_t* order = order_.data() + static_cast<std::size_t>(arbiter) * lines_;
    const std::uint16_t place = order[line];
    for (unsigned l = 0; l < lines_; ++l) order[l] = static_cast<std::uint16_t>(order[l] - (order[l] > place ? 1 : 0));
    order[line] = static_cast<std::uint16_t>(lines_ - 1);
  }

 private:
  std::size_t lines_;
  std::vector<std::uint16_t> order_;  ///< [arbiter][line]: how many lines go before it
};

/// The best request so far at each side of the match, and which sides have any.
class Contest {
 public:
  explicit Contest(unsigned sides) : best_(sides, {none, 0}) { touched_.reserve(sides); }
  void offer(unsigned side, std::uint32_t key, unsigned request) {
    Best& best = best_[side];
    if (best.key == none) {
      touched_.push_back(static_cast<std::uint16_t>(side));
    } else if (key >= best.key) {
      return;
    }
    best = {key, request};
  }
  /// Calls visit(request) for each side's winner and forgets them.
  template <class Visit>
  void winners(const Visit& visit) {
    for (const std::uint16_t side : touched_) {
      visit(best_[side].request);
      best_[side].key = none;
    }
    touched_.clear();
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  struct Best {
    std::uint32_t key;
    unsigned request;
  };
  std::vector<Best> best_;
  std::vector<std::uint16_t> touched_;
};

template <class Bank>
class SeparableAllocator final : public Allocator {
 public:
  explicit SeparableAllocator(const AllocatorShape& shape)
      : at_input_(shape.inputs, shape.choices), at_output_(shape.outputs, shape.inputs), inputs_(shape.inputs),
        outputs_(shape.outputs) {}

  void allocate(std::vector<AllocationRequest>& requests) override {
    if (requests.size() == 1) {
      grant(requests.front());
      return;
    }
    for (unsigned r = 0; r < requests.size(); ++r) {
      const AllocationRequest& request = requests[r];
      inputs_.offer(request.input, at_input_.key(request.input, request.choice) | penalty(request), r);
    }
    inputs_.winners([&](unsigned r) {
      const AllocationRequest& request = requests[r];
      outputs_.offer(request.output, at_output_.key(request.output, request.input) | penalty(request), r);
    });
    outputs_.winners([&](unsigned r) { grant(requests[r]); });
  }

 private:
  static std::uint32_t penalty(const AllocationRequest& request) {
    return request.speculative ? speculation_penalty : 0;
  }
  void grant(AllocationRequest& request) {
    request.granted = true;
    at_input_.served(request.input, request.choice);
    at_output_.served(request.output, request.input);
  }

  Bank at_input_, at_output_;
  Contest inputs_, outputs_;
};

class IslipAllocator final : public Allocator {
 public:
  explicit IslipAllocator(const AllocatorShape& shape)
      : choices_(shape.choices), iterations_(shape.iterations), at_output_(shape.outputs, shape.inputs),
        at_input_(shape.inputs, shape.outputs), at_choice_(shape.inputs, shape.choices), inputs_(shape.inputs),
        outputs_(shape.outputs), input_taken_(shape.inputs), output_taken_(shape.outputs) {}

  void allocate(std::vector<AllocationRequest>& requests) override {
    if (requests.size() == 1) {
      accept(requests.front(), true);
      return;
    }
    iterate(requests, true);
    if (iterations_ == 1) return;
    for (unsigned i = 1; i < iterations_; ++i) iterate_again(requests);
  }

 private:
  /// A grant goes to an input; which of the input's requests for this output it serves is the input's matter.
  std::uint32_t grant_key(const AllocationRequest& request) const {
    const std::uint32_t key = at_output_.key(request.output, request.input) * choices_ +
                              at_choice_.key(request.input, request.choice);
    return key | (request.speculative ? speculation_penalty : 0);
  }
  std::uint32_t accept_key(const AllocationRequest& request) const {
    return at_input_.key(request.input, request.output) | (request.speculative ? speculation_penalty : 0);
  }
  void accept(AllocationRequest& request, bool first) {
    request.granted = true;
    at_choice_.served(request.input, request.choice);
    if (!first) return;
    at_input_.served(request.input, request.output);
    at_output_.served(request.output, request.input);
  }
  void offer(const std::vector<AllocationRequest>& requests, unsigned r) {
    outputs_.offer(requests[r].output, grant_key(requests[r]), r);
  }
  void settle(std::vector<AllocationRequest>& requests, bool first) {
    outputs_.winners([&](unsigned r) { inputs_.offer(requests[r].input, accept_key(requests[r]), r); });
    inputs_.winners([&](unsigned r) { accept(requests[r], first); });
  }
  void iterate(std::vector<AllocationRequest>& requests, bool first) {
    for (unsigned r = 0; r < requests.size(); ++r) offer(requests, r);
    settle(requests, first);
  }
  void iterate_again(std::vector<AllocationRequest>& requests) {
    for (const AllocationRequest& request : requests) {
      if (!request.granted) continue;
      input_taken_[request.input] = output_taken_[request.output] = 1;
    }
    for (unsigned r = 0; r < requests.size(); ++r) {
      if (input_taken_[requests[r].input] == 0 && output_taken_[requests[r].output] == 0) offer(requests, r);
    }
    for (const AllocationRequest& request : requests) {
      input_taken_[request.input] = output_taken_[request.output] = 0;
    }
    settle(requests, false);
  }

  const std::uint32_t choices_;
  const unsigned iterations_;
  RoundRobinBank at_output_, at_input_, at_choice_;
  Contest inputs_, outputs_;
  std::vector<std::uint8_t> input_taken_, output_taken_;
};

}  // namespace

std::unique_ptr<Allocator> make_allocator(AllocatorKind kind, const AllocatorShape& shape) {
  switch (kind) {
    case AllocatorKind::matrix:
      return std::make_unique<SeparableAllocator<MatrixBank>>(shape);
    case AllocatorKind::islip:
      return std::make_unique<IslipAllocator>(shape);
    case AllocatorKind::separable:
      break;
  }
  return std::make_unique<SeparableAllocator<RoundRobinBank>>(shape);
}

}  // namespace tsuji::router
