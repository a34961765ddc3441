// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/core/end.h"
#include "tsuji/core/units.h"

namespace tsuji {

enum class PacketKind : std::uint8_t { single_cast, multicast, synchronization };

/// Standing of a packet with the routing of a flit network. recovery: it has left its routing's usual
/// channels after a deadlock or a livelock, and is taken to its destination by others; control: routers tell
/// each other something.
enum class PacketClass : std::uint8_t { normal, recovery, control };

/// Standing of a packet that has arrived. duplicate: another packet of its message came before;
/// acknowledgement: of a packet that came the other way (both of networks with end-to-end retry,
/// traffic/retry_state.h).
enum class PacketArrival : std::uint8_t { first, duplicate, acknowledgement };

/// Number of the source in the upper 32 bits, its serial number in the lower: unique in a run, and the same
/// whatever the order in which modules run.
using PacketId = std::uint64_t;
constexpr PacketId packet_id(End source, std::uint32_t serial) {
  return (static_cast<PacketId>(source.number()) << 32) | serial;
}
constexpr End packet_source(PacketId id) {
  return static_cast<std::uint32_t>(id >> 32);
}
/// "node.serial", or "rROUTER.serial" of a packet that was born at a router.
std::string packet_name(PacketId id);

/// One flit changed on its way, before the receiver's check: `flip` is xored onto the 28 bits (24 data, 1
/// parity, 3 position; see core/flit.h), or the flit is lost altogether.
struct FlitError {
  std::uint16_t flit = 0;
  bool lost = false;
  std::uint32_t flip = 0;
};

/// A packet as 28-bit flits, and what happened to them (core/flit.h): Cenju-4's channels alone.
struct FlitSpelling {
  static constexpr unsigned max_errors = 4;

  std::uint8_t header_flits = 0;  ///< between port flit and payload; 0: as many as the header's words take
  std::uint8_t word_flits = 0;    ///< of 8 bytes of payload; 0: as many as a word's bits take
  std::uint8_t error_count = 0;
  std::array<FlitError, max_errors> errors{};
};

class PacketPool;

/// A packet with its real bytes. Immutable once it is in the network, but for `hops`, `packet_class` and
/// `decision` of a flit network: the branches of a multicast share it.
/// Port bits, which differ from hop to hop, travel in PacketTransfer.
struct Packet {
  static constexpr unsigned max_payload_bytes = 256;

  /// The packet's bytes, which the pool keeps apart from what routers look at.
  class Payload {
   public:
    std::byte* data() { return bytes_; }
    const std::byte* data() const { return bytes_; }

   private:
    friend class PacketPool;
    std::byte* bytes_ = nullptr;
  };

  PacketId id = 0;
  End source;
  End destination;                  ///< single cast only
  std::uint16_t flits = 0;          ///< port flit, header and body
  std::uint16_t hops = 0;           ///< routers that the head of a single cast has passed (flit networks)
  std::uint16_t payload_bytes = 0;  ///< a multiple of 4; flits come for whole words of 8
  PacketKind kind = PacketKind::single_cast;
  PacketClass packet_class = PacketClass::normal;  ///< flit networks
  Cycle created = 0;                               ///< generation: the parcel's or packet's birth
  Cycle injected = 0;       ///< head on the source's output wires; flit networks: the cycle before
  std::uint32_t group = 0;  ///< multicast: nodes 64 group .. 64 group + 63; single cast: LinkBridge
  std::uint8_t sid = 0;     ///< synchronization identifier, 0..127
  bool acknowledges =
      false;  ///< with retry (traffic/retry_state.h): `order` is of a packet that came the other way
  std::uint16_t decision = 0;  ///< flit networks: the routing's own (routing::RouteDecisions)
  std::uint32_t order = 0;  ///< among its source's to its destination, for networks in which packets overtake
  std::uint32_t tables = 0;  ///< in recovery: generation of the routing by which it recovers (flit networks)

 private:
  friend class PacketPool;
  friend class PacketRef;
  std::uint32_t references_ = 0;
  std::uint32_t index_ = 0;
  PacketPool* pool_ = nullptr;

 public:
  std::uint32_t oldest = 0;  ///< with retry: the least `order` that its source has not done with
  FlitSpelling spelling;
  std::uint64_t map = 0;                  ///< multicast, synchronization: one bit a node of `group`
  std::array<std::uint64_t, 2> header{};  ///< the two header words behind the map; meaning is the NIC's
  Payload payload;  ///< max_payload_bytes, not cleared: only payload_bytes of them are meant; none in a bare
                    ///< packet
};

/// A packet as its flits name it: its place in the pool.
using PacketIndex = std::uint32_t;

/// A counted reference to a pooled packet; the last one returns it. Not for use from several threads.
class PacketRef {
 public:
  PacketRef() = default;
  PacketRef(const PacketRef& other) : packet_(other.packet_) {
    if (packet_ != nullptr) ++packet_->references_;
  }
  PacketRef(PacketRef&& other) noexcept : packet_(std::exchange(other.packet_, nullptr)) {}
  PacketRef& operator=(PacketRef other) noexcept {
    std::swap(packet_, other.packet_);
    return *this;
  }
  ~PacketRef() { release(); }

  const Packet& operator*() const { return *packet_; }
  const Packet* operator->() const { return packet_; }
  explicit operator bool() const { return packet_ != nullptr; }
  void reset() {
    release();
    packet_ = nullptr;
  }
  /// Write access for the one who builds the packet, before it is sent.
  Packet& edit() { return *packet_; }
  /// Hands the reference over to the packet's flits; PacketPool::attach takes it back.
  PacketIndex detach() { return std::exchange(packet_, nullptr)->index_; }

 private:
  friend class PacketPool;
  explicit PacketRef(Packet* packet) : packet_(packet) { ++packet_->references_; }
  inline void release();
  Packet* packet_ = nullptr;
};

/// Where packets live: chunks that grow to the largest number in flight and are then reused. Outlives every
/// PacketRef into it.
class PacketPool {
 public:
  PacketPool() = default;
  PacketPool(const PacketPool&) = delete;
  PacketPool& operator=(const PacketPool&) = delete;

  /// A packet with fields at their defaults and an unspecified payload.
  PacketRef make();
  /// A packet without room for a payload, for synthetic traffic: a third of the memory.
  PacketRef make_bare();
  /// A copy with an identity of its own, for a fault injector to change.
  PacketRef clone(const Packet& packet);
  std::size_t in_use() const { return in_use_; }
  /// The packet that a flit belongs to.
  Packet& at(PacketIndex index) { return chunks_[index / chunk_packets]->packets[index % chunk_packets]; }
  const Packet& at(PacketIndex index) const {
    return chunks_[index / chunk_packets]->packets[index % chunk_packets];
  }
  /// One more reference, for flits that may be there when the packet's others have come to its end.
  void hold(PacketIndex index) { ++at(index).references_; }
  /// Takes over the reference that was handed to the packet's flits, or that of hold().
  PacketRef attach(PacketIndex index) {
    PacketRef reference;
    reference.packet_ = &at(index);
    return reference;
  }

 private:
  friend class PacketRef;
  void give_back(Packet* packet) {
    free_.push_back(packet);
    --in_use_;
  }
  Packet* take();

  static constexpr std::size_t chunk_packets = 64;
  struct Chunk {
    std::array<Packet, chunk_packets> packets;
    std::unique_ptr<std::byte[]> payloads;  ///< made when the first packet of the chunk needs one
  };
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<Packet*> free_;
  std::size_t in_use_ = 0;
};

inline void PacketRef::release() {
  if (packet_ != nullptr && --packet_->references_ == 0) packet_->pool_->give_back(packet_);
}

}  // namespace tsuji
