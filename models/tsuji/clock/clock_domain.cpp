// SPDX-License-Identifier: Apache-2.0
#include "tsuji/clock/clock_domain.h"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/core/run_time.h"

namespace tsuji {

/// The oracle: every module has its own method process, event and queue of cycles.
struct ClockDomain::ProcessPerModule {
  struct Module {
    sc_core::sc_event edge;
    std::priority_queue<Cycle, std::vector<Cycle>, std::greater<>> cycles;
    Cycle armed = never;
  };
  std::vector<std::unique_ptr<Module>> modules;
};

Clocked::Clocked(ClockDomain& domain) : waker_(domain.add(*this)) {}

void Clocked::hand_steps_to(Stepped& part) {
  domain().modules_[waker_.index()] = &part;
}

ClockDomain::ClockDomain(sc_core::sc_module_name name, const ClockDomainConfig& config)
    : sc_module(name),
      config_(config),
      last_cycle_(last_run_cycle(config.period)),
      occupied_(wheel_cycles / 64),
      edge_("edge"),
      far_edge_("far_edge") {
  if (config_.mode == ProcessMode::process_each) {
    each_ = std::make_unique<ProcessPerModule>();
  } else {
    SC_METHOD(run);
    sensitive << edge_;
    dont_initialize();
    SC_METHOD(run_far);
    sensitive << far_edge_;
    dont_initialize();
  }
}

ClockDomain::~ClockDomain() = default;

Waker ClockDomain::add(Clocked& module) {
  if (started_) throw ModelError(name(), now_, "", "a module joined the clock after the start");
  members_.push_back(&module);
  modules_.push_back(&module);
  add_groups(modules_.size());
  return waker_of(modules_.size() - 1);
}

void ClockDomain::add_groups(std::size_t modules) {
  while (groups_.size() * group_members < modules) {
    auto group = std::make_unique<WakeGroup>();
    group->domain = this;
    group->first = static_cast<std::uint32_t>(groups_.size() * group_members);
    groups_.push_back(std::move(group));
  }
}

void ClockDomain::run_first(const std::vector<Clocked*>& members) {
  std::vector<Clocked*> order = members;
  ahead_groups_ = (order.size() + group_members - 1) / group_members;
  order.resize(ahead_groups_ * group_members);  // the others begin a group of their own
  std::vector<bool> placed(members_.size());
  for (const Clocked* member : members) placed[member->waker_.index()] = true;
  for (std::size_t index = 0; index < members_.size(); ++index) {
    if (!placed[index]) order.push_back(members_[index]);
  }
  add_groups(order.size());
  std::vector<std::uint32_t> fresh(members_.size());  // [old index]
  std::vector<Stepped*> modules(order.size());
  for (std::uint32_t index = 0; index < order.size(); ++index) {
    if (order[index] == nullptr) continue;
    Waker& own = order[index]->waker_;
    modules[index] = modules_[own.index()];
    fresh[own.index()] = index;
    own = waker_of(index);
  }
  members_ = std::move(order);
  modules_ = std::move(modules);
  for (FarWakeUp& far : far_) far.module = fresh[far.module];
}

Cycle ClockDomain::cycle_at_kernel_time() const {
  const std::uint64_t time = sc_core::sc_time_stamp().value();
  if (time <= config_.offset_ps) return 0;
  return (time - config_.offset_ps + config_.period.ps() - 1) / config_.period.ps();
}

void ClockDomain::wake_in_the_past(std::uint32_t module, Cycle cycle) const {
  throw ModelError(name(), now_, "",
                   "module " + std::to_string(module) + " woken for cycle " + std::to_string(cycle) +
                       ", which is not in the future");
}

/// Beyond the last cycle of a run, cycles in flits and the kernel's time wrap sooner or later.
void ClockDomain::run_too_long(Cycle cycle) const {
  throw ModelError(name(), cycle, "",
                   "longer than a run may last: at most " + std::to_string(last_cycle_) +
                       " cycles with a clock period of " + std::to_string(config_.period.ps()) + " ps");
}

void ClockDomain::wake_far(std::uint32_t module, Cycle cycle) {
  if (started_ && cycle <= now_ && (running_ || cycle < now_ || steps_ > 0)) wake_in_the_past(module, cycle);
  // After the end of any run: a rare packet's birth. What is nearer and comes to run says so (run_too_long).
  if (cycle / 2 > last_cycle_) return;
  if (each_ && started_) {
    auto& own = *each_->modules[module];
    own.cycles.push(cycle);
    if (cycle < own.armed) {
      own.armed = cycle;
      own.edge.notify(time_of(cycle) - sc_core::sc_time_stamp());
    }
    return;
  }
  far_.push_back({cycle, module});
  std::push_heap(far_.begin(), far_.end(), std::greater<>());
  if (started_ && cycle < armed_ && !running_) arm(cycle);
}

namespace {

std::string text_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "";
  }
}

}  // namespace

/// Several modules may fail in a cycle: which one is told must not depend on which one ran first.
void ClockDomain::fail(std::exception_ptr failure) {
  std::string text = text_of(failure);
  if (!failure_ || std::tie(now_, text) < std::tie(failed_at_, failure_text_)) {
    failure_ = std::move(failure);
    failure_text_ = std::move(text);
    failed_at_ = now_;
  }
  sc_core::sc_stop();
}

void ClockDomain::rethrow_failure() const {
  if (failure_) std::rethrow_exception(failure_);
}

void ClockDomain::start_of_simulation() {
  started_ = true;
  arm_before_ = never;
  if (each_) {
    start_processes();
    for (const FarWakeUp& far : far_) wake_far(far.module, far.cycle);
    far_.clear();
    return;
  }
  // A group that is ahead must not fill a slot that others have yet to empty.
  near_cycles_ = wheel_cycles - window_;
  order_.reserve(modules_.size());
  if (!far_.empty()) arm(far_.front().cycle);
}

void ClockDomain::start_processes() {
  for (std::uint32_t m = 0; m < modules_.size(); ++m) {
    each_->modules.push_back(std::make_unique<ProcessPerModule::Module>());
    sc_core::sc_spawn_options options;
    options.spawn_method();
    options.dont_initialize();
    options.set_sensitivity(&each_->modules[m]->edge);
    sc_core::sc_spawn([this, m] { run_module(m); }, sc_core::sc_gen_unique_name("module"), &options);
  }
}

void ClockDomain::run_module(std::uint32_t module) {
  auto& own = *each_->modules[module];
  now_ = own.armed;
  own.armed = never;
  while (!own.cycles.empty() && own.cycles.top() == now_) own.cycles.pop();
  ++steps_;
  running_ = true;
  try {
    if (now_ > last_cycle_) run_too_long(now_);
    begin_cycle(now_);
    modules_[module]->step(now_);
  } catch (...) {
    fail(std::current_exception());
  }
  running_ = false;
  if (!own.cycles.empty() && own.cycles.top() < own.armed) {
    own.armed = own.cycles.top();
    own.edge.notify(time_of(own.armed) - sc_core::sc_time_stamp());
  }
}

/// The kernel's own way from an integer takes three times as long. A double is exact up to 2^52.
sc_core::sc_time ClockDomain::span(Picoseconds ps) const {
  constexpr Picoseconds exact = Picoseconds{1} << 52U;
  return ps < exact ? unit_ * static_cast<double>(ps) : sc_core::sc_time::from_value(ps);
}

void ClockDomain::arm(Cycle cycle) {
  armed_ = arm_before_ = cycle;
  const Picoseconds time = ps_of(cycle);
  const Picoseconds kernel_time = sc_core::sc_time_stamp().value();
  if (time < kernel_time) {
    throw ModelError(name(), now_, "",
                     "a module was woken for cycle " + std::to_string(cycle) + ", which is over");
  }
  armed_far_ = time - kernel_time >= config_.period.ps_at(wheel_cycles);
  if (!armed_far_) {
    edge_.notify(span(time - kernel_time));  // an edge that was armed is later
  } else if (cycle < far_edge_at_) {
    far_edge_at_ = cycle;
    far_edge_.notify(span(time - kernel_time));
  }
}

inline void ClockDomain::pull_far(Cycle until) {
  while (!far_.empty() && far_.front().cycle < until) {
    const FarWakeUp far = far_.front();
    std::pop_heap(far_.begin(), far_.end(), std::greater<>());
    far_.pop_back();
    row(far.module / group_members, far.cycle) |= std::uint64_t{1} << (far.module % group_members);
    occupied_[(far.cycle % wheel_cycles) / 64] |= std::uint64_t{1} << (far.cycle % 64);
  }
}

void ClockDomain::run() {
  Cycle cycle = armed_;
  do {
    now_ = cycle;
    running_ = true;
    arm_before_ = 0;
    pull_far(cycle + wheel_cycles);
    try {
      if (cycle > last_cycle_) run_too_long(cycle);
      begin_cycle(cycle);
      if (config_.shuffle_seed != 0) {
        run_slot_shuffled(cycle);
      } else if (const Cycle last = window_ == 1 ? cycle : window_end(cycle); last > cycle) {
        run_window(cycle, last);
      } else {
        run_slot(cycle);
      }
    } catch (...) {
      fail(std::current_exception());
    }
    if (failure_) return;
    running_ = false;
    armed_ = arm_before_ = never;
    cycle = std::min(next_occupied(), far_.empty() ? never : far_.front().cycle);
  } while (may_run_ahead(cycle));
  if (cycle != never) arm(cycle);
}

/// An edge far ahead, unless nearer ones have come before it.
void ClockDomain::run_far() {
  const Cycle cycle = std::exchange(far_edge_at_, never);
  if (!armed_far_) return;
  if (armed_ == cycle)
    run();
  else
    arm(armed_);
}

bool ClockDomain::may_run_ahead(Cycle cycle) const {
  if (cycle >= run_ahead_until_) return false;
  return sc_core::sc_time_stamp() + sc_core::sc_time_to_pending_activity() > time_of(cycle);
}

/// The last cycle that groups may run before others have run this one.
Cycle ClockDomain::window_end(Cycle cycle) const {
  if (cycle >= run_ahead_until_) return cycle;
  Cycle last = std::min(cycle + window_, run_ahead_until_) - 1;
  if (last > cycle && !may_run_ahead(last)) return cycle;
  for (Cycle c = cycle; c <= last; ++c) {
    if (any_outside_groups(c)) last = c == cycle ? cycle : c - 1;
  }
  return last;
}

bool ClockDomain::any_outside_groups(Cycle cycle) const {
  for (std::size_t g = ahead_groups_; g < groups_.size(); ++g) {
    if (row(g, cycle) != 0) return true;
  }
  return false;
}

inline void ClockDomain::run_group(std::size_t group, std::uint64_t bits, Cycle cycle) {
  Stepped* const* const modules = modules_.data() + group * group_members;
  while (bits != 0) {
    try {
      while (bits != 0) {
        Stepped& module = *modules[static_cast<unsigned>(__builtin_ctzll(bits))];
        bits &= bits - 1;
        ++steps_;
        module.step(cycle);
      }
    } catch (...) {
      fail(std::current_exception());
    }
  }
}

/// A group wakes itself within the window, and all others for later cycles.
void ClockDomain::run_window(Cycle first, Cycle last) {
  for (std::size_t g = 0; g < ahead_groups_; ++g) {
    for (Cycle cycle = first; cycle <= last; ++cycle) {
      if (failure_ && cycle > failed_at_) break;
      const std::uint64_t bits = std::exchange(row(g, cycle), 0);
      if (bits == 0) continue;
      now_ = cycle;
      if (ahead_groups_ >= (cycle == first ? far_groups : very_far_groups)) {
        run_far_group(g, bits, cycle, cycle == first);
      } else {
        run_group(g, bits, cycle);
      }
    }
  }
  for (Cycle cycle = first; cycle <= last; ++cycle) clear_occupied(cycle);
  now_ = last;
}

namespace {

/// The first lines of an object and of what lies behind it in its arena.
void prefetch_object(const void* object) {
  constexpr unsigned lines = 20, line_bytes = 64;
  for (unsigned line = 0; line < lines; ++line)
    __builtin_prefetch(static_cast<const char*>(object) + std::size_t{line} * line_bytes);
}

}  // namespace

/// In its first cycle of a window a group's memory is far, and in a very large network what others have sent
/// since is far in all cycles: what the modules will look at is asked for while others before them run.
void ClockDomain::run_far_group(std::size_t group, std::uint64_t bits, Cycle cycle, bool first) {
  constexpr unsigned most_ahead = 8;
  std::array<Stepped*, group_members + most_ahead> coming;
  unsigned count = 0;
  for (std::uint64_t rest = bits; rest != 0; rest &= rest - 1)
    coming[count++] = modules_[group * group_members + static_cast<unsigned>(__builtin_ctzll(rest))];
  for (unsigned behind = 0; behind < most_ahead; ++behind) coming[count + behind] = coming[count - 1];
  const bool very_far = ahead_groups_ >= very_far_groups;
  for (unsigned m = 0; m < count; ++m) {
    if (first) prefetch_object(coming[m + most_ahead]);
    if (very_far) {
      coming[m + 6]->approach(cycle, 0);
      coming[m + 4]->approach(cycle, 1);
      coming[m + 2]->approach(cycle, 2);
    } else {
      coming[m + 3]->approach(cycle, 0);
    }
    ++steps_;
    try {
      coming[m]->step(cycle);
    } catch (...) {
      fail(std::current_exception());
    }
  }
}

void ClockDomain::run_slot(Cycle cycle) {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (const std::uint64_t bits = std::exchange(row(g, cycle), 0)) run_group(g, bits, cycle);
  }
  clear_occupied(cycle);
}

void ClockDomain::run_slot_shuffled(Cycle cycle) {
  order_.clear();
  for (const auto& group : groups_) {
    std::uint64_t bits = std::exchange(group->rows[cycle % wheel_cycles], 0);
    for (; bits != 0; bits &= bits - 1)
      order_.push_back(group->first + static_cast<unsigned>(__builtin_ctzll(bits)));
  }
  clear_occupied(cycle);
  CounterRandom random(config_.shuffle_seed, cycle);
  for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random.below(i)]);
  for (const std::uint32_t module : order_) {
    ++steps_;
    try {
      modules_[module]->step(cycle);
    } catch (...) {
      fail(std::current_exception());
    }
  }
}

Cycle ClockDomain::next_occupied() const {
  // The wheel holds cycles now_+1 .. now_+wheel_cycles-1; look from the next slot on, around once.
  const Cycle first = now_ + 1;
  constexpr std::size_t groups = wheel_cycles / 64;
  const std::size_t start = (first % wheel_cycles) / 64;
  for (std::size_t g = 0; g <= groups; ++g) {
    const std::size_t group = (start + g) % groups;
    std::uint64_t bits = occupied_[group];
    if (g == 0) bits &= ~std::uint64_t{0} << (first % 64);
    if (g == groups) bits &= ~(~std::uint64_t{0} << (first % 64));
    if (bits == 0) continue;
    const std::size_t found = group * 64 + static_cast<unsigned>(__builtin_ctzll(bits));
    return first + (found + wheel_cycles - first % wheel_cycles) % wheel_cycles;
  }
  return never;
}

namespace {

/// An idle machine and a stop after a failure are no news; ModelError says what there is to say. Several
/// modules may fail in one delta cycle; the first failure is the one that is told.
void silence_kernel() {
  sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_, sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions(sc_core::SC_ID_SIMULATION_STOP_CALLED_TWICE_,
                                          sc_core::SC_DO_NOTHING);
}

}  // namespace

void run_for(const sc_core::sc_time& time) {
  silence_kernel();
  sc_core::sc_start(time, sc_core::SC_RUN_TO_TIME);
}

void run_until_idle(Picoseconds slice_ps, const std::function<void()>& on_slice) {
  silence_kernel();
  auto slice = sc_core::sc_time::from_value(slice_ps);
  do {
    sc_core::sc_start(slice, sc_core::SC_EXIT_ON_STARVATION);
    on_slice();
    if (!sc_core::sc_pending_activity()) return;
    // A slice in which nothing lies would not move time, and the next one would find nothing either.
    slice = sc_core::sc_time_to_pending_activity() + sc_core::sc_time::from_value(slice_ps);
  } while (true);
}

}  // namespace tsuji
