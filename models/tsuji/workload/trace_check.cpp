// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/trace_check.h"

#include <algorithm>
#include <numeric>

#include "tsuji/core/error.h"

namespace tsuji::workload {
namespace {

/// Operations of one rank that have something in common, in order, by their places in RankOps::stored().
class Selection {
 public:
  Selection() = default;
  /// `places` ascend; they outlive this.
  Selection(const RankOps& ops, const std::uint32_t* begin, const std::uint32_t* end)
      : ops_(&ops), places_(begin), stored_(static_cast<std::size_t>(end - begin)) {
    for (const Repetition& level : ops.repetitions().levels()) {
      const std::size_t first = before(own_.size(), level.first);
      const std::size_t length = before(own_.size(), level.first + level.length) - first;
      own_.push_back({first, length, length * (level.times() - 1)});
    }
    size_ = stored_;
    for (const Repetition& level : own_) size_ = level.occurrence(size_);
  }
  Selection(const RankOps& ops, const std::vector<std::uint32_t>& places)
      : Selection(ops, places.data(), places.data() + places.size()) {}

  /// With every repetition.
  std::size_t size() const { return size_; }
  const TraceOp& operator[](std::size_t at) const {
    for (auto level = own_.rbegin(); level != own_.rend(); ++level) at = level->stored(at);
    return ops_->stored()[places_[at]];
  }
  /// Number of an operation in its rank.
  std::size_t operation(std::size_t at) const { return operation(at, own_.size()); }
  /// Repeated stretches around an element, of which an outer one comes first, with indices of this list.
  std::vector<Repetition> around(std::size_t at) const {
    std::vector<Repetition> stretches;
    std::size_t shift = 0;
    for (auto level = own_.rbegin(); level != own_.rend(); ++level) {
      if (level->length != 0 && level->covers(at))
        stretches.push_back({level->first + shift, level->length, level->skipped});
      shift += at - level->stored(at);
      at = level->stored(at);
    }
    return stretches;
  }

 private:
  /// Number of own elements, with the repetitions of the first `levels` levels, before an operation that
  /// begins or ends one of the next level.
  std::size_t before(std::size_t levels, std::size_t operation) const {
    const std::vector<Repetition>& all = ops_->repetitions().levels();
    for (std::size_t level = levels; level-- > 0;) operation = all[level].stored(operation);
    std::size_t own =
        static_cast<std::size_t>(std::lower_bound(places_, places_ + stored_, operation) - places_);
    for (std::size_t level = 0; level < levels; ++level) own = own_[level].occurrence(own);
    return own;
  }
  std::size_t operation(std::size_t at, std::size_t levels) const {
    if (levels == 0) return places_[at];
    const Repetition &own = own_[levels - 1], &all = ops_->repetitions().levels()[levels - 1];
    if (own.length == 0 || !own.covers(at)) return all.occurrence(operation(own.stored(at), levels - 1));
    return operation(own.stored(at), levels - 1) + (at - own.first) / own.length * all.length;
  }

  const RankOps* ops_ = nullptr;
  const std::uint32_t* places_ = nullptr;
  std::size_t stored_ = 0, size_ = 0;
  std::vector<Repetition> own_;  ///< the parts of RankOps::repetitions(), level by level
};

/// Number of elements from `at` on that repeat what was before them, in both lists.
std::size_t repeated_at(const Selection& a, const Selection& b, std::size_t at) {
  const std::vector<Repetition> of_b = b.around(at);
  std::size_t most = 0;
  for (const Repetition& one : a.around(at)) {
    for (const Repetition& other : of_b) {
      const std::size_t period = std::lcm(one.length, other.length);
      if (at < std::max(one.first, other.first) + period) continue;
      most = std::max(most, (std::min(one.end(), other.end()) - at) / period * period);
    }
  }
  return most;
}

/// Number of the first elements of two selections that do not fit each other, or of elements that both have.
template <class Fits>
std::size_t first_misfit(const Selection& a, const Selection& b, const Fits& fits) {
  const std::size_t both = std::min(a.size(), b.size());
  for (std::size_t at = 0; at < both; ++at) {
    // Where both repeat, the first common period represents the others.
    while (const std::size_t repeated = at < both ? repeated_at(a, b, at) : 0) at += repeated;
    if (at < both && !fits(a[at], b[at])) return at;
  }
  return both;
}

bool is_send(const TraceOp& op) {
  return op.kind == TraceOpKind::send || op.kind == TraceOpKind::isend;
}

bool is_receive(const TraceOp& op) {
  return op.kind == TraceOpKind::recv || op.kind == TraceOpKind::irecv;
}

bool is_all_to_all_v(const TraceOp& op) {
  return op.kind == TraceOpKind::alltoallv;
}

using Places = std::vector<std::uint32_t>;

/// Places of a rank's operations that `wanted` takes.
template <class Wanted>
Places places_of(const RankOps& ops, const Wanted& wanted) {
  Places places;
  for (std::size_t at = 0; at < ops.stored().size(); ++at)
    if (wanted(ops.stored()[at])) places.push_back(static_cast<std::uint32_t>(at));
  return places;
}

/// Messages that a rank sends, or those that it receives, one channel (other rank and tag) after the other.
class Channels {
 public:
  Channels(const RankOps& ops, bool (*wanted)(const TraceOp&)) : ops_(&ops), places_(places_of(ops, wanted)) {
    std::sort(places_.begin(), places_.end(), [&](std::uint32_t a, std::uint32_t b) {
      const std::uint64_t one = key_of(ops.stored()[a]), other = key_of(ops.stored()[b]);
      return one != other ? one < other : a < b;
    });
    find_end();
  }

  /// False after the last channel.
  bool any() const { return begin_ < places_.size(); }
  /// Channels ascend by it.
  std::uint64_t key() const { return key_of(ops_->stored()[places_[begin_]]); }
  Selection messages() const { return {*ops_, places_.data() + begin_, places_.data() + end_}; }
  void next() {
    begin_ = end_;
    find_end();
  }
  static std::uint64_t key(std::size_t rank, std::int32_t tag) {
    return std::uint64_t{rank} << 32 | static_cast<std::uint32_t>(tag);
  }

 private:
  static std::uint64_t key_of(const TraceOp& op) { return key(op.peer, op.tag); }
  void find_end() {
    while (end_ < places_.size() && key_of(ops_->stored()[places_[end_]]) == key()) ++end_;
  }

  const RankOps* ops_;
  Places places_;
  std::size_t begin_ = 0, end_ = 0;  ///< of the channel at hand
};

/// One operation of a rank, for its text and its place.
struct Done {
  std::size_t rank, operation;
};

class RankCheck {
 public:
  explicit RankCheck(const Trace& trace) : trace_(trace) {}
  void names() const;
  void collectives() const;
  void all_to_all_counts() const;
  void messages() const;

 private:
  const TraceOp& op(const Done& done) const { return trace_.ranks[done.rank][done.operation]; }
  std::string place(const Done& done) const { return trace_.place_of(done.rank, done.operation); }
  /// "recv 0 3 100 (cg.ti:17)"
  std::string text(const Done& done) const { return text_of(op(done)) + " (" + place(done) + ")"; }
  [[noreturn]] void refuse(const Done& done, const std::string& value, const std::string& problem,
                           const std::string& accepted) const;
  void compare_collectives(const Selection& first, std::size_t rank) const;
  void compare_counts(const Selection& sender, std::size_t from, const Selection& receiver,
                      std::size_t to) const;
  void compare(const Channels& sends, std::size_t source, const Channels& receives,
               std::size_t destination) const;
  [[noreturn]] void refuse_alone(const Done& done, std::size_t ends, std::size_t other_ends) const;
  std::string other_tag(const Done& done) const;

  const Trace& trace_;
};

std::string rank_name(std::size_t rank) {
  return "rank " + std::to_string(rank);
}

void RankCheck::refuse(const Done& done, const std::string& value, const std::string& problem,
                       const std::string& accepted) const {
  if (trace_.lines.empty()) throw ConfigError(trace_.key, value, place(done) + ": " + problem, accepted);
  throw ConfigError(trace_.key, value, problem, accepted).at(place(done));
}

/// Ranks and lists that operations name are there, whatever the reader of a format has let through.
void RankCheck::names() const {
  const std::size_t ranks = trace_.size();
  if (ranks == 0) throw ConfigError(trace_.key, trace_.path, "there is no rank", "a trace of at least one");
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::vector<TraceOp>& stored = trace_.ranks[rank].stored();
    for (std::size_t at = 0; at < stored.size(); ++at) {
      const Done done{rank, trace_.ranks[rank].repetitions().occurrence(at)};
      if (stored[at].peer >= ranks)
        refuse(done, std::to_string(stored[at].peer), "there is no such rank",
               "0.." + std::to_string(ranks - 1));
      if (is_all_to_all_v(stored[at]) && stored[at].value + 2 * ranks > trace_.counts.size())
        refuse(done, std::to_string(stored[at].value), "there are no such counts",
               std::to_string(2 * ranks) + " counts for each alltoallv");
    }
  }
}

bool in_all_ranks(const TraceOp& op) {
  return is_collective(op.kind);
}

/// Rank 0 represents all others.
void RankCheck::collectives() const {
  const Places places = places_of(trace_.ranks[0], in_all_ranks);
  const Selection first(trace_.ranks[0], places);
  for (std::size_t rank = 1; rank < trace_.size(); ++rank) compare_collectives(first, rank);
}

void RankCheck::compare_collectives(const Selection& first, std::size_t rank) const {
  const Places places = places_of(trace_.ranks[rank], in_all_ranks);
  const Selection own(trace_.ranks[rank], places);
  const std::size_t at = first_misfit(first, own, [](const TraceOp& a, const TraceOp& b) {
    return a.kind == b.kind && a.peer == b.peer && (a.value == b.value || is_all_to_all_v(a));
  });
  const std::string number = " collective operation " + std::to_string(at + 1);
  const bool first_ends = at == first.size(), own_ends = at == own.size();
  if (first_ends && own_ends) return;
  if (own_ends) {
    const Done other{0, first.operation(at)};
    refuse(other, text_of(op(other)), "rank 0 has" + number + ", and " + rank_name(rank) + " has none",
           "the same collective operations in all ranks");
  }
  const Done done{rank, own.operation(at)};
  if (first_ends)
    refuse(done, text_of(op(done)), rank_name(rank) + " has" + number + ", and rank 0 has none",
           "the same collective operations in all ranks");
  const Done other{0, first.operation(at)};
  refuse(done, text_of(op(done)),
         number.substr(1) + " of " + rank_name(rank) + " is not that of rank 0, " + text(other),
         text_of(op(other)) + ", or the same change in all ranks");
}

void RankCheck::all_to_all_counts() const {
  std::vector<Places> places;
  for (const RankOps& ops : trace_.ranks) places.push_back(places_of(ops, is_all_to_all_v));
  if (places.front().empty()) return;
  const auto of = [&](std::size_t rank) { return Selection(trace_.ranks[rank], places[rank]); };
  for (std::size_t from = 0; from < trace_.size(); ++from)
    for (std::size_t to = 0; to < trace_.size(); ++to) compare_counts(of(from), from, of(to), to);
}

void RankCheck::compare_counts(const Selection& sender, std::size_t from, const Selection& receiver,
                               std::size_t to) const {
  const std::size_t at = first_misfit(sender, receiver, [&](const TraceOp& sent, const TraceOp& received) {
    return trace_.bytes_to(sent)[to] == trace_.bytes_from(received)[from];
  });
  if (at == sender.size()) return;
  const std::string sent = std::to_string(trace_.bytes_to(sender[at])[to]);
  refuse({to, receiver.operation(at)}, std::to_string(trace_.bytes_from(receiver[at])[from]),
         rank_name(to) + " receives other bytes from " + rank_name(from) + " than that sends to it in its " +
             text({from, sender.operation(at)}),
         sent + ", as " + rank_name(from) + " sends");
}

/// Sources ascend, and so do the channels of each; a destination's channels ascend by source. So both sides
/// are gone through once.
void RankCheck::messages() const {
  std::vector<Channels> receives;
  for (const RankOps& ops : trace_.ranks) receives.emplace_back(ops, is_receive);
  const auto refuse_receive = [&](std::size_t destination) {
    refuse_alone({destination, receives[destination].messages().operation(0)},
                 receives[destination].messages().size(), 0);
  };
  for (std::size_t source = 0; source < trace_.size(); ++source) {
    for (Channels sends(trace_.ranks[source], is_send); sends.any(); sends.next()) {
      const Selection sent = sends.messages();
      Channels& received = receives[sent[0].peer];
      const std::uint64_t key = Channels::key(source, sent[0].tag);
      if (received.any() && received.key() < key) refuse_receive(sent[0].peer);
      if (!received.any() || received.key() > key) refuse_alone({source, sent.operation(0)}, sent.size(), 0);
      compare(sends, source, received, sent[0].peer);
      received.next();
    }
  }
  for (std::size_t rank = 0; rank < receives.size(); ++rank)
    if (receives[rank].any()) refuse_receive(rank);
}

void RankCheck::compare(const Channels& sends, std::size_t source, const Channels& receives,
                        std::size_t destination) const {
  const Selection sent = sends.messages(), received = receives.messages();
  const std::size_t at = first_misfit(sent, received, [](const TraceOp& send, const TraceOp& receive) {
    return send.value <= receive.value;
  });
  if (at < sent.size() && at < received.size()) {
    const Done receive{destination, received.operation(at)}, send{source, sent.operation(at)};
    refuse(receive, std::to_string(op(receive).value),
           rank_name(destination) + " receives fewer bytes than the message has, " + text(send) + " of " +
               rank_name(source),
           "at least " + std::to_string(op(send).value) + ", as " + rank_name(source) + " sends");
  }
  if (at < sent.size()) refuse_alone({source, sent.operation(at)}, sent.size(), received.size());
  if (at < received.size()) refuse_alone({destination, received.operation(at)}, received.size(), sent.size());
}

/// A send without receive, or a receive without send.
void RankCheck::refuse_alone(const Done& done, std::size_t ends, std::size_t other_ends) const {
  const TraceOp& alone = op(done);
  const bool receives = is_receive(alone);
  const std::string other = rank_name(alone.peer);
  const std::size_t operations = trace_.ranks[alone.peer].size();
  refuse(done, text_of(alone),
         rank_name(done.rank) + (receives ? " receives a message that " : " sends a message that ") + other +
             (receives ? " does not send: " : " does not receive: ") + std::to_string(ends) +
             (receives ? " receives against " : " sends against ") + std::to_string(other_ends) +
             " with tag " + std::to_string(alone.tag) + other_tag(done),
         (receives ? "as many sends of " : "as many receives of ") + other +
             (operations == 0 ? "" : ", up to its " + text({alone.peer, operations - 1})));
}

/// First operation of the other rank that sends or receives with another tag.
std::string RankCheck::other_tag(const Done& done) const {
  const TraceOp& alone = op(done);
  const RankOps& ops = trace_.ranks[alone.peer];
  for (std::size_t at = 0; at < ops.size(); ++at) {
    const bool meets = is_receive(alone) ? is_send(ops[at]) : is_receive(ops[at]);
    if (meets && ops[at].peer == done.rank && ops[at].tag != alone.tag)
      return "; " + rank_name(alone.peer) + " has " + text({alone.peer, at});
  }
  return "";
}

}  // namespace

void check_ranks(const Trace& trace) {
  const RankCheck check(trace);
  check.names();
  check.collectives();
  check.all_to_all_counts();
  check.messages();
}

}  // namespace tsuji::workload
