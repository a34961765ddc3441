// SPDX-License-Identifier: Apache-2.0
#include "tsuji/lookup/lookup_port.h"

#include <algorithm>

namespace tsuji::lookup {

LookupPort::LookupPort(const LookupTiming& timing, unsigned vcs) : timing_(timing), held_(vcs) {}

LookupPort::Item* LookupPort::oldest(Stage stage) {
  const auto item =
      std::find_if(items_.begin(), items_.end(), [stage](const Item& one) { return one.stage == stage; });
  return item == items_.end() ? nullptr : &*item;
}

void LookupPort::ask(Cycle asked, const routing::RouteQuery& query, std::uint32_t ticket) {
  items_.emplace_back();
  items_.back().query = query;
  items_.back().ticket = ticket;
  items_.back().at = asked;
}

void LookupPort::cancel(std::uint32_t ticket) {
  for (Item& item : items_) item.cancelled |= item.ticket == ticket;
}

void LookupPort::flush() {
  const auto last = std::find_if(items_.rbegin(), items_.rend(), [](const Item& item) {
    return item.stage == Stage::asked || item.stage == Stage::hashed;
  });
  ++(last == items_.rend() ? flushes_ : last->flushes_behind);
}

const routing::RouteQuery* LookupPort::hashed_in(Cycle cycle) const {
  const Item* const item = oldest(Stage::asked);
  return item != nullptr && item->at <= cycle ? &item->query : nullptr;
}

LookupPort::Drive LookupPort::step(Cycle now, const Seen& seen, std::vector<Answer>& answers) {
  Drive drive;
  hash(now);
  note_read(now, seen, drive);
  end_flush(now);
  take_answer(seen, drive);
  take_return(seen, drive);
  issue(now + 1, drive);
  deliver(answers);
  if (drive.looks) clocked_until_ = now + 1 + timing_.cache_cycles;
  if (drive.fills) clocked_until_ = std::max(clocked_until_, now + 2);
  lowers_ = clocked_until_ > now;
  return drive;
}

/// Hashes one destination per cycle; further requests of a cycle would wait equally long for the cache.
void LookupPort::hash(Cycle now) {
  Item* const item = oldest(Stage::asked);
  if (item == nullptr || item->at > now) return;
  item->stage = Stage::hashed;
  item->at = now + timing_.hash_cycles;
}

void LookupPort::note_read(Cycle now, const Seen& seen, Drive& drive) {
  for (Item& item : items_) {
    if (item.stage != Stage::reading || item.at != now) continue;
    item.misses = !seen.found;
    drive.read = true;
    drive.read_destination = item.query.destination.node();
  }
}

/// Marks look-ups whose answers come after a flush as stale: they are not filled in.
void LookupPort::end_flush(Cycle now) {
  if (flushes_ == 0) return;
  merged_flushes_ += flushes_ - 1;
  flushes_ = 0;
  clocked_until_ = std::max(clocked_until_, now + 1);
  for (Item& item : items_) item.stale |= item.stage == Stage::reading || item.stage == Stage::missed;
}

void LookupPort::take_answer(const Seen& seen, Drive& drive) {
  if (!seen.answered) return;
  Item& item = *oldest(Stage::reading);
  item.stage = seen.hit ? Stage::known : Stage::missed;
  item.entry = seen.entry;
  if (seen.hit) return;
  drive.misses = true;
  drive.missed = item.query.destination.node();
  blocked_ = timing_.blocking;
}

void LookupPort::take_return(const Seen& seen, Drive& drive) {
  if (!seen.returned) return;
  Item& item = *oldest(Stage::missed);
  item.stage = Stage::known;
  item.entry = seen.returned_entry;
  blocked_ = false;
  if (item.stale) {
    ++stale_;
    return;
  }
  drive.fills = true;
  drive.fill_destination = item.query.destination.node();
  drive.fill_entry = item.entry;
}

void LookupPort::issue(Cycle next, Drive& drive) {
  Item* const item = oldest(Stage::hashed);
  if (item == nullptr || item->at > next || next_access_ > next || blocked_) return;
  item->stage = Stage::reading;
  item->at = next;
  next_access_ = next + timing_.cache_cycles;
  flushes_ += item->flushes_behind;
  drive.looks = true;
  drive.destination = item->query.destination.node();
}

/// Delivers known answers in the order of each virtual channel.
void LookupPort::deliver(std::vector<Answer>& answers) {
  std::fill(held_.begin(), held_.end(), std::uint8_t{0});
  const auto given = std::remove_if(items_.begin(), items_.end(), [&](const Item& item) {
    std::uint8_t& held = held_[item.query.in_vc];
    if (item.stage != Stage::known || held != 0) {
      held = 1;
      return false;
    }
    if (!item.cancelled) answers.push_back({item.query, item.ticket, item.entry});
    return true;
  });
  items_.erase(given, items_.end());
}

bool LookupPort::works_in(Cycle cycle) const {
  if (flushes_ > 0 || cycle <= clocked_until_) return true;
  return std::any_of(items_.begin(), items_.end(), [cycle](const Item& item) {
    return item.stage == Stage::hashed || (item.stage == Stage::asked && item.at <= cycle);
  });
}

LookupPort::State LookupPort::state() const {
  if (oldest(Stage::reading) != nullptr) return State::read;
  if (oldest(Stage::hashed) != nullptr) return State::hash;
  return oldest(Stage::missed) != nullptr ? State::memory : State::idle;
}

void LookupPort::add_to(LookupCounters& counters) const {
  counters.stale_answers += stale_;
  counters.cache.flushes += merged_flushes_;
  for (const Item& item : items_)
    counters.answers_pending +=
        item.stage == Stage::missed || (item.stage == Stage::reading && item.misses) ? 1 : 0;
}

}  // namespace tsuji::lookup
