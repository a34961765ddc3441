// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/network_ranks.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace tsuji::network {
namespace {

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
  if (!modules_.dense) cut_channels();
  return {modules_.ranks->least(own.next), 0};
}

/// Rank of the module at an end of a channel.
unsigned NetworkRanks::rank_of(const graph::PortRef& port, const std::optional<End>& node) {
  const ClockDomain& domain = *modules_.domain;
  return node ? domain.share_of(*modules_.node_at(*node))
              : domain.share_of(modules_.network->module(port.router));
}

void NetworkRanks::cut_channels() {
  modules_.rank_channels =
      std::make_unique<RankChannels>(modules_.pool, modules_.arena, modules_.ranks->count());
  const unsigned own = modules_.ranks->own();
  for (const VcNetwork::ChannelPlace& place : modules_.network->channels()) {
    const unsigned from = rank_of(place.from, place.from_node), to = rank_of(place.to, place.to_node);
    if (from == to) continue;
    if (from == own) modules_.rank_channels->add_sender(to, *place.channel);
    if (to == own) modules_.rank_channels->add_receiver(from, *place.channel);
  }
  traffic::FlitNodeEvents* events = &modules_.rank_events;
  if (modules_.rank_retry) events = modules_.rank_retry.get();
  for (const auto& node : modules_.nodes) node->state().join_lane(modules_.pool, *events);
  for (const auto& [id, node] : modules_.control)
    node->state().join_lane(modules_.pool, modules_.rank_events);
}

void NetworkRanks::put_crossing(unsigned rank, Cycle last, Header& own, mpi::Bytes& message) {
  if (modules_.dense) {
    own.state.next = std::min(own.state.next, modules_.dense->put_crossing(rank, last, message));
    return;
  }
  const RankChannels::First first = modules_.rank_channels->put(rank, message);
  own.state.next = std::min(own.state.next, first.flit);
  own.credit = std::min(own.credit, first.credit);
}

/// Messages for all other ranks: state, events, and what crosses to them. Returns the first values of this
/// rank's messages.
NetworkRanks::Header NetworkRanks::put(Cycle last, State state, const FirstFailure& failure) {
  mpi::Bytes& events = events_;
  events.clear();
  if (dense::GatheredHeads* const heads = modules_.gathered_heads()) heads->put(events);
  if (modules_.reaction != nullptr) modules_.reaction->put(events);
  if (modules_.rank_retry) modules_.rank_retry->put(events);
  modules_.rank_events.put(events);
  std::vector<mpi::Bytes>& messages = modules_.ranks->begin();
  const auto of_others = [&](const auto& visit) {
    for (unsigned rank = 0; rank < messages.size(); ++rank)
      if (rank != modules_.ranks->own()) visit(rank, messages[rank]);
  };
  const std::size_t place = messages.front().size();
  Header own{state, failure ? failure.cycle() : never, never, modules_.supervisor->acts_after()};
  of_others([&](unsigned rank, mpi::Bytes& message) {
    mpi::put(message, Header{});
    if (failure) mpi::put_text(message, text_of(failure));
    message.append(events.data(), events.size());
    put_crossing(rank, last, own, message);
  });
  of_others([&](unsigned, mpi::Bytes& message) {
    std::memcpy(message.data() + place, static_cast<const void*>(&own), sizeof own);
  });
  return own;
}

ClockParts::State NetworkRanks::exchange(Cycle last, const State& own, FirstFailure& failure) {
  mpi::Ranks& ranks = *modules_.ranks;
  dense::GatheredHeads* const heads = modules_.gathered_heads();
  const Header header_here = put(last, own, failure);
  State all = header_here.state;
  Cycle credit = header_here.credit, acts_after = header_here.acts_after;
  ranks.exchange();
  std::vector<mpi::Reader>& messages = messages_;
  messages.clear();
  for (unsigned rank = 0; rank < ranks.count(); ++rank) {
    messages.push_back(ranks.read(rank));
    if (rank == ranks.own()) continue;
    mpi::Reader& message = messages.back();
    const auto header = message.get<Header>();
    if (header.failed_at != never)
      failure.keep(std::make_exception_ptr(std::runtime_error(message.get_text())), header.failed_at);
    if (heads != nullptr) heads->show(message);
    if (modules_.reaction != nullptr) modules_.reaction->repeat(message);
    all.next = std::min(all.next, header.state.next);
    all.steps += header.state.steps;
    credit = std::min(credit, header.credit);
    acts_after = std::min(acts_after, header.acts_after);
  }
  if (heads != nullptr) heads->show_own();
  const std::uint64_t lost = modules_.retry ? modules_.retry->messages_lost() : 0;
  if (modules_.rank_retry) show_retry(messages);
  for (unsigned rank = 0; rank < ranks.count(); ++rank) {
    if (rank == ranks.own()) {
      modules_.rank_events.report_own(*this);
    } else {
      RankEvents::report(messages[rank], *this);
      if (modules_.dense) {
        modules_.dense->take_crossing(rank, last, messages[rank]);
      } else {
        modules_.rank_channels->take(rank, last, messages[rank]);
      }
    }
  }
  if (modules_.rank_retry) modules_.rank_retry->end_cycle();
  if (acts_after != never) modules_.supervisor->act_after(acts_after);
  // Only the sender of a channel knows whether it waits for a credit, and a source what it does about a loss.
  if (credit < all.next || (modules_.retry && lost != modules_.retry->messages_lost()))
    all.next = ranks.least(modules_.domain->next_wake());
  return all;
}

/// Before the deliveries of the cycle, which end messages.
void NetworkRanks::show_retry(std::vector<mpi::Reader>& messages) {
  const RankRetry::Lose lose = [this](const Packet& packet, const char* cause, Cycle now) {
    accounts_.tell_lost(packet, cause, now);
  };
  for (unsigned rank = 0; rank < messages.size(); ++rank) {
    if (rank == modules_.ranks->own()) {
      modules_.rank_retry->show_own(lose);
    } else {
      modules_.rank_retry->show(messages[rank], lose);
    }
  }
}

void NetworkRanks::on_born(End source, const traffic::Emission& emission, Cycle now) {
  traffic::FlitNodeEvents& accounts = accounts_;
  (source.is_router() ? *modules_.router_packets : accounts).on_born(source, emission, now);
}

void NetworkRanks::on_delivered(const Packet& packet, Cycle head, Cycle tail) {
  if (packet.source.is_router()) {
    modules_.router_packets->on_delivered(packet, head, tail);
  } else if (modules_.rank_retry) {
    accounts_.on_delivered_with_retry(packet, head, tail, modules_.rank_retry->next_arrival());
  } else {
    accounts_.on_delivered(packet, head, tail);
  }
  if (dense::GatheredHeads* const heads = modules_.gathered_heads()) heads->forget(packet.id);
}

}  // namespace tsuji::network
