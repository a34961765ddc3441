#pragma once

#include <systemc.h>  // as Verilator wants it

#include <verilated.h>

#include <memory>
#include <string>

#include "router/router_rtl.h"

namespace tsuji::bench {

/// A router's RTL as a class that Verilator has written (--cc), with a simulation time and options of its
/// own.
template <class Model>
class VerilatedRtl : public RouterRtl {
 public:
  explicit VerilatedRtl(const std::string& name)
      : context_(std::make_unique<VerilatedContext>()),
        model_(std::make_unique<Model>(context_.get(), name.c_str())) {}
  ~VerilatedRtl() override { model_->final(); }
  void eval() override { model_->eval(); }
  Model& model() { return *model_; }

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
  const std::unique_ptr<VerilatedContext> context_;
  const std::unique_ptr<Model> model_;
};

}  // namespace tsuji::bench
