// SPDX-License-Identifier: Apache-2.0
#include "tsuji/c/tsuji.h"

#include <exception>
#include <memory>
#include <new>
#include <string>

#include "tsuji/c/bit_rows.h"
#include "tsuji/c/device_handle.h"
#include "tsuji/c/unknown_bits.h"
#include "tsuji/core/error.h"
#include "tsuji/pins/device_kinds.h"
#include "tsuji/version.h"

using tsuji::c::BitRows;

namespace {

/// Keeps the text of a failed call; without memory for it the text is empty.
int fail(tsuji_device& device, int status, const std::string& text) noexcept {
  try {
    device.error = text;
  } catch (...) {
    device.error.clear();
  }
  return status;
}

/// The exception that is being handled, as status and text.
int fail_by_exception(tsuji_device& device) noexcept {
  try {
    throw;
  } catch (const tsuji::ConfigError& error) {
    return fail(device, TSUJI_REFUSED, error.what());
  } catch (const std::bad_alloc&) {
    return fail(device, TSUJI_BROKEN, "memory is exhausted");
  } catch (const std::exception& error) {
    return fail(device, TSUJI_BROKEN, error.what());
  } catch (...) {
    return fail(device, TSUJI_BROKEN, "an unknown error");
  }
}

/// Refuses a call that needs a device, of which there is none that is usable.
int fail_without_device(tsuji_device* device) noexcept {
  if (device == nullptr) return TSUJI_REFUSED;
  return fail(*device, device->status, device->reason);
}

/// Runs `call`, which returns a status, with a device that exists; no exception leaves.
template <class Call>
int with_device(tsuji_device* device, const Call& call) noexcept {
  if (device == nullptr || device->model == nullptr) return fail_without_device(device);
  try {
    return call();
  } catch (...) {
    return fail_by_exception(*device);
  }
}

/// The pin of a call; null: refused.
const tsuji::pins::Pin* find(tsuji_device& device, const char* name) {
  const tsuji::pins::Pin* const pin = name == nullptr ? nullptr : device.model->find(name);
  if (pin != nullptr) return pin;
  std::string accepted;
  for (const tsuji::pins::Pin& other : device.model->pins())
    accepted += (accepted.empty() ? "" : ", ") + other.name;
  fail(device, TSUJI_REFUSED,
       "no such pin (got '" + std::string(name == nullptr ? "" : name) + "'); accepted: " + accepted);
  return nullptr;
}

std::unique_ptr<tsuji::pins::Device> made(const char* kind, const char* source, bool is_file) {
  if (kind == nullptr || source == nullptr)
    throw tsuji::ConfigError(kind == nullptr ? "kind"
                             : is_file       ? "path"
                                             : "yaml",
                             "", "the pointer is null", "a text");
  std::string accepted;
  for (const tsuji::pins::DeviceKind& one : tsuji::pins::device_kinds()) {
    if (one.name == kind) return one.make({source, is_file});
    accepted += (accepted.empty() ? "" : ", ") + one.name;
  }
  throw tsuji::ConfigError("kind", kind, "no such device", accepted);
}

tsuji_device* create(const char* kind, const char* source, bool is_file) noexcept {
  auto* const device = new (std::nothrow) tsuji_device;
  if (device == nullptr) return nullptr;
  try {
    device->model = made(kind, source, is_file);
    device->bits = BitRows(device->model->pins());
  } catch (...) {
    fail_by_exception(*device);
    device->model.reset();
    device->status = TSUJI_REFUSED;
    device->reason.swap(device->error);
    fail(*device, TSUJI_REFUSED, device->reason);
  }
  return device;
}

/// The edge; of a device that a step has broken: its text again.
int edge(tsuji_device& device) {
  if (device.status != TSUJI_OK) return fail_without_device(&device);
  try {
    device.model->step();
    return TSUJI_OK;
  } catch (...) {
    device.status = TSUJI_BROKEN;
    fail_by_exception(device);
    device.reason = device.error;
    return TSUJI_BROKEN;
  }
}

int refuse_bits(tsuji_device& device, const char* of, unsigned got, unsigned wanted) {
  return fail(device, TSUJI_REFUSED,
              std::string("a vector of another width than all ") + of + " (got '" + std::to_string(got) +
                  "'); accepted: " + std::to_string(wanted) + " bits");
}

}  // namespace

int tsuji::c::step_bits(tsuji_device* device, const KnownBits& in, const Bits& out) noexcept {
  return with_device(device, [&] {
    const BitRows& bits = device->bits;
    if (in.width != bits.input_bits()) return refuse_bits(*device, "inputs", in.width, bits.input_bits());
    if (out.width != bits.output_bits())
      return refuse_bits(*device, "outputs", out.width, bits.output_bits());
    if (in.words == nullptr || out.words == nullptr)
      return fail(*device, TSUJI_REFUSED, "the pointer of a vector is null");
    bits.unpack(in.words, in.unknown, device->model->inputs());
    const int status = edge(*device);
    if (status == TSUJI_OK) bits.pack(device->model->outputs(), out.words);
    return status;
  });
}

int tsuji::c::refuse(tsuji_device* device, const std::string& text) noexcept {
  return with_device(device, [&] { return fail(*device, TSUJI_REFUSED, text); });
}

#pragma GCC visibility push(default)
extern "C" {

const char* tsuji_version(void) {
  return tsuji::version_text;
}

tsuji_device* tsuji_create(const char* kind, const char* yaml) {
  return create(kind, yaml, false);
}

tsuji_device* tsuji_create_file(const char* kind, const char* path) {
  return create(kind, path, true);
}

void tsuji_destroy(tsuji_device* device) {
  delete device;
}

int tsuji_status(const tsuji_device* device) {
  return device == nullptr ? TSUJI_REFUSED : device->status;
}

const char* tsuji_error(const tsuji_device* device) {
  return device == nullptr ? "no device: the pointer is null" : device->error.c_str();
}

size_t tsuji_pin_count(const tsuji_device* device) {
  return device == nullptr || device->model == nullptr ? 0 : device->model->pins().size();
}

int tsuji_pin_at(tsuji_device* device, size_t index, tsuji_pin* pin) {
  return with_device(device, [&] {
    const auto& pins = device->model->pins();
    if (index >= pins.size() || pin == nullptr)
      return fail(*device, TSUJI_REFUSED,
                  pin == nullptr ? std::string("the pointer of the pin is null")
                                 : "no such pin (got '" + std::to_string(index) + "'); accepted: 0.." +
                                       std::to_string(pins.size() - 1));
    *pin = {pins[index].name.c_str(), pins[index].width_bits, pins[index].lanes, pins[index].input};
    return static_cast<int>(TSUJI_OK);
  });
}

uint64_t* tsuji_input(tsuji_device* device, const char* name) {
  uint64_t* lanes = nullptr;
  with_device(device, [&] {
    const tsuji::pins::Pin* const pin = find(*device, name);
    if (pin == nullptr) return static_cast<int>(TSUJI_REFUSED);
    if (!pin->input) return fail(*device, TSUJI_REFUSED, "pin " + pin->name + " is an output");
    lanes = device->model->inputs() + pin->at;
    return static_cast<int>(TSUJI_OK);
  });
  return lanes;
}

const uint64_t* tsuji_output(tsuji_device* device, const char* name) {
  const uint64_t* lanes = nullptr;
  with_device(device, [&] {
    const tsuji::pins::Pin* const pin = find(*device, name);
    if (pin == nullptr) return static_cast<int>(TSUJI_REFUSED);
    if (pin->input) return fail(*device, TSUJI_REFUSED, "pin " + pin->name + " is an input");
    lanes = device->model->outputs() + pin->at;
    return static_cast<int>(TSUJI_OK);
  });
  return lanes;
}

int tsuji_put(tsuji_device* device, const char* name, unsigned lane, uint64_t value) {
  return with_device(device, [&] {
    const tsuji::pins::Pin* const pin = find(*device, name);
    if (pin == nullptr) return static_cast<int>(TSUJI_REFUSED);
    if (!pin->input) return fail(*device, TSUJI_REFUSED, "pin " + pin->name + " is an output");
    if (lane >= pin->lanes)
      return fail(*device, TSUJI_REFUSED,
                  "pin " + pin->name + " has no such lane (got '" + std::to_string(lane) +
                      "'); accepted: 0.." + std::to_string(pin->lanes - 1));
    if ((value & tsuji::pins::bits_above(pin->width_bits)) != 0)
      return fail(*device, TSUJI_REFUSED,
                  "pin " + pin->name + ": the value is too wide (got '" + std::to_string(value) +
                      "'); accepted: " + std::to_string(pin->width_bits) + " bits");
    device->model->inputs()[pin->at + lane] = value;
    return static_cast<int>(TSUJI_OK);
  });
}

int tsuji_get(tsuji_device* device, const char* name, unsigned lane, uint64_t* value) {
  return with_device(device, [&] {
    const tsuji::pins::Pin* const pin = find(*device, name);
    if (pin == nullptr) return static_cast<int>(TSUJI_REFUSED);
    if (lane >= pin->lanes)
      return fail(*device, TSUJI_REFUSED,
                  "pin " + pin->name + " has no such lane (got '" + std::to_string(lane) +
                      "'); accepted: 0.." + std::to_string(pin->lanes - 1));
    if (value == nullptr) return fail(*device, TSUJI_REFUSED, "the pointer of the value is null");
    tsuji::pins::Device& model = *device->model;
    *value = (pin->input ? model.inputs() : model.outputs())[pin->at + lane];
    return static_cast<int>(TSUJI_OK);
  });
}

int tsuji_step(tsuji_device* device) {
  if (device == nullptr || device->status != TSUJI_OK) return fail_without_device(device);
  return edge(*device);
}

int tsuji_step_bits(tsuji_device* device, unsigned in_bits, const uint32_t* in, unsigned out_bits,
                    uint32_t* out) {
  return tsuji::c::step_bits(device, {in_bits, in, nullptr}, {out_bits, out});
}

int tsuji_step_known_bits(tsuji_device* device, unsigned in_bits, const uint32_t* in, const uint32_t* unknown,
                          unsigned out_bits, uint32_t* out) {
  return tsuji::c::step_bits(device, {in_bits, in, unknown}, {out_bits, out});
}

unsigned tsuji_input_bits(const tsuji_device* device) {
  return device == nullptr ? 0 : device->bits.input_bits();
}

unsigned tsuji_output_bits(const tsuji_device* device) {
  return device == nullptr ? 0 : device->bits.output_bits();
}

}  // extern "C"
#pragma GCC visibility pop
