// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tsuji/mpi/message.h"
#include "tsuji/mpi/transport.h"

namespace tsuji::mpi {

/// Another rank has ended its run, for a reason that this rank does not share.
class RankLeft final : public std::runtime_error {
 public:
  RankLeft(unsigned rank, int exit_status, const std::string& text)
      : runtime_error("rank " + std::to_string(rank) + ": " + text), exit_status_(exit_status) {}
  /// Exit status of the other rank.
  int exit_status() const { return exit_status_; }

 private:
  int exit_status_;
};

/// The processes of an MPI job that simulate one machine together.
///
/// Contract: all ranks call exchange(), and the functions made of it, the same number of times in the same
/// order: each decides from values that all of them have. A rank that cannot continue calls leave() instead,
/// and the next exchange() of all others throws RankLeft. leave() is the last call of every rank.
class Ranks {
 public:
  /// The ranks of the launcher that has started this process (mpirun, or srun with PMIx or PMI-2); null
  /// without a launcher, or with a single rank, where MPI_Init is not called either. ConfigError if this
  /// build has no MPI.
  static std::unique_ptr<Ranks> join();
  /// True for a process of a launcher with several ranks.
  static bool launched();
  /// Number of this process according to the launcher, without MPI: 0 without a launcher.
  static unsigned launched_as();

  explicit Ranks(std::unique_ptr<Transport> transport);

  /// Number of this rank.
  unsigned own() const { return transport_->own(); }
  /// Number of ranks.
  unsigned count() const { return transport_->count(); }
  /// True for the rank that writes all files and messages.
  bool writes() const { return own() == 0; }

  /// Messages for all ranks, empty, for the next exchange(). The element of this rank is not sent.
  std::vector<Bytes>& begin();
  /// Sends the messages of begin(), and returns those of all other ranks.
  const std::vector<Bytes>& exchange();
  /// Reader of the message of a rank that exchange() has returned; of this rank: of an empty one.
  Reader read(unsigned rank) const;
  /// Sends one message to all other ranks. Returns readers of those of all ranks, with this one's, which are
  /// valid until the next exchange() and as long as `own`.
  std::vector<Reader> gather(const Bytes& own);
  /// Cuts a graph into a part for each rank (Transport::cut), by rank 0, so that the parts are those of one
  /// library. Returns the part of each vertex; empty: there is no cut in which every rank has one.
  std::vector<std::uint16_t> cut(const CutGraph& graph);
  /// Sum of a value over all ranks.
  std::uint64_t sum(std::uint64_t value);
  /// Sum of the counts of all ranks by `operator+=`, in their order.
  template <class Counts>
  Counts sum_of(const Counts& own_counts) {
    Bytes message;
    put(message, own_counts);
    Counts all{};
    for (Reader& of_rank : gather(message)) all += of_rank.get<Counts>();
    return all;
  }
  /// Sum over all ranks of each value of a list, which has one length on all of them.
  std::vector<std::uint64_t> sum_each(const std::vector<std::uint64_t>& own_values);
  /// Least value of all ranks.
  std::uint64_t least(std::uint64_t value);
  /// Greatest value of all ranks.
  std::uint64_t greatest(std::uint64_t value);

  /// `received` returns the signal that this process has received; 0: none.
  void watch_signals(std::function<int()> received) { received_ = std::move(received); }
  /// First signal that any rank had received at an exchange(); 0: none. Equal on all ranks.
  int signal() const { return signal_; }

  /// How a run ended on a rank.
  struct End {
    int exit_status = 0;
    /// The rank ended because another one had left (RankLeft).
    bool for_another = false;
    std::string text;  ///< messages of the rank
  };
  /// Waits until all ranks have ended their run, and ends MPI. Returns the ends of all ranks.
  std::vector<End> leave(const End& own);

 private:
  struct Header {
    std::int32_t left;  ///< not 0: an End follows
    std::int32_t signal;
  };
  template <class Combine>
  std::uint64_t combine(std::uint64_t value, const Combine& combine);
  void take(unsigned rank);

  const std::unique_ptr<Transport> transport_;
  std::vector<Bytes> to_, from_;
  std::vector<End> ends_;
  std::vector<bool> has_left_;
  std::function<int()> received_;
  int signal_ = 0;
  int newest_signal_ = 0;  ///< of the present exchange
};

}  // namespace tsuji::mpi
