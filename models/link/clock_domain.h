#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "tsuji/core/units.h"

namespace tsuji {

class ClockDomain;

/// Wake-ups of 64 modules for the cycles to come: a bit each in the row of the cycle. Modules of a group lie
/// near each other, and so do the rows that they wake each other in.
struct alignas(64) WakeGroup {
  static constexpr Cycle cycles = 512;  ///< a wheel: the row of cycle c is c % cycles
  std::array<std::uint64_t, cycles> rows{};
  ClockDomain* domain = nullptr;
  std::uint32_t first = 0;  ///< module of bit 0
};

/// A part that a clock drives. `step(now)` runs once in every cycle that the module was woken for; it reads
/// what arrived in earlier cycles and sends what becomes visible in later ones, so the order in which the
/// modules of a cycle run never shows. A spurious wake-up must change nothing.
class Stepped {
 public:
  virtual ~Stepped() = default;
  virtual void step(Cycle now) = 0;
  /// Cycle `now` comes soon: time to ask for the memory that step() will look at. Stage 0 alone, or 0, 1, 2
  /// one after the other, so that what one asked for tells the next where to look. Changes nothing.
  virtual void approach(Cycle /*now*/, unsigned /*stage*/) const {}
};

/// Handle that wakes a module in a cycle; others keep it near to where they need it, in 12 bytes. A default
/// one wakes nobody.
class [[gnu::packed, gnu::aligned(4)]] Waker {
 public:
  Waker() = default;
  /// Runs the module in `cycle`, which lies after the current one. Waking twice for one cycle runs it once.
  inline void wake_at(Cycle cycle) const;
  /// The same for a cycle that is at most ClockDomain::soon ahead, of a domain that has a wheel.
  inline void wake_soon(Cycle cycle) const;
  /// Whether the domain has one, from the beginning of the simulation on.
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
  /// Not before the domain's modules have their places (ClockDomain::run_first).
  const Waker& waker() const { return waker_; }
  ClockDomain& domain() const { return *waker_.group_->domain; }

 protected:
  explicit Clocked(ClockDomain& domain);
  /// From now on `part` is stepped in this member's place: a module's decisions without the way through it.
  void hand_steps_to(Stepped& part);

 private:
  friend class ClockDomain;
  Waker waker_;
};

/// How the modules of a clock are run. `process_each` gives every module an SC_METHOD of its own: the oracle
/// that the fast way is compared with.
enum class ProcessMode : std::uint8_t { one_for_all, process_each };

struct ClockDomainConfig {
  ClockPeriod period{12500};
  Picoseconds offset_ps = 0;  ///< first edge; hosts run half a period after their network interfaces
  ProcessMode mode = ProcessMode::one_for_all;
  std::uint64_t shuffle_seed = 0;  ///< not 0: the modules of a cycle run in an order drawn anew each cycle
};

/// One clock and the modules on it. There is no free-running clock signal: a wheel of wake-ups says which
/// modules run in which cycle, and with nothing to do the kernel jumps to the next one. Wake-ups within the
/// wheel cost a bit each; later ones (timeouts, compute times) wait in a heap.
class ClockDomain final : public sc_core::sc_module {
 public:
  ClockDomain(sc_core::sc_module_name name, const ClockDomainConfig& config);
  ~ClockDomain() override;

  const ClockPeriod& period() const { return config_.period; }
  /// The cycle that is running, or the last that ran; 0 before the first.
  Cycle now() const { return now_; }
  /// The first cycle at or after the kernel's present time, for processes outside the domain.
  Cycle cycle_at_kernel_time() const;
  sc_core::sc_time time_of(Cycle cycle) const {
    return sc_core::sc_time::from_value(config_.offset_ps + config_.period.ps_at(cycle));
  }
  /// Cycles before `until` may be computed one after the other in one activation of the kernel's process, as
  /// long as nothing else is scheduled before them: the kernel's time then lags behind now(), as with a TLM
  /// quantum. For machines whose modules look at cycles only; 0, the default, never does it.
  void run_ahead(Cycle until) { run_ahead_until_ = until; }
  /// In a cycle these members run before all others, one after the other: what lies together in memory runs
  /// together. Once, before the start and before anybody asks for a waker(); each member once at most.
  void run_first(const std::vector<Clocked*>& members);
  static constexpr std::size_t group_members = 64;
  static constexpr Cycle longest_window = 64;
  /// Lookahead of groups (64 members that run_first() named behind each other): an action of a member shows
  /// in other groups `cycles` later at the earliest, or not at all. A group may then run so many cycles
  /// before the next group runs them, while its memory is near. Only together with run_ahead(); the order in
  /// which groups and cycles run shows in nothing but time. 1, the default: all groups run a cycle before the
  /// next one begins.
  void run_groups(Cycle cycles) { window_ = std::min(cycles, longest_window); }
  static bool same_group(const Clocked& one, const Clocked& other) {
    return one.waker_.group_ == other.waker_.group_;
  }
  /// Keeps what a process of this clock threw and stops the kernel, which would lose its type. Of several in
  /// a cycle, which all modules finish, the first by its text is kept.
  void fail(std::exception_ptr failure);
  /// Throws what was kept; to be called when sc_start has returned.
  void rethrow_failure() const;
  /// Module steps so far, for the measurement of idle cost.
  std::uint64_t steps() const { return steps_; }
  std::size_t modules() const { return modules_.size(); }

  static constexpr Cycle soon = 256;

  SC_HAS_PROCESS(ClockDomain);

 private:
  friend class Clocked;
  friend class Waker;
  struct Far {
    Cycle cycle;
    std::uint32_t module;
    bool operator>(const Far& other) const { return cycle > other.cycle; }
  };
  struct ProcessPerModule;

  static constexpr Cycle wheel_cycles = WakeGroup::cycles;
  static_assert(soon + longest_window < wheel_cycles);
  /// So many groups do not stay near from window to window, or not even in the processor's large cache.
  static constexpr std::size_t far_groups = 16, very_far_groups = 256;

  void start_processes();
  Waker add(Clocked& module);
  Waker waker_of(std::size_t module) {
    return {*groups_[module / group_members], static_cast<std::uint32_t>(module % group_members)};
  }
  void add_groups(std::size_t modules);
  void wake(const Waker& module, Cycle cycle);
  void note_row(Cycle cycle);
  void wake_far(std::uint32_t module, Cycle cycle);
  [[noreturn]] void run_too_long(Cycle cycle) const;
  [[noreturn]] void wake_in_the_past(std::uint32_t module, Cycle cycle) const;
  void start_of_simulation() override;
  void arm(Cycle cycle);
  void run();
  bool may_run_ahead(Cycle cycle) const;
  Cycle window_end(Cycle cycle) const;
  bool any_outside_groups(Cycle cycle) const;
  void run_window(Cycle first, Cycle last);
  void run_group(std::size_t group, std::uint64_t bits, Cycle cycle);
  void run_far_group(std::size_t group, std::uint64_t bits, Cycle cycle, bool first);
  void clear_occupied(Cycle cycle) {
    occupied_[(cycle % wheel_cycles) / 64] &= ~(std::uint64_t{1} << (cycle % 64));
  }
  void run_module(std::uint32_t module);
  void run_slot(Cycle cycle);
  void run_slot_shuffled(Cycle cycle);
  void pull_far(Cycle until);
  Cycle next_occupied() const;
  std::uint64_t& row(std::size_t group, Cycle cycle) const {
    return groups_[group]->rows[cycle % wheel_cycles];
  }

  const ClockDomainConfig config_;
  const Cycle last_cycle_;         ///< of any run: beyond it no module runs
  std::vector<Clocked*> members_;  ///< null: a place that stays empty
  std::vector<Stepped*> modules_;  ///< what is stepped for each member
  std::vector<std::unique_ptr<WakeGroup>> groups_;
  std::vector<std::uint64_t> occupied_;  ///< one bit a cycle of the wheel: somebody was woken for it
  std::vector<Far> far_;                 ///< a heap, earliest first
  Cycle now_ = 0;
  Cycle near_cycles_ =
      0;  ///< wake-ups so far ahead go into the wheel; 0: none does (process_each, not started)
  Cycle armed_ = never;
  Cycle arm_before_ = 0;  ///< armed_ while no module runs, else 0: the end of the cycle arms the next one
  Cycle run_ahead_until_ = 0;
  Cycle window_ = 1;
  std::size_t ahead_groups_ = 0;  ///< that may run ahead, from the first on
  bool running_ = false;
  bool started_ = false;
  std::uint64_t steps_ = 0;
  std::exception_ptr failure_;
  std::string failure_text_;
  Cycle failed_at_ = 0;
  std::vector<std::uint32_t> order_;  ///< the modules of the cycle, when shuffled
  sc_core::sc_event edge_;
  std::unique_ptr<ProcessPerModule> each_;
};

inline void Waker::wake_at(Cycle cycle) const {
  group_->domain->wake(*this, cycle);
}

inline void Waker::wake_soon(Cycle cycle) const {
  std::uint64_t& row = group_->rows[cycle % WakeGroup::cycles];
  const std::uint64_t before = row;
  row = before | std::uint64_t{1} << bit_;
  // Otherwise somebody of the group was woken for that cycle before, and it is known.
  if (before == 0) group_->domain->note_row(cycle);
}

inline bool Waker::has_wheel() const {
  return group_ != nullptr && group_->domain->config_.mode == ProcessMode::one_for_all;
}

/// The wake-ups that a module sets for itself.
class Alarm {
 public:
  Alarm() = default;
  /// Not before the domain's modules have their places; a default waker wakes nobody.
  explicit Alarm(const Waker& self) : self_(self), wheel_(self.has_wheel()) {}
  /// At the end of cycle `now`: the module runs again in `next`, or not of its own accord (`never`).
  void set(Cycle now, Cycle next) const {
    if (wheel_ && next - now <= ClockDomain::soon) {
      self_.wake_soon(next);
    } else if (next != never) {
      self_.wake_at(next);
    }
  }
  /// Between two cycles.
  void wake_at(Cycle cycle) const {
    if (self_) self_.wake_at(cycle);
  }

 private:
  Waker self_;
  bool wheel_ = false;  ///< the domain has one
};

/// Runs the kernel until nothing is left to do, in slices; after each, `on_slice` looks for failures and
/// shows progress. Time stands at the last event then, not at the end of a slice.
void run_until_idle(Picoseconds slice_ps, const std::function<void()>& on_slice);

/// Runs the kernel for `time`, or until nothing is left to do, without its remarks on idleness.
void run_for(const sc_core::sc_time& time);

inline void ClockDomain::wake(const Waker& module, Cycle cycle) {
  if (cycle - now_ - 1 >= near_cycles_) {
    wake_far(module.index(), cycle);
  } else {
    module.wake_soon(cycle);
  }
}

inline void ClockDomain::note_row(Cycle cycle) {
  const Cycle place = cycle % wheel_cycles;
  occupied_[place / 64] |= std::uint64_t{1} << (place % 64);
  if (cycle < arm_before_) arm(cycle);
}

}  // namespace tsuji
