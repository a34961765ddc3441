#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace tsuji::router {

/// separable: input first, round robin at inputs, then at outputs. matrix: the same with least-recently-served
/// arbiters. islip: outputs grant, inputs accept, and the pointers move only with what the first iteration
/// accepts (McKeown, "The iSLIP scheduling algorithm", 1999).
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
/// granted at most once a cycle. A request stands until it is granted or withdrawn. What is granted depends on
/// the requests and on earlier grants, not on the order of the calls.
class SwitchAllocator {
 public:
  explicit SwitchAllocator(const SwitchShape& shape);
  virtual ~SwitchAllocator() = default;

  void request(unsigned input, unsigned output, unsigned vc) {
    outputs_ |= std::uint64_t{1} << output;
    inputs_of_[output] |= std::uint64_t{1} << input;
    std::uint16_t& vcs = vcs_of_[input * shape_.outputs + output];
    vcs = static_cast<std::uint16_t>(vcs | 1U << vc);
  }
  void withdraw(unsigned input, unsigned output, unsigned vc);
  bool any() const { return outputs_ != 0; }
  /// One cycle's grants; their requests are forgotten. The list is valid until the next call.
  virtual const std::vector<SwitchGrant>& allocate() = 0;

 protected:
  std::uint16_t& vcs_of(unsigned input, unsigned output) { return vcs_of_[input * shape_.outputs + output]; }
  void grant(unsigned input, unsigned output, unsigned vc) {
    withdraw(input, output, vc);
    grants_.push_back({static_cast<std::uint8_t>(input), static_cast<std::uint8_t>(output),
                       static_cast<std::uint8_t>(vc)});
  }

  const SwitchShape shape_;
  std::uint64_t outputs_ = 0;              ///< that somebody wants
  std::vector<std::uint64_t> inputs_of_;   ///< per output: inputs that want it
  std::vector<std::uint16_t> vcs_of_;      ///< [input][output]: virtual channels that want it
  std::vector<SwitchGrant> grants_;
};

std::unique_ptr<SwitchAllocator> make_switch_allocator(AllocatorKind kind, const SwitchShape& shape);

inline void SwitchAllocator::withdraw(unsigned input, unsigned output, unsigned vc) {
  std::uint16_t& vcs = vcs_of(input, output);
  vcs = static_cast<std::uint16_t>(vcs & ~(1U << vc));
  if (vcs != 0) return;
  std::uint64_t& inputs = inputs_of_[output];
  inputs &= ~(std::uint64_t{1} << input);
  if (inputs == 0) outputs_ &= ~(std::uint64_t{1} << output);
}

}  // namespace tsuji::router
