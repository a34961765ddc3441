// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/pins/device.h"
#include "tsuji/pins/pin_router.h"
#include "tsuji/pins/predictor_keys.h"

namespace tsuji::pins {

/// A router between pins, as keys.
struct RouterDeviceConfig {
  router::PinRouterConfig router;
  std::vector<unsigned> node_ports;  ///< numbers of the ports to nodes
  PredictorKeys predictor{"none"};
  std::vector<unsigned> route_ports;  ///< [candidate][node]: output port; empty: the file's rows, or none
  std::string routes_file;            ///< rows of read_routes(); empty: none

  void add_keys(config::KeyTable& keys);
  void resolve() {}
  /// Throws ConfigError, also for what has no pins: packets' lengths, hops, classes.
  void validate() const;
  /// The parameters, with the routes.
  router::PinRouterConfig resolved() const;

 private:
  void validate_routes() const;
  void validate_prediction() const;
};

/// PinRouter on rows of values. A pin with fields of ports has a lane for each port.
class RouterDevice final : public Device {
 public:
  explicit RouterDevice(const RouterDeviceConfig& config);
  void step() override;

 private:
  std::size_t add_flit_inputs();
  std::size_t add_flit_outputs();
  void take_inputs();
  void show_outputs();
  void show_reports(std::uint64_t* out) const;

  router::PinRouter router_;
  router::PinRouterInputs in_;
  router::PinRouterOutputs out_;
  const std::uint64_t not_destination_, not_data_, not_vc_, not_credit_, not_row_;
  // First lanes of pins. The pins in_valid to out_credit follow each other, and in_credit to out_data.
  const std::size_t reset_, in_valid_, table_valid_, table_row_, table_entry_;
  const std::size_t in_credit_;
  const std::size_t blocked_, outcome_, kept_;  ///< 0: no such pin
  const std::size_t error_;
};

}  // namespace tsuji::pins
