// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc.h>  // verilated_cov.h takes sc_time_stamp() from the global namespace
#include <verilated_cov.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/device.h"

namespace tsuji::bench {

/// A twin made of mutants: an input `mutant` selects one for the whole run; 0: none, the original.
template <class Twin>
class Mutated final : public Twin {
 public:
  explicit Mutated(sc_core::sc_module_name name) : Twin(name) { this->mutant(select_); }
  void select(std::uint32_t number) { select_.write(number); }

 private:
  sc_core::sc_signal<std::uint32_t> select_{"select"};
};

/// A row whose twin is mutant `number`.
template <class Twin>
Device with_mutant(Device row, std::uint32_t number) {
  row.twin = [make = std::move(row.twin), number](sc_core::sc_signal<bool>& clock) {
    std::unique_ptr<Dut> dut = make(clock);
    dynamic_cast<Mutated<Twin>&>(*dut->module).select(number);
    return dut;
  };
  return row;
}

/// A twin with Verilator's coverage counters, which are written by its destructor.
template <class Twin>
class Counted final : public Twin {
 public:
  explicit Counted(sc_core::sc_module_name name) : Twin(name) {}
  ~Counted() override {
    if (!path_.empty()) Verilated::threadContextp()->coveragep()->write(path_.c_str());
  }
  void write_to(const std::string& path) { path_ = path; }

 private:
  std::string path_;
};

/// A row whose twin writes its counters into a file.
template <class Twin>
Device with_coverage(Device row, const std::string& path) {
  row.twin = [make = std::move(row.twin), path](sc_core::sc_signal<bool>& clock) {
    std::unique_ptr<Dut> dut = make(clock);
    dynamic_cast<Counted<Twin>&>(*dut->module).write_to(path);
    return dut;
  };
  return row;
}

/// bench_main() with one device and three more options: `--mutant N` for a twin of mutants, `--coverage FILE`
/// for one with coverage counters, and `--random-start SEED` (1 to 2^31 - 1) for one with random initial
/// register values.
class AlteredBench {
 public:
  AlteredBench(int argc, char** argv);
  std::uint32_t mutant() const { return mutant_; }
  const std::string& coverage() const { return coverage_; }
  int run(const Device& device);

 private:
  std::string take_option(const char* name);
  std::vector<char*> words_;
  std::uint32_t mutant_;
  std::string coverage_;
};

}  // namespace tsuji::bench
