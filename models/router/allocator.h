#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace tsuji::router {

/// One wish: `input` wants `output`. `choice` tells wishes of one input apart that its own arbiter chooses among
/// (switch allocation: the virtual channel; virtual-channel allocation: the output's virtual channel).
struct AllocationRequest {
  std::uint16_t input = 0;
  std::uint16_t output = 0;
  std::uint16_t choice = 0;
  bool speculative = false;  ///< loses to every real request at its output and at its input
  bool granted = false;      ///< set by allocate()
  std::uint32_t tag = 0;     ///< the caller's
};

enum class AllocatorKind : std::uint8_t { separable, matrix, islip };

struct AllocatorShape {
  unsigned inputs = 0, outputs = 0, choices = 0;
  unsigned iterations = 1;  ///< iSLIP only
};

/// Matches inputs to outputs: in a cycle each input and each output is granted at most once. The arbiters'
/// memory is the only state, so the result depends on the requests and the history, not on their order in the
/// list.
///
/// separable: input first, round robin at inputs, then at outputs. matrix: the same with least-recently-served
/// arbiters. iSLIP: outputs grant, inputs accept, and pointers move only with what the first iteration accepts
/// (McKeown 1999).
class Allocator {
 public:
  virtual ~Allocator() = default;
  virtual void allocate(std::vector<AllocationRequest>& requests) = 0;
};

std::unique_ptr<Allocator> make_allocator(AllocatorKind kind, const AllocatorShape& shape);

}  // namespace tsuji::router
