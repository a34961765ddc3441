// SPDX-License-Identifier: Apache-2.0
#include "tsuji/clock/clock_domain.h"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/core/run_time.h"

namespace tsuji {

/// The reference implementation: a method process, an event and a queue of cycles for each module.
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
  domain().members_.stepped[waker_.index()] = &part;
}

ClockDomain::ClockDomain(sc_core::sc_module_name name, const ClockDomainConfig& config)
    : sc_module(name), config_(config), last_cycle_(last_run_cycle(config.period)) {
  if (config_.mode == ProcessMode::process_each) {
    each_ = std::make_unique<ProcessPerModule>();
  } else {
    SC_METHOD(run);
    sensitive << edges_.near;
    dont_initialize();
    SC_METHOD(run_far);
    sensitive << edges_.far;
    dont_initialize();
  }
}

ClockDomain::~ClockDomain() = default;

Waker ClockDomain::add(Clocked& module) {
  if (started_) throw ModelError(name(), now_, "", "a module joined the clock after the start");
  members_.all.push_back(&module);
  members_.stepped.push_back(&module);
  add_groups(modules());
  return waker_of(modules() - 1);
}

void ClockDomain::add_groups(std::size_t modules) {
  while (members_.groups.size() * group_members < modules) {
    auto group = std::make_unique<WakeGroup>();
    group->domain = this;
    group->first = static_cast<std::uint32_t>(members_.groups.size() * group_members);
    members_.groups.push_back(std::move(group));
  }
}

void ClockDomain::run_first(const std::vector<Clocked*>& members) {
  std::vector<Clocked*> order = members;
  windows_.groups = (order.size() + group_members - 1) / group_members;
  order.resize(windows_.groups * group_members);  // the other members start in a new group
  std::vector<bool> placed(members_.all.size());
  for (const Clocked* member : members) placed[member->waker_.index()] = true;
  for (std::size_t index = 0; index < members_.all.size(); ++index) {
    if (!placed[index]) order.push_back(members_.all[index]);
  }
  add_groups(order.size());
  std::vector<std::uint32_t> fresh(members_.all.size());  // [old index]
  std::vector<Stepped*> modules(order.size());
  for (std::uint32_t index = 0; index < order.size(); ++index) {
    if (order[index] == nullptr) continue;
    Waker& own = order[index]->waker_;
    modules[index] = members_.stepped[own.index()];
    fresh[own.index()] = index;
    own = waker_of(index);
  }
  members_.all = std::move(order);
  members_.stepped = std::move(modules);
  for (WakeCalendar::FarWakeUp& far : calendar_.far()) far.module = fresh[far.module];
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

/// Beyond the last cycle of a run, 48-bit cycles in flits or the kernel's time would wrap.
void ClockDomain::run_too_long(Cycle cycle) const {
  throw ModelError(name(), cycle, "",
                   "longer than a run may last: at most " + std::to_string(last_cycle_) +
                       " cycles with a clock period of " + std::to_string(config_.period.ps()) + " ps");
}

void ClockDomain::wake_far(std::uint32_t module, Cycle cycle) {
  if (started_ && cycle <= now_ && (running_ || cycle < now_ || steps_ > 0)) wake_in_the_past(module, cycle);
  // Far beyond the end of any run, such as the next packet of a very low load: ignored. Nearer wake-ups after
  // the end are refused when their cycle is run (run_too_long).
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
  calendar_.add_far({cycle, module});
  if (started_ && cycle < edges_.armed && !running_) arm(cycle);
}

void ClockDomain::fail(std::exception_ptr failure) {
  failure_.keep(std::move(failure), now_);
  sc_core::sc_stop();
}

void ClockDomain::start_of_simulation() {
  started_ = true;
  edges_.before = never;
  if (each_) {
    start_processes();
    for (const WakeCalendar::FarWakeUp& far : calendar_.far()) wake_far(far.module, far.cycle);
    calendar_.far().clear();
    return;
  }
  // A group that is ahead must not set a bit in a row that other groups have not run yet.
  near_cycles_ = wheel_cycles - windows_.cycles;
  order_.reserve(members_.stepped.size());
  if (calendar_.first_far() != never) arm(calendar_.first_far());
}

void ClockDomain::start_processes() {
  for (std::uint32_t m = 0; m < members_.stepped.size(); ++m) {
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
    members_.stepped[module]->step(now_);
  } catch (...) {
    fail(std::current_exception());
  }
  running_ = false;
  if (!own.cycles.empty() && own.cycles.top() < own.armed) {
    own.armed = own.cycles.top();
    own.edge.notify(time_of(own.armed) - sc_core::sc_time_stamp());
  }
}

/// The kernel's conversion from an integer takes three times as long. A double is exact up to 2^52.
sc_core::sc_time ClockDomain::span(Picoseconds ps) const {
  constexpr Picoseconds exact = Picoseconds{1} << 52U;
  return ps < exact ? edges_.unit * static_cast<double>(ps) : sc_core::sc_time::from_value(ps);
}

void ClockDomain::arm(Cycle cycle) {
  edges_.armed = edges_.before = cycle;
  const Picoseconds time = ps_of(cycle);
  const Picoseconds kernel_time = sc_core::sc_time_stamp().value();
  if (time < kernel_time) {
    throw ModelError(name(), now_, "",
                     "a module was woken for cycle " + std::to_string(cycle) + ", which has already passed");
  }
  edges_.is_far = time - kernel_time >= config_.period.ps_at(wheel_cycles);
  if (!edges_.is_far) {
    edges_.near.notify(span(time - kernel_time));  // cancels an armed edge, which is later
  } else if (cycle < edges_.far_at) {
    edges_.far_at = cycle;
    edges_.far.notify(span(time - kernel_time));
  }
}

inline void ClockDomain::pull_far(Cycle until) {
  calendar_.pull_far(until, [this](const WakeCalendar::FarWakeUp& far) {
    row(far.module / group_members, far.cycle) |= std::uint64_t{1} << (far.module % group_members);
  });
}

void ClockDomain::run() {
  Cycle cycle = edges_.armed;
  do {
    now_ = cycle;
    running_ = true;
    edges_.before = 0;
    pull_far(cycle + wheel_cycles);
    try {
      if (cycle > last_cycle_) run_too_long(cycle);
      begin_cycle(cycle);
      if (config_.shuffle_seed != 0) {
        run_slot_shuffled(cycle);
      } else if (const Cycle last = windows_.cycles == 1 ? cycle : window_end(cycle); last > cycle) {
        run_window(cycle, last);
      } else {
        run_slot(cycle);
      }
    } catch (...) {
      fail(std::current_exception());
    }
    if (failure_) return;
    running_ = false;
    edges_.armed = edges_.before = never;
    cycle = calendar_.next_after(now_);
  } while (may_run_ahead(cycle));
  if (cycle != never) arm(cycle);
}

/// Process of the far edge. Nearer edges may have been armed and run since; then it arms the next edge again.
void ClockDomain::run_far() {
  const Cycle cycle = std::exchange(edges_.far_at, never);
  if (!edges_.is_far) return;
  if (edges_.armed == cycle)
    run();
  else
    arm(edges_.armed);
}

bool ClockDomain::may_run_ahead(Cycle cycle) const {
  if (cycle >= windows_.until) return false;
  return sc_core::sc_time_stamp() + sc_core::sc_time_to_pending_activity() > time_of(cycle);
}

/// Last cycle of the window that begins with `cycle`.
Cycle ClockDomain::window_end(Cycle cycle) const {
  if (cycle >= windows_.until) return cycle;
  Cycle last = std::min(cycle + windows_.cycles, windows_.until) - 1;
  if (last > cycle && !may_run_ahead(last)) return cycle;
  for (Cycle c = cycle; c <= last; ++c) {
    if (any_outside_groups(c)) last = c == cycle ? cycle : c - 1;
  }
  return last;
}

bool ClockDomain::any_outside_groups(Cycle cycle) const {
  for (std::size_t g = windows_.groups; g < members_.groups.size(); ++g) {
    if (row(g, cycle) != 0) return true;
  }
  return false;
}

inline void ClockDomain::run_group(std::size_t group, std::uint64_t bits, Cycle cycle) {
  Stepped* const* const modules = members_.stepped.data() + group * group_members;
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

/// Runs a window group by group. A group may wake itself within the window, and other groups for later
/// cycles.
void ClockDomain::run_window(Cycle first, Cycle last) {
  for (std::size_t g = 0; g < windows_.groups; ++g) {
    for (Cycle cycle = first; cycle <= last; ++cycle) {
      if (failure_ && cycle > failure_.cycle()) break;
      const std::uint64_t bits = std::exchange(row(g, cycle), 0);
      if (bits == 0) continue;
      now_ = cycle;
      if (windows_.groups >= (cycle == first ? far_groups : very_far_groups)) {
        run_far_group(g, bits, cycle, cycle == first);
      } else {
        run_group(g, bits, cycle);
      }
    }
  }
  for (Cycle cycle = first; cycle <= last; ++cycle) calendar_.clear(cycle);
  now_ = last;
}

namespace {

/// Prefetches the first cache lines of an object and of its neighbour in the arena.
void prefetch_object(const void* object) {
  constexpr unsigned lines = 20, line_bytes = 64;
  for (unsigned line = 0; line < lines; ++line)
    __builtin_prefetch(static_cast<const char*>(object) + std::size_t{line} * line_bytes);
}

}  // namespace

/// run_group() with prefetching. In the first cycle of a window the memory of a group is not in the cache; in
/// a very large network neither is, in any cycle, what other groups have written since. The memory of the
/// next modules is requested while the modules before them run.
void ClockDomain::run_far_group(std::size_t group, std::uint64_t bits, Cycle cycle, bool first) {
  constexpr unsigned most_ahead = 8;
  std::array<Stepped*, group_members + most_ahead> coming;
  unsigned count = 0;
  for (std::uint64_t rest = bits; rest != 0; rest &= rest - 1)
    coming[count++] = members_.stepped[group * group_members + static_cast<unsigned>(__builtin_ctzll(rest))];
  for (unsigned behind = 0; behind < most_ahead; ++behind) coming[count + behind] = coming[count - 1];
  const bool very_far = windows_.groups >= very_far_groups;
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
  for (std::size_t g = 0; g < members_.groups.size(); ++g) {
    if (const std::uint64_t bits = std::exchange(row(g, cycle), 0)) run_group(g, bits, cycle);
  }
  calendar_.clear(cycle);
}

void ClockDomain::run_slot_shuffled(Cycle cycle) {
  order_.clear();
  for (const auto& group : members_.groups) {
    std::uint64_t bits = std::exchange(group->rows[cycle % wheel_cycles], 0);
    for (; bits != 0; bits &= bits - 1)
      order_.push_back(group->first + static_cast<unsigned>(__builtin_ctzll(bits)));
  }
  calendar_.clear(cycle);
  CounterRandom random(config_.shuffle_seed, cycle);
  for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random.below(i)]);
  for (const std::uint32_t module : order_) {
    ++steps_;
    try {
      members_.stepped[module]->step(cycle);
    } catch (...) {
      fail(std::current_exception());
    }
  }
}

namespace {

/// Suppresses kernel messages about starvation and repeated stops. Idleness is normal here, and a failure is
/// reported as a ModelError; if several modules fail in one delta cycle, the first failure is reported.
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
    // An empty slice would not advance time, and neither would all slices after it.
    slice = sc_core::sc_time_to_pending_activity() + sc_core::sc_time::from_value(slice_ps);
  } while (true);
}

}  // namespace tsuji
