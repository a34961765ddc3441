// SPDX-License-Identifier: Apache-2.0
#include "lookup/cam_rtl.h"

#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::bench {
namespace {

struct PlacedCams final : session::PlacedFeature {
  explicit PlacedCams(const ClockPeriod& period) : clock("rtl", period) {}
  PinClock clock;
};

class CamRow final : public NetworkRtl {
 public:
  explicit CamRow(CamRtl rtl) : NetworkRtl(rtl.name, rtl.what), rtl_(std::move(rtl)) {}
  void set_defaults(session::NetworkRunConfig& network) const override {
    lookup::LookupConfig& lookup = network.machine.lookup;
    lookup.kind = "cached";
    lookup.model = lookup::LookupModel::modules;
    lookup.timing.cam_of_switch = true;
    lookup.cam_entries = rtl_.cam.entries;
    lookup.cam_key_bits = rtl_.cam.key_bits;
    lookup.cam_chip_cycles = rtl_.cam.access_cycles;
    lookup.cache.entries = 4;
    lookup.cache.ways = 2;
  }
  void check(const session::NetworkRunConfig& network) const override {
    const lookup::LookupConfig& lookup = network.machine.lookup;
    const auto want = [](bool same, const char* key, const std::string& value, const std::string& accepted) {
      if (!same) throw ConfigError(key, value, "there is no RTL for it", accepted);
    };
    want(lookup.as_modules(), "lookup.model", "fast", "modules");
    want(lookup.timing.cam_is_shared(), "lookup.cam_sharing", "none", "switch");
    want(lookup.cam_entries <= rtl_.cam.entries, "lookup.cam_entries", std::to_string(lookup.cam_entries),
         "at most " + std::to_string(rtl_.cam.entries));
    want(lookup.cam_key_bits <= rtl_.cam.key_bits, "lookup.cam_key_bits", std::to_string(lookup.cam_key_bits),
         "at most " + std::to_string(rtl_.cam.key_bits));
    want(lookup.cam_chip_cycles == rtl_.cam.access_cycles, "lookup.cam_chip_cycles",
         std::to_string(lookup.cam_chip_cycles), std::to_string(rtl_.cam.access_cycles));
  }
  std::unique_ptr<session::PlacedFeature> place(const RtlOptions& options,
                                                const session::NetworkRunConfig& network,
                                                const graph::Topology&,
                                                network::LoadedNetwork::Parts& parts) const override {
    auto placed = std::make_unique<PlacedCams>(network.machine.clock().period);
    parts.custom.make_switch = [routers = options.routers, this, &clock = placed->clock](
                                   const lookup::LookupParts& shared, graph::RouterId router, unsigned ports,
                                   ClockDomain& domain) -> std::unique_ptr<lookup::SwitchLookup> {
      if (routers.count(router) == 0) return nullptr;
      lookup::SwitchModules::Parts own{shared, domain, clock};
      own.cam = rtl_.cam;
      own.make_cam = rtl_.make;
      own.router = router;
      own.ports = ports;
      return std::make_unique<lookup::SwitchModules>(("lookup" + std::to_string(router)).c_str(), own);
    };
    return placed;
  }

 private:
  const CamRtl rtl_;
};

}  // namespace

std::unique_ptr<NetworkRtl> network_rtl(CamRtl rtl) {
  return std::make_unique<CamRow>(std::move(rtl));
}

}  // namespace tsuji::bench
