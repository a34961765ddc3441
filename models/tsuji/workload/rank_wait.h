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
  std::optional<std::uint32_t> peer;  ///< none: a receive takes a message from any rank
  std::optional<std::int32_t> tag;    ///< none: any
  std::uint64_t bytes = 0;
  bool collective = false;  ///< of a collective, not of the program itself
  const char* state = "";   ///< "waits for its data"
};

/// A message that has come and that no receive has taken.
struct UnreceivedMessage {
  std::uint32_t source = 0;
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;
};

/// A message between ranks of which a packet was lost for good.
struct LostMessage {
  std::uint32_t source = 0, destination = 0;
  std::int32_t tag = 0;
  bool collective = false;  ///< of a collective, whose number is the tag
  std::uint64_t bytes = 0;
  const char* part =
      "";  ///< lost part of a message in several: "its announcement"; empty: the message itself
  std::uint64_t cycle = 0;  ///< in which its first packet was lost
  std::string cause;        ///< of that one
};

/// Where a rank stands, on whatever machine it runs.
struct RankState {
  std::uint32_t rank = 0;
  bool finished = false;
  std::string doing;                  ///< "operation 17: recv 4 2 40960"
  bool in_collective = false;         ///< waits inside collective number `collectives`
  std::uint64_t collectives = 0;      ///< collectives entered
  std::vector<OpenRequest> requests;  ///< in the order in which they were asked for
  std::vector<UnreceivedMessage> unreceived;
};

/// The ranks that have not finished, each with its requests, and a cycle of ranks that wait for each other if
/// there is one. A rank waits for the peers of its open requests, and inside a collective for the ranks that
/// have not entered it.
std::string rank_wait_report(const std::vector<RankState>& ranks);
/// A line for each of the first messages, the others counted; empty where none was lost.
std::string lost_messages_report(const std::vector<LostMessage>& messages);

}  // namespace tsuji::workload
