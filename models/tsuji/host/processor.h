// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/described.h"
#include "tsuji/host/address_space.h"
#include "tsuji/host/cache.h"
#include "tsuji/host/cpu.h"
#include "tsuji/host/memory_service.h"
#include "tsuji/host/processor_time.h"
#include "tsuji/link/interrupt_line.h"
#include "tsuji/link/memory_access.h"
#include "tsuji/link/wave_group.h"

namespace tsuji::host {

/// A processor's program. `run` is called once, in the processor's own thread, at its cycle 0; the processor
/// has finished when it returns. Its exceptions end the simulation and keep their type.
class Program {
 public:
  virtual ~Program() = default;
  virtual void run(Cpu& cpu) = 0;
};

/// Times in ns, rounded up to whole cycles of the host clock. Calibrated constants, except the system call,
/// which the paper gives.
struct ProcessorConfig {
  CacheConfig cache;
  double hit_ns = 12.5;            ///< A load of 8 or 4 bytes that hits.
  double store_ns = 12.5;          ///< A store of 8 or 4 bytes that hits.
  double block_word_ns = 12.5;     ///< load_block, store_block: every 8-byte word accessed.
  Cycle poll_loop_cycles = 8;      ///< Period of a polling loop, >= 1.
  double register_write_ns = 100;  ///< Time until an uncached write reaches the register.
  double register_read_ns = 200;   ///< Time until the register's value has been read.
  double system_call_ns = 13000;   ///< overhead of a system call (Kanoh 2000, 6.1)
  /// Entry into and exit from the interrupt handler; an assumption of this model.
  double interrupt_ns = 5000;
  std::size_t stack_bytes = 64 << 10;  ///< Stack of the program's thread.
  bool wait_each =
      /// Oracle for tests: waits for every action's time immediately instead of before the next visible
      /// action.
      false;
  void validate() const;  ///< throws ConfigError
};

/// The times of a ProcessorConfig in cycles of the processor's clock.
struct ProcessorCosts {
  ProcessorCosts(const ProcessorConfig& config, const ClockPeriod& period);
  const Cycle hit, store, block_word, register_write, register_read, system_call, interrupt;
};

struct ProcessorCounters {
  std::uint64_t loads = 0, stores = 0;  ///< Cache look-ups; a block counts once for each line.
  std::uint64_t misses = 0, write_backs = 0;
  std::uint64_t register_writes = 0, register_reads = 0;
  std::uint64_t system_calls = 0;
  /// Register accesses of interrupt handlers; included in the count of all.
  std::uint64_t handler_register_accesses = 0;
  std::uint64_t task_switches = 0;
  std::uint64_t interrupts = 0;             ///< Interrupts taken.
  Cycle interrupted_cycles = 0;             ///< Cycles spent in interrupts.
  std::uint64_t polls = 0, poll_turns = 0;  ///< Calls of poll_until(); evaluations of a condition.
  std::uint64_t invalidations = 0;          ///< Lines invalidated by writes of others.
  std::uint64_t bus_errors = 0;             ///< Error responses to memory requests and register accesses.
};

/// A node's processor with its cache (Kanoh 2000, section 2), in the host clock domain (half a period after
/// the main one). It runs a Program, one 8-byte access after the other. It does not model the R10000's
/// pipeline; it models where data are, who requests them, and when.
///
/// Time is lazy (processor_time.h has a picture): the time of an action is waited for only before the next
/// action that others can observe or that observes others. Each visible action takes place at exactly the
/// time at which it would if all times were waited for immediately.
///
/// A miss first writes a dirty victim back, then fetches the line. The line is in the cache from the grant of
/// the fetch on; the controller is busy until the last word, so that no request for the line can be granted
/// earlier. The program resumes at the first clock edge after the last word. An access to an unmapped or
/// read-only address is a ModelError. An error response is a BusError, which the program may catch.
///
/// An interrupt is taken at the next clock edge at which the program only lets time pass: in `compute`, in
/// any other cost, or in a poll. A request to memory is completed first. After the handler, the program's
/// remaining time resumes; a poll is evaluated at the next multiple of its period.
///
/// Several tasks can share the processor, each with a program and an address space. One of them runs. A timer
/// interrupt at a multiple of the time slice, or the end of its program, lets the operating system select the
/// next task. Suspended tasks resume where they were interrupted. The cache holds lines of all tasks.
///
/// Contract: set_program(), set_interrupt_handler(), set_time_slice() and add_wave() before the simulation
/// starts; start() between two calls of sc_start(), for a task whose program has finished. Functions of Cpu
/// are called from the program's thread or from an interrupt handler, those of CacheSnoop by the memory
/// controller.
class Processor final : public sc_core::sc_module,
                        public Clocked,
                        public Cpu,
                        public CacheSnoop,
                        public InterruptLine,
                        public Described {
 public:
  std::string stands_for() const override {
    return "processor that runs the tasks' programs (Kanoh 2000, section 2)";
  }
  void add_parts(PartList& parts) const override { parts.add("cache", cache_); }

  Processor(sc_core::sc_module_name name, ClockDomain& domain, NodeId node, const ProcessorConfig& config);

  tlm_utils::simple_initiator_socket<Processor> memory;     ///< Bound to the controller's processor socket.
  tlm_utils::simple_initiator_socket<Processor> registers;  ///< Bound to the network interface's registers.

  /// Sets the program of a task; tasks are numbered from 0. A processor without a program only takes
  /// interrupts. The program and the address space must outlive the simulation.
  void set_program(Program& program, unsigned task = 0) { task_at(task).program = &program; }
  /// Starts the next program of a task.
  void start(Program& program, unsigned task = 0);
  /// Sets the interrupt handler; without one, an interrupt is a ModelError.
  void set_interrupt_handler(InterruptHandler& handler) { handler_ = &handler; }
  void set_address_space(const AddressSpace& space, unsigned task = 0) { task_at(task).space = &space; }
  /// Sets the clock of the modules that call functions of this one. It may run ahead of the kernel's time
  /// (ClockDomain::run_ahead), and outlives the simulation.
  void set_main_clock(const ClockDomain& clock) { main_clock_ = &clock; }
  /// Sets the cycles between two task switches; 0, the default: each task runs to its end.
  void set_time_slice(Cycle cycles) { slice_.cycles = cycles; }

  unsigned tasks() const { return static_cast<unsigned>(tasks_.size()); }
  /// True if a task's program has returned.
  bool finished(unsigned task = 0) const { return tasks_[task]->finished; }
  /// Cycle in which the program returned.
  Cycle end_cycle(unsigned task = 0) const { return tasks_[task]->end_cycle; }
  bool polling(unsigned task = 0) const { return tasks_[task]->poll != nullptr; }
  /// Subject of the innermost poll in progress; empty if the task is not waiting in a poll.
  std::string waiting_for(unsigned task = 0) const {
    return polling(task) ? *tasks_[task]->poll->what : std::string();
  }
  /// Cycle in which that poll began.
  Cycle waiting_since(unsigned task = 0) const { return polling(task) ? tasks_[task]->poll->start : 0; }
  const ProcessorCounters& counters() const { return counters_; }
  const Cache& cache() const { return cache_; }

  /// Waits for the time that the program has used so far, so that subsequent actions happen in their cycle.
  void synchronize();

  // Cpu
  NodeId node() const override { return node_; }
  Cycle now() const override { return time_.now(); }
  void compute(Cycle cycles) override { spend(cycles); }
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

  // CacheSnoop: called by the memory controller at edges of the main clock.
  LineState snoop_read(std::uint64_t address, unsigned char* line) override;
  void snoop_invalidate(std::uint64_t address) override;
  bool write_back_granted(std::uint64_t address) override;
  unsigned char* debug_line(std::uint64_t address) override { return cache_.find_data(address); }

  void step(Cycle now) override;
  void raised(Cycle now) override;
  /// Adds the signals "node<N>.processor...".
  void add_wave(observe::Wave& wave);

 private:
  /// A poll in progress, stored on the program's stack; a condition may itself poll.
  struct Poll {
    const std::uint64_t* addresses = nullptr;  ///< Logical addresses.
    std::size_t count = 0;
    const std::string* what = nullptr;
    Cycle start = 0;
    Cycle turn = 0;     ///< Cycle in which the present period began.
    bool lost = false;  ///< A line was invalidated since then.
    Poll* outer = nullptr;

    /// First start of a period, after the present one, that is not before `earliest`.
    Cycle next_turn(Cycle earliest, Cycle loop) const {
      const Cycle least = earliest > turn ? earliest : turn + 1;
      return start + (least - start + loop - 1) / loop * loop;
    }
  };

  /// A program and the state at which it was interrupted.
  struct Task {
    Program* program = nullptr;
    const AddressSpace* space = nullptr;
    Poll* poll = nullptr;  ///< The innermost poll.
    bool finished = false;
    Cycle end_cycle = 0;
    sc_core::sc_event resume{sc_core::sc_gen_unique_name("resume")};
  };

  /// Timer for task switches.
  struct Slice {
    Cycle cycles = 0;   ///< 0: no timer.
    Cycle end = never;  ///< Cycle of its interrupt; `never`: no other task waits for the processor.
  };

  enum class Activity : std::uint8_t { running, polling, interrupt, ended };

  void end_of_elaboration() override;
  Picoseconds present_ps() const;
  Cycle cycle_at_present() const;
  void show(Activity activity);
  Task& task_at(unsigned number);
  void spawn(Task& task);
  void run_program(Task& task);
  bool runnable(const Task& task) const { return task.program != nullptr && !task.finished; }
  bool others_runnable() const;
  void set_timer();
  void hand_over(unsigned to);
  void resume_at(Cycle cycle);
  void suspend(ProcessorWait wait);
  /// Waits for `cycles` and takes interrupts meanwhile.
  void pass(Cycle cycles);
  /// Suspends the task until it is resumed.
  void rest();
  void handle_interrupt();
  void spend(Cycle cycles);
  std::uint64_t physical(std::uint64_t logical, bool write) const;
  [[noreturn]] void fail(const std::string& what) const;

  void check_alignment(const char* access, std::uint64_t address, unsigned bytes) const;
  template <typename Value>
  Value load_value(std::uint64_t address);
  template <typename Value>
  void store_value(std::uint64_t address, Value value);
  void read_line(std::uint64_t at, void* to, std::size_t bytes);
  void write_line(std::uint64_t at, const void* from, std::size_t bytes);
  void fetch(std::uint64_t line);
  void request(MemoryAccessKind kind, std::uint64_t line, const unsigned char* data);
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  void answered(const sc_core::sc_time& delay);
  [[noreturn]] void bus_error(const std::string& what);
  /// Transaction object shared by calls that return before the next call is made.
  tlm::tlm_generic_payload& prepare(tlm::tlm_command command, std::uint64_t address, unsigned char* data,
                                    unsigned bytes);
  void register_access(tlm::tlm_command command, std::uint64_t offset, std::uint64_t& value, Cycle cost);

  bool polls_line(const Poll& poll, std::uint64_t line) const;
  bool watch_lines(const Poll& poll);
  Cycle next_turn(const Poll& poll, Cycle earliest) const {
    return poll.next_turn(earliest > now() ? earliest : now(), config_.poll_loop_cycles);
  }
  void sleep(Poll& poll);

  void fetch_untimed(std::uint64_t line, bool contents);
  void debug(tlm::tlm_command command, std::uint64_t address, unsigned char* data, unsigned bytes);

  const ProcessorConfig config_;
  const ProcessorCosts costs_;
  const NodeId node_;
  const ClockDomain* main_clock_ = nullptr;  ///< Null: none runs ahead.
  std::vector<std::unique_ptr<Task>> tasks_;
  unsigned present_ = 0;  ///< Number of the present task.
  Task* task_ = nullptr;  ///< The present task.
  bool has_threads_ = false;
  std::vector<bool> runnable_;  ///< [task]: argument of the scheduler.
  InterruptHandler* handler_ = nullptr;
  Cache cache_;
  MemoryTransaction transaction_;
  /// For register accesses and debug transport; constructed once to avoid allocations.
  tlm::tlm_generic_payload payload_;
  ProcessorTime time_;
  Slice slice_;
  ProcessorCounters counters_;
  std::unique_ptr<WaveGroup> wave_;
};

}  // namespace tsuji::host
