// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/network_ranks.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace tsuji::network {
namespace {

/// First values of a message. A failure's text follows, if there is one.
struct Header {
  ClockParts::State state;
  Cycle failed_at = never;
};

std::string text_of(const FirstFailure& failure) {
  try {
    failure.rethrow();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace

ClockParts::State NetworkRanks::begin(const State& own) {
  return {modules_.ranks->least(own.next), 0};
}

/// Messages for all other ranks: state, events, and what crosses to them. Returns the state of this rank,
/// with the first arrival at another one.
ClockParts::State NetworkRanks::put(Cycle last, State own, const FirstFailure& failure) {
  mpi::Bytes events;
  if (dense::RankHeads* const heads = modules_.dense->rank_heads()) heads->put(events);
  modules_.rank_events.put(events);
  std::vector<mpi::Bytes>& messages = modules_.ranks->begin();
  const auto of_others = [&](const auto& visit) {
    for (unsigned rank = 0; rank < messages.size(); ++rank)
      if (rank != modules_.ranks->own()) visit(rank, messages[rank]);
  };
  const std::size_t place = messages.front().size();
  of_others([&](unsigned rank, mpi::Bytes& message) {
    mpi::put(message, Header{});
    if (failure) mpi::put_text(message, text_of(failure));
    message.insert(message.end(), events.begin(), events.end());
    own.next = std::min(own.next, modules_.dense->put_crossing(rank, last, message));
  });
  const Header header{own, failure ? failure.cycle() : never};
  of_others([&](unsigned, mpi::Bytes& message) {
    std::memcpy(message.data() + place, static_cast<const void*>(&header), sizeof header);
  });
  return own;
}

ClockParts::State NetworkRanks::exchange(Cycle last, const State& own, FirstFailure& failure) {
  mpi::Ranks& ranks = *modules_.ranks;
  dense::RankHeads* const heads = modules_.dense->rank_heads();
  State all = put(last, own, failure);
  ranks.exchange();
  std::vector<mpi::Reader> messages;
  for (unsigned rank = 0; rank < ranks.count(); ++rank) {
    messages.push_back(ranks.read(rank));
    if (rank == ranks.own()) continue;
    mpi::Reader& message = messages.back();
    const auto header = message.get<Header>();
    if (header.failed_at != never)
      failure.keep(std::make_exception_ptr(std::runtime_error(message.get_text())), header.failed_at);
    if (heads != nullptr) heads->show(message);
    all.next = std::min(all.next, header.state.next);
    all.steps += header.state.steps;
  }
  if (heads != nullptr) heads->show_own();
  for (unsigned rank = 0; rank < ranks.count(); ++rank) {
    if (rank == ranks.own()) {
      modules_.rank_events.report_to(*this);
    } else {
      DeferredEvents::report(messages[rank], *this);
      modules_.dense->take_crossing(rank, last, messages[rank]);
    }
  }
  return all;
}

void NetworkRanks::on_born(End source, const traffic::Emission& emission, Cycle now) {
  accounts_.on_born(source, emission, now);
}

void NetworkRanks::on_delivered(const Packet& packet, Cycle head, Cycle tail) {
  accounts_.on_delivered(packet, head, tail);
  if (dense::RankHeads* const heads = modules_.dense->rank_heads()) heads->forget(packet.id);
}

}  // namespace tsuji::network
