// SPDX-License-Identifier: Apache-2.0
#include "tsuji/pins/router_device.h"

#include "tsuji/core/error.h"
#include "tsuji/pins/device_kinds.h"

namespace tsuji::pins {
namespace {

constexpr unsigned most_ports = 16, most_vcs = 16, most_nodes_bits = 16;

/// Keys of the router's stages that work on what the pins do not carry.
void refuse(bool set, const char* key, const std::string& value, const char* problem, const char* accepted) {
  if (set) throw ConfigError(key, value, problem, accepted);
}

}  // namespace

void RouterDeviceConfig::add_keys(config::KeyTable& keys) {
  keys.add("router.ports", router.ports, {2, most_ports}, "",
           "ports of the router, each an input and an output");
  keys.add("router.node_ports", node_ports, {0, most_ports - 1}, {0, most_ports}, "",
           "ports to nodes, where a packet may take any virtual channel");
  keys.add("router.vcs", router.vcs, {1, most_vcs}, "", "virtual channels of each port");
  keys.add("router.buffer_flits", router.buffer_flits, {1, FlitRing::largest_depth}, "flits",
           "capacity of the input buffer of each virtual channel");
  keys.add("router.rc_cycles", router.rc_cycles, {0, 65535}, "cycles", "duration of route computation (RC)");
  keys.add("link.credit_process_cycles", router.credit_cycles, {0, 65535}, "cycles",
           "time from a credit at its pin until it can be used");
  router.config.add_keys(keys);
  keys.add("pins.node_bits", router.node_bits, {1, most_nodes_bits}, "bits", "width of a flit's destination");
  keys.add("pins.data_bits", router.data_bits, {1, 64}, "bits", "width of a flit's payload");
  keys.add("routes.ports", route_ports, {0, 65535}, {0, 1U << most_nodes_bits}, "",
           "output port of each node, with all virtual channels; a port that does not exist: no route");
  keys.add_path(
      "routes.file", routes_file,
      "hexadecimal rows of each node: virtual channels in the upper 16 bits, output port in the lower 16");
}

void RouterDeviceConfig::validate() const {
  const router::VcRouterConfig& config = router.config;
  for (const unsigned port : node_ports)
    refuse(port >= router.ports, "router.node_ports", std::to_string(port), "there is no such port",
           "ports below router.ports");
  refuse(!route_ports.empty() && !routes_file.empty(), "routes.file", routes_file,
         "routes.ports has the routes", "one of both");
  refuse(route_ports.size() > std::size_t{1} << router.node_bits, "routes.ports",
         std::to_string(route_ports.size()) + " rows", "more nodes than pins.node_bits can name",
         "2^pins.node_bits rows at most");
  const char* const no_length = "pins do not tell a packet's length";
  refuse(config.switching != router::Switching::wormhole, "router.switching", "", no_length, "wormhole");
  refuse(config.block_timeout_cycles != 0, "router.block_timeout_cycles",
         std::to_string(config.block_timeout_cycles), "pins report no timeouts", "0");
  refuse(config.hop_limit != 0, "router.hop_limit", std::to_string(config.hop_limit),
         "flits at pins carry no hops", "0");
  refuse(config.sa_allocator == "strict_priority" || config.sa_allocator == "weighted_round_robin",
         "router.sa_allocator", config.sa_allocator, "flits at pins carry no class",
         "islip, separable, matrix");
  config.validate();
}

router::PinRouterConfig RouterDeviceConfig::resolved() const {
  router::PinRouterConfig all = router;
  for (const unsigned port : node_ports) all.node_ports |= 1U << port;
  const std::uint32_t every_vc = ((1U << router.vcs) - 1U) << 16;
  for (const unsigned port : route_ports) all.routes.push_back(every_vc | port);
  if (!routes_file.empty()) all.routes = router::read_routes(routes_file);
  return all;
}

RouterDevice::RouterDevice(const RouterDeviceConfig& config)
    : router_(config.resolved()),
      in_(config.router.ports),
      out_(config.router.ports),
      not_destination_(bits_above(config.router.node_bits)),
      not_data_(bits_above(config.router.data_bits)),
      not_vc_(bits_above(config.router.vc_bits())),
      not_credit_(bits_above(config.router.vcs)),
      reset_(add_input("reset", 1)),
      in_valid_(add_input("in_valid", 1, config.router.ports)),
      in_head_(add_input("in_head", 1, config.router.ports)),
      in_tail_(add_input("in_tail", 1, config.router.ports)),
      in_vc_(add_input("in_vc", config.router.vc_bits(), config.router.ports)),
      in_destination_(add_input("in_destination", config.router.node_bits, config.router.ports)),
      in_data_(add_input("in_data", config.router.data_bits, config.router.ports)),
      out_credit_(add_input("out_credit", config.router.vcs, config.router.ports)),
      table_valid_(add_input("table_valid", 1)),
      table_row_(add_input("table_row", config.router.node_bits)),
      table_entry_(add_input("table_entry", 32)),
      in_credit_(add_output("in_credit", config.router.vcs, config.router.ports)),
      out_valid_(add_output("out_valid", 1, config.router.ports)),
      out_head_(add_output("out_head", 1, config.router.ports)),
      out_tail_(add_output("out_tail", 1, config.router.ports)),
      out_vc_(add_output("out_vc", config.router.vc_bits(), config.router.ports)),
      out_destination_(add_output("out_destination", config.router.node_bits, config.router.ports)),
      out_data_(add_output("out_data", config.router.data_bits, config.router.ports)),
      error_(add_output("error", 1)) {}

void RouterDevice::step() {
  take_inputs();
  router_.edge(in_, out_);
  show_outputs();
  next_cycle();
}

/// Fields of a flit are looked at where its valid bit is 1, a row of the table in a reset.
void RouterDevice::take_inputs() {
  const std::uint64_t* const in = inputs();
  in_.reset = in[reset_] != 0;
  in_.table_valid = in[table_valid_] != 0;
  std::uint64_t wide = (in[reset_] | in[table_valid_]) & ~std::uint64_t{1};
  if (in_.table_valid) {
    in_.table_row = in[table_row_];
    in_.table_entry = in[table_entry_];
    wide |= (in_.table_row & not_destination_) | in_.table_entry >> 32;
  }
  const unsigned ports = router_.config().ports;
  for (unsigned p = 0; p < ports; ++p) {
    in_.credits[p] = in[out_credit_ + p];
    router::PinRouterFlit& flit = in_.flits[p];
    flit.valid = in[in_valid_ + p] != 0;
    wide |= (in_.credits[p] & not_credit_) | (in[in_valid_ + p] & ~std::uint64_t{1});
    if (!flit.valid) continue;
    const std::uint64_t head = in[in_head_ + p], tail = in[in_tail_ + p], vc = in[in_vc_ + p];
    flit.head = head != 0;
    flit.tail = tail != 0;
    flit.vc = static_cast<unsigned>(vc);
    flit.destination = in[in_destination_ + p];
    flit.data = in[in_data_ + p];
    wide |= ((head | tail) & ~std::uint64_t{1}) | (vc & not_vc_) | (flit.destination & not_destination_) |
            (flit.data & not_data_);
  }
  if (wide != 0) refuse_wide();
}

void RouterDevice::show_outputs() {
  std::uint64_t* const out = shown();
  const unsigned ports = router_.config().ports;
  for (unsigned p = 0; p < ports; ++p) {
    out[in_credit_ + p] = out_.credits[p];
    const router::PinRouterFlit& flit = out_.flits[p];
    // Without a flit all of its fields are 0, before and after.
    if (!flit.valid && out[out_valid_ + p] == 0) continue;
    out[out_valid_ + p] = flit.valid;
    out[out_head_ + p] = flit.head;
    out[out_tail_ + p] = flit.tail;
    out[out_vc_ + p] = flit.vc;
    out[out_destination_ + p] = flit.destination;
    out[out_data_ + p] = flit.data;
  }
  out[error_] = out_.error;
}

void add_router_device(DeviceKinds& kinds) {
  kinds.push_back(device_kind<RouterDeviceConfig, RouterDevice>("router"));
}

}  // namespace tsuji::pins
