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

// Interface of a switch of any kind, without its fast path: packets pass through the channels of its ports.

namespace tsuji::crosspoint {

/// Channels of a port; neither is null.
struct SwitchPort {
  PacketInIf* in = nullptr;    ///< Channel from which the port receives.
  PacketOutIf* out = nullptr;  ///< Channel into which the port sends.
};

/// A packet that is first in its queue in a switch, for reports.
struct WaitingPacket {
  std::string place;      ///< place of the packet in the switch, such as "FIFO (0, 3)"
  PacketId packet = 0;    ///< Identity of the packet.
  std::string waits_for;  ///< Resource that the packet waits for, as text.
};

/// A switch of any kind. A kind without an ability states that in SwitchKind and does not override the
/// functions of the ability, which are ModelErrors.
///
/// Contract: bind() once, before the first cycle; set_sync_probe() after it and before the first cycle, if at
/// all. Then step(now) in each cycle for which the switch was woken.
class PacketSwitch : public Stepped {
 public:
  /// Binds the channels of all ports; this switch, woken by `self`, is their receiver and sender.
  virtual void bind(Clocked& self) = 0;
  /// Packets and cycles counted so far.
  virtual const SwitchCounters& counters() const = 0;
  /// The modelled hardware in one line, with paper and section; may be empty.
  virtual std::string stands_for() const { return ""; }
  /// Adds the switch's parts to the list of its module's parts.
  virtual void add_parts(PartList& /*parts*/) const {}
  /// Calls visit() for each packet that is first in its queue.
  virtual void visit_waiting(const std::function<void(const WaitingPacket&)>& visit) const = 0;
  /// Sets the observer of synchronizations; only if SwitchKind::tells_synchronizations.
  virtual void set_sync_probe(SyncProbe* probe);
};

/// Position of a switch in a multistage network.
struct SwitchPlace {
  unsigned stage = 0,  ///< Stage, from 0 at the senders.
      index = 0;       ///< Number of the switch in its stage.
};

/// Data and channels for the construction of a switch.
struct SwitchParts {
  SwitchPlace place;                ///< Position in the network.
  std::vector<SwitchPort> ports;    ///< Channels of the ports, by port number.
  const graph::SwitchRoute& route;  ///< outlives the switch
  std::string name;                 ///< name of the module, for errors
  PacketPool* pool = nullptr;       ///< Pool of packets that the switch makes; null: none.
};

/// A kind of switch: a factory, and the common abilities of its switches. A configuration that needs a
/// missing ability is refused.
struct SwitchKind {
  const char* name = "";                ///< Word of `switch.kind`.
  bool multicasts = false;              ///< copies a packet to several outputs
  bool synchronizes = false;            ///< merges synchronization packets, and releases their senders
  bool combines = false;                ///< combines the operands of synchronization packets
  bool tells_synchronizations = false;  ///< reports to a SyncProbe: waveforms
  /// Makes a switch of this kind.
  std::function<std::unique_ptr<PacketSwitch>(const SwitchParts& parts)> make;
};

}  // namespace tsuji::crosspoint
