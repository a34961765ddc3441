// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/config/renames.h"
#include "tsuji/interconnect/tlm_network.h"
#include "tsuji/results/results.h"
#include "tsuji/session/network_run.h"

namespace tsuji::session {

/// Modules of a program around a TlmNetwork, whose sockets they bind.
class TlmClients {
 public:
  virtual ~TlmClients() = default;
  /// True if the clients begin no further transaction; queried between slices of a run, which then ends when
  /// all transactions are answered.
  virtual bool done() const = 0;
  /// Adds metrics and selects lines for the terminal, after the last cycle.
  virtual void report(observe::Results& results) { (void)results; }
};

/// A program of TLM-2.0 initiators and targets on a network.
struct TlmProgram {
  std::string description;             ///< one line for --help
  std::vector<unsigned> radices = {};  ///< default of topology.radices; empty: the network's
  std::string initiators = {};         ///< default of tlm.initiators
  std::string targets = {};            ///< default of tlm.targets
  /// Sets further defaults of the network and of its sockets, and adds kinds to the network's tables. Called
  /// before any key is bound; may be empty.
  std::function<void(NetworkRunConfig&, interconnect::InterconnectConfig&)> set_defaults;
  /// Adds the program's own keys, after all others; may be empty.
  std::function<void(config::KeyTable&)> add_keys;
  /// Makes the modules, before elaboration ends.
  std::function<std::unique_ptr<TlmClients>(interconnect::TlmNetwork&)> make_clients;
  std::vector<config::Rename> renames = {};  ///< Old names of the program's keys, values and options.
};

/// A complete main function: the network of platform `network` between the program's modules, with the keys
/// tlm.*, instruments, waveforms, records and the deadlock check. Returns the exit status.
int tlm_main(int argc, const char* const* argv, const TlmProgram& program);

}  // namespace tsuji::session
