// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc.h>  // as Verilator wants it

#include <verilated.h>

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "router/router_rtl.h"
#include "tsuji/core/error.h"

namespace tsuji::bench {

/// Simulation time and options of one Verilated class. Verilator's runtime uses the thread's context, in a
/// Verilated class's destructor, too: use() makes it this one, and the destructor never leaves one that is
/// gone.
class OwnContext final {
 public:
  /// Threads in which one evaluation runs.
  explicit OwnContext(unsigned threads) { value_.threads(threads); }
  OwnContext(const OwnContext&) = delete;
  OwnContext& operator=(const OwnContext&) = delete;
  ~OwnContext() {
    if (Verilated::threadContextp() == &value_) Verilated::threadContextp(Verilated::defaultContextp());
  }
  VerilatedContext& use() {
    Verilated::threadContextp(&value_);
    return value_;
  }
  /// $time, in units of the RTL's time precision, which the Verilated class has set.
  void set_time(Picoseconds time) {
    constexpr int picosecond = -12;
    std::uint64_t units = static_cast<std::uint64_t>(time);
    for (int unit = value_.timeprecision(); unit < picosecond; ++unit) units *= 10;
    for (int unit = value_.timeprecision(); unit > picosecond; --unit) units /= 10;
    value_.time(units);
  }

 private:
  VerilatedContext value_;
};

/// A router's RTL as a class that Verilator has written (--cc). Waves: VerilatedVcdC of a class that was made
/// with --trace.
template <class Model, class Waves = void>
class VerilatedRtl : public RouterRtl {
 public:
  explicit VerilatedRtl(const std::string& name, unsigned threads = 1) : context_(threads) {
    VerilatedContext& context = context_.use();
    if constexpr (!std::is_void_v<Waves>) context.traceEverOn(true);
    model_ = std::make_unique<Model>(&context, name.c_str());
  }
  ~VerilatedRtl() override {
    context_.use();
    close_wave();
    // They have run, or else the run has failed for another reason.
    try {
      run_final_blocks();
    } catch (const RtlAborted& error) {
      RtlMessages::show(error.what() + std::string("\n"));
    }
    for (const std::string& text : messages.take()) RtlMessages::show(text + "\n");
  }
  void eval(Picoseconds time) override {
    const RtlMessages::Evaluation open(messages);
    context_.use();
    context_.set_time(time);
    evaluated_ = true;
    model_->eval();
  }
  void run_final_blocks() override {
    if (!std::exchange(evaluated_, false)) return;
    const RtlMessages::Evaluation open(messages);
    context_.use();
    model_->final();
  }
  Model& model() { return *model_; }

  void open_wave(const std::string& path) override {
    if constexpr (!std::is_void_v<Waves>) {
      context_.use();
      waves_.value = std::make_unique<Waves>();
      waves_.value->set_time_unit("1ps");
      waves_.value->set_time_resolution("1ps");
      model_->trace(waves_.value.get(), 99);  // levels of instances: all
      waves_.value->open(path.c_str());
      if (!waves_.value->isOpen())
        throw ConfigError("rtl.wave", path, "cannot be written", "a file in a folder that exists");
    } else {
      RouterRtl::open_wave(path);
    }
  }
  void show(Picoseconds time) override {
    if constexpr (!std::is_void_v<Waves>) waves_.value->dump(static_cast<std::uint64_t>(time));
  }
  void close_wave() override {
    if constexpr (!std::is_void_v<Waves>)
      if (waves_.value) waves_.value->close();
  }

 protected:
  /// Adds a pin of the model, whose variable is a number of 8 to 64 bits or a vector of words.
  template <class Variable>
  RtlPin& pin(const char* name, unsigned width_bits, bool input, Variable& variable) {
    RtlPin one;
    one.name = name;
    one.width_bits = width_bits;
    one.input = input;
    one.bytes = reinterpret_cast<unsigned char*>(&variable);
    pins.push_back(one);
    return pins.back();
  }

 private:
  struct None {};
  template <class W>
  struct Held {
    std::unique_ptr<W> value;
  };
  OwnContext context_;  // before the model, which it outlives
  std::unique_ptr<Model> model_;
  bool evaluated_ = false;  ///< and no final block has run
  std::conditional_t<std::is_void_v<Waves>, None, Held<Waves>> waves_;
};

}  // namespace tsuji::bench
