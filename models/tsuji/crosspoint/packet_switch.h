// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/described.h"
#include "tsuji/core/packet.h"
#include "tsuji/crosspoint/config.h"
#include "tsuji/crosspoint/sync_table.h"
#include "tsuji/graph/multistage.h"
#include "tsuji/link/packet_link.h"

// The interface of a switch of any kind, off the path of a packet: packets come and go by the channels of its
// ports.

namespace tsuji::crosspoint {

/// Both channels of a port; neither is null.
struct SwitchPort {
  PacketInIf* in = nullptr;
  PacketOutIf* out = nullptr;
};

/// A packet that waits in a switch with no other before it, for reports.
struct WaitingPacket {
  std::string place;  ///< "FIFO (0, 3)"
  PacketId packet = 0;
  std::string waits_for;
};

/// A switch of any kind. A kind that lacks an ability says so (SwitchKind) and leaves the functions of that
/// ability out: they are ModelErrors.
class PacketSwitch : public Stepped {
 public:
  /// Binds the channels of all ports to their receiver and sender: this switch, woken as `self`. Once, before
  /// the first cycle.
  virtual void bind(Clocked& self) = 0;
  virtual const SwitchCounters& counters() const = 0;
  /// The hardware, with paper and section, one line; empty: it says nothing.
  virtual std::string stands_for() const { return ""; }
  /// Its parts, for lists of a module's hierarchy.
  virtual void add_parts(PartList& /*parts*/) const {}
  virtual void visit_waiting(const std::function<void(const WaitingPacket&)>& visit) const = 0;
  /// SwitchKind::tells_synchronizations. Before the first cycle.
  virtual void set_sync_probe(SyncProbe* probe);
};

/// Position of a switch in a multistage network.
struct SwitchPlace {
  unsigned stage = 0, index = 0;
};

/// Parts of a switch.
struct SwitchParts {
  SwitchPlace place;
  std::vector<SwitchPort> ports;
  const graph::SwitchRoute& route;  ///< outlives the switch
  std::string name;                 ///< of the module, for errors
};

/// A kind of switch: how one is made, and what all of them can do. An ability that is not named is refused
/// where it is asked for.
struct SwitchKind {
  const char* name = "";
  bool multicasts = false;              ///< copies a packet to several outputs
  bool synchronizes = false;            ///< merges synchronization packets, and releases their senders
  bool tells_synchronizations = false;  ///< to a SyncProbe: waveforms
  std::function<std::unique_ptr<PacketSwitch>(const SwitchParts& parts)> make;
};

}  // namespace tsuji::crosspoint
