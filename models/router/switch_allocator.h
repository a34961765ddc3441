#pragma once

#include <cstdint>

#include "core/arena.h"
#include "router/arbiter.h"

namespace tsuji::router {

/// separable: input first, round robin at inputs, then at outputs. matrix: the same with
/// least-recently-served arbiters. islip: outputs grant, inputs accept, and the pointers move only with what
/// the first iteration accepts (McKeown, "The iSLIP scheduling algorithm", 1999).
enum class AllocatorKind : std::uint8_t { separable, matrix, islip };

struct SwitchShape {
  unsigned inputs = 0;      ///< of the crossbar: ports times input speed-up, at most 64
  unsigned outputs = 0;     ///< at most 64
  unsigned vcs = 0;         ///< of an input port, at most 16
  unsigned iterations = 1;  ///< iSLIP only
};

struct SwitchGrant {
  std::uint8_t input, output, vc;
};

/// Switch allocation: virtual channels at crossbar inputs ask for outputs, and each input and each output is
/// granted at most once a cycle. A request stands until it is withdrawn, also when it was granted: the next
/// flit of a packet mostly wants the same. What is granted depends on the requests and on earlier grants, not
/// on the order of the calls.
class SwitchAllocator {
 public:
  SwitchAllocator(Arena& arena, const SwitchShape& shape);
  virtual ~SwitchAllocator() = default;

  void request(unsigned input, unsigned output, unsigned vc) {
    settled_ = false;
    wanted_ |= std::uint64_t{1} << output;
    outputs_[output].inputs |= std::uint64_t{1} << input;
    std::uint16_t& vcs = vcs_of(input, output);
    requests_ += ~vcs >> vc & 1U;
    vcs = static_cast<std::uint16_t>(vcs | 1U << vc);
  }
  void withdraw(unsigned input, unsigned output, unsigned vc) {
    settled_ = false;
    std::uint16_t& vcs = vcs_of(input, output);
    requests_ -= vcs >> vc & 1U;
    vcs = static_cast<std::uint16_t>(vcs & ~(1U << vc));
    if (vcs != 0) return;
    std::uint64_t& inputs = outputs_[output].inputs;
    inputs &= ~(std::uint64_t{1} << input);
    if (inputs == 0) wanted_ &= ~(std::uint64_t{1} << output);
  }
  bool any() const { return wanted_ != 0; }

  /// One cycle's grants, in any order: visit(input, output, vc), which may withdraw what was granted. Where
  /// all requests were granted nobody competed: then the grants stay as they are, pointers included, until a
  /// request comes or goes.
  template <class Serve>
  void serve(const Serve& visit) {
    const bool fresh = !settled_ && simple_;
    if (!settled_) allocate();
    SwitchGrant* const grants = grants_;
    const unsigned count = grant_count_;
    for (unsigned g = 0; g < count; ++g) {
      SwitchGrant& grant = grants[g];
      if (fresh) accept(grant);
      visit(grant.input, grant.output, grant.vc);
    }
  }

 protected:
  std::uint16_t& vcs_of(unsigned input, unsigned output) { return vcs_of_[output * inputs_count_ + input]; }
  void grant(unsigned input, unsigned output, unsigned vc) {
    grants_[grant_count_++] = {static_cast<std::uint8_t>(input), static_cast<std::uint8_t>(output),
                               static_cast<std::uint8_t>(vc)};
  }
  virtual void match() = 0;

  struct Output {
    std::uint64_t inputs = 0;  ///< that want it
    std::uint8_t last = 0;     ///< iSLIP's pointer: the input that it served last
  };
  struct Input {
    std::uint8_t last_output = 0, last_vc = 0;  ///< iSLIP's pointers
  };

  std::uint64_t wanted_ = 0;  ///< outputs that somebody wants
  const unsigned inputs_count_;
  unsigned requests_ = 0, grant_count_ = 0;
  bool simple_ = false;   ///< iSLIP of one iteration
  bool settled_ = false;  ///< the last cycle's grants are this cycle's, too
  Output* outputs_;
  Input* inputs_;
  std::uint16_t* vcs_of_;  ///< [output][input]: virtual channels that want it
  SwitchGrant* grants_;    ///< as many as there are outputs

 private:
  void allocate() {
    grant_count_ = 0;
    if (simple_) {
      match_once();
    } else {
      match();
    }
    settled_ = grant_count_ == requests_;
  }
  void match_once();
  void accept(SwitchGrant& grant) {
    const unsigned input = grant.input, output = grant.output;
    const unsigned vc = first_after(vcs_of(input, output), inputs_[input].last_vc);
    grant.vc = static_cast<std::uint8_t>(vc);
    inputs_[input] = {grant.output, grant.vc};
    outputs_[output].last = grant.input;
  }
  bool prefers(unsigned input, unsigned output, unsigned other) const;
};

ArenaPtr<SwitchAllocator> make_switch_allocator(Arena& arena, AllocatorKind kind, const SwitchShape& shape);

/// iSLIP in one iteration: every output grants to the next input that wants it, and an input to which several
/// grant accepts the next of them. accept() moves the pointers.
inline void SwitchAllocator::match_once() {
  SwitchGrant* const grants = grants_;
  std::uint64_t inputs = 0;
  unsigned count = 0;
  for (std::uint64_t outputs = wanted_; outputs != 0; outputs &= outputs - 1) {
    const auto output = static_cast<unsigned>(__builtin_ctzll(outputs));
    const unsigned input = first_after(outputs_[output].inputs, outputs_[output].last);
    SwitchGrant* place = grants + count;
    if ((inputs >> input & 1U) == 0) {
      inputs |= std::uint64_t{1} << input;
      ++count;
    } else {
      for (place = grants; place->input != input;) ++place;
      if (!prefers(input, output, place->output)) continue;
    }
    place->input = static_cast<std::uint8_t>(input);
    place->output = static_cast<std::uint8_t>(output);
  }
  grant_count_ = count;
}

/// Which of two outputs comes first behind the one that this input accepted last.
inline bool SwitchAllocator::prefers(unsigned input, unsigned output, unsigned other) const {
  return first_after(std::uint64_t{1} << output | std::uint64_t{1} << other, inputs_[input].last_output) ==
         output;
}

}  // namespace tsuji::router
