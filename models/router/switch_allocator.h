#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/core/arena.h"
#include "tsuji/router/arbiter.h"

namespace tsuji::router {

/// separable: input first, round robin at inputs, then at outputs. matrix: the same with
/// least-recently-served arbiters. islip: outputs grant, inputs accept, and the pointers move only with what
/// the first iteration accepts (McKeown, "The iSLIP scheduling algorithm", 1999).
enum class AllocatorKind : std::uint8_t { separable, matrix, islip };

struct SwitchShape {
  unsigned inputs = 0;                          ///< of the crossbar: ports times input speed-up, at most 64
  unsigned outputs = 0;                         ///< at most 64
  unsigned vcs = 0;                             ///< of an input port, at most 16
  unsigned iterations = 1;                      ///< iSLIP only
  std::vector<std::uint8_t> vcs_of_input = {};  ///< empty: `vcs` of each
};

/// The virtual channel is in `line` where the allocator is one by lines: it is the input's first line + vc.
struct SwitchGrant {
  std::uint8_t input, output, vc, line;
};

/// Switch allocation: virtual channels at crossbar inputs ask for outputs, and each input and each output is
/// granted at most once a cycle. A request stands until it is withdrawn, also when it was granted: the next
/// flit of a packet mostly wants the same. What is granted depends on the requests and on earlier grants, not
/// on the order of the calls.
class SwitchAllocator {
 public:
  SwitchAllocator(Arena& arena, const SwitchShape& shape, bool by_lines = false);
  virtual ~SwitchAllocator() = default;

  /// Not while the same request stands.
  void request(unsigned input, unsigned output, unsigned vc) {
    if (by_lines_) return request_line(inputs_[input].first_line + vc, output);
    std::uint16_t& vcs = vcs_of(input, output);
    vcs = static_cast<std::uint16_t>(vcs | 1U << vc);
    request_line(input, output);
  }
  /// A request that stands.
  void withdraw(unsigned input, unsigned output, unsigned vc) {
    if (by_lines_) return withdraw_line(inputs_[input].first_line + vc, output);
    std::uint16_t& vcs = vcs_of(input, output);
    vcs = static_cast<std::uint16_t>(vcs & ~(1U << vc));
    if (vcs == 0) return withdraw_line(input, output);
    settled_ = false;
    --requests_;
  }
  /// All virtual channels of all inputs are lines of one word, which saves a table: iSLIP of one iteration
  /// with few of them. Then the three functions below do the same as those above.
  bool by_lines() const { return by_lines_; }
  void request_line(unsigned line, unsigned output) {
    settled_ = false;
    ++requests_;
    wanted_ |= std::uint64_t{1} << output;
    outputs_[output].wishes |= std::uint64_t{1} << line;
  }
  void withdraw_line(unsigned line, unsigned output) {
    settled_ = false;
    --requests_;
    std::uint64_t& wishes = outputs_[output].wishes;
    wishes &= ~(std::uint64_t{1} << line);
    if (wishes == 0) wanted_ &= ~(std::uint64_t{1} << output);
  }
  unsigned vc_of(const SwitchGrant& grant) const {
    return by_lines_ ? grant.line - inputs_[grant.input].first_line : grant.vc;
  }
  bool any() const { return wanted_ != 0; }

  /// One cycle's grants, in any order: visit(grant), which may withdraw what was granted. Where
  /// all requests were granted nobody competed: then the grants stay as they are, pointers included, until a
  /// request comes or goes.
  template <class Serve>
  void serve(const Serve& visit) {
    const bool fresh = !settled_ && by_lines_;
    if (!settled_) allocate();
    SwitchGrant* const grants = grants_;
    const unsigned count = grant_count_;
    for (unsigned g = 0; g < count; ++g) {
      SwitchGrant& grant = grants[g];
      if (fresh) accept(grant);
      visit(grant);
    }
  }

 protected:
  std::uint16_t& vcs_of(unsigned input, unsigned output) { return vcs_of_[output * inputs_count_ + input]; }
  void grant(unsigned input, unsigned output, unsigned vc) {
    grants_[grant_count_++] = {static_cast<std::uint8_t>(input), static_cast<std::uint8_t>(output),
                               static_cast<std::uint8_t>(vc), 0};
  }
  virtual void match() = 0;

  struct Output {
    std::uint64_t wishes = 0;  ///< inputs that want it; by_lines_: lines
    std::uint64_t next = 0;    ///< iSLIP's pointer: those behind the input that it served last
  };
  struct Input {
    std::uint8_t last_output = 0, last_vc = 0;  ///< iSLIP's pointers
    std::uint8_t first_line = 0;                ///< by_lines_
  };
  /// by_lines_: an input's lines in a word of all inputs' lines.
  struct Lines {
    std::uint64_t own = 0;
    std::uint64_t next = 0;  ///< iSLIP's pointer: those behind the line that was served last
  };

  std::uint64_t wanted_ = 0;  ///< outputs that somebody wants
  const unsigned inputs_count_;
  unsigned requests_ = 0, grant_count_ = 0;
  const bool by_lines_;
  bool settled_ = false;  ///< the last cycle's grants are this cycle's, too
  Output* outputs_;
  Input* inputs_;
  std::uint16_t* vcs_of_ = nullptr;   ///< [output][input]: virtual channels that want it; unless by_lines_
  Lines* lines_ = nullptr;            ///< [input], if by_lines_
  std::uint8_t* input_of_ = nullptr;  ///< [line], if by_lines_
  SwitchGrant* grants_;               ///< as many as there are outputs

 private:
  void add_lines(Arena& arena, const SwitchShape& shape);
  void allocate() {
    grant_count_ = 0;
    if (by_lines_) {
      match_once();
    } else {
      match();
    }
    settled_ = grant_count_ == requests_;
  }
  void match_once();
  void accept(SwitchGrant& grant) {
    Output& output = outputs_[grant.output];
    Lines& lines = lines_[grant.input];
    const std::uint64_t own = lines.own;
    const unsigned line = first_of(output.wishes & own, lines.next);
    lines.next = own & lines_above(line);
    output.next = ~(own | (own - 1));
    inputs_[grant.input].last_output = grant.output;
    grant.line = static_cast<std::uint8_t>(line);
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
    const unsigned input = input_of_[first_of(outputs_[output].wishes, outputs_[output].next)];
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
