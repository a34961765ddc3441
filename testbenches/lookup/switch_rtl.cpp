// SPDX-License-Identifier: Apache-2.0
#include "lookup/switch_rtl.h"

#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::bench {
namespace {

struct PlacedSwitches final : session::PlacedFeature {
  explicit PlacedSwitches(const ClockPeriod& period) : driver("rtl", period) {}
  PinClock driver;
};

class SwitchRow final : public NetworkRtl {
 public:
  explicit SwitchRow(SwitchRtl rtl) : NetworkRtl(rtl.name, rtl.what), rtl_(std::move(rtl)) {}
  void set_defaults(session::NetworkRunConfig& network) const override {
    network.machine.lookup.kind = "cached";
    network.machine.lookup.cache = rtl_.cache;
    network.machine.lookup.timing.cam_cycles = rtl_.cam_cycles;
  }
  void check(const session::NetworkRunConfig& network) const override {
    if (network.machine.lookup.kind != "cached")
      throw ConfigError("lookup.kind", "", "there is no RTL for it", "cached");
  }
  std::unique_ptr<session::PlacedFeature> place(const RtlOptions& options,
                                                const session::NetworkRunConfig& network,
                                                const graph::Topology&,
                                                network::LoadedNetwork::Parts& parts) const override {
    auto placed = std::make_unique<PlacedSwitches>(network.machine.clock().period);
    parts.custom.make_switch = [routers = options.routers, this, &driver = placed->driver](
                                   const lookup::LookupParts& shared, graph::RouterId router, unsigned ports,
                                   ClockDomain& domain) -> std::unique_ptr<lookup::SwitchLookup> {
      if (routers.count(router) == 0) return nullptr;
      const std::string module_name = "switch" + std::to_string(router);
      RtlLookup::Parts own{shared, domain, driver};
      own.router = router;
      own.ports = ports;
      own.pins = rtl_.pins;
      own.make = rtl_.make(module_name.c_str());
      return std::make_unique<RtlLookup>(own);
    };
    return placed;
  }

 private:
  const SwitchRtl rtl_;
};

}  // namespace

std::unique_ptr<NetworkRtl> network_rtl(SwitchRtl rtl) {
  return std::make_unique<SwitchRow>(std::move(rtl));
}

}  // namespace tsuji::bench
