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
#include "tsuji/clock/wake_calendar.h"
#include "tsuji/core/described.h"
#include "tsuji/core/units.h"

namespace tsuji {

class ClockDomain;

/// Wake-ups of a group of 64 modules: a row of bits for each of the cycles to come, a bit for each module.
/// Modules of a group lie together in memory, and so do the rows in which they wake each other.
struct alignas(64) WakeGroup {
  static constexpr Cycle cycles = WakeCalendar::wheel_cycles;  ///< the row of cycle c is c % cycles
  std::array<std::uint64_t, cycles> rows{};
  ClockDomain* domain = nullptr;
  std::uint32_t first = 0;  ///< module of bit 0
};

/// The part of a module that a clock drives. `step(now)` runs once in every cycle for which the module was
/// woken. It reads values of earlier cycles and sends values that become visible in later ones, so the order
/// in which the modules of a cycle run shows in no result. A spurious wake-up must change nothing.
class Stepped {
 public:
  virtual ~Stepped() = default;
  virtual void step(Cycle now) = 0;
  /// Prefetches the memory that step(now) will read; changes nothing. Called soon before that cycle with
  /// stage 0 alone, or with 0, 1, 2 in turn: a stage follows the pointers that the stage before it has
  /// prefetched.
  virtual void approach(Cycle /*now*/, unsigned /*stage*/) const {}
};

/// Handle that wakes a module. It takes 12 bytes, so that each user keeps a copy beside its own data. A
/// default one wakes nobody.
class [[gnu::packed, gnu::aligned(4)]] Waker {
 public:
  Waker() = default;
  /// Runs the module in `cycle`, which lies after the current one. Waking twice for one cycle runs it once.
  inline void wake_at(Cycle cycle) const;
  /// wake_at() for a cycle at most ClockDomain::soon ahead, in a domain that has a wheel.
  inline void wake_soon(Cycle cycle) const;
  /// Whether the domain has a wheel once the simulation has started.
  inline bool has_wheel() const;
  explicit operator bool() const {
    return group_ != nullptr;
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

/// A member of a clock domain.
class Clocked : public Stepped {
 public:
  Clocked(const Clocked&) = delete;
  Clocked& operator=(const Clocked&) = delete;

  void wake_at(Cycle cycle) { waker_.wake_at(cycle); }
  /// Asked for after ClockDomain::run_first(), if that is called: it gives modules other places.
  const Waker& waker() const { return waker_; }
  ClockDomain& domain() const { return *waker_.group_->domain; }

 protected:
  explicit Clocked(ClockDomain& domain);
  /// The domain steps `part` in this member's place from now on: a module's decisions, without a call through
  /// the module.
  void hand_steps_to(Stepped& part);

 private:
  friend class ClockDomain;
  Waker waker_;
};

/// SystemC processes of a clock: one that steps all modules, or one for each module. `process_each` is the
/// slow reference for tests of `one_for_all`.
enum class ProcessMode : std::uint8_t { one_for_all, process_each };

struct ClockDomainConfig {
  ClockPeriod period{12500};
  Picoseconds offset_ps = 0;  ///< first edge; hosts run half a period after their network interfaces
  ProcessMode mode = ProcessMode::one_for_all;
  std::uint64_t shuffle_seed = 0;  ///< seed of a random order of modules in each cycle; 0: fixed order
};

/// One clock and the modules on it. There is no free-running clock signal: a wheel of wake-ups has the
/// modules that run in each cycle, and the kernel jumps over cycles without any. Wake-ups within the wheel
/// cost a bit each; later ones (timeouts, compute times) wait in a heap.
class ClockDomain final : public sc_core::sc_module, public Described {
 public:
  std::string stands_for() const override {
    return "clock of " + std::to_string(config_.period.ps()) + " ps: the cycles in which its modules run";
  }
  ClockDomain(sc_core::sc_module_name name, const ClockDomainConfig& config);
  ~ClockDomain() override;

  const ClockPeriod& period() const { return config_.period; }
  /// The cycle that is running, or the last that ran; 0 before the first.
  Cycle now() const { return now_; }
  /// The first cycle at or after the kernel's present time, for processes outside the domain.
  Cycle cycle_at_kernel_time() const;
  sc_core::sc_time time_of(Cycle cycle) const { return sc_core::sc_time::from_value(ps_of(cycle)); }
  Picoseconds ps_of(Cycle cycle) const { return config_.offset_ps + config_.period.ps_at(cycle); }
  /// Lets one activation of the kernel's process run all cycles before `until`, as long as no other event is
  /// scheduled before them. The kernel's time then lags behind now(), as with a TLM quantum, so no module may
  /// read it. 0, the default: one cycle an activation.
  void run_ahead(Cycle until) { windows_.until = until; }
  /// In each cycle these members run before all others, in this order, so that modules that lie together in
  /// memory run together. Called once at most, before the start and before any waker(); names no member
  /// twice.
  void run_first(const std::vector<Clocked*>& members);
  static constexpr std::size_t group_members = 64;
  static constexpr Cycle longest_window = 64;
  /// Declares a lookahead of groups (64 members that run_first() names in a row): nothing a member does
  /// becomes visible to another group for `cycles` cycles. A group may then run that many cycles before the
  /// next group runs them, while its memory is in the processor's cache. Has an effect only with run_ahead().
  /// The order of groups and cycles shows in no result. 1, the default: all groups run a cycle before the
  /// next one begins.
  void run_groups(Cycle cycles) { windows_.cycles = std::min(cycles, longest_window); }
  /// Calls look(cycle) before the first module of each cycle that any module runs in: the state is that
  /// between two cycles. Set before the start, and not together with run_groups().
  void look_before_cycles(std::function<void(Cycle)> look) { look_.call = std::move(look); }
  static bool same_group(const Clocked& one, const Clocked& other) {
    return one.waker_.group_ == other.waker_.group_;
  }
  /// Keeps the exception of a process of this clock, whose type the kernel would lose, and stops the kernel.
  /// All modules finish the cycle; of several exceptions the one whose text sorts first is kept.
  void fail(std::exception_ptr failure);
  /// Throws the exception that fail() has kept; called after sc_start has returned.
  void rethrow_failure() const { failure_.rethrow(); }
  /// Module steps so far, for the measurement of idle cost.
  std::uint64_t steps() const { return steps_; }
  std::size_t modules() const { return members_.stepped.size(); }

  static constexpr Cycle soon = 256;  ///< the farthest that Waker::wake_soon() reaches

  SC_HAS_PROCESS(ClockDomain);

 private:
  friend class Clocked;
  friend class Waker;
  /// Members by their place: group x 64 + bit of the group's rows.
  struct Members {
    std::vector<Clocked*> all;      ///< null: a place that stays empty
    std::vector<Stepped*> stepped;  ///< the part that is stepped for each member
    std::vector<std::unique_ptr<WakeGroup>> groups;
  };
  /// Cycles that groups run before others (run_ahead, run_groups).
  struct Windows {
    Cycle until = 0;  ///< no cycle from here on is run ahead
    Cycle cycles = 1;
    std::size_t groups = 0;  ///< number of groups that may run ahead: the first ones
  };
  /// The next activation of the kernel's processes.
  struct Edges {
    Cycle armed = never;
    Cycle before = 0;  ///< an earlier wake-up arms at once; 0 while modules run: the end of the cycle arms
    Cycle far_at = never;  ///< never: `far` is not notified
    bool is_far = false;   ///< `far` runs the armed cycle, not `near`
    const sc_core::sc_time unit = sc_core::sc_time::from_value(1);
    sc_core::sc_event near{"edge"};
    /// Of edges beyond the wheel. An event that gives way to a nearer edge stays in the kernel's queue until
    /// its time, so one that waits for long must not give way to every edge before it.
    sc_core::sc_event far{"far_edge"};
  };
  /// look_before_cycles()
  struct Look {
    std::function<void(Cycle)> call;  ///< may be empty
    Cycle last = never;               ///< cycle of the last call
  };
  struct ProcessPerModule;

  static constexpr Cycle wheel_cycles = WakeGroup::cycles;
  static_assert(soon + longest_window < wheel_cycles);
  /// Numbers of groups that no longer fit into the processor's near cache from window to window, and not into
  /// its large one.
  static constexpr std::size_t far_groups = 16, very_far_groups = 256;

  void start_processes();
  Waker add(Clocked& module);
  Waker waker_of(std::size_t module) {
    return {*members_.groups[module / group_members], static_cast<std::uint32_t>(module % group_members)};
  }
  void add_groups(std::size_t modules);
  void wake(const Waker& module, Cycle cycle);
  void note_row(Cycle cycle);
  void wake_far(std::uint32_t module, Cycle cycle);
  [[noreturn]] void run_too_long(Cycle cycle) const;
  [[noreturn]] void wake_in_the_past(std::uint32_t module, Cycle cycle) const;
  void start_of_simulation() override;
  void arm(Cycle cycle);
  sc_core::sc_time span(Picoseconds ps) const;
  void run();
  void run_far();
  bool may_run_ahead(Cycle cycle) const;
  Cycle window_end(Cycle cycle) const;
  bool any_outside_groups(Cycle cycle) const;
  void run_window(Cycle first, Cycle last);
  void run_group(std::size_t group, std::uint64_t bits, Cycle cycle);
  void run_far_group(std::size_t group, std::uint64_t bits, Cycle cycle, bool first);
  void begin_cycle(Cycle cycle) {
    if (!look_.call || cycle == look_.last) return;
    look_.last = cycle;
    look_.call(cycle);
  }
  void run_module(std::uint32_t module);
  void run_slot(Cycle cycle);
  void run_slot_shuffled(Cycle cycle);
  void pull_far(Cycle until);
  std::uint64_t& row(std::size_t group, Cycle cycle) const {
    return members_.groups[group]->rows[cycle % wheel_cycles];
  }

  const ClockDomainConfig config_;
  const Cycle last_cycle_;  ///< of any run
  Members members_;
  WakeCalendar calendar_;
  Windows windows_;
  Edges edges_;
  Cycle now_ = 0;
  Cycle near_cycles_ = 0;  ///< wake-ups farther ahead go into the heap; 0: all do (process_each, not started)
  bool running_ = false;
  bool started_ = false;
  std::uint64_t steps_ = 0;
  FirstFailure failure_;
  Look look_;
  std::vector<std::uint32_t> order_;        ///< the modules of the cycle, when shuffled
  std::unique_ptr<ProcessPerModule> each_;  ///< null in the mode one_for_all
};

inline void Waker::wake_at(Cycle cycle) const {
  group_->domain->wake(*this, cycle);
}

inline void Waker::wake_soon(Cycle cycle) const {
  std::uint64_t& row = group_->rows[cycle % WakeGroup::cycles];
  const std::uint64_t before = row;
  row = before | std::uint64_t{1} << bit_;
  // Otherwise the group was woken for that cycle before, and note_row() knows of it.
  if (before == 0) group_->domain->note_row(cycle);
}

inline bool Waker::has_wheel() const {
  return group_ != nullptr && group_->domain->config_.mode == ProcessMode::one_for_all;
}

/// Wake-ups that a module sets for itself.
class Alarm {
 public:
  Alarm() = default;
  /// `self`: see Clocked::waker(); a default one wakes nobody.
  explicit Alarm(const Waker& self) : self_(self), wheel_(self.has_wheel()) {}
  /// At the end of cycle `now`: the module runs again in `next`, or not of its own accord (`never`).
  void set(Cycle now, Cycle next) const {
    if (wheel_ && next - now <= ClockDomain::soon) {
      self_.wake_soon(next);
    } else if (next != never) {
      self_.wake_at(next);
    }
  }
  /// Sets a wake-up between two cycles.
  void wake_at(Cycle cycle) const {
    if (self_) self_.wake_at(cycle);
  }

 private:
  Waker self_;
  bool wheel_ = false;  ///< the domain has a wheel
};

/// Runs the kernel until nothing is left to do, in slices; after each, `on_slice` looks for failures and
/// shows progress. At the end the kernel's time is that of the last event, not the end of a slice.
void run_until_idle(Picoseconds slice_ps, const std::function<void()>& on_slice);

/// Runs the kernel for `time`, or until nothing is left to do, without the kernel's warnings about idleness.
void run_for(const sc_core::sc_time& time);

inline void ClockDomain::wake(const Waker& module, Cycle cycle) {
  if (cycle - now_ - 1 >= near_cycles_) {
    wake_far(module.index(), cycle);
  } else {
    module.wake_soon(cycle);
  }
}

inline void ClockDomain::note_row(Cycle cycle) {
  calendar_.note(cycle);
  if (cycle < edges_.before) arm(cycle);
}

}  // namespace tsuji
