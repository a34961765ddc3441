// SPDX-License-Identifier: Apache-2.0
// Devices of libtsuji_c for simulators with VPI, Icarus among them:
//
//     device = $tsuji_create(KIND, YAML);  device = $tsuji_create_file(KIND, PATH);
//     $tsuji_put(device, PIN, LANE, value);  value = $tsuji_get(device, PIN, LANE);  $tsuji_edge(device);
//     $tsuji_step(device, INPUTS, outputs);   // tsuji_step_bits(): an edge with all pins
//
// A refusal is printed with its place in the Verilog source and ends the simulation with status 1.
#include <vpi_user.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/c/tsuji.h"
#include "tsuji/c/unknown_bits.h"

namespace {

struct Destroy {
  void operator()(tsuji_device* device) const { tsuji_destroy(device); }
};

/// Devices of a simulation, which a Verilog source numbers from 1.
struct Devices {
  std::vector<std::unique_ptr<tsuji_device, Destroy>> all;
  std::vector<std::uint32_t> in, unknown, out;
  std::vector<s_vpi_vecval> shown;
};

/// The arguments of a call, one after the other.
class Call {
 public:
  explicit Call(PLI_BYTE8* data)
      : devices(*reinterpret_cast<Devices*>(data)),
        place_(vpi_handle(vpiSysTfCall, nullptr)),
        arguments_(vpi_iterate(vpiArgument, place_)) {}
  ~Call() {
    if (arguments_ != nullptr) vpi_free_object(arguments_);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// The next argument; null: there is none, which has been printed.
  vpiHandle next() {
    const vpiHandle argument = arguments_ == nullptr ? nullptr : vpi_scan(arguments_);
    if (argument == nullptr) {
      arguments_ = nullptr;
      stop("an argument is missing");
    }
    return argument;
  }
  std::string text() {
    s_vpi_value value = read(vpiStringVal);
    return value.format == vpiStringVal ? value.value.str : "";
  }
  std::uint64_t number() {
    s_vpi_value value = read(vpiVectorVal);
    if (value.format != vpiVectorVal) return 0;
    const s_vpi_vecval* const words = value.value.vector;
    std::uint64_t all = static_cast<std::uint32_t>(words[0].aval & ~words[0].bval);
    if (bits_ > 32) all |= std::uint64_t{static_cast<std::uint32_t>(words[1].aval & ~words[1].bval)} << 32;
    return all;
  }
  /// The device of the next argument; null: there is none.
  tsuji_device* device() {
    const std::uint64_t number_of = number();
    if (stopped_) return nullptr;
    if (number_of - 1 < devices.all.size()) return devices.all[number_of - 1].get();
    stop("no device (got '" + std::to_string(number_of) + "')");
    return nullptr;
  }
  void result(std::uint64_t value) {
    s_vpi_vecval words[2] = {};
    words[0].aval = static_cast<PLI_INT32>(value);
    words[1].aval = static_cast<PLI_INT32>(value >> 32);
    s_vpi_value shown;
    shown.format = vpiVectorVal;
    shown.value.vector = words;
    vpi_put_value(place_, &shown, nullptr, vpiNoDelay);
  }
  /// Stops the simulation if a call of the library failed.
  void check(int status, const tsuji_device* device) {
    if (status != TSUJI_OK) stop(tsuji_error(device));
  }
  void stop(const std::string& text) {
    if (stopped_) return;
    stopped_ = true;
    vpi_printf(const_cast<char*>("%s:%d: tsuji: %s\n"), vpi_get_str(vpiFile, place_),
               static_cast<int>(vpi_get(vpiLineNo, place_)), text.c_str());
    vpip_set_return_value(1);
    vpi_control(vpiFinish, 1);
  }
  bool stopped() const { return stopped_; }

  Devices& devices;

 private:
  /// Another format than the wanted one: the argument is missing.
  s_vpi_value read(PLI_INT32 format) {
    s_vpi_value value;
    value.format = vpiSuppressVal;
    const vpiHandle argument = next();
    if (argument == nullptr) return value;
    bits_ = static_cast<unsigned>(vpi_get(vpiSize, argument));
    value.format = format;
    vpi_get_value(argument, &value);
    return value;
  }

  const vpiHandle place_;
  vpiHandle arguments_;
  unsigned bits_ = 0;
  bool stopped_ = false;
};

PLI_INT32 create(Call& call, bool of_file) {
  const std::string kind = call.text(), source = call.text();
  if (call.stopped()) return 0;
  tsuji_device* const device =
      of_file ? tsuji_create_file(kind.c_str(), source.c_str()) : tsuji_create(kind.c_str(), source.c_str());
  call.devices.all.emplace_back(device);
  call.check(tsuji_status(device), device);
  call.result(call.devices.all.size());
  return 0;
}

PLI_INT32 create_of_text(PLI_BYTE8* data) {
  Call call(data);
  return create(call, false);
}

PLI_INT32 create_of_file(PLI_BYTE8* data) {
  Call call(data);
  return create(call, true);
}

PLI_INT32 put(PLI_BYTE8* data) {
  Call call(data);
  tsuji_device* const device = call.device();
  const std::string pin = call.text();
  const auto lane = static_cast<unsigned>(call.number());
  const std::uint64_t value = call.number();
  if (!call.stopped()) call.check(tsuji_put(device, pin.c_str(), lane, value), device);
  return 0;
}

PLI_INT32 get(PLI_BYTE8* data) {
  Call call(data);
  tsuji_device* const device = call.device();
  const std::string pin = call.text();
  const auto lane = static_cast<unsigned>(call.number());
  std::uint64_t value = 0;
  if (!call.stopped()) call.check(tsuji_get(device, pin.c_str(), lane, &value), device);
  call.result(value);
  return 0;
}

PLI_INT32 edge(PLI_BYTE8* data) {
  Call call(data);
  tsuji_device* const device = call.device();
  if (!call.stopped()) call.check(tsuji_step(device), device);
  return 0;
}

PLI_INT32 step(PLI_BYTE8* data) {
  Call call(data);
  Devices& devices = call.devices;
  tsuji_device* const device = call.device();
  const vpiHandle inputs = call.stopped() ? nullptr : call.next(), outputs = call.stopped() ? nullptr : call.next();
  if (call.stopped()) return 0;
  const auto in_bits = static_cast<unsigned>(vpi_get(vpiSize, inputs));
  const auto out_bits = static_cast<unsigned>(vpi_get(vpiSize, outputs));
  s_vpi_value value;
  value.format = vpiVectorVal;
  vpi_get_value(inputs, &value);
  devices.in.resize((in_bits + 31) / 32);
  devices.unknown.resize(devices.in.size());
  devices.out.resize((out_bits + 31) / 32);
  devices.shown.resize(devices.out.size());
  for (std::size_t word = 0; word < devices.in.size(); ++word) {
    const s_vpi_vecval& of = value.value.vector[word];
    devices.unknown[word] = static_cast<std::uint32_t>(of.bval);
    devices.in[word] = static_cast<std::uint32_t>(of.aval & ~of.bval);
  }
  const int status = tsuji_step_known_bits(device, in_bits, devices.in.data(), devices.unknown.data(), out_bits,
                                           devices.out.data());
  if (status != TSUJI_OK) return call.check(status, device), 0;
  for (std::size_t word = 0; word < devices.out.size(); ++word)
    devices.shown[word] = {static_cast<PLI_INT32>(devices.out[word]), 0};
  value.value.vector = devices.shown.data();
  vpi_put_value(outputs, &value, nullptr, vpiNoDelay);
  return 0;
}

PLI_INT32 bits_of_a_value(PLI_BYTE8*) { return 64; }

PLI_INT32 end(p_cb_data data) {
  delete reinterpret_cast<Devices*>(data->user_data);
  return 0;
}

void add(const char* name, PLI_INT32 (*run)(PLI_BYTE8*), bool is_function, Devices* devices) {
  s_vpi_systf_data about = {};
  about.type = is_function ? vpiSysFunc : vpiSysTask;
  about.sysfunctype = is_function ? vpiSizedFunc : 0;
  about.tfname = const_cast<char*>(name);
  about.calltf = run;
  about.sizetf = is_function ? bits_of_a_value : nullptr;
  about.user_data = reinterpret_cast<PLI_BYTE8*>(devices);
  vpi_register_systf(&about);
}

void start() {
  auto* const devices = new Devices;
  add("$tsuji_create", create_of_text, true, devices);
  add("$tsuji_create_file", create_of_file, true, devices);
  add("$tsuji_get", get, true, devices);
  add("$tsuji_put", put, false, devices);
  add("$tsuji_edge", edge, false, devices);
  add("$tsuji_step", step, false, devices);
  s_cb_data ending = {};
  ending.reason = cbEndOfSimulation;
  ending.cb_rtn = end;
  ending.user_data = reinterpret_cast<PLI_BYTE8*>(devices);
  vpi_register_cb(&ending);
}

}  // namespace

extern "C" {
[[gnu::visibility("default")]] void (*vlog_startup_routines[])() = {start, nullptr};
}
