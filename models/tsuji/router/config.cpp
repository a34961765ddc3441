// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/config.h"

#include <array>
#include <string>

#include "tsuji/core/error.h"

namespace tsuji::router {
namespace {

const char* word(PredictionCheck check) {
  constexpr std::array<const char*, 4> words = {"kill", "hint", "wait", "leak"};
  return words.at(static_cast<std::size_t>(check));
}

void refuse_with_prediction(const char* key, const std::string& value, const std::string& accepted) {
  throw ConfigError(key, value, "a router that predicts cannot do this",
                    accepted + ", or prediction.kind none");
}

void validate_passing_words(const VcRouterConfig& config) {
  const PredictionCheck check = config.prediction.check;
  if (check == PredictionCheck::kill || check == PredictionCheck::wait)
    throw ConfigError("prediction.check", word(check),
                      "words that pass have left before their route is known",
                      "hint or leak, or prediction.serial false");
  if (config.st_cycles == 0)
    throw ConfigError("router.st_cycles", "0", "a word takes a cycle to pass",
                      "at least 1 with prediction.serial");
}

void validate_prediction(const VcRouterConfig& config) {
  config.prediction.kinds.validate(config.prediction.kind);
  if (!config.prediction.on()) return;
  if (config.prediction.serial) {
    validate_passing_words(config);
  } else if (config.switching == Switching::store_and_forward) {
    refuse_with_prediction("router.switching", "store_and_forward",
                           "wormhole or virtual_cut_through, or prediction.serial true");
  }
  if (config.vc_change_cycles != 0)
    refuse_with_prediction("router.vc_change_cycles", std::to_string(config.vc_change_cycles), "0");
  if (config.input_speedup != 1)
    refuse_with_prediction("router.input_speedup", std::to_string(config.input_speedup), "1");
  if (config.route_at != RouteAt::front) refuse_with_prediction("router.route_at", "arrival", "front");
}

}  // namespace

void VcRouterConfig::validate() const {
  if (sa_cycles == 0)
    throw ConfigError("router.sa_cycles", "0", "switch allocation takes time", "at least 1");
  if (input_speedup == 0)
    throw ConfigError("router.input_speedup", "0", "an input sends nothing then", "1 up to router.vcs");
  if (islip_iterations == 0)
    throw ConfigError("router.islip_iterations", "0", "nothing would be granted", "at least 1");
  if (va_requests == VaRequests::all && va_input_arbiter == VaInputArbiter::vcs)
    throw ConfigError("router.va_requests", "all", "the input arbiter chooses at one port",
                      "one, or router.va_input_arbiter ports_and_vcs");
  validate_prediction(*this);
}

}  // namespace tsuji::router
