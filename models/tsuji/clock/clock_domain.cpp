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
  if (started_) throw ModelError(name(), now(), "", "a module joined the clock after the start");
  members_.all.push_back(&module);
  members_.stepped.push_back(&module);
  add_groups(modules());
  return waker_of(modules() - 1);
}

void ClockDomain::add_groups(std::size_t modules) {
  while (members_.groups.size() * group_members < modules) {
    auto group = std::make_unique<WakeGroup>();
    group->domain = this;
    group->lane = &lane_;
    group->first = static_cast<std::uint32_t>(members_.groups.size() * group_members);
    members_.groups.push_back(std::move(group));
  }
}

void ClockDomain::run_first(const std::vector<Clocked*>& members, std::size_t per_group) {
  windows_.groups = (members.size() + per_group - 1) / per_group;
  std::vector<Clocked*> order(windows_.groups * group_members);  // the other members start in a new group
  for (std::size_t m = 0; m < members.size(); ++m)
    order[m / per_group * group_members + m % per_group] = members[m];
  std::vector<bool> placed(members_.all.size());
  for (const Clocked* member : members)
    if (member != nullptr) placed[member->waker_.index()] = true;
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
  for (WakeCalendar::FarWakeUp& far : lane_.calendar.far()) far.module = fresh[far.module];
}

Cycle ClockDomain::cycle_at_kernel_time() const {
  const std::uint64_t time = sc_core::sc_time_stamp().value();
  if (time <= config_.offset_ps) return 0;
  return (time - config_.offset_ps + config_.period.ps() - 1) / config_.period.ps();
}

Picoseconds ClockDomain::present_between_cycles() const {
  const Picoseconds kernel = sc_core::sc_time_stamp().value();
  return now() == 0 ? kernel : std::max(kernel, ps_of(now()));
}

Cycle ClockDomain::next_between_cycles(Picoseconds delay) const {
  const Picoseconds time = present_between_cycles() + delay, first = ps_of(0);
  return time < first ? 0 : (time - first) / config_.period.ps() + 1;
}

void ClockDomain::wake_in_the_past(const Waker& module, Cycle cycle) const {
  throw ModelError(name(), module.group_->lane->now, "",
                   "module " + std::to_string(module.index()) + " woken for cycle " + std::to_string(cycle) +
                       ", which is not in the future");
}

/// Beyond the last cycle of a run, 48-bit cycles in flits or the kernel's time would wrap.
void ClockDomain::run_too_long(Cycle cycle) const {
  throw ModelError(name(), cycle, "",
                   "longer than a run may last: at most " + std::to_string(last_cycle_) +
                       " cycles with a clock period of " + std::to_string(config_.period.ps()) + " ps");
}

void ClockDomain::wake_far(const Waker& module, Cycle cycle) {
  WakeLane& lane = *module.group_->lane;
  if (started_ && cycle <= lane.now && (running_ || cycle < lane.now || lane.steps > 0))
    wake_in_the_past(module, cycle);
  // Far beyond the end of any run, such as the next packet of a very low load: ignored. Nearer wake-ups after
  // the end are refused when their cycle is run (run_too_long).
  if (cycle / 2 > last_cycle_) return;
  if (each_ && started_) {
    auto& own = *each_->modules[module.index()];
    own.cycles.push(cycle);
    if (cycle < own.armed) {
      own.armed = cycle;
      own.edge.notify(time_of(cycle) - sc_core::sc_time_stamp());
    }
    return;
  }
  lane.calendar.add_far({cycle, module.index()});
  if (started_ && cycle < edges_.armed && !running_) arm(cycle);
}

void ClockDomain::fail(std::exception_ptr failure) {
  lane_.failure.keep(std::move(failure), now());
  sc_core::sc_stop();
}

void ClockDomain::run_on(unsigned threads, LaneUser& user) {
  if (threads > 1 && (each_ || config_.shuffle_seed != 0))
    throw ModelError(name(), now(), "", "no windows, which several threads could run");
  threads_asked_ = threads;
  lane_user_ = &user;
}

void ClockDomain::run_part(ClockParts& parts, unsigned own, unsigned shares) {
  parts_ = &parts;
  own_share_ = own;
  shares_ = shares;
}

unsigned ClockDomain::share_of(const Clocked& member) const {
  const std::size_t group = member.waker_.index() / group_members;
  unsigned share = 0;
  while (group >= first_group(share + 1, shares_)) ++share;
  return share;
}

std::size_t ClockDomain::lane_of(const Clocked& member) const {
  const WakeLane* const lane = member.waker_.group_->lane;
  const auto more = std::find_if(more_lanes_.begin(), more_lanes_.end(),
                                 [lane](const auto& one) { return one.get() == lane; });
  return more == more_lanes_.end() ? 0 : static_cast<std::size_t>(more - more_lanes_.begin()) + 1;
}

std::uint64_t ClockDomain::steps() const {
  if (parts_ != nullptr) return steps_of_all_;
  std::uint64_t steps = lane_.steps;
  for (const auto& lane : more_lanes_) steps += lane->steps;
  return steps;
}

Cycle ClockDomain::first_far() const {
  Cycle first = lane_.calendar.first_far();
  for (const auto& lane : more_lanes_) first = std::min(first, lane->calendar.first_far());
  return first;
}

/// Prepares the further lanes for cycle `first`, in which the next window begins.
void ClockDomain::begin_lanes(Cycle first) {
  for (const auto& lane : more_lanes_) {
    lane->now = first;
    pull_far(*lane, first + wheel_cycles);
  }
}

/// After a window or a single cycle: passes on what crosses between lanes, and takes over their failures.
/// Returns the next cycle of the further lanes.
Cycle ClockDomain::end_lanes(Cycle first) {
  const Cycle last = lane_.now;
  for (const auto& lane : more_lanes_) {
    for (Cycle cycle = first; cycle <= last; ++cycle) lane->calendar.clear(cycle);
    lane->now = last;
  }
  try {
    lane_user_->exchange(last);
  } catch (...) {
    lane_.failure.keep(std::current_exception(), last);
  }
  Cycle next = never;
  for (const auto& lane : more_lanes_) {
    next = std::min(next, lane->calendar.next_after(last));
    if (lane->failure) lane_.failure.keep(lane->failure.exception(), lane->failure.cycle());
  }
  return next;
}

/// After a window or a single cycle: the next cycle of all parts.
Cycle ClockDomain::end_part() {
  const Cycle last = lane_.now;
  try {
    const ClockParts::State all =
        parts_->exchange(last, {lane_.calendar.next_after(last), lane_.steps}, lane_.failure);
    steps_of_all_ = all.steps;
    return all.next;
  } catch (...) {
    lane_.failure.keep(std::current_exception(), last);
    return never;
  }
}

/// Divides the groups among the threads: adjacent groups, whose modules exchange most, into one lane.
void ClockDomain::make_lanes() {
  const std::size_t lanes = std::min<std::size_t>(threads_asked_, windows_.groups);
  if (lanes < 2) return;
  while (more_lanes_.size() < lanes - 1) more_lanes_.push_back(std::make_unique<WakeLane>());
  for (std::size_t lane = 1; lane < lanes; ++lane)
    for (std::size_t g = first_group(lane, lanes); g < first_group(lane + 1, lanes); ++g)
      members_.groups[g]->lane = more_lanes_[lane - 1].get();
  for (const WakeCalendar::FarWakeUp& far : std::exchange(lane_.calendar.far(), {}))
    waker_of(far.module).group_->lane->calendar.add_far(far);
  threads_ = std::make_unique<LaneThreads>(static_cast<unsigned>(lanes), [this, lanes](unsigned lane) {
    run_lane(lane == 0 ? lane_ : *more_lanes_[lane - 1], first_group(lane, lanes),
             first_group(lane + 1, lanes));
  });
  lane_user_->enter_lanes();
}

/// Takes the groups of other shares, and their wake-ups, out of the lane that this domain runs.
void ClockDomain::leave_other_shares() {
  if (members_.groups.size() > windows_.groups)
    throw ModelError(name(), now(), "", "a module in no group, which no share of the clock would run");
  other_shares_ = std::make_unique<WakeLane>();
  const std::size_t first = first_group(own_share_, shares_), end = first_group(own_share_ + 1, shares_);
  for (std::size_t g = 0; g < windows_.groups; ++g)
    if (g < first || g >= end) members_.groups[g]->lane = other_shares_.get();
  for (const WakeCalendar::FarWakeUp& far : std::exchange(lane_.calendar.far(), {}))
    waker_of(far.module).group_->lane->calendar.add_far(far);
}

void ClockDomain::start_of_simulation() {
  started_ = true;
  edges_.before = never;
  if (each_) {
    start_processes();
    for (const WakeCalendar::FarWakeUp& far : std::exchange(lane_.calendar.far(), {}))
      wake_far(waker_of(far.module), far.cycle);
    return;
  }
  // A group that is ahead must not set a bit in a row that other groups have not run yet.
  near_cycles_ = wheel_cycles - windows_.cycles;
  order_.reserve(members_.stepped.size());
  make_lanes();
  if (shares_ > 1) leave_other_shares();
  const Cycle first = parts_ == nullptr ? first_far() : parts_->begin({first_far(), 0}).next;
  if (first != never) arm(first);
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
  const Cycle cycle = lane_.now = own.armed;
  own.armed = never;
  while (!own.cycles.empty() && own.cycles.top() == cycle) own.cycles.pop();
  ++lane_.steps;
  running_ = true;
  try {
    if (cycle > last_cycle_) run_too_long(cycle);
    begin_cycle(cycle);
    members_.stepped[module]->step(cycle);
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
    throw ModelError(name(), now(), "",
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

inline void ClockDomain::pull_far(WakeLane& lane, Cycle until) {
  lane.calendar.pull_far(until, [this](const WakeCalendar::FarWakeUp& far) {
    row(far.module / group_members, far.cycle) |= std::uint64_t{1} << (far.module % group_members);
  });
}

inline void ClockDomain::run_group(WakeLane& lane, std::size_t group, std::uint64_t bits, Cycle cycle) {
  Stepped* const* const modules = members_.stepped.data() + group * group_members;
  while (bits != 0) {
    try {
      while (bits != 0) {
        Stepped& module = *modules[static_cast<unsigned>(__builtin_ctzll(bits))];
        bits &= bits - 1;
        ++lane.steps;
        module.step(cycle);
      }
    } catch (...) {
      lane.failure.keep(std::current_exception(), cycle);
    }
  }
}

template <bool many_lanes>
inline void ClockDomain::run_slot(Cycle cycle) {
  for (std::size_t g = 0; g < members_.groups.size(); ++g) {
    if (const std::uint64_t bits = std::exchange(row(g, cycle), 0))
      run_group(many_lanes ? *members_.groups[g]->lane : lane_, g, bits, cycle);
  }
  lane_.calendar.clear(cycle);
}

void ClockDomain::run() {
  if (threads_) {
    run_cycles<Others::lanes>();
  } else if (parts_ != nullptr) {
    run_cycles<Others::parts>();
  } else {
    run_cycles<Others::nobody>();
  }
}

/// Runs the armed cycle and all cycles that may run ahead, and arms the next one.
template <ClockDomain::Others others>
inline void ClockDomain::run_cycles() {
  constexpr bool many_lanes = others == Others::lanes;
  Cycle cycle = edges_.armed;
  Picoseconds kernel_acts = 0;  // not known: asked for where it matters
  do {
    lane_.now = cycle;
    running_ = true;
    edges_.before = 0;
    pull_far(lane_, cycle + wheel_cycles);
    if constexpr (many_lanes) begin_lanes(cycle);
    try {
      if (cycle > last_cycle_) run_too_long(cycle);
      begin_cycle(cycle);
      if (config_.shuffle_seed != 0) {
        run_slot_shuffled(cycle);
      } else if (const Cycle last = windows_.cycles == 1 ? cycle : window_end(cycle, kernel_acts);
                 last > cycle || others == Others::parts) {
        run_window(cycle, last);
      } else {
        run_slot<many_lanes>(cycle);
      }
    } catch (...) {
      lane_.failure.keep(std::current_exception(), cycle);
    }
    Cycle next = never;
    if constexpr (many_lanes) next = end_lanes(cycle);
    if constexpr (others == Others::parts) next = end_part();
    if (lane_.failure) return sc_core::sc_stop();
    running_ = false;
    edges_.armed = edges_.before = never;
    cycle = others == Others::parts ? next : std::min(next, lane_.calendar.next_after(lane_.now));
    if (cycle >= windows_.until) break;
    kernel_acts = kernel_event();
  } while (kernel_acts > ps_of(cycle));
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

/// Time of the kernel's next event.
inline Picoseconds ClockDomain::kernel_event() {
  return (sc_core::sc_time_stamp() + sc_core::sc_time_to_pending_activity()).value();
}

/// Last cycle of the window that begins with `cycle`.
Cycle ClockDomain::window_end(Cycle cycle, Picoseconds kernel_acts) const {
  if (cycle >= windows_.until) return cycle;
  Cycle last = std::min(cycle + windows_.cycles, windows_.until) - 1;
  if (kernel_acts == 0) kernel_acts = kernel_event();
  if (last > cycle && kernel_acts <= ps_of(last)) return cycle;
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

/// Runs a window group by group. A group may wake itself within the window, and other groups for later
/// cycles.
void ClockDomain::run_window(Cycle first, Cycle last) {
  windows_.first = first;
  windows_.last = last;
  if (threads_) {
    threads_->run();
  } else {
    run_lane(lane_, first_group(own_share_, shares_), first_group(own_share_ + 1, shares_));
  }
  for (Cycle cycle = first; cycle <= last; ++cycle) lane_.calendar.clear(cycle);
  lane_.now = last;
}

/// Runs the groups of a lane in the present window.
void ClockDomain::run_lane(WakeLane& lane, std::size_t first_group, std::size_t end_group) {
  const Cycle first = windows_.first, last = windows_.last;
  for (std::size_t g = first_group; g < end_group; ++g) {
    for (Cycle cycle = first; cycle <= last; ++cycle) {
      if (lane.failure && cycle > lane.failure.cycle()) break;
      const std::uint64_t bits = std::exchange(row(g, cycle), 0);
      if (bits == 0) continue;
      lane.now = cycle;
      if (windows_.groups >= (cycle == first ? far_groups : very_far_groups)) {
        run_far_group(lane, g, bits, cycle, cycle == first);
      } else {
        run_group(lane, g, bits, cycle);
      }
    }
  }
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
void ClockDomain::run_far_group(WakeLane& lane, std::size_t group, std::uint64_t bits, Cycle cycle,
                                bool first) {
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
    ++lane.steps;
    try {
      coming[m]->step(cycle);
    } catch (...) {
      lane.failure.keep(std::current_exception(), cycle);
    }
  }
}

void ClockDomain::run_slot_shuffled(Cycle cycle) {
  order_.clear();
  for (const auto& group : members_.groups) {
    std::uint64_t bits = std::exchange(group->rows[cycle % wheel_cycles], 0);
    for (; bits != 0; bits &= bits - 1)
      order_.push_back(group->first + static_cast<unsigned>(__builtin_ctzll(bits)));
  }
  lane_.calendar.clear(cycle);
  CounterRandom random(config_.shuffle_seed, cycle);
  for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random.below(i)]);
  for (const std::uint32_t module : order_) {
    ++lane_.steps;
    try {
      members_.stepped[module]->step(cycle);
    } catch (...) {
      lane_.failure.keep(std::current_exception(), cycle);
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

void run_until_idle(const std::function<Picoseconds(Picoseconds next_event)>& slice_end,
                    const std::function<void()>& on_slice) {
  silence_kernel();
  do {
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    // Before the start the kernel knows no event.
    const sc_core::sc_time next = sc_core::sc_start_of_simulation_invoked() && sc_core::sc_pending_activity()
                                      ? now + sc_core::sc_time_to_pending_activity()
                                      : now;
    const auto end = sc_core::sc_time::from_value(slice_end(next.value()));
    if (end > now) sc_core::sc_start(end - now, sc_core::SC_EXIT_ON_STARVATION);
    on_slice();
  } while (sc_core::sc_pending_activity());
}

}  // namespace tsuji
