#pragma once

#include <cstdint>
#include <memory>
#include <vector>

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
  explicit SwitchAllocator(const SwitchShape& shape);
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

  /// One cycle's grants, `count` of them. Where all requests were granted nobody competed: then the grants
  /// stay as they are, pointers included, until a request comes or goes.
  const SwitchGrant* allocate(unsigned& count) {
    if (!settled_) {
      if (!simple_ || !grant_at_outputs()) {
        grant_count_ = 0;
        match();
      }
      settled_ = grant_count_ == requests_;
    }
    count = grant_count_;
    return grants_.get();
  }

 protected:
  std::uint16_t& vcs_of(unsigned input, unsigned output) { return vcs_of_[input * outputs_count_ + output]; }
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
  const unsigned outputs_count_;
  unsigned requests_ = 0, grant_count_ = 0;
  bool simple_ = false;   ///< iSLIP of one iteration
  bool settled_ = false;  ///< the last cycle's grants are this cycle's, too
  std::unique_ptr<Output[]> outputs_;
  std::unique_ptr<Input[]> inputs_;
  std::unique_ptr<std::uint16_t[]> vcs_of_;  ///< [input][output]: virtual channels that want it
  std::unique_ptr<SwitchGrant[]> grants_;    ///< as many as there are outputs

 private:
  bool grant_at_outputs();
};

std::unique_ptr<SwitchAllocator> make_switch_allocator(AllocatorKind kind, const SwitchShape& shape);

/// Where no input is granted by two outputs every input accepts, and most cycles are like that. False if one
/// is. Where nobody competes the grants stay as they are, pointers included, until a request comes or goes.
inline bool SwitchAllocator::grant_at_outputs() {
  SwitchGrant* const grants = grants_.get();
  std::uint64_t inputs = 0;
  unsigned count = 0;
  for (std::uint64_t outputs = wanted_; outputs != 0; outputs &= outputs - 1) {
    const auto output = static_cast<unsigned>(__builtin_ctzll(outputs));
    const std::uint64_t wishes = outputs_[output].inputs;
    const unsigned input = first_after(wishes, outputs_[output].last);
    if ((inputs >> input & 1U) != 0) return false;
    inputs |= std::uint64_t{1} << input;
    const unsigned vcs = vcs_of(input, output);
    grants[count++] = {static_cast<std::uint8_t>(input), static_cast<std::uint8_t>(output),
                       static_cast<std::uint8_t>(first_after(vcs, inputs_[input].last_vc))};
  }
  for (unsigned g = 0; g < count; ++g) {
    inputs_[grants[g].input] = {grants[g].output, grants[g].vc};
    outputs_[grants[g].output].last = grants[g].input;
  }
  grant_count_ = count;
  return true;
}

}  // namespace tsuji::router
