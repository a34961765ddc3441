// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "tsuji/core/random.h"
#include "tsuji/router/switch_allocator.h"

namespace tsuji::router::test {

using Request = std::tuple<unsigned, unsigned, unsigned>;  // input, output, vc

inline std::set<Request> random_requests(CounterRandom& random, const SwitchShape& shape, double density) {
  std::set<Request> requests;
  for (unsigned i = 0; i < shape.inputs; ++i) {
    for (unsigned vc = 0; vc < shape.vcs; ++vc) {
      if (random.unit() < density)
        requests.insert({i, static_cast<unsigned>(random.below(shape.outputs)), vc});
    }
  }
  return requests;
}

/// iSLIP as McKeown's paper describes it, over lists: the reference for the model's bit masks.
class PaperIslip {
 public:
  PaperIslip(const SwitchShape& shape, unsigned iterations)
      : shape_(shape),
        iterations_(iterations),
        grant_(shape.outputs),
        accept_(shape.inputs),
        vc_(shape.inputs) {}

  std::set<Request> match(const std::set<Request>& requests) {
    std::set<Request> result;
    std::set<unsigned> inputs, outputs;
    for (unsigned i = 0; i < iterations_; ++i) iterate(requests, i == 0, inputs, outputs, result);
    return result;
  }

 private:
  void iterate(const std::set<Request>& requests, bool first, std::set<unsigned>& inputs,
               std::set<unsigned>& outputs, std::set<Request>& result) {
    std::map<unsigned, std::set<unsigned>> granted;  // input -> outputs
    for (unsigned output = 0; output < shape_.outputs; ++output) {
      if (outputs.count(output) != 0) continue;
      for (unsigned k = 0; k < shape_.inputs; ++k) {
        const unsigned input = (grant_[output] + k) % shape_.inputs;
        if (inputs.count(input) != 0 || vcs(requests, input, output).empty()) continue;
        granted[input].insert(output);
        break;
      }
    }
    for (const auto& [input, offers] : granted) {
      unsigned output = accept_[input];
      while (offers.count(output) == 0) output = (output + 1) % shape_.outputs;
      const std::set<unsigned> wanting = vcs(requests, input, output);
      unsigned vc = vc_[input];
      while (wanting.count(vc) == 0) vc = (vc + 1) % shape_.vcs;
      vc_[input] = (vc + 1) % shape_.vcs;
      if (first) {
        accept_[input] = (output + 1) % shape_.outputs;
        grant_[output] = (input + 1) % shape_.inputs;
      }
      inputs.insert(input);
      outputs.insert(output);
      result.insert({input, output, vc});
    }
  }
  std::set<unsigned> vcs(const std::set<Request>& requests, unsigned input, unsigned output) const {
    std::set<unsigned> found;
    for (unsigned vc = 0; vc < shape_.vcs; ++vc) {
      if (requests.count({input, output, vc}) != 0) found.insert(vc);
    }
    return found;
  }

  const SwitchShape shape_;
  const unsigned iterations_;
  std::vector<unsigned> grant_, accept_, vc_;
};

}  // namespace tsuji::router::test
