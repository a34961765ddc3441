// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace tsuji::mpi {

using Bytes = std::vector<std::byte>;  ///< Content of a message.

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
  /// Ends MPI in this process. No call may follow.
  virtual void finish() = 0;
};

/// Name of the module's function that calls MPI_Init, and its type. The caller owns the result.
constexpr const char* join_function = "tsuji_mpi_join";
using JoinFunction = Transport* (*)();

}  // namespace tsuji::mpi
