// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tsuji::workload {

/// A send or receive that is not complete.
struct OpenRequest {
  bool receives = false;
  std::optional<std::uint32_t> peer;  ///< Empty: the receive accepts a message from any rank.
  std::optional<std::int32_t> tag;    ///< Empty: any tag.
  std::uint64_t bytes = 0;
  bool collective = false;  ///< Part of a collective instead of a request of the program.
  const char* state = "";   ///< For example "waits for its data".
};

/// A message that has arrived and that no receive has matched.
struct UnreceivedMessage {
  std::uint32_t source = 0;
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;
};

/// A message between ranks of which a packet was lost permanently.
struct LostMessage {
  std::uint32_t source = 0, destination = 0;
  std::int32_t tag = 0;
  bool collective = false;  ///< Part of a collective, whose number is `tag`.
  std::uint64_t bytes = 0;
  const char* part = "";    ///< Part that was lost, of a message sent in several parts, for example "its
                            ///< announcement"; empty: the message itself.
  std::uint64_t cycle = 0;  ///< Cycle in which its first packet was lost.
  std::string cause;        ///< Cause of the first loss.
};

/// Progress of a rank, independent of the machine that runs it.
struct RankState {
  std::uint32_t rank = 0;
  bool finished = false;
  std::string doing;                  ///< For example "operation 17: recv 4 2 40960".
  bool in_collective = false;         ///< The rank waits inside collective number `collectives`.
  std::uint64_t collectives = 0;      ///< Collectives entered.
  std::vector<OpenRequest> requests;  ///< Requests in the order in which they were started.
  std::vector<UnreceivedMessage> unreceived;
};

/// Report of the ranks that have not finished, each with its open requests, and a cycle of ranks that wait
/// for each other if there is one. A rank waits for the peers of its open requests and, inside a collective,
/// for ranks that have not entered that collective.
std::string rank_wait_report(const std::vector<RankState>& ranks);
/// Report of lost messages: a line for each of the first ones, and the number of the others; empty if no
/// message was lost.
std::string lost_messages_report(const std::vector<LostMessage>& messages);

}  // namespace tsuji::workload
