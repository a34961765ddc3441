#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/observe/load_measurement.h"
#include "tsuji/observe/packet_fates.h"
#include "tsuji/observe/results.h"
#include "tsuji/traffic/retry_source.h"

namespace tsuji::fabric {

/// Accounts of the messages of a network with retry: each is born once, and is delivered once by the first of
/// its packets that arrives, or lost when its sender has given it up and its last packet has ended without,
/// or under way. Neither order of modules nor of groups shows in them. ModelError for a message that is
/// delivered twice or was never born.
class RetryAccounts final : public traffic::RetryEvents {
 public:
  /// `measurement` is told of messages; may be null.
  RetryAccounts(const traffic::RetryConfig& config, unsigned nodes, observe::LoadMeasurement* measurement);

  /// The source of a node, with retry. This object outlives it.
  std::unique_ptr<traffic::EmissionSource> wrap(std::unique_ptr<traffic::EmissionSource> messages,
                                                NodeId node, PacketPool& pool);
  traffic::RetrySource& source(NodeId node) { return *sources_[node]; }

  void on_message_born(NodeId source, const traffic::RetryKey& key,
                       const traffic::Emission& emission) override;
  void on_packet(const Packet& packet, traffic::RetryState::Kind kind) override;
  bool on_given_up(NodeId source, const traffic::RetryKey& key, Cycle now) override;

  /// Outcome of a packet's arrival.
  struct End {
    PacketArrival arrival = PacketArrival::first;
    bool lost = false;  ///< it was the last of a message that is lost now: its source is to be told
  };
  /// Before its sink's source has taken it.
  End delivered(const Packet& packet, const observe::DeliveredPacket& record);
  /// True where it was the last of a message that is lost now: its source is to be told.
  bool dropped(const Packet& packet, Cycle now);

  std::uint64_t messages_born() const { return born_; }
  std::uint64_t messages_flits() const { return born_flits_; }
  /// Flits of acknowledgements and duplicates that sinks took in the cycles [from, to): of one that came
  /// across an edge the even share.
  std::uint64_t other_flits_in_window() const { return other_flits_; }
  void count_window(Cycle from, Cycle to) {
    window_from_ = from;
    window_to_ = to;
  }
  observe::PacketFates fates() const;
  /// Messages born = delivered + lost + under way, and each of the latter is kept by its sender or has a
  /// packet on its way; every sender's timers. ModelError if not.
  void check(Cycle now) const;
  /// The metrics packets_repeated, acks_sent, duplicates, given_up and packets_lost, and the table
  /// `given_up`.
  void add_to(observe::Results& results) const;

 private:
  /// A message that is not delivered.
  struct Message {
    std::uint32_t serial = 0;  ///< among all of its source
    Cycle created = 0;
    std::uint32_t packets = 0;  ///< on their way
    bool given_up = false;
  };
  struct PairCount {
    std::uint64_t given_up = 0, lost = 0;
  };
  using Key = std::pair<NodeId, traffic::RetryKey>;

  static Key key_of(const Packet& packet) { return {packet.source, {packet.destination, packet.order}}; }
  void lose(std::map<Key, Message>::iterator place, Cycle now);
  void count_other(const observe::DeliveredPacket& record);
  bool end_one(const Packet& packet, Cycle now);

  const traffic::RetryConfig config_;
  observe::LoadMeasurement* const measurement_;
  std::vector<traffic::RetrySource*> sources_;
  std::vector<std::uint32_t> serials_;
  std::map<Key, Message> messages_;
  std::map<std::pair<NodeId, NodeId>, PairCount> given_up_of_pair_;
  Cycle window_from_ = 0, window_to_ = 0;
  std::uint64_t born_ = 0, born_flits_ = 0, delivered_ = 0, lost_ = 0;
  std::uint64_t repeated_ = 0, acks_sent_ = 0, duplicates_ = 0, given_up_ = 0, other_flits_ = 0;
};

}  // namespace tsuji::fabric
