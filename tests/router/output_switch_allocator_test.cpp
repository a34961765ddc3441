// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <vector>

#include "router/arbiter_turns.h"
#include "router/paper_islip.h"
#include "support/catch.h"
#include "tsuji/router/allocators/kinds.h"

// Separable switch allocators whose input arbiters range over outputs, against a reference of their rule.

using namespace tsuji;
using namespace tsuji::router;
using namespace tsuji::router::test;

namespace {

/// Reference: a round robin per input and output picks a virtual channel, then each input an output and each
/// output an input. Only pointers of granted requests advance.
class OverOutputs {
 public:
  OverOutputs(bool matrix, FirstLine first, const SwitchShape& shape)
      : shape_(shape), vcs_(shape.inputs, Turns(Turns::Kind::round_robin, shape.vcs, false)) {
    const auto turns = matrix ? Turns::Kind::least_recently_served : Turns::Kind::round_robin;
    const bool highest = matrix && first == FirstLine::highest;
    inputs_.assign(shape.inputs, Turns(turns, shape.outputs, highest));
    outputs_.assign(shape.outputs, Turns(turns, shape.inputs, highest));
  }
  std::set<Request> match(const std::set<Request>& requests) {
    std::vector<unsigned> chosen;
    for (unsigned input = 0; input < shape_.inputs; ++input)
      chosen.push_back(
          inputs_[input].pick([&](unsigned output) { return vc(requests, input, output) < shape_.vcs; }));
    std::set<Request> grants;
    for (unsigned output = 0; output < shape_.outputs; ++output) {
      const unsigned input = outputs_[output].pick([&](unsigned line) { return chosen[line] == output; });
      if (input == shape_.inputs) continue;
      grants.insert({input, output, vc(requests, input, output)});
    }
    for (const auto& [input, output, vc] : grants) {
      inputs_[input].served(output);
      outputs_[output].served(input);
      vcs_[input].served(vc);
    }
    return grants;
  }

 private:
  unsigned vc(const std::set<Request>& requests, unsigned input, unsigned output) const {
    return vcs_[input].pick([&](unsigned line) { return requests.count({input, output, line}) != 0; });
  }
  const SwitchShape shape_;
  std::vector<Turns> vcs_, inputs_, outputs_;
};

std::set<Request> set_of_grants(SwitchAllocator& allocator) {
  std::set<Request> grants;
  allocator.allocate(
      [&](const SwitchGrant& grant) {
        grants.insert({grant.input, grant.output, grant.vc});
      },
      [](const WrongGrant& wrong) { FAIL(wrong.reason); });
  return grants;
}

}  // namespace

TEST_CASE("a switch allocator over outputs grants as its reference does") {
  const bool matrix = GENERATE(false, true);
  const auto first = GENERATE(FirstLine::lowest, FirstLine::highest);
  const auto vcs = GENERATE(1U, 4U);
  const SwitchShape shape{7, 5, vcs};
  Arena arena;
  const SeparableSwitchConfig config{SaInputArbiter::outputs, first};
  const auto allocator = matrix ? config.make_matrix(arena, shape) : config.make_separable(arena, shape);
  OverOutputs words(matrix, first, shape);
  CounterRandom random(7, 1);
  for (unsigned cycle = 0; cycle < 1000; ++cycle) {
    const std::set<Request> requests = random_requests(random, shape, 0.02 + 0.6 * random.unit());
    for (const auto& [input, output, vc] : requests) allocator->request(input, output, vc);
    REQUIRE(set_of_grants(*allocator) == words.match(requests));
    for (const auto& [input, output, vc] : requests) allocator->withdraw(input, output, vc);
  }
}

TEST_CASE(
    "an input over outputs moves to another output with the next of its channels, over channels to the next "
    "channel") {
  // Input 0: channels 0 and 1 want output 0, channel 2 output 1.
  const auto served = [](SaInputArbiter arbiter) {
    Arena arena;
    const auto allocator = SeparableSwitchConfig{arbiter}.make_separable(arena, {1, 2, 3});
    allocator->request(0, 0, 0);
    allocator->request(0, 0, 1);
    allocator->request(0, 1, 2);
    std::vector<unsigned> vcs;
    for (unsigned cycle = 0; cycle < 6; ++cycle)
      vcs.push_back(std::get<2>(*set_of_grants(*allocator).begin()));
    return vcs;
  };
  CHECK(served(SaInputArbiter::vcs) == std::vector<unsigned>{0, 1, 2, 0, 1, 2});
  CHECK(served(SaInputArbiter::outputs) == std::vector<unsigned>{0, 2, 0, 2, 0, 2});
}

TEST_CASE("a matrix arbiter whose highest line is first serves the lines downwards, then in turn") {
  Arena arena;
  const auto arbiter = GENERATE(SaInputArbiter::vcs, SaInputArbiter::outputs);
  const SeparableSwitchConfig config{arbiter, FirstLine::highest};
  const auto allocator = config.make_matrix(arena, {3, 1, 1});
  for (const unsigned input : {0U, 1U, 2U}) allocator->request(input, 0, 0);
  for (const unsigned input : {2U, 1U, 0U, 2U})
    CHECK(set_of_grants(*allocator) == std::set<Request>{{input, 0, 0}});
}
