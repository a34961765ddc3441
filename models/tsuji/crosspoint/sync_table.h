// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "tsuji/core/flit.h"
#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"
#include "tsuji/crosspoint/config.h"
#include "tsuji/graph/multistage.h"
#include "tsuji/link/packet_link.h"

namespace tsuji::crosspoint {

/// Observer of a synchronization table; null costs a test on each access.
class SyncProbe {
 public:
  virtual ~SyncProbe() = default;
  /// The state of a sid from cycle `at` on: inputs that have come, those that have come for the next round
  /// too, outputs that still owe their packet.
  virtual void on_entry(Cycle at, unsigned sid, std::uint32_t arrived, std::uint32_t early,
                        std::uint32_t owed) = 0;
};

/// The synchronization table of one switch (Kanoh 2000, section 3; rooms/crosspoint.md, Where the paper is
/// silent, 5). For each sid it counts, in two bits an input, the packets that came in: a member that got its
/// completion early may already send for the next round while another input still owes this one. When every
/// expected input has one, the round is complete and each served output owes a packet. Here, too, two bits an
/// output are kept, where one pending bit would seem to do: an output that is held up may still owe round k
/// when the others' members complete round k + 1 at this switch. The packets of both rounds are kept, one for
/// each parity of a round's number, and an output knows the parity that it owes next. A third of either
/// cannot occur, because the members at that input or output have not been released; it is a ModelError. The
/// two halves of a synchronization that reaches beyond a gateway (rooms/graph.md, Groups) have
/// an entry each.
class SyncTable {
 public:
  std::string stands_for() const { return "synchronization table (Kanoh 2000, section 3)"; }
  explicit SyncTable(const graph::SwitchRoute& route, unsigned ports) : route_(&route), ports_(ports) {}
  /// Bits of a table in hardware: an entry has its members' map, two bits an input, two and a parity an
  /// output, and the parity of its next round.
  static constexpr std::uint64_t bits(unsigned ports) {
    return std::uint64_t{most_entries} * (64 + 5 * ports + 1);
  }

  /// A packet whose bits do not pass the switch's check does not get into the table: a wrong set of members
  /// would stay there. Unlike a multicast's map, which is read as it passes (rooms/crosspoint.md, Where the
  /// paper is silent, 7), the whole header with its check bits is here before the table's turn comes. Neither
  /// does one that passes it by chance and does not fit the entry. The access costs its time.
  bool drops(unsigned input, const PacketTransfer& transfer) const {
    const Packet& packet = *transfer.packet;
    return packet.spelling.error_count != 0 && !(check_passes(packet) && fits(input, packet));
  }

  /// The access for a packet of input `input` ends in cycle `now`; what it completes is owed from now on.
  /// `where` names the module in an error. Returns the number of packets that the switch now owes in
  /// addition.
  unsigned enter(unsigned input, const PacketTransfer& transfer, Cycle now, const std::string& where);

  /// The entry that output `output` should serve next among those owed whose target FIFO is in `free`, by
  /// sid, in turn; -1 if none.
  int choose(unsigned output, std::uint32_t free) const;
  /// FIFOs that the owed packets of `output` wait for.
  std::uint32_t targets(unsigned output) const;
  std::uint32_t target(unsigned output, int entry) const {
    return entries_[static_cast<unsigned>(entry)]->targets[output];
  }
  /// The packet of the oldest round that `output` owes for an entry, and its port bits at the next switch; it
  /// is owed no longer.
  PacketTransfer take(unsigned output, int number, Cycle now);
  void set_probe(SyncProbe* probe) { probe_ = probe; }

  bool owes(unsigned output) const { return owed_[output] != 0; }

 private:
  struct Entry {
    std::uint64_t members = 0;
    std::uint32_t expected = 0, served = 0;
    std::uint32_t once = 0, twice = 0;            ///< inputs with one, with two packets in
    std::uint32_t owed_once = 0, owed_twice = 0;  ///< outputs that owe one, two packets
    std::uint32_t parity = 0;                     ///< of the next round to complete
    std::uint32_t owed_parity = 0;                ///< per output: of the next round that it owes
    std::array<std::uint32_t, max_ports> targets{};
    std::array<PacketTransfer, 2>
        completing;  ///< by parity: the packet that completed the round and goes out

    /// Outputs that still owe the packet of the round of this parity.
    std::uint32_t owing(std::uint32_t of_parity) const {
      return owed_twice | (owed_once & (of_parity != 0 ? owed_parity : ~owed_parity));
    }
  };

  /// Entries of members and, behind them, of gateways.
  static constexpr unsigned most_entries = 2 * synchronization_ids;
  static unsigned number_of(const Packet& packet) {
    return packet.source.is_router() ? synchronization_ids + packet.sid : packet.sid;
  }

  bool fits(unsigned input, const Packet& packet) const;
  Entry& entry_for(const Packet& packet, const std::string& where, Cycle now);
  void complete(Entry& entry, const PacketTransfer& transfer, Cycle now, const std::string& where);
  void tell(Cycle at, unsigned sid, const Entry& entry) {
    if (probe_ != nullptr) probe_->on_entry(at, sid, entry.once, entry.twice, entry.owed_once);
  }

  const graph::SwitchRoute* route_;
  unsigned ports_;
  SyncProbe* probe_ = nullptr;
  std::array<std::unique_ptr<Entry>, most_entries> entries_;  ///< made when a sid is first seen
  unsigned used_ = synchronization_ids;                       ///< all entries lie before
  std::array<std::uint32_t, max_ports> owed_{};               ///< owed packets an output
  std::array<std::uint8_t, max_ports> next_entry_{};
};

}  // namespace tsuji::crosspoint
