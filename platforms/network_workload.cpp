#include "network_workload.h"

#include "core/error.h"

namespace tsuji::platform {

void NetworkWorkload::validate(const fabric::NetworkConfig& network) const {
  if (kind == NetworkWorkloadKind::synthetic) return;
  replay.validate();
  const unsigned largest = replay.nic.flits(replay.nic.packet_bytes);
  if (network.network.router.switching == router::Switching::wormhole ||
      largest <= network.network.buffer_flits)
    return;
  throw ConfigError("nic.packet_bytes", std::to_string(replay.nic.packet_bytes),
                    "a packet of " + std::to_string(largest) +
                        " flits does not fit into a virtual channel's buffer, as this switching wants it",
                    "up to router.buffer_flits (" + std::to_string(network.network.buffer_flits) +
                        ") flits with nic.flit_bytes and nic.header_flits");
}

void NetworkWorkload::check_sweep() const {
  if (kind == NetworkWorkloadKind::synthetic) return;
  throw ConfigError("workload.kind", "trace", "there is no offered load to sweep", "synthetic");
}

void add_network_workload_keys(config::KeyTable& keys, NetworkWorkload& w) {
  keys.add_choice("workload.kind", w.kind,
                  {{"synthetic", NetworkWorkloadKind::synthetic}, {"trace", NetworkWorkloadKind::trace}},
                  "synthetic: the packets of traffic.*; trace: an application behind network interfaces");
  keys.add("workload.trace", w.trace,
           "TI trace, plain or zstd; a relative path is also looked for in the project's folder");
  keys.add("workload.compute_scale", w.compute_scale, {0.0, 1e6}, "", "stretches a trace's compute times");
  fabric::add_placement_keys(keys, w.replay);
  keys.add_choice(
      "nic.kind", w.nic, {{"plain", NicKind::plain}},
      "trace: what is between a rank and the network; plain: no software, no memory, cuts messages into "
      "packets");
  fabric::add_plain_nic_keys(keys, w.replay);
  fabric::add_replay_keys(keys, w.replay);
}

}  // namespace tsuji::platform
