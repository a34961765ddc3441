// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "tsuji/core/combine.h"
#include "tsuji/core/flit.h"
#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"
#include "tsuji/crosspoint/config.h"
#include "tsuji/graph/multistage.h"
#include "tsuji/link/packet_link.h"

namespace tsuji::crosspoint {

/// Observer of a synchronization table. Null costs a pointer test on each access.
class SyncProbe {
 public:
  virtual ~SyncProbe() = default;
  /// State of a synchronization identifier (sid) from cycle `at` on, as masks: inputs whose packet has
  /// arrived, inputs whose packet of the next round has arrived too, and outputs that owe their packet.
  virtual void on_entry(Cycle at, unsigned sid, std::uint32_t arrived, std::uint32_t early,
                        std::uint32_t owed) = 0;
};

/// Synchronization table of a switch (Kanoh 2000, section 3; rooms/crosspoint.md, Where the paper is silent,
/// 5). An entry counts for each input, in two bits, the packets that have arrived: a member that was released
/// early may already send for the next round while another input has not sent for this one. When all expected
/// inputs have sent, the round is complete, and each served output owes a packet.
///
/// Outputs have two bits as well: a blocked output may still owe round k when the members of the others
/// complete round k + 1 at this switch. The packets of both rounds are stored by the parity of the round's
/// number, and each output knows the parity that it owes next. A third packet at an input or output is
/// impossible, because its members have not been released; it is a ModelError.
///
/// Packets may carry an operand of up to `operand_words` 64-bit words, which the paper does not have. An
/// entry has an operand for each of its two open rounds: the first packet of a round sets it, the others are
/// combined with it (Combine), and the packets of the complete round carry the result. Operands of one round
/// that differ in length or operation are a ModelError. An error that passes the check changes the operand
/// that is combined; the result is spelled again, with its check bits.
///
/// The two halves of a
/// synchronization across a gateway (scripts/handbook.d/rooms/graph.md, Groups) have separate entries.
class SyncTable {
 public:
  std::string stands_for() const { return "synchronization table (Kanoh 2000, section 3)"; }
  explicit SyncTable(const graph::SwitchRoute& route, unsigned ports) : route_(&route), ports_(ports) {}
  /// Size of a table in hardware, in bits. An entry has the map of its members, two bits per input, two bits
  /// and a parity per output, and the parity of its next round. Without operands, as in the paper.
  static constexpr std::uint64_t bits(unsigned ports) {
    return std::uint64_t{most_entries} * (64 + 5 * ports + 1);
  }
  /// Words of a packet's operand; 0: none.
  static unsigned words_of(const Packet& packet) { return (packet.payload_bytes + 7U) / 8U; }

  /// Returns true for a packet that must not enter the table: it fails the switch's check, or passes by
  /// chance and does not fit the entry. A wrong set of members would remain in the table. Unlike a
  /// multicast's map, which is used as it passes (rooms/crosspoint.md, Where the paper is silent, 7), the
  /// whole header with its check bits has arrived before the table is accessed. The access takes its time
  /// anyway.
  bool drops(unsigned input, const PacketTransfer& transfer) const {
    const Packet& packet = *transfer.packet;
    return packet.spelling.error_count != 0 && !(check_passes(packet) && fits(input, packet));
  }

  /// Ends the access of a packet of input `input` in cycle `now`; packets of a completed round are owed from
  /// now on. Returns the number of packets owed in addition. `where` is the module's name, for errors.
  unsigned enter(unsigned input, const PacketTransfer& transfer, Cycle now, const std::string& where);

  /// Entry that `output` serves next, round robin among those owed whose target FIFO is in `free`; -1: none.
  int choose(unsigned output, std::uint32_t free) const;
  /// FIFOs that the owed packets of `output` need.
  std::uint32_t targets(unsigned output) const;
  std::uint32_t target(unsigned output, int entry) const {
    return entries_[static_cast<unsigned>(entry)]->targets[output];
  }
  /// Removes and returns the packet of the oldest round that `output` owes for an entry, with its port bits
  /// at the next switch.
  PacketTransfer take(unsigned output, int number, Cycle now);
  void set_probe(SyncProbe* probe) { probe_ = probe; }
  /// Sets the pool from which packets with combined operands come; it outlives them. Null: operands are a
  /// ModelError.
  void set_pool(PacketPool* pool) { pool_ = pool; }

  bool owes(unsigned output) const { return owed_[output] != 0; }

 private:
  /// The combined operands of an open round.
  struct Operand {
    bool open = false;  ///< a packet of the round has arrived
    Combine operation = Combine::sum;
    unsigned words = 0;  ///< 0: the packets carry none
    std::array<std::uint64_t, operand_words> values;
  };
  struct Entry {
    std::uint64_t members = 0;
    std::uint32_t expected = 0, served = 0;
    std::uint32_t once = 0, twice = 0;            ///< masks of inputs with one packet and with two packets
    std::uint32_t owed_once = 0, owed_twice = 0;  ///< masks of outputs that owe one packet and two packets
    std::uint32_t parity = 0;                     ///< parity of the next round to complete
    std::uint32_t owed_parity = 0;                ///< mask of outputs whose next owed round is odd
    std::array<std::uint32_t, max_ports> targets{};
    std::array<PacketTransfer, 2>
        completing;  ///< [parity]: packet that completed the round, and of which copies are sent
    std::array<Operand, 2> operands;  ///< [parity]: combined so far

    /// Mask of outputs that owe the packet of the round with this parity.
    std::uint32_t owing(std::uint32_t of_parity) const {
      return owed_twice | (owed_once & (of_parity != 0 ? owed_parity : ~owed_parity));
    }
  };

  /// Entries of members, followed by those of gateways.
  static constexpr unsigned most_entries = 2 * synchronization_ids;
  static unsigned number_of(const Packet& packet) {
    return packet.source.is_router() ? synchronization_ids + packet.sid : packet.sid;
  }

  bool fits(unsigned input, const Packet& packet) const;
  Entry& entry_for(const Packet& packet, const std::string& where, Cycle now);
  static void combine(Operand& operand, const Packet& packet, Cycle now, const std::string& where);
  void complete(Entry& entry, const PacketTransfer& transfer, Cycle now, const std::string& where);
  void tell(Cycle at, unsigned sid, const Entry& entry) {
    if (probe_ != nullptr) probe_->on_entry(at, sid, entry.once, entry.twice, entry.owed_once);
  }

  const graph::SwitchRoute* route_;
  unsigned ports_;
  SyncProbe* probe_ = nullptr;
  PacketPool* pool_ = nullptr;
  std::array<std::unique_ptr<Entry>, most_entries> entries_;  ///< allocated when a sid is first used
  unsigned used_ = synchronization_ids;                       ///< number of entries that may be in use
  std::array<std::uint32_t, max_ports> owed_{};               ///< [output]: number of owed packets
  std::array<std::uint8_t, max_ports> next_entry_{};
};

/// Duration of a packet's access to the table, in cycles.
inline unsigned access_cycles(const CrosspointConfig& config, const Packet& packet) {
  return config.table_access_cycles + config.combine_cycles_per_word * SyncTable::words_of(packet);
}

}  // namespace tsuji::crosspoint
