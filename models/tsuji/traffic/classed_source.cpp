// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/classed_source.h"

#include <algorithm>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/workload/random_streams.h"

namespace tsuji::traffic {

ClassedSource::ClassedSource(std::unique_ptr<EmissionSource> generated, const MessageClasses& classes,
                             std::uint64_t seed, NodeId node)
    : generated_(std::move(generated)),
      classes_(classes),
      random_(workload::traffic_random(seed, workload::RandomStream::classes, node)),
      answers_(classes.all.size()) {
  for (unsigned c = 0; c < classes.all.size(); ++c) {
    shares_ += classes.all[c].share;
    if (classes.answers(c)) answers_[c].ring.resize(classes.all[c].queue);
  }
  look_ahead();
}

unsigned ClassedSource::draw_class() {
  std::uint64_t at = random_.below(shares_);
  for (unsigned c = 0;; ++c) {
    if (at < classes_.all[c].share) return c;
    at -= classes_.all[c].share;
  }
}

void ClassedSource::look_ahead() {
  if (has_ahead_ || !generated_->next(ahead_)) return;
  has_ahead_ = true;
  const unsigned c = draw_class();
  ahead_.sid = static_cast<std::uint8_t>(c);
  if (const unsigned flits = classes_.all[c].flits; flits != 0)
    ahead_.flits = static_cast<std::uint16_t>(flits);
}

const MessageClass* ClassedSource::answer_to(const Packet& packet) const {
  const auto& answer = classes_.all.at(packet.sid).answer;
  return answer ? &classes_.all[*answer] : nullptr;
}

/// The class with the earliest answer that is not born yet; null: there is none.
ClassedSource::Answers* ClassedSource::first_due() {
  Answers* first = nullptr;
  for (Answers& one : answers_)
    if (one.count != 0 &&
        (first == nullptr || one.ring[one.first].created < first->ring[first->first].created))
      first = &one;
  return first;
}

bool ClassedSource::next(Emission& emission) {
  look_ahead();
  Answers* const answers = first_due();
  const Cycle answer_at = answers == nullptr ? never : answers->ring[answers->first].created;
  const Cycle generated_at = has_ahead_ ? ahead_.created : never;
  if (std::min(answer_at, generated_at) > now_) return false;
  if (generated_at < answer_at) {
    emission = ahead_;
    has_ahead_ = false;
    look_ahead();
    return true;
  }
  emission = answers->ring[answers->first];
  answers->first = (answers->first + 1) % answers->ring.size();
  --answers->count;
  return true;
}

void ClassedSource::begins(Cycle /*now*/, const Packet& packet) {
  if (const MessageClass* const answer = answer_to(packet))
    ++answers_[static_cast<std::size_t>(answer - classes_.all.data())].held;
}

unsigned ClassedSource::closed_classes() const {
  unsigned closed = 0;
  for (unsigned c = 0; c < classes_.all.size(); ++c) {
    const auto& answer = classes_.all[c].answer;
    if (answer && answers_[*answer].held >= classes_.all[*answer].queue) closed |= 1U << c;
  }
  return closed;
}

void ClassedSource::take(Cycle now, PacketRef packet) {
  const MessageClass* const answer = answer_to(*packet);
  if (answer == nullptr) {
    generated_->take(now, std::move(packet));
    return look_ahead();
  }
  const auto c = static_cast<std::size_t>(answer - classes_.all.data());
  Answers& answers = answers_[c];
  if (answers.count == answers.ring.size())
    throw ModelError("node " + packet->destination.name(), now, packet_name(packet->id),
                     "arrives without room for its answer");
  Emission& emission = answers.ring[(answers.first + answers.count++) % answers.ring.size()];
  emission = Emission{};
  emission.created = now + 1 + answer->delay_cycles;
  emission.flits = static_cast<std::uint16_t>(answer->flits);
  emission.destination = packet->source;
  emission.sid = static_cast<std::uint8_t>(c);
  emission.header[0] = packet->header[0] != 0 ? packet->header[0] : packet->created + 1;
}

void ClassedSource::departed(Cycle now, const Packet& packet) {
  if (classes_.answers(packet.sid)) {
    --answers_[packet.sid].held;
  } else {
    generated_->departed(now, packet);
  }
}

void ClassedSource::dropped(Cycle now, const Packet& packet, const char* cause) {
  generated_->dropped(now, packet, cause);
  look_ahead();
}

Cycle ClassedSource::next_event() const {
  Cycle next = generated_->next_event();
  if (has_ahead_) next = std::min(next, ahead_.created);
  for (const Answers& one : answers_)
    if (one.count != 0) next = std::min(next, one.ring[one.first].created);
  return next;
}

void ClassedSource::advance(Cycle now) {
  now_ = now;
  generated_->advance(now);
}

}  // namespace tsuji::traffic
