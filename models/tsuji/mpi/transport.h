// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tsuji::mpi {

/// Content of a message. It keeps its memory when it is cleared, and an append within that memory is a copy
/// and an addition: a std::vector calls a function for each value.
class Bytes {
 public:
  std::byte* data() { return memory_.data(); }
  const std::byte* data() const { return memory_.data(); }
  std::size_t size() const { return size_; }
  void clear() { size_ = 0; }
  /// Sets the size. The values of further bytes are undefined.
  void resize(std::size_t size) {
    if (size > memory_.size()) grow(size);
    size_ = size;
  }
  void append(const void* first, std::size_t bytes) {
    const std::size_t place = size_;
    resize(size_ + bytes);
    std::memcpy(memory_.data() + place, first, bytes);
  }

 private:
  [[gnu::noinline]] void grow(std::size_t size) { memory_.resize(std::max(size, 2 * memory_.size())); }

  std::vector<std::byte> memory_;  ///< all that was ever used
  std::size_t size_ = 0;
};

/// Graph that is to be cut into a part for each rank. Edges are listed at both ends, and no edge joins a
/// vertex with itself.
struct CutGraph {
  std::vector<std::uint32_t> first;       ///< [vertex]: its first edge; at the end the number of edges
  std::vector<std::uint32_t> neighbours;  ///< [edge]: vertex at the other end
  std::vector<std::uint32_t> weights;     ///< [edge]: cost of a cut; equal at both ends
  std::vector<std::uint32_t> loads;       ///< [vertex]: share of the work
};

/// Messages between the ranks of an MPI job. Messages of one rank to another one arrive in their order. The
/// only implementation is in a separate module (mpi.cpp), which a process without a launcher never loads.
class Transport {
 public:
  virtual ~Transport() = default;
  /// Number of this rank.
  virtual unsigned own() const = 0;
  /// Number of ranks.
  virtual unsigned count() const = 0;
  /// Sends a message without waiting for its receiver. `message` stays unchanged until flush().
  virtual void send(unsigned rank, const Bytes& message) = 0;
  /// Waits for the next message of a rank.
  virtual void receive(unsigned rank, Bytes& message) = 0;
  /// Waits until all messages sent may be changed.
  virtual void flush() = 0;
  /// Cuts a graph into count() parts of about equal load with little cut. Returns the part of each vertex;
  /// empty: nothing here can do that.
  virtual std::vector<std::uint16_t> cut(const CutGraph& graph) {
    (void)graph;
    return {};
  }
  /// Ends MPI in this process. No call may follow.
  virtual void finish() = 0;
};

/// Name of the module's function that calls MPI_Init, and its type. The caller owns the result.
constexpr const char* join_function = "tsuji_mpi_join";
using JoinFunction = Transport* (*)();

}  // namespace tsuji::mpi
