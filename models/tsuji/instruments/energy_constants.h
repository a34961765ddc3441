// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tsuji::instruments {

/// Constants of the energy of routers and links, read from a YAML file in which every number has a unit.
struct EnergyConstants {
  std::string source,  ///< publication
      technology;      ///< process and clock
  // In pJ by bit; `depth` parts are multiplied by the flits of a virtual channel's buffer.
  double buffer_write = 0, buffer_write_depth = 0, buffer_read = 0, buffer_read_depth = 0, crossbar = 0,
         network_interface = 0;
  double link = 0;                    ///< in pJ by bit and mm
  double routing = 0, selection = 0;  ///< in pJ by head
  double prediction = 0;              ///< in pJ by head's visit to a router that predicts; optional
  bool has_prediction = false;
  /// In uW: by bit of buffers, by bit of crossbar ports, by router, by wire.
  double buffer_static = 0, crossbar_static = 0, control_static = 0, link_static = 0;
  /// In um2: by bit of buffers, by bit and crosspoint of crossbars, by router. A file has all of them or
  /// none.
  double buffer_area = 0, crossbar_area = 0, control_area = 0;
  bool has_area = false;

  /// Reads a file. ConfigError with its line for an unknown or missing constant and for one without its unit.
  static EnergyConstants read(const std::string& path);
};

}  // namespace tsuji::instruments
