// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/arena.h"
#include "tsuji/router/arbiter.h"

namespace tsuji::router {

struct SwitchShape {
  unsigned inputs = 0;   ///< of the crossbar: ports times input speed-up, at most 64
  unsigned outputs = 0;  ///< at most 64
  unsigned vcs = 0;      ///< of an input port, at most 16
};

struct SwitchGrant {
  std::uint8_t input, output, vc;
};

/// A grant against the contract of SwitchAllocator.
struct WrongGrant {
  const char* reason = nullptr;  ///< null: there is none
  SwitchGrant grant = {};
};

/// Switch allocation: virtual channels at crossbar inputs ask for outputs, and each input and each output is
/// granted at most once a cycle. A request stands until it is withdrawn, also when it was granted: the next
/// flit of a packet mostly wants the same. What is granted depends on the requests and on earlier grants, not
/// on the order of the calls.
///
/// Contract: serve() calls match() in a cycle whose requests are not settled. match() calls grant() for
/// requests that stand, at most once for an input and for an output; serve() refuses any other grant, unless
/// the allocator is trusted.
class SwitchAllocator {
 public:
  SwitchAllocator(Arena& arena, const SwitchShape& shape);
  virtual ~SwitchAllocator() = default;
  /// How it allocates, one line; empty: it says nothing.
  virtual std::string stands_for() const { return ""; }

  /// Not while the same request stands.
  void request(unsigned input, unsigned output, unsigned vc) {
    settled_ = false;
    ++requests_;
    std::uint16_t& vcs = vcs_of(input, output);
    vcs = static_cast<std::uint16_t>(vcs | 1U << vc);
    wanted_ |= std::uint64_t{1} << output;
    outputs_[output].wishes |= std::uint64_t{1} << input;
  }
  /// A request that stands.
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
  bool any() const { return wanted_ != 0; }
  /// Grants are not held to the contract from now on (SwitchAllocatorTraits::keeps_contract).
  void trust() { checks_grants_ = false; }

  /// One cycle's grants, in any order: visit(grant), which may withdraw what was granted. Where
  /// all requests were granted nobody competed: then the grants stay as they are, pointers included, until a
  /// request comes or goes. refuse(wrong grant) is called for a grant against the contract, and throws.
  template <class Serve, class Refuse>
  void serve(const Serve& visit, const Refuse& refuse) {
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
  std::uint16_t& vcs_of(unsigned input, unsigned output) { return vcs_of_[output * inputs_count_ + input]; }
  void grant(unsigned input, unsigned output, unsigned vc) {
    grants_[grant_count_++ & places_mask_] = {
        static_cast<std::uint8_t>(input), static_cast<std::uint8_t>(output), static_cast<std::uint8_t>(vc)};
  }
  virtual void match() = 0;

  struct Output {
    std::uint64_t wishes = 0;  ///< inputs that want it
    std::uint64_t next = 0;    ///< iSLIP's pointer: those behind the input that it served last
  };
  struct Input {
    std::uint8_t last_output = 0, last_vc = 0;  ///< pointers of iSLIP, and of separable ones over outputs
  };

  std::uint64_t wanted_ = 0;  ///< outputs that somebody wants
  const unsigned inputs_count_;
  unsigned requests_ = 0, grant_count_ = 0;
  bool settled_ = false;  ///< the last cycle's grants are this cycle's, too
  Output* outputs_;
  Input* inputs_;
  std::uint16_t* vcs_of_;  ///< [output][input]: virtual channels that want it
  SwitchGrant* grants_;    ///< places for as many as there are outputs, and a power of two

 private:
  WrongGrant find_wrong();

  const unsigned outputs_count_, places_mask_;
  bool checks_grants_ = true;
};

}  // namespace tsuji::router
