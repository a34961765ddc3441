// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <queue>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tsuji/core/random.h"
#include "tsuji/host/library/rank_program.h"
#include "tsuji/host/library/rank_runtime.h"

namespace tsuji::test {

class MockMachine;

/// A rank's processor and network interface as functions: bytes in a vector, a separate clock, and parcel
/// headers that are read from the queue in memory some time after the write pointer moved.
class MockNode final : public host::Cpu, public host::OsServices {
 public:
  MockNode(MockMachine& machine, std::uint32_t rank, const host::LibraryConfig& config);

  NodeId node() const override { return rank_; }
  Cycle now() const override { return time_; }
  void compute(Cycle cycles) override;
  std::uint64_t load(std::uint64_t address) override;
  void store(std::uint64_t address, std::uint64_t value) override;
  std::uint32_t load_word(std::uint64_t address) override;
  void store_word(std::uint64_t address, std::uint32_t value) override;
  void load_block(std::uint64_t address, void* to, std::size_t bytes) override;
  void store_block(std::uint64_t address, const void* from, std::size_t bytes) override;
  void register_write(std::uint64_t offset, std::uint64_t value) override;
  std::uint64_t register_read(std::uint64_t offset) override;
  void poll_until(const std::uint64_t* addresses, std::size_t count, const std::function<bool()>& condition,
                  const std::string& what) override;
  void app_write(std::uint64_t address, const void* from, std::size_t bytes) override;
  void app_read(std::uint64_t address, void* to, std::size_t bytes) override;
  void flush(std::uint64_t address, std::size_t bytes) override;
  void system_call(const std::function<void()>& service) override;
  host::GroupHandle register_group(std::uint32_t pe, const std::vector<std::uint32_t>& members) override;
  void release_group(std::uint32_t pe, const std::vector<std::uint32_t>& members,
                     const host::GroupHandle& group, Cycle now) override;

  const host::TaskLayout& layout() const { return layout_; }
  /// Number of calls of compute(), by their cycles.
  const std::map<Cycle, unsigned>& computed() const { return computed_; }

 private:
  friend class MockMachine;
  static constexpr std::uint32_t most_ranks = 128;
  using Ranks = std::bitset<most_ranks>;

  struct Parcel {
    nic::ParcelHeader header;
    std::uint32_t offset = 0;  ///< bytes that have left
    Ranks to;
  };

  void check(std::uint64_t address, std::uint64_t bytes) const;
  void touch(std::uint64_t address, std::uint64_t bytes);
  std::uint64_t word(std::uint64_t address) const;
  void pause();
  // the network interface
  void read_headers();
  void send_some();
  void send_piece(Parcel& parcel);
  static void spoil_page_borders(std::uint64_t source, std::uint64_t offset,
                                 std::vector<unsigned char>& data);
  bool in_an_area(std::uint64_t address, std::uint64_t bytes) const;
  void write_from_outside(std::uint64_t address, const void* from, std::size_t bytes);
  void write_data(std::uint64_t address, std::vector<unsigned char> data);
  void receive(const nic::ParcelHeader& header, std::uint32_t offset, const std::vector<unsigned char>& data);
  void receive_message(unsigned buffer, const std::vector<unsigned char>& data);
  Ranks targets(const nic::ParcelHeader& header) const;

  MockMachine& machine_;
  const std::uint32_t rank_;
  const host::TaskLayout layout_;
  std::vector<unsigned char> memory_;
  Cycle time_ = 0;
  std::map<Cycle, unsigned> computed_;
  // polling
  std::set<std::uint64_t> watched_, loaded_;
  bool polling_ = false, asleep_ = false, lost_ = false;
  // thread
  std::thread thread_;
  std::condition_variable wake_;
  bool running_ = false, done_ = false;
  std::uint16_t groups_ = 0;  ///< registered
  // network interface
  std::uint64_t queue_write_ = 0, queue_read_ = 0;
  std::uint64_t address_register_[3] = {0, 0, 0};
  std::uint64_t message_read_[2] = {0, 0};
  std::vector<Parcel> header_registers_;
  bool sending_ = false;
  std::vector<Cycle> last_arrival_;  ///< by destination
};

/// The longest delays; each delay is drawn at random.
struct Delays {
  Cycle piece = 300;  ///< time of a piece of a parcel in the network
  Cycle poll = 8;     ///< time until a poll sees an arrival
};

struct MockConfig {
  std::uint32_t ranks = 4;
  host::LibraryConfig library;
  host::SoftwareTimes software;
  bool synchronization = true;
  std::uint64_t seed = 1;
  Delays delays;
  /// In pieces of at least 1,024 bytes to this rank a bit flips; only application data are that long.
  std::uint32_t damaged_rank = ~0U;
};

/// All ranks, on threads of which one runs at a time, and a network with random delays that keeps the order
/// of each pair.
class MockMachine {
 public:
  explicit MockMachine(const MockConfig& config);
  ~MockMachine();

  host::RankRuntime& runtime(std::uint32_t rank) { return *runtimes_[rank]; }
  const MockNode& node(std::uint32_t rank) const { return *nodes_[rank]; }
  std::uint32_t ranks() const { return config_.ranks; }
  /// Runs a function on every rank until all have returned, and throws what one of them threw. Returns false
  /// if they wait forever; `on_stuck` is called before their functions are abandoned.
  bool run(const std::function<void(host::RankRuntime&)>& program,
           const std::function<void()>& on_stuck = {});
  /// The largest number of bytes that ever waited in a message buffer, as a share of its size.
  double fullest_buffer() const { return fullest_; }
  std::uint64_t pieces() const { return pieces_; }

 private:
  friend class MockNode;
  struct Stop {};
  struct Event {
    Cycle time;
    std::uint64_t number;
    std::function<void()> action;
    bool operator>(const Event& other) const {
      return time != other.time ? time > other.time : number > other.number;
    }
  };

  void at(Cycle time, std::function<void()> action) {
    events_.push({time, events_made_++, std::move(action)});
  }
  Cycle delay(Cycle longest) { return 1 + random_.below(longest); }
  void resume(MockNode& node);
  void thread_of(MockNode& node, const std::function<void(host::RankRuntime&)>& program);
  bool step();
  void stop_all();
  void fail(const std::string& what);
  void synchronize(std::uint32_t rank, std::uint8_t sid);

  const MockConfig config_;
  CounterRandom random_;
  std::vector<std::unique_ptr<MockNode>> nodes_;
  std::vector<std::unique_ptr<host::RankRuntime>> runtimes_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t events_made_ = 0;
  Cycle time_ = 0;
  std::mutex mutex_;
  std::condition_variable back_;
  bool stopping_ = false;
  std::exception_ptr failure_;
  std::vector<std::vector<std::uint64_t>> entered_, completed_;  ///< synchronization: by sid, by rank
  double fullest_ = 0;
  std::uint64_t pieces_ = 0;
};

}  // namespace tsuji::test
