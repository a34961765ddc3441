// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/core/end.h"
#include "tsuji/core/units.h"

namespace tsuji {

/// Destination of a packet: one node, several nodes, or the barrier hardware of the switches.
enum class PacketKind : std::uint8_t { single_cast, multicast, synchronization };

/// Class of a packet in a flit network. normal: follows the routing's usual channels. recovery: left them
/// after a deadlock or livelock, and uses the recovery channels to its destination. control: message between
/// routers.
enum class PacketClass : std::uint8_t { normal, recovery, control };

/// Result of matching an arrived packet with its message, in networks with end-to-end retry
/// (traffic/retry_state.h). first: first packet of its message. duplicate: retransmission of a packet that
/// arrived before. acknowledgement: acknowledges a packet of the opposite direction.
enum class PacketArrival : std::uint8_t { first, duplicate, acknowledgement };

/// Source number in the upper 32 bits, serial number at the source in the lower 32. Unique in a run, and
/// independent of the order in which modules run.
using PacketId = std::uint64_t;
/// Identity of packet number `serial` of a source.
constexpr PacketId packet_id(End source, std::uint32_t serial) {
  return (static_cast<PacketId>(source.number()) << 32) | serial;
}
/// Source of the packet with this identity.
constexpr End packet_source(PacketId id) {
  return static_cast<std::uint32_t>(id >> 32);
}
/// "node.serial", or "rROUTER.serial" for a packet that originated at a router.
std::string packet_name(PacketId id);
constexpr std::size_t longest_packet_name = End::longest_name + 11;  ///< Characters of the longest name.
/// Writes packet_name(), at most `longest_packet_name` characters. Returns the position after the last one.
char* put_name(char* at, PacketId id);

/// Error on one flit in flight, before the receiver's check: `flip` is XORed onto the 28 bits (24 data, 1
/// parity, 3 position; core/flit.h), or the flit is lost.
struct FlitError {
  std::uint16_t flit = 0;  ///< Index of the flit, from 0 for the port flit.
  bool lost = false;       ///< The flit is lost; `flip` is then ignored.
  std::uint32_t flip = 0;  ///< Bits to invert.
};

/// Representation of a packet as 28-bit flits, and the errors on them (core/flit.h); Cenju-4 channels only.
struct FlitSpelling {
  static constexpr unsigned max_errors = 4;  ///< Largest number of errors on one packet.

  /// Flits between port flit and payload; 0: as many as the header words need.
  std::uint8_t header_flits = 0;
  std::uint8_t word_flits = 0;   ///< flits per 8 bytes of payload; 0: as many as a word's bits need
  std::uint8_t error_count = 0;  ///< Number of valid elements of `errors`.
  /// Errors on the packet's flits; the first `error_count` are valid.
  std::array<FlitError, max_errors> errors{};
};

class PacketPool;

/// A packet with its real payload. The branches of a multicast share it, so it is immutable once in the
/// network, except for `hops`, `packet_class` and `decision` in a flit network. Port bits, which change from
/// hop to hop, are in PacketTransfer.
struct Packet {
  static constexpr unsigned max_payload_bytes = 256;  ///< Largest payload in bytes.

  /// The packet's bytes, which the pool stores apart from the fields that routers read.
  class Payload {
   public:
    /// First byte; null for a packet of make_bare().
    std::byte* data() { return bytes_; }
    /// First byte; null for a packet of make_bare().
    const std::byte* data() const { return bytes_; }

   private:
    friend class PacketPool;
    std::byte* bytes_ = nullptr;
  };

  Packet() : acknowledges(false), marked(false) {}  ///< Without flags, which are bit-fields.

  PacketId id = 0;                  ///< Identity in the run.
  End source;                       ///< Node or router that sent it.
  End destination;                  ///< destination node or router, of a single cast only
  std::uint16_t flits = 0;          ///< length in flits: port flit, header and body
  std::uint16_t hops = 0;           ///< routers that the head has passed (flit networks, single cast)
  std::uint16_t payload_bytes = 0;  ///< a multiple of 4; the flits carry whole 8-byte words
  PacketKind kind = PacketKind::single_cast;  ///< One node, several nodes, or a synchronization.
  PacketClass packet_class =
      PacketClass::normal;  ///< class of the packet in flit networks: normal, recovery, control
  Cycle created = 0;        ///< cycle of generation of the packet or its parcel
  /// Cycle in which the head is on the source's output wires; flit networks: the cycle before.
  Cycle injected = 0;
  std::uint32_t group = 0;  ///< multicast: nodes 64 group .. 64 group + 63; single cast: used by LinkBridge
  /// synchronization identifier, 0..127; flit networks: class of messages (core/message_class.h)
  std::uint8_t sid = 0;
  /// With retry (traffic/retry_state.h): acknowledges packet `order` of the opposite direction. With
  /// congestion control (traffic/congestion_kinds.h): acknowledges any packet of the opposite direction.
  bool acknowledges : 1;
  /// With congestion control: a router has marked the packet, or the packet that it acknowledges.
  bool marked : 1;
  std::uint16_t decision = 0;  ///< flit networks: note of the routing algorithm (routing::RouteDecisions)
  /// Sequence number from this source to this destination, for networks in which packets overtake.
  std::uint32_t order = 0;
  /// In recovery: generation of the routing tables that it follows (flit networks).
  std::uint32_t tables = 0;

 private:
  friend class PacketPool;
  friend class PacketRef;
  std::uint32_t references_ = 0;
  std::uint32_t index_ = 0;
  PacketPool* pool_ = nullptr;

 public:
  std::uint32_t oldest = 0;  ///< with retry: lowest `order` that its source still has outstanding
  FlitSpelling spelling;     ///< Flits and errors on a Cenju-4 channel.
  std::uint64_t map = 0;     ///< multicast, synchronization: one bit for each node of `group`
  /// The two header words after the map; the NIC defines their meaning.
  std::array<std::uint64_t, 2> header{};
  /// Room for max_payload_bytes, uninitialized beyond payload_bytes. A packet of make_bare() has none.
  Payload payload;
};

/// Index of a packet in the pool; flits refer to their packet by it.
using PacketIndex = std::uint32_t;

/// Counted reference to a pooled packet; the last one returns the packet to the pool. Not thread-safe.
class PacketRef {
 public:
  PacketRef() = default;
  /// A further reference to the packet.
  PacketRef(const PacketRef& other) : packet_(other.packet_) {
    if (packet_ != nullptr) ++packet_->references_;
  }
  /// Moves the reference; `other` becomes empty.
  PacketRef(PacketRef&& other) noexcept : packet_(std::exchange(other.packet_, nullptr)) {}
  /// Replaces the reference, and releases the packet that it named.
  PacketRef& operator=(PacketRef other) noexcept {
    std::swap(packet_, other.packet_);
    return *this;
  }
  /// Releases the packet.
  ~PacketRef() { release(); }

  /// The packet; the reference must not be empty.
  const Packet& operator*() const { return *packet_; }
  /// Access to the packet; the reference must not be empty.
  const Packet* operator->() const { return packet_; }
  /// True if it refers to a packet.
  explicit operator bool() const { return packet_ != nullptr; }
  /// Releases the packet and becomes empty.
  void reset() {
    release();
    packet_ = nullptr;
  }
  /// Write access for the builder of the packet, before it is sent.
  Packet& edit() { return *packet_; }
  /// Converts this reference into one that the packet's flits hold; PacketPool::attach() converts it back.
  PacketIndex detach() { return std::exchange(packet_, nullptr)->index_; }

 private:
  friend class PacketPool;
  explicit PacketRef(Packet* packet) : packet_(packet) { ++packet_->references_; }
  inline void release();
  Packet* packet_ = nullptr;
};

/// Memory of packets: chunks that grow to the largest number of packets in flight and are reused. The pool
/// outlives every PacketRef into it.
///
/// Threads that run parts of one network have a pool each, and all of these pools find the packets of all
/// others by index. A packet that one thread makes and another one ends joins the free packets of the latter.
class PacketPool {
 public:
  /// An empty pool.
  PacketPool();
  /// A further pool for the packets of `other`, to be used by another thread.
  explicit PacketPool(PacketPool* other);
  PacketPool(const PacketPool&) = delete;
  PacketPool& operator=(const PacketPool&) = delete;
  /// All references into the pool must have been released.
  ~PacketPool();

  /// Returns a packet with default fields and an uninitialized payload.
  PacketRef make();
  /// Returns a packet without payload memory, for synthetic traffic: a third of the memory.
  PacketRef make_bare();
  /// Returns a copy with a separate identity, for a fault injector to modify.
  PacketRef clone(const Packet& packet);
  /// Packets in use, made by any of the pools. Not to be called while several threads run.
  std::size_t in_use() const;
  /// The packet at `index`, to which a flit refers.
  Packet& at(PacketIndex index) { return packet(index); }
  /// The packet at `index`, to which a flit refers.
  const Packet& at(PacketIndex index) const { return packet(index); }
  /// Packet after the one at `index` in a queue that packets form by themselves (network/dense); the queue
  /// sets it.
  PacketIndex& after(PacketIndex index) { return chunk_of(index).after[index % chunk_packets]; }
  /// Adds a reference, for flits that may remain when the other flits of the packet have reached its
  /// destination.
  void hold(PacketIndex index) { ++at(index).references_; }
  /// Returns the reference that detach() or hold() left with the packet's flits.
  PacketRef attach(PacketIndex index) {
    PacketRef reference;
    reference.packet_ = &at(index);
    reference.packet_->pool_ = this;
    return reference;
  }

 private:
  friend class PacketRef;
  static constexpr std::size_t chunk_packets = 64;
  struct Chunk {
    std::array<Packet, chunk_packets> packets;
    std::array<PacketIndex, chunk_packets> after;  ///< PacketPool::after()
    std::unique_ptr<std::byte[]> payloads;  ///< allocated when the first packet of the chunk needs a payload
  };
  /// The chunks of all pools that share them.
  struct Store;

  Chunk& chunk_of(PacketIndex index) const {
    // Another thread may have made the directory in this window.
    return *directory_->load(std::memory_order_acquire)[index / chunk_packets];
  }
  Packet& packet(PacketIndex index) const { return chunk_of(index).packets[index % chunk_packets]; }
  void give_back(Packet* packet) {
    free_.push_back(packet);
    --in_use_;
    if (free_.size() == most_free_) share_free();
  }
  Packet* take();
  void take_shared();
  void share_free();

  std::shared_ptr<Store> store_;
  /// Chunks by number, in `store_`. A larger directory replaces a full one, which remains for threads that
  /// have read its address.
  const std::atomic<Chunk**>* directory_;
  std::vector<Packet*> free_;
  std::size_t in_use_ = 0;  ///< packets allocated minus packets released by this pool, modulo 2^64
  std::size_t most_free_;   ///< a pool with others keeps fewer free packets, the others' share
};

inline void PacketRef::release() {
  if (packet_ != nullptr && --packet_->references_ == 0) packet_->pool_->give_back(packet_);
}

}  // namespace tsuji
