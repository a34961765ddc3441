// SPDX-License-Identifier: Apache-2.0
#include "lookup/cache_rtl.h"

#include "lookup/lookup_rtl.h"

namespace tsuji::bench {
namespace {

class CacheRow final : public NetworkRtl {
 public:
  explicit CacheRow(CacheRtl rtl) : NetworkRtl({"cache", true}, rtl.name, rtl.what), rtl_(std::move(rtl)) {}
  void check(const session::NetworkRunConfig& network, const graph::Topology&) const override {
    want_modules(network);
    want_caches(network, rtl_.cache);
  }
  std::unique_ptr<session::PlacedFeature> place(const RtlOptions& options, const session::NetworkRunConfig&,
                                                const graph::Topology&,
                                                network::LoadedNetwork::Parts& parts) const override {
    parts.custom.module_rtl.make_cache = [ports = options.places.ports, this](
                                             graph::PortRef at, const char* module_name,
                                             lookup::CacheWires& wires) -> lookup::ModuleRtl::Made {
      return ports.count({at.router, at.port}) == 0 ? nullptr : rtl_.make(module_name, wires);
    };
    return nullptr;
  }

 private:
  const CacheRtl rtl_;
};

}  // namespace

std::unique_ptr<NetworkRtl> network_rtl(CacheRtl rtl) {
  return std::make_unique<CacheRow>(std::move(rtl));
}

}  // namespace tsuji::bench
