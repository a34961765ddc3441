// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/arena.h"
#include "tsuji/router/arbiter.h"

namespace tsuji::router {

/// Size of a switch allocator.
struct SwitchShape {
  unsigned inputs = 0;   ///< inputs of the crossbar: ports times input speed-up, at most 64
  unsigned outputs = 0;  ///< outputs of the crossbar, at most 64
  unsigned vcs = 0;      ///< virtual channels of an input port, at most 16
};

/// A grant of the crossbar for one cycle: virtual channel `vc` of an input may send a flit to an output.
struct SwitchGrant {
  std::uint8_t input,  ///< crossbar input
      output,          ///< crossbar output
      vc;              ///< virtual channel of the input port
};

/// A grant that violates the contract of SwitchAllocator.
struct WrongGrant {
  const char* reason = nullptr;  ///< null: no grant does
  SwitchGrant grant = {};        ///< the wrong grant; meaningless without a reason
};

/// Switch allocation (SA): input virtual channels at crossbar inputs request outputs; each input and each
/// output gets at most one grant per cycle. A request remains until it is withdrawn, even after a grant,
/// because the next flit of a packet usually needs the same output. Grants depend on the requests and on
/// earlier grants, not on the order of the calls.
///
/// Contract: request() and withdraw() between calls of allocate(). allocate() calls match(), unless the
/// requests are unchanged since a cycle in which all were granted. match() calls grant() for existing
/// requests only, at most once per input and once per output; allocate() refuses any other grant, unless
/// trust() was called.
class SwitchAllocator {
 public:
  /// An allocator without requests, with its tables in `arena`, which outlives it.
  SwitchAllocator(Arena& arena, const SwitchShape& shape);
  virtual ~SwitchAllocator() = default;
  /// The allocation algorithm in one line; may be empty.
  virtual std::string stands_for() const { return ""; }

  /// Adds a request, which must not exist yet.
  void request(unsigned input, unsigned output, unsigned vc) {
    settled_ = false;
    ++requests_;
    std::uint16_t& vcs = vcs_of(input, output);
    vcs = static_cast<std::uint16_t>(vcs | 1U << vc);
    wanted_ |= std::uint64_t{1} << output;
    outputs_[output].wishes |= std::uint64_t{1} << input;
  }
  /// Removes an existing request.
  void withdraw(unsigned input, unsigned output, unsigned vc) {
    settled_ = false;
    --requests_;
    std::uint16_t& vcs = vcs_of(input, output);
    vcs = static_cast<std::uint16_t>(vcs & ~(1U << vc));
    if (vcs != 0) return;
    std::uint64_t& wishes = outputs_[output].wishes;
    wishes &= ~(std::uint64_t{1} << input);
    if (wishes == 0) wanted_ &= ~(std::uint64_t{1} << output);
  }
  /// Returns true if there is a request.
  bool any() const { return wanted_ != 0; }
  /// Disables the check of grants against the contract (SwitchAllocatorTraits::keeps_contract).
  void trust() { checks_grants_ = false; }

  /// Allocates one cycle. Calls visit(grant) for each grant, in any order; `visit` may withdraw the granted
  /// request. If all requests were granted, there was no competition: the grants, and the arbiters' pointers,
  /// then remain valid until a request is added or withdrawn. Calls refuse(wrong grant) for a violation of
  /// the contract; refuse() throws.
  template <class Serve, class Refuse>
  void allocate(const Serve& visit, const Refuse& refuse) {
    if (!settled_) {
      grant_count_ = 0;
      match();
      if (checks_grants_)
        if (const WrongGrant wrong = find_wrong(); wrong.reason != nullptr) refuse(wrong);
      settled_ = grant_count_ == requests_;
    }
    const unsigned count = grant_count_;
    for (unsigned g = 0; g < count; ++g) visit(grants_[g]);
  }

 protected:
  /// Virtual channels of `input` that request `output`, one bit each.
  std::uint16_t& vcs_of(unsigned input, unsigned output) { return vcs_of_[output * inputs_count_ + input]; }
  /// Grants an existing request in this cycle. Called by match().
  void grant(unsigned input, unsigned output, unsigned vc) {
    grants_[grant_count_++ & places_mask_] = {
        static_cast<std::uint8_t>(input), static_cast<std::uint8_t>(output), static_cast<std::uint8_t>(vc)};
  }
  /// The allocation algorithm: decides one cycle, and calls grant() for each request that is served.
  virtual void match() = 0;

  /// State of a crossbar output.
  struct Output {
    std::uint64_t wishes = 0;  ///< inputs that request it
    std::uint64_t next = 0;    ///< iSLIP's pointer: inputs after the one served last, as a mask
  };
  /// Arbiter pointers of a crossbar input.
  struct Input {
    std::uint8_t last_output = 0,  ///< output served last, if inputs arbitrate over outputs (iSLIP)
        last_vc = 0;               ///< virtual channel served last
  };

  std::uint64_t wanted_ = 0;     ///< outputs with a request
  const unsigned inputs_count_;  ///< inputs of the crossbar
  unsigned requests_ = 0,        ///< number of requests, granted ones included
      grant_count_ = 0;          ///< number of grants in the current cycle
  bool settled_ = false;         ///< the grants of the last cycle remain valid in this cycle
  Output* outputs_;              ///< [crossbar output]
  Input* inputs_;                ///< [crossbar input]
  std::uint16_t* vcs_of_;        ///< [output][input]: virtual channels that request it
  /// Array of grants; its size is the number of outputs rounded up to a power of two.
  SwitchGrant* grants_;

 private:
  WrongGrant find_wrong();

  const unsigned outputs_count_, places_mask_;
  bool checks_grants_ = true;
};

}  // namespace tsuji::router
