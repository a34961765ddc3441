// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/packet.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

namespace tsuji {

std::string packet_name(PacketId id) {
  std::array<char, longest_packet_name> text;
  return {text.data(), put_name(text.data(), id)};
}

char* put_name(char* at, PacketId id) {
  at = packet_source(id).put_name(at);
  *at++ = '.';
  return std::to_chars(at, at + 10, static_cast<std::uint32_t>(id)).ptr;
}

struct PacketPool::Store {
  std::mutex mutex;
  std::atomic<Chunk**> directory{nullptr};
  std::vector<std::unique_ptr<Chunk*[]>> directories;  ///< each twice as large as the one before
  std::size_t places = 0;                              ///< of the newest directory
  std::vector<std::unique_ptr<Chunk>> chunks;
  std::vector<Packet*> free;  ///< packets that any of several pools may take
  std::vector<PacketPool*> pools;

  /// Adds a chunk and returns it.
  Chunk& grow() {
    if (chunks.size() == places) {
      places = std::max<std::size_t>(places * 2, 16);
      directories.emplace_back(new Chunk*[places]);
      std::copy_n(directory.load(std::memory_order_relaxed), chunks.size(), directories.back().get());
      directory.store(directories.back().get(), std::memory_order_release);
    }
    chunks.push_back(std::make_unique<Chunk>());
    directories.back()[chunks.size() - 1] = chunks.back().get();
    return *chunks.back();
  }
};

namespace {

/// Free packets that a pool with others keeps; it moves half of them to all when it has as many.
constexpr std::size_t free_packets_kept = 1024;

}  // namespace

PacketPool::PacketPool()
    : store_(std::make_shared<Store>()), directory_(&store_->directory), most_free_(~std::size_t{0}) {
  store_->pools.push_back(this);
}

PacketPool::PacketPool(PacketPool* other)
    : store_(other->store_), directory_(&store_->directory), most_free_(free_packets_kept) {
  other->most_free_ = free_packets_kept;
  if (other->free_.size() >= free_packets_kept) other->share_free();
  store_->pools.push_back(this);
}

PacketPool::~PacketPool() {
  auto& pools = store_->pools;
  pools.erase(std::find(pools.begin(), pools.end(), this));
}

std::size_t PacketPool::in_use() const {
  std::size_t sum = 0;
  for (const PacketPool* pool : store_->pools) sum += pool->in_use_;
  return sum;
}

/// Fills `free_` with packets that other pools have shared, or with those of a new chunk.
void PacketPool::take_shared() {
  const std::lock_guard<std::mutex> lock(store_->mutex);
  std::vector<Packet*>& shared = store_->free;
  if (!shared.empty()) {
    const std::size_t count = std::min(shared.size(), free_packets_kept / 2);
    free_.insert(free_.end(), shared.end() - static_cast<std::ptrdiff_t>(count), shared.end());
    shared.resize(shared.size() - count);
    return;
  }
  auto& packets = store_->grow().packets;
  free_.reserve(store_->chunks.size() * chunk_packets);
  auto index = static_cast<PacketIndex>(store_->chunks.size() * chunk_packets);
  for (auto packet = packets.rbegin(); packet != packets.rend(); ++packet) {
    packet->index_ = --index;
    free_.push_back(&*packet);
  }
}

void PacketPool::share_free() {
  const std::lock_guard<std::mutex> lock(store_->mutex);
  const std::size_t kept = free_packets_kept / 2;
  store_->free.insert(store_->free.end(), free_.begin() + static_cast<std::ptrdiff_t>(kept), free_.end());
  free_.resize(kept);
}

Packet* PacketPool::take() {
  if (free_.empty()) take_shared();
  Packet* const packet = free_.back();
  free_.pop_back();
  packet->pool_ = this;
  ++in_use_;
  return packet;
}

PacketRef PacketPool::make() {
  PacketRef reference = make_bare();
  Packet& packet = reference.edit();
  if (packet.payload.bytes_ != nullptr) return reference;
  const std::lock_guard<std::mutex> lock(store_->mutex);
  Chunk& chunk = *store_->chunks[packet.index_ / chunk_packets];
  if (!chunk.payloads) chunk.payloads.reset(new std::byte[chunk_packets * Packet::max_payload_bytes]);
  packet.payload.bytes_ = chunk.payloads.get() + packet.index_ % chunk_packets * Packet::max_payload_bytes;
  return reference;
}

PacketRef PacketPool::make_bare() {
  Packet* packet = take();
  packet->id = 0;
  packet->created = packet->injected = 0;
  packet->map = 0;
  packet->header = {};
  packet->source = packet->destination = {};
  packet->group = 0;
  packet->kind = PacketKind::single_cast;
  packet->packet_class = PacketClass::normal;
  packet->sid = 0;
  packet->flits = packet->payload_bytes = packet->hops = 0;
  packet->order = packet->oldest = 0;
  packet->decision = 0;
  packet->acknowledges = packet->marked = false;
  FlitSpelling& spelling = packet->spelling;
  spelling.header_flits = spelling.word_flits = spelling.error_count = 0;
  return PacketRef(packet);
}

PacketRef PacketPool::clone(const Packet& from) {
  PacketRef copy = make();
  Packet& to = copy.edit();
  to.id = from.id;
  to.created = from.created;
  to.injected = from.injected;
  to.map = from.map;
  to.header = from.header;
  to.source = from.source;
  to.destination = from.destination;
  to.group = from.group;
  to.kind = from.kind;
  to.packet_class = from.packet_class;
  to.sid = from.sid;
  to.spelling = from.spelling;
  to.flits = from.flits;
  to.payload_bytes = from.payload_bytes;
  to.hops = from.hops;
  to.decision = from.decision;
  to.order = from.order;
  to.oldest = from.oldest;
  to.acknowledges = from.acknowledges;
  to.marked = from.marked;
  to.tables = from.tables;
  std::copy_n(from.payload.data(), from.payload_bytes, to.payload.data());
  return copy;
}

}  // namespace tsuji
