// SPDX-License-Identifier: Apache-2.0
#include "tsuji/pins/router_device.h"

#include "tsuji/core/error.h"
#include "tsuji/pins/device_kinds.h"

namespace tsuji::pins {
namespace {

constexpr unsigned most_ports = 16, most_vcs = 16, most_nodes_bits = 16, most_candidates = 8;
/// Row of a predicted port that does not exist.
constexpr std::uint32_t no_prediction = 0xffff;

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
  predictor.add_keys(keys, most_ports);
  keys.add("pins.node_bits", router.node_bits, {1, most_nodes_bits}, "bits", "width of a flit's destination");
  keys.add("pins.data_bits", router.data_bits, {1, 64}, "bits", "width of a flit's payload");
  keys.add("routes.candidates", router.candidates, {1, most_candidates}, "",
           "output ports among which a head may choose");
  keys.add("routes.ports", route_ports, {0, 65535}, {0, most_candidates << most_nodes_bits}, "",
           "output port of each node, with all virtual channels; a port that does not exist: no route; then, "
           "with routes.candidates, each node's second candidate, and so on");
  keys.add_path("routes.file", routes_file,
                "hexadecimal rows of each node, then of each node's second candidate, and so on: virtual "
                "channels from bit 16 on, output port in the lower 16 bits; bit 31: of a lower rank than the "
                "candidate before it");
}

void RouterDeviceConfig::validate() const {
  const router::VcRouterConfig& config = router.config;
  for (const unsigned port : node_ports)
    refuse(port >= router.ports, "router.node_ports", std::to_string(port), "there is no such port",
           "ports below router.ports");
  validate_routes();
  const char* const no_length = "pins do not carry a packet's length";
  refuse(config.switching != router::Switching::wormhole, "router.switching", "", no_length, "wormhole");
  refuse(config.hop_limit != 0, "router.hop_limit", std::to_string(config.hop_limit),
         "flits at pins carry no hops", "0");
  refuse(config.sa_allocator == "strict_priority" || config.sa_allocator == "weighted_round_robin",
         "router.sa_allocator", config.sa_allocator, "flits at pins carry no class",
         "islip, separable, matrix");
  validate_prediction();
}

void RouterDeviceConfig::validate_routes() const {
  refuse(!route_ports.empty() && !routes_file.empty(), "routes.file", routes_file,
         "routes.ports has the routes", "one of both");
  refuse(route_ports.size() > router.route_rows(), "routes.ports",
         std::to_string(route_ports.size()) + " rows", "more nodes than pins.node_bits can name",
         "2^pins.node_bits rows for each of routes.candidates at most");
}

void RouterDeviceConfig::validate_prediction() const {
  predictor.validate(false);
  router::VcRouterConfig config = router.config;
  config.prediction.kind = predictor.kind;
  config.validate();
  refuse(config.prediction.on() && router.rc_cycles > config.st_cycles, "router.rc_cycles",
         std::to_string(router.rc_cycles), "a misprediction would be known too late to kill the flit",
         "0..router.st_cycles, or prediction.kind none");
  if (!predictor.straight.empty()) predictor.require_straight(router.ports);
  refuse(predictor.has_table() && router.ports > router.route_rows(), "pins.node_bits",
         std::to_string(router.node_bits), "the table has no rows for the predictions of all inputs",
         "2^pins.node_bits times routes.candidates of router.ports or more");
}

router::PinRouterConfig RouterDeviceConfig::resolved() const {
  router::PinRouterConfig all = router;
  all.config.prediction.kind = predictor.kind;
  all.config.prediction.kinds = predictor.kinds;
  for (const unsigned port : node_ports) all.node_ports |= 1U << port;
  const std::uint32_t every_vc = ((1U << router.vcs) - 1U) << 16;
  for (const unsigned port : route_ports) all.routes.push_back(every_vc | port);
  if (!routes_file.empty()) all.routes = router::read_routes(routes_file);
  if (!all.predicts_by_table() || all.routes.size() > all.route_rows()) return all;
  all.routes.resize(all.route_rows());
  all.routes.insert(all.routes.end(), predictor.straight.begin(), predictor.straight.end());
  all.routes.resize(all.rows(), no_prediction);
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
      not_row_(bits_above(router_.config().row_bits())),
      reset_(add_input("reset", 1)),
      in_valid_(add_flit_inputs()),
      table_valid_(add_input("table_valid", 1)),
      table_row_(add_input("table_row", router_.config().row_bits())),
      table_entry_(add_input("table_entry", 32)),
      in_credit_(add_flit_outputs()),
      blocked_(config.router.config.block_timeout_cycles != 0
                   ? add_output("blocked", config.router.vcs, config.router.ports)
                   : 0),
      outcome_(router_.config().predicts() ? add_output("outcome", 3, config.router.ports) : 0),
      kept_(router_.config().predicts() ? add_output("kept", 1, config.router.ports) : 0),
      error_(add_output("error", 1)) {}

std::size_t RouterDevice::add_flit_inputs() {
  const router::PinRouterConfig& config = router_.config();
  const std::size_t first = add_input("in_valid", 1, config.ports);
  add_input("in_head", 1, config.ports);
  add_input("in_tail", 1, config.ports);
  add_input("in_vc", config.vc_bits(), config.ports);
  add_input("in_destination", config.node_bits, config.ports);
  add_input("in_data", config.data_bits, config.ports);
  add_input("out_credit", config.vcs, config.ports);
  return first;
}

std::size_t RouterDevice::add_flit_outputs() {
  const router::PinRouterConfig& config = router_.config();
  const std::size_t first = add_output("in_credit", config.vcs, config.ports);
  add_output("out_valid", 1, config.ports);
  add_output("out_head", 1, config.ports);
  add_output("out_tail", 1, config.ports);
  add_output("out_vc", config.vc_bits(), config.ports);
  add_output("out_destination", config.node_bits, config.ports);
  add_output("out_data", config.data_bits, config.ports);
  return first;
}

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
    wide |= (in_.table_row & not_row_) | in_.table_entry >> 32;
  }
  // Copies in variables, which no store can change.
  const std::size_t ports = in_.flits.size();
  const std::uint64_t not_destination = not_destination_, not_data = not_data_, not_vc = not_vc_,
                      not_credit = not_credit_;
  const std::uint64_t* pin = in + in_valid_;  // the pins of a flit follow each other
  router::PinRouterFlit* flit = in_.flits.data();
  std::uint64_t* credit = in_.credits.data();
  const std::uint64_t* const end = pin + ports;
  for (; pin != end; ++pin, ++flit, ++credit) {
    const std::uint64_t valid = pin[0], credits = pin[6 * ports];
    *credit = credits;
    flit->valid = valid != 0;
    wide |= (credits & not_credit) | (valid & ~std::uint64_t{1});
    if (valid == 0) continue;
    const std::uint64_t head = pin[ports], tail = pin[2 * ports], vc = pin[3 * ports];
    const std::uint64_t destination = pin[4 * ports], data = pin[5 * ports];
    flit->head = head != 0;
    flit->tail = tail != 0;
    flit->vc = static_cast<unsigned>(vc);
    flit->destination = destination;
    flit->data = data;
    wide |= ((head | tail) & ~std::uint64_t{1}) | (vc & not_vc) | (destination & not_destination) |
            (data & not_data);
  }
  if (wide != 0) refuse_wide();
}

void RouterDevice::show_outputs() {
  std::uint64_t* const out = shown();
  const std::size_t ports = out_.flits.size();
  std::uint64_t* pin = out + in_credit_;
  const router::PinRouterFlit* flit = out_.flits.data();
  const std::uint64_t* credit = out_.credits.data();
  std::uint64_t* const end = pin + ports;
  for (; pin != end; ++pin, ++flit, ++credit) {
    pin[0] = *credit;
    // Without a flit all of its fields are 0, before and after.
    if (!flit->valid && pin[ports] == 0) continue;
    pin[ports] = flit->valid;
    pin[2 * ports] = flit->head;
    pin[3 * ports] = flit->tail;
    pin[4 * ports] = flit->vc;
    pin[5 * ports] = flit->destination;
    pin[6 * ports] = flit->data;
  }
  out[error_] = out_.error;
  if ((blocked_ | outcome_) != 0) show_reports(out);
}

void RouterDevice::show_reports(std::uint64_t* out) const {
  for (std::size_t port = 0; port < out_.flits.size(); ++port) {
    if (blocked_ != 0) out[blocked_ + port] = out_.blocked[port];
    if (outcome_ == 0) continue;
    out[outcome_ + port] = out_.outcomes[port];
    out[kept_ + port] = out_.kept[port];
  }
}

void add_router_device(DeviceKinds& kinds) {
  kinds.push_back(device_kind<RouterDeviceConfig, RouterDevice>("router"));
}

}  // namespace tsuji::pins
