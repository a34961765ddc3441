// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/shared_source.h"

#include <algorithm>
#include <utility>

namespace tsuji::traffic {
namespace {

constexpr unsigned job_shift = 59;

}  // namespace

void SharedSource::add(unsigned job, std::unique_ptr<EmissionSource> source) {
  Member& member = members_.emplace_back();
  member.job = job;
  member.listens = source->listens();
  member.source = std::move(source);
  if (!member.listens) member.has_next = member.source->next(member.upcoming);
}

/// Moves packets that are born to `due`. A packet that is not born yet waits in `upcoming`, so that the node
/// is woken for its birth and does not wait with packets of other members. Of a member that listens, one
/// packet at a time is read.
void SharedSource::take_births(Member& member) {
  if (member.listens) {
    if (!member.due.empty()) return;
    if (!member.has_next && member.source->next(member.upcoming)) {
      member.has_next = true;
      // Its source is done with it, and the network does not know it: it is counted nowhere else.
      ++packets_[member.job].sent;
    }
    if (!member.has_next || member.upcoming.created > now_) return;
    member.due.push_back(member.upcoming);
    member.has_next = false;
    return;
  }
  for (; member.has_next && member.upcoming.created <= now_;
       member.has_next = member.source->next(member.upcoming))
    member.due.push_back(member.upcoming);
}

bool SharedSource::next(Emission& emission) {
  Member* first = nullptr;
  for (Member& member : members_) {
    take_births(member);
    const bool is_due = !member.due.empty();
    if (is_due && (first == nullptr || member.due.front().created < first->due.front().created))
      first = &member;
  }
  if (first == nullptr) return false;
  emission = first->due.front();
  first->due.pop_front();
  emission.header[1] |= std::uint64_t{first->job} << job_shift;
  if (!first->listens) ++packets_[first->job].sent;
  return true;
}

Cycle SharedSource::lookahead_cycles() const {
  Cycle lookahead = never;
  for (const Member& member : members_) lookahead = std::min(lookahead, member.source->lookahead_cycles());
  return lookahead;
}

SharedSource::Member* SharedSource::member_of(const Packet& packet) {
  const auto job = static_cast<unsigned>(packet.header[1] >> job_shift) % most_jobs;
  const auto at = std::find_if(members_.begin(), members_.end(),
                               [job](const Member& member) { return member.job == job; });
  return at == members_.end() ? nullptr : &*at;
}

void SharedSource::arrived(Cycle now, const Packet& packet) {
  JobPackets& packets = packets_[static_cast<unsigned>(packet.header[1] >> job_shift) % most_jobs];
  ++packets.arrived;
  packets.flits += packet.flits;
  packets.latency += now - packet.created;
  if (Member* member = member_of(packet); member != nullptr && member->listens)
    member->source->arrived(now, packet);
}

void SharedSource::departed(Cycle now, const Packet& packet) {
  if (Member* member = member_of(packet); member != nullptr && member->listens)
    member->source->departed(now, packet);
}

void SharedSource::dropped(Cycle now, const Packet& packet, const char* cause) {
  ++packets_[static_cast<unsigned>(packet.header[1] >> job_shift) % most_jobs].dropped;
  if (Member* member = member_of(packet); member != nullptr && member->listens)
    member->source->dropped(now, packet, cause);
}

void SharedSource::bind(Clocked& node) {
  for (Member& member : members_) member.source->bind(node);
}

Cycle SharedSource::next_event() const {
  Cycle event = never;
  for (const Member& member : members_) {
    if (member.listens) event = std::min(event, member.source->next_event());
    if (member.has_next) event = std::min(event, member.upcoming.created);
  }
  return event;
}

void SharedSource::advance(Cycle now) {
  now_ = now;
  for (Member& member : members_) {
    if (member.listens && member.source->next_event() <= now) member.source->advance(now);
    if (!member.listens) take_births(member);
  }
}

bool MappedSource::next(Emission& emission) {
  if (!source_->next(emission)) return false;
  emission.destination = node_of_[emission.destination.node()];
  return true;
}

}  // namespace tsuji::traffic
