// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "nic/nic_rtl.h"
#include "tsuji/nic/packet_check.h"

namespace tsuji::bench {

/// A Sender's builder of packets as RTL: cut and header are the RTL's, and so are the flits, each of which is
/// compared with that of the packet. The RTL's cycles of a packet run when SPM cuts,
/// builds and ends the packet, and while its lines come, so that packets follow each other in the RTL.
/// ModelError, with the node and the packet, for an answer that does not come in its cycle, a cut or a header
/// that is not the model's, and another flit.
std::unique_ptr<nic::PacketBuilder> rtl_builder(const NicRtlKind& kind, NodeId node);

/// A Receiver's check of packets as RTL, whose cycles run when the Receiver asks for the verdict: every flit,
/// damaged or lost as the faults of its channel say. Words and verdict are the RTL's. ModelError for a
/// verdict that does not come with the last flit, and for another verdict or word of an undamaged packet.
std::unique_ptr<nic::PacketCheck> rtl_check(const NicRtlKind& kind, NodeId node, PacketPool& pool);

}  // namespace tsuji::bench
