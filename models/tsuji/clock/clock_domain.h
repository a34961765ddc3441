// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "tsuji/clock/first_failure.h"
#include "tsuji/clock/lane_threads.h"
#include "tsuji/clock/wake_calendar.h"
#include "tsuji/core/described.h"
#include "tsuji/core/units.h"

namespace tsuji {

class ClockDomain;

/// The part of a domain that one thread runs: whole groups of modules, the cycles for which they are woken,
/// and the cycle that they run. A domain has one lane, or one for each thread (ClockDomain::run_on).
struct alignas(64) WakeLane {
  WakeCalendar calendar;    ///< Cycles in which any module of the lane runs.
  Cycle now = 0;            ///< the cycle that runs, or ran last
  std::uint64_t steps = 0;  ///< module steps executed
  FirstFailure failure;     ///< First exception of the lane's modules.
};

/// Wake-ups of a group of 64 modules: a row of bits for each cycle of the wheel, one bit for each module.
/// Modules of a group are adjacent in memory, and so are the rows in which they wake each other.
struct alignas(64) WakeGroup {
  static constexpr Cycle cycles = WakeCalendar::wheel_cycles;  ///< cycle c uses row c % cycles
  std::array<std::uint64_t, cycles> rows{};                    ///< Row of each cycle of the wheel.
  ClockDomain* domain = nullptr;                               ///< Domain of the group's modules.
  WakeLane* lane = nullptr;                                    ///< Lane that runs the group.
  std::uint32_t first = 0;                                     ///< index of the module of bit 0
};

/// The part of a module that a clock drives. step(now) runs once in every cycle for which the module was
/// woken. It reads values of earlier cycles and sends values that become visible in later ones, so no result
/// depends on the order of the modules in a cycle. A spurious wake-up must not change anything.
class Stepped {
 public:
  virtual ~Stepped() = default;
  /// Runs the module in cycle `now`.
  virtual void step(Cycle now) = 0;
  /// Prefetches the memory that step(now) will read; changes nothing. Called shortly before step(now), either
  /// with stage 0 only or with stages 0, 1, 2 in this order: each stage follows the pointers that the stage
  /// before it has prefetched.
  virtual void approach(Cycle /*now*/, unsigned /*stage*/) const {}
};

/// Handle that wakes a module. Its size of 12 bytes lets each user keep a copy next to its own data. A
/// default-constructed handle wakes nobody.
class [[gnu::packed, gnu::aligned(4)]] Waker {
 public:
  Waker() = default;
  /// Runs the module in `cycle`, which is later than the current one (else ModelError). Two wake-ups for one
  /// cycle run the module once.
  inline void wake_at(Cycle cycle) const;
  /// wake_at() for a cycle at most ClockDomain::soon ahead. Requires has_wheel().
  inline void wake_soon(Cycle cycle) const;
  /// Returns true if the domain has a wheel once the simulation has started.
  inline bool has_wheel() const;
  /// True unless the handle wakes nobody.
  explicit operator bool() const {
    return group_ != nullptr;
  }
  /// Returns true if one thread runs the modules of both handles; known when the simulation has started.
  bool same_lane(const Waker& other) const {
    return group_ == nullptr || other.group_ == nullptr || group_->lane == other.group_->lane;
  }

 private:
  friend class Clocked;
  friend class ClockDomain;
  Waker(WakeGroup & group, std::uint32_t bit) : group_(&group), bit_(bit) {}
  std::uint32_t index() const {
    return group_->first + bit_;
  }
  WakeGroup* group_ = nullptr;
  std::uint32_t bit_ = 0;
};

/// Member of a clock domain.
class Clocked : public Stepped {
 public:
  Clocked(const Clocked&) = delete;
  Clocked& operator=(const Clocked&) = delete;

  /// Runs this module in `cycle`, which is later than the current one (else ModelError).
  void wake_at(Cycle cycle) { waker_.wake_at(cycle); }
  /// Handle that wakes this module. ClockDomain::run_first() renumbers the members, so take copies after it.
  const Waker& waker() const { return waker_; }
  /// The domain of this module.
  ClockDomain& domain() const { return *waker_.group_->domain; }

 protected:
  /// Adds this module to `domain`, which must outlive it.
  explicit Clocked(ClockDomain& domain);
  /// From now on the domain calls step() of `part` instead of this member's: saves the call through the
  /// module to the class that decides.
  void hand_steps_to(Stepped& part);

 private:
  friend class ClockDomain;
  Waker waker_;
};

/// SystemC processes of a clock: one for all modules, or one for each. `process_each` is the slow reference
/// that tests compare `one_for_all` with.
enum class ProcessMode : std::uint8_t { one_for_all, process_each };

/// Period, phase and processes of a clock.
struct ClockDomainConfig {
  ClockPeriod period{12500};  ///< Period; the default is Cenju-4's 80 MHz.
  Picoseconds offset_ps = 0;  ///< time of cycle 0; hosts run half a period after their network interfaces
  ProcessMode mode = ProcessMode::one_for_all;  ///< SystemC processes that run the modules.
  std::uint64_t shuffle_seed = 0;  ///< seed of a random order of modules in each cycle; 0: fixed order
};

/// Connects the parts of a model that different lanes of a domain run (ClockDomain::run_on). All functions
/// are called in the kernel's thread while no lane runs.
class LaneUser {
 public:
  virtual ~LaneUser() = default;
  /// The lanes are known (Waker::same_lane, ClockDomain::lane_of). Called once, after elaboration and before
  /// the first cycle.
  virtual void enter_lanes() = 0;
  /// All lanes have run the cycles up to `last`. Passes on what crosses from lane to lane, which is visible
  /// in later cycles only.
  virtual void exchange(Cycle last) = 0;
};

/// The parts of a clock whose modules run in other processes. Each process has a domain with its own modules;
/// all domains run the same windows.
class ClockParts {
 public:
  virtual ~ClockParts() = default;
  /// State of a domain, and of all of them.
  struct State {
    Cycle next = never;       ///< next cycle in which a module runs; of all parts: the earliest
    std::uint64_t steps = 0;  ///< steps of modules; of all parts: their sum
  };
  /// Called before the first cycle, once the modules are known. Returns the state of all parts.
  virtual State begin(const State& own) = 0;
  /// All modules of this part have run the cycles up to `last`, with the failure `failure`. Passes on what
  /// crosses between parts, which is visible in later cycles only, and keeps the failures of other parts.
  virtual State exchange(Cycle last, const State& own, FirstFailure& failure) = 0;
};

/// One clock and the modules on it. Instead of a free-running clock signal, a wheel of wake-ups lists the
/// modules that run in each cycle, and the kernel skips cycles without any. A wake-up within the wheel costs
/// one bit; later ones (timeouts, compute times) are kept in a heap.
///
///     cycle            now+1                      now+512
///       |----------------|---------- wheel -----------|-------- heap of (cycle, module) ----->
///     WakeCalendar       0 1 0 0 1 ... 1 0 0                moved into the wheel when it gets there
///                          |     |     |
///     row of group 0       .     x     x      one bit a module, 64 modules in a row
///     row of group 1       x     .     x      a row with a bit sets the calendar's bit
///
/// Contract:
/// - Before sc_start, in this order: construct the members (Clocked); run_first(), once at most; take copies
///   of their wakers. run_ahead(), run_groups(), run_on() and look_before_cycles() in any order.
/// - During the run members and channels call Waker::wake_at() for later cycles. Processes outside of the
///   domain wake for cycle_at_kernel_time() or later, and pass their exceptions to fail().
/// - After sc_start has returned: rethrow_failure().
class ClockDomain final : public sc_core::sc_module, public Described {
 public:
  std::string stands_for() const override {
    return "clock of " + std::to_string(config_.period.ps()) + " ps: the cycles in which its modules run";
  }
  /// A clock without members.
  ClockDomain(sc_core::sc_module_name name, const ClockDomainConfig& config);
  /// Members must not use the domain any more.
  ~ClockDomain() override;

  /// Period of the clock.
  const ClockPeriod& period() const { return config_.period; }
  /// The current cycle, or between cycles the last one that ran; 0 before the first.
  Cycle now() const { return lane_.now; }
  /// First cycle at or after the kernel's current time, for processes outside the domain.
  Cycle cycle_at_kernel_time() const;
  /// The present time in ps: the kernel's, or that of now() if the domain has run ahead of it.
  Picoseconds present_ps() const { return running_ ? ps_of(now()) : present_between_cycles(); }
  /// First cycle after the present time and `delay`: a value written then is visible in it.
  Cycle next_cycle(Picoseconds delay = 0) const {
    if (!running_) return next_between_cycles(delay);
    return now() + 1 + (delay == 0 ? 0 : delay / config_.period.ps());
  }
  /// Kernel time at which `cycle` begins.
  sc_core::sc_time time_of(Cycle cycle) const { return sc_core::sc_time::from_value(ps_of(cycle)); }
  /// Time in ps, from the start of the simulation, at which `cycle` begins.
  Picoseconds ps_of(Cycle cycle) const { return config_.offset_ps + config_.period.ps_at(cycle); }
  /// Lets one activation of the kernel process run all cycles before `until`, as long as no other kernel
  /// event is scheduled before them. The kernel's time then lags now(), like a temporally decoupled TLM
  /// initiator within its quantum, so modules must not read it. 0, the default: one cycle per activation.
  void run_ahead(Cycle until) { windows_.until = until; }
  static constexpr std::size_t group_members = 64;  ///< Largest number of modules in a group.
  /// Makes these members run before all others in each cycle, in this order, so that modules that are
  /// adjacent in memory run one after the other. They form groups of `per_group` members, 1..group_members.
  /// Names no member twice; a null pointer leaves a place of a group empty.
  void run_first(const std::vector<Clocked*>& members, std::size_t per_group = group_members);
  static constexpr Cycle longest_window = 64;  ///< Largest window of run_groups(), in cycles.
  /// Declares a lookahead W between groups: nothing that a member does becomes visible to another group for
  /// `cycles` = W cycles. The groups are those of run_first(). A group then runs up to W cycles (a window)
  /// before the next group runs them, while its memory is in the processor's cache. No result depends on W.
  /// 1, the default: all groups run a cycle before any runs the next one.
  ///
  ///     W = 3         cycle 10 11 12 | 13 14 15      order in which the steps of two groups run
  ///     group 0              1  2  3 |  7  8  9      wakes group 1 in cycle 10: for cycle 13 or later
  ///     group 1              4  5  6 | 10 11 12
  ///                          window  |  window
  ///
  /// A window ends early at the limit of run_ahead() and before a cycle in which a member outside of the
  /// groups runs. It is a single cycle where a kernel event is due within it, and without run_ahead().
  void run_groups(Cycle cycles) { windows_.cycles = std::min(cycles, longest_window); }
  /// Runs the windows of run_groups() on `threads` threads, one of which is the kernel's: the groups are
  /// divided into as many lanes. Steps of one lane must not touch what another lane reads or writes in the
  /// same window; `user` passes such things on between windows. Members outside of the groups, and cycles in
  /// which they run, are left to the kernel's thread. No result depends on the number of threads. ModelError
  /// with ProcessMode::process_each or a shuffled order, which have no windows. `user` outlives the run.
  ///
  ///     threads 2           window            exchange()        window
  ///     kernel's thread     groups 0 .. 7     flits, credits    groups 0 .. 7
  ///     second thread       groups 8 .. 15          -           groups 8 .. 15
  void run_on(unsigned threads, LaneUser& user);
  /// This domain runs share `own` of the groups, divided into `shares` (0 <= own < shares), and `parts` runs
  /// the others. Modules of other shares are members here, but are never stepped. All modules are in groups
  /// (run_first()). Not with several threads, ProcessMode::process_each or a shuffled order. Called before
  /// the start; `parts` outlives the run.
  void run_part(ClockParts& parts, unsigned own = 0, unsigned shares = 1);
  /// Share of the groups to which a member belongs (run_part()). Called after run_first().
  unsigned share_of(const Clocked& member) const;
  /// The next cycle for which a module of this domain is woken; `never`: none. Between two windows.
  Cycle next_wake() const { return lane_.calendar.next_after(lane_.now); }
  /// The next cycle in which modules run; `never`: none is known. Between two cycles.
  Cycle next_run() const { return edges_.armed; }
  /// Lets modules run in `cycle`, or in an earlier cycle that is known. Between two cycles.
  void run_at(Cycle cycle) {
    if (cycle < edges_.armed) arm(cycle);
  }
  /// Number of lanes; 1 before the simulation has started.
  std::size_t lanes() const { return 1 + more_lanes_.size(); }
  /// Lane of a member, below lanes().
  std::size_t lane_of(const Clocked& member) const;
  /// Calls look(cycle) before the first module of each cycle in which any module runs. `look` sees the state
  /// between two cycles. Not together with run_groups().
  void look_before_cycles(std::function<void(Cycle)> look) { look_.call = std::move(look); }
  /// True if both members belong to one group.
  static bool same_group(const Clocked& one, const Clocked& other) {
    return one.waker_.group_ == other.waker_.group_;
  }
  /// Stores an exception of a process of this clock, whose type the kernel would lose, and stops the kernel.
  /// All modules still finish the cycle; of several exceptions the one with the alphabetically first text is
  /// kept.
  void fail(std::exception_ptr failure);
  /// Throws the exception that fail() has stored, if any.
  void rethrow_failure() const { lane_.failure.rethrow(); }
  /// Number of module steps executed, by all parts of a clock, to measure the cost of idle modules.
  std::uint64_t steps() const;
  /// Number of members, with unused places of groups.
  std::size_t modules() const { return members_.stepped.size(); }

  static constexpr Cycle soon = 256;  ///< largest distance in cycles for Waker::wake_soon()

  SC_HAS_PROCESS(ClockDomain);

 private:
  friend class Clocked;
  friend class Waker;
  /// Members by index: 64 x group + bit in the group's rows.
  struct Members {
    std::vector<Clocked*> all;      ///< null: unused index
    std::vector<Stepped*> stepped;  ///< the object that is stepped for each member
    std::vector<std::unique_ptr<WakeGroup>> groups;
  };
  /// Limits of windows (run_ahead, run_groups).
  struct Windows {
    Cycle until = 0;  ///< cycles from here on are not run ahead
    Cycle cycles = 1;
    std::size_t groups = 0;     ///< number of groups of run_first(), which are the first ones
    Cycle first = 0, last = 0;  ///< the present window
  };
  /// The next activation of the kernel processes.
  struct Edges {
    Cycle armed = never;
    /// A wake-up for an earlier cycle than this re-arms at once; 0 while modules run: the end of the cycle
    /// arms.
    Cycle before = 0;
    Cycle far_at = never;  ///< never: `far` is not notified
    bool is_far = false;   ///< the armed cycle is run by `far`, not by `near`
    const sc_core::sc_time unit = sc_core::sc_time::from_value(1);
    sc_core::sc_event near{"edge"};
    /// For edges beyond the wheel. The kernel keeps a cancelled event in its queue until its time, so an edge
    /// far ahead has a separate event that nearer edges do not cancel.
    sc_core::sc_event far{"far_edge"};
  };
  /// State of look_before_cycles().
  struct Look {
    std::function<void(Cycle)> call;  ///< may be empty
    Cycle last = never;               ///< cycle of the last call
  };
  struct ProcessPerModule;

  static constexpr Cycle wheel_cycles = WakeGroup::cycles;
  static_assert(soon + longest_window < wheel_cycles);
  /// Numbers of groups above which their memory no longer stays, from window to window, in the processor's
  /// second-level cache and in its last-level cache.
  static constexpr std::size_t far_groups = 16, very_far_groups = 256;

  Picoseconds present_between_cycles() const;
  Cycle next_between_cycles(Picoseconds delay) const;
  void start_processes();
  Waker add(Clocked& module);
  Waker waker_of(std::size_t module) {
    return {*members_.groups[module / group_members], static_cast<std::uint32_t>(module % group_members)};
  }
  void add_groups(std::size_t modules);
  void wake(const Waker& module, Cycle cycle);
  void note_row(WakeLane& lane, Cycle cycle);
  void wake_far(const Waker& module, Cycle cycle);
  [[noreturn]] void run_too_long(Cycle cycle) const;
  [[noreturn]] void wake_in_the_past(const Waker& module, Cycle cycle) const;
  void start_of_simulation() override;
  void make_lanes();
  std::size_t first_group(std::size_t share, std::size_t shares) const {
    return windows_.groups * share / shares;
  }
  void leave_other_shares();
  Cycle first_far() const;
  void begin_lanes(Cycle first);
  Cycle end_lanes(Cycle first);
  Cycle end_part();
  void arm(Cycle cycle);
  sc_core::sc_time span(Picoseconds ps) const;
  void run();
  /// Places that run further modules of the clock, beside the kernel's thread.
  enum class Others { nobody, lanes, parts };
  template <Others others>
  void run_cycles();
  void run_far();
  static Picoseconds kernel_event();
  Cycle window_end(Cycle cycle, Picoseconds kernel_acts) const;
  bool any_outside_groups(Cycle cycle) const;
  void run_window(Cycle first, Cycle last);
  void run_lane(WakeLane& lane, std::size_t first_group, std::size_t end_group);
  void run_group(WakeLane& lane, std::size_t group, std::uint64_t bits, Cycle cycle);
  void run_far_group(WakeLane& lane, std::size_t group, std::uint64_t bits, Cycle cycle, bool first);
  void begin_cycle(Cycle cycle) {
    if (!look_.call || cycle == look_.last) return;
    look_.last = cycle;
    look_.call(cycle);
  }
  void run_module(std::uint32_t module);
  template <bool many_lanes>
  void run_slot(Cycle cycle);
  void run_slot_shuffled(Cycle cycle);
  void pull_far(WakeLane& lane, Cycle until);
  std::uint64_t& row(std::size_t group, Cycle cycle) const {
    return members_.groups[group]->rows[cycle % wheel_cycles];
  }

  const ClockDomainConfig config_;
  const Cycle last_cycle_;  ///< last_run_cycle() of the period
  Members members_;
  WakeLane lane_;  ///< lane 0, of the kernel's thread
  Windows windows_;
  Edges edges_;
  /// Wake-ups at least this far ahead go into the heap; 0: all do (process_each, or before the start).
  Cycle near_cycles_ = 0;
  bool running_ = false;
  bool started_ = false;
  Look look_;
  unsigned threads_asked_ = 1;  ///< number of threads requested by run_on()
  LaneUser* lane_user_ = nullptr;
  ClockParts* parts_ = nullptr;             ///< null: all modules are here
  unsigned own_share_ = 0, shares_ = 1;     ///< of run_part()
  std::unique_ptr<WakeLane> other_shares_;  ///< lane of groups that are never run here; null: none
  std::uint64_t steps_of_all_ = 0;          ///< of all parts, before the present window
  std::vector<std::unique_ptr<WakeLane>> more_lanes_;
  std::unique_ptr<LaneThreads> threads_;    ///< null: one lane
  std::vector<std::uint32_t> order_;        ///< modules of the cycle in shuffled order
  std::unique_ptr<ProcessPerModule> each_;  ///< null in the mode one_for_all
};

inline void Waker::wake_at(Cycle cycle) const {
  group_->domain->wake(*this, cycle);
}

inline void Waker::wake_soon(Cycle cycle) const {
  std::uint64_t& row = group_->rows[cycle % WakeGroup::cycles];
  const std::uint64_t before = row;
  row = before | std::uint64_t{1} << bit_;
  // With a bit in the row, note_row() has been called for that cycle already.
  if (before == 0) group_->domain->note_row(*group_->lane, cycle);
}

inline bool Waker::has_wheel() const {
  return group_ != nullptr && group_->domain->config_.mode == ProcessMode::one_for_all;
}

/// Wake-ups that a module sets for itself.
class Alarm {
 public:
  Alarm() = default;
  /// `self`: Clocked::waker(); a default-constructed one wakes nobody.
  explicit Alarm(const Waker& self) : self_(self), wheel_(self.has_wheel()) {}
  /// Called at the end of step(now): runs the module again in cycle `next`; `never`: only if others wake it.
  void set(Cycle now, Cycle next) const {
    if (wheel_ && next - now <= ClockDomain::soon) {
      self_.wake_soon(next);
    } else if (next != never) {
      self_.wake_at(next);
    }
  }
  /// Wakes the module in `cycle`. May be called between two cycles.
  void wake_at(Cycle cycle) const {
    if (self_) self_.wake_at(cycle);
  }

 private:
  Waker self_;
  bool wheel_ = false;  ///< the domain has a wheel
};

/// Runs the kernel until nothing is pending, in slices. `slice_end` returns the last time of a slice, given
/// the time of the next event; a time before that event runs nothing. on_slice() runs after each slice, to
/// look for failures and to show progress. At the end the kernel's time is that of the last event.
void run_until_idle(const std::function<Picoseconds(Picoseconds next_event)>& slice_end,
                    const std::function<void()>& on_slice);

/// Runs the kernel for `time` or until nothing is pending, without the kernel's warnings about idleness.
void run_for(const sc_core::sc_time& time);

inline void ClockDomain::wake(const Waker& module, Cycle cycle) {
  if (cycle - module.group_->lane->now - 1 >= near_cycles_) {
    wake_far(module, cycle);
  } else {
    module.wake_soon(cycle);
  }
}

inline void ClockDomain::note_row(WakeLane& lane, Cycle cycle) {
  lane.calendar.note(cycle);
  if (cycle < edges_.before) arm(cycle);
}

}  // namespace tsuji
