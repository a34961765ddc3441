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

/// A processor's program. `run` is called once, in the processor's own thread of control, at its cycle 0;
/// the processor has finished when it returns. Its exceptions stop the simulation with their type.
class Program {
 public:
  virtual ~Program() = default;
  virtual void run(Cpu& cpu) = 0;
};

/// Times in ns, rounded up to whole cycles of the host clock. Calibrated constants; the paper gives the
/// system call.
struct ProcessorConfig {
  CacheConfig cache;
  double hit_ns = 12.5;                ///< a load of 8 or 4 bytes that hits
  double store_ns = 12.5;              ///< a store of 8 or 4 bytes that hits
  double block_word_ns = 12.5;         ///< load_block, store_block: every 8-byte word touched
  Cycle poll_loop_cycles = 8;          ///< one turn of a polling loop, >= 1
  double register_write_ns = 100;      ///< until an uncached write is at the register
  double register_read_ns = 200;       ///< until the register's value is back
  double system_call_ns = 13000;       ///< Kanoh 2000, 6.1
  double interrupt_ns = 5000;          ///< into the operating system's handler and back, ours
  std::size_t stack_bytes = 64 << 10;  ///< of the program's thread
  bool wait_each =
      false;  ///< oracle: waits for every action's time at once, instead of before the next action
  void validate() const;  ///< throws ConfigError
};

/// The times of a ProcessorConfig in cycles of the processor's clock.
struct ProcessorCosts {
  ProcessorCosts(const ProcessorConfig& config, const ClockPeriod& period);
  const Cycle hit, store, block_word, register_write, register_read, system_call, interrupt;
};

struct ProcessorCounters {
  std::uint64_t loads = 0, stores = 0;  ///< cache look-ups, a block's once a line
  std::uint64_t misses = 0, write_backs = 0;
  std::uint64_t register_writes = 0, register_reads = 0;
  std::uint64_t system_calls = 0;
  std::uint64_t handler_register_accesses = 0;  ///< of all of them, those of handlers
  std::uint64_t task_switches = 0;
  std::uint64_t interrupts = 0;             ///< taken
  Cycle interrupted_cycles = 0;             ///< spent on them
  std::uint64_t polls = 0, poll_turns = 0;  ///< calls of poll_until; evaluations of a condition
  std::uint64_t invalidations = 0;          ///< lines lost to others' writes
  std::uint64_t bus_errors = 0;             ///< error responses to its requests and register accesses
};

/// A node's processor with its cache (Kanoh 2000, section 2), in the host clock domain (half a period after
/// the main one): runs a Program, one 8-byte access after the other. Not a model of the R10000's pipeline;
/// what counts is where data are, who asks whom, and when.
///
/// Time that an action costs is waited for before the next action that others can see or that can see others'
/// work, so each takes place at exactly the time at which it would if every cost were waited for at once.
///
/// A miss writes a dirty victim back first, then fetches the line; the line is in the cache from the grant of
/// the fetch on (the controller is busy until its last word is here, so nobody can ask for it earlier), the
/// program goes on at the first edge after the last word. An access to an unmapped or read-only address is a
/// ModelError. An error response is a BusError, which the program may catch.
///
/// An interrupt is taken at the next edge at which the program only lets time pass, in `compute` and every
/// other cost and in a poll; a request to memory is finished first. The program's own time goes on behind the
/// handler's; a poll looks again at the next point of its grid.
///
/// Several tasks share the processor, each with its program and address space. One of them runs; a timer's
/// interrupt on the grid of the time slice, or the end of its program, lets the operating system choose the
/// next. The others stand still where they were cut. The cache holds lines of all.
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

  tlm_utils::simple_initiator_socket<Processor> memory;     ///< to the controller's processor socket
  tlm_utils::simple_initiator_socket<Processor> registers;  ///< to the network interface's registers

  /// Before the simulation starts; without a program the processor takes interrupts only, at no cost else.
  /// The program and the address space must outlive the simulation. Tasks are numbered from 0.
  void set_program(Program& program, unsigned task = 0) { task_at(task).program = &program; }
  /// The next program of a task whose last one has finished; between two calls of sc_start.
  void start(Program& program, unsigned task = 0);
  /// Before the simulation starts; without one an interrupt is a ModelError.
  void set_interrupt_handler(InterruptHandler& handler) { handler_ = &handler; }
  void set_address_space(const AddressSpace& space, unsigned task = 0) { task_at(task).space = &space; }
  /// Before the simulation starts: cycles between two turns of the tasks, 0, the default: each runs to its
  /// end.
  void set_time_slice(Cycle cycles) { slice_.cycles = cycles; }

  unsigned tasks() const { return static_cast<unsigned>(tasks_.size()); }
  /// The task that has the processor.
  bool finished(unsigned task = 0) const { return tasks_[task]->finished; }
  /// The cycle in which the program returned.
  Cycle end_cycle(unsigned task = 0) const { return tasks_[task]->end_cycle; }
  bool polling(unsigned task = 0) const { return tasks_[task]->poll != nullptr; }
  /// Subject of the innermost poll in progress; empty if the task is not waiting in a poll.
  std::string waiting_for(unsigned task = 0) const {
    return polling(task) ? *tasks_[task]->poll->what : std::string();
  }
  /// The cycle in which that poll began.
  Cycle waiting_since(unsigned task = 0) const { return polling(task) ? tasks_[task]->poll->start : 0; }
  const ProcessorCounters& counters() const { return counters_; }
  const Cache& cache() const { return cache_; }

  /// Waits for the time that the program has used so far, so that what follows happens in its cycle.
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

  // CacheSnoop: called by the memory controller, at edges of the main clock
  LineState snoop_read(std::uint64_t address, unsigned char* line) override;
  void snoop_invalidate(std::uint64_t address) override;
  bool write_back_granted(std::uint64_t address) override;
  unsigned char* debug_line(std::uint64_t address) override { return cache_.find_data(address); }

  void step(Cycle now) override;
  void raised(Cycle now) override;
  /// Adds the signals "node<N>.processor..."; before the simulation starts.
  void add_wave(observe::Wave& wave);

 private:
  /// A poll in progress, on the program's stack; a condition may poll in turn.
  struct Poll {
    const std::uint64_t* addresses = nullptr;  ///< logical
    std::size_t count = 0;
    const std::string* what = nullptr;
    Cycle start = 0;
    Cycle turn = 0;     ///< in which the present turn began
    bool lost = false;  ///< a line was taken since then
    Poll* outer = nullptr;

    /// The first turn of its grid from `earliest` on, after the present one.
    Cycle next_turn(Cycle earliest, Cycle loop) const {
      const Cycle least = earliest > turn ? earliest : turn + 1;
      return start + (least - start + loop - 1) / loop * loop;
    }
  };

  /// A program and where it was cut.
  struct Task {
    Program* program = nullptr;
    const AddressSpace* space = nullptr;
    Poll* poll = nullptr;  ///< the innermost
    bool finished = false;
    Cycle end_cycle = 0;
    sc_core::sc_event resume{sc_core::sc_gen_unique_name("resume")};
  };

  /// The timer that lets the tasks take turns.
  struct Slice {
    Cycle cycles = 0;   ///< 0: none
    Cycle end = never;  ///< its interrupt; never: nobody else waits for the processor
  };

  enum class Activity : std::uint8_t { running, polling, interrupt, ended };

  void end_of_elaboration() override;
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
  /// Waits, and takes interrupts meanwhile.
  void pass(Cycle cycles);
  /// The same for as long as nobody resumes it.
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
  /// The one transaction of calls that have returned before the next is made.
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
  std::vector<std::unique_ptr<Task>> tasks_;
  unsigned present_ = 0;  ///< its number
  Task* task_ = nullptr;  ///< the same
  bool has_threads_ = false;
  std::vector<bool> runnable_;  ///< for the scheduler
  InterruptHandler* handler_ = nullptr;
  Cache cache_;
  MemoryTransaction transaction_;
  tlm::tlm_generic_payload payload_;  ///< register accesses and debug transport; made once, as it allocates
  ProcessorTime time_;
  Slice slice_;
  ProcessorCounters counters_;
  std::unique_ptr<WaveGroup> wave_;
};

}  // namespace tsuji::host
