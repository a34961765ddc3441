// SPDX-License-Identifier: Apache-2.0
#include "lookup/switch_rtl.h"

#include <algorithm>
#include <utility>

#include "lookup/lookup_rtl.h"

namespace tsuji::bench {
namespace {

class SwitchRow final : public NetworkRtl {
 public:
  explicit SwitchRow(SwitchRtl rtl)
      : NetworkRtl({"switch", false, {"cam", "cache"}}, rtl.name, rtl.what), rtl_(std::move(rtl)) {}
  void check(const session::NetworkRunConfig& network, const graph::Topology& topology) const override {
    const lookup::LookupConfig& lookup = network.machine.lookup;
    const network::VcNetworkConfig& vcs = network.machine.network;
    want(lookup.kind == "cached", "lookup.kind", lookup.kind, "cached");
    RtlLookup::check(lookup.timing);
    want_number("lookup.cam_cycles", lookup.timing.cam_cycles, rtl_.cam_cycles);
    want_caches(network, rtl_.cache);
    for (graph::RouterId router = 0; router < topology.routers(); ++router)
      RtlLookup::check_size(rtl_.pins, topology.ports(router), std::max(vcs.vcs, vcs.vcs_of_nodes()),
                            topology.nodes());
  }
  std::unique_ptr<session::PlacedFeature> place(const RtlOptions& options, const session::NetworkRunConfig&,
                                                const graph::Topology&,
                                                network::LoadedNetwork::Parts& parts) const override {
    parts.custom.make_switch =
        [routers = options.places.routers,
         this](const network::NetworkLookup::SwitchPlace& place) -> std::unique_ptr<lookup::SwitchLookup> {
      if (routers.count(place.router) == 0) return nullptr;
      const std::string module_name = "switch" + std::to_string(place.router);
      RtlLookup::Parts own{place.parts, place.domain, place.pin_clock};
      own.router = place.router;
      own.ports = place.ports;
      own.pins = rtl_.pins;
      own.make = rtl_.make(module_name.c_str());
      return std::make_unique<RtlLookup>(own);
    };
    return nullptr;
  }

 private:
  const SwitchRtl rtl_;
};

}  // namespace

std::unique_ptr<NetworkRtl> network_rtl(SwitchRtl rtl) {
  return std::make_unique<SwitchRow>(std::move(rtl));
}

}  // namespace tsuji::bench
