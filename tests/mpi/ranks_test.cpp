// SPDX-License-Identifier: Apache-2.0
// Ranks over mailboxes instead of MPI: messages, sums, signals, and ranks that leave.

#include "tsuji/mpi/ranks.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "support/catch.h"

using namespace tsuji;
using namespace tsuji::mpi;

namespace {

/// Messages under way between all pairs of ranks.
class Mail {
 public:
  explicit Mail(unsigned ranks) : ranks_(ranks), boxes_(ranks * ranks) {}
  unsigned ranks() const { return ranks_; }
  void send(unsigned from, unsigned to, const Bytes& message) {
    const std::lock_guard<std::mutex> lock(mutex_);
    boxes_[from * ranks_ + to].push_back(message);
    arrived_.notify_all();
  }
  Bytes receive(unsigned from, unsigned to) {
    std::unique_lock<std::mutex> lock(mutex_);
    std::deque<Bytes>& box = boxes_[from * ranks_ + to];
    arrived_.wait(lock, [&box] { return !box.empty(); });
    Bytes message = box.front();
    box.pop_front();
    return message;
  }
  bool empty() const {
    for (const std::deque<Bytes>& box : boxes_)
      if (!box.empty()) return false;
    return true;
  }

 private:
  unsigned ranks_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<std::deque<Bytes>> boxes_;
};

using Parts = std::vector<std::uint16_t>;

class Mailbox final : public Transport {
 public:
  Mailbox(Mail& mail, unsigned own, Parts parts) : mail_(mail), own_(own), parts_(std::move(parts)) {}
  unsigned own() const override { return own_; }
  unsigned count() const override { return mail_.ranks(); }
  void send(unsigned rank, const Bytes& message) override { mail_.send(own_, rank, message); }
  void receive(unsigned rank, Bytes& message) override { message = mail_.receive(rank, own_); }
  void flush() override {}
  Parts cut(const CutGraph&) override { return parts_; }
  void finish() override {}

 private:
  Mail& mail_;
  unsigned own_;
  Parts parts_;
};

/// Runs the body on each of the ranks; the mail is empty afterwards. Checks are made by the caller, as Catch
/// takes none of other threads.
void on_ranks(unsigned count, const std::function<void(Ranks&)>& body, const std::vector<Parts>& cuts = {}) {
  Mail mail(count);
  std::vector<std::thread> threads;
  for (unsigned own = 0; own < count; ++own)
    threads.emplace_back([&mail, &body, &cuts, own] {
      Ranks ranks(std::make_unique<Mailbox>(mail, own, cuts.empty() ? Parts() : cuts[own]));
      body(ranks);
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(mail.empty());
}

}  // namespace

TEST_CASE("all ranks have the sum, the least and the greatest value") {
  for (const unsigned count : {1U, 2U, 5U}) {
    std::vector<std::uint64_t> sums(count), least(count), greatest(count);
    on_ranks(count, [&](Ranks& ranks) {
      const unsigned own = ranks.own();
      sums[own] = ranks.sum(std::uint64_t{own + 1} << 32U);
      least[own] = ranks.least(100 - own);
      greatest[own] = ranks.greatest(100 - own);
    });
    const std::uint64_t all = std::uint64_t{count} * (count + 1) / 2 << 32U;
    CHECK(sums == std::vector<std::uint64_t>(count, all));
    CHECK(least == std::vector<std::uint64_t>(count, 101 - count));
    CHECK(greatest == std::vector<std::uint64_t>(count, 100));
  }
}

TEST_CASE("all ranks have the sums of lists and of counts") {
  struct Most {
    std::uint64_t sum = 0, most = 0;
    Most& operator+=(const Most& other) {
      sum += other.sum;
      most = std::max(most, other.most);
      return *this;
    }
  };
  for (const unsigned count : {1U, 3U}) {
    std::vector<std::vector<std::uint64_t>> each(count);
    std::vector<Most> counts(count);
    on_ranks(count, [&](Ranks& ranks) {
      const unsigned own = ranks.own();
      each[own] = ranks.sum_each({own, 10 * own, 7});
      counts[own] = ranks.sum_of(Most{own + 1, 5 - own});
    });
    const std::uint64_t sum = count * (count - 1) / 2;
    for (unsigned rank = 0; rank < count; ++rank) {
      CHECK(each[rank] == std::vector<std::uint64_t>{sum, 10 * sum, 7 * count});
      CHECK(counts[rank].sum == sum + count);
      CHECK(counts[rank].most == 5);
    }
  }
}

TEST_CASE("all ranks have the cut of rank 0, unless it leaves one of them without a part") {
  std::vector<Parts> found(3);
  const auto cut = [&](const Parts& of_rank_0) {
    on_ranks(3, [&](Ranks& ranks) { found[ranks.own()] = ranks.cut({}); },
             {of_rank_0, {2, 2, 2, 2}, {1, 0, 2, 0}});
    return found;
  };
  CHECK(cut({2, 0, 1, 0}) == std::vector<Parts>(3, {2, 0, 1, 0}));
  CHECK(cut({2, 0, 2, 0}) == std::vector<Parts>(3));
  CHECK(cut({}) == std::vector<Parts>(3));
}

TEST_CASE("a message that is cleared begins again, and grows beyond its memory") {
  Bytes message;
  for (unsigned length : {3U, 1000U, 7U}) {
    message.clear();
    for (unsigned value = 0; value < length; ++value) put(message, value);
    CHECK(message.size() == length * sizeof(unsigned));
    Reader reader(message);
    unsigned equal = 0;
    for (unsigned value = 0; value < length; ++value) equal += reader.get<unsigned>() == value ? 1 : 0;
    CHECK(equal == length);
    CHECK(reader.at_end());
  }
}

TEST_CASE("messages arrive at the rank for which they are, and gathered ones everywhere") {
  std::vector<std::string> heard(9);
  std::vector<unsigned> gathered(3), writers(3);
  on_ranks(3, [&](Ranks& ranks) {
    const unsigned own = ranks.own();
    writers[own] = ranks.writes() ? 1 : 0;
    for (int round = 0; round < 2; ++round) {
      std::vector<Bytes>& to = ranks.begin();
      for (unsigned rank = 0; rank < 3; ++rank)
        put_text(to[rank], std::to_string(own) + ">" + std::to_string(rank) + "@" + std::to_string(round));
      ranks.exchange();
    }
    for (unsigned rank = 0; rank < 3; ++rank) {
      Reader reader = ranks.read(rank);
      if (rank != own) heard[3 * own + rank] = reader.get_text();
      if (!reader.at_end()) heard[3 * own + rank] += " and more";
    }
    Bytes name;
    put_text(name, std::string(own, 'x'));
    std::vector<Reader> all = ranks.gather(name);
    for (unsigned rank = 0; rank < 3; ++rank)
      if (all[rank].get_text() == std::string(rank, 'x') && all[rank].at_end()) ++gathered[own];
  });
  CHECK(heard == std::vector<std::string>{"", "1>0@1", "2>0@1", "0>1@1", "", "2>1@1", "0>2@1", "1>2@1", ""});
  CHECK(gathered == std::vector<unsigned>{3, 3, 3});
  CHECK(writers == std::vector<unsigned>{1, 0, 0});
}

TEST_CASE("a message that ends before its content is an error") {
  Bytes message;
  put(message, std::uint32_t{7});
  Reader reader(message);
  CHECK_FALSE(reader.at_end());
  CHECK_THROWS_WITH(reader.get<std::uint64_t>(), Catch::Contains("shorter than its content"));
  CHECK(reader.get<std::uint32_t>() == 7);
  CHECK(reader.at_end());
}

TEST_CASE("a signal on one rank is known to all at the same exchange, the first one permanently") {
  std::vector<int> before(3), after(3), later(3);
  on_ranks(3, [&](Ranks& ranks) {
    const unsigned own = ranks.own();
    int received = 0;
    ranks.watch_signals([&received] { return received; });
    ranks.sum(1);
    before[own] = ranks.signal();
    if (own == 1) received = 15;
    ranks.sum(1);
    after[own] = ranks.signal();
    if (own == 2) received = 2;
    ranks.sum(1);
    later[own] = ranks.signal();
  });
  CHECK(before == std::vector<int>{0, 0, 0});
  CHECK(after == std::vector<int>{15, 15, 15});
  CHECK(later == std::vector<int>{15, 15, 15});
}

TEST_CASE("a rank that leaves ends the exchange of the others, and all know how each ended") {
  std::vector<std::string> told(3);
  std::vector<std::vector<Ranks::End>> ends(3);
  on_ranks(3, [&](Ranks& ranks) {
    const unsigned own = ranks.own();
    ranks.sum(own);
    Ranks::End end;
    if (own == 2) {
      end = {1, false, "a broken invariant"};
    } else {
      try {
        ranks.sum(own);
      } catch (const RankLeft& left) {
        told[own] = left.what();
        end = {left.exit_status(), true, ""};
      }
    }
    ends[own] = ranks.leave(end);
  });
  CHECK(told == std::vector<std::string>{"rank 2: a broken invariant", "rank 2: a broken invariant", ""});
  for (const std::vector<Ranks::End>& known : ends) {
    REQUIRE(known.size() == 3);
    for (unsigned rank = 0; rank < 3; ++rank) {
      CHECK(known[rank].exit_status == 1);
      CHECK(known[rank].for_another == (rank != 2));
      CHECK(known[rank].text == (rank == 2 ? "a broken invariant" : ""));
    }
  }
}
