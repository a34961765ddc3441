// SPDX-License-Identifier: Apache-2.0
#include "lookup/cam_rtl.h"

#include <utility>

#include "lookup/lookup_rtl.h"

namespace tsuji::bench {
namespace {

class CamRow final : public NetworkRtl {
 public:
  explicit CamRow(CamRtl rtl) : NetworkRtl({"cam"}, rtl.name, rtl.what), rtl_(std::move(rtl)) {}
  void check(const session::NetworkRunConfig& network, const graph::Topology&) const override {
    const lookup::LookupConfig& lookup = network.machine.lookup;
    want_modules(network);
    want(lookup.timing.cam_is_shared(), "lookup.cam_sharing", "none", "switch");
    want(lookup.cam_entries <= rtl_.cam.entries, "lookup.cam_entries", std::to_string(lookup.cam_entries),
         "at most " + std::to_string(rtl_.cam.entries));
    want(lookup.cam_key_bits <= rtl_.cam.key_bits, "lookup.cam_key_bits", std::to_string(lookup.cam_key_bits),
         "at most " + std::to_string(rtl_.cam.key_bits));
    want_number("lookup.cam_chip_cycles", lookup.cam_chip_cycles, rtl_.cam.access_cycles);
  }
  std::unique_ptr<session::PlacedFeature> place(const RtlOptions& options, const session::NetworkRunConfig&,
                                                const graph::Topology&,
                                                network::LoadedNetwork::Parts& parts) const override {
    parts.custom.module_rtl.make_cam = [routers = options.places.routers, this](
                                           graph::RouterId router, const char* module_name,
                                           lookup::CamWires& wires) -> lookup::ModuleRtl::Made {
      return routers.count(router) == 0 ? nullptr : rtl_.make(module_name, wires);
    };
    return nullptr;
  }

 private:
  const CamRtl rtl_;
};

}  // namespace

std::unique_ptr<NetworkRtl> network_rtl(CamRtl rtl) {
  return std::make_unique<CamRow>(std::move(rtl));
}

}  // namespace tsuji::bench
