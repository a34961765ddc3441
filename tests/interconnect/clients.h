// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <tlm_utils/tlm_quantumkeeper.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

namespace tsuji::interconnect::test {

using sc_core::SC_NS;
using sc_core::sc_time;
using sc_core::SC_ZERO_TIME;

inline sc_time ns(double count) {
  return {count, SC_NS};
}

/// Memory that does what TLM-2.0 says of byte enables and streaming, and nothing else.
class Bytes {
 public:
  explicit Bytes(std::size_t size) : bytes_(size) {}
  /// Returns false if the access leaves the memory.
  bool access(tlm::tlm_generic_payload& payload) {
    const unsigned length = payload.get_data_length(),
                   width = std::min(payload.get_streaming_width(), length);
    if (payload.get_address() + width > bytes_.size()) return false;
    const unsigned char* const enables = payload.get_byte_enable_ptr();
    for (unsigned i = 0; i < length; ++i) {
      if (enables != nullptr && enables[i % payload.get_byte_enable_length()] != TLM_BYTE_ENABLED) continue;
      unsigned char& own = bytes_[payload.get_address() + i % width];
      unsigned char& other = payload.get_data_ptr()[i];
      if (payload.is_read()) other = own;
      if (payload.is_write()) own = other;
    }
    return true;
  }
  unsigned char* data() { return bytes_.data(); }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::vector<unsigned char> bytes_;
};

/// Transaction with its buffers, reused.
struct Transaction : tlm::tlm_generic_payload {
  std::vector<unsigned char> data, enables, expected;
  tlm::tlm_response_status expected_status = tlm::TLM_OK_RESPONSE;
  sc_time begun, answered;

  void set(tlm::tlm_command command, std::uint64_t address, unsigned length) {
    data.resize(length);
    set_command(command);
    set_address(address);
    set_data_ptr(data.data());
    set_data_length(length);
    set_streaming_width(length);
    set_byte_enable_ptr(nullptr);
    set_byte_enable_length(0);
    set_dmi_allowed(false);
    set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  }
  void enable(std::vector<unsigned char> pattern) {
    enables = std::move(pattern);
    set_byte_enable_ptr(enables.data());
    set_byte_enable_length(static_cast<unsigned>(enables.size()));
  }
};

/// Pool of transactions.
class Transactions final : public tlm::tlm_mm_interface {
 public:
  Transaction& take() {
    if (idle_.empty()) {
      all_.push_back(std::make_unique<Transaction>());
      all_.back()->set_mm(this);
      idle_.push_back(all_.back().get());
    }
    Transaction* const one = idle_.back();
    idle_.pop_back();
    one->acquire();
    return *one;
  }
  void free(tlm::tlm_generic_payload* payload) override {
    payload->reset();
    idle_.push_back(static_cast<Transaction*>(payload));
  }
  bool all_free() const { return idle_.size() == all_.size(); }

 private:
  std::vector<std::unique_ptr<Transaction>> all_;
  std::vector<Transaction*> idle_;
};

/// Random transactions to an initiator's own stripes of the targets, and what they must give.
class RandomAccesses {
 public:
  struct Stripe {
    std::uint64_t base;
    unsigned bytes;
  };
  /// `unmapped`: an address of no target.
  RandomAccesses(unsigned seed, std::vector<Stripe> stripes, std::uint64_t unmapped, unsigned longest)
      : random(seed), stripes_(std::move(stripes)), unmapped_(unmapped), longest_(longest) {
    for (const Stripe& stripe : stripes_) own_.emplace_back(stripe.bytes);
  }
  std::mt19937 random;
  bool chance(unsigned percent) { return random() % 100 < percent; }

  void fill(Transaction& next) {
    const std::size_t at = random() % stripes_.size();
    const unsigned length = 1 + random() % (chance(20) ? longest_ : 16);
    const unsigned width = chance(15) ? 1 + random() % length : length;
    const std::uint64_t offset = random() % (stripes_[at].bytes - width);
    next.set(chance(50) ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND, stripes_[at].base + offset, length);
    next.set_streaming_width(width);
    for (auto& byte : next.data) byte = static_cast<unsigned char>(random());
    if (chance(25)) {
      std::vector<unsigned char> pattern(1 + random() % 12);
      for (auto& enable : pattern) enable = chance(50) ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
      next.enable(std::move(pattern));
    }
    next.expected_status = tlm::TLM_OK_RESPONSE;
    if (chance(3)) {
      next.set_address(unmapped_);
      next.expected_status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
      return;
    }
    expect(next, own_[at], offset);
  }
  /// True if the answer is what a memory of one's own gives.
  static bool good(const Transaction& done) {
    if (done.get_response_status() != done.expected_status) return false;
    return done.is_write() || done.expected_status != tlm::TLM_OK_RESPONSE || done.data == done.expected;
  }

 private:
  static void expect(Transaction& next, Bytes& own, std::uint64_t offset) {
    next.expected = next.data;
    const std::uint64_t address = next.get_address();
    next.set_address(offset);
    if (next.is_read()) next.set_data_ptr(next.expected.data());
    own.access(next);
    next.set_data_ptr(next.data.data());
    next.set_address(address);
  }

  std::vector<Stripe> stripes_;
  std::vector<Bytes> own_;
  const std::uint64_t unmapped_;
  const unsigned longest_;
};

/// Approximately timed initiator: random annotations, and every form of ending a response.
class AtInitiator final : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(AtInitiator);
  AtInitiator(sc_core::sc_module_name name, RandomAccesses accesses, unsigned count, unsigned most = 12)
      : sc_module(name),
        socket("socket"),
        accesses_(std::move(accesses)),
        count_(count),
        most_(most),
        ends_("ends") {
    socket.register_nb_transport_bw(this, &AtInitiator::nb_transport_bw);
    SC_THREAD(run);
    SC_METHOD(end_later);
    sensitive << ends_.get_event();
    dont_initialize();
  }
  tlm_utils::simple_initiator_socket<AtInitiator> socket;
  Transactions pool;
  unsigned begun = 0, answered = 0, wrong = 0, errors = 0;
  std::vector<sc_time> responses;
  bool done() const { return answered == count_; }

 private:
  void run() {
    while (begun < count_) {
      while (requesting_ != nullptr || begun - answered >= most_) wait(changed_);
      Transaction& next = pool.take();
      accesses_.fill(next);
      ++begun;
      requesting_ = &next;
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_time time = accesses_.chance(30) ? ns(0.7 * (accesses_.random() % 20)) : SC_ZERO_TIME;
      const auto answer = socket->nb_transport_fw(next, phase, time);
      if (answer != tlm::TLM_ACCEPTED) ++wrong;
      if (accesses_.chance(40)) wait(ns(0.3 * (accesses_.random() % 60)));
    }
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_time& time) {
    auto& own = static_cast<Transaction&>(payload);
    if (requesting_ == &own) requesting_ = nullptr;
    changed_.notify(SC_ZERO_TIME);
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
    responses.push_back(sc_core::sc_time_stamp());
    if (!RandomAccesses::good(own)) ++wrong;
    if (own.is_response_error()) ++errors;
    const unsigned form = accesses_.random() % 4;
    if (form == 0) {
      finish(own);
      return tlm::TLM_COMPLETED;
    }
    if (form == 1) {
      time += ns(0.9 * (accesses_.random() % 9));
      phase = tlm::END_RESP;
      finish(own);
      return tlm::TLM_UPDATED;
    }
    ends_.notify(own, ns(1.1 * (accesses_.random() % (form == 2 ? 3 : 40))));
    return tlm::TLM_ACCEPTED;
  }
  void end_later() {
    while (tlm::tlm_generic_payload* const payload = ends_.get_next_transaction()) {
      tlm::tlm_phase phase = tlm::END_RESP;
      sc_time time = accesses_.chance(30) ? ns(0.4 * (accesses_.random() % 9)) : SC_ZERO_TIME;
      socket->nb_transport_fw(*payload, phase, time);
      finish(static_cast<Transaction&>(*payload));
    }
  }
  void finish(Transaction& own) {
    ++answered;
    own.release();
    changed_.notify(SC_ZERO_TIME);
  }

  RandomAccesses accesses_;
  const unsigned count_, most_;
  Transaction* requesting_ = nullptr;
  sc_core::sc_event changed_;
  tlm_utils::peq_with_get<tlm::tlm_generic_payload> ends_;
};

/// Loosely timed initiator with a quantum of its own.
class LtInitiator final : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(LtInitiator);
  LtInitiator(sc_core::sc_module_name name, RandomAccesses accesses, unsigned count)
      : sc_module(name), socket("socket"), accesses_(std::move(accesses)), count_(count) {
    SC_THREAD(run);
  }
  tlm_utils::simple_initiator_socket<LtInitiator> socket;
  unsigned answered = 0, wrong = 0;
  bool done() const { return answered == count_; }

 private:
  void run() {
    tlm_utils::tlm_quantumkeeper keeper;
    keeper.reset();
    Transaction next;
    while (answered < count_) {
      accesses_.fill(next);
      sc_time time = keeper.get_local_time();
      const sc_time start = sc_core::sc_time_stamp() + time;
      socket->b_transport(next, time);
      keeper.set(time);
      if (!RandomAccesses::good(next) || sc_core::sc_time_stamp() + time <= start) ++wrong;
      ++answered;
      keeper.inc(ns(0.8 * (accesses_.random() % 50)));
      if (keeper.need_sync()) keeper.sync();
      next.reset();
    }
  }

  RandomAccesses accesses_;
  const unsigned count_;
};

/// Cycle-accurate initiator: begins, at the edges of a clock of its own, one transaction at a time.
class CycleInitiator final : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(CycleInitiator);
  CycleInitiator(sc_core::sc_module_name name, RandomAccesses accesses, unsigned count, const sc_time& period)
      : sc_module(name), socket("socket"), accesses_(std::move(accesses)), count_(count), period_(period) {
    socket.register_nb_transport_bw(this, &CycleInitiator::nb_transport_bw);
    SC_METHOD(edge);
  }
  tlm_utils::simple_initiator_socket<CycleInitiator> socket;
  Transactions pool;
  unsigned begun = 0, answered = 0, wrong = 0;
  bool done() const { return answered == count_; }

 private:
  void edge() {
    if (done()) return;
    next_trigger(period_);
    if (begun != answered || begun == count_) return;
    Transaction& next = pool.take();
    accesses_.fill(next);
    ++begun;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_time time = SC_ZERO_TIME;
    socket->nb_transport_fw(next, phase, time);
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_time&) {
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
    if (!RandomAccesses::good(static_cast<Transaction&>(payload))) ++wrong;
    ++answered;
    payload.release();
    return tlm::TLM_COMPLETED;
  }

  RandomAccesses accesses_;
  const unsigned count_;
  const sc_time period_;
};

/// Approximately timed target that stalls requests and responses, and uses every form of the base protocol.
class StallingTarget final : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(StallingTarget);
  StallingTarget(sc_core::sc_module_name name, std::size_t bytes, unsigned seed)
      : sc_module(name), socket("socket"), memory(bytes), random_(seed), requests_("requests") {
    socket.register_nb_transport_fw(this, &StallingTarget::nb_transport_fw);
    SC_METHOD(take);
    sensitive << requests_.get_event();
    dont_initialize();
    SC_THREAD(respond);
  }
  tlm_utils::simple_target_socket<StallingTarget> socket;
  Bytes memory;
  unsigned taken = 0, forms[5] = {};

 private:
  bool chance(unsigned percent) { return random_() % 100 < percent; }
  sc_time some(double unit, unsigned most) { return ns(unit * (random_() % most)); }

  void serve(tlm::tlm_generic_payload& payload) {
    ++taken;
    payload.set_response_status(memory.access(payload) ? tlm::TLM_OK_RESPONSE
                                                       : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_time& time) {
    if (phase == tlm::END_RESP) {
      responding_ = false;
      ended_.notify(SC_ZERO_TIME);
      return tlm::TLM_COMPLETED;
    }
    if (chance(15)) {
      ++forms[0];
      serve(payload);
      if (chance(50)) time += some(0.6, 30);
      return tlm::TLM_COMPLETED;
    }
    if (chance(15) && !responding_) {
      ++forms[1];
      serve(payload);
      responding_ = true;
      time += some(0.6, 30);
      phase = tlm::BEGIN_RESP;
      return tlm::TLM_UPDATED;
    }
    serve(payload);
    payload.acquire();
    if (chance(30)) {
      ++forms[2];
      time += some(0.5, 10);
      ready_.emplace_back(&payload, sc_core::sc_time_stamp() + time);
      ready_event_.notify(SC_ZERO_TIME);
      phase = tlm::END_REQ;
      return tlm::TLM_UPDATED;
    }
    requests_.notify(payload, time + some(1.3, chance(10) ? 200 : 8));
    return tlm::TLM_ACCEPTED;
  }
  /// Ends a request, or leaves that to its response.
  void take() {
    while (tlm::tlm_generic_payload* const payload = requests_.get_next_transaction()) {
      sc_time time = SC_ZERO_TIME;
      if (chance(60)) {
        ++forms[3];
        tlm::tlm_phase phase = tlm::END_REQ;
        if (chance(30)) time = some(0.5, 10);
        socket->nb_transport_bw(*payload, phase, time);
      } else {
        ++forms[4];
      }
      ready_.emplace_back(payload, sc_core::sc_time_stamp() + time);
      ready_event_.notify(SC_ZERO_TIME);
    }
  }
  void respond() {
    for (;;) {
      while (ready_.empty()) wait(ready_event_);
      wait(some(1.7, chance(5) ? 300 : 6));
      const std::size_t at = random_() % ready_.size();  // out of order
      tlm::tlm_generic_payload& payload = *ready_[at].first;
      if (const sc_time from = ready_[at].second; from > sc_core::sc_time_stamp())
        wait(from - sc_core::sc_time_stamp());  // no phase before the annotated END_REQ
      while (responding_) wait(ended_);
      ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(at));
      responding_ = true;
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_time time = chance(30) ? some(0.5, 12) : SC_ZERO_TIME;
      const auto answer = socket->nb_transport_bw(payload, phase, time);
      if (answer != tlm::TLM_ACCEPTED) responding_ = false;
      payload.release();
    }
  }

  std::mt19937 random_;
  bool responding_ = false;
  std::deque<std::pair<tlm::tlm_generic_payload*, sc_time>> ready_;  ///< and when END_REQ is over
  sc_core::sc_event ready_event_, ended_;
  tlm_utils::peq_with_get<tlm::tlm_generic_payload> requests_;
};

/// Loosely timed target: b_transport only, with direct pointers and debug access.
class LtTarget final : public sc_core::sc_module {
 public:
  LtTarget(sc_core::sc_module_name name, std::size_t bytes, const sc_time& latency = SC_ZERO_TIME)
      : sc_module(name), socket("socket"), memory(bytes), latency_(latency) {
    socket.register_b_transport(this, &LtTarget::b_transport);
    socket.register_get_direct_mem_ptr(this, &LtTarget::get_direct_mem_ptr);
    socket.register_transport_dbg(this, &LtTarget::transport_dbg);
  }
  tlm_utils::simple_target_socket<LtTarget> socket;
  Bytes memory;
  bool grants = true;
  std::function<void(tlm::tlm_generic_payload&)> on_access;
  std::vector<sc_time> times;  ///< of accesses

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_time& time) {
    times.push_back(sc_core::sc_time_stamp());
    payload.set_response_status(memory.access(payload) ? tlm::TLM_OK_RESPONSE
                                                       : tlm::TLM_BURST_ERROR_RESPONSE);
    payload.set_dmi_allowed(grants);
    if (on_access) on_access(payload);
    time += latency_;
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
    dmi.set_dmi_ptr(memory.data());
    dmi.set_start_address(0);
    dmi.set_end_address(memory.size() - 1);
    dmi.allow_read_write();
    return grants;
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) {
    return memory.access(payload) ? payload.get_data_length() : 0;
  }

  const sc_time latency_;
};

}  // namespace tsuji::interconnect::test
