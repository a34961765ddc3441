#include "tsuji/router/config.h"

#include "tsuji/core/error.h"

namespace tsuji::router {
namespace {

void refuse_with_prediction(const char* key, const std::string& value, const std::string& accepted) {
  throw ConfigError(key, value, "a router that predicts cannot do this",
                    accepted + ", or prediction.kind none");
}

void validate_prediction(const VcRouterConfig& config) {
  config.prediction.kinds.validate(config.prediction.kind);
  if (!config.prediction.on()) return;
  if (config.switching == Switching::store_and_forward)
    refuse_with_prediction("router.switching", "store_and_forward", "wormhole or virtual_cut_through");
  if (config.des_cycles != 0)
    refuse_with_prediction("router.des_cycles", std::to_string(config.des_cycles), "0");
  if (config.ser_cycles != 0)
    refuse_with_prediction("router.ser_cycles", std::to_string(config.ser_cycles), "0");
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
  validate_prediction(*this);
}

}  // namespace tsuji::router
