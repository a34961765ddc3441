#pragma once

#include <systemc.h>  // as Verilator wants it

#include <verilated.h>

#include <memory>
#include <string>
#include <type_traits>

#include "router/router_rtl.h"
#include "tsuji/core/error.h"

namespace tsuji::bench {

/// A router's RTL as a class that Verilator has written (--cc), with a simulation time and options of its
/// own. Waves: VerilatedVcdC of a class that was made with --trace.
template <class Model, class Waves = void>
class VerilatedRtl : public RouterRtl {
 public:
  explicit VerilatedRtl(const std::string& name) : context_(std::make_unique<VerilatedContext>()) {
    if constexpr (!std::is_void_v<Waves>) context_->traceEverOn(true);
    model_ = std::make_unique<Model>(context_.get(), name.c_str());
  }
  ~VerilatedRtl() override {
    close_wave();
    model_->final();
  }
  void eval() override { model_->eval(); }
  Model& model() { return *model_; }

  void open_wave(const std::string& path) override {
    if constexpr (!std::is_void_v<Waves>) {
      waves_.value = std::make_unique<Waves>();
      waves_.value->set_time_unit("1ps");
      waves_.value->set_time_resolution("1ps");
      model_->trace(waves_.value.get(), 99);  // levels of instances: all
      waves_.value->open(path.c_str());
      if (!waves_.value->isOpen())
        throw ConfigError("--wave", path, "cannot be written", "a file in a folder that exists");
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
  const std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Model> model_;
  std::conditional_t<std::is_void_v<Waves>, None, Held<Waves>> waves_;
};

}  // namespace tsuji::bench
