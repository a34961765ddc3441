// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "tsuji/pins/device.h"

namespace tsuji::bench {

using pins::bits_of;
using pins::Pin;

/// The signal at a pin, whatever its type: a value for each lane.
class Wire {
 public:
  virtual ~Wire() = default;
  virtual void write(const std::uint64_t* lanes) = 0;
  virtual void read(std::uint64_t* lanes) const = 0;
};

namespace detail {

inline std::uint64_t low_bits(unsigned count) {
  return count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

template <class T>
class WireOf final : public Wire {
 public:
  WireOf(const std::string& name, unsigned width, unsigned lanes)
      : signal(name.c_str()), width_(width), lanes_(lanes) {}
  void write(const std::uint64_t* lanes) override {
    T value = 0;
    for (unsigned lane = 0; lane < lanes_; ++lane)
      value = static_cast<T>(value | (static_cast<T>(lanes[lane]) << lane * width_));
    signal.write(value);
  }
  void read(std::uint64_t* lanes) const override {
    const std::uint64_t value = signal.read();
    for (unsigned lane = 0; lane < lanes_; ++lane) lanes[lane] = value >> lane * width_ & low_bits(width_);
  }
  sc_core::sc_signal<T> signal;

 private:
  const unsigned width_, lanes_;
};

/// Vectors of more than 64 bits, as Verilator types them.
template <int W>
class WireOf<sc_dt::sc_bv<W>> final : public Wire {
 public:
  WireOf(const std::string& name, unsigned width, unsigned lanes)
      : signal(name.c_str()), width_(width), lanes_(lanes) {}
  void write(const std::uint64_t* lanes) override {
    sc_dt::sc_bv<W> value;
    std::uint64_t word = 0;
    unsigned filled = 0, next = 0;
    for (unsigned bit = 0; bit < width_ * lanes_;) {
      const unsigned lane = bit / width_, from = bit % width_;
      const unsigned count = std::min(32 - filled, width_ - from);
      word |= (lanes[lane] >> from & low_bits(count)) << filled;
      bit += count;
      filled += count;
      if (filled < 32 && bit < width_ * lanes_) continue;
      value.set_word(static_cast<int>(next++), static_cast<sc_dt::sc_digit>(word));
      word = filled = 0;
    }
    signal.write(value);
  }
  void read(std::uint64_t* lanes) const override {
    const sc_dt::sc_bv<W>& value = signal.read();
    std::fill(lanes, lanes + lanes_, 0);
    for (unsigned bit = 0; bit < width_ * lanes_;) {
      const unsigned lane = bit / width_, to = bit % width_;
      const unsigned count = std::min(32 - bit % 32, width_ - to);
      const std::uint64_t word = value.get_word(static_cast<int>(bit / 32));
      lanes[lane] |= (word >> bit % 32 & low_bits(count)) << to;
      bit += count;
    }
  }
  sc_core::sc_signal<sc_dt::sc_bv<W>> signal;

 private:
  const unsigned width_, lanes_;
};

/// A signal for each lane, for lanes that are separate ports.
template <class T>
class WiresOf final : public Wire {
 public:
  WiresOf(const std::string& name, unsigned lanes) : signals(name.c_str(), lanes) {}
  void write(const std::uint64_t* lanes) override {
    for (sc_core::sc_signal<T>& signal : signals) signal.write(static_cast<T>(*lanes++));
  }
  void read(std::uint64_t* lanes) const override {
    for (const sc_core::sc_signal<T>& signal : signals) *lanes++ = signal.read();
  }
  sc_core::sc_vector<sc_core::sc_signal<T>> signals;
};

}  // namespace detail

/// The pins of one device under test with the signals at them. A device's pin table is a template
/// that names them all, in the same order and with the same widths for model and twin; the types of the ports
/// may differ. The clock is bound there, too.
class PinList {
 public:
  /// `side` ("model", "twin") comes before the signals' names.
  PinList(std::string side, sc_core::sc_signal<bool>& clock) : side_(std::move(side)), clock_(clock) {}

  template <class Port>
  void clock(Port& port) {
    port(clock_);
  }
  template <class T>
  void in(const char* name, unsigned width_bits, sc_core::sc_in<T>& port, unsigned lanes = 1) {
    add<T>(name, width_bits, port, lanes, true);
  }
  template <class T>
  void in(const char* name, unsigned width_bits, sc_core::sc_vector<sc_core::sc_in<T>>& ports,
          unsigned lanes) {
    add_each<T>(name, width_bits, ports, lanes, true);
  }
  template <class T>
  void out(const char* name, unsigned width_bits, sc_core::sc_out<T>& port, unsigned lanes = 1) {
    add<T>(name, width_bits, port, lanes, false);
  }
  template <class T>
  void out(const char* name, unsigned width_bits, sc_core::sc_vector<sc_core::sc_out<T>>& ports,
           unsigned lanes) {
    add_each<T>(name, width_bits, ports, lanes, false);
  }

  /// Ports of a router, whose pins have a lane for each port, or one for each virtual channel of each port:
  /// groups of a waveform.
  void group_lanes(unsigned ports, unsigned vcs) {
    ports_ = ports;
    vcs_ = vcs;
  }
  /// Where a lane belongs: its port, or more; `none` for others.
  struct LaneGroup {
    static constexpr unsigned none = ~0U;
    unsigned port = none, vc = none;
  };
  LaneGroup group_of(const Pin& pin, unsigned lane) const {
    if (pin.lanes == 1) return {};
    if (pin.lanes == ports_) return {lane, LaneGroup::none};
    return pin.lanes == ports_ * vcs_ ? LaneGroup{lane / vcs_, lane % vcs_} : LaneGroup{};
  }

  using Alter = std::function<void(std::vector<std::uint64_t>& row)>;
  /// Plants an error at the pins: rows of inputs, one a cycle, and of outputs, any number a cycle, are
  /// altered between device and bench. Empty functions alter nothing.
  void plant(Alter inputs, Alter outputs) {
    alter_inputs_ = std::move(inputs);
    alter_outputs_ = std::move(outputs);
  }

  const std::string& side() const { return side_; }
  const std::vector<Pin>& pins() const { return pins_; }
  /// Values of all lanes of all inputs, or outputs: the length of a row.
  std::size_t input_lanes() const { return lanes_[1]; }
  std::size_t output_lanes() const { return lanes_[0]; }
  void write_inputs(const std::vector<std::uint64_t>& row);
  void read_outputs(std::vector<std::uint64_t>& row) const;

 private:
  void write(const std::vector<std::uint64_t>& row);
  template <class T, class Port>
  void add(const char* name, unsigned width_bits, Port& port, unsigned lanes, bool input) {
    auto wire = std::make_unique<detail::WireOf<T>>(side_ + "_" + name, width_bits, lanes);
    port(wire->signal);
    keep({name, width_bits, lanes, input, lanes_[input ? 1 : 0]}, std::move(wire));
  }
  template <class T, class Ports>
  void add_each(const char* name, unsigned width_bits, Ports& ports, unsigned lanes, bool input) {
    auto wires = std::make_unique<detail::WiresOf<T>>(side_ + "_" + name, lanes);
    ports.bind(wires->signals);
    keep({name, width_bits, lanes, input, lanes_[input ? 1 : 0]}, std::move(wires));
  }
  void keep(Pin pin, std::unique_ptr<Wire> wire) {
    lanes_[pin.input ? 1 : 0] += pin.lanes;
    pins_.push_back(std::move(pin));
    wires_.push_back(std::move(wire));
  }
  const std::string side_;
  sc_core::sc_signal<bool>& clock_;
  std::vector<Pin> pins_;
  std::vector<std::unique_ptr<Wire>> wires_;
  std::size_t lanes_[2] = {0, 0};
  unsigned ports_ = 0, vcs_ = 0;
  Alter alter_inputs_, alter_outputs_;
};

}  // namespace tsuji::bench
